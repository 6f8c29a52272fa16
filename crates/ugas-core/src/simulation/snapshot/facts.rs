//! Encoding and decoding of the facts of a state: the part that cannot be derived.

use std::sync::Arc;

use super::super::runtime_effects::RuntimeEffects;
use super::super::{Simulation, State};
use super::check::Check;
use crate::attribute::layout::Layout;
use crate::catalog::{Catalog, CatalogErrors, Compiler};
use crate::codec::{Decode, DecodeError, DecodeErrorKind, Decoder, Encode, Encoder};
use crate::effect::{Effect, EffectDef};
use crate::handle::ControllerId;
use crate::id::AttributeSetId;
use crate::timer::TimerWheel;

impl State {
    /// Writes the facts, in the order in which [`decode_facts`](Self::decode_facts) reads them.
    pub(super) fn encode_facts(&self, encoder: &mut Encoder) {
        let Self {
            now,
            seed,
            sequence,
            ordinal,
            operation,
            events,
            controllers,
            effects,
            abilities,
            activations,
            tasks,
            runtime_effects,
            // Derived.
            owners: _,
            avatars: _,
            summons: _,
            timers: _,
            layouts: _,
        } = self;
        now.encode(encoder);
        seed.encode(encoder);
        sequence.encode(encoder);
        ordinal.encode(encoder);
        operation.encode(encoder);
        events.encode(encoder);
        runtime_effects.encode(encoder);
        controllers.encode(encoder);
        for (_, controller) in controllers.iter() {
            self.layout(controller).sets.encode(encoder);
        }
        effects.encode(encoder);
        abilities.encode(encoder);
        activations.encode(encoder);
        tasks.encode(encoder);
    }

    /// Reads the facts and checks them, so that untrusted bytes cannot give an impossible state. Nothing is
    /// derived yet.
    pub(super) fn decode_facts(decoder: &mut Decoder<'_>, catalog: &Catalog) -> Result<Self, DecodeError> {
        let now = Decode::decode(decoder)?;
        let mut state = Self::new(Decode::decode(decoder)?);
        state.now = now;
        state.timers = TimerWheel::new(now);
        state.sequence = Decode::decode(decoder)?;
        state.ordinal = Decode::decode(decoder)?;
        state.operation = Decode::decode(decoder)?;
        state.events = Decode::decode(decoder)?;
        state.runtime_effects =
            RuntimeEffects::decode(decoder, |def, decoder| resolve(&def, decoder, catalog))?;
        state.controllers = Decode::decode(decoder)?;
        let controllers: Vec<ControllerId> = state.controllers.handles().collect();
        for id in controllers {
            let sets: Vec<AttributeSetId> = Decode::decode(decoder)?;
            let layout = state.layout_of_facts(&sets, catalog).map_err(|what| decoder.invalid(what))?;
            if let Some(controller) = state.controllers.get_mut(id) {
                controller.layout = layout;
            }
        }
        state.effects = Decode::decode(decoder)?;
        state.abilities = Decode::decode(decoder)?;
        state.activations = Decode::decode(decoder)?;
        state.tasks = Decode::decode(decoder)?;
        Check { state: &state, catalog }.everything().map_err(|what| decoder.invalid(what))?;
        Ok(state)
    }

    /// Index of the layout of these sets; an error if they are unsorted, unknown or in conflict.
    fn layout_of_facts(&mut self, sets: &[AttributeSetId], catalog: &Catalog) -> Result<u32, &'static str> {
        if let Some(at) = self.layouts.find(sets) {
            return Ok(at);
        }
        let is_sorted = sets.is_sorted_by(|one, other| one < other);
        if !is_sorted || sets.iter().any(|set| catalog.set(*set).is_none()) {
            return Err("the attribute sets of a controller are unknown or not sorted");
        }
        let layout = Layout::new(catalog, sets);
        let layout = layout.map_err(|_| "the attribute sets of a controller conflict")?;
        Ok(self.layouts.add(layout))
    }
}

impl Simulation {
    /// Derives the state that is not written: lists, modifiers, tags, cues, subscriptions, indexes and
    /// timers. Called after facts were read or a replica installed; all of it must be empty.
    pub(in crate::simulation) fn derive_all(&mut self) {
        self.state.derive_lists();
        let controllers: Vec<ControllerId> = self.state.controllers.handles().collect();
        let mut crossed = Vec::new();
        for &id in &controllers {
            // The containers are empty; their memory is reused.
            let Some(controller) = self.state.controllers.get_mut(id) else { continue };
            let mut modifiers = core::mem::take(&mut controller.modifiers);
            let mut tags = core::mem::take(&mut controller.tags);
            let interactions = controller.interactions.get_mut();
            let mut cues =
                interactions.map(|interactions| core::mem::take(&mut interactions.cues)).unwrap_or_default();
            self.derive_modifiers(id, &mut modifiers);
            self.derive_tags(id, &mut tags, &mut crossed);
            self.derive_cues(id, &mut cues);
            if let Some(controller) = self.state.controllers.get_mut(id) {
                (controller.modifiers, controller.tags) = (modifiers, tags);
                if !cues.is_empty() {
                    controller.interactions.make_mut().cues = cues;
                }
            }
        }
        self.derive_watches(&self.state.application_order());
        self.derive_activations();
    }
}

/// Compiles an effect created at run time under the catalog of the state; an error if it is invalid there.
fn resolve(def: &Arc<EffectDef>, decoder: &Decoder<'_>, catalog: &Catalog) -> Result<Effect, DecodeError> {
    let compiler = Compiler::new(&catalog.tables);
    let effect = compiler.effect(def, catalog.calculations());
    catalog.check_effect_cycle(&compiler, &effect);
    let errors = compiler.into_errors();
    if errors.is_empty() {
        Ok(effect)
    } else {
        Err(decoder.error(DecodeErrorKind::Definitions(CatalogErrors(errors))))
    }
}
