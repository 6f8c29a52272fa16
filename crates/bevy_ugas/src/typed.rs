//! Typed attribute sets: a struct that declares a set of attributes, and holds their values as a component.

use bevy_ecs::component::{Component, Immutable};
use bevy_ecs::prelude::{Entity, Resource, World};
use ugas::AttributeSetDef;

use crate::components::Attributes;

/// A struct whose fields are attributes: `#[derive(AttributeSet)]`.
///
/// [`UgasAppExt::add_attribute_set`](crate::UgasAppExt::add_attribute_set) adds the set to the rules, and
/// keeps the struct as a component on every entity whose controller has the set: with the current values,
/// replaced and marked as changed when one changes. `On<Insert, Combat>` observes the changes of one entity
/// or of all.
///
/// The component is immutable, because only effects change attributes (§3.1). One that other code inserts or
/// removes is restored, with a warning. A query may read it:
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_ugas::prelude::*;
/// #[derive(Component, AttributeSet, PartialEq)]
/// #[component(immutable)]
/// struct Combat {
///     #[attribute(default = 100.0)]
///     health: f64,
/// }
///
/// fn heal(fighters: Query<&Combat>) {
///     for fighter in &fighters {
///         let _ = fighter.health;
///     }
/// }
/// # bevy_ecs::system::assert_is_system(heal);
/// ```
///
/// To write it does not compile; apply an effect instead ([`GameplayWorld::apply`](crate::GameplayWorld::apply)):
///
/// ```compile_fail
/// # use bevy_ecs::prelude::*;
/// # use bevy_ugas::prelude::*;
/// #[derive(Component, AttributeSet, PartialEq)]
/// #[component(immutable)]
/// struct Combat {
///     #[attribute(default = 100.0)]
///     health: f64,
/// }
///
/// fn heal(mut fighters: Query<&mut Combat>) {
///     for mut fighter in &mut fighters {
///         fighter.health = 100.0;
///     }
/// }
/// # bevy_ecs::system::assert_is_system(heal);
/// ```
///
/// Nor does a set whose component is mutable:
///
/// ```compile_fail
/// # use bevy_ecs::prelude::*;
/// # use bevy_ugas::prelude::*;
/// #[derive(Component, AttributeSet, PartialEq)]
/// struct Combat {
///     #[attribute(default = 100.0)]
///     health: f64,
/// }
/// ```
pub trait AttributeSet: Component<Mutability = Immutable> + PartialEq + Sized {
    /// Name of the set in the rules.
    const NAME: &'static str;

    /// Definition of the set, which is added to the rules. Its attributes are the fields of the type.
    fn definition() -> AttributeSetDef;

    /// The current values; `None` if one of the attributes is missing.
    fn read(attributes: &Attributes) -> Option<Self>;
}

/// Update functions of the registered typed sets.
#[derive(Resource, Default)]
pub(crate) struct TypedSets(Vec<fn(&mut World, Entity)>);

impl TypedSets {
    /// Registers a typed set, whose component is updated with the others.
    pub(crate) fn add<S: AttributeSet>(&mut self) {
        self.0.push(sync_one::<S>);
    }
}

/// Restores a typed set that other code inserted, replaced or removed on an entity with attributes. The crate's
/// own updates agree with the attributes, so that nothing happens for them.
pub(crate) fn repair<S: AttributeSet>(world: &mut World, entity: Entity) {
    let Some(attributes) = world.get::<Attributes>(entity) else { return };
    if world.get::<S>(entity) != S::read(attributes).as_ref() {
        tracing::warn!(
            "{entity}: the component of {} was written and is restored: only effects change attributes",
            S::NAME
        );
        sync_one::<S>(world, entity);
    }
}

/// Updates the typed sets of an entity from its attributes.
pub(crate) fn sync(world: &mut World, entity: Entity) {
    let sets = world.get_resource::<TypedSets>().map(|sets| sets.0.clone());
    for sync in sets.unwrap_or_default() {
        sync(world, entity);
    }
}

/// Inserts, replaces or removes a typed set's component, as the entity's [`Attributes`] have all of its
/// attributes or not. A component with equal values stays as it is.
fn sync_one<S: AttributeSet>(world: &mut World, entity: Entity) {
    let current = world.get::<Attributes>(entity).and_then(S::read);
    let Ok(mut entity) = world.get_entity_mut(entity) else { return };
    match (entity.get::<S>(), current) {
        (Some(known), Some(current)) if *known == current => {}
        (_, Some(current)) => {
            entity.insert(current);
        }
        (Some(_), None) => {
            entity.remove::<S>();
        }
        (None, None) => {}
    }
}
