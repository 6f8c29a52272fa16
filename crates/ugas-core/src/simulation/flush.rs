//! Recalculation (§3.3 step 4) and its events (step 5).
//!
//! Changes mark slots. A flush updates every marked slot and all values that depend on it, on this and other
//! controllers, and only then emits one event for each value that differs. Observers never see an
//! intermediate value (§6.4).

use std::collections::VecDeque;

use smallvec::SmallVec;

use super::cascade::Consequence;
use super::op::{Current, Op};
use super::state::Role;
use super::values::clamp;
use super::{Simulation, State};
use crate::attribute::OnBoundChange;
use crate::attribute::layout::{Bound, Layout, Slot};
use crate::controller::{Controller, Value};
use crate::effect::{ContextTags, WatchSubject};
use crate::event::{Cause, EventKind};
use crate::handle::{ActiveEffectId, ControllerId};
use crate::id::AttributeId;
use crate::modifier::aggregate::{Aggregated, aggregate_plain};

/// Former value of an attribute, as of the start of the operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    controller: ControllerId,
    attribute: AttributeId,
    slot: u16,
    pub(super) old_base: f64,
    pub(super) old: f64,
    cause: Cause,
    /// Version of the cause, see [`Current::version()`].
    version: u64,
}

impl Change {
    /// Event of the change, with the new values (B5).
    #[inline]
    pub(super) fn event(&self, new_base: f64, new: f64) -> EventKind {
        let Self { controller, attribute, old_base, old, .. } = *self;
        EventKind::AttributeChanged { controller, attribute, old_base, new_base, old, new }
    }
}

/// Values of an attribute before and after a write.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValueChange {
    pub(super) attribute: AttributeId,
    pub(super) before: Value,
    pub(super) after: Value,
}

impl ValueChange {
    /// Event of the change (B5).
    #[inline(always)]
    pub(super) fn event(&self, controller: ControllerId) -> EventKind {
        let Self { attribute, before, after } = *self;
        let ((old_base, old), (new_base, new)) = (before.both(), after.both());
        EventKind::AttributeChanged { controller, attribute, old_base, new_base, old, new }
    }

    /// Whether the value differs from before (B5).
    #[inline(always)]
    pub(super) fn is_change(&self) -> bool {
        self.before.both() != self.after.both()
    }
}

/// Rules of a recalculation that is part of a larger change.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Recalculation {
    /// Whether written bases keep their values: they are clamped after the whole execution (M9).
    holds_clamp: bool,
    /// Whether a value that is not finite refuses the change instead of emitting an event (V2).
    is_trial: bool,
    /// First attribute whose value was not finite in a trial.
    failed: Option<AttributeId>,
}

impl Recalculation {
    /// Between the calculations of an execution.
    pub(super) const PROVISIONAL: Self = Self { holds_clamp: true, is_trial: false, failed: None };
    /// After the writes of an execution, which may still be refused.
    pub(super) const EXECUTION_TRIAL: Self = Self { holds_clamp: true, is_trial: true, failed: None };
    /// After a change of modifiers, which may still be refused.
    pub(super) const MODIFIER_TRIAL: Self = Self { holds_clamp: false, is_trial: true, failed: None };
}

/// Bases that follow a moved bound: controller, slot of the base, its attribute, the bounding attribute, and
/// the old and new bound.
type Followers = SmallVec<[(ControllerId, u16, AttributeId, AttributeId, [f64; 2]); 2]>;

/// Values and events that wait for the next flush.
#[derive(Clone, Debug, Default)]
pub(super) struct PendingValues {
    /// Controllers with slots to be re-evaluated.
    pub(super) dirty: VecDeque<ControllerId>,
    /// Active effects to be re-evaluated.
    pub(super) refresh: VecDeque<ActiveEffectId>,
    /// Entries of `refresh` whose values were updated in the middle of an application and whose tags were
    /// not.
    pub(super) postponed: Vec<ActiveEffectId>,
    /// Former values of slots that changed.
    pub(super) changes: Vec<Change>,
    /// Cue events, each with its origin, that wait until values have had their events (E1).
    pub(super) cues: Vec<(EventKind, Op)>,
}

