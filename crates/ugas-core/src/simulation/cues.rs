//! Cues (§12, E11, C1, C2): their context, the tags that are cues, and cues that the host adds, removes and
//! executes outside abilities.

use std::borrow::Cow;
use std::sync::Arc;

use super::apply::{Checks, refuse};
use super::{Simulation, SourceTags};
use crate::controller::Controller;
use crate::effect::{ActiveEffect, Effect, EffectContext, EffectSpec, EffectStatus, HitResult, Vector3};
use crate::event::{CueDetails, CueParameters, EventKind, EventType};
use crate::handle::{ActiveEffectId, ControllerId};
use crate::id::TagId;
use crate::refusal::{Refusal, RefusalReason};
use crate::tag::TagBits;
use crate::time::Span;

/// Numbers of a cue.
#[derive(Clone, Copy, Debug)]
pub(super) struct CueNumbers {
    pub(super) magnitude: f64,
    pub(super) level: f64,
    pub(super) stacks: u32,
    pub(super) duration: Option<Span>,
}

impl CueNumbers {
    /// Parameters with these numbers. Adding zero keeps negative zeros out.
    pub(super) fn with(self, details: Arc<CueDetails>) -> CueParameters {
        CueParameters { magnitude: self.magnitude + 0.0, level: self.level + 0.0, details: Some(details) }
    }
}

