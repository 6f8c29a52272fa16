//! Reload of active effects: the same instances under their new definitions (R1, R4, R5).

use std::sync::Arc;

use smallvec::SmallVec;

use super::Reload;
use crate::catalog::DefinitionKind;
use crate::cow_option::CowOption;
use crate::effect::magnitude::Capture;
use crate::effect::{
    ActiveEffect, Duration, Effect, EffectParts, EffectSpec, EffectStatus, EffectTimers, ExecutionPolicy,
    LastSource, Reading, Readings, SpecParts,
};
use crate::event::{EventKind, RemovalReason};
use crate::expr::Side;
use crate::handle::ActiveEffectId;
use crate::id::TagId;
use crate::refusal::RefusalReason;
use crate::reload::{ReloadOutcome, ReloadPlace};
use crate::simulation::State;
use crate::simulation::magnitude::{Dice, Inputs};
use crate::tag::{TagBits, TagSet};
use crate::time::Span;

impl Reload<'_> {
    /// Translates all active effects in application order, then adapts those whose definition changed and
    /// lists them in `touched`. An effect that cannot continue, or that closes a cycle, is dropped.
    pub(super) fn translate_effects(&mut self) {
        for id in self.order.clone() {
            match self.translate_effect(id) {
                Ok(translated) => {
                    if let Some(place) = self.next.state.effects.get_mut(id) {
                        *place = translated;
                    }
                }
                Err(outcome) => self.drop_effect(id, outcome),
            }
        }
        self.order.retain(|id| self.next.state.effects.contains(*id));
        for id in self.order.clone() {
            let (Some((_, before)), Some(now)) = (self.before(id), self.definition_now(id)) else { continue };
            self.capture_new(id, before, &now);
            if !self.changes.effect(before, &now) {
                continue;
            }
            match self.adapt(id, before, &now) {
                Ok(()) => self.touched.push(id),
                Err(reason) => {
                    let reason = reason.describe(&self.next);
                    self.drop_effect(id, ReloadOutcome::CannotContinue { reason });
                }
            }
        }
        // B6: of a cycle under the new definitions, the effect that began last is removed.
        while let Some((id, chain)) = self.next.state.find_any_cycle(&self.next.catalog) {
            let reason = RefusalReason::CircularDependency { chain }.describe(&self.next);
            self.drop_effect(id, ReloadOutcome::CannotContinue { reason });
        }
        self.order.retain(|id| self.next.state.effects.contains(*id));
        let State { controllers, effects, .. } = &mut self.next.state;
        for (_, controller) in controllers.iter_mut() {
            controller.effects.retain(|id| effects.contains(*id));
        }
    }

    /// Translates one instance without re-evaluating anything; an error if its definition is gone or has
    /// become instant.
    fn translate_effect(&mut self, id: ActiveEffectId) -> Result<ActiveEffect, ReloadOutcome> {
        let (active, before) = self.before(id).ok_or(ReloadOutcome::DefinitionGone)?;
        let ActiveEffect {
            effect,
            target,
            spec,
            sequence,
            applied,
            stacks,
            status,
            inhibited,
            given,
            clock,
            magnitudes,
            stream,
            parts,
            refresh_pending: _,
            qualification_pending: _,
            judgement_pending: _,
            timers: _,
        } = active;
        let effect = self.ids.effect(*effect).ok_or(ReloadOutcome::DefinitionGone)?;
        let now = self.next.state.definition(&self.next.catalog, effect).cloned();
        let now = now.ok_or(ReloadOutcome::DefinitionGone)?;
        if now.is_instant() {
            return Err(ReloadOutcome::BecameInstant);
        }
        let place = ReloadPlace::Effect { active: id, target: *target };
        let captured = self.captured(active, before, &now);
        let mut spec = EffectSpec { effect, name_hash: now.name_hash, ..self.spec(spec, place) };
        if !captured.is_empty() {
            spec.parts.make_mut().captured = captured;
        }
        let EffectParts { last_source, granted } = &**parts;
        let last_source = last_source.as_ref().map(|last| Box::new(self.last_source(last)));
        Ok(ActiveEffect {
            effect,
            target: *target,
            spec,
            sequence: *sequence,
            applied: *applied,
            stacks: *stacks,
            status: *status,
            inhibited: *inhibited,
            given: *given,
            clock: *clock,
            magnitudes: magnitudes.clone(),
            stream: *stream,
            parts: EffectParts { last_source, granted: granted.clone() }.into(),
            refresh_pending: false,
            qualification_pending: false,
            judgement_pending: false,
            timers: EffectTimers::default(),
        })
    }

    /// Translates a spec to the new catalog, except its captures and its effect id. Lost tags of the spec are
    /// reported.
    fn spec(&mut self, spec: &EffectSpec, place: ReloadPlace) -> EffectSpec {
        let numbers = spec.magnitudes().iter();
        let numbers = numbers.filter_map(|&(tag, value)| Some((self.spec_tag(tag, place)?, value)));
        let mut numbers: SmallVec<[(TagId, f64); 2]> = numbers.collect();
        numbers.sort_unstable_by_key(|(tag, _)| *tag);
        let mut tags = |tags: &[TagId]| {
            tags.iter().filter_map(|&tag| self.spec_tag(tag, place)).collect::<SmallVec<_>>()
        };
        let granted_tags = tags(&spec.parts.granted_tags);
        let asset_tags = tags(spec.asset_tags());
        let mut context = spec.context.clone();
        context.set_tags(spec.context.tags().iter().filter_map(|tag| self.ids.tag(tag)).collect());
        let ability_tags = spec.context.ability_tags();
        let ability_tags =
            ability_tags.into_iter().flat_map(TagBits::iter).filter_map(|tag| self.ids.tag(tag));
        let ability_tags = TagBits::closed(self.next.catalog.tags(), ability_tags);
        context.set_ability_tags(CowOption::new(ability_tags));
        let parts = SpecParts {
            set_by_caller: numbers,
            granted_tags,
            captured: SmallVec::new(),
            asset_tags,
            duration: spec.duration(),
            period: spec.period(),
        };
        let new = EffectSpec::new(spec.effect, spec.name_hash, spec.level, context);
        let mut translated = EffectSpec { parts: parts.into(), ..new };
        translated.set_prediction(spec.prediction());
        translated
    }

    /// Translates a tag of a spec; one that is gone is reported.
    fn spec_tag(&mut self, tag: TagId, place: ReloadPlace) -> Option<TagId> {
        let new = self.ids.tag(tag);
        if new.is_none() {
            let name = self.old.catalog.tag_name(tag);
            self.report(DefinitionKind::Tag, name, place, ReloadOutcome::DefinitionGone);
        }
        new
    }

    /// Frozen captures in the order of the new definition; those that only the new one has are empty.
    fn captured(&self, active: &ActiveEffect, before: &Effect, now: &Effect) -> Readings {
        let value = |at: Option<usize>| {
            at.and_then(|at| active.spec.captured().get(at).copied()).unwrap_or(Reading::NONE)
        };
        self.former_captures(before, now).map(value).collect()
    }

    /// R3: takes the captures that only the new definition has, from the present values.
    fn capture_new(&mut self, id: ActiveEffectId, before: &Effect, now: &Effect) {
        let new: Vec<usize> = self
            .former_captures(before, now)
            .enumerate()
            .filter_map(|(at, former)| former.is_none().then_some(at))
            .collect();
        let Some(active) = self.next.state.effects.get(id).filter(|_| !new.is_empty()) else { return };
        let mut fresh = active.spec.clone();
        let (source, target) = (active.source(), active.target);
        self.next.capture_into(&mut fresh, now, Side::Source, source);
        self.next.capture_into(&mut fresh, now, Side::Target, Some(target));
        let Some(active) = self.next.state.effects.get_mut(id) else { return };
        for at in new {
            active.spec.set_captured(at, fresh.captured()[at]);
        }
    }

    /// For each capture of the new definition, its position in the old one; `None` if it is new.
    fn former_captures(&self, before: &Effect, now: &Effect) -> impl Iterator<Item = Option<usize>> {
        let taken: Vec<Option<Capture>> =
            before.captures.iter().map(|capture| self.capture(capture)).collect();
        now.captures.iter().map(move |wanted| taken.iter().position(|taken| taken.as_ref() == Some(wanted)))
    }

    /// Translates a capture to the new catalog; `None` if something that it names is gone.
    fn capture(&self, capture: &Capture) -> Option<Capture> {
        let Capture { side, attribute, calculation, source_tag_filter, target_tag_filter } = capture;
        let tags = |tags: &TagSet| {
            let tags: Option<Vec<TagId>> = tags.iter().map(|tag| self.ids.tag(tag)).collect();
            tags.map(TagSet::new)
        };
        Some(Capture {
            side: *side,
            attribute: self.ids.attribute(*attribute)?,
            calculation: *calculation,
            source_tag_filter: tags(source_tag_filter)?,
            target_tag_filter: tags(target_tag_filter)?,
        })
    }

    /// Translates the remembered values of a source that is gone; lost tags and attributes are left out.
    fn last_source(&self, last: &LastSource) -> LastSource {
        let LastSource { tags, values } = last;
        let tags = tags.iter().filter_map(|tag| self.ids.tag(tag));
        let values = values.iter();
        LastSource {
            tags: TagBits::closed(self.next.catalog.tags(), tags),
            values: values
                .filter_map(|&(attribute, base, current)| {
                    Some((self.ids.attribute(attribute)?, base, current))
                })
                .collect(),
        }
    }

    /// Adapts an instance to its changed definition: stack limit, magnitudes, lifetime and period. Lists the
    /// events, and the start of a queued effect that no longer runs in sequence. An error means that the
    /// instance has to be dropped.
    fn adapt(&mut self, id: ActiveEffectId, before: &Effect, now: &Arc<Effect>) -> Result<(), RefusalReason> {
        let restacked = self.limit_stacks(id, now);
        let magnitudes = self.magnitudes(id, before, now, restacked)?;
        let lifetime = self.lifetime(id, before, now)?;
        let Some(active) = self.next.state.effects.get_mut(id) else { return Ok(()) };
        active.magnitudes = magnitudes;
        let (effect, target, stacks, status) = (active.effect, active.target, active.stacks, active.status);
        if let Some(old) = restacked {
            let name = now.name();
            let place = ReloadPlace::Effect { active: id, target };
            let changed = EventKind::EffectStackChanged { effect, active: id, target, old, new: stacks };
            self.work.announcements.push(changed);
            let outcome = ReloadOutcome::StacksReduced { from: old, to: stacks };
            self.report(DefinitionKind::Effect, name, place, outcome);
        }
        self.set_lifetime(id, lifetime);
        self.set_period(id, before, now);
        if status == EffectStatus::Queued && now.def.policy != ExecutionPolicy::RunInSequence {
            self.work.begins.push(id);
            let place = ReloadPlace::Effect { active: id, target };
            self.report(DefinitionKind::Effect, now.name(), place, ReloadOutcome::Began);
        }
        Ok(())
    }

    /// Lowers the stack count to the new limit; returns the old count if it fell.
    fn limit_stacks(&mut self, id: ActiveEffectId, now: &Effect) -> Option<u32> {
        let limit = match &now.stacking {
            None => 1,
            Some(stacking) if stacking.limit > 0 => stacking.limit,
            Some(_) => u32::MAX,
        };
        let active = self.next.state.effects.get_mut(id)?;
        (active.stacks > limit).then(|| core::mem::replace(&mut active.stacks, limit))
    }

    /// R2: magnitudes under the new definition. One is kept if nothing that determines it changed; another
    /// stack count changes all of them. An error if one cannot be evaluated.
    fn magnitudes(
        &self,
        id: ActiveEffectId,
        before: &Effect,
        now: &Effect,
        restacked: Option<u32>,
    ) -> Result<SmallVec<[f64; 2]>, RefusalReason> {
        let Some(active) = self.next.state.effects.get(id) else { return Ok(SmallVec::new()) };
        let inputs = Inputs::of(&self.next.state, &self.next.catalog, now, active);
        let mut taken = Vec::new();
        let mut magnitudes = SmallVec::new();
        for (at, modifier) in now.modifiers.iter().enumerate() {
            let same = self.changes.same_modifier(before, now, at, &taken).filter(|_| restacked.is_none());
            let kept = same.and_then(|from| active.magnitudes.get(from).copied());
            taken.extend(same);
            magnitudes.push(match kept {
                Some(kept) => kept,
                None => inputs.magnitude(&modifier.magnitude, Dice::Modifier(at as u16))?,
            });
        }
        Ok(magnitudes)
    }

    /// R4: computes the change of an instance's lifetime under the new definition. A duration that the spec
    /// or the host has set stays.
    fn lifetime(&self, id: ActiveEffectId, before: &Effect, now: &Effect) -> Result<Lifetime, RefusalReason> {
        let (Some((old, _)), Some(active)) = (self.before(id), self.next.state.effects.get(id)) else {
            return Ok(Lifetime::AsItWas);
        };
        if active.spec.duration().is_some() || !self.changes.duration(before, &now.def.duration) {
            return Ok(Lifetime::AsItWas);
        }
        let seconds = |inputs: Inputs<'_>, magnitude| inputs.magnitude(magnitude, Dice::Duration);
        Ok(match (&before.duration, &now.duration, active.duration()) {
            (Duration::Lasting(said), Duration::Lasting(says), Some(lasts)) => {
                let inputs = Inputs::of(&self.next.state, &self.next.catalog, now, active);
                let new = Span::seconds(seconds(inputs, says)?);
                let inputs = Inputs::of(&self.old.state, &self.old.catalog, before, old);
                let old = seconds(inputs, said).map_or(lasts, Span::seconds);
                Lifetime::Moved(new - old)
            }
            (Duration::Infinite, Duration::Lasting(says), None) => {
                let inputs = Inputs::of(&self.next.state, &self.next.catalog, now, active);
                Lifetime::Begins(Span::seconds(seconds(inputs, says)?))
            }
            (Duration::Lasting(_), Duration::Infinite, Some(_)) => Lifetime::Endless,
            // The host has set a duration that differs from the definition.
            _ => Lifetime::AsItWas,
        })
    }

    /// R4: applies a change of lifetime to the clock. Of a running effect the event is listed, and its end if
    /// no time is left.
    fn set_lifetime(&mut self, id: ActiveEffectId, lifetime: Lifetime) {
        let now = self.next.state.now;
        let Some(active) = self.next.state.effects.get_mut(id) else { return };
        let running = active.status == EffectStatus::Running;
        match lifetime {
            Lifetime::AsItWas | Lifetime::Moved(Span::ZERO) => return,
            Lifetime::Moved(by) => {
                let duration = active.duration().map(|duration| (duration + by).max(Span::ZERO));
                let expires = active.expires().map(|end| {
                    let left = end.since(now) + by;
                    now + left.max(Span::ZERO)
                });
                active.clock.set_duration(duration);
                active.clock.set_expires(expires);
            }
            Lifetime::Begins(duration) => {
                active.clock.set_duration(Some(duration));
                if running {
                    active.clock.started = now;
                    active.clock.set_expires(Some(now + duration.max(Span::ZERO)));
                }
            }
            Lifetime::Endless => {
                active.clock.set_duration(None);
                active.clock.set_expires(None);
            }
        }
        if !running {
            return;
        }
        let (effect, target) = (active.effect, active.target);
        let remaining = active.expires().map(|end| end.since(now));
        if remaining.is_some_and(|left| !left.is_positive()) {
            self.work.ends.push(id);
        }
        let changed = EventKind::EffectDurationChanged { effect, active: id, target, remaining };
        self.work.announcements.push(changed);
        self.next.resume_ticks(id);
    }

    /// R4: applies a changed period, which is counted from the last tick, or from the beginning. A period of
    /// the spec's own stays.
    fn set_period(&mut self, id: ActiveEffectId, before: &Effect, now: &Effect) {
        let Some(active) = self.next.state.effects.get_mut(id) else { return };
        let own = active.spec.period();
        let period = |effect: &Effect| effect.period.map(|period| own.unwrap_or(period.period));
        if period(before) == period(now) {
            return;
        }
        active.clock.set_period(period(now));
        active.clock.set_next_tick(None);
        if active.status == EffectStatus::Running {
            self.next.resume_ticks(id);
        }
    }

    /// R5: removes an instance, lists the event, and reports the outcome. Its grants are not derived again
    /// and disappear with it; the queue behind it moves up.
    fn drop_effect(&mut self, id: ActiveEffectId, outcome: ReloadOutcome) {
        let Some(old) = self.old.state.effects.get(id) else { return };
        let (target, stacks) = (old.target, old.stacks);
        let effect = self.ids.effect_or_unknown(old.effect);
        self.next.state.effects.remove(id);
        if old.status == EffectStatus::Running {
            self.next.scratch.cascade.begins.push_back((effect, target));
        }
        let reason = RemovalReason::Reloaded;
        self.work.announcements.push(EventKind::EffectRemoved { effect, active: id, target, stacks, reason });
        let name = self.old.effect_name(old.effect);
        self.report(DefinitionKind::Effect, name, ReloadPlace::Effect { active: id, target }, outcome);
    }
}

/// Change of an instance's lifetime (R4).
enum Lifetime {
    AsItWas,
    /// The end moves by this span.
    Moved(Span),
    /// The effect was infinite, and lasts this long from now on.
    Begins(Span),
    Endless,
}
