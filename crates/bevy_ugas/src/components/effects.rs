//! The effects on a controller (§9).

use bevy_ecs::prelude::{Component, ReflectComponent};
use bevy_platform::sync::Arc;
use bevy_reflect::Reflect;
use ugas::{ActiveEffectId, ControllerId, EffectId, EffectStatus, Key, Span, Time};

use super::{StateComponent, StateSource, equal};

/// The active effects on a controller, in the order of their application.
#[derive(Component, Reflect, PartialEq, Debug)]
#[component(immutable, clone_behavior = Ignore)]
#[reflect(Component, from_reflect = false)]
pub struct ActiveEffects {
    effects: Vec<ActiveEffect>,
}

/// One active effect on a controller.
#[derive(Reflect, Clone, PartialEq, Debug)]
pub struct ActiveEffect {
    /// Handle of the active effect, for removing it.
    #[reflect(ignore, default = "no_active_effect")]
    pub active: ActiveEffectId,
    /// Definition of the effect.
    #[reflect(ignore, default = "no_effect")]
    pub effect: EffectId,
    /// Name of the definition.
    pub name: Arc<str>,
    /// Controller that caused it; [`GameplayWorld::entity`](crate::GameplayWorld::entity) maps it to an
    /// entity.
    #[reflect(ignore)]
    pub source: Option<ControllerId>,
    /// Level.
    pub level: f64,
    /// Stack count; 1 for an effect that does not stack.
    pub stacks: u32,
    /// Time at which it expires; `None` if it does not. An instant of game time, so that nothing is written
    /// while time passes.
    #[reflect(ignore)]
    pub ends: Option<Time>,
    /// Full duration; `None` is infinite.
    #[reflect(ignore)]
    pub duration: Option<Span>,
    /// Time between executions; `None` if it is not periodic.
    #[reflect(ignore)]
    pub period: Option<Span>,
    /// Whether it is queued behind another effect (E4).
    pub queued: bool,
    /// Whether its ongoing requirements fail, so that it is inhibited (E7).
    pub inhibited: bool,
}

impl ActiveEffect {
    /// Time left at an instant; `None` is infinite. A queued effect has its full duration left.
    pub fn remaining(&self, now: Time) -> Option<Span> {
        match self.queued {
            true => self.duration,
            false => self.ends.map(|end| end.since(now).max(Span::ZERO)),
        }
    }
}

impl ActiveEffects {
    /// The first instance of an effect; `None` if none is active.
    pub fn first(&self, effect: impl Key<EffectId>) -> Option<&ActiveEffect> {
        self.effects.iter().find(|active| effect.is(active.effect, &active.name))
    }

    /// Whether there is an instance of an effect.
    pub fn has(&self, effect: impl Key<EffectId>) -> bool {
        self.first(effect).is_some()
    }

    /// The sum of the stacks of all instances of an effect.
    pub fn stacks(&self, effect: impl Key<EffectId>) -> u32 {
        let instances =
            self.effects.iter().filter(|active| effect.is(active.effect, &active.name) && !active.queued);
        instances.fold(0, |sum, effect| sum.saturating_add(effect.stacks))
    }

    /// All active effects, in the order of their application.
    pub fn iter(&self) -> core::slice::Iter<'_, ActiveEffect> {
        self.effects.iter()
    }

    /// Number of active effects, queued ones included.
    pub fn len(&self) -> usize {
        self.effects.len()
    }

    /// Whether there are no active effects.
    pub fn is_empty(&self) -> bool {
        self.effects.is_empty()
    }
}

impl<'a> IntoIterator for &'a ActiveEffects {
    type Item = &'a ActiveEffect;
    type IntoIter = core::slice::Iter<'a, ActiveEffect>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl StateComponent for ActiveEffects {
    fn empty() -> Self {
        Self { effects: Vec::new() }
    }

    fn read(source: &mut StateSource<'_>) -> Self {
        Self { effects: entries(source).collect() }
    }

    fn is_current(&self, source: &mut StateSource<'_>) -> bool {
        equal(&self.effects, entries(source))
    }
}

/// The active effects on a controller, in the order of their application.
fn entries(source: &mut StateSource<'_>) -> impl Iterator<Item = ActiveEffect> {
    let StateSource { simulation, names, controller } = source;
    let ids = simulation.controller(*controller).map(|known| known.effects()).unwrap_or_default();
    ids.iter().filter_map(move |&id| {
        let active = simulation.effect(id)?;
        Some(ActiveEffect {
            active: id,
            effect: active.effect(),
            name: names.effect(simulation, active.effect()),
            source: active.source(),
            level: active.spec().level(),
            stacks: active.stacks(),
            ends: active.expires(),
            duration: active.duration(),
            period: active.period(),
            queued: active.status() == EffectStatus::Queued,
            inhibited: active.is_inhibited(),
        })
    })
}

/// Placeholder id for entries that reflection creates.
fn no_effect() -> EffectId {
    EffectId::from_index(u32::MAX)
}

/// Placeholder handle for entries that reflection creates.
fn no_active_effect() -> ActiveEffectId {
    ActiveEffectId::UNSEEN
}
