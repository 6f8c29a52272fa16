//! Execution policies and stacking (§9.6, E4, E5): how an application combines with existing instances.

use std::sync::Arc;

use smallvec::SmallVec;

use super::activate::schedule;
use super::apply::{Application, Prepared, evaluate_modifiers, refuse};
use super::calculate::Marks;
use super::execute::{Run, ValueEvents};
use super::flush::Recalculation;
use super::magnitude::Inputs;
use super::{Simulation, State};
use crate::controller::Controller;
use crate::controller::index::EffectKey;
use crate::effect::{
    ActiveEffect, Clock, DurationRefresh, Effect, EffectSpec, EffectStatus, ExecutionPolicy, LastSource,
    PeriodReset, Stacking, StackingType,
};
use crate::event::{EventKind, RemovalReason};
use crate::handle::{ActiveEffectId, ControllerId};
use crate::id::EffectId;
use crate::refusal::{Limit, Reasons, RefusalReason};
use crate::time::Span;

impl Simulation {
    /// Adds an application to the target: as a new instance, a stack, a merge or a queued instance.
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
                // Any existing instance means waiting: a queued one may be about to begin.
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

    /// Running instance of an effect on a target, the first applied of several; queued ones do not count.
    pub(super) fn instance_of(&self, effect: EffectId, target: ControllerId) -> Option<ActiveEffectId> {
        self.instances_of(effect, target).find(|&id| {
            self.state.effects.get(id).is_some_and(|active| active.status == EffectStatus::Running)
        })
    }

    /// Instance that an application joins as a stack (E5); `None` if it needs a new one. Without a source
    /// nothing stacks by source.
    pub(super) fn stack_for(
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
        let stacks = self.state.controllers.get(target)?.interactions.effect_index.entries_for(key);
        stacks.first().map(|&(.., id)| id)
    }

    /// Inserts a new instance, and executes its first tick if it runs and its period asks for that.
    fn add_instance(&mut self, prepared: Prepared<'_>, status: EffectStatus) -> Result<Application, Reasons> {
        let effect = prepared.effect;
        let application = self.insert_instance(prepared, status)?;
        if let Application::Active(id) = application {
            self.first_tick(id, effect);
        }
        Ok(application)
    }

    /// Inserts a new instance with its modifiers and emits `EffectApplied`, or `EffectQueued`; no tick is
    /// executed yet. On an error the state is as before.
    pub(super) fn insert_instance(
        &mut self,
        prepared: Prepared<'_>,
        status: EffectStatus,
    ) -> Result<Application, Reasons> {
        self.check_effect_limit(prepared.target)?;
        let Prepared { effect, spec, target, stream, magnitudes, duration, period } = prepared;
        let sequence = self.state.next_sequence();
        let effect_id = spec.effect;
        let inhibited =
            status == EffectStatus::Running && fails_ongoing(effect, self.state.controllers.get(target));
        let clock = Clock::new(self.state.now, duration, period);
        let active = ActiveEffect::new(spec.take(), target, sequence, clock, magnitudes, stream);
        let id = self.state.effects.insert(ActiveEffect { status, inhibited, ..active });
        if let Some(controller) = self.state.controllers.get_mut(target) {
            controller.effects.push(id);
        }
        // Its own modifiers may change the inputs of its live magnitudes (E8).
        self.watch(id, effect);
        if status == EffectStatus::Queued {
            self.emit(EventKind::EffectQueued { effect: effect_id, active: id, target });
            return Ok(Application::Queued(id));
        }
        let attach = |sim: &mut Self| sim.try_modifiers(id, effect, Self::attach_modifiers);
        let is_complete = match self.guarded(attach, |sim| sim.take_back(id, effect, target)) {
            Ok(is_complete) => is_complete,
            Err(reasons) => {
                self.take_back(id, effect, target);
                self.recompute_values();
                return Err(reasons);
            }
        };
        self.begin(id, effect);
        if !is_complete {
            self.report_inert(id, effect);
        }
        Ok(Application::Active(id))
    }

    /// Removes the newest instance of a target again, with its modifiers. Values are not recalculated.
    #[cold]
    fn take_back(&mut self, id: ActiveEffectId, effect: &Effect, target: ControllerId) {
        self.unwatch(id, effect);
        self.detach_modifiers(id, effect);
        self.state.effects.remove(id);
        if let Some(controller) = self.state.controllers.get_mut(target) {
            controller.effects.pop();
        }
        self.state.sequence -= 1;
    }

