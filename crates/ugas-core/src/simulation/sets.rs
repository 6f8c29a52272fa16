//! Attribute sets at run time (§6.2, §6.4): registration and unregistration on a live controller.

use std::sync::Arc;

use super::Simulation;
use crate::attribute::layout::{AttributeSetError, Layout};
use crate::controller::Value;
use crate::effect::{Effect, EffectStatus, WatchSubject};
use crate::event::EventKind;
use crate::handle::{ActiveEffectId, ControllerId};
use crate::id::AttributeSetId;
use crate::refusal::CycleLink;

/// Reason for which a set could not be registered or unregistered.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegisterError {
    /// The controller does not exist (any more).
    #[error("{0:?} does not exist")]
    UnknownController(ControllerId),
    /// The catalog has no such set.
    #[error("{0:?} does not exist")]
    UnknownSet(AttributeSetId),
    /// The controller has the set already.
    #[error("the attribute set `{0}` is already registered")]
    AlreadyRegistered(String),
    /// The controller does not have the set.
    #[error("the attribute set `{0}` is not registered")]
    NotRegistered(String),
    /// Live magnitudes of active effects would make an attribute depend on itself (B6).
    #[error(
        "with the attribute set `{set}` an attribute would depend on itself: {cycle}; remove one of the effects first"
    )]
    CircularDependency {
        /// The set.
        set: String,
        /// Description of the chain.
        cycle: String,
        /// The values in order: each reads the next, and the last one reads the first.
        chain: Box<[CycleLink]>,
    },
    /// The sets would conflict.
    #[error(transparent)]
    AttributeSets(#[from] AttributeSetError),
}

impl Simulation {
    /// Registers an attribute set with a controller (§6.2). Inert modifiers of its attributes take effect.
    ///
    /// # Errors
    /// If the set is already registered, a dependency of it is not (§6.4), or inert modifiers of its
    /// attributes would close a cycle (B6).
    pub fn register_set(
        &mut self,
        controller: ControllerId,
        set: AttributeSetId,
    ) -> Result<(), RegisterError> {
        let mut sets = self.sets_of(controller)?;
        if self.catalog.set(set).is_none() {
            return Err(RegisterError::UnknownSet(set));
        }
        match sets.binary_search(&set) {
            Ok(_) => return Err(RegisterError::AlreadyRegistered(self.catalog.set_name(set).to_owned())),
            Err(at) => sets.insert(at, set),
        }
        let layout = self.layout_for(&sets)?;
        if let Some(chain) = self.cycle_with_layout(controller, layout) {
            let set = self.catalog.set_name(set).to_owned();
            let cycle = crate::refusal::describe_cycle(&chain, self);
            return Err(RegisterError::CircularDependency { set, cycle, chain });
        }
        self.operate(|sim| {
            sim.emit(EventKind::AttributeSetAdded { controller, set });
            sim.change_layout(controller, layout);
        });
        Ok(())
    }

    /// Unregisters an attribute set from a controller (§6.2). Modifiers of its attributes stay with their
    /// effects and take effect again if the set is registered again; the values are lost.
    ///
    /// # Errors
    /// If the set is not registered, or a remaining set depends on it (§6.4).
    pub fn unregister_set(
        &mut self,
        controller: ControllerId,
        set: AttributeSetId,
    ) -> Result<(), RegisterError> {
        let mut sets = self.sets_of(controller)?;
        match sets.binary_search(&set) {
            Ok(at) => sets.remove(at),
            Err(_) => return Err(RegisterError::NotRegistered(self.catalog.set_name(set).to_owned())),
        };
        let layout = self.layout_for(&sets)?;
        self.operate(|sim| {
            sim.emit(EventKind::AttributeSetRemoved { controller, set });
            sim.change_layout(controller, layout);
        });
        Ok(())
    }

    /// Sets of a controller, sorted by id.
    fn sets_of(&self, id: ControllerId) -> Result<Vec<AttributeSetId>, RegisterError> {
        let controller = self.state.controllers.get(id).ok_or(RegisterError::UnknownController(id))?;
        Ok(self.state.layout(controller).sets.to_vec())
    }

    /// Index of the layout of these sets, which are sorted by id; a new combination is added to the cache. An
    /// error if the sets conflict or a dependency is missing.
    pub(super) fn layout_for(&mut self, sets: &[AttributeSetId]) -> Result<u32, AttributeSetError> {
        match self.state.layouts.find(sets) {
            Some(at) => Ok(at),
            None => Ok(self.state.layouts.add(Layout::new(&self.catalog, sets)?)),
        }
    }

    /// M6: emits `ModifierInert` for each modifier whose attribute the new layout lacks.
    fn report_lost(&mut self, active: ActiveEffectId, effect: &Effect, old: &Layout, new: &Layout) {
        let Some(instance) = self.state.effects.get(active) else { return };
        let (effect_id, target) = (instance.effect, instance.target);
        for (at, modifier) in (0..).zip(&effect.modifiers) {
            let attribute = modifier.attribute;
            if old.slot_of(attribute).is_some() && new.slot_of(attribute).is_none() {
                self.emit(EventKind::ModifierInert { effect: effect_id, modifier: at, attribute, target });
            }
        }
    }

    /// Moves a controller to another layout. Attributes in both keep their values, new ones are initialised;
    /// modifiers are attached again, all values are marked for re-evaluation, and effects that read a lost
    /// attribute are refreshed.
    fn change_layout(&mut self, id: ControllerId, layout: u32) {
        self.flush();
        let new = Arc::clone(&self.state.layouts[layout as usize]);
        let Some(controller) = self.state.controllers.get_mut(id) else { return };
        let old = Arc::clone(&self.state.layouts[controller.layout as usize]);
        let carried = |slot: u16| old.slot_of(new.attribute_at(slot));
        let values = (0..).zip(&new.slots).map(|(slot, place)| match carried(slot) {
            Some(from) => controller.values[usize::from(from)],
            None => Value::unmodified(place.attribute.def.default_base),
        });
        let values = values.collect();
        controller.layout = layout;
        controller.values = values;
        controller.modifiers.clear();
        controller.pending = Default::default();
        let effects: Vec<ActiveEffectId> = controller.effects.to_vec();
        for active in effects {
            let Some(instance) = self.state.effects.get(active) else { continue };
            if instance.status == EffectStatus::Running
                && let Some(effect) = self.state.definition(&self.catalog, instance.effect).cloned()
            {
                self.attach_modifiers(active, &effect);
                self.report_lost(active, &effect, &old, &new);
            }
        }
        self.initialise_values(id, |slot| carried(slot).is_none());
        for slot in 0..new.slots.len() as u16 {
            self.mark_dirty(id, slot);
        }
        for place in &old.slots {
            if new.slot_of(place.attribute.id).is_none() {
                self.notify(id, WatchSubject::Attribute(place.attribute.id));
            }
        }
    }
}
