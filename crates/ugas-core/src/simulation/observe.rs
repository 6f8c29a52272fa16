//! Reactions to events (§10.1): every event passes here once, and queues the tasks, triggers and
//! cancellations that it concerns.

use smallvec::SmallVec;

use super::Simulation;
use super::ability::ActivationRequest;
use super::cascade::Consequence;
use crate::ability::{EndReason, GameplayEvent, TriggerOn};
use crate::controller::index::{AbilityKey, ActivationKey};
use crate::event::EventKind;
use crate::handle::{ActivationId, ControllerId, GrantedAbilityId};
use crate::id::{AttributeId, TagId};
use crate::task::Subject;

/// Direction of a change of a tag's presence or count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TagChange {
    Added,
    Removed,
}

impl TagChange {
    /// Event of a tag of a controller that became present or is gone.
    #[inline]
    pub(super) fn event(self, controller: ControllerId, tag: TagId) -> EventKind {
        match self {
            Self::Added => EventKind::TagAdded { controller, tag },
            Self::Removed => EventKind::TagRemoved { controller, tag },
        }
    }
}

impl Simulation {
    /// Queues the reactions to an event before it is published: completions of waits, triggered abilities,
    /// death, and a look at the input buffer. Called once for every emitted event; no reaction is carried out
    /// here.
    #[inline]
    pub(super) fn observe(&mut self, event: &EventKind) {
        if let EventKind::AttributeChanged { controller, attribute, old, new, .. } = event {
            // Death comes first: a task that waits for the same drop must not act for a dead owner.
            self.check_death(*controller, *attribute, *old, *new);
        }
        // Often there is no task in the whole simulation.
        if !self.state.tasks.is_empty() {
            self.wake_tasks(event);
        }
        match event {
            EventKind::TagAdded { controller, tag } => self.after_tag_added(*controller, *tag),
            EventKind::TagRemoved { controller, tag } => self.after_tag_removed(*controller, *tag),
            EventKind::GameplayEvent { controller, event } => self.trigger(*controller, event),
            EventKind::AbilityEnded { controller, .. } | EventKind::AbilityCancelled { controller, .. } => {
                self.enqueue_drain(*controller);
            }
            _ => {}
        }
    }

    /// Whether [`Self::observe`] can have something to do for an event.
    #[inline(always)]
    pub(super) fn has_reactions(&self, event: &EventKind) -> bool {
        let can_react = match event {
            EventKind::AttributeChanged { attribute, old, new, .. } => {
                self.reacts_to_change(*attribute, *old, *new)
            }
            EventKind::TagAdded { .. }
            | EventKind::TagRemoved { .. }
            | EventKind::GameplayEvent { .. }
            | EventKind::AbilityEnded { .. }
            | EventKind::AbilityCancelled { .. } => true,
            _ => false,
        };
        can_react || !self.state.tasks.is_empty()
    }

    /// Whether a changed value can be a death (A4).
    #[inline(always)]
    pub(super) fn reacts_to_change(&self, attribute: AttributeId, old: f64, new: f64) -> bool {
        let threshold = self.catalog.death_threshold;
        self.catalog.death.is_some_and(|death| death.attribute == attribute)
            && threshold.is_none_or(|threshold| old > threshold && new <= threshold)
    }

    /// Matches an event against the tasks that wait for its subject.
    fn wake_tasks(&mut self, event: &EventKind) {
        let (controller, subject) = match event {
            EventKind::AttributeChanged { controller, attribute, .. } => {
                (controller, Subject::Attribute(*attribute))
            }
            EventKind::TagAdded { controller, tag } | EventKind::TagRemoved { controller, tag } => {
                (controller, Subject::Tag(*tag))
            }
            EventKind::GameplayEvent { controller, event: what } => {
                let mut next = Some(what.tag);
                while let Some(tag) = next {
                    self.wake(*controller, Subject::Event(tag), event);
                    next = self.catalog.tags().parent(tag);
                }
                return;
            }
            EventKind::EffectApplied { target, .. }
            | EventKind::EffectExecuted { target, active: None, .. } => (target, Subject::EffectApplied),
            EventKind::EffectRemoved { target, .. } => (target, Subject::EffectRemoved),
            EventKind::EffectStackChanged { target, .. } => (target, Subject::EffectStackChanged),
            EventKind::EffectBlockedByImmunity { target, .. } => (target, Subject::EffectBlocked),
            EventKind::AbilityActivated { controller, .. } => (controller, Subject::AbilityActivated),
            EventKind::AbilityCommitted { controller, .. } => (controller, Subject::AbilityCommitted),
            EventKind::AbilityEnded { controller, .. } | EventKind::AbilityCancelled { controller, .. } => {
                (controller, Subject::AbilityEnded)
            }
            EventKind::InputPressed { controller, .. } => (controller, Subject::InputPressed),
            EventKind::InputReleased { controller, .. } => (controller, Subject::InputReleased),
            EventKind::Confirmed { controller } | EventKind::Declined { controller } => {
                (controller, Subject::Confirmation)
            }
            _ => return,
        };
        self.wake(*controller, subject, event);
    }

