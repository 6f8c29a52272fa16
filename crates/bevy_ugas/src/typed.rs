//! Typed attribute sets: a struct that declares a set of attributes, and shows their values as a component.

use bevy_ecs::component::{Component, Mutable};
use bevy_ecs::prelude::{DetectChangesMut, Entity, Resource, World};
use ugas::{AttributeId, AttributeSetDef, Catalog, UnknownName};

use crate::components::{Attributes, NamesAttribute};
use crate::key::Key;

/// A struct whose fields are attributes: `#[derive(AttributeSet)]`.
///
/// [`UgasAppExt::add_attribute_set`](crate::UgasAppExt::add_attribute_set) declares the set to the rules and keeps the struct,
/// as a component, on every entity whose controller has the set: with the current values, marked as changed when one of
/// them changes.
pub trait AttributeSet: Component<Mutability = Mutable> + PartialEq + Sized {
    /// The set's name in the rules.
    const NAME: &'static str;

    /// What the struct declares.
    fn definition() -> AttributeSetDef;

    /// The current values; `None` if one of the attributes is missing.
    fn read(attributes: &Attributes) -> Option<Self>;
}

/// An attribute by its name, as `#[derive(AttributeSet)]` declares them: `Combat::HEALTH`. It goes wherever an attribute is
/// named, and cannot be misspelt.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AttributeName(pub &'static str);

impl Key<AttributeId> for AttributeName {
    fn id(&self, catalog: &Catalog) -> Result<AttributeId, UnknownName> {
        catalog.attribute(self.0)
    }
}

impl NamesAttribute for AttributeName {
    fn names(&self, _: AttributeId, name: &str) -> bool {
        name == self.0
    }
}

impl PartialEq<str> for AttributeName {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl From<AttributeName> for String {
    fn from(name: AttributeName) -> Self {
        name.0.to_owned()
    }
}

/// The typed sets that were added: what keeps the component of each.
#[derive(Resource, Default)]
pub(crate) struct TypedSets(Vec<fn(&mut World, Entity)>);

impl TypedSets {
    pub(crate) fn add<S: AttributeSet>(&mut self) {
        self.0.push(follow_one::<S>);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Brings the typed sets of an entity up to date with its attributes.
pub(crate) fn follow(world: &mut World, entity: Entity) {
    let sets = world.get_resource::<TypedSets>().map(|sets| sets.0.clone());
    for follow in sets.unwrap_or_default() {
        follow(world, entity);
    }
}

fn follow_one<S: AttributeSet>(world: &mut World, entity: Entity) {
    let shown = world.get::<Attributes>(entity).and_then(S::read);
    let Ok(mut entity) = world.get_entity_mut(entity) else { return };
    match (entity.get_mut::<S>(), shown) {
        (Some(mut known), Some(shown)) => {
            known.set_if_neq(shown);
        }
        (None, Some(shown)) => {
            entity.insert(shown);
        }
        (Some(_), None) => {
            entity.remove::<S>();
        }
        (None, None) => {}
    }
}
