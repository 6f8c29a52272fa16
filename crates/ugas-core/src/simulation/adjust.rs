//! Changes to effects that are already active (GASD §4.5.16).

use std::sync::Arc;

use super::Simulation;
use super::apply::evaluate_modifiers;
use super::magnitude::Inputs;
use crate::effect::{Effect, EffectSpec, EffectStatus};
use crate::event::RemovalReason;
use crate::handle::ActiveEffectId;
use crate::id::TagId;
use crate::refusal::{Reasons, RefusalReason};
use crate::time::Span;

impl Simulation {
    /// Sets the duration of an active effect, counted from its start; `None` makes it infinite. Emits
    /// `EffectDurationChanged`. An effect that has already lasted longer ends now; a queued one uses the
    /// duration when it begins.
    ///
    /// # Errors
    /// If the effect is no longer active.
    pub fn set_duration(
        &mut self,
        active: ActiveEffectId,
        duration: Option<Span>,
    ) -> Result<(), RefusalReason> {
        if !self.state.effects.contains(active) {
            return Err(RefusalReason::UnknownHandle(active));
        }
        self.operate(|sim| {
            sim.set_cause_to_effect(active);
            let now = sim.state.now;
            let Some(effect) = sim.state.effects.get_mut(active) else { return };
            effect.clock.set_duration(duration);
            if effect.status == EffectStatus::Queued {
                return;
            }
            let expires = duration.map(|duration| effect.started() + duration.max(Span::ZERO));
            effect.clock.set_expires(expires);
            let remaining = expires.map(|end| end.since(now));
            if remaining.is_some_and(|left| !left.is_positive()) {
                sim.remove_active(active, RemovalReason::Expired);
                return;
            }
            sim.resume_ticks(active);
            sim.schedule(active);
            sim.report_duration(active, remaining);
        });
        Ok(())
    }

    /// Sets the remaining time of an active effect, counted from now, for example to shorten a cooldown. For
    /// a queued effect it is the whole duration.
    ///
    /// # Errors
    /// If the effect is no longer active.
    pub fn set_remaining(&mut self, active: ActiveEffectId, remaining: Span) -> Result<(), RefusalReason> {
        let effect = self.state.effects.get(active).ok_or(RefusalReason::UnknownHandle(active))?;
        let elapsed = match effect.status {
            EffectStatus::Queued => Span::ZERO,
            EffectStatus::Running => self.state.now.since(effect.started()),
        };
        self.set_duration(active, Some(elapsed + remaining))
    }

    /// Changes the level of an active effect and evaluates its magnitudes again. The duration stays
    /// unchanged.
    ///
    /// # Errors
    /// If the effect is no longer active, or a magnitude cannot be evaluated; the effect is unchanged then.
    pub fn set_level(&mut self, active: ActiveEffectId, level: f64) -> Result<(), RefusalReason> {
        self.adjust_spec(active, level, |spec| spec.level = level)
    }

    /// Changes a number that the caller provided (SetByCaller) and evaluates the magnitudes again. The
    /// duration stays unchanged.
    ///
    /// # Errors
    /// If the effect is no longer active, or a magnitude cannot be evaluated; the effect is unchanged then.
    pub fn set_magnitude(
        &mut self,
        active: ActiveEffectId,
        tag: TagId,
        value: f64,
    ) -> Result<(), RefusalReason> {
        let known = self.state.effects.get(active).ok_or(RefusalReason::UnknownHandle(active))?;
        if known.spec.magnitude(tag).is_none() {
            let more = known.spec.magnitudes().len().saturating_add(1);
            self.check_extras(more).map_err(RefusalReason::LimitReached)?;
        }
        self.adjust_spec(active, value, |spec| spec.set_magnitude(tag, value))
    }

    /// Changes the spec of an active effect and evaluates its magnitudes again, as an operation. `value` is
    /// the new number, checked to be finite. Returns the first reason for a failure; the effect is unchanged
    /// then.
    fn adjust_spec(
        &mut self,
        id: ActiveEffectId,
        value: f64,
        change: impl FnOnce(&mut EffectSpec),
    ) -> Result<(), RefusalReason> {
        let active = self.state.effects.get(id).ok_or(RefusalReason::UnknownHandle(id))?;
        let unknown = RefusalReason::UnknownEffect(active.effect);
        let effect = self.state.definition(&self.catalog, active.effect).cloned().ok_or(unknown)?;
        if !value.is_finite() {
            return Err(RefusalReason::NonFinite { modifier: None, attribute: None });
        }
        let outcome = self.operate(|sim| sim.replace_magnitudes(id, &effect, change));
        // Evaluation stops at the first reason.
        outcome.map_err(Reasons::into_first)
    }

    /// Body of [`Self::adjust_spec`]: changes the spec, then the magnitudes and, unless the effect is queued,
    /// its modifiers. On failure spec, magnitudes and modifiers are restored.
    fn replace_magnitudes(
        &mut self,
        id: ActiveEffectId,
        effect: &Arc<Effect>,
        change: impl FnOnce(&mut EffectSpec),
    ) -> Result<(), Reasons> {
        self.set_cause_to_effect(id);
        let Some(active) = self.state.effects.get_mut(id) else { return Ok(()) };
        let before = (active.spec.clone(), active.magnitudes.clone());
        change(&mut active.spec);
        let Some(active) = self.state.effects.get(id) else { return Ok(()) };
        let queued = active.status == EffectStatus::Queued;
        let evaluated = evaluate_modifiers(&Inputs::of(&self.state, &self.catalog, effect, active));
        let outcome = evaluated.and_then(|magnitudes| {
            if let Some(active) = self.state.effects.get_mut(id) {
                active.magnitudes = magnitudes;
            }
            if queued { Ok(()) } else { self.try_modifiers(id, effect, Self::update_modifiers) }
        });
        if outcome.is_err()
            && let Some(active) = self.state.effects.get_mut(id)
        {
            (active.spec, active.magnitudes) = before;
            self.update_modifiers(id, effect);
        }
        outcome
    }
}