impl PendingValues {
    /// Whether no value waits for re-evaluation.
    #[inline]
    pub(super) fn is_up_to_date(&self) -> bool {
        self.dirty.is_empty() && self.refresh.is_empty()
    }

    /// Whether every value is up to date and its event is emitted.
    #[inline]
    pub(super) fn has_settled(&self) -> bool {
        self.is_up_to_date() && self.changes.is_empty()
    }

    /// Queues a cue event, to be emitted at the next flush, after value events (E1).
    pub(super) fn queue_cue(&mut self, op: Op, event: EventKind) {
        self.cues.push((event, op));
    }

    pub(super) fn clear(&mut self) {
        let Self { dirty, refresh, postponed, changes, cues } = self;
        dirty.clear();
        refresh.clear();
        postponed.clear();
        changes.clear();
        cues.clear();
    }

    /// Marks a slot of a controller for re-evaluation, and lists the controller for the next recalculation.
    #[inline]
    pub(super) fn mark_dirty(&mut self, id: ControllerId, controller: &mut Controller, slot: u16) {
        controller.pending.dirty.insert(slot);
        if !controller.pending.listed {
            controller.pending.listed = true;
            self.dirty.push_back(id);
        }
    }

    /// Records the former value of a slot the first time that the operation changes it.
    #[inline]
    pub(super) fn record(
        &mut self,
        current: &Current,
        id: ControllerId,
        controller: &mut Controller,
        layout: &Layout,
        slot: u16,
    ) {
        if !controller.pending.recorded.insert(slot) {
            return;
        }
        let (old_base, old) = controller.values[usize::from(slot)].both();
        let change = self.change(current, id, layout.attribute_at(slot), slot, old_base, old);
        self.changes.push(change);
    }

    /// Former value of a slot, with the current cause. Records nothing.
    #[inline]
    pub(super) fn change(
        &self,
        current: &Current,
        controller: ControllerId,
        attribute: AttributeId,
        slot: u16,
        old_base: f64,
        old: f64,
    ) -> Change {
        let (cause, version) = (current.cause(), current.version());
        Change { controller, attribute, slot, old_base, old, cause, version }
    }
}

impl Simulation {
    /// Marks a slot for re-evaluation; does nothing if the controller does not exist.
    pub(super) fn mark_dirty(&mut self, id: ControllerId, slot: u16) {
        if let Some(controller) = self.state.controllers.get_mut(id) {
            self.scratch.pending.mark_dirty(id, controller, slot);
        }
    }

    /// Recalculates, then emits value events, then cue events (§3.3 steps 4 to 6, E1). Runs no queued
    /// consequences.
    #[inline]
    pub(super) fn flush(&mut self) {
        if !self.scratch.pending.has_settled() || !self.scratch.pending.cues.is_empty() {
            self.flush_pending();
        }
    }

    /// Slow path of [`Self::flush`]: something is pending.
    fn flush_pending(&mut self) {
        self.recompute();
        if !self.scratch.pending.changes.is_empty() {
            self.raise_changes();
        }
        if !self.scratch.pending.cues.is_empty() {
            self.emit_queued_cues();
        }
    }

    /// Updates all values, and the inhibition and removal of effects by tags, without emitting value events.
    fn recompute(&mut self) {
        if !self.scratch.pending.is_up_to_date() {
            self.recompute_by(&mut Recalculation::default(), Self::refresh_effect);
        }
    }

    /// Updates all values in the middle of an application. Inhibition and removal of effects are decided at
    /// the flush, when the application is complete and its tags are there.
    pub(super) fn recompute_values(&mut self) {
        let _ = self.recompute_values_by(Recalculation::default());
    }

    /// [`Self::recompute_values`] by rules. An error is the first attribute whose value is not finite in a trial.
    pub(super) fn recompute_values_by(&mut self, mut rules: Recalculation) -> Result<(), AttributeId> {
        if self.scratch.pending.is_up_to_date() {
            return Ok(());
        }
        self.recompute_by(&mut rules, Self::follow_inputs);
        if !self.scratch.pending.postponed.is_empty() {
            self.refresh_postponed();
        }
        rules.failed.map_or(Ok(()), Err)
    }

