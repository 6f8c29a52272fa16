//! Executions (M9, M9b, B3, B4): instant effects and ticks of periodic ones write base values.
//!
//! An execution is [proposed](super::propose) first. If nothing depends on the written values, the commit makes
//! them final at once; otherwise it writes provisionally, recalculates, and undoes everything if a value is not
//! finite (V2).

use core::cell::RefCell;
use std::sync::Arc;

use smallvec::SmallVec;

use super::calculate::Marks;
use super::cues::CueNumbers;
use super::flush::{Recalculation, ValueChange};
use super::magnitude::{Dice, Inputs};
use super::post_execute::PostExecute;
use super::propose::{BaseChange, BaseWrite, OmissionReason, Proposal, propose_alone, stands_alone};
use super::{Role, Simulation, State, clamp};
use crate::catalog::Catalog;
use crate::controller::{Controller, Value};
use crate::effect::magnitude::Magnitude;
use crate::effect::{ContextTags, Effect, EffectSpec};
use crate::event::{CueParameters, EventKind};
use crate::handle::{ActiveEffectId, ControllerId};
use crate::id::EffectId;
use crate::refusal::RefusalReason;

/// Inputs of one execution.
pub(super) struct Run<'a> {
    pub(super) effect: &'a Arc<Effect>,
    pub(super) id: EffectId,
    pub(super) spec: SpecRef<'a>,
    pub(super) target: ControllerId,
    /// Number of earlier executions of a periodic effect.
    pub(super) tick: u32,
    /// Context tags that its calculations add (E14).
    pub(super) marks: RefCell<Marks>,
    pub(super) value_events: ValueEvents,
}

/// Moment of the value events of an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ValueEvents {
    /// Nothing else happens before them.
    AtOnce,
    /// The rest of the application comes first.
    Later,
}

/// `EffectExecuted` without context tags.
#[inline(always)]
pub(super) fn executed(effect: EffectId, active: Option<ActiveEffectId>, target: ControllerId) -> EventKind {
    EventKind::EffectExecuted { effect, active, target, context_tags: ContextTags::default() }
}

/// Location of the spec of an execution.
#[derive(Clone, Copy)]
pub(super) enum SpecRef<'a> {
    /// A spec of the caller, with the key of its random streams.
    Given(&'a EffectSpec, u64),
    /// The spec of the active effect that ticks.
    Active(ActiveEffectId),
}

impl<'a> Run<'a> {
    /// Execution of an instant effect, with the key of its random streams.
    pub(super) fn once(
        effect: &'a Arc<Effect>,
        spec: &'a EffectSpec,
        target: ControllerId,
        stream: u64,
    ) -> Self {
        let (id, spec) = (spec.effect, SpecRef::Given(spec, stream));
        let value_events = if effect.has_followups { ValueEvents::Later } else { ValueEvents::AtOnce };
        Self { effect, id, spec, target, tick: 0, marks: RefCell::default(), value_events }
    }

    /// Tick of an active effect.
    pub(super) fn tick(
        effect: &'a Arc<Effect>,
        id: EffectId,
        active: ActiveEffectId,
        target: ControllerId,
        tick: u32,
        value_events: ValueEvents,
    ) -> Self {
        let spec = SpecRef::Active(active);
        Self { effect, id, spec, target, tick, marks: RefCell::default(), value_events }
    }

    /// Active effect that ticks; `None` for an instant effect.
    fn active(&self) -> Option<ActiveEffectId> {
        match self.spec {
            SpecRef::Given(..) => None,
            SpecRef::Active(id) => Some(id),
        }
    }

    /// Context tags of the spec and of the calculations (E14).
    pub(super) fn tags(&self, state: &State) -> ContextTags {
        let spec = match self.spec {
            SpecRef::Given(spec, _) => Some(spec),
            SpecRef::Active(id) => state.effects.get(id).map(|active| &active.spec),
        };
        let marks = self.marks.borrow();
        match spec {
            Some(spec) if !spec.context.tags().is_empty() || !marks.is_empty() => {
                spec.context.tags().with(&marks)
            }
            _ => ContextTags::default(),
        }
    }

    /// Source of the effect; `None` without one.
    pub(super) fn source(&self, state: &State) -> Option<ControllerId> {
        match self.spec {
            SpecRef::Given(spec, _) => spec.context.source,
            SpecRef::Active(id) => state.effects.get(id)?.source(),
        }
    }

