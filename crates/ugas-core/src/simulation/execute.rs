//! Executions (M9, M9b, B3, B4): instant effects and ticks of periodic ones write base values.

use core::cell::RefCell;
use std::sync::Arc;

use smallvec::SmallVec;

use super::calculate::Marks;
use super::cues::CueNumbers;
use super::flush::Change;
use super::magnitude::{Dice, Inputs};
use super::{Role, Simulation, State, clamp};
use crate::controller::Value;
use crate::effect::calculation::OutputTo;
use crate::effect::{ContextTags, Effect, EffectSpec, PlainWrite};
use crate::event::{CueParameters, EventKind};
use crate::handle::{ActiveEffectId, ControllerId};
use crate::id::{AttributeId, EffectId, TagId};
use crate::modifier::Operation;
use crate::number::{nearly_zero, powu};
use crate::refusal::RefusalReason;

/// Bases that the running execution has written, with their old values.
#[derive(Clone, Debug, Default)]
pub(super) struct Writes(Vec<(ControllerId, u16, f64)>);

impl Writes {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

/// Inputs of one execution.
pub(super) struct Run<'a> {
    pub(super) effect: &'a Arc<Effect>,
    pub(super) spec: SpecRef<'a>,
    pub(super) target: ControllerId,
    /// Number of earlier executions of a periodic effect.
    pub(super) tick: u32,
    /// Context tags that its calculations add (E14).
    pub(super) marks: RefCell<Marks>,
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
    pub(super) fn new(effect: &'a Arc<Effect>, spec: SpecRef<'a>, target: ControllerId, tick: u32) -> Self {
        Self { effect, spec, target, tick, marks: RefCell::default() }
    }
}

impl Run<'_> {
    /// Active effect that ticks; `None` for an instant effect.
    fn active(&self) -> Option<ActiveEffectId> {
        match self.spec {
            SpecRef::Given(..) => None,
            SpecRef::Active(id) => Some(id),
        }
    }

    /// Context tags of the spec and of the calculations (E14).
    fn tags(&self, sim: &Simulation) -> ContextTags {
        let spec = match self.spec {
            SpecRef::Given(spec, _) => Some(spec),
            SpecRef::Active(id) => sim.state.effects.get(id).map(|active| &active.spec),
        };
        let marks = self.marks.borrow();
        spec.map_or_else(ContextTags::default, |spec| spec.context.tags().with(&marks))
    }

    /// Controller that an output writes to; `None` if the effect has no source.
    fn written(&self, sim: &Simulation, to: OutputTo) -> Option<ControllerId> {
        match (to, self.spec) {
            (OutputTo::Target, _) => Some(self.target),
            (OutputTo::Source, SpecRef::Given(spec, _)) => spec.context.source,
            (OutputTo::Source, SpecRef::Active(id)) => sim.state.effects.get(id)?.source(),
        }
    }

    /// Planned changes of an effect whose magnitudes are constant.
    pub(super) fn constants(&self, stacks: u32) -> impl Iterator<Item = Planned> + use<'_> {
        self.effect.constant_writes().map(move |(at, modifier, magnitude)| Planned {
            to: OutputTo::Target,
            attribute: modifier.attribute,
            operation: modifier.operation,
            magnitude,
            stacks: if modifier.factor_in_stacks { stacks } else { 1 },
            modifier: Some(at),
        })
    }

    /// Inputs of the magnitudes of this execution, which collect context tags into `marks`. An error means
    /// that the active effect has ended.
    pub(super) fn inputs<'s>(&'s self, sim: &'s Simulation) -> Result<Inputs<'s>, RefusalReason> {
        match self.spec {
            SpecRef::Given(spec, stream) => Ok(Inputs {
                state: &sim.state,
                catalog: &sim.catalog,
                effect: self.effect,
                spec,
                target: self.target,
                stacks: 1,
                last_source: None,
                stream,
                marks: Some(&self.marks),
            }),
            SpecRef::Active(id) => {
                let active = sim.state.effects.get(id).ok_or(RefusalReason::UnknownHandle(id))?;
                let inputs = Inputs::of(&sim.state, &sim.catalog, self.effect, active);
                Ok(Inputs { marks: Some(&self.marks), ..inputs })
            }
        }
    }
}

/// Amounts that were drained from meta attributes, by controller and slot (B3).
type Amounts = SmallVec<[(ControllerId, u16, f64); 2]>;

