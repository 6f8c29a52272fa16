//! What a controller is like, as components: read in queries, written by the plugin alone.
//!
//! The components of a controller are brought up to date in [`GameplaySystems::Apply`](crate::GameplaySystems::Apply), if
//! anything may have changed, and marked as changed only if something did: `Changed<Attributes>` means what it says, and a
//! controller that is idle is not looked at. Times are instants ([`ActiveEffect::ends`], [`Cooldown::ends`]), so that nothing
//! has to be written while time passes.

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
pub use attributes::{AttributeReadError, AttributeValue, Attributes, NamesAttribute, WithheldAttribute};
pub use effects::{ActiveEffect, ActiveEffects};
pub(crate) use names::Names;
pub use tags::{NamesTag, TagEntry, Tags};

/// What components are copied from.
pub(crate) struct Source<'a> {
    pub(crate) simulation: &'a Simulation,
    pub(crate) names: &'a mut Names,
    pub(crate) controller: ControllerId,
}

/// A component that shows a part of a controller.
pub(crate) trait Follow: Component<Mutability = Mutable> + Default {
    /// Becomes what the source is; whether anything is different now.
    fn follow(&mut self, source: &mut Source<'_>) -> bool;
}

/// Brings all components of a controller up to date.
pub(crate) fn follow_all(world: &mut World, entity: Entity, source: &mut Source<'_>) {
    follow::<Attributes>(world, entity, source);
    follow::<Tags>(world, entity, source);
    follow::<ActiveEffects>(world, entity, source);
    follow::<Abilities>(world, entity, source);
}

fn follow<C: Follow>(world: &mut World, entity: Entity, source: &mut Source<'_>) {
    if let Some(mut component) = world.get_mut::<C>(entity)
        && component.bypass_change_detection().follow(source)
    {
        component.set_changed();
    }
}

/// Writes items over a list; whether the list is different now. Nothing is allocated for what is the same.
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
    fn a_list_is_changed_by_what_differs_only() {
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
