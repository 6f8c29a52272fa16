//! State of a controller as components: read in queries, written by the plugin only.
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

use bevy_ecs::change_detection::DetectChangesMut;
use bevy_ecs::component::{Component, Mutable};
use bevy_ecs::prelude::{Entity, World};
use ugas::{ControllerId, Simulation};

pub use abilities::{Abilities, AbilityEntry, Cooldown};
pub use attributes::{AttributeReadError, AttributeValue, Attributes, WithheldAttribute};
pub use effects::{ActiveEffect, ActiveEffects};
pub(crate) use names::Names;
pub use tags::{TagEntry, Tags};

/// Source that components are copied from.
pub(crate) struct SyncSource<'a> {
    pub(crate) simulation: &'a Simulation,
    pub(crate) names: &'a mut Names,
    pub(crate) controller: ControllerId,
}

/// A component that copies a part of a controller's state.
pub(crate) trait SyncComponent: Component<Mutability = Mutable> + Default {
    /// Copies the state from the source; returns whether anything changed.
    fn sync(&mut self, source: &mut SyncSource<'_>) -> bool;
}

/// Updates the four state components of a controller's entity; those that it lacks are skipped.
pub(crate) fn sync_all(world: &mut World, entity: Entity, source: &mut SyncSource<'_>) {
    sync_one::<Attributes>(world, entity, source);
    sync_one::<Tags>(world, entity, source);
    sync_one::<ActiveEffects>(world, entity, source);
    sync_one::<Abilities>(world, entity, source);
}

/// Updates one component of an entity if it has it, and marks it as changed only if its content changed.
fn sync_one<C: SyncComponent>(world: &mut World, entity: Entity, source: &mut SyncSource<'_>) {
    if let Some(mut component) = world.get_mut::<C>(entity)
        && component.bypass_change_detection().sync(source)
    {
        component.set_changed();
    }
}

/// Overwrites a list with items; returns whether the list changed. Allocates nothing for equal items.
fn overwrite<T: PartialEq>(list: &mut Vec<T>, items: impl Iterator<Item = T>) -> bool {
    let (mut count, mut changed) = (0, false);
    for item in items {
        match list.get_mut(count) {
            Some(known) if *known == item => {}
            Some(known) => {
                *known = item;
                changed = true;
            }
            None => {
                list.push(item);
                changed = true;
            }
        }
        count += 1;
    }
    changed |= list.len() > count;
    list.truncate(count);
    changed
}

#[cfg(test)]
mod tests {
    use super::overwrite;

    #[test]
    fn overwrite_reports_a_change_only_for_different_items() {
        let mut list = vec![1, 2, 3];
        assert!(!overwrite(&mut list, [1, 2, 3].into_iter()));
        assert!(overwrite(&mut list, [1, 5, 3].into_iter()));
        assert!(overwrite(&mut list, [1, 5].into_iter()));
        assert!(overwrite(&mut list, [1, 5, 6, 7].into_iter()));
        assert_eq!(list, [1, 5, 6, 7]);
        assert!(overwrite(&mut list, core::iter::empty()));
        assert!(list.is_empty());
    }
}