    /// Inputs of the magnitudes of this execution, which collect context tags into `marks`. An error means
    /// that the active effect has ended.
    pub(super) fn inputs<'s>(
        &'s self,
        state: &'s State,
        catalog: &'s Catalog,
    ) -> Result<Inputs<'s>, RefusalReason> {
        match self.spec {
            SpecRef::Given(spec, stream) => Ok(Inputs {
                state,
                catalog,
                effect: self.effect,
                spec,
                target: self.target,
                stacks: 1,
                last_source: None,
                stream,
                marks: Some(&self.marks),
            }),
            SpecRef::Active(id) => {
                let active = state.effects.get(id).ok_or(RefusalReason::UnknownHandle(id))?;
                let inputs = Inputs::of(state, catalog, self.effect, active);
                Ok(Inputs { marks: Some(&self.marks), ..inputs })
            }
        }
    }
}

impl State {
    /// Changes a value that nothing depends on: [proposes](propose_alone) and commits the change in one visit of
    /// its controller. Returns the written slot; `None`, without a change, if the controller is not
    /// admitted, or the change needs a whole proposal.
    #[inline(always)]
    pub(super) fn write_alone(
        &mut self,
        id: ControllerId,
        change: &BaseChange,
        is_admitted: impl FnOnce(&Controller) -> bool,
    ) -> Option<(u16, ValueChange)> {
        let Self { controllers, layouts, .. } = self;
        let entry = controllers.entry(id)?;
        if !is_admitted(entry.get()) {
            return None;
        }
        let layout = &layouts[entry.get().layout as usize];
        let (slot, written) = propose_alone(entry.get(), layout, change)?;
        entry.touch().values[usize::from(slot)] = written.after;
        Some((slot, written))
    }
}

impl Simulation {
    /// Carries out an execution: writes the bases, emits `EffectExecuted`, drains meta attributes (B3), runs
    /// hooks (B4), queues cues and, outside a batch, recalculates. On failure all values are restored, and
    /// `EffectExecuted` is not emitted.
    pub(super) fn execute_run(&mut self, run: &Run<'_>) -> Result<(), RefusalReason> {
        if let Some((slot, written)) = self.write_one(run)? {
            let is_alone = run.value_events == ValueEvents::AtOnce && self.scratch.has_nothing_queued();
            if is_alone && run.tags(&self.state).is_empty() {
                let (effect, active, target) = (run.id, run.active(), run.target);
                self.emit_written(target, &written, || executed(effect, active, target));
                return Ok(());
            }
            self.emit_executed(run);
            self.record_written(run.target, slot, &written);
            return Ok(());
        }
        self.propose_run(run)?;
        if self.scratch.buffers.proposal.made == 0 && self.commit_at_once() {
            self.emit_executed(run);
            self.execute_cues(run);
            return Ok(());
        }
        self.write_proposed();
        if let Err(reason) = self.check_written() {
            self.undo_writes();
            return Err(reason);
        }
        self.emit_executed(run);
        // Values that were evaluated during the execution are not clamped yet.
        let proposed = core::mem::take(&mut self.scratch.buffers.proposal.made);
        if self.scratch.buffers.proposal.is_evaluated {
            for at in 0..proposed {
                let BaseWrite { controller, slot, .. } = self.scratch.buffers.proposal.writes[at];
                self.mark_dirty(controller, slot);
            }
        }
        self.scratch.buffers.proposal.add_drains(&self.state);
        for at in proposed..self.scratch.buffers.proposal.writes.len() {
            self.write_at(at);
        }
        self.run_post_execute(run);
        self.execute_cues(run);
        // M9: the clamp is part of the execution; later consequences of the effect may move the bounds.
        if self.scratch.current.batch_depth == 0 {
            self.recompute_values();
        }
        Ok(())
    }

    /// Makes the only write of an execution if it can be final at once. An error means that its magnitude cannot
    /// be evaluated.
    fn write_one(&mut self, run: &Run<'_>) -> Result<Option<(u16, ValueChange)>, RefusalReason> {
        let [modifier] = &*run.effect.modifiers else { return Ok(None) };
        if !run.effect.writes_one || !self.is_writable_at_once() {
            return Ok(None);
        }
        let magnitude = match modifier.magnitude {
            Magnitude::Constant(value) if value.is_finite() => value,
            ref magnitude => {
                let target = self.state.controllers.get(run.target);
                let is_alone = |target| stands_alone(target, self.state.layout(target), modifier.attribute);
                if !target.is_some_and(is_alone) {
                    return Ok(None);
                }
                let inputs = run.inputs(&self.state, &self.catalog)?;
                let evaluated = inputs.magnitude(magnitude, Dice::Execution(run.tick, 0));
                evaluated.map_err(|reason| reason.of_modifier(0, modifier.attribute))?
            }
        };
        let stacks = match run.active().filter(|_| modifier.factor_in_stacks) {
            Some(id) => self.state.effects.get(id).map_or(1, |active| active.stacks),
            None => 1,
        };
        let change = BaseChange::by(modifier, magnitude, stacks);
        Ok(self.state.write_alone(run.target, &change, |_| true))
    }