/// Cues of an execution.
#[derive(Default)]
struct Cues {
    /// Magnitude of the effect's own cues.
    magnitude: f64,
    /// Whether a calculation handles the effect's own cues.
    handled: bool,
    /// Cues that calculations execute, with their magnitudes.
    sent: SmallVec<[(TagId, f64); 1]>,
}

/// A planned change to a base value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Planned {
    to: OutputTo,
    pub(super) attribute: AttributeId,
    pub(super) operation: Operation,
    pub(super) magnitude: f64,
    pub(super) stacks: u32,
    modifier: Option<u16>,
}

/// A written change whose event is not emitted yet, even if the value is the same as before.
struct Written {
    change: Change,
    new_base: f64,
    new: f64,
}

/// Total of a modifier over its stacks: the magnitude of its cue (C1).
pub(super) fn total(operation: Operation, magnitude: f64, stacks: u32) -> f64 {
    match operation {
        Operation::Add | Operation::AddPost => magnitude * f64::from(stacks),
        _ => magnitude,
    }
}

/// New base value after an operation (M9); `None` if the divisor is so near to zero that it counts as 1 (M3).
pub(super) fn written(base: f64, operation: Operation, magnitude: f64, stacks: u32) -> Option<f64> {
    let count = f64::from(stacks);
    Some(match operation {
        Operation::Add | Operation::AddPost => base + magnitude * count,
        Operation::Multiply => base * powu(1.0 + magnitude, stacks),
        Operation::Override => magnitude,
        Operation::MultiplyAdditive => base * (1.0 + (magnitude - 1.0) * count),
        Operation::MultiplyCompound => base * powu(magnitude, stacks),
        Operation::DivideAdditive => {
            let divisor = 1.0 + (magnitude - 1.0) * count;
            if nearly_zero(divisor) {
                return None;
            }
            base / divisor
        }
    })
}

/// Arguments and actions of a `post_execute` hook (B4, GASD §4.4.6).
pub struct PostExecute<'a> {
    sim: &'a mut Simulation,
    run: &'a Run<'a>,
    controller: ControllerId,
    attribute: AttributeId,
    old_base: f64,
    new_base: f64,
}

impl PostExecute<'_> {
    /// Controller whose base value changed: the target of the effect, or its source for an output to the
    /// source (E14).
    pub fn target(&self) -> ControllerId {
        self.controller
    }

    /// Target of the effect.
    pub fn effect_target(&self) -> ControllerId {
        self.run.target
    }

    /// Source of the effect.
    pub fn source(&self) -> Option<ControllerId> {
        self.spec().and_then(|spec| spec.context.source)
    }

    /// Context tags of the execution, including those that calculations added (E14).
    pub fn context_tags(&self) -> ContextTags {
        self.run.tags(self.sim)
    }

    /// Attribute whose base value changed.
    pub fn attribute(&self) -> AttributeId {
        self.attribute
    }

    /// Base value before the execution.
    pub fn old_base(&self) -> f64 {
        self.old_base
    }

    /// Base value after the execution, before clamping. For a meta attribute that was drained, the drained
    /// amount (B3).
    pub fn new_base(&self) -> f64 {
        self.new_base
    }

    /// Read access to the simulation.
    pub fn simulation(&self) -> &Simulation {
        self.sim
    }

    /// Effect spec that was executed; `None` if its active effect has ended.
    pub fn spec(&self) -> Option<&EffectSpec> {
        self.run.inputs(self.sim).ok().map(|inputs| match self.run.spec {
            SpecRef::Given(spec, _) => spec,
            SpecRef::Active(_) => inputs.spec,
        })
    }

    /// Writes a base value of [`Self::target`] as part of the same execution, without a further
    /// `post_execute` hook. Returns false if the target lacks the attribute, the attribute is derived, or the
    /// value is not finite.
    pub fn set_base(&mut self, attribute: AttributeId, value: f64) -> bool {
        let Some((controller, slot)) = self.sim.state.locate(self.controller, attribute) else {
            return false;
        };
        let derived = self.sim.state.layout(controller).slots[slot].attribute.derived.is_some();
        if derived || !value.is_finite() {
            return false;
        }
        self.sim.write_base(self.controller, slot as u16, value);
        true
    }

    /// Queues another effect, applied after this execution.
    ///
    /// # Errors
    /// If there is no such effect, or the level is not finite. A later refusal of the application emits an
    /// event.
    pub fn apply(&mut self, effect: EffectId, level: f64, to: ControllerId) -> Result<(), RefusalReason> {
        self.apply_with(effect, level, to, [])
    }

    /// Queues another effect with caller's numbers (SetByCaller), applied after this execution. `to` may be
    /// the target, the [source](Self::source) or a third controller.
    ///
    /// # Errors
    /// If there is no such effect, or the level is not finite. A later refusal of the application emits an
    /// event.
    pub fn apply_with(
        &mut self,
        effect: EffectId,
        level: f64,
        to: ControllerId,
        magnitudes: impl IntoIterator<Item = (TagId, f64)>,
    ) -> Result<(), RefusalReason> {
        let parent = self.spec().map(|spec| (spec.context.clone(), spec.prediction()));
        let (mut context, prediction) = parent.unwrap_or_default();
        context.add_tags(&self.run.marks.borrow());
        let mut spec = self.sim.spec(effect, level, context)?;
        for (tag, value) in magnitudes {
            spec.set_magnitude(tag, value);
        }
        spec.set_prediction(prediction);
        self.sim.enqueue_application(spec, to);
        Ok(())
    }
}

