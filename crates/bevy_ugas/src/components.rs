//! State of a controller as components: read in queries, written by the plugin only.
//!
//! The components are immutable, and no other code can create one. Effects change attributes (§3.1):
//! [`GameplayWorld::apply`]. To write one does not compile:
//!
//! ```compile_fail
//! # use bevy_ecs::prelude::*;
//! # use bevy_ugas::prelude::*;
//! fn heal(mut fighters: Query<&mut Attributes>) {}
//! # bevy_ecs::system::assert_is_system(heal);
//! ```
//!
//! Nor does replacing one:
//!
//! ```compile_fail
//! # use bevy_ecs::prelude::*;
//! # use bevy_ugas::prelude::*;
//! fn forget(mut commands: Commands, fighter: Entity) {
//!     commands.entity(fighter).insert(Attributes::default());
//! }
//! ```
//!
//! ```compile_fail
//! # use bevy_ecs::prelude::*;
//! # use bevy_ugas::prelude::*;
//! fn copy(mut commands: Commands, from: &Tags, to: Entity) {
//!     commands.entity(to).insert(from.clone());
//! }
//! ```
//!
//! The components of a controller are updated in [`GameplaySystems::Apply`](crate::GameplaySystems::Apply),
//! if it may have changed, and marked as changed only if they differ: `Changed<Attributes>` is exact, and
//! idle controllers cost nothing. Times are instants ([`ActiveEffect::ends`], [`Cooldown::ends`]), so that
//! nothing is written while time passes.

mod abilities;
mod attributes;
mod effects;
mod names;
mod tags;

use bevy_ecs::component::{Component, Immutable};
use bevy_ecs::prelude::{Entity, World};
use ugas::{ControllerId, Simulation};

pub use abilities::{Abilities, AbilityEntry, Cooldown};
pub use attributes::{AttributeReadError, AttributeValue, Attributes, WithheldAttribute};
pub use effects::{ActiveEffect, ActiveEffects};
pub(crate) use names::Names;
pub use tags::{TagEntry, Tags};

use crate::controller::GameplayController;
use crate::instance::{game_scope, home_of};
use crate::typed;
use crate::world::GameplayWorld;

/// Source that components are copied from.
pub(crate) struct StateSource<'a> {
    pub(crate) simulation: &'a Simulation,
    pub(crate) names: &'a mut Names,
    pub(crate) controller: ControllerId,
}

/// A component that copies a part of a controller's state. It is immutable and has no public constructor, so
/// that only this crate writes it.
pub(crate) trait StateComponent: Component<Mutability = Immutable> + PartialEq + Sized {
    /// The component of an entity without a controller.
    fn empty() -> Self;

    /// The present state of the controller.
    fn read(source: &mut StateSource<'_>) -> Self;

    /// Whether the component equals the present state. Allocates nothing.
    fn is_current(&self, source: &mut StateSource<'_>) -> bool;
}

/// Components of one entity that differ from the state of its controller, with their new values.
///
/// Writing a component runs observers, which may use the game: the game is in the world again by then.
pub(crate) struct StateUpdate {
    entity: Entity,
    controller: Option<ControllerId>,
    attributes: Option<Attributes>,
    tags: Option<Tags>,
    effects: Option<ActiveEffects>,
    abilities: Option<Abilities>,
}

impl StateUpdate {
    /// Compares the components of an entity with its controller, or with nothing if it has none. Components
    /// that it lacks are skipped.
    pub(crate) fn of(world: &World, game: &mut GameplayWorld, entity: Entity) -> Self {
        let controller = game.controller(entity);
        let GameplayWorld { backend, names, .. } = game;
        let source = backend.as_ref().zip(controller);
        let mut source = source.map(|(backend, controller)| StateSource {
            simulation: backend.simulation(),
            names,
            controller,
        });
        Self {
            entity,
            controller,
            attributes: changed(world, entity, source.as_mut()),
            tags: changed(world, entity, source.as_mut()),
            effects: changed(world, entity, source.as_mut()),
            abilities: changed(world, entity, source.as_mut()),
        }
    }

    /// Replaces the components that differ, and updates the typed sets. Does nothing if an observer gave the
    /// entity another controller in the meantime.
    pub(crate) fn write(self, world: &mut World) {
        let known = world.get::<GameplayController>(self.entity).and_then(|controller| controller.id);
        if known != self.controller {
            return;
        }
        replace(world, self.entity, self.attributes);
        replace(world, self.entity, self.tags);
        replace(world, self.entity, self.effects);
        replace(world, self.entity, self.abilities);
        typed::sync(world, self.entity);
    }
}

/// Shows the state of an entity's controller in its components; they are empty if it has none.
pub(crate) fn show(world: &mut World, entity: Entity) {
    let home = home_of(world, entity);
    let update = game_scope(world, home, |world, game| StateUpdate::of(world, game, entity));
    match update {
        Some(update) => update.write(world),
        // Its instance does not exist.
        None => StateUpdate::of(world, &mut GameplayWorld::empty(), entity).write(world),
    }
}

/// New value of a component; `None` if it is up to date, or the entity lacks it.
fn changed<C: StateComponent>(
    world: &World,
    entity: Entity,
    source: Option<&mut StateSource<'_>>,
) -> Option<C> {
    let known = world.get::<C>(entity)?;
    match source {
        Some(source) => (!known.is_current(source)).then(|| C::read(source)),
        None => Some(C::empty()).filter(|empty| known != empty),
    }
}

/// Replaces a component of an entity, if there is a new value.
fn replace<C: StateComponent>(world: &mut World, entity: Entity, new: Option<C>) {
    if let Some(new) = new
        && let Ok(mut entity) = world.get_entity_mut(entity)
    {
        entity.insert(new);
    }
}

/// Whether a list consists of these items.
fn equal<T: PartialEq>(list: &[T], mut items: impl Iterator<Item = T>) -> bool {
    let mut known = list.iter();
    items.all(|item| known.next() == Some(&item)) && known.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::equal;

    #[test]
    fn equal_lists_have_the_same_items_and_length() {
        assert!(equal(&[1, 2, 3], [1, 2, 3].into_iter()));
        for other in [&[1, 5, 3][..], &[1, 2], &[1, 2, 3, 4], &[]] {
            assert!(!equal(&[1, 2, 3], other.iter().copied()), "{other:?}");
        }
    }
}