    /// Whether a write to a value that nothing depends on can be final at once. Otherwise values are pending,
    /// and are updated with it, or hooks see each one.
    #[inline]
    pub(super) fn is_writable_at_once(&self) -> bool {
        self.scratch.current.batch_depth == 0
            && self.scratch.pending.is_up_to_date()
            && !self.catalog.has_hooks()
    }

    /// Proposes the modifiers in the listed order (M9), then the calculations, each of which sees the earlier
    /// writes, made provisionally for that. After an error none is left.
    fn propose_run(&mut self, run: &Run<'_>) -> Result<(), RefusalReason> {
        let Self { state, catalog, scratch, .. } = self;
        scratch.buffers.proposal.clear();
        let mut outcome = scratch.buffers.proposal.add_modifiers(state, catalog, run);
        for execution in run.effect.executions.iter().enumerate() {
            if outcome.is_err() {
                break;
            }
            self.write_provisionally(run);
            let Self { state, catalog, scratch, .. } = self;
            outcome = scratch.buffers.proposal.add_calculation(state, catalog, run, execution);
        }
        self.report_omissions(run);
        if outcome.is_err() {
            self.undo_writes();
        }
        outcome
    }

    /// Makes the proposed writes and recalculates, so that a calculation sees them. Inside a batch it sees the
    /// values from before the batch.
    fn write_provisionally(&mut self, run: &Run<'_>) {
        self.report_omissions(run);
        let Proposal { writes, made, .. } = &self.scratch.buffers.proposal;
        if writes.len() > *made || !self.scratch.pending.is_up_to_date() {
            self.write_proposed();
            self.scratch.buffers.proposal.is_evaluated = true;
            if self.scratch.current.batch_depth == 0 {
                let _ = self.recompute_values_by(Recalculation::PROVISIONAL);
            }
        }
    }

    /// Emits an event for each change that was left out since the last call: `ModifierInert` for a missing or
    /// derived attribute, at the first execution only, and `DivisorIgnored`.
    #[inline]
    fn report_omissions(&mut self, run: &Run<'_>) {
        if !self.scratch.buffers.proposal.omissions.is_empty() {
            self.emit_omissions(run);
        }
    }

    /// Slow path of [`Self::report_omissions`].
    #[cold]
    fn emit_omissions(&mut self, run: &Run<'_>) {
        for at in 0..self.scratch.buffers.proposal.omissions.len() {
            let omission = self.scratch.buffers.proposal.omissions[at];
            let attribute = omission.change.attribute;
            let controller = omission.controller.unwrap_or(run.target);
            match omission.reason {
                OmissionReason::ZeroDivisor => self.emit(EventKind::DivisorIgnored { controller, attribute }),
                OmissionReason::Missing | OmissionReason::Derived if run.tick == 0 => {
                    let modifier = omission.change.modifier.unwrap_or(u16::MAX);
                    let (effect, target) = (run.id, controller);
                    self.emit(EventKind::ModifierInert { effect, modifier, attribute, target });
                }
                OmissionReason::Missing | OmissionReason::Derived => {}
            }
        }
        self.scratch.buffers.proposal.omissions.clear();
    }