impl Simulation {
    /// Carries out an execution: writes the bases, emits `EffectExecuted`, drains meta attributes (B3), runs
    /// hooks (B4), queues cues and, outside a batch, recalculates. On failure all values are restored, and
    /// `EffectExecuted` is not emitted.
    pub(super) fn execute_run(&mut self, run: &Run<'_>) -> Result<(), RefusalReason> {
        let id = self.id_of(run);
        if let Some(written) = self.write_plainly(run.effect.plain, run.active(), run.target) {
            self.record_change(written.change);
            self.emit_executed(run, id);
            return Ok(());
        }
        self.scratch.writes.0.clear();
        let mut cues = Cues::default();
        let outcome = self.write_all(run, &mut cues);
        let was_evaluated = core::mem::take(&mut self.scratch.hold_clamp);
        if let Err(reason) = outcome {
            self.undo_writes();
            return Err(reason);
        }
        self.emit_executed(run, id);
        // Values that were evaluated during the execution are not clamped yet.
        if was_evaluated {
            for at in 0..self.scratch.writes.0.len() {
                let (controller, slot, _) = self.scratch.writes.0[at];
                self.mark_dirty(controller, slot);
            }
        }
        let amounts = self.drain_meta();
        self.run_post_execute(run, &amounts);
        self.execute_cues(run, &cues);
        // M9: the clamp is part of the execution; later consequences of the effect may move the bounds.
        if self.scratch.batch_depth == 0 {
            self.recompute_values();
        }
        Ok(())
    }

    /// Emits `EffectExecuted` with the context tags of the execution.
    fn emit_executed(&mut self, run: &Run<'_>, effect: EffectId) {
        let context_tags = run.tags(self);
        self.emit(EventKind::EffectExecuted {
            effect,
            active: run.active(),
            target: run.target,
            context_tags,
        });
    }

    /// Fast path for a write without recalculation or pending work, so that both events can be emitted at
    /// once. Returns false, without a change, if it does not apply.
    pub(super) fn execute_directly(
        &mut self,
        effect: EffectId,
        write: PlainWrite,
        target: ControllerId,
    ) -> bool {
        let Some(Written { change, new_base, new }) = self.write_plainly(Some(write), None, target) else {
            return false;
        };
        let context_tags = ContextTags::default();
        self.emit(EventKind::EffectExecuted { effect, active: None, target, context_tags });
        if (change.old_base, change.old) != (new_base, new) {
            self.emit(change.event(new_base, new));
        }
        true
    }

