//! Interned names of definitions, shared by all components.

use bevy_platform::sync::Arc;
use ugas::{AbilityId, AttributeId, EffectId, Simulation, TagId};

/// Names of definitions of one catalog, by id; cleared when the rules change.
#[derive(Default)]
pub(crate) struct Names {
    attributes: Vec<Option<Arc<str>>>,
    tags: Vec<Option<Arc<str>>>,
    effects: Vec<Option<Arc<str>>>,
    abilities: Vec<Option<Arc<str>>>,
}

impl Names {
    /// Name of an attribute, copied from the catalog at its first use.
    pub(crate) fn attribute(&mut self, simulation: &Simulation, id: AttributeId) -> Arc<str> {
        interned(&mut self.attributes, id.index(), || simulation.catalog().attribute_name(id))
    }

    /// Name of a tag, shared by all components and events.
    pub(crate) fn tag(&mut self, simulation: &Simulation, id: TagId) -> Arc<str> {
        interned(&mut self.tags, id.index(), || simulation.catalog().tag_name(id))
    }

    /// Name of an effect. It is shared unless the effect was created at run time.
    pub(crate) fn effect(&mut self, simulation: &Simulation, id: EffectId) -> Arc<str> {
        // A restored snapshot may give the id of an effect created at run time to another definition, so the
        // names of these effects are not interned.
        match simulation.catalog().effect_by_id(id) {
            Some(effect) => interned(&mut self.effects, id.index(), || effect.name()),
            None => Arc::from(simulation.effect_name(id)),
        }
    }

    /// Name of an ability, shared by all components and events.
    pub(crate) fn ability(&mut self, simulation: &Simulation, id: AbilityId) -> Arc<str> {
        interned(&mut self.abilities, id.index(), || simulation.catalog().ability_name(id))
    }
}

/// Name at an index, made on first use and shared from then on, so that updates of components allocate
/// nothing.
fn interned<'a>(names: &mut Vec<Option<Arc<str>>>, index: u32, name: impl FnOnce() -> &'a str) -> Arc<str> {
    let index = index as usize;
    if names.len() <= index {
        names.resize(index + 1, None);
    }
    names[index].get_or_insert_with(|| Arc::from(name())).clone()
}