    /// Commits the proposal if nothing depends on the written values, including those that meta attributes
    /// drain: then the clamped base is the current value, too, and nothing has to be recalculated. Returns
    /// false, without a change, if a value has modifiers, watchers, dependents or hooks, or others are
    /// pending.
    fn commit_at_once(&mut self) -> bool {
        if !self.is_writable_at_once() {
            return false;
        }
        let Self { config, state, scratch, .. } = self;
        let is_client = config.role == Role::Client;
        let leads_on = |proposal: &Proposal| proposal.has_dependents || (is_client && proposal.has_floor);
        let proposed = scratch.buffers.proposal.writes.len();
        if leads_on(&scratch.buffers.proposal) {
            return false;
        }
        scratch.buffers.proposal.add_drains(state);
        if leads_on(&scratch.buffers.proposal) {
            scratch.buffers.proposal.writes.truncate(proposed);
            scratch.buffers.proposal.drains.clear();
            return false;
        }
        let State { controllers, layouts, .. } = state;
        for at in 0..scratch.buffers.proposal.writes.len() {
            let BaseWrite { controller: id, slot, after, .. } = scratch.buffers.proposal.writes[at];
            let Some(controller) = controllers.get_mut(id) else { continue };
            let layout = &layouts[controller.layout as usize];
            scratch.pending.record(&scratch.current, id, controller, layout, slot);
            let (min, max) = State::bounds(controller, &layout.slots[usize::from(slot)]);
            let base = clamp(after, min, max) + 0.0;
            controller.values[usize::from(slot)] = Value { base, current: base };
        }
        true
    }

    /// Emits `EffectExecuted` with the context tags of the execution.
    fn emit_executed(&mut self, run: &Run<'_>) {
        let (effect, active, target) = (run.id, run.active(), run.target);
        let context_tags = run.tags(&self.state);
        self.emit_tagged(context_tags, |context_tags| EventKind::EffectExecuted {
            effect,
            active,
            target,
            context_tags,
        });
    }

    /// Emits the events of an execution that wrote one value: `executed`, which owns no memory, and
    /// `AttributeChanged` if the value differs from before (B5).
    #[inline(always)]
    pub(super) fn emit_written(
        &mut self,
        target: ControllerId,
        written: &ValueChange,
        executed: impl Fn() -> EventKind,
    ) {
        let ValueChange { attribute, before, after } = *written;
        let is_change = written.is_change();
        let can_react = self.reacts_to_change(attribute, before.current, after.current);
        if !is_change || can_react || !self.emit_pair(&executed, || written.event(target)) {
            self.emit_separately(executed(), is_change.then(|| written.event(target)));
        }
    }

    /// Slow path of [`Self::emit_written`].
    #[inline(never)]
    fn emit_separately(&mut self, executed: EventKind, changed: Option<EventKind>) {
        self.emit(executed);
        if let Some(changed) = changed {
            self.emit(changed);
        }
    }

    /// Makes the proposed writes that are not made yet, until [`Self::undo_writes`] or the end of the execution.
    fn write_proposed(&mut self) {
        while self.scratch.buffers.proposal.made < self.scratch.buffers.proposal.writes.len() {
            self.write_at(self.scratch.buffers.proposal.made);
            self.scratch.buffers.proposal.made += 1;
        }
    }

    /// Makes one proposed write.
    fn write_at(&mut self, at: usize) {
        let BaseWrite { controller, slot, after, .. } = self.scratch.buffers.proposal.writes[at];
        self.write_base(controller, slot, after);
    }

    /// Writes a base value whose effect on other values is recalculated later (I2); `write_alone` and
    /// [`Self::commit_at_once`] write final values. Marks the slot and notifies watchers; the value is clamped
    /// at the next recalculation.
    pub(super) fn write_base(&mut self, id: ControllerId, slot: u16, value: f64) {
        let State { controllers, layouts, .. } = &mut self.state;
        let Some(controller) = controllers.get_mut(id) else { return };
        let layout = &layouts[controller.layout as usize];
        self.scratch.pending.record(&self.scratch.current, id, controller, layout, slot);
        // Adding zero turns a negative zero into a positive one: they are equal but hash differently.
        controller.values[usize::from(slot)].base = value + 0.0;
        controller.pending.written.insert(slot);
        self.scratch.pending.mark_dirty(id, controller, slot);
        if !controller.interactions.watchers.is_empty() {
            let attribute = layout.attribute_at(slot);
            self.notify(id, crate::effect::WatchSubject::Attribute(attribute));
        }
    }

