//! Removal of active effects (E10, §4.5): by handle, by query, by source, by time.

use smallvec::SmallVec;

use super::activate::{Withdrawal, is_linked};
use super::op::Current;
use super::{Simulation, State};
use crate::codec::StateRecord;
use crate::effect::{ActiveEffect, Effect, EffectQuery, EffectStatus, ExecutionPolicy, StackExpiration};
use crate::event::{Cause, EventKind, RemovalReason};
use crate::handle::{ActiveEffectId, ControllerId};
use crate::id::EffectId;
use crate::refusal::{Refusal, RefusalReason};
use crate::time::Time;

/// Number of stacks to remove.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StateRecord)]
pub enum Stacks {
    /// All stacks: the effect ends.
    #[default]
    All,
    /// This many stacks; the effect ends when none is left.
    Count(u32),
}

impl Simulation {
    /// Removes an active effect, or some of its stacks (§4.5).
    ///
    /// # Errors
    /// If the effect is no longer active, or a client leaves its removal to the authority.
    pub fn remove(&mut self, active: ActiveEffectId, stacks: Stacks) -> Result<(), RefusalReason> {
        if !self.state.effects.contains(active) {
            return Err(RefusalReason::UnknownHandle(active));
        }
        if !self.may_remove(active) {
            return Err(RefusalReason::NotPredicted);
        }
        self.operate(|sim| sim.remove_stacks(active, stacks, Self::remove_last));
        Ok(())
    }

    /// Removes all effects on a controller that a query selects, or some of their stacks; returns the number
    /// of selected effects. A client skips those whose removal it leaves to the authority.
    pub fn remove_matching(&mut self, controller: ControllerId, query: &EffectQuery, stacks: Stacks) -> u32 {
        let mut selected: SmallVec<[ActiveEffectId; 8]> = self.effects_matching(controller, query).collect();
        selected.retain(|active| self.may_remove(*active));
        self.operate(|sim| {
            for &active in &selected {
                sim.remove_stacks(active, stacks, Self::remove_active);
            }
        });
        selected.len() as u32
    }

    /// Removes all effects of `source` on a controller; returns their number.
    pub fn remove_from_source(&mut self, controller: ControllerId, source: ControllerId) -> u32 {
        self.remove_matching(controller, &EffectQuery::from_source(source), Stacks::All)
    }

    /// Removes stacks inside a running operation; the effect ends by `remove` if none is left. Does nothing if
    /// it is gone.
    pub(super) fn remove_stacks(
        &mut self,
        id: ActiveEffectId,
        stacks: Stacks,
        remove: fn(&mut Self, ActiveEffectId, RemovalReason),
    ) {
        let Some(active) = self.state.effects.get(id) else { return };
        match stacks {
            Stacks::Count(0) => {}
            Stacks::Count(count) if count < active.stacks => self.set_stacks(id, active.stacks - count),
            Stacks::Count(_) | Stacks::All => remove(self, id, RemovalReason::Removed),
        }
    }

    /// Changes a stack count without touching the clock: emits the change and re-evaluates magnitudes and
    /// modifiers.
    pub(super) fn set_stacks(&mut self, id: ActiveEffectId, stacks: u32) {
        self.set_cause_to_effect(id);
        let Some(active) = self.state.effects.get_mut(id) else { return };
        let old = core::mem::replace(&mut active.stacks, stacks);
        let (effect_id, target) = (active.effect, active.target);
        let Some(effect) = self.state.definition(&self.catalog, effect_id).cloned() else { return };
        self.emit(EventKind::EffectStackChanged { effect: effect_id, active: id, target, old, new: stacks });
        self.reevaluate(id, &effect);
        self.update_modifiers(id, &effect);
    }

