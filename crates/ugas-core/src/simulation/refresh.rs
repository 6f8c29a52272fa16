//! Re-evaluation of active effects: removal by tags, inhibition (E7), live magnitudes (E8), live
//! qualification (M5).

use std::sync::Arc;

use super::Simulation;
use super::activate::Withdrawal;
use super::cascade::Consequence;
use super::magnitude::{Dice, Inputs};
use crate::effect::{Effect, EffectStatus, PeriodicInhibition};
use crate::event::{Cause, EventKind, RemovalReason};
use crate::handle::ActiveEffectId;

impl Simulation {
    /// Re-evaluates an active effect after a change of something that it watches: removal by tags, then
    /// inhibition, live magnitudes and qualification. It may remove the effect at once; of a queued one only
    /// the removal is judged.
    pub(super) fn refresh_effect(&mut self, id: ActiveEffectId) {
        let Some(active) = self.state.effects.get_mut(id) else { return };
        active.refresh_pending = false;
        let (target, status, inhibited) = (active.target, active.status, active.inhibited);
        let Some(effect) = self.state.effects.get(id).map(|active| active.effect) else { return };
        let Some(effect) = self.state.definition(&self.catalog, effect).cloned() else { return };
        let Some(controller) = self.state.controllers.get(target) else { return };
        if controller.tags.has_any(&effect.remove_on) {
            // Removed at once: its modifiers never count while the tag is there.
            let (cause, prediction) = (self.scratch.current.cause(), self.scratch.current.prediction());
            self.remove_active(id, RemovalReason::RemovedByTag);
            self.scratch.current.set_cause_and_prediction(cause, prediction);
            return;
        }
        if status == EffectStatus::Queued {
            return;
        }
        let should_inhibit = !effect.ongoing.is_met_by(&controller.tags);
        if should_inhibit != inhibited {
            self.set_inhibited(id, &effect, should_inhibit);
        }
        self.refresh_magnitudes(id, &effect);
        self.requalify(id, &effect);
    }

    /// Re-evaluates the magnitudes and qualifications of an active effect in the middle of an application.
    /// Its inhibition and removal are postponed: a full refresh is queued once the values are updated.
    pub(super) fn follow_inputs(&mut self, id: ActiveEffectId) {
        let Some(active) = self.state.effects.get_mut(id) else { return };
        active.refresh_pending = false;
        let (effect, status) = (active.effect, active.status);
        if !core::mem::replace(&mut active.judgement_pending, true) {
            self.scratch.pending.postponed.push(id);
        }
        if status == EffectStatus::Running
            && let Some(effect) = self.state.definition(&self.catalog, effect).cloned()
        {
            self.refresh_magnitudes(id, &effect);
            self.requalify(id, &effect);
        }
    }

    /// E7: withdraws or restores modifiers, tags, abilities and cues, with an event; the clock keeps running.
    fn set_inhibited(&mut self, id: ActiveEffectId, effect: &Arc<Effect>, inhibited: bool) {
        let Some(active) = self.state.effects.get_mut(id) else { return };
        active.inhibited = inhibited;
        let (given, effect_id, target) = (active.given, active.effect, active.target);
        let cause = Cause {
            operation: self.scratch.current.cause().operation,
            effect: Some(active.effect),
            active: Some(id),
            source: active.source(),
            ability: active.spec.context.ability,
        };
        let outer = self.scratch.current.cause();
        self.scratch.current.set_cause(cause);
        self.update_modifiers(id, effect);
        if inhibited {
            self.emit(EventKind::EffectInhibited { effect: effect_id, active: id, target });
            if given {
                self.remove_grants(id, effect, Withdrawal::Inhibition);
            }
        } else {
            self.emit(EventKind::EffectResumed { effect: effect_id, active: id, target });
            if given {
                self.add_grants(id, effect);
            }
            self.resume_period(id, effect);
        }
        self.scratch.current.set_cause(outer);
    }

    /// E7: restarts the period after an inhibition, with a queued tick at once, as the effect's rule says.
    fn resume_period(&mut self, id: ActiveEffectId, effect: &Arc<Effect>) {
        let rule = effect.def.periodic_inhibition;
        let now = self.state.now;
        let Some(active) = self.state.effects.get_mut(id) else { return };
        if active.period().is_none() || rule == PeriodicInhibition::NeverReset {
            return;
        }
        active.clock.count_from(now);
        self.schedule(id);
        if rule == PeriodicInhibition::ExecuteAndReset {
            self.enqueue(Consequence::Tick { active: id });
        }
    }

    /// E8: re-evaluates live magnitudes and updates the modifiers if one changed. A magnitude that cannot be
    /// evaluated stays unchanged and emits `EvaluationFailed`.
    pub(super) fn refresh_magnitudes(&mut self, id: ActiveEffectId, effect: &Arc<Effect>) {
        if !effect.has_live_magnitudes {
            return;
        }
        let mut changed = false;
        for (index, modifier) in effect.modifiers.iter().enumerate().filter(|(_, modifier)| modifier.live) {
            let Some(active) = self.state.effects.get(id) else { return };
            let target = active.target;
            // M5: readings of a source that is gone keep their last values.
            if active.parts.last_source.is_some() && modifier.reads_source() {
                continue;
            }
            let inputs = Inputs::of(&self.state, &self.catalog, effect, active);
            match inputs.magnitude(&modifier.magnitude, Dice::Modifier(index as u16)) {
                Ok(value) => {
                    let Some(active) = self.state.effects.get_mut(id) else { return };
                    if let Some(magnitude) = active.magnitudes.get_mut(index)
                        && *magnitude != value
                    {
                        *magnitude = value;
                        changed = true;
                    }
                }
                Err(_) => {
                    self.emit(EventKind::EvaluationFailed {
                        controller: target,
                        attribute: modifier.attribute,
                    });
                }
            }
        }
        if changed {
            self.update_modifiers(id, effect);
        }
    }

    /// M5: marks the attributes of modifiers with tag requirements for re-evaluation, if a tag that they read
    /// changed; their evaluation judges the requirements.
    fn requalify(&mut self, id: ActiveEffectId, effect: &Effect) {
        let Some(active) = self.state.effects.get_mut(id) else { return };
        if !core::mem::take(&mut active.qualification_pending) {
            return;
        }
        for modifier in effect.modifiers.iter().filter(|modifier| modifier.is_conditional()) {
            let Some(active) = self.state.effects.get(id) else { return };
            let target = active.target;
            if let Some((_, slot)) = self.state.locate(target, modifier.attribute) {
                self.mark_dirty(target, slot as u16);
            }
        }
    }
}