    /// Fast path for the most common execution: one constant change of one base that has no modifiers and no
    /// dependents. The clamped base is the current value, too. The caller records the change or emits its
    /// event. Returns `None`, without a change, if it does not apply.
    fn write_plainly(
        &mut self,
        write: Option<PlainWrite>,
        active: Option<ActiveEffectId>,
        target: ControllerId,
    ) -> Option<Written> {
        let Self { catalog, config, state, scratch, .. } = self;
        let PlainWrite { attribute, operation, magnitude, factor_in_stacks } = write?;
        // Pending values are updated at every execution, and hooks see each one.
        if scratch.batch_depth > 0 || !scratch.is_up_to_date() || catalog.has_hooks() {
            return None;
        }
        let stacks = match active.filter(|_| factor_in_stacks) {
            Some(id) => state.effects.get(id).map_or(1, |active| active.stacks),
            None => 1,
        };
        let State { controllers, layouts, .. } = state;
        let controller = controllers.get_mut(target)?;
        let layout = &*layouts[controller.layout as usize];
        let slot = layout.slot_of(attribute)?;
        let place = &layout.slots[usize::from(slot)];
        let stands_alone = place.stands_alone
            && controller.interactions.watchers.is_empty()
            // On a client, an attribute may have a floor for predicted values.
            && !(place.has_floor && config.role == Role::Client)
            && controller.modifiers_of(slot).is_empty();
        if !stands_alone {
            return None;
        }
        let (min, max) = State::bounds(controller, place);
        let at = usize::from(slot);
        let both = controller.values.get_mut(at)?;
        let (old_base, old) = both.both();
        let value = written(old_base, operation, magnitude, stacks).filter(|value| value.is_finite())?;
        let new_base = clamp(value + 0.0, min, max);
        let new = new_base + 0.0;
        *both = Value { base: new_base, current: new };
        let change = scratch.change(target, attribute, slot, old_base, old);
        Some(Written { change, new_base, new })
    }

    /// Effect of an execution. For an active effect that has ended, an internal one as a placeholder.
    fn id_of(&self, run: &Run<'_>) -> EffectId {
        match run.spec {
            SpecRef::Given(spec, _) => spec.effect,
            SpecRef::Active(id) => {
                self.state.effects.get(id).map_or(self.catalog.internal.tags, |active| active.effect)
            }
        }
    }

    /// Writes the modifiers in the listed order (M9), then the calculations, each of which sees the earlier
    /// writes. Collects the cues. Stops at the first error; the caller undoes the writes.
    fn write_all(&mut self, run: &Run<'_>, cues: &mut Cues) -> Result<(), RefusalReason> {
        if run.effect.is_constant {
            self.write_constants(run)?;
            return self.check_written();
        }
        // All modifiers are evaluated before the first is written.
        let mut plan = core::mem::take(&mut self.scratch.plan);
        plan.clear();
        let mut outcome = self.plan_modifiers(run, |planned| plan.push(planned));
        for &planned in &plan {
            if outcome.is_err() {
                break;
            }
            if run.effect.cue_magnitude == Some(planned.attribute) {
                cues.magnitude += total(planned.operation, planned.magnitude, planned.stacks);
            }
            outcome = self.write_planned(run, planned);
        }
        self.scratch.plan = plan;
        outcome?;
        for (at, execution) in run.effect.executions.iter().enumerate() {
            self.scratch.hold_clamp = true;
            // Inside a batch, calculations also see the values from before it.
            if self.scratch.batch_depth == 0 {
                self.recompute_values();
            }
            let dice = Dice::Execution(run.tick, u16::MAX - at as u16);
            let inputs = run.inputs(self)?;
            let result = inputs.execute(execution, dice)?;
            let stacks = if result.handles_stacks { 1 } else { inputs.stacks };
            cues.handled |= result.handles_cues;
            cues.sent.extend(result.cues);
            for output in result.outputs {
                if output.to == OutputTo::Target && run.effect.cue_magnitude == Some(output.attribute) {
                    cues.magnitude += total(output.operation, output.magnitude, stacks);
                }
                self.write_planned(
                    run,
                    Planned {
                        to: output.to,
                        attribute: output.attribute,
                        operation: output.operation,
                        magnitude: output.magnitude,
                        stacks,
                        modifier: None,
                    },
                )?;
            }
        }
        self.check_written()
    }

    /// Writes modifiers with constant magnitudes, which need no evaluation before the first write.
    fn write_constants(&mut self, run: &Run<'_>) -> Result<(), RefusalReason> {
        let instance = run.active().and_then(|id| self.state.effects.get(id));
        let stacks = instance.map_or(1, |active| active.stacks);
        run.constants(stacks).try_for_each(|planned| self.write_planned(run, planned))
    }

