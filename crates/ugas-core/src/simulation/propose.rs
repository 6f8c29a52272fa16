//! Proposals (M9, B3): the base writes of an execution, decided in full before the first one is made.
//!
//! Deciding reads the state and changes nothing: an execution writes its proposal, and the check of a cost (A2)
//! judges it.

use smallvec::SmallVec;

use super::execute::Run;
use super::flush::ValueChange;
use super::magnitude::Dice;
use super::{State, clamp};
use crate::attribute::layout::{Layout, Slot};
use crate::catalog::Catalog;
use crate::controller::{Controller, Value};
use crate::effect::calculation::OutputTo;
use crate::effect::magnitude::Magnitude;
use crate::effect::{ConstantWrite, Execution, Modifier};
use crate::handle::ControllerId;
use crate::id::{AttributeId, TagId};
use crate::modifier::Operation;
use crate::number::{nearly_zero, powu};
use crate::refusal::RefusalReason;

/// Base writes of one execution, in order, and what comes with them.
#[derive(Clone, Debug, Default)]
pub(super) struct Proposal {
    pub(super) writes: SmallVec<[BaseWrite; 4]>,
    /// Number of writes that are made and may still be undone.
    pub(super) made: usize,
    /// Whether values were evaluated with writes whose bases are not clamped yet (M9).
    pub(super) is_evaluated: bool,
    /// Changes that are not written, in order.
    pub(super) omissions: SmallVec<[Omission; 1]>,
    /// Amounts of the written meta attributes (B3).
    pub(super) drains: SmallVec<[Drain; 1]>,
    /// Whether a write changes more than its own value, so that others must be recalculated.
    pub(super) has_dependents: bool,
    /// Whether a written attribute has a floor for predicted values on a client.
    pub(super) has_floor: bool,
    /// Whether a meta attribute is written (B3).
    has_meta: bool,
    /// Magnitude of the effect's own cues (C1).
    pub(super) cue_magnitude: f64,
    /// Whether a calculation handles the effect's own cues.
    pub(super) handles_cues: bool,
    /// Cues that calculations execute, with their magnitudes.
    pub(super) cues: SmallVec<[(TagId, f64); 1]>,
}

/// A write to one base value. Later writes of the same proposal see it.
#[derive(Clone, Copy, Debug)]
pub(super) struct BaseWrite {
    pub(super) controller: ControllerId,
    pub(super) slot: u16,
    pub(super) before: f64,
    /// New base, before bounds (M9: the clamp follows the last write).
    pub(super) after: f64,
}

/// A change of a base value, with its magnitude evaluated.
#[derive(Clone, Copy, Debug)]
pub(super) struct BaseChange {
    pub(super) to: OutputTo,
    pub(super) attribute: AttributeId,
    pub(super) operation: Operation,
    pub(super) magnitude: f64,
    pub(super) stacks: u32,
    /// Index of the modifier; `None` for the output of a calculation.
    pub(super) modifier: Option<u16>,
}

/// A change that is not written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Omission {
    pub(super) change: BaseChange,
    /// Controller that it would have changed; `None` for an output to a source that the effect lacks.
    pub(super) controller: Option<ControllerId>,
    pub(super) reason: OmissionReason,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum OmissionReason {
    /// The controller lacks the attribute (M6).
    Missing,
    /// The base comes from an expression (B2).
    Derived,
    /// The divisor is so near to zero that it counts as 1 (M3).
    ZeroDivisor,
}

/// Amount that a meta attribute passes on (B3).
#[derive(Clone, Copy, Debug)]
pub(super) struct Drain {
    pub(super) controller: ControllerId,
    pub(super) meta: u16,
    /// Value of the meta attribute within its bounds.
    pub(super) amount: f64,
    /// Part of the amount that no attribute could give.
    pub(super) rest: f64,
}

impl BaseChange {
    /// Change of the target by a constant write.
    #[inline]
    pub(super) fn constant(write: &ConstantWrite, stacks: u32) -> Self {
        let &ConstantWrite { attribute, operation, magnitude, .. } = write;
        Self { to: OutputTo::Target, attribute, operation, magnitude, stacks, modifier: Some(0) }
    }