    /// Starts the clock of an instance whose modifiers are attached, judges its inhibition and emits
    /// `EffectApplied`. The first tick follows in [`first_tick`](Self::first_tick), tags, abilities and cues
    /// in [`after_success`](Self::after_success).
    pub(super) fn begin(&mut self, id: ActiveEffectId, effect: &Arc<Effect>) {
        let State { now, effects, controllers, timers, .. } = &mut self.state;
        let Some(active) = effects.get_mut(id) else { return };
        let (effect_id, target) = (active.effect, active.target);
        active.status = EffectStatus::Running;
        active.clock.start(*now);
        let inhibited = fails_ongoing(effect, controllers.get(target));
        let was = core::mem::replace(&mut active.inhibited, inhibited);
        if active.clock.is_running() {
            schedule(timers, id, active);
        }
        let context_tags = active.spec.context.tags().clone();
        self.scratch.current.set_cause_active(id);
        self.emit_applied(effect_id, id, target, context_tags);
        if was != inhibited {
            self.update_modifiers(id, effect);
        }
    }

    /// Executes the tick of the application itself, if the effect's period asks for one. The context tags
    /// that it marks are left in the scratch for [`after_success`](Self::after_success).
    pub(super) fn first_tick(&mut self, id: ActiveEffectId, effect: &Effect) {
        if effect.period.is_some_and(|period| period.execute_on_application) {
            self.scratch.buffers.marks = self.execute_tick(id, ValueEvents::Later);
        }
    }

    /// V2: refuses a change of modifiers that would lead beyond the finite numbers. Makes the change and
    /// recalculates to find out; the caller reverts it. Inside a batch the recalculation waits, and values
    /// that cannot be computed stay unchanged.
    pub(super) fn try_modifiers<R>(
        &mut self,
        id: ActiveEffectId,
        effect: &Effect,
        change: impl FnOnce(&mut Self, ActiveEffectId, &Effect) -> R,
    ) -> Result<R, Reasons> {
        let result = change(self, id, effect);
        if self.scratch.current.batch_depth > 0 || self.scratch.pending.is_up_to_date() {
            return Ok(result);
        }
        self.recompute_values_by(Recalculation::MODIFIER_TRIAL).map_err(|attribute| {
            let modifier = effect.modifiers.iter().position(|modifier| modifier.attribute == attribute);
            let modifier = modifier.map(|at| at as u16);
            refuse(RefusalReason::NonFinite { modifier, attribute: Some(attribute) })
        })?;
        Ok(result)
    }

