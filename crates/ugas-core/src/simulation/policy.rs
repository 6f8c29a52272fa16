//! Execution policies and stacking (§9.6, E4, E5): how an application meets instances that are already there.

use std::sync::Arc;

use super::Simulation;
use super::apply::{Application, Prepared, Reasons, evaluate_modifiers, refuse};
use super::execute::{Run, SpecRef};
use super::magnitude::Inputs;
use crate::controller::index::EffectKey;
use crate::effect::{
    ActiveEffect, DurationRefresh, Effect, EffectSpec, EffectStatus, EffectTimers, ExecutionPolicy,
    PeriodReset, Stacking, StackingType,
};
use crate::event::{EventKind, RemovalReason};
use crate::handle::{ActiveEffectId, ControllerId};
use crate::id::EffectId;
use crate::refusal::{Limit, RefusalReason};
use crate::time::Span;

impl Simulation {
    /// Makes an application part of the target: a new instance, a stack, a merge or a place in the queue.
    pub(super) fn admit(&mut self, prepared: Prepared<'_>) -> Result<Application, Reasons> {
        let id = prepared.spec.effect;
        if let Some(stacking) = &prepared.effect.stacking {
            let source = prepared.spec.context.source;
            if let Some(stack) = self.stack_for(id, stacking, source, prepared.target) {
                return self.add_stack(stack, prepared);
            }
        }
        match prepared.effect.def.policy {
            ExecutionPolicy::RunInParallel => self.add_instance(prepared, EffectStatus::Running),
            ExecutionPolicy::RunInSequence => {
                // Any instance means waiting: one that is queued may be about to begin.
                let waits = self.instances_of(id, prepared.target).next().is_some();
                let status = if waits { EffectStatus::Queued } else { EffectStatus::Running };
                self.add_instance(prepared, status)
            }
            ExecutionPolicy::RunInMerge => match self.instance_of(id, prepared.target) {
                None => self.add_instance(prepared, EffectStatus::Running),
                Some(existing) => self.merge(existing, prepared),
            },
        }
    }

    /// The running instance of an effect on a target, the first applied of several.
    fn instance_of(&self, effect: EffectId, target: ControllerId) -> Option<ActiveEffectId> {
        self.instances_of(effect, target).find(|&id| {
            self.state.effects.get(id).is_some_and(|active| active.status == EffectStatus::Running)
        })
    }

    /// The stack that an application joins (E5). Without a source nothing stacks by source.
    fn stack_for(
        &self,
        effect: EffectId,
        stacking: &Stacking,
        source: Option<ControllerId>,
        target: ControllerId,
    ) -> Option<ActiveEffectId> {
        let key = match stacking.kind {
            StackingType::AggregateByTarget => EffectKey::Instance(effect),
            StackingType::AggregateBySource => EffectKey::InstanceFrom(effect, source?),
        };
        let stacks = self.state.controllers.get(target)?.extras.effect_index.about(key);
        stacks.first().map(|&(.., id)| id)
    }

    fn add_instance(&mut self, prepared: Prepared<'_>, status: EffectStatus) -> Result<Application, Reasons> {
        self.check_effect_limit(prepared.target)?;
        let Prepared { effect, spec, target, stream, magnitudes, duration, period } = prepared;
        let sequence = self.state.next_sequence();
        let effect_id = spec.effect;
        let inhibited = status == EffectStatus::Running && self.fails_ongoing(effect, target);
        let id = self.state.effects.insert(ActiveEffect {
            effect: effect_id,
            target,
            spec: spec.take(),
            sequence,
            applied: sequence,
            stacks: 1,
            status,
            inhibited,
            given: false,
            phase: self.state.now,
            started: self.state.now,
            duration,
            expires: None,
            period,
            next_tick: None,
            ticks: 0,
            magnitudes,
            stream,
            last_source: None,
            granted: Default::default(),
            refresh_pending: false,
            judgement_pending: false,
            qualification_pending: false,
            timers: EffectTimers::default(),
        });
        if let Some(controller) = self.state.controllers.get_mut(target) {
            controller.effects.push(id);
        }
        // Its own modifiers may change what its live magnitudes read (E8).
        self.watch(id, effect);
        if status == EffectStatus::Running
            && let Err(reasons) = self.try_modifiers(id, effect, Self::attach_modifiers)
        {
            self.unwatch(id, effect);
            self.detach_modifiers(id, effect);
            self.recompute_values();
            self.state.effects.remove(id);
            if let Some(controller) = self.state.controllers.get_mut(target) {
                controller.effects.pop();
            }
            self.state.sequence -= 1;
            return Err(reasons);
        }
        if status == EffectStatus::Queued {
            self.emit(EventKind::EffectQueued { effect: effect_id, active: id, target });
            return Ok(Application::Queued(id));
        }
        self.begin(id, effect);
        self.report_inert(id, effect);
        self.first_tick(id, effect);
        Ok(Application::Active(id))
    }