impl Simulation {
    /// Executes a cue on a controller once, outside effects and abilities. Clients see it like any other
    /// (§12.3).
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
            sim.scratch
                .pending
                .queue_cue(sim.scratch.current.op, EventKind::CueExecuted { controller, cue, parameters });
        });
        Ok(())
    }

    /// Adds a cue to a controller until [`Self::remove_cue`] removes it. The cue is held by an internal
    /// effect that grants no tag; holders of one cue are counted (E11).
    ///
    /// # Errors
    /// If the controller or the tag does not exist, a number is not finite, or the controller has too many
    /// effects.
    pub fn add_cue(
        &mut self,
        controller: ControllerId,
        cue: TagId,
        context: &EffectContext,
    ) -> Result<ActiveEffectId, Refusal> {
        let effect = self.catalog.internal.tags;
        let refusal = |reason| Refusal { effect, target: controller, reasons: refuse(reason) };
        self.check_cue(controller, cue, 0.0, context).map_err(refusal)?;
        let mut spec = self.spec(effect, 1.0, context.clone()).map_err(refusal)?.tagged(cue);
        // A cue is no effect of the ability in its context, and cannot be blocked.
        let applied = self.operate(|sim| sim.apply_checked(&mut spec, controller, Checks::Skipped))?;
        applied.active().ok_or_else(|| refusal(RefusalReason::UnknownEffect(effect)))
    }

    /// Removes a cue that [`Self::add_cue`] added, the oldest of several; false if there is none. The cue
    /// stays if an effect or an ability holds it, too.
    pub fn remove_cue(&mut self, controller: ControllerId, cue: TagId) -> bool {
        let effects = self.state.controllers.get(controller).map(Controller::effects).unwrap_or_default();
        let holds = |id: &ActiveEffectId| {
            self.state.effects.get(*id).is_some_and(|active| {
                active.effect == self.catalog.internal.tags
                    && active.spec.granted_tags().is_empty()
                    && active.spec.asset_tags() == [cue]
            })
        };
        match effects.iter().copied().find(holds) {
            Some(active) => self.remove(active, super::Stacks::All).is_ok(),
            None => false,
        }
    }

    /// Checks a cue of the host: controller, tag and source exist, numbers are finite, and the context is
    /// within its limits.
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

    /// Sets source and ability of the current cause to those of a cue's context.
    fn set_cue_cause(&mut self, context: &EffectContext) {
        let cause = self.scratch.current.cause();
        self.scratch.current.set_cause(crate::event::Cause {
            source: context.source,
            ability: context.ability,
            ..cause
        });
    }

    /// Parameters of a cue on `target`: numbers, place and the whole context (C1). `marks` are context tags
    /// beside those of `context` (E14). Equal contexts of recent cues share their memory.
    pub(super) fn cue_parameters(
        &mut self,
        context: &EffectContext,
        target: ControllerId,
        numbers: CueNumbers,
        marks: &[TagId],
    ) -> CueParameters {
        let events = self.config.events;
        if !events.keeps(EventType::CueAdded) && !events.keeps(EventType::CueExecuted) {
            // The parameters are for these events only.
            return CueParameters::default();
        }
        let details = self.cue_details(context, target, numbers, None, marks);
        let waiting = self.events.len();
        numbers.with(self.scratch.shared.cue_details.share(&details, waiting))
    }

    /// Parameters of the cues of an active effect (C1); default ones if it has ended.
    pub(super) fn effect_cue_parameters(&mut self, id: ActiveEffectId, effect: &Effect) -> CueParameters {
        let Some(active) = self.state.effects.get(id) else { return CueParameters::default() };
        let (numbers, context, target) =
            (cue_numbers(active, effect), active.spec.context.clone(), active.target);
        self.cue_parameters(&context, target, numbers, &[])
    }

    /// Context of a cue as values (C1), with the tags that source and target have now. `last` holds the
    /// remembered tags of a source that is gone.
    fn cue_details(
        &self,
        context: &EffectContext,
        target: ControllerId,
        numbers: CueNumbers,
        last: Option<&TagBits>,
        marks: &[TagId],
    ) -> CueDetails {
        let source = SourceTags::from_parts(&self.state, context, last);
        let mut details = self.cue_facts(context, numbers);
        for part in source.parts() {
            details.source_tags.union_with(part);
        }
        if let Some(target) = self.state.controllers.get(target) {
            details.target_tags.clone_from(target.tags.bits());
        }
        if !marks.is_empty() {
            details.context_tags = details.context_tags.with(marks);
        }
        details
    }

    /// Context of a cue without the tags of source and target. Negative zeros become positive.
    pub(super) fn cue_facts(&self, context: &EffectContext, numbers: CueNumbers) -> CueDetails {
        let ability = context.ability.and_then(|ability| self.state.abilities.get(ability));
        let positive = |vector: Vector3| vector.map(|coordinate| coordinate + 0.0);
        let hit = context.hit().map(|hit| HitResult {
            location: positive(hit.location),
            normal: positive(hit.normal),
            distance: hit.distance + 0.0,
            ..*hit
        });
        CueDetails {
            instigator: context.source,
            causer: context.causer(),
            source_object: context.source_object(),
            hit,
            origin: context.origin().map(positive),
            ability: ability.map(|ability| ability.ability),
            ability_level: ability.map(|ability| ability.level),
            stacks: numbers.stacks,
            duration: numbers.duration,
            source_tags: TagBits::default(),
            ability_tags: context.ability_tags().cloned().unwrap_or_default(),
            target_tags: TagBits::default(),
            context_tags: context.tags().clone(),
            payload: context.raw_payload().cloned(),
        }
    }

    /// Parameters of a looping cue that is active on a controller now, with the active effect that holds it,
    /// for a host that did not see it begin (C1). Of several holders the first one counts. Returns `None` if
    /// nothing holds the cue; the effect is `None` if a task of one of the controller's abilities holds it.
    pub fn present_cue(
        &self,
        controller: ControllerId,
        cue: TagId,
    ) -> Option<(CueParameters, Option<ActiveEffectId>)> {
        let (context, numbers, active) = self.cue_context(controller, cue)?;
        let instance = active.and_then(|active| self.state.effects.get(active));
        let last = instance.and_then(|active| active.parts.last_source.as_ref()).map(|last| &last.tags);
        let details = self.cue_details(&context, controller, numbers, last, &[]);
        Some((numbers.with(Arc::new(details)), active))
    }

    /// Context and numbers of a looping cue, from its first holder, with that holder if it is an effect.
    /// `None` if nothing holds the cue.
    pub(super) fn cue_context(
        &self,
        controller: ControllerId,
        cue: TagId,
    ) -> Option<(Cow<'_, EffectContext>, CueNumbers, Option<ActiveEffectId>)> {
        let known = self.state.controllers.get(controller)?;
        let effects = known.effects.iter().filter_map(|id| {
            let (active, effect) = self.state.effect_of(&self.catalog, *id)?;
            let is_out = active.status == EffectStatus::Running && active.given && !active.inhibited;
            let holds = is_out && self.held_cues(effect, &active.spec).any(|held| held == cue);
            holds.then_some((*id, active, effect))
        });
        let of_effect = effects.min_by_key(|(_, active, _)| active.started());
        let runs = known.ability_data.activations.iter();
        let runs = runs.filter_map(|id| Some((*id, self.state.activations.get(*id)?)));
        let runs = runs.filter(|(_, run)| run.cues.contains(&cue));
        let of_run = runs.min_by_key(|(_, run)| run.started);
        match (of_effect, of_run) {
            (Some((id, active, effect)), run)
                if run.is_none_or(|(_, run)| active.started() <= run.started) =>
            {
                Some((Cow::Borrowed(&active.spec.context), cue_numbers(active, effect), Some(id)))
            }
            (_, Some((id, _))) => {
                let (context, numbers) = self.task_cue_context(id)?;
                Some((Cow::Owned(context), numbers, None))
            }
            (_, None) => None,
        }
    }

    /// Parameters of a cue that an active effect holds, for a host that did not see it begin.
    pub(crate) fn present_cue_parameters(&self, active: &ActiveEffect, effect: &Effect) -> CueParameters {
        let (context, numbers) = (&active.spec.context, cue_numbers(active, effect));
        let last = active.parts.last_source.as_ref().map(|last| &last.tags);
        numbers.with(Arc::new(self.cue_details(context, active.target, numbers, last, &[])))
    }

    /// Cues that an instance holds while it is active: those of its effect, and granted tags under
    /// `GameplayCue.` (C2).
    pub(crate) fn held_cues<'a>(
        &'a self,
        effect: &'a Effect,
        spec: &'a EffectSpec,
    ) -> impl Iterator<Item = TagId> + use<'a> {
        let granted = spec.granted_tags().iter().copied().filter(|tag| self.catalog.is_cue(*tag));
        // Internal effects that hold cues of the host and of tasks describe themselves with their cue.
        let described = match self.describes_cues(spec) {
            true => spec.asset_tags(),
            false => &[],
        };
        effect.held_cues.iter().chain(granted).chain(described.iter().copied())
    }

    /// Whether an internal effect holds a cue of the host or of a task.
    pub(super) fn is_described_cue(&self, spec: &EffectSpec, cue: TagId) -> bool {
        self.describes_cues(spec) && spec.asset_tags().contains(&cue)
    }

    /// Whether a spec is of an internal effect whose asset tags are the cues that it holds.
    fn describes_cues(&self, spec: &EffectSpec) -> bool {
        [self.catalog.internal.tags, self.catalog.internal.owned_tags].contains(&spec.effect)
    }
}

/// Numbers of the cues of an active effect. The magnitude is the sum over the modifiers of the effect's cue
/// attribute; 0 without one.
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
                super::propose::total(modifier.operation, magnitude, stacks)
            })
            .sum(),
        level: active.spec.level,
        stacks: active.stacks,
        duration: active.duration(),
    }
}
