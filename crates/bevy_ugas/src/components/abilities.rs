//! The abilities of a controller (§8).

use bevy_ecs::prelude::{Component, ReflectComponent};
use bevy_platform::sync::Arc;
use bevy_reflect::Reflect;
use ugas::input::InputId;
use ugas::{AbilityId, GrantedAbilityId, Key, Span, Time};

use super::{StateComponent, StateSource, equal};

/// The abilities of a controller, in the order of their grants.
///
/// Whether an ability can be activated depends on much more state, so it is not stored here: call
/// [`GameplayWorld::is_ready`](crate::GameplayWorld::is_ready).
#[derive(Component, Reflect, PartialEq, Debug)]
#[component(immutable, clone_behavior = Ignore)]
#[reflect(Component, from_reflect = false)]
pub struct Abilities {
    abilities: Vec<AbilityEntry>,
}

/// One ability of a controller.
#[derive(Reflect, Clone, PartialEq, Debug)]
pub struct AbilityEntry {
    /// Handle of the grant, for activating and revoking it.
    #[reflect(ignore, default = "no_grant")]
    pub handle: GrantedAbilityId,
    /// Definition of the ability.
    #[reflect(ignore, default = "no_ability")]
    pub ability: AbilityId,
    /// Name of the definition.
    pub name: Arc<str>,
    /// Level.
    pub level: u32,
    /// Input that the ability is bound to.
    #[reflect(ignore)]
    pub input: Option<InputId>,
    /// Number of running activations.
    pub activations: u32,
    /// Charges left, if it has charges.
    pub charges: u32,
    /// Time at which the next charge is regained.
    #[reflect(ignore)]
    pub next_charge: Option<Time>,
    /// Current cooldown; `None` if there is none.
    #[reflect(ignore)]
    pub cooldown: Option<Cooldown>,
}

/// A cooldown, as instants of game time, so that nothing is written while time passes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cooldown {
    /// Time at which it ends.
    pub ends: Time,
    /// Full length.
    pub total: Span,
}

impl Cooldown {
    /// Time left at an instant of the game; zero once it is over.
    pub fn remaining(&self, now: Time) -> Span {
        self.ends.since(now).max(Span::ZERO)
    }

    /// Fraction left at an instant, from 1 to 0, for a cooldown icon.
    pub fn fraction(&self, now: Time) -> f64 {
        match self.total.is_positive() {
            true => (self.remaining(now).as_seconds() / self.total.as_seconds()).clamp(0.0, 1.0),
            false => 0.0,
        }
    }
}

impl Abilities {
    /// The first grant of an ability; `None` if it was never granted.
    pub fn first(&self, ability: impl Key<AbilityId>) -> Option<&AbilityEntry> {
        self.abilities.iter().find(|entry| ability.is(entry.ability, &entry.name))
    }

    /// The first ability that is bound to an input.
    pub fn on_input(&self, input: &str) -> Option<&AbilityEntry> {
        self.abilities.iter().find(|entry| entry.input.as_ref().is_some_and(|bound| bound.as_str() == input))
    }

    /// Whether the ability was granted at least once.
    pub fn has(&self, ability: impl Key<AbilityId>) -> bool {
        self.first(ability).is_some()
    }

    /// Whether the ability has a running activation.
    pub fn is_active(&self, ability: impl Key<AbilityId>) -> bool {
        let mut grants = self.abilities.iter().filter(|entry| ability.is(entry.ability, &entry.name));
        grants.any(|entry| entry.activations > 0)
    }

    /// All abilities, in the order of their grants.
    pub fn iter(&self) -> core::slice::Iter<'_, AbilityEntry> {
        self.abilities.iter()
    }

    /// Number of granted abilities.
    pub fn len(&self) -> usize {
        self.abilities.len()
    }

    /// Whether no ability is granted.
    pub fn is_empty(&self) -> bool {
        self.abilities.is_empty()
    }
}

impl<'a> IntoIterator for &'a Abilities {
    type Item = &'a AbilityEntry;
    type IntoIter = core::slice::Iter<'a, AbilityEntry>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl StateComponent for Abilities {
    fn empty() -> Self {
        Self { abilities: Vec::new() }
    }

    fn read(source: &mut StateSource<'_>) -> Self {
        Self { abilities: entries(source).collect() }
    }

    fn is_current(&self, source: &mut StateSource<'_>) -> bool {
        equal(&self.abilities, entries(source))
    }
}

/// The abilities of a controller, in the order of their grants.
fn entries(source: &mut StateSource<'_>) -> impl Iterator<Item = AbilityEntry> {
    let StateSource { simulation, names, controller } = source;
    let now = simulation.now();
    let granted = simulation.controller(*controller).map(|known| known.abilities()).unwrap_or_default();
    granted.iter().filter_map(move |&handle| {
        let known = simulation.ability(handle)?;
        let cooldown = simulation.ability_cooldown(handle).filter(|(left, _)| left.is_positive());
        Some(AbilityEntry {
            handle,
            ability: known.ability(),
            name: names.ability(simulation, known.ability()),
            level: known.level(),
            input: known.input().cloned(),
            activations: u32::try_from(known.activations().len()).unwrap_or(u32::MAX),
            charges: known.charges(),
            next_charge: known.next_charge(),
            cooldown: cooldown.map(|(left, total)| Cooldown { ends: now + left, total }),
        })
    })
}

/// Placeholder id for entries that reflection creates.
fn no_ability() -> AbilityId {
    AbilityId::from_index(u32::MAX)
}

/// Placeholder handle for entries that reflection creates.
fn no_grant() -> GrantedAbilityId {
    GrantedAbilityId::UNSEEN
}
