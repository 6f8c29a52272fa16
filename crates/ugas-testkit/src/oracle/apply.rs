//! Application of effects in the order of E1, with execution policies (E4) and stacking (E5).

use std::sync::Arc;

use ugas_core::effect::magnitude::{CaptureFrom, MagnitudeDef};
use ugas_core::effect::{
    AdditionalTo, DurationDef, DurationRefresh, EffectDef, ExecutionPolicy, PeriodReset, StackingDef,
    StackingType, TagQueryDef, TagQueryItemDef,
};
use ugas_core::event::RemovalReason;
use ugas_core::time::Span;

use super::magnitude::Failure;
use super::settle::Pending;
use super::{Actor, Instance, Oracle, OracleEvent, OracleSpec, is_within};

impl Oracle {
    /// Applies a spec with all its consequences, like `Simulation::apply` of the core.
    ///
    /// # Errors
    /// The code of the rule that refuses it.
    pub fn apply(&mut self, spec: &OracleSpec, target: Actor) -> Result<(), &'static str> {
        let result = self.apply_one(spec.clone(), target);
        self.settle();
        result
    }

    /// Applies a spec without settling: checks it, evaluates it, and executes, stacks, merges, queues or
    /// starts it (E1). The error is the code of the first reason; nothing has changed then, except for denied
    /// overflows.
    pub(super) fn apply_one(&mut self, mut spec: OracleSpec, target: Actor) -> Result<(), Failure> {
        if !self.is_alive(target) {
            return Err("UnknownController");
        }
        self.check_requirements(&spec, target)?;
        self.freeze(&mut spec, CaptureFrom::Target, target);
        let def = Arc::clone(&spec.def);
        let stack = def.stacking.as_ref().and_then(|stacking| self.stack_of(&spec, stacking, target));
        let stacks = match (&def.stacking, stack) {
            (Some(stacking), Some(stack)) => {
                let old = self.find(stack).map_or(0, |instance| instance.stacks);
                if stacking.limit > 0 { (old + 1).min(stacking.limit) } else { old + 1 }
            }
            _ => 1,
        };
        let first = self.instances.iter().find(|other| other.target == target && other.effect() == def.name);
        let first = first.map(|instance| instance.sequence);
        let merged = first.filter(|_| def.policy == ExecutionPolicy::RunInMerge);
        let is_instant = matches!(def.duration, DurationDef::Instant);
        if !is_instant && self.closes_cycle(&spec, target, stack.or(merged)) {
            return Err("CircularDependency");
        }
        let duration = self.duration(&spec, target)?;
        if is_instant {
            self.execute(&spec, target, 1)?;
            self.after_success(&spec, target, None);
            return Ok(());
        }
        let magnitudes = self.view().magnitudes(&spec, target, stacks)?;
        if let (Some(stacking), Some(stack)) = (&def.stacking, stack) {
            return self.add_stack(stack, stacking, spec, stacks, duration, magnitudes);
        }
        match (def.policy, first) {
            (ExecutionPolicy::RunInMerge, Some(first)) => {
                self.merge(first, spec, duration, magnitudes);
                return Ok(());
            }
            (ExecutionPolicy::RunInSequence, Some(_)) => {
                self.add_queued(spec, target, duration, magnitudes);
                self.emit(OracleEvent::Plain("EffectQueued", def.name.clone()));
                return Ok(());
            }
            _ => {}
        }
        let sequence = self.add_queued(spec, target, duration, magnitudes);
        self.begin(sequence);
        Ok(())
    }

    /// Adds a queued instance with its evaluated values to the list of active effects, and returns its
    /// sequence number. [`begin`](Self::begin) starts it, at once or when its turn comes (E4).
    fn add_queued(
        &mut self,
        spec: OracleSpec,
        target: Actor,
        duration: Option<i64>,
        magnitudes: Vec<f64>,
    ) -> u64 {
        let sequence = self.next_sequence();
        self.instances.push(Instance {
            spec,
            target,
            sequence,
            applied: sequence,
            stacks: 1,
            queued: true,
            inhibited: false,
            granted: false,
            duration,
            expires: None,
            next_tick: None,
            magnitudes,
        });
        sequence
    }

    /// Starts a queued instance (E1 from "activate" on): sets its timers, executes it if it ticks on
    /// application, and applies what follows. An instance that would close a cycle is removed instead.
    pub(super) fn begin(&mut self, sequence: u64) {
        let now = self.now;
        let Some(instance) = self.find(sequence) else { return };
        let (spec, target) = (instance.spec.clone(), instance.target);
        // B6: a queued instance is checked when it starts.
        if self.closes_cycle(&spec, target, Some(sequence)) {
            self.remove_instance(sequence, RemovalReason::Removed);
            return;
        }
        let inhibited = !self.may_run(&spec.def, target);
        let applied = self.next_sequence();
        let Some(instance) = self.find_mut(sequence) else { return };
        instance.applied = applied;
        instance.queued = false;
        instance.inhibited = inhibited;
        instance.expires = instance.duration.map(|duration| now + duration.max(0));
        instance.next_tick = instance.period().map(|period| now + period);
        self.emit(OracleEvent::effect("EffectApplied", &spec.def.name, target));
        if spec.def.period.is_some_and(|period| period.execute_on_application) {
            self.execute_instance(sequence);
        }
        self.after_success(&spec, target, Some(sequence));
        if self.find(sequence).and_then(|instance| instance.duration).is_some_and(|duration| duration <= 0) {
            self.queue.push_back(Pending::Remove(sequence, RemovalReason::Expired));
        }
    }

    /// Part of E1 after the effect itself: removes other effects, grants tags and cues, and queues additional
    /// effects. `own` is the instance of the application; `None` for an instant effect.
    fn after_success(&mut self, spec: &OracleSpec, target: Actor, own: Option<u64>) {
        let others: Vec<u64> = self
            .effects_on(target)
            .iter()
            .filter(|other| {
                let tags = other.spec.own_tags();
                let listed = &spec.def.remove_effects_with_tags;
                Some(other.sequence) != own
                    && listed.iter().any(|tag| tags.iter().any(|own| is_within(own, tag)))
            })
            .map(|other| other.sequence)
            .collect();
        for other in others {
            self.remove_instance(other, RemovalReason::Removed);
        }
        if let Some(instance) = own.and_then(|own| self.find_mut(own)) {
            instance.granted = true;
        }
        self.publish_tags();
        // Values are recalculated before further effects follow.
        self.flush();
        let view = self.view();
        let has_context = |tag: &String| spec.context_tags.iter().any(|own| is_within(own, tag));
        let additional = spec.def.additional_effects.iter().filter(|additional| {
            view.source_meets(spec, &additional.source_tags)
                && view.meets(target, &additional.target_tags)
                && additional.context_tags.require.iter().all(has_context)
                && !additional.context_tags.ignore.iter().any(has_context)
        });
        let stacks = own.and_then(|own| self.find(own)).map_or(1, |instance| instance.stacks);
        let mut list = Vec::new();
        for additional in additional {
            let to = if additional.to == AdditionalTo::Source { spec.source } else { Some(target) };
            // E15: numbers of the parent; a number without a value refuses only this effect.
            let mut parent = spec.clone();
            let passed = additional.set_by_caller.iter().map(|(tag, text)| {
                let number = MagnitudeDef::expression(text.clone());
                Ok((tag.clone(), view.magnitude(&number, spec, target, stacks)?))
            });
            let Ok(passed) = passed.collect::<Result<Vec<_>, Failure>>() else { continue };
            parent.set_by_caller.extend(passed);
            list.push((parent, additional.effect.clone(), to));
        }
        for (parent, effect, to) in list {
            if let Some(to) = to.filter(|&to| self.is_alive(to)) {
                self.queue_linked_effect(&parent, &effect, to);
            }
        }
    }

    /// Queues the application of another effect with the same source, level, context tags and `SetByCaller`
    /// numbers as its parent: additional, expiration and overflow effects. The memory of a despawned source
    /// stays with the parent: the other effect has no source. An unknown effect is ignored.
    pub(super) fn queue_linked_effect(&mut self, parent: &OracleSpec, effect: &str, target: Actor) {
        let Some(mut spec) = self.spec(effect, parent.source, parent.level) else { return };
        spec.set_by_caller = parent.set_by_caller.clone();
        spec.context_tags = parent.context_tags.clone();
        self.queue.push_back(Pending::Apply(spec, target));
    }

    /// Checks the tags and the query of an application, then immunities (E1), before anything changes. The
    /// error is the code of the first refusal.
    fn check_requirements(&self, spec: &OracleSpec, target: Actor) -> Result<(), Failure> {
        let view = self.view();
        let def = &spec.def;
        let met = def.application_required_tags.iter().all(|tag| view.has(target, tag))
            && !def.application_blocked_tags.iter().any(|tag| view.has(target, tag))
            && def.source_required_tags.iter().all(|tag| view.source_has(spec, tag))
            && !def.source_blocked_tags.iter().any(|tag| view.source_has(spec, tag))
            && query_holds(&def.application_query, &|tag| view.has(target, tag))
            && !def.remove_on_tags.iter().any(|tag| view.has(target, tag));
        if !met {
            return Err("ApplicationRequirements");
        }
        let own = spec.own_tags();
        let carries = |tag: &str| own.iter().any(|own| is_within(own, tag)) || view.source_has(spec, tag);
        let immune = self.effects_on(target).into_iter().filter(|guard| guard.is_live()).any(|guard| {
            let guard = &guard.spec.def;
            guard.immunity_tags.iter().any(|tag| carries(tag))
                || (!guard.immunity_query.is_empty() && query_holds(&guard.immunity_query, &carries))
        });
        if immune { Err("Immune") } else { Ok(()) }
    }

    /// Whether the ongoing requirements of an effect are met, so that it is not inhibited (E7); asked at its
    /// start and after every change of tags.
    pub(super) fn may_run(&self, def: &EffectDef, target: Actor) -> bool {
        let view = self.view();
        def.ongoing_required_tags.iter().all(|tag| view.has(target, tag))
            && !def.ongoing_blocked_tags.iter().any(|tag| view.has(target, tag))
    }

    /// Duration of a new instance in microseconds: that of the spec, also for an infinite effect, else that
    /// of the effect, evaluated now. `None` without an end; an instant effect ignores the spec's duration.
    /// The error is the code of a magnitude without a value, which refuses the application.
    fn duration(&self, spec: &OracleSpec, target: Actor) -> Result<Option<i64>, Failure> {
        match &spec.def.duration {
            DurationDef::Instant => Ok(None),
            _ if spec.duration.is_some() => Ok(spec.duration),
            DurationDef::Infinite => Ok(None),
            DurationDef::HasDuration(magnitude) => {
                let seconds = self.view().magnitude(magnitude, spec, target, 1)?;
                Ok(Some(Span::seconds(seconds).micros()))
            }
        }
    }

    /// Instance whose stack an application joins (E5); `None` if it starts a new one. By source, an
    /// application without a source always starts a new one.
    fn stack_of(&self, spec: &OracleSpec, stacking: &StackingDef, target: Actor) -> Option<u64> {
        let same = |other: &&Instance| {
            let source = match stacking.kind {
                StackingType::AggregateByTarget => true,
                StackingType::AggregateBySource => spec.source.is_some() && other.spec.source == spec.source,
            };
            other.target == target && other.effect() == spec.def.name && source
        };
        self.instances.iter().find(same).map(|instance| instance.sequence)
    }

    /// Joins a stack (E5): replaces its spec, updates duration and period, and applies what follows a
    /// success. `stacks` is the new count; if it equals the old one, the limit is hit and the overflow rules
    /// apply.
    fn add_stack(
        &mut self,
        stack: u64,
        stacking: &StackingDef,
        spec: OracleSpec,
        stacks: u32,
        duration: Option<i64>,
        magnitudes: Vec<f64>,
    ) -> Result<(), Failure> {
        let Some(old) = self.find(stack).map(|instance| instance.stacks) else { return Ok(()) };
        let target = self.find(stack).map_or(0, |instance| instance.target);
        if stacks == old {
            for effect in &stacking.overflow_effects {
                self.queue_linked_effect(&spec, effect, target);
            }
            if stacking.clear_on_overflow {
                self.remove_instance(stack, RemovalReason::Overflowed);
            }
            if stacking.deny_overflow {
                return Err("StackOverflow");
            }
            if stacking.clear_on_overflow {
                return Ok(());
            }
        }
        let (now, applied) = (self.now, self.next_sequence());
        let Some(instance) = self.find_mut(stack) else { return Ok(()) };
        instance.spec = spec.clone();
        instance.applied = applied;
        instance.stacks = stacks;
        instance.magnitudes = magnitudes;
        match stacking.duration_refresh {
            DurationRefresh::Refresh => {
                instance.duration = duration;
                instance.expires = duration.map(|duration| now + duration.max(0));
            }
            DurationRefresh::Never => {}
            DurationRefresh::Extend => {
                let left = instance.expires.map(|end| end - now);
                let total = left.zip(duration).map(|(left, duration)| {
                    // The cap limits the extension; it does not shorten the duration.
                    let cap = stacking.max_duration.map(Span::micros);
                    cap.map_or(left + duration, |cap| (left + duration).min(cap).max(left))
                });
                instance.duration = total;
                instance.expires = total.map(|total| now + total.max(0));
            }
        }
        let mut execute = false;
        if stacking.period_reset == PeriodReset::Reset {
            instance.next_tick = instance.period().map(|period| now + period);
            execute = spec.def.period.is_some_and(|period| period.execute_on_application);
        }
        if stacks != old {
            self.emit(OracleEvent::stacks(&spec.def.name, target, old, stacks));
        }
        if execute {
            self.execute_instance(stack);
        }
        self.after_success(&spec, target, Some(stack));
        if self.find(stack).and_then(|instance| instance.duration).is_some_and(|duration| duration <= 0) {
            self.queue.push_back(Pending::Remove(stack, RemovalReason::Expired));
        }
        Ok(())
    }

    /// Merges an application into the first instance under `RunInMerge` (E4): first start, latest end, newest
    /// spec; the period keeps its phase.
    fn merge(&mut self, first: u64, spec: OracleSpec, duration: Option<i64>, magnitudes: Vec<f64>) {
        let (now, applied) = (self.now, self.next_sequence());
        let Some(instance) = self.find_mut(first) else { return };
        let target = instance.target;
        instance.spec = spec.clone();
        instance.applied = applied;
        instance.magnitudes = magnitudes;
        instance.expires = match (instance.expires, duration) {
            (Some(end), Some(duration)) => Some(end.max(now + duration)),
            _ => None,
        };
        self.emit(OracleEvent::Plain("EffectMerged", spec.def.name.clone()));
        self.after_success(&spec, target, Some(first));
    }
}

/// Whether a tag query holds (T4): all of `all`, one of `any` unless it is empty, none of `none`. `has`
/// answers for a tag, so that requirements and immunities share it.
fn query_holds(query: &TagQueryDef, has: &dyn Fn(&str) -> bool) -> bool {
    let holds = |item: &TagQueryItemDef| match item {
        TagQueryItemDef::Tag(tag) => has(tag),
        TagQueryItemDef::Query(query) => query_holds(query, has),
    };
    query.all.iter().all(holds)
        && (query.any.is_empty() || query.any.iter().any(holds))
        && !query.none.iter().any(holds)
}