    /// Starts an instance: its clock, its modifiers and, if asked for, its first tick. Tags, abilities and cues follow
    /// in [`after_success`](Self::after_success).
    pub(super) fn begin(&mut self, id: ActiveEffectId, effect: &Arc<Effect>) {
        let now = self.state.now;
        let Some(active) = self.state.effects.get_mut(id) else { return };
        let (effect_id, target) = (active.effect, active.target);
        active.status = EffectStatus::Running;
        active.started = now;
        active.phase = now;
        active.expires = active.duration.map(|duration| now + duration.max(Span::ZERO));
        active.next_tick = Self::next_tick_after(active, now);
        let inhibited = self.fails_ongoing(effect, target);
        let was = match self.state.effects.get_mut(id) {
            Some(active) => core::mem::replace(&mut active.inhibited, inhibited),
            None => inhibited,
        };
        self.schedule(id);
        self.scratch.blame_active(id);
        self.emit(EventKind::EffectApplied { effect: effect_id, active: id, target });
        if was != inhibited {
            self.update_modifiers(id, effect);
        }
    }

    /// Whether an effect would be inhibited on a target as it is now (E7).
    #[inline]
    fn fails_ongoing(&self, effect: &Effect, target: ControllerId) -> bool {
        if effect.ongoing.is_trivial() {
            return false;
        }
        let controller = self.state.controllers.get(target);
        controller.is_some_and(|controller| !effect.ongoing.is_met_by(&controller.tags))
    }

    pub(super) fn first_tick(&mut self, id: ActiveEffectId, effect: &Effect) {
        if effect.period.is_some_and(|period| period.execute_on_application) {
            self.execute_tick(id);
        }
    }

    /// V2: a change of modifiers that would lead beyond the finite numbers is refused. Makes the change and
    /// recalculates to find out; the caller takes it back. Inside a batch the recalculation waits, and values that it
    /// cannot compute stay what they were.
    pub(super) fn try_modifiers(
        &mut self,
        id: ActiveEffectId,
        effect: &Effect,
        change: impl FnOnce(&mut Self, ActiveEffectId, &Effect),
    ) -> Result<(), Reasons> {
        change(self, id, effect);
        if self.scratch.batch_depth > 0 {
            return Ok(());
        }
        self.scratch.trial = Some(None);
        self.recompute_values();
        match self.scratch.trial.take().flatten() {
            None => Ok(()),
            Some(attribute) => {
                let modifier = effect.modifiers.iter().position(|modifier| modifier.attribute == attribute);
                let modifier = modifier.map(|at| at as u16);
                Err(refuse(RefusalReason::NonFinite { modifier, attribute: Some(attribute) }))
            }
        }
    }