    /// Queues a full refresh of the effects that a recalculation in the middle of an application followed.
    pub(super) fn refresh_postponed(&mut self) {
        let mut postponed = core::mem::take(&mut self.scratch.pending.postponed);
        for active in postponed.drain(..) {
            if let Some(effect) = self.state.effects.get_mut(active) {
                effect.judgement_pending = false;
            }
            self.enqueue_refresh(active);
        }
        self.scratch.pending.postponed = postponed;
    }

    /// Recalculates marked slots and re-evaluates listed effects with `look_again`, in rounds, until none is
    /// left. Each round is a step of the cascade; at the limit the listed effects are dropped and reported
    /// (E12).
    fn recompute_by(&mut self, rules: &mut Recalculation, look_again: fn(&mut Self, ActiveEffectId)) {
        loop {
            while let Some(controller) = self.scratch.pending.dirty.pop_front() {
                self.recompute_controller(controller, rules);
            }
            // One round refreshes every listed effect, whatever their number: only the number of rounds needs
            // a limit.
            let round = self.scratch.pending.refresh.len();
            if round == 0 {
                break;
            }
            if !self.take_step() {
                self.forget_refreshes();
                self.report_cascade(None, round as u32);
                continue;
            }
            for _ in 0..round {
                if let Some(active) = self.scratch.pending.refresh.pop_front() {
                    look_again(self, active);
                }
            }
        }
    }

    /// Evaluates the marked slots of a controller in topological order (§6.4), and notifies the effects that
    /// watch them.
    fn recompute_controller(&mut self, id: ControllerId, rules: &mut Recalculation) {
        while let Some(slot) = self.recompute_plain_slots(id, rules.holds_clamp) {
            let changed = self.recompute_slot(id, slot, rules);
            let Some(controller) = self.state.controllers.get(id) else { return };
            if controller.interactions.watchers.is_empty() {
                continue;
            }
            let attribute = self.state.layout(controller).attribute_at(slot);
            self.notify(id, WatchSubject::Modifiers(attribute));
            if changed {
                self.notify(id, WatchSubject::Attribute(attribute));
            }
        }
    }

    /// Evaluates marked slots as long as they depend only on numbers of their controller, as most do. Returns
    /// the first that needs the general path, no longer marked: the controller is watched, the catalog has
    /// native hooks, or the slot has conditional or layered modifiers, a qualifier or a client-side floor, or
    /// cannot be evaluated. `None` once no slot is marked.
    fn recompute_plain_slots(&mut self, id: ControllerId, holds_clamp: bool) -> Option<u16> {
        let State { controllers, layouts, .. } = &mut self.state;
        let controller = controllers.get_mut(id)?;
        controller.pending.listed = false;
        let layout = &*layouts[controller.layout as usize];
        let needs_more = self.catalog.has_hooks() || !controller.interactions.watchers.is_empty();
        let is_client = self.config.role == Role::Client;
        while let Some(slot) = controller.pending.dirty.pop_first() {
            let at = usize::from(slot);
            let place = &layout.slots[at];
            let has_floor = is_client && place.attribute.def.prediction_floor.is_some();
            if needs_more || has_floor || place.has_qualifier {
                return Some(slot);
            }
            let (min, max) = State::bounds(controller, place);
            let clamp_base = !holds_clamp && controller.pending.written.contains(slot);
            let Ok(mut base) = State::base_of(&self.catalog, controller, layout, slot) else {
                return Some(slot);
            };
            if clamp_base {
                base = clamp(base, min, max);
            }
            let value = match aggregate_plain(base, controller.modifiers_of(slot)) {
                Some(Aggregated { value, divisor_ignored: false }) if value.is_finite() => {
                    clamp(value, min, max) + 0.0
                }
                _ => return Some(slot),
            };
            if clamp_base {
                controller.pending.written.remove(slot);
            }
            if (base, value) != controller.values[at].both() {
                self.scratch.pending.record(&self.scratch.current, id, controller, layout, slot);
                controller.values[at] = Value { base, current: value };
                for &dependent in &place.dependents {
                    controller.pending.dirty.insert(dependent);
                }
            }
        }
        None
    }