    /// Removes an effect from its target, with everything that it granted (§9.7), and emits `EffectRemoved`.
    /// Queues its expiration effects and the start of the next instance in its sequence, unless the target is
    /// gone or the effect had not begun. Values are recalculated later; the cause stays set to the effect.
    pub(super) fn remove_active(&mut self, id: ActiveEffectId, reason: RemovalReason) {
        if let Some((target, slot)) = self.withdraw(id, reason) {
            self.mark_dirty(target, slot);
        }
    }

    /// Removes an effect as the last change of an operation. Otherwise as [`Self::remove_active`]: the value
    /// is updated at once if nothing else is to be recalculated.
    pub(super) fn remove_last(&mut self, id: ActiveEffectId, reason: RemovalReason) {
        if let Some((target, slot)) = self.withdraw(id, reason)
            && !self.update_released(target, slot)
        {
            self.mark_dirty(target, slot);
        }
    }

    /// Removes an effect without its recalculation: returns the slot that the modifier of an effect acted on
    /// that [only held](Self::hold) it and tags. Other effects mark their slots.
    fn withdraw(&mut self, id: ActiveEffectId, reason: RemovalReason) -> Option<(ControllerId, u16)> {
        let State { effects, timers, now, .. } = &mut self.state;
        let active = effects.get_mut(id)?;
        self.scratch.current.set_cause_to(id, active, *now);
        active.timers.cancel(timers);
        let (effect_id, target, stacks) = (active.effect, active.target, active.stacks);
        let (running, sequence) = (active.status == EffectStatus::Running, active.sequence);
        let source = active.source();
        let has_given = core::mem::take(&mut active.given) && !active.inhibited;
        let grants_tags = active.spec.grants_nothing() && active.parts.granted.is_empty();
        let Some(effect) = self.state.definition(&self.catalog, effect_id).cloned() else {
            // Its definition is gone, so it cannot end by itself: it is dropped.
            self.state.unlist_effect(id, target);
            self.state.effects.discard(id);
            return None;
        };
        self.trace(effect_id);
        self.emit_in_place(|| EventKind::EffectRemoved {
            effect: effect_id,
            active: id,
            target,
            stacks,
            reason,
        });
        if is_linked(&self.catalog, &effect, effect_id, source, target) {
            self.unwatch(id, &effect);
        }
        if effect.only_holds && effect.expiration.is_empty() && running && has_given && grants_tags {
            let slot = self.release_held(target, id, sequence, &effect);
            self.state.effects.discard(id);
            return slot.map(|slot| (target, slot));
        }
        if running {
            self.detach_modifiers(id, &effect);
            if has_given {
                self.remove_grants(id, &effect, Withdrawal::Removal);
            }
        }
        self.state.unlist_effect(id, target);
        let active = self.state.effects.get_mut(id)?;
        let granted = active.take_granted();
        let has_followups = running && reason != RemovalReason::TargetGone;
        let spec = (has_followups && !effect.expiration.is_empty()).then(|| active.spec.take());
        self.state.effects.discard(id);
        // Abilities that an inhibited effect left with its target stay there, now as the target's own (A8).
        for handle in granted {
            self.release_ability(handle);
        }
        if let Some(spec) = spec {
            self.apply_expiration_effects(&effect, &spec, target, reason);
        }
        if has_followups && effect.def.policy == ExecutionPolicy::RunInSequence {
            self.scratch.cascade.begins.push_back((effect_id, target));
        }
        None
    }

    /// E10: queues the routine expiration effects at the end of the duration, the premature ones otherwise.
    fn apply_expiration_effects(
        &mut self,
        effect: &Effect,
        spec: &crate::effect::EffectSpec,
        target: ControllerId,
        reason: RemovalReason,
    ) {
        let by_reason = match reason {
            RemovalReason::Expired => &effect.expiration.routine,
            _ => &effect.expiration.premature,
        };
        for &next in by_reason.iter().chain(&effect.expiration.always) {
            self.enqueue_linked(next, spec, target, &[]);
        }
    }