    /// E5: one more stack. The new spec replaces the old one.
    fn add_stack(&mut self, id: ActiveEffectId, prepared: Prepared<'_>) -> Result<Application, Reasons> {
        let Some(stacking) = prepared.effect.stacking.clone() else {
            return self.add_instance(prepared, EffectStatus::Running);
        };
        let Some(active) = self.state.effects.get(id) else {
            return self.add_instance(prepared, EffectStatus::Running);
        };
        let old = active.stacks;
        let full = stacking.limit > 0 && old >= stacking.limit;
        if full {
            let ends = stacking.deny_overflow || stacking.clear_on_overflow;
            if ends {
                self.overflow(&stacking, prepared.spec, prepared.target);
            }
            if stacking.clear_on_overflow {
                self.remove_active(id, RemovalReason::Overflowed);
            }
            if stacking.deny_overflow {
                return Err(refuse(RefusalReason::StackOverflow { stack: id }));
            }
            if stacking.clear_on_overflow {
                return Ok(Application::Cleared);
            }
        }
        if !full && old >= self.config.max_stacks {
            return Err(refuse(RefusalReason::LimitReached(Limit::Stacks)));
        }
        let stacks = if full { old } else { old.saturating_add(1) };
        let effect = prepared.effect;
        let (effect_id, target) = (prepared.spec.effect, prepared.target);
        let (duration, period) = (prepared.duration, prepared.period);
        let spec = (full && !stacking.overflow_effects.is_empty()).then(|| prepared.spec.clone());
        self.replace_spec(id, prepared, stacks)?;
        if let Some(spec) = spec {
            self.overflow(&stacking, &spec, target);
        }
        if stacks != old {
            self.emit(EventKind::EffectStackChanged {
                effect: effect_id,
                active: id,
                target,
                old,
                new: stacks,
            });
        }
        let now = self.state.now;
        let Some(active) = self.state.effects.get_mut(id) else { return Ok(Application::Cleared) };
        let remaining = active.expires.map(|end| end.since(now));
        // The outer `None` leaves the clock alone, the inner one is for ever.
        let refreshed = match stacking.duration_refresh {
            DurationRefresh::Never => None,
            DurationRefresh::Refresh => (duration.is_some() || active.expires.is_some()).then_some(duration),
            DurationRefresh::Extend => remaining.map(|remaining| {
                let extended = duration.map(|duration| remaining + duration);
                // The cap limits what is added; it takes nothing away.
                let capped = |extended: Span, most: Span| extended.min(most).max(remaining);
                extended.map(|extended| stacking.max_duration.map_or(extended, |most| capped(extended, most)))
            }),
        };
        let reset_period = stacking.period_reset == PeriodReset::Reset && active.period.is_some();
        if reset_period {
            active.period = period;
        }
        if let Some(duration) = refreshed {
            self.restart_clock(id, duration);
        }
        if reset_period {
            if let Some(active) = self.state.effects.get_mut(id) {
                active.phase = now;
                active.next_tick = Self::next_tick_after(active, now);
            }
            self.schedule(id);
            self.first_tick(id, effect);
        }
        Ok(Application::Stacked { active: id, stacks })
    }

    fn overflow(&mut self, stacking: &Stacking, spec: &EffectSpec, target: ControllerId) {
        for &effect in &stacking.overflow_effects {
            self.enqueue_linked(effect, spec, target);
        }
    }

    /// Lets an instance last `duration` from now; `None` is for ever.
    pub(super) fn restart_clock(&mut self, id: ActiveEffectId, duration: Option<Span>) {
        let now = self.state.now;
        let Some(active) = self.state.effects.get_mut(id) else { return };
        active.duration = duration;
        active.started = now;
        active.expires = duration.map(|duration| now + duration.max(Span::ZERO));
        self.resume_ticks(id);
        self.schedule(id);
        self.report_duration(id, duration);
    }

    pub(super) fn report_duration(&mut self, id: ActiveEffectId, remaining: Option<Span>) {
        let Some(active) = self.state.effects.get(id) else { return };
        let (effect, target) = (active.effect, active.target);
        self.emit(EventKind::EffectDurationChanged { effect, active: id, target, remaining });
    }

    /// An instance whose end moved away may tick again, in the phase that it had.
    pub(super) fn resume_ticks(&mut self, id: ActiveEffectId) {
        let now = self.state.now;
        let Some(active) = self.state.effects.get_mut(id) else { return };
        let Some(next) = active.tick_after(now) else { return };
        let within = |at: crate::time::Time| active.expires.is_none_or(|end| at <= end);
        match active.next_tick {
            Some(next) if within(next) => {}
            Some(_) => active.next_tick = None,
            None => active.next_tick = within(next).then_some(next),
        }
    }

