//! Cues of the simulation (§12, E11, C1, C2): the context they are shown with, the tags that are cues, and cues that the host
//! adds, removes and executes outside abilities.

use super::apply::refuse;
use super::{Simulation, SourceTags};
use crate::effect::{ActiveEffect, Effect, EffectContext, EffectSpec};
use crate::event::{CueDetails, CueParameters, EventKind};
use crate::handle::{ActiveEffectId, ControllerId};
use crate::id::TagId;
use crate::refusal::{Refusal, RefusalReason};
use crate::tag::TagBits;
use crate::time::Span;

/// Numbers that a cue is shown with.
#[derive(Clone, Copy, Debug)]
pub(super) struct CueNumbers {
    pub(super) magnitude: f64,
    pub(super) level: f64,
    pub(super) stacks: u32,
    pub(super) duration: Option<Span>,
}

impl Simulation {
    /// Executes a cue on a controller once, outside effects and abilities. Clients see it like any other (§12.3).
    ///
    /// # Errors
    /// If the controller or the tag does not exist, or a number is not finite.
    pub fn execute_cue(
        &mut self,
        controller: ControllerId,
        cue: TagId,
        magnitude: f64,
        context: &EffectContext,
    ) -> Result<(), RefusalReason> {
        self.check_cue(controller, cue, magnitude, context)?;
        let mut context = context.clone();
        self.freeze_ability_tags(&mut context);
        self.operate(|sim| {
            sim.set_cue_cause(&context);
            let numbers = CueNumbers { magnitude, level: 1.0, stacks: 1, duration: None };
            let parameters = sim.cue_parameters(&context, controller, numbers, &[]);
            sim.scratch.queue_cue(EventKind::CueExecuted { controller, cue, parameters });
        });
        Ok(())
    }

    /// Adds a cue to a controller until [`Self::remove_cue`] removes it. Held by an internal effect that grants no tag; several
    /// holders of one cue are counted (E11).
    ///
    /// # Errors
    /// If the controller or the tag does not exist, a number is not finite, or the controller has too many effects.
    pub fn add_cue(
        &mut self,
        controller: ControllerId,
        cue: TagId,
        context: &EffectContext,
    ) -> Result<ActiveEffectId, Refusal> {
        let effect = self.catalog.internal.tags;
        let refusal = |reason| Refusal { effect, target: controller, reasons: refuse(reason) };
        self.check_cue(controller, cue, 0.0, context).map_err(refusal)?;
        let spec = self.spec(effect, 1.0, context.clone()).map_err(refusal)?.tagged(cue);
        let applied = self.apply(&spec, controller)?;
        applied.active().ok_or_else(|| refusal(RefusalReason::UnknownEffect(effect)))
    }

    /// Removes a cue that [`Self::add_cue`] added, the oldest of several; false if there is none. A cue that an effect or an
    /// ability holds as well stays.
    pub fn remove_cue(&mut self, controller: ControllerId, cue: TagId) -> bool {
        let effects = self.state.controllers.get(controller).map(|known| &*known.effects).unwrap_or_default();
        let holds = |id: &ActiveEffectId| {
            self.state.effects.get(*id).is_some_and(|active| {
                active.effect == self.catalog.internal.tags
                    && active.spec.granted_tags.is_empty()
                    && active.spec.asset_tags() == [cue]
            })
        };
        match effects.iter().copied().find(holds) {
            Some(active) => self.remove(active, super::Stacks::All).is_ok(),
            None => false,
        }
    }

    fn check_cue(
        &self,
        controller: ControllerId,
        cue: TagId,
        magnitude: f64,
        context: &EffectContext,
    ) -> Result<(), RefusalReason> {
        if !self.state.controllers.contains(controller) {
            return Err(RefusalReason::UnknownController(controller));
        }
        if cue.usize() >= self.catalog.tags().len() {
            return Err(RefusalReason::UnknownTag(cue));
        }
        if let Some(source) = context.source
            && !source.is_unseen()
            && !self.state.controllers.has_lived(source)
        {
            return Err(RefusalReason::UnknownController(source));
        }
        if !magnitude.is_finite() || !context.is_finite() {
            return Err(RefusalReason::NonFinite { modifier: None, attribute: None });
        }
        self.check_context(context).map_err(RefusalReason::LimitReached)
    }