    /// E5: adds a stack to an instance, or handles the overflow of a full one. The new spec replaces the old
    /// one; clock and period restart as the stacking rules say. A full stack that denies overflow refuses.
    fn add_stack(&mut self, id: ActiveEffectId, prepared: Prepared<'_>) -> Result<Application, Reasons> {
        let effect = prepared.effect;
        let Some(stacking) = &effect.stacking else {
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
                self.overflow(stacking, prepared.spec, prepared.target);
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
        let (effect_id, target) = (prepared.spec.effect, prepared.target);
        let (duration, period) = (prepared.duration, prepared.period);
        let spec = (full && !stacking.overflow_effects.is_empty()).then(|| prepared.spec.clone());
        self.replace_spec(id, prepared, stacks)?;
        if let Some(spec) = spec {
            self.overflow(stacking, &spec, target);
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
        let remaining = active.expires().map(|end| end.since(now));
        // The outer `None` leaves the clock unchanged; the inner one means infinite.
        let refreshed = match stacking.duration_refresh {
            DurationRefresh::Never => None,
            DurationRefresh::Refresh => {
                (duration.is_some() || active.expires().is_some()).then_some(duration)
            }
            DurationRefresh::Extend => remaining.map(|remaining| {
                let extended = duration.map(|duration| remaining + duration);
                // The cap limits the extension; it never shortens the remaining time.
                let capped = |extended: Span, most: Span| extended.min(most).max(remaining);
                extended.map(|extended| stacking.max_duration.map_or(extended, |most| capped(extended, most)))
            }),
        };
        let reset_period = stacking.period_reset == PeriodReset::Reset && active.period().is_some();
        if reset_period {
            active.clock.set_period(period);
        }
        if let Some(duration) = refreshed {
            self.restart_clock(id, duration);
        }
        if reset_period {
            if let Some(active) = self.state.effects.get_mut(id) {
                active.clock.count_from(now);
            }
            self.schedule(id);
            self.first_tick(id, effect);
        }
        Ok(Application::Stacked { active: id, stacks })
    }

    /// Queues the overflow effects of a stack.
    fn overflow(&mut self, stacking: &Stacking, spec: &EffectSpec, target: ControllerId) {
        for &effect in &stacking.overflow_effects {
            self.enqueue_linked(effect, spec, target, &[]);
        }
    }

    /// Restarts the clock of an instance with `duration` from now, and emits the change; `None` is infinite.
    pub(super) fn restart_clock(&mut self, id: ActiveEffectId, duration: Option<Span>) {
        let now = self.state.now;
        let Some(active) = self.state.effects.get_mut(id) else { return };
        active.clock.set_duration(duration);
        active.clock.started = now;
        active.clock.set_expires(duration.map(|duration| now + duration.max(Span::ZERO)));
        self.resume_ticks(id);
        self.schedule(id);
        self.report_duration(id, duration);
    }

    /// Emits `EffectDurationChanged`; a `remaining` of `None` is infinite.
    pub(super) fn report_duration(&mut self, id: ActiveEffectId, remaining: Option<Span>) {
        let Some(active) = self.state.effects.get(id) else { return };
        let (effect, target) = (active.effect, active.target);
        self.emit(EventKind::EffectDurationChanged { effect, active: id, target, remaining });
    }

    /// Adjusts the next tick of an instance whose end moved: ticks resume in the same phase if it ends later,
    /// and a tick beyond the new end is dropped. The caller schedules the timer.
    pub(super) fn resume_ticks(&mut self, id: ActiveEffectId) {
        let now = self.state.now;
        let Some(ActiveEffect { clock, .. }) = self.state.effects.get_mut(id) else { return };
        let Some(next) = clock.tick_after(now) else { return };
        match clock.next_tick() {
            Some(next) if clock.is_alive_at(next) => {}
            Some(_) => clock.set_next_tick(None),
            None => clock.set_next_tick(clock.is_alive_at(next).then_some(next)),
        }
    }

    /// E4: merges into one instance, from the first start to the latest end; the newest spec replaces the old
    /// one, and the period keeps its phase.
    fn merge(&mut self, id: ActiveEffectId, prepared: Prepared<'_>) -> Result<Application, Reasons> {
        let now = self.state.now;
        let (effect_id, target, duration) = (prepared.spec.effect, prepared.target, prepared.duration);
        self.replace_spec(id, prepared, 1)?;
        self.emit(EventKind::EffectMerged { effect: effect_id, active: id, target });
        let Some(active) = self.state.effects.get_mut(id) else { return Ok(Application::Cleared) };
        let end = duration.map(|duration| now + duration.max(Span::ZERO));
        let latest = match (active.expires(), end) {
            (Some(old), Some(new)) => Some(old.max(new)),
            (None, _) | (_, None) => None,
        };
        if latest != active.expires() {
            let started = active.started();
            active.clock.set_expires(latest);
            active.clock.set_duration(latest.map(|end| end.since(started)));
            let remaining = latest.map(|end| end.since(now));
            self.resume_ticks(id);
            self.schedule(id);
            self.report_duration(id, remaining);
        }
        Ok(Application::Merged(id))
    }

    /// Replaces the spec of an instance and everything computed from it; on failure the instance is
    /// unchanged.
    fn replace_spec(
        &mut self,
        id: ActiveEffectId,
        prepared: Prepared<'_>,
        stacks: u32,
    ) -> Result<(), Reasons> {
        let Prepared { effect, spec, target, magnitudes, stream, .. } = prepared;
        let Some(active) = self.state.effects.get(id) else { return Ok(()) };
        let old_tags = &active.spec.parts.granted_tags;
        let retag = *old_tags != spec.parts.granted_tags && !active.inhibited && active.given;
        let retagged = retag.then(|| (old_tags.clone(), spec.parts.granted_tags.clone()));
        // Its subscriptions stay the same unless the source changes.
        let source = spec.context.source;
        let moves = active.source() != source;
        if moves {
            self.unwatch(id, effect);
        }
        let (spec, applied) = (spec.take(), self.state.next_sequence());
        let mut other = Replaced { spec, magnitudes, stream, stacks, applied, last_source: None };
        let source_lives = source.is_some_and(|source| self.state.controllers.contains(source));
        if let Some(active) = self.state.effects.get_mut(id) {
            // M5: applied again for a source that is gone, it keeps the remembered values.
            if !moves && !source_lives {
                other.last_source.clone_from(&active.parts.last_source);
            }
            other.swap(active);
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
                other.swap(active);
            }
            if moves {
                self.watch(id, effect);
            }
            self.update_modifiers(id, effect);
            self.recompute_values();
            self.state.sequence -= 1;
        }
        if let Some((old_tags, new_tags)) = retagged.filter(|_| outcome.is_ok()) {
            // New tags first, so that a tag in both specs is never removed in between (T2).
            let parameters = self.effect_cue_parameters(id, effect);
            for tag in new_tags {
                self.add_tag(target, tag);
                if self.catalog.is_cue(tag) {
                    self.hold_cue(target, tag, &parameters);
                }
            }
            for tag in old_tags {
                self.remove_tag(target, tag);
                if self.catalog.is_cue(tag) {
                    self.release_cue(target, tag);
                }
            }
        }
        outcome
    }

    /// Evaluates all magnitudes again after a change of the stack count or the spec. If one cannot be
    /// evaluated, all stay unchanged.
    pub(super) fn reevaluate(&mut self, id: ActiveEffectId, effect: &Effect) {
        let Some(active) = self.state.effects.get(id) else { return };
        let inputs = Inputs::of(&self.state, &self.catalog, effect, active);
        if let Ok(magnitudes) = evaluate_modifiers(&inputs)
            && let Some(active) = self.state.effects.get_mut(id)
        {
            active.magnitudes = magnitudes;
        }
    }

    /// Executes one tick of a periodic effect and counts it, unless the effect is inhibited (E7) or queued. A
    /// client may leave the execution to the authority. A refusal emits an event. Returns the context tags
    /// that the tick marked, which belong to it alone (E14).
    pub(super) fn execute_tick(&mut self, id: ActiveEffectId, value_events: ValueEvents) -> Marks {
        let Some(active) = self.state.effects.get_mut(id) else { return Marks::new() };
        if active.inhibited || active.status == EffectStatus::Queued {
            return Marks::new();
        }
        let (effect_id, target, tick) = (active.effect, active.target, active.ticks());
        active.clock.ticks = tick.saturating_add(1);
        let Some(effect) = self.state.definition(&self.catalog, effect_id).cloned() else {
            return Marks::new();
        };
        if self.leaves_tick_to_authority(id, &effect) {
            return Marks::new();
        }
        let run = Run::tick(&effect, effect_id, id, target, tick, value_events);
        let outcome = self.execute_run(&run);
        if let Err(reason) = outcome {
            let refusal = crate::refusal::Refusal::new(effect_id, target, reason);
            self.emit_refusal(&refusal);
        }
        run.marks.into_inner()
    }
}

/// Whether an effect would be inhibited on a target now (E7).
#[inline]
fn fails_ongoing(effect: &Effect, target: Option<&Controller>) -> bool {
    !effect.ongoing.is_trivial() && target.is_some_and(|target| !effect.ongoing.is_met_by(&target.tags))
}

/// Parts of an instance that another application replaces.
struct Replaced {
    spec: EffectSpec,
    magnitudes: SmallVec<[f64; 2]>,
    stream: u64,
    stacks: u32,
    applied: u64,
    last_source: Option<Box<LastSource>>,
}

impl Replaced {
    /// Exchanges these parts with those of the instance; a second call undoes the first.
    fn swap(&mut self, active: &mut ActiveEffect) {
        let Self { spec, magnitudes, stream, stacks, applied, last_source } = self;
        core::mem::swap(spec, &mut active.spec);
        core::mem::swap(magnitudes, &mut active.magnitudes);
        core::mem::swap(stream, &mut active.stream);
        core::mem::swap(stacks, &mut active.stacks);
        core::mem::swap(applied, &mut active.applied);
        if last_source.is_some() || active.last_source().is_some() {
            core::mem::swap(last_source, &mut active.parts.make_mut().last_source);
        }
    }
}