    /// E4: one instance, from the first start to the latest end; the newest spec counts, the period keeps its phase.
    fn merge(&mut self, id: ActiveEffectId, prepared: Prepared<'_>) -> Result<Application, Reasons> {
        let now = self.state.now;
        let (effect_id, target, duration) = (prepared.spec.effect, prepared.target, prepared.duration);
        self.replace_spec(id, prepared, 1)?;
        self.emit(EventKind::EffectMerged { effect: effect_id, active: id, target });
        let Some(active) = self.state.effects.get_mut(id) else { return Ok(Application::Cleared) };
        let end = duration.map(|duration| now + duration.max(Span::ZERO));
        let latest = match (active.expires, end) {
            (Some(old), Some(new)) => Some(old.max(new)),
            (None, _) | (_, None) => None,
        };
        if latest != active.expires {
            active.expires = latest;
            active.duration = latest.map(|end| end.since(active.started));
            let remaining = latest.map(|end| end.since(now));
            self.resume_ticks(id);
            self.schedule(id);
            self.report_duration(id, remaining);
        }
        Ok(Application::Merged(id))
    }

    /// Replaces the spec of an instance, with everything that was computed from it; on failure it is as it was.
    fn replace_spec(
        &mut self,
        id: ActiveEffectId,
        prepared: Prepared<'_>,
        stacks: u32,
    ) -> Result<(), Reasons> {
        let Prepared { effect, spec, magnitudes, stream, .. } = prepared;
        let Some(before) = self.state.effects.get(id).cloned() else { return Ok(()) };
        let applied = self.state.next_sequence();
        let retag = before.spec.granted_tags != spec.granted_tags && !before.inhibited && before.given;
        let target = before.target;
        let (old_tags, new_tags) = (before.spec.granted_tags.clone(), spec.granted_tags.clone());
        let spec = spec.take();
        // What it follows is the same, unless it is of another source now.
        let moves = before.spec.context.source != spec.context.source;
        if moves {
            self.unwatch(id, effect);
        }
        let source_lives = spec.context.source.is_some_and(|source| self.state.controllers.contains(source));
        if let Some(active) = self.state.effects.get_mut(id) {
            active.spec = spec;
            active.magnitudes = magnitudes;
            active.stream = stream;
            active.stacks = stacks;
            active.applied = applied;
            // M5: applied again for a source that is gone, it remembers what it knew.
            if active.spec.context.source != before.spec.context.source || source_lives {
                active.last_source = None;
            }
        }
        if moves {
            self.watch(id, effect);
        }
        if stacks > 1 {
            self.reevaluate(id, effect);
        }
        let outcome = self.try_modifiers(id, effect, Self::update_modifiers);
        if outcome.is_err() {
            if moves {
                self.unwatch(id, effect);
            }
            if let Some(active) = self.state.effects.get_mut(id) {
                *active = before;
            }
            if moves {
                self.watch(id, effect);
            }
            self.update_modifiers(id, effect);
            self.recompute_values();
            self.state.sequence -= 1;
        }
        if retag && outcome.is_ok() {
            // First the new ones, so that a tag which stays never seems to go (T2).
            for tag in new_tags {
                self.add_tag(target, tag);
            }
            for tag in old_tags {
                self.remove_tag(target, tag);
            }
        }
        outcome
    }

    /// Evaluates all magnitudes again, because the stack count or the spec changed. If one cannot be evaluated, all
    /// stay what they were.
    pub(super) fn reevaluate(&mut self, id: ActiveEffectId, effect: &Effect) {
        let Some(active) = self.state.effects.get(id) else { return };
        let inputs = Inputs::of(&self.state, &self.catalog, effect, active);
        if let Ok(magnitudes) = evaluate_modifiers(&inputs)
            && let Some(active) = self.state.effects.get_mut(id)
        {
            active.magnitudes = magnitudes;
        }
    }

    /// Executes one tick of a periodic effect, unless it is inhibited (E7).
    pub(super) fn execute_tick(&mut self, id: ActiveEffectId) {
        let Some(active) = self.state.effects.get_mut(id) else { return };
        if active.inhibited || active.status == EffectStatus::Queued {
            return;
        }
        let (effect_id, target, tick) = (active.effect, active.target, active.ticks);
        active.ticks = active.ticks.saturating_add(1);
        let Some(effect) = self.state.definition(&self.catalog, effect_id).cloned() else { return };
        if self.leaves_tick(id, &effect) {
            return;
        }
        let run = Run { effect: &effect, spec: SpecRef::Active(id), target, tick };
        if let Err(reason) = self.execute_run(&run) {
            let refusal = crate::refusal::Refusal::new(effect_id, target, reason);
            self.tell_refused_effect(&refusal);
        }
    }
}