    /// A4: queues the death of a controller whose death attribute drops from above its threshold to or below
    /// it. Without a threshold the attribute's minimum counts, or 0.
    #[inline]
    fn check_death(&mut self, controller: ControllerId, attribute: AttributeId, old: f64, new: f64) {
        if self.catalog.death.is_none_or(|death| death.attribute != attribute) || new >= old {
            return;
        }
        let threshold = self.catalog.death_threshold;
        let threshold = threshold.unwrap_or_else(|| self.death_threshold(controller, attribute));
        if old > threshold && new <= threshold {
            self.enqueue(Consequence::Die { controller });
        }
    }

    /// Minimum of the death attribute of a controller, if it differs between controllers or changes; 0 without
    /// one.
    fn death_threshold(&self, controller: ControllerId, attribute: AttributeId) -> f64 {
        let place = self.state.locate(controller, attribute);
        let min = place.and_then(|(known, slot)| {
            let slot = &self.state.layout(known).slots[slot];
            super::State::bounds(known, slot).0
        });
        min.unwrap_or_default()
    }

    /// A4: queues the cancellation of active abilities when an effect grants one of their cancel tags, or a
    /// descendant of it, whether or not the owner already has such a tag. An activation is not cancelled by
    /// its own tags.
    pub(super) fn cancel_by_grant(&mut self, id: ControllerId, tag: TagId) {
        let Some(controller) = self.state.controllers.get(id) else { return };
        if controller.ability_data.run_index.is_empty() {
            return;
        }
        let mut hit: SmallVec<[(u64, ActivationId, TagId); 2]> = SmallVec::new();
        for by in self.catalog.tags().ancestors(tag).chain([tag]) {
            let runs = controller.ability_data.run_index.entries_for(ActivationKey::CancelledBy(by)).iter();
            hit.extend(runs.map(|&(_, sequence, run)| (sequence, run, by)));
        }
        hit.retain(|&mut (_, run, _)| !self.is_own_tag(run));
        // Each activation once, in the order of activation, by the first matching tag.
        hit.sort_unstable();
        hit.dedup_by_key(|(_, run, _)| *run);
        for (_, activation, by) in hit {
            self.enqueue(Consequence::Cancel { activation, reason: EndReason::CancelledByTag(by) });
        }
    }

    /// Whether the current cause is the effect that grants the owned tags of this activation's ability.
    fn is_own_tag(&self, activation: ActivationId) -> bool {
        let granted = self.state.activations.get(activation).map(|known| known.granted);
        let cause = self.scratch.current.cause();
        cause.effect == Some(self.catalog.internal.owned_tags) && cause.ability == granted
    }

    /// Queues the activation of abilities that an added tag triggers, and a look at the input buffer.
    fn after_tag_added(&mut self, id: ControllerId, tag: TagId) {
        if self.catalog.trigger_tags.matches(tag) {
            self.trigger_by_tag(id, tag);
        }
        self.enqueue_drain(id);
    }