    /// E4: begins the first instance of an effect on a target if it is queued: the one before it has ended.
    pub(super) fn begin_next(&mut self, id: EffectId, target: ControllerId) {
        let Some(next) = self.instances_of(id, target).next() else { return };
        let queued = self.state.effects.get(next).is_some_and(|active| active.status == EffectStatus::Queued);
        if !queued {
            return;
        }
        self.begin_waiting(next);
    }

    /// Begins a queued instance: clock, modifiers, first tick and the consequences of an application. One
    /// that would close a cycle is refused and removed (B6).
    pub(super) fn begin_waiting(&mut self, next: ActiveEffectId) {
        let Some(id) = self.state.effects.get(next).map(|active| active.effect) else { return };
        let Some(effect) = self.state.definition(&self.catalog, id).cloned() else { return };
        self.set_cause_to_effect(next);
        if let Err(reason) = self.check_cycles_of(next, &effect) {
            self.refuse_waiting(next, id, reason);
            return;
        }
        // M4: among overrides, its recency counts from its beginning.
        let applied = self.state.next_sequence();
        if let Some(active) = self.state.effects.get_mut(next) {
            active.applied = applied;
        }
        let is_complete = self.attach_modifiers(next, &effect);
        self.begin(next, &effect);
        self.refresh_magnitudes(next, &effect);
        if !is_complete {
            self.report_inert(next, &effect);
        }
        self.first_tick(next, &effect);
        // Values are updated once every queue has moved on (E4).
        self.after_success(next, &effect, |_| {});
    }

    /// B6: removes a queued instance that cannot begin, with a refusal event, and lists the queue again so
    /// that the next one gets its turn.
    fn refuse_waiting(&mut self, active: ActiveEffectId, effect: EffectId, reason: RefusalReason) {
        let Some(target) = self.state.effects.get(active).map(|active| active.target) else { return };
        self.emit_refusal(&Refusal::new(effect, target, reason));
        self.remove_active(active, RemovalReason::Removed);
        self.scratch.cascade.begins.push_back((effect, target));
    }

    /// Handles the timer at the end of an effect's duration (E3, E5): removal, or by the stacking rule one stack less or
    /// none, and a new round of the same duration.
    pub(super) fn expire(&mut self, id: ActiveEffectId) {
        let Some(active) = self.state.effects.get_mut(id) else { return };
        active.timers.expiry = None;
        let (effect, stacks, duration) = (active.effect, active.stacks, active.duration());
        let effect = self.state.definition(&self.catalog, effect);
        let rule = effect.and_then(|effect| effect.stacking.as_ref()).map(|stacking| stacking.expiration);
        let now = self.state.now;
        let duration = duration.filter(|duration| duration.is_positive() && now + *duration > now);
        match (rule, duration) {
            (Some(StackExpiration::RemoveOneAndRefresh), Some(duration)) if stacks > 1 => {
                self.set_stacks(id, stacks - 1);
                self.restart_clock(id, Some(duration));
            }
            (Some(StackExpiration::Refresh), Some(duration)) => {
                self.set_cause_to_effect(id);
                self.restart_clock(id, Some(duration));
            }
            _ => self.remove_last(id, RemovalReason::Expired),
        }
    }

    /// Sets the cause and prediction key of later events to those of an active effect. The current time
    /// becomes the index of its shared rolls.
    pub(super) fn set_cause_to_effect(&mut self, id: ActiveEffectId) {
        let Some(active) = self.state.effects.get(id) else { return };
        self.scratch.current.set_cause_to(id, active, self.state.now);
    }
}

impl Current {
    /// Sets cause, prediction and roll to those of an active effect at an instant.
    #[inline]
    fn set_cause_to(&mut self, id: ActiveEffectId, active: &ActiveEffect, now: Time) {
        let cause = Cause {
            operation: self.cause().operation,
            effect: Some(active.effect),
            active: Some(id),
            source: active.source(),
            ability: active.spec.context.ability,
        };
        self.set_cause_and_prediction(cause, active.spec.prediction());
        self.op.roll = now.micros();
    }
}
