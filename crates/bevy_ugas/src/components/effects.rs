//! The effects on a controller (§9).

use bevy_ecs::prelude::{Component, ReflectComponent};
use bevy_platform::sync::Arc;
use bevy_reflect::Reflect;
use ugas::{ActiveEffectId, ControllerId, EffectId, EffectStatus, Span, Time};

use super::{Follow, Source, overwrite};

/// The effects on a controller, in the order of their application.
#[derive(Component, Reflect, Clone, PartialEq, Debug, Default)]
#[reflect(Component)]
pub struct ActiveEffects {
    effects: Vec<ActiveEffect>,
}

/// One effect on a controller.
#[derive(Reflect, Clone, PartialEq, Debug)]
pub struct ActiveEffect {
    /// The instance, by which it is removed.
    #[reflect(ignore, default = "no_active_effect")]
    pub active: ActiveEffectId,
    /// Its definition.
    #[reflect(ignore, default = "no_effect")]
    pub effect: EffectId,
    /// The name of its definition.
    pub name: Arc<str>,
    /// Who caused it; [`GameplayWorld::entity`](crate::GameplayWorld::entity) has the entity.
    #[reflect(ignore)]
    pub source: Option<ControllerId>,
    /// Its level.
    pub level: f64,
    /// Its stacks; 1 for one that does not stack.
    pub stacks: u32,
    /// When it ends by itself; `None` is never. An instant of the game's time, so that it need not be written while time
    /// passes.
    #[reflect(ignore)]
    pub ends: Option<Time>,
    /// How long it lasts in all; `None` is for ever.
    #[reflect(ignore)]
    pub duration: Option<Span>,
    /// Time between its executions.
    #[reflect(ignore)]
    pub period: Option<Span>,
    /// Whether it waits for its turn (E4).
    pub queued: bool,
    /// Whether its ongoing requirements fail, so that it counts for nothing at the moment (E7).
    pub inhibited: bool,
}

impl ActiveEffect {
    /// Time left at an instant; `None` is for ever. One that waits for its turn has all its time left.
    pub fn remaining(&self, now: Time) -> Option<Span> {
        match self.queued {
            true => self.duration,
            false => self.ends.map(|end| end.since(now).max(Span::ZERO)),
        }
    }
}

impl ActiveEffects {
    /// The first instance of an effect.
    pub fn first(&self, name: &str) -> Option<&ActiveEffect> {
        self.effects.iter().find(|effect| *effect.name == *name)
    }

    /// Whether there is an instance of an effect.
    pub fn has(&self, name: &str) -> bool {
        self.first(name).is_some()
    }

    /// The stacks of all instances of an effect together.
    pub fn stacks(&self, name: &str) -> u32 {
        let instances = self.effects.iter().filter(|effect| *effect.name == *name && !effect.queued);
        instances.fold(0, |sum, effect| sum.saturating_add(effect.stacks))
    }

    /// All of them, in the order of their application.
    pub fn iter(&self) -> core::slice::Iter<'_, ActiveEffect> {
        self.effects.iter()
    }

    /// How many there are, those that wait for their turn included.
    pub fn len(&self) -> usize {
        self.effects.len()
    }

    /// Whether there are none.
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

impl Follow for ActiveEffects {
    fn follow(&mut self, source: &mut Source<'_>) -> bool {
        let Source { simulation, names, controller } = source;
        let on_it = simulation.controller(*controller).map(|known| known.effects()).unwrap_or_default();
        let effects = on_it.iter().filter_map(|&id| {
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
        });
        overwrite(&mut self.effects, effects)
    }
}

/// What reflection makes a new entry with: it names nothing.
fn no_effect() -> EffectId {
    EffectId::from_index(u32::MAX)
}

/// What reflection makes a new entry with: it names nothing.
fn no_active_effect() -> ActiveEffectId {
    ActiveEffectId::UNSEEN
}