    /// Evaluates the modifiers that write bases, and passes each planned change to `plan`; writes nothing.
    /// Skips modifiers whose tag requirements are not met.
    pub(super) fn plan_modifiers(
        &self,
        run: &Run<'_>,
        mut plan: impl FnMut(Planned),
    ) -> Result<(), RefusalReason> {
        let inputs = run.inputs(self)?;
        let periodic = run.effect.period.is_some();
        for (at, modifier) in run.effect.modifiers.iter().enumerate() {
            // M9b: scaling modifiers of a periodic effect act on the current value while it is active.
            if periodic && modifier.operation.is_scaling() {
                continue;
            }
            if modifier.is_conditional() {
                let target = self.state.controllers.get(run.target);
                let met = target.is_some_and(|target| modifier.target_tags.is_met_by(&target.tags))
                    && modifier.source_tags.is_met_by(&inputs.source_tags());
                if !met {
                    continue;
                }
            }
            let dice = Dice::Execution(run.tick, at as u16);
            let magnitude = inputs.magnitude(&modifier.magnitude, dice).map_err(|reason| match reason {
                RefusalReason::NonFinite { .. } => RefusalReason::NonFinite {
                    modifier: Some(at as u16),
                    attribute: Some(modifier.attribute),
                },
                reason => reason,
            })?;
            let stacks = if modifier.factor_in_stacks { inputs.stacks } else { 1 };
            plan(Planned {
                to: OutputTo::Target,
                attribute: modifier.attribute,
                operation: modifier.operation,
                magnitude,
                stacks,
                modifier: Some(at as u16),
            });
        }
        Ok(())
    }

    /// Writes one base (M9): additions add, multiplications scale, an override sets; channels and layers play
    /// no part. A missing or derived attribute is left out, with `ModifierInert` at the first execution, and
    /// so is a division by nearly zero, with `DivisorIgnored`.
    fn write_planned(&mut self, run: &Run<'_>, planned: Planned) -> Result<(), RefusalReason> {
        let Planned { to, attribute, operation, magnitude, stacks, modifier } = planned;
        let written_to = run.written(self, to);
        let place =
            written_to.and_then(|id| self.state.locate(id, attribute)).filter(|(controller, slot)| {
                // The base of a derived attribute comes from its expression (B2).
                self.state.layout(controller).slots[*slot].attribute.derived.is_none()
            });
        let (Some(written_to), Some((controller, slot))) = (written_to, place) else {
            if run.tick == 0 {
                let effect = self.id_of(run);
                let modifier = modifier.unwrap_or(u16::MAX);
                let target = written_to.unwrap_or(run.target);
                self.emit(EventKind::ModifierInert { effect, modifier, attribute, target });
            }
            return Ok(());
        };
        let base = controller.values[slot].base;
        let Some(value) = written(base, operation, magnitude, stacks) else {
            self.emit(EventKind::DivisorIgnored { controller: written_to, attribute });
            return Ok(());
        };
        if !value.is_finite() {
            return Err(RefusalReason::NonFinite { modifier, attribute: Some(attribute) });
        }
        self.scratch.writes.0.push((written_to, slot as u16, base));
        self.write_base(written_to, slot as u16, value + 0.0);
        Ok(())
    }

    /// Writes a base value: the place where effects change bases (I2), apart from the fast path. Marks the
    /// slot and notifies watchers; the value is clamped at the next recalculation.
    pub(super) fn write_base(&mut self, id: ControllerId, slot: u16, value: f64) {
        let State { controllers, layouts, .. } = &mut self.state;
        let Some(controller) = controllers.get_mut(id) else { return };
        let layout = &layouts[controller.layout as usize];
        self.scratch.record(id, controller, layout, slot);
        // Adding zero turns a negative zero into a positive one: they are equal but hash differently.
        controller.values[usize::from(slot)].base = value + 0.0;
        controller.pending.written.insert(slot);
        self.scratch.mark_dirty(id, controller, slot);
        if !controller.interactions.watchers.is_empty() {
            let attribute = layout.attribute_at(slot);
            self.notify(id, crate::effect::WatchSubject::Attribute(attribute));
        }
    }