    /// Evaluates one slot and marks its dependents; true if its base or current value changed. A value that
    /// is not finite is rejected (V2): during a trial the attribute is noted, otherwise `EvaluationFailed` is
    /// emitted.
    fn recompute_slot(&mut self, id: ControllerId, slot: u16, rules: &mut Recalculation) -> bool {
        let Some(controller) = self.state.controllers.get(id) else { return false };
        let layout = self.state.layout(controller);
        let at = usize::from(slot);
        let old = controller.values[at].current;
        let floor = layout.slots[at].attribute.def.prediction_floor;
        let clamp_base = !rules.holds_clamp && controller.pending.written.contains(slot);
        let evaluated = State::base_of(&self.catalog, controller, layout, slot).ok().and_then(|base| {
            let mut base =
                if clamp_base { clamp_to_bounds(controller, &layout.slots[at], base) } else { base };
            if clamp_base && floor.is_some() {
                let before = self
                    .scratch
                    .pending
                    .changes
                    .iter()
                    .find(|known| (known.controller, known.slot) == (id, slot));
                base = self.keep_above_floor(floor, before.map_or(base, |before| before.old_base), base);
            }
            let mut evaluated = self.state.evaluate_slot(&self.catalog, id, controller, slot, base)?;
            evaluated.value = self.keep_above_floor(floor, old, evaluated.value);
            Some((base, evaluated))
        });
        let State { controllers, layouts, .. } = &mut self.state;
        let Some(controller) = controllers.get_mut(id) else { return false };
        let layout = &layouts[controller.layout as usize];
        if clamp_base {
            controller.pending.written.remove(slot);
        }
        let Some((base, evaluated)) = evaluated else {
            // V2: a value that is not finite is rejected; the old value stays.
            let attribute = layout.attribute_at(slot);
            match rules.is_trial {
                true => _ = rules.failed.get_or_insert(attribute),
                false => self.emit(EventKind::EvaluationFailed { controller: id, attribute }),
            }
            return false;
        };
        // An execution may have written the base and restored it: its dependents saw no change.
        let changed = (base, evaluated.value) != controller.values[at].both();
        if changed {
            self.scratch.pending.record(&self.scratch.current, id, controller, layout, slot);
            controller.values[at] = Value { base, current: evaluated.value };
            for &dependent in &layout.slots[at].dependents {
                controller.pending.dirty.insert(dependent);
            }
        }
        if evaluated.divisor_ignored {
            let attribute = layout.attribute_at(slot);
            self.emit(EventKind::DivisorIgnored { controller: id, attribute });
        }
        changed
    }

    /// Queues a refresh of the active effects that watch `subject` of a controller. For a tag, their
    /// conditional modifiers are judged again, too (M5).
    pub(super) fn notify(&mut self, id: ControllerId, subject: WatchSubject) {
        let Some(controller) = self.state.controllers.get(id) else { return };
        for &(_, _, active) in controller.interactions.watchers.entries_for(subject) {
            if let Some(effect) = self.state.effects.get_mut(active) {
                effect.qualification_pending |= matches!(subject, WatchSubject::Tag(_));
                if !effect.refresh_pending {
                    effect.refresh_pending = true;
                    self.scratch.pending.refresh.push_back(active);
                }
            }
        }
    }

    /// Emits one event for each value that differs from before (B5), and queues the bases that follow moved
    /// bounds (B1).
    fn raise_changes(&mut self) {
        let mut followers = Followers::new();
        let mut next = 0;
        while let Some(&change) = self.scratch.pending.changes.get(next) {
            next += 1;
            let State { controllers, layouts, .. } = &mut self.state;
            let Some(controller) = controllers.get_mut(change.controller) else { continue };
            controller.pending.recorded.remove(change.slot);
            let at = usize::from(change.slot);
            let (new_base, new) = controller.values[at].both();
            if (new_base, new) == (change.old_base, change.old) {
                continue;
            }
            let layout = &layouts[controller.layout as usize];
            if new != change.old {
                for &follower in &layout.slots[at].bound_followers {
                    let attribute = layout.attribute_at(follower);
                    let moved = [change.old, new];
                    followers.push((change.controller, follower, attribute, change.attribute, moved));
                }
            }
            if change.version == self.scratch.current.version() {
                self.emit_in_place(|| change.event(new_base, new));
            } else {
                self.emit_with(change.cause, || change.event(new_base, new));
            }
        }
        self.scratch.pending.changes.clear();
        if followers.is_empty() {
            return;
        }
        // Slots are in topological order: a base follows before the bases that it bounds.
        followers.sort_unstable_by_key(|&(controller, slot, ..)| (controller, slot));
        for (controller, _, attribute, bound, [old, new]) in followers {
            self.enqueue(Consequence::BoundChanged { controller, attribute, bound, old, new });
        }
    }