    /// V2: refuses an execution that takes a current value beyond the finite numbers. Modifiers may do so
    /// although the base is finite; the same holds for values that depend on it. Inside a batch this is
    /// detected at the end, where the values stay unchanged.
    fn check_written(&mut self) -> Result<(), RefusalReason> {
        let has_dependents = self.scratch.buffers.proposal.writes.iter().any(|write| {
            let controller = self.state.controllers.get(write.controller);
            let slots = controller.map(|controller| &self.state.layout(controller).slots);
            slots.is_some_and(|slots| !slots[usize::from(write.slot)].dependents.is_empty())
        });
        if has_dependents && self.scratch.current.batch_depth == 0 {
            self.scratch.buffers.proposal.is_evaluated = true;
            let refuse = |attribute| RefusalReason::NonFinite { modifier: None, attribute: Some(attribute) };
            self.recompute_values_by(Recalculation::EXECUTION_TRIAL).map_err(refuse)?;
        }
        for &BaseWrite { controller: id, slot, .. } in &self.scratch.buffers.proposal.writes {
            let Some(controller) = self.state.controllers.get(id) else { continue };
            let base = controller.values[usize::from(slot)].base;
            let is_plain = controller.modifiers_of(slot).is_empty();
            if !is_plain && self.state.evaluate_slot(&self.catalog, id, controller, slot, base).is_none() {
                let attribute = self.state.layout(controller).attribute_at(slot);
                return Err(RefusalReason::NonFinite { modifier: None, attribute: Some(attribute) });
            }
        }
        Ok(())
    }

    /// Restores the bases that the proposed writes changed, the last one first.
    pub(super) fn undo_writes(&mut self) {
        for at in (0..core::mem::take(&mut self.scratch.buffers.proposal.made)).rev() {
            let BaseWrite { controller: id, slot, before, .. } = self.scratch.buffers.proposal.writes[at];
            self.write_base(id, slot, before);
            if let Some(controller) = self.state.controllers.get_mut(id) {
                controller.pending.written.remove(slot);
            }
        }
    }

    /// B4: hooks run after all bases are written, once for each attribute, in the order of first writing.
    fn run_post_execute(&mut self, run: &Run<'_>) {
        if !self.catalog.has_hooks() {
            return;
        }
        let catalog = Arc::clone(&self.catalog);
        let mut seen: SmallVec<[(ControllerId, u16); 4]> = SmallVec::new();
        for at in 0..self.scratch.buffers.proposal.writes.len() {
            let BaseWrite { controller: id, slot, before: old_base, .. } =
                self.scratch.buffers.proposal.writes[at];
            if seen.contains(&(id, slot)) {
                continue;
            }
            seen.push((id, slot));
            let Some(controller) = self.state.controllers.get(id) else { continue };
            let mut drains = self.scratch.buffers.proposal.drains.iter();
            let drain = drains.find(|drain| (drain.controller, drain.meta) == (id, slot));
            let new_base = drain.map_or(controller.values[usize::from(slot)].base, |drain| drain.amount);
            let attribute = self.state.layout(controller).attribute_at(slot);
            if let Some(hook) = catalog.hooks(attribute).and_then(|hooks| hooks.post_execute.as_ref()) {
                hook(&mut PostExecute { sim: self, run, controller: id, attribute, old_base, new_base });
            }
        }
    }

    /// E11: instant and periodic executions send the cue event Execute, queued until the next flush: the
    /// effect's own cues, unless a calculation handles them, then those of the calculations.
    #[inline]
    fn execute_cues(&mut self, run: &Run<'_>) {
        if !run.effect.cues.is_empty() || !self.scratch.buffers.proposal.cues.is_empty() {
            self.queue_cues(run);
        }
    }

    /// Slow path of [`Self::execute_cues`].
    #[inline(never)]
    fn queue_cues(&mut self, run: &Run<'_>) {
        let (context, numbers) = match run.spec {
            SpecRef::Given(spec, _) => {
                let numbers = CueNumbers { magnitude: 0.0, level: spec.level, stacks: 1, duration: None };
                (spec.context.clone(), numbers)
            }
            SpecRef::Active(id) => {
                let Some(active) = self.state.effects.get(id) else { return };
                let (level, stacks, duration) = (active.spec.level, active.stacks, active.duration());
                (active.spec.context.clone(), CueNumbers { magnitude: 0.0, level, stacks, duration })
            }
        };
        let plain = self.cue_parameters(&context, run.target, numbers, &run.marks.borrow());
        let sent = core::mem::take(&mut self.scratch.buffers.proposal.cues);
        let (own, handled) =
            (self.scratch.buffers.proposal.cue_magnitude, self.scratch.buffers.proposal.handles_cues);
        let own = run.effect.cues.iter().filter(|_| !handled).map(|cue| (cue, own));
        for (cue, magnitude) in own.chain(sent) {
            let parameters = CueParameters { magnitude: magnitude + 0.0, ..plain.clone() };
            self.scratch.pending.queue_cue(
                self.scratch.current.op,
                EventKind::CueExecuted { controller: run.target, cue, parameters },
            );
        }
    }
}