    /// Change of the target by the first modifier of an effect.
    #[inline]
    pub(super) fn by(modifier: &Modifier, magnitude: f64, stacks: u32) -> Self {
        let &Modifier { attribute, operation, .. } = modifier;
        Self { to: OutputTo::Target, attribute, operation, magnitude, stacks, modifier: Some(0) }
    }

    /// New base value after the change (M9); `None` if the divisor is so near to zero that it counts as 1
    /// (M3).
    #[inline(always)]
    pub(super) fn applied_to(&self, base: f64) -> Option<f64> {
        let &Self { operation, magnitude, stacks, .. } = self;
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
}

/// Proposal of a change that affects no value but its own, or the one that a meta attribute at zero drains
/// (B3): the slot, and its values before and after. `None` if a whole proposal is needed: also if the
/// controller lacks the attribute, or the new base is not finite.
#[inline(always)]
pub(super) fn propose_alone(
    controller: &Controller,
    layout: &Layout,
    change: &BaseChange,
) -> Option<(u16, ValueChange)> {
    let slot = layout.slot_of(change.attribute)?;
    let place = &layout.slots[usize::from(slot)];
    if !is_alone(controller, place, slot) {
        return None;
    }
    let before = controller.values[usize::from(slot)];
    let after = change.applied_to(before.base).filter(|after| after.is_finite())?;
    if place.is_meta {
        return propose_drain(controller, layout, place, before, after + 0.0);
    }
    let after = Value::unmodified(clamp_base(controller, place, after));
    Some((slot, ValueChange { attribute: change.attribute, before, after }))
}

/// Drain of a meta attribute at zero into the only attribute that it drains. `None` if it drains several, or
/// does not stay at zero.
#[inline(never)]
fn propose_drain(
    controller: &Controller,
    layout: &Layout,
    place: &Slot,
    before: Value,
    written: f64,
) -> Option<(u16, ValueChange)> {
    let [slot] = *place.drain_into else { return None };
    let drained = &layout.slots[usize::from(slot)];
    let stays_at_zero = before.both() == (0.0, 0.0) && clamp_base(controller, place, 0.0) == 0.0;
    if !stays_at_zero || drained.is_meta || !is_alone(controller, drained, slot) {
        return None;
    }
    let before = controller.values[usize::from(slot)];
    let taken = taken(clamp_base(controller, place, written), before.base, drained, controller);
    let after = match taken > 0.0 {
        true => Value::unmodified(clamp_base(controller, drained, before.base - taken)),
        false => before,
    };
    Some((slot, ValueChange { attribute: drained.attribute.id, before, after }))
}

/// Whether a change of an attribute affects no value but its own.
pub(super) fn stands_alone(controller: &Controller, layout: &Layout, attribute: AttributeId) -> bool {
    let slot = layout.slot_of(attribute);
    slot.is_some_and(|slot| is_alone(controller, &layout.slots[usize::from(slot)], slot))
}

/// Whether a write to a slot changes no value but its own: the clamped base is the current value, too.
#[inline(always)]
fn is_alone(controller: &Controller, place: &Slot, slot: u16) -> bool {
    place.stands_alone
        && !place.has_floor
        && !controller.has_modifiers(slot)
        && controller.interactions.allocated().is_none_or(|known| known.watchers.is_empty())
}

/// Whether the recalculation at the end of a batch completes a write to a slot.
#[inline]
pub(super) fn is_completed_later(controller: &Controller, place: &Slot, slot: u16) -> bool {
    place.attribute.derived.is_none() && !place.is_meta && !controller.has_modifiers(slot)
}

/// A base within the bounds of its slot.
#[inline(always)]
pub(super) fn clamp_base(controller: &Controller, place: &Slot, base: f64) -> f64 {
    let (min, max) = State::bounds(controller, place);
    // Adding zero turns a negative zero into a positive one: they are equal but hash differently.
    clamp(base, min, max) + 0.0
}

/// Part of an amount that a drained attribute gives, down to its minimum (B3); not positive if it gives none.
#[inline]
fn taken(amount: f64, base: f64, drained: &Slot, controller: &Controller) -> f64 {
    let (min, _) = State::bounds(controller, drained);
    let available = min.map_or(f64::MAX, |min| base - min);
    if amount < available { amount } else { available }
}

/// Total of a modifier over its stacks: the magnitude of its cue (C1).
pub(super) fn total(operation: Operation, magnitude: f64, stacks: u32) -> f64 {
    match operation {
        Operation::Add | Operation::AddPost => magnitude * f64::from(stacks),
        _ => magnitude,
    }
}

impl Proposal {
    /// Empties the proposal and keeps the allocated memory (I6).
    pub(super) fn clear(&mut self) {
        self.writes.clear();
        self.omissions.clear();
        self.drains.clear();
        self.cues.clear();
        (self.cue_magnitude, self.handles_cues) = (0.0, false);
        (self.made, self.is_evaluated) = (0, false);
        (self.has_dependents, self.has_floor, self.has_meta) = (false, false, false);
    }