    /// B1: adjusts the base of an attribute whose bound moved from `old` to `new`, as an internal instant
    /// effect. The bound may have moved on since: each move is followed separately.
    pub(super) fn follow_bound(
        &mut self,
        id: ControllerId,
        attribute: AttributeId,
        bound: AttributeId,
        old: f64,
        new: f64,
    ) {
        let Some((controller, at)) = self.state.locate(id, attribute) else { return };
        let slot = &self.state.layout(controller).slots[at];
        let base = controller.values[at].base;
        let (min, max) = State::bounds(controller, slot);
        let is_upper = slot.attribute.max == Some(Bound::Attribute(bound));
        let kept = match slot.attribute.def.on_bound_change {
            OnBoundChange::Keep => return,
            // The ratio is kept for the upper bound only; a lower bound that moves just clamps.
            OnBoundChange::KeepRatio if is_upper && old > 0.0 => base * (new / old),
            OnBoundChange::Clamp | OnBoundChange::KeepRatio => base,
        };
        let adjusted = clamp(kept, min, max);
        if adjusted == base || !adjusted.is_finite() {
            return;
        }
        let effect = self.catalog.internal.bound_change;
        let cause = self.scratch.current.cause();
        self.scratch.current.set_cause(Cause { effect: Some(effect), active: None, ..cause });
        self.trace(effect);
        let context_tags = ContextTags::default();
        self.emit(EventKind::EffectExecuted { effect, active: None, target: id, context_tags });
        self.write_base(id, at as u16, adjusted);
    }

    /// Records a change that is already written, for its event at the next flush, unless the operation has
    /// recorded the slot before.
    pub(super) fn record_written(&mut self, id: ControllerId, slot: u16, written: &ValueChange) {
        if let Some(controller) = self.state.controllers.get_mut(id)
            && controller.pending.recorded.insert(slot)
        {
            let (old_base, old) = written.before.both();
            let change = self.scratch.pending.change(
                &self.scratch.current,
                id,
                written.attribute,
                slot,
                old_base,
                old,
            );
            self.scratch.pending.changes.push(change);
        }
    }

    /// Discards the recorded changes of a controller that is being built: they have no events (P10).
    pub(super) fn forget_changes(&mut self, id: ControllerId) {
        self.scratch.pending.changes.retain(|change| change.controller != id);
        if let Some(controller) = self.state.controllers.get_mut(id) {
            controller.pending.recorded = Default::default();
        }
    }

    /// Queues a refresh of an active effect, unless one is queued already.
    pub(super) fn enqueue_refresh(&mut self, active: ActiveEffectId) {
        if let Some(effect) = self.state.effects.get_mut(active)
            && !effect.refresh_pending
        {
            effect.refresh_pending = true;
            self.scratch.pending.refresh.push_back(active);
        }
    }

    /// Drops all queued refreshes, at the cascade limit (E12). The effects keep their state until the next
    /// change that they watch.
    fn forget_refreshes(&mut self) {
        while let Some(active) = self.scratch.pending.refresh.pop_front() {
            if let Some(effect) = self.state.effects.get_mut(active) {
                effect.refresh_pending = false;
            }
        }
    }
}

/// Current value of a slot that stands alone, with the stored base. `None` if a modifier is conditional or
/// layered, or the result is not an ordinary number.
#[inline]
pub(super) fn plain_value(controller: &Controller, place: &Slot, slot: u16) -> Option<f64> {
    let base = controller.values[usize::from(slot)].base;
    match aggregate_plain(base, controller.modifiers_of(slot))? {
        Aggregated { value, divisor_ignored: false } if value.is_finite() => {
            let (min, max) = State::bounds(controller, place);
            Some(clamp(value, min, max) + 0.0)
        }
        _ => None,
    }
}

/// Clamps a base to the current bounds of its slot.
fn clamp_to_bounds(controller: &Controller, place: &Slot, base: f64) -> f64 {
    let (min, max) = State::bounds(controller, place);
    clamp(base, min, max)
}
