//! The abilities of a controller (§8).

use bevy_ecs::prelude::{Component, ReflectComponent};
use bevy_platform::sync::Arc;
use bevy_reflect::Reflect;
use ugas::input::InputId;
use ugas::{AbilityHandle, AbilityId, Span, Time};

use super::{Follow, Source, overwrite};

/// The abilities of a controller, in the order of their grants.
///
/// Why an ability cannot be used at the moment depends on everything, so that is not kept here: ask
/// [`GameplayWorld::can_activate`](crate::GameplayWorld::can_activate).
#[derive(Component, Reflect, Clone, PartialEq, Debug, Default)]
#[reflect(Component)]
pub struct Abilities {
    abilities: Vec<AbilityEntry>,
}

/// One ability of a controller.
#[derive(Reflect, Clone, PartialEq, Debug)]
pub struct AbilityEntry {
    /// The grant, by which it is activated and revoked.
    #[reflect(ignore, default = "no_grant")]
    pub handle: AbilityHandle,
    /// Its definition.
    #[reflect(ignore, default = "no_ability")]
    pub ability: AbilityId,
    /// The name of its definition.
    pub name: Arc<str>,
    /// Its level.
    pub level: u32,
    /// The input it is bound to.
    #[reflect(ignore)]
    pub input: Option<InputId>,
    /// How many runs of it there are at the moment.
    pub runs: u32,
    /// Uses left, if it has charges.
    pub charges: u32,
    /// When the next charge comes.
    #[reflect(ignore)]
    pub next_charge: Option<Time>,
    /// How it cools down, if it does.
    #[reflect(ignore)]
    pub cooldown: Option<Cooldown>,
}

/// How an ability cools down. Instants of the game's time, so that nothing need be written while time passes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cooldown {
    /// When it is over.
    pub ends: Time,
    /// How long it lasts in all.
    pub total: Span,
}

impl Cooldown {
    /// Time left at an instant.
    pub fn remaining(&self, now: Time) -> Span {
        self.ends.since(now).max(Span::ZERO)
    }

    /// How much of it is left at an instant, from 1 to 0: what a cooldown icon shows.
    pub fn fraction(&self, now: Time) -> f64 {
        match self.total.is_positive() {
            true => (self.remaining(now).as_seconds() / self.total.as_seconds()).clamp(0.0, 1.0),
            false => 0.0,
        }
    }
}

impl Abilities {
    /// The first grant of an ability.
    pub fn first(&self, name: &str) -> Option<&AbilityEntry> {
        self.abilities.iter().find(|entry| *entry.name == *name)
    }

    /// The first ability that is bound to an input.
    pub fn on_input(&self, input: &str) -> Option<&AbilityEntry> {
        self.abilities.iter().find(|entry| entry.input.as_ref().is_some_and(|bound| bound.as_str() == input))
    }

    /// Whether the ability was granted.
    pub fn has(&self, name: &str) -> bool {
        self.first(name).is_some()
    }

    /// Whether the ability runs.
    pub fn is_active(&self, name: &str) -> bool {
        self.abilities.iter().any(|entry| *entry.name == *name && entry.runs > 0)
    }

    /// All of them, in the order of their grants.
    pub fn iter(&self) -> core::slice::Iter<'_, AbilityEntry> {
        self.abilities.iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.abilities.len()
    }

    /// Whether there are none.
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

impl Follow for Abilities {
    fn follow(&mut self, source: &mut Source<'_>) -> bool {
        let Source { simulation, names, controller } = source;
        let now = simulation.now();
        let granted = simulation.controller(*controller).map(|known| known.abilities()).unwrap_or_default();
        let abilities = granted.iter().filter_map(|&handle| {
            let known = simulation.ability(handle)?;
            let cooldown = simulation.ability_cooldown(handle).filter(|(left, _)| left.is_positive());
            Some(AbilityEntry {
                handle,
                ability: known.ability(),
                name: names.ability(simulation, known.ability()),
                level: known.level(),
                input: known.input().cloned(),
                runs: u32::try_from(known.activations().len()).unwrap_or(u32::MAX),
                charges: known.charges(),
                next_charge: known.next_charge(),
                cooldown: cooldown.map(|(left, total)| Cooldown { ends: now + left, total }),
            })
        });
        overwrite(&mut self.abilities, abilities)
    }
}

/// What reflection makes a new entry with: it names nothing.
fn no_ability() -> AbilityId {
    AbilityId::from_index(u32::MAX)
}

/// What reflection makes a new entry with: it names nothing.
fn no_grant() -> AbilityHandle {
    AbilityHandle::UNSEEN
}