    /// Adds the writes of the effect's modifiers, in the listed order (M9). All are evaluated on the values
    /// from before the first. Modifiers whose tag requirements are not met are skipped.
    pub(super) fn add_modifiers(
        &mut self,
        state: &State,
        catalog: &Catalog,
        run: &Run<'_>,
    ) -> Result<(), RefusalReason> {
        let effect = run.effect;
        if effect.modifiers.is_empty() {
            return Ok(());
        }
        let inputs = run.inputs(state, catalog)?;
        let mut overflow = Ok(());
        for (at, modifier) in effect.modifiers.iter().enumerate() {
            // M9b: scaling modifiers of a periodic effect act on the current value while it is active.
            if effect.period.is_some() && modifier.operation.is_scaling() {
                continue;
            }
            if modifier.is_conditional() {
                let target = state.controllers.get(run.target);
                let is_met = target.is_some_and(|target| modifier.target_tags.is_met_by(&target.tags))
                    && modifier.source_tags.is_met_by(&inputs.source_tags());
                if !is_met {
                    continue;
                }
            }
            let at = at as u16;
            let magnitude = match modifier.magnitude {
                Magnitude::Constant(value) if value.is_finite() => value,
                ref magnitude => {
                    let evaluated = inputs.magnitude(magnitude, Dice::Execution(run.tick, at));
                    evaluated.map_err(|reason| {
                        // Nothing was written, so nothing was left out.
                        self.omissions.clear();
                        reason.of_modifier(at, modifier.attribute)
                    })?
                }
            };
            if overflow.is_err() {
                continue;
            }
            let stacks = if modifier.factor_in_stacks { inputs.stacks } else { 1 };
            let &Modifier { attribute, operation, .. } = modifier;
            let modifier = Some(at);
            let to = OutputTo::Target;
            let change = BaseChange { to, attribute, operation, magnitude, stacks, modifier };
            // A magnitude that cannot be evaluated is reported first, whatever its position.
            overflow = self.add_change(state, run, change);
        }
        overflow
    }

    /// Adds the writes of a calculation, which reads the state as it is.
    pub(super) fn add_calculation(
        &mut self,
        state: &State,
        catalog: &Catalog,
        run: &Run<'_>,
        (at, execution): (usize, &Execution),
    ) -> Result<(), RefusalReason> {
        let inputs = run.inputs(state, catalog)?;
        let dice = Dice::Execution(run.tick, u16::MAX - at as u16);
        let result = inputs.execute(execution, dice)?;
        let stacks = if result.handles_stacks { 1 } else { inputs.stacks };
        self.handles_cues |= result.handles_cues;
        self.cues.extend(result.cues);
        for output in result.outputs {
            let super::calculate::Output { to, attribute, operation, magnitude } = output;
            let change = BaseChange { to, attribute, operation, magnitude, stacks, modifier: None };
            self.add_change(state, run, change)?;
        }
        Ok(())
    }

