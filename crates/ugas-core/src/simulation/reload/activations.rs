//! Reload of activations and their tasks: those with an unchanged program continue where they are (R8).

use std::sync::Arc;

use super::Reload;
use crate::ability::{Activation, Branch, BranchContext, EventDetails, GameplayEvent};
use crate::catalog::DefinitionKind;
use crate::handle::ActivationId;
use crate::reload::{ReloadOutcome, ReloadPlace};
use crate::task::{Occurrence, RunningTask, Subject};

impl Reload<'_> {
    /// Translates all tasks and activations, and lists the activations that cannot continue for cancellation.
    pub(super) fn translate_activations(&mut self) {
        for (id, task) in self.old.state.tasks.iter() {
            let translated = self.task(task);
            if let Some(place) = self.next.state.tasks.get_mut(id) {
                *place = translated;
            }
        }
        for (id, activation) in self.old.state.activations.iter() {
            let translated = self.activation(activation);
            if let Some(place) = self.next.state.activations.get_mut(id) {
                *place = translated;
            }
            if !self.can_continue(activation) {
                self.stop(id, activation);
            }
        }
    }

    /// Whether an activation may continue (R8): its ability is still granted, with the same tasks, and the
    /// tag that keeps it active exists.
    fn can_continue(&self, activation: &Activation) -> bool {
        let Some(now) = self.ids.ability(activation.ability) else { return false };
        let before = self.old.catalog.ability_by_id(activation.ability);
        let now = self.next.catalog.ability_by_id(now);
        let (Some(before), Some(now)) = (before, now) else { return false };
        let tags_are_there = activation.while_tag.is_none_or(|tag| self.ids.tag(tag).is_some());
        let is_granted = self.next.state.abilities.contains(activation.granted);
        is_granted && tags_are_there && before.def.tasks == now.def.tasks
    }

    /// Lists an activation for cancellation in the operation of the reload. Reported only if its ability
    /// still exists; a lost ability is reported with its grant.
    fn stop(&mut self, id: ActivationId, activation: &Activation) {
        self.work.stops.push(id);
        if self.ids.ability(activation.ability).is_some() {
            let name = self.old.catalog.ability_name(activation.ability);
            let place =
                ReloadPlace::Ability { handle: activation.granted, controller: activation.controller };
            self.report(DefinitionKind::Ability, name, place, ReloadOutcome::RunCancelled);
        }
    }

    /// Translates an activation, without what is gone: an event or cue of a lost tag, and effects that were
    /// removed. A lost ability becomes an unknown id; such an activation is cancelled.
    fn activation(&self, activation: &Activation) -> Activation {
        let Activation {
            granted,
            ability,
            controller,
            level,
            sequence,
            started,
            targets,
            first_targets,
            chosen,
            event,
            context_of,
            while_tag,
            prediction,
            paid,
            cooling,
            cooldown,
            ending,
            owned_tags,
            parameters,
            applied,
            cues,
            placed_cues,
            stream,
            draws,
            branches,
            next_branch,
            standing,
        } = activation.clone();
        let event = event.and_then(|event| self.gameplay_event(event));
        let branches = branches.into_iter().map(|branch| self.branch(branch)).collect();
        let effects = &self.next.state.effects;
        Activation {
            granted,
            ability: self.ids.ability_or_unknown(ability),
            controller,
            level,
            sequence,
            started,
            targets,
            first_targets,
            chosen,
            event,
            context_of,
            while_tag: while_tag.and_then(|tag| self.ids.tag(tag)),
            prediction,
            paid,
            cooling,
            cooldown: cooldown.filter(|cooldown| effects.contains(*cooldown)),
            ending,
            owned_tags: owned_tags.filter(|owned| effects.contains(*owned)),
            parameters,
            applied: applied.into_iter().filter(|(_, active)| effects.contains(*active)).collect(),
            cues: cues.into_iter().filter_map(|cue| self.ids.tag(cue)).collect(),
            placed_cues: placed_cues.into_iter().filter(|active| effects.contains(*active)).collect(),
            stream,
            draws,
            branches,
            next_branch,
            standing,
        }
    }

    /// Translates a task, without subscriptions and queued events of lost definitions. The timer is derived
    /// later.
    fn task(&self, task: &RunningTask) -> RunningTask {
        let RunningTask {
            activation,
            controller,
            branch,
            step,
            sequence,
            started,
            deadline,
            memory,
            subjects,
            watched,
            queue,
            overflowed,
            timer: _,
        } = task.clone();
        let mut subjects: smallvec::SmallVec<[Subject; 2]> =
            subjects.into_iter().filter_map(|subject| self.subject(subject)).collect();
        subjects.sort_unstable();
        let translated = |(controller, subject)| Some((controller, self.subject(subject)?));
        let mut watched: smallvec::SmallVec<[(crate::handle::ControllerId, Subject); 1]> =
            watched.into_iter().filter_map(translated).collect();
        watched.sort_unstable();
        let queue = queue.into_iter().filter_map(|occurrence| self.occurrence(occurrence)).collect();
        RunningTask {
            activation,
            controller,
            branch,
            step,
            sequence,
            started,
            deadline,
            memory,
            subjects,
            watched,
            queue,
            overflowed,
            timer: None,
        }
    }

    /// Translates the event that a branch keeps.
    fn branch(&self, mut branch: Branch) -> Branch {
        branch.context = branch.context.map(|context| {
            let BranchContext { event, targets, chosen } = (*context).clone();
            let event = event.and_then(|event| self.gameplay_event(event));
            Arc::new(BranchContext { event, targets, chosen })
        });
        branch
    }

    /// Translates an event; `None` if its tag is gone. Lost context tags are left out.
    fn gameplay_event(&self, event: GameplayEvent) -> Option<GameplayEvent> {
        let GameplayEvent { tag, magnitude, instigator, target, details } = event;
        let details = details.map(|details| {
            let EventDetails { context_tags, target_data, payload, causer, origin } = (*details).clone();
            let context_tags = context_tags.into_iter().filter_map(|tag| self.ids.tag(tag)).collect();
            Arc::new(EventDetails { context_tags, target_data, payload, causer, origin })
        });
        Some(GameplayEvent { tag: self.ids.tag(tag)?, magnitude, instigator, target, details })
    }

    /// Translates a queued occurrence; `None` if it is an event whose tag is gone.
    fn occurrence(&self, occurrence: Occurrence) -> Option<Occurrence> {
        Some(match occurrence {
            Occurrence::Event(event) => Occurrence::Event(self.gameplay_event(event)?),
            other => other,
        })
    }

    /// Translates a subscription; `None` if its attribute or tag is gone.
    fn subject(&self, subject: Subject) -> Option<Subject> {
        Some(match subject {
            Subject::Attribute(attribute) => Subject::Attribute(self.ids.attribute(attribute)?),
            Subject::Tag(tag) => Subject::Tag(self.ids.tag(tag)?),
            Subject::TagCount(tag) => Subject::TagCount(self.ids.tag(tag)?),
            Subject::Event(tag) => Subject::Event(self.ids.tag(tag)?),
            other => other,
        })
    }
}