    /// A7: queues the activation of abilities that the tag triggers, in the order of granting. A `TagPresent`
    /// trigger keeps the activation only while the tag is present.
    #[inline(never)]
    fn trigger_by_tag(&mut self, id: ControllerId, tag: TagId) {
        let Some(controller) = self.state.controllers.get(id) else { return };
        let mut triggered: SmallVec<[(TriggerOn, GrantedAbilityId); 1]> = SmallVec::new();
        for &(.., handle) in controller.ability_data.ability_index.entries_for(AbilityKey::Tag(tag)) {
            let triggers = self.granted(handle).map(|(_, ability)| &*ability.triggers).unwrap_or_default();
            let by_tag = triggers.iter().filter(|(on, watched)| *watched == tag && *on != TriggerOn::Event);
            triggered.extend(by_tag.map(|&(on, _)| (on, handle)));
        }
        for (on, handle) in triggered {
            let while_tag = (on == TriggerOn::TagPresent).then_some(tag);
            let request = ActivationRequest { while_tag, ..ActivationRequest::default() };
            self.enqueue_activation(handle, request);
        }
    }

    /// A7: queues the cancellation of activations that the removed tag kept active, and a look at the input
    /// buffer.
    fn after_tag_removed(&mut self, id: ControllerId, tag: TagId) {
        let Some(controller) = self.state.controllers.get(id) else { return };
        if !controller.ability_data.run_index.is_empty() {
            let kept_by_tag =
                controller.ability_data.run_index.entries_for(ActivationKey::KeptBy(tag)).iter();
            let over: SmallVec<[ActivationId; 2]> = kept_by_tag.map(|&(.., run)| run).collect();
            for activation in over {
                self.enqueue(Consequence::Cancel { activation, reason: EndReason::TriggerGone(tag) });
            }
        }
        self.enqueue_drain(id);
    }

    /// A7: queues the activation of abilities whose trigger is the event's tag or an ancestor of it, in the
    /// order of granting, with the event and its targets.
    fn trigger(&mut self, id: ControllerId, event: &GameplayEvent) {
        let Some(controller) = self.state.controllers.get(id) else { return };
        if controller.ability_data.ability_index.is_empty() {
            return;
        }
        let mut triggered: SmallVec<[(u64, GrantedAbilityId); 2]> = SmallVec::new();
        for tag in self.catalog.tags().ancestors(event.tag).chain([event.tag]) {
            let abilities = controller.ability_data.ability_index.entries_for(AbilityKey::Event(tag)).iter();
            triggered.extend(abilities.map(|&(_, sequence, handle)| (sequence, handle)));
        }
        triggered.sort_unstable();
        triggered.dedup();
        for (_, handle) in triggered {
            let request = ActivationRequest {
                targets: event.targets().unwrap_or_default(),
                event: Some(event.clone()),
                ..ActivationRequest::default()
            };
            self.enqueue_activation(handle, request);
        }
    }

    /// Emits the event of an added or removed tag, and `CooldownBegan` or `CooldownEnded` for each ability
    /// whose cooldown begins or ends with it.
    pub(super) fn emit_tag_change(&mut self, controller: ControllerId, tag: TagId, change: TagChange) {
        self.emit_in_place(|| change.event(controller, tag));
        if self.catalog.reactive_tags.matches(tag) {
            for handle in self.abilities_cooling_by(controller, tag) {
                match change {
                    TagChange::Added => {
                        let duration = self.ability_cooldown(handle).map(|(remaining, _)| remaining);
                        self.emit_in_place(|| EventKind::CooldownBegan { controller, handle, duration });
                    }
                    TagChange::Removed => {
                        self.emit_in_place(|| EventKind::CooldownEnded { controller, handle });
                    }
                }
            }
        }
    }

    /// Abilities with this cooldown tag that no other of their cooldown tags on the controller keeps on
    /// cooldown: those that begin or end cooling with this tag.
    fn abilities_cooling_by(&self, id: ControllerId, tag: TagId) -> SmallVec<[GrantedAbilityId; 2]> {
        let Some(controller) = self.state.controllers.get(id) else { return SmallVec::new() };
        let concerns = |handle: GrantedAbilityId| {
            self.granted(handle).is_some_and(|(_, ability)| {
                let mut others = ability.cooldown_tags.present_in(&controller.tags);
                others.all(|other| other == tag)
            })
        };
        let mut cooling = SmallVec::new();
        for &(.., handle) in controller.ability_data.ability_index.entries_for(AbilityKey::Cooldown(tag)) {
            if concerns(handle) {
                cooling.push(handle);
            }
        }
        cooling
    }
}