    /// V2: refuses an execution that takes a current value beyond the finite numbers. Modifiers may do so
    /// although the base is finite; the same holds for values that depend on it. Inside a batch this is
    /// detected at the end, where the values stay unchanged.
    fn check_written(&mut self) -> Result<(), RefusalReason> {
        let has_dependents = self.scratch.writes.0.iter().any(|&(id, slot, _)| {
            let controller = self.state.controllers.get(id);
            let slots = controller.map(|controller| &self.state.layout(controller).slots);
            slots.is_some_and(|slots| !slots[usize::from(slot)].dependents.is_empty())
        });
        if has_dependents && self.scratch.batch_depth == 0 {
            self.scratch.hold_clamp = true;
            self.scratch.trial = Some(None);
            self.recompute_values();
            if let Some(attribute) = self.scratch.trial.take().flatten() {
                return Err(RefusalReason::NonFinite { modifier: None, attribute: Some(attribute) });
            }
        }
        for &(id, slot, _) in &self.scratch.writes.0 {
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

    /// Restores the bases that the failed execution wrote, the last one first.
    fn undo_writes(&mut self) {
        while let Some((id, slot, old)) = self.scratch.writes.0.pop() {
            self.write_base(id, slot, old);
            if let Some(controller) = self.state.controllers.get_mut(id) {
                controller.pending.written.remove(slot);
            }
        }
    }

    /// B3: subtracts the amount written to a meta attribute, within its bounds, from the attributes that it
    /// drains, in order and each down to its minimum, and resets it to zero. Returns the amounts, for the
    /// hooks.
    fn drain_meta(&mut self) -> Amounts {
        let mut amounts = Amounts::new();
        for at in 0..self.scratch.writes.0.len() {
            let (id, meta, _) = self.scratch.writes.0[at];
            let Some(controller) = self.state.controllers.get(id) else { continue };
            if !self.state.layout(controller).has_meta {
                continue;
            }
            let layout = Arc::clone(&self.state.layouts[controller.layout as usize]);
            let place = &layout.slots[usize::from(meta)];
            let done = amounts.iter().any(|&(known, slot, _)| (known, slot) == (id, meta));
            if place.attribute.def.drain_into.is_empty() || done {
                continue;
            }
            let (min, max) = State::bounds(controller, place);
            let mut amount = clamp(controller.values[usize::from(meta)].base, min, max);
            amounts.push((id, meta, amount));
            for &slot in &place.drain_into {
                let Some(controller) = self.state.controllers.get(id) else { return amounts };
                let base = controller.values[usize::from(slot)].base;
                let (min, _) = State::bounds(controller, &layout.slots[usize::from(slot)]);
                let available = min.map_or(f64::MAX, |min| base - min);
                let taken = if amount < available { amount } else { available };
                if taken > 0.0 {
                    amount -= taken;
                    self.scratch.writes.0.push((id, slot, base));
                    self.write_base(id, slot, base - taken);
                }
            }
            self.write_base(id, meta, 0.0);
        }
        amounts
    }

    /// B4: hooks run after all bases are written, once for each attribute, in the order of first writing.
    /// Clears the list of writes.
    fn run_post_execute(&mut self, run: &Run<'_>, amounts: &Amounts) {
        if !self.catalog.has_hooks() {
            return self.scratch.writes.0.clear();
        }
        let catalog = Arc::clone(&self.catalog);
        let mut seen: SmallVec<[(ControllerId, u16); 4]> = SmallVec::new();
        for at in 0..self.scratch.writes.0.len() {
            let (id, slot, old_base) = self.scratch.writes.0[at];
            if seen.contains(&(id, slot)) {
                continue;
            }
            seen.push((id, slot));
            let Some(controller) = self.state.controllers.get(id) else { continue };
            let drained = amounts.iter().find(|&&(known, meta, _)| (known, meta) == (id, slot));
            let drained = drained.map(|&(.., amount)| amount);
            let new_base = drained.unwrap_or(controller.values[usize::from(slot)].base);
            let attribute = self.state.layout(controller).attribute_at(slot);
            if let Some(hook) = catalog.hooks(attribute).and_then(|hooks| hooks.post_execute.as_ref()) {
                hook(&mut PostExecute { sim: self, run, controller: id, attribute, old_base, new_base });
            }
        }
        self.scratch.writes.0.clear();
    }

    /// E11: instant and periodic executions send the cue event Execute, queued until the next flush: the
    /// effect's own cues, unless a calculation handles them, then those of the calculations.
    fn execute_cues(&mut self, run: &Run<'_>, cues: &Cues) {
        if run.effect.cues.is_empty() && cues.sent.is_empty() {
            return;
        }
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
        let own = run.effect.cues.iter().filter(|_| !cues.handled).map(|cue| (cue, cues.magnitude));
        let plain = self.cue_parameters(&context, run.target, numbers, &run.marks.borrow());
        for (cue, magnitude) in own.chain(cues.sent.iter().copied()) {
            let parameters = CueParameters { magnitude: magnitude + 0.0, ..plain.clone() };
            self.scratch.queue_cue(EventKind::CueExecuted { controller: run.target, cue, parameters });
        }
    }
}