    /// Adds one change (M9): additions add, multiplications scale, an override sets; channels and layers play
    /// no part. A missing or derived attribute is left out, and so is a division by nearly zero. An error if
    /// the new base is not finite (V2).
    fn add_change(&mut self, state: &State, run: &Run<'_>, change: BaseChange) -> Result<(), RefusalReason> {
        let BaseChange { to, attribute, operation, magnitude, stacks, modifier } = change;
        if to == OutputTo::Target && run.effect.cue_magnitude == Some(attribute) {
            self.cue_magnitude += total(operation, magnitude, stacks);
        }
        let controller = match to {
            OutputTo::Target => Some(run.target),
            OutputTo::Source => run.source(state),
        };
        let omission = |reason| Omission { change, controller, reason };
        let place = controller.and_then(|id| Some((id, state.locate(id, attribute)?)));
        let Some((id, (known, slot))) = place else {
            self.omissions.push(omission(OmissionReason::Missing));
            return Ok(());
        };
        let layout = state.layout(known);
        if layout.slots[slot].attribute.derived.is_some() {
            self.omissions.push(omission(OmissionReason::Derived));
            return Ok(());
        }
        let slot = slot as u16;
        let before = self.base(id, slot, known);
        let Some(after) = change.applied_to(before) else {
            self.omissions.push(omission(OmissionReason::ZeroDivisor));
            return Ok(());
        };
        if !after.is_finite() {
            return Err(RefusalReason::NonFinite { modifier, attribute: Some(attribute) });
        }
        self.write(id, known, layout, slot, [before, after]);
        Ok(())
    }

    /// B3: adds the writes of meta attributes: the amount written to each, within its bounds, is taken from
    /// the attributes that it drains, in order and each down to its minimum, and the meta attribute is reset
    /// to zero.
    pub(super) fn add_drains(&mut self, state: &State) {
        if !self.has_meta {
            return;
        }
        for at in 0..self.writes.len() {
            let BaseWrite { controller: id, slot: meta, .. } = self.writes[at];
            let Some(controller) = state.controllers.get(id) else { continue };
            let layout = state.layout(controller);
            let place = &layout.slots[usize::from(meta)];
            let is_known = |drain: &Drain| (drain.controller, drain.meta) == (id, meta);
            if !place.is_meta || self.drains.iter().any(is_known) {
                continue;
            }
            let (min, max) = State::bounds(controller, place);
            let written = self.base(id, meta, controller);
            let amount = clamp(written, min, max);
            let mut rest = amount;
            for &slot in &place.drain_into {
                let base = self.base(id, slot, controller);
                let taken = taken(rest, base, &layout.slots[usize::from(slot)], controller);
                if taken > 0.0 {
                    rest -= taken;
                    self.write(id, controller, layout, slot, [base, base - taken]);
                }
            }
            self.drains.push(Drain { controller: id, meta, amount, rest });
            self.write(id, controller, layout, meta, [written, 0.0]);
        }
    }

    /// Base of a slot after the writes so far.
    pub(super) fn base(&self, id: ControllerId, slot: u16, controller: &Controller) -> f64 {
        let written = self.writes.iter().rev().find(|write| (write.controller, write.slot) == (id, slot));
        written.map_or_else(|| controller.values[usize::from(slot)].base, |write| write.after)
    }

    fn write(
        &mut self,
        id: ControllerId,
        controller: &Controller,
        layout: &Layout,
        slot: u16,
        [before, after]: [f64; 2],
    ) {
        let place = &layout.slots[usize::from(slot)];
        self.has_meta |= place.is_meta;
        self.has_floor |= place.has_floor;
        self.has_dependents |= !place.stands_alone
            || controller.has_modifiers(slot)
            || !controller.interactions.watchers.is_empty();
        // Adding zero turns a negative zero into a positive one: they are equal but hash differently.
        self.writes.push(BaseWrite { controller: id, slot, before, after: after + 0.0 });
    }
}