    fn set_cue_cause(&mut self, context: &EffectContext) {
        let cause = self.scratch.cause();
        self.scratch.blame(crate::event::Cause { source: context.source, ability: context.ability, ..cause });
    }

    /// Parameters of a cue on `target`: numbers, place and the whole context (C1). `marks` are context tags beside those of
    /// `context` (E14).
    pub(super) fn cue_parameters(
        &mut self,
        context: &EffectContext,
        target: ControllerId,
        numbers: CueNumbers,
        marks: &[TagId],
    ) -> CueParameters {
        let details = self.cue_details(context, target, numbers, None, marks);
        let waiting = self.events.len();
        let details = self.scratch.cue_details.share(&details, waiting);
        CueParameters {
            // Adding zero keeps negative zeros out.
            magnitude: numbers.magnitude + 0.0,
            level: numbers.level,
            details: Some(details),
        }
    }

    /// Parameters of the cues of an active effect (C1).
    pub(super) fn effect_cue_parameters(&mut self, id: ActiveEffectId, effect: &Effect) -> CueParameters {
        let Some(active) = self.state.effects.get(id) else { return CueParameters::default() };
        let (numbers, context, target) =
            (cue_numbers(active, effect), active.spec.context.clone(), active.target);
        self.cue_parameters(&context, target, numbers, &[])
    }

    /// Context of a cue as values (C1).
    fn cue_details(
        &self,
        context: &EffectContext,
        target: ControllerId,
        numbers: CueNumbers,
        last: Option<&TagBits>,
        marks: &[TagId],
    ) -> CueDetails {
        let source = SourceTags::from_parts(&self.state, context, last);
        let mut source_tags = TagBits::default();
        for part in source.parts() {
            source_tags.union_with(part);
        }
        let target = self.state.controllers.get(target);
        let ability = context.ability.and_then(|ability| self.state.abilities.get(ability));
        CueDetails {
            instigator: context.source,
            causer: context.causer(),
            source_object: context.source_object(),
            hit: context.hit().copied(),
            origin: context.origin(),
            ability: ability.map(|ability| ability.ability),
            ability_level: ability.map(|ability| ability.level),
            stacks: numbers.stacks,
            duration: numbers.duration,
            source_tags,
            ability_tags: context.ability_tags().cloned().unwrap_or_default(),
            target_tags: target.map(|target| target.tags.bits().clone()).unwrap_or_default(),
            context_tags: context.tags().with(marks),
            payload: context.raw_payload().cloned(),
        }
    }

    /// Parameters of a cue that an active effect holds, for whoever did not see it begin.
    pub(crate) fn present_cue_parameters(&self, active: &ActiveEffect, effect: &Effect) -> CueParameters {
        let (context, numbers) = (&active.spec.context, cue_numbers(active, effect));
        let last = active.last_source.as_ref().map(|last| &last.tags);
        let details = self.cue_details(context, active.target, numbers, last, &[]);
        CueParameters {
            magnitude: numbers.magnitude + 0.0,
            level: numbers.level,
            details: Some(std::sync::Arc::new(details)),
        }
    }

    /// Cues that an instance holds while it is active: those of its effect, and granted tags under `GameplayCue.` (C2).
    pub(crate) fn held_cues<'a>(
        &'a self,
        effect: &'a Effect,
        spec: &'a EffectSpec,
    ) -> impl Iterator<Item = TagId> + use<'a> {
        let granted = spec.granted_tags.iter().copied().filter(|tag| self.catalog.is_cue(*tag));
        // The internal effect of `add_cue` describes itself with its cue.
        let described = match spec.effect == self.catalog.internal.tags {
            true => spec.asset_tags(),
            false => &[],
        };
        effect.held_cues.iter().chain(granted).chain(described.iter().copied())
    }
}

/// Numbers of the cues of an active effect.
fn cue_numbers(active: &ActiveEffect, effect: &Effect) -> CueNumbers {
    let of_attribute = effect
        .modifiers
        .iter()
        .zip(&active.magnitudes)
        .filter(|(modifier, _)| effect.cue_magnitude == Some(modifier.attribute));
    CueNumbers {
        magnitude: of_attribute
            .map(|(modifier, &magnitude)| {
                let stacks = if modifier.factor_in_stacks { active.stacks } else { 1 };
                super::execute::total(modifier.operation, magnitude, stacks)
            })
            .sum(),
        level: active.spec.level,
        stacks: active.stacks,
        duration: active.duration(),
    }
}
