//! Derives the rest of a restored character from its facts: events, modifiers, tags, cues, timers and values
//! (P2, P10).

use std::sync::Arc;

use smallvec::SmallVec;

use super::effects::{Missing, Unfinished};
use super::restore::CharacterRestore;
use crate::ability::Grant;
use crate::catalog::DefinitionKind;
use crate::character::CharacterOutcome;
use crate::effect::{Duration, Effect, EffectStatus, ExecutionPolicy};
use crate::event::{EventKind, RemovalReason};
use crate::expr::Side;
use crate::handle::ActiveEffectId;
use crate::id::TagId;
use crate::refusal::{Reasons, RefusalReason};
use crate::simulation::apply::evaluate_modifiers;
use crate::simulation::cascade::Consequence;
use crate::simulation::magnitude::{Dice, Inputs};
use crate::time::Span;

impl CharacterRestore<'_> {
    /// B6: subscribes fully known effects to their inputs. An effect that would close a cycle of live
    /// magnitudes is left out and reported.
    pub(super) fn watch_finished(&mut self) {
        for (id, effect) in self.finished() {
            match self.sim.check_cycles_of(id, &effect) {
                Ok(()) => self.sim.watch(id, &effect),
                Err(reason) => self.reject(id, &effect, &reason),
            }
        }
    }

    /// Reports an effect that cannot continue, and leaves it out.
    fn reject(&mut self, id: ActiveEffectId, effect: &Effect, reason: &RefusalReason) {
        let reason = reason.describe(self.sim);
        self.note(DefinitionKind::Effect, effect.name(), CharacterOutcome::CannotContinue { reason });
        self.leave_out(id);
    }

    /// P10: emits the events that describe the restored controller: its abilities and its fully known
    /// effects.
    pub(super) fn announce(&mut self) {
        let controller = self.sim.state.controllers.get(self.id);
        let handles =
            controller.map(|controller| controller.ability_data.abilities.to_vec()).unwrap_or_default();
        for handle in handles {
            if let Some(ability) = self.sim.state.abilities.get(handle).map(|granted| granted.ability) {
                self.sim.emit(EventKind::AbilityGranted { controller: self.id, handle, ability });
            }
        }
        for (id, _) in self.finished() {
            self.announce_effect(id);
        }
    }

    /// Emits `EffectApplied` or `EffectQueued` for a restored effect.
    fn announce_effect(&mut self, id: ActiveEffectId) {
        let Some(active) = self.sim.state.effects.get(id) else { return };
        let (effect, target, context_tags) = (active.effect, self.id, active.spec.context.tags().clone());
        self.sim.emit(match active.status {
            EffectStatus::Running => EventKind::EffectApplied { effect, active: id, target, context_tags },
            EffectStatus::Queued => EventKind::EffectQueued { effect, active: id, target },
        });
    }

    /// Restored effects whose numbers are all known; the unfinished ones follow in `finish_effects`.
    fn finished(&self) -> Vec<(ActiveEffectId, Arc<Effect>)> {
        let is_finished = |(id, _): &(ActiveEffectId, _)| self.unfinished.iter().all(|other| other.id != *id);
        self.instances().into_iter().filter(is_finished).collect()
    }

    /// Derives modifiers, timers, tags and values of the fully known effects, then the values of attributes
    /// that the character does not have.
    pub(super) fn derive(&mut self) {
        let finished = self.finished();
        for (id, effect) in &finished {
            self.take_effect(*id, effect);
        }
        for (id, effect) in &finished {
            self.restore_grants(*id, effect);
        }
        self.evaluate();
        let fresh = core::mem::take(&mut self.fresh);
        if !fresh.is_empty() {
            self.sim.initialise_values(self.id, |slot| fresh.contains(&slot));
            self.evaluate();
        }
        self.fresh = fresh;
    }

    /// Attaches the modifiers of a running effect and schedules its timers.
    fn take_effect(&mut self, id: ActiveEffectId, effect: &Effect) {
        let running =
            self.sim.state.effects.get(id).is_some_and(|active| active.status == EffectStatus::Running);
        if running {
            self.sim.attach_modifiers(id, effect);
            self.sim.schedule(id);
        }
    }

    /// Restores tags, cues and blocks of an effect whose grants are in force.
    fn restore_grants(&mut self, id: ActiveEffectId, effect: &Effect) {
        if self.sim.state.effects.get(id).is_some_and(|active| active.given && !active.inhibited) {
            self.sim.restore_grants(id, effect);
        }
    }

    /// Evaluates all current values without value events. The bases are facts and stay unchanged.
    fn evaluate(&mut self) {
        let count = self.sim.state.controllers.get(self.id).map_or(0, |controller| controller.values.len());
        for slot in 0..count as u16 {
            self.sim.mark_dirty(self.id, slot);
        }
        self.sim.recompute_values();
        self.sim.forget_changes(self.id);
    }

    /// P6: evaluates missing numbers, one effect after the other, each with the values that exist by then,
    /// and puts the effect into force. One that cannot be evaluated is left out and reported.
    pub(super) fn finish_effects(&mut self) {
        for Unfinished { id, missing } in core::mem::take(&mut self.unfinished) {
            let effect = self.sim.state.effects.get(id).map(|active| active.effect);
            let effect =
                effect.and_then(|effect| self.sim.state.definition(&self.sim.catalog, effect)).cloned();
            let Some(effect) = effect else { continue };
            let finished = self.finish(id, &missing, &effect);
            match finished.and_then(|()| self.sim.check_cycles_of(id, &effect)) {
                Ok(()) => {
                    self.announce_effect(id);
                    self.sim.watch(id, &effect);
                    self.take_effect(id, &effect);
                    self.restore_grants(id, &effect);
                    self.evaluate();
                }
                Err(reason) => self.reject(id, &effect, &reason),
            }
        }
    }

    /// Takes the missing captures, stream, magnitudes and duration of one effect from the present state. An
    /// error leaves the magnitudes and the clock unchanged.
    fn finish(
        &mut self,
        id: ActiveEffectId,
        missing: &Missing,
        effect: &Arc<Effect>,
    ) -> Result<(), RefusalReason> {
        let Missing { captures, magnitudes, duration, stream } = missing;
        let Some(active) = self.sim.state.effects.get(id) else { return Ok(()) };
        let mut fresh = active.spec.clone();
        let (source, target) = (active.source(), active.target);
        self.sim.capture_into(&mut fresh, effect, Side::Source, source);
        self.sim.capture_into(&mut fresh, effect, Side::Target, Some(target));
        let key = stream.then(|| self.sim.application_stream(effect, &fresh, target));
        if let Some(active) = self.sim.state.effects.get_mut(id) {
            for &at in captures {
                active.spec.set_captured(at, fresh.captured()[at]);
            }
            active.stream = key.unwrap_or(active.stream);
        }
        let Some(active) = self.sim.state.effects.get(id) else { return Ok(()) };
        let inputs = Inputs::of(&self.sim.state, &self.sim.catalog, effect, active);
        let evaluated = match magnitudes {
            false => None,
            true => Some(evaluate_modifiers(&inputs).map_err(Reasons::into_first)?),
        };
        let lasts = match (&effect.duration, active.spec.duration()) {
            _ if !duration => None,
            (_, Some(own)) => Some(own),
            (Duration::Lasting(magnitude), None) => {
                Some(Span::seconds(inputs.magnitude(magnitude, Dice::Duration)?))
            }
            (Duration::Instant | Duration::Infinite, None) => None,
        };
        let now = self.sim.state.now;
        let Some(active) = self.sim.state.effects.get_mut(id) else { return Ok(()) };
        if let Some(evaluated) = evaluated {
            active.magnitudes = evaluated;
        }
        if let Some(lasts) = lasts {
            active.clock.set_duration(Some(lasts));
            if active.status == EffectStatus::Running {
                active.clock.set_expires(Some(now + lasts.max(Span::ZERO)));
                self.sim.resume_ticks(id);
            }
        }
        Ok(())
    }

    /// Removes an effect that no event has announced yet, and releases the abilities that it granted, each by
    /// its removal rule.
    fn leave_out(&mut self, id: ActiveEffectId) {
        self.sim.state.unlist_effect(id, self.id);
        let Some(mut removed) = self.sim.state.effects.remove(id) else { return };
        for handle in removed.take_granted() {
            self.sim.release_ability(handle);
        }
        self.effects.retain(|_, other| *other != id);
        self.abilities.retain(|_, handle| self.sim.state.abilities.contains(*handle));
    }

    /// Final steps, once everything is in place: ungranted tags, indexes, new grants, queues and passive
    /// abilities. Reports the attributes that the character did not have.
    pub(super) fn complete(&mut self) {
        self.adopt_ungranted_tags();
        self.watch_triggers();
        for (id, effect) in self.instances() {
            self.grant_new_abilities(id, &effect);
            self.move_up(id, &effect);
            self.sim.enqueue_refresh(id);
        }
        self.restart_passives();
        for slot in core::mem::take(&mut self.fresh) {
            let Some(controller) = self.sim.state.controllers.get(self.id) else { return };
            let place = &self.sim.state.layout(controller).slots[usize::from(slot)];
            let (name, base) = (place.attribute.def.name.clone(), controller.values[usize::from(slot)].base);
            self.note(DefinitionKind::Attribute, &name, CharacterOutcome::Appeared { base });
        }
    }

    /// For a character without a list of own tags, the tags that no effect grants are its own.
    fn adopt_ungranted_tags(&mut self) {
        if self.character.own_tags.is_some() {
            return;
        }
        let mut own: SmallVec<[TagId; 2]> = SmallVec::new();
        for name in &self.character.tags {
            if let Some(tag) = self.tag(name).filter(|tag| !self.sim.has_tag(self.id, *tag)) {
                own.push(tag);
            }
        }
        let tags = self.sim.catalog.internal.tags;
        let effect = self.sim.state.definition(&self.sim.catalog, tags).cloned();
        if let (Some(id), Some(effect)) = (self.own(own), effect) {
            self.announce_effect(id);
            self.sim.watch(id, &effect);
            self.take_effect(id, &effect);
            self.restore_grants(id, &effect);
        }
    }

    /// P7: grants the abilities of the definition that the character does not know.
    fn grant_new_abilities(&mut self, id: ActiveEffectId, effect: &Effect) {
        let Some(active) = self.sim.state.effects.get(id) else { return };
        let saved = self.character.effects.iter().find(|saved| self.effects.get(&saved.order) == Some(&id));
        let known = saved.and_then(|saved| saved.rules);
        let same = known.is_some_and(|rules| rules == super::rules::rules_of(&self.sim.catalog, effect));
        if same || !active.given || active.inhibited {
            return;
        }
        for grant in &effect.granted_abilities {
            let has = |handle: &crate::handle::GrantedAbilityId| {
                self.sim.state.abilities.get(*handle).is_some_and(|granted| granted.ability == grant.ability)
            };
            let granted =
                self.sim.state.effects.get(id).is_some_and(|active| active.parts.granted.iter().any(has));
            if granted {
                continue;
            }
            let handle = self.sim.grant_ability(self.id, Grant::of(grant, Some((id, grant.removal))));
            if let (Some(handle), Some(active)) = (handle, self.sim.state.effects.get_mut(id)) {
                active.parts.make_mut().granted.push(handle);
            }
        }
    }

    /// P9: lists the queue of a queued effect, so that one without its head moves up, and begins an effect
    /// that no longer runs in sequence. An effect without remaining time is queued for removal (P4).
    fn move_up(&mut self, id: ActiveEffectId, effect: &Arc<Effect>) {
        let Some(active) = self.sim.state.effects.get(id) else { return };
        match active.status {
            EffectStatus::Queued if effect.def.policy == ExecutionPolicy::RunInSequence => {
                let queue = (active.effect, self.id);
                if !self.sim.scratch.cascade.begins.contains(&queue) {
                    self.sim.scratch.cascade.begins.push_back(queue);
                }
            }
            EffectStatus::Queued => {
                self.note(DefinitionKind::Effect, effect.name(), CharacterOutcome::Began);
                self.sim.begin_waiting(id);
            }
            EffectStatus::Running => {
                if active.expires().is_some_and(|end| end <= self.sim.state.now) {
                    self.sim.enqueue(Consequence::Remove { active: id, reason: RemovalReason::Expired });
                }
            }
        }
    }
}
