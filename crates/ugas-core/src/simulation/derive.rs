//! Derived state: modifiers, tags, cues, timers and indexes, rebuilt from the facts (R2).
//!
//! A reload derives it after translating the facts; reading a snapshot derives it because only facts are
//! written. Effects, abilities and activations must know their controllers; all derived state must be empty
//! at the start.

use smallvec::SmallVec;

use super::activate::modifier_entry;
use super::{Simulation, State};
use crate::controller::Controller;
use crate::effect::{ActiveEffect, Effect, EffectStatus};
use crate::gap_vec::GapVec;
use crate::handle::{ActivationId, ActiveEffectId, ControllerId, GrantedAbilityId, TaskId};
use crate::id::TagId;
use crate::modifier::aggregate::ModifierEntry;
use crate::tag::TagContainer;

impl Simulation {
    /// Running effects on a controller, in application order, with their definitions.
    fn running_effects(
        &self,
        id: ControllerId,
    ) -> impl Iterator<Item = (ActiveEffectId, &ActiveEffect, &Effect)> {
        let controller = self.state.controllers.get(id);
        let effects = controller.map(Controller::effects).unwrap_or_default();
        effects.iter().filter_map(|&active| {
            let (instance, effect) = self.state.effect_of(&self.catalog, active)?;
            (instance.status == EffectStatus::Running).then_some((active, instance, effect))
        })
    }

    /// Running effects whose grants are in force: tags, abilities and cues.
    pub(super) fn granting_effects(
        &self,
        id: ControllerId,
    ) -> impl Iterator<Item = (&ActiveEffect, &Effect)> {
        let effects = self.running_effects(id).map(|(_, active, effect)| (active, effect));
        effects.filter(|(active, _)| active.given && !active.inhibited)
    }

    /// Appends the modifier entries of the running effects on a controller, and sorts `entries` as the
    /// controller stores them.
    pub(super) fn derive_modifiers(&self, id: ControllerId, entries: &mut GapVec<ModifierEntry>) {
        let Some(controller) = self.state.controllers.get(id) else { return };
        let layout = self.state.layout(controller);
        for (active, instance, effect) in self.running_effects(id) {
            let of_effect = (0..effect.modifiers.len())
                .filter_map(|index| modifier_entry(layout, active, instance, effect, index));
            of_effect.for_each(|entry| entries.push(entry));
        }
        entries.sort_unstable_by_key(|entry| (entry.slot, entry.sequence, entry.index));
    }

    /// Counts the tags that the effects on a controller grant into `tags`. `crossed` is working memory.
    pub(super) fn derive_tags(&self, id: ControllerId, tags: &mut TagContainer, crossed: &mut Vec<TagId>) {
        for (active, effect) in self.granting_effects(id) {
            for tag in effect.granted_tags.iter().chain(active.spec.granted_tags().iter().copied()) {
                let _ = tags.add(self.catalog.tags(), tag, crossed);
            }
        }
        crossed.clear();
    }

    /// Adds the cues that effects and activations show on a controller, with the number of holders.
    pub(super) fn derive_cues(&self, id: ControllerId, cues: &mut SmallVec<[(TagId, u32); 2]>) {
        let mut count = |cue: TagId| match cues.binary_search_by_key(&cue, |(tag, _)| *tag) {
            Ok(at) => cues[at].1 += 1,
            Err(at) => cues.insert(at, (cue, 1)),
        };
        let runs = self.state.controllers.get(id).map(Controller::activations);
        for &run in runs.unwrap_or_default() {
            let activation = self.state.activations.get(run);
            activation.iter().flat_map(|activation| &activation.cues).for_each(|cue| count(*cue));
        }
        for (active, effect) in self.granting_effects(id) {
            self.held_cues(effect, &active.spec).for_each(&mut count);
        }
    }

    /// Derives the subscriptions, index entries and timers of active effects. `order` is the order of
    /// application.
    pub(super) fn derive_watches(&mut self, order: &[ActiveEffectId]) {
        for &id in order {
            let Some(active) = self.state.effects.get(id) else { continue };
            let Some(effect) = self.state.definition(&self.catalog, active.effect).cloned() else { continue };
            self.watch(id, &effect);
            self.schedule(id);
        }
    }

    /// Derives subscriptions, indexes, blocks and timers of tasks, abilities, activations and effects, and
    /// the lifetime timers of summoned controllers.
    pub(super) fn derive_activations(&mut self) {
        let tasks: Vec<TaskId> = self.state.tasks.handles().collect();
        for id in tasks {
            let Some(task) = self.state.tasks.get(id) else { continue };
            let (sequence, controller, deadline) = (task.sequence, task.controller, task.deadline);
            let (subjects, watched) = (task.subjects.clone(), task.watched.clone());
            self.subscribe(id, sequence, controller, &subjects);
            for (controller, subject) in watched {
                self.subscribe(id, sequence, controller, &[subject]);
            }
            self.set_deadline(id, deadline);
        }
        let controllers: Vec<ControllerId> = self.state.controllers.handles().collect();
        for id in controllers {
            self.schedule_departure(id);
            let Some(controller) = self.state.controllers.get(id) else { continue };
            let abilities =
                SmallVec::<[GrantedAbilityId; 16]>::from_slice(&controller.ability_data.abilities);
            let runs = SmallVec::<[ActivationId; 16]>::from_slice(&controller.ability_data.activations);
            for handle in abilities {
                let Some(granted) = self.state.abilities.get(handle) else { continue };
                if let Some(at) = granted.recharge {
                    self.schedule_recharge(handle, at);
                }
                self.index_ability(handle);
            }
            for run in runs {
                self.index_activation(run);
            }
            let blocks = self.granting_effects(id).flat_map(|(_, effect)| effect.block_abilities.iter());
            for tag in blocks.collect::<SmallVec<[TagId; 8]>>() {
                self.block_abilities(id, tag);
            }
        }
    }
}

impl State {
    /// Active effects in the order of their application.
    pub(super) fn application_order(&self) -> Vec<ActiveEffectId> {
        let mut order: Vec<(u64, ActiveEffectId)> =
            self.effects.iter().map(|(id, active)| (active.sequence, id)).collect();
        order.sort_unstable();
        order.into_iter().map(|(_, id)| id).collect()
    }

    /// Derives the lists of controllers (effects, abilities, activations) and of abilities (activations),
    /// each in the order of beginning, the indexes by owner and avatar, and that of summoned controllers.
    pub(super) fn derive_lists(&mut self) {
        for id in self.application_order() {
            let target = self.effects.get(id).map(|active| active.target);
            if let Some(controller) = target.and_then(|target| self.controllers.get_mut(target)) {
                controller.effects.push(id);
            }
        }
        let mut granted: Vec<_> = self.abilities.iter().map(|(id, granted)| (granted.sequence, id)).collect();
        granted.sort_unstable();
        for (_, id) in granted {
            let owner = self.abilities.get(id).map(|granted| granted.controller);
            if let Some(controller) = owner.and_then(|owner| self.controllers.get_mut(owner)) {
                controller.ability_data.make_mut().abilities.push(id);
            }
        }
        let mut runs: Vec<_> = self.activations.iter().map(|(id, run)| (run.sequence, id)).collect();
        runs.sort_unstable();
        for (_, id) in runs {
            let Some(run) = self.activations.get(id) else { continue };
            if let Some(controller) = self.controllers.get_mut(run.controller) {
                controller.ability_data.make_mut().activations.push(id);
            }
            if let Some(granted) = self.abilities.get_mut(run.granted) {
                granted.activations.push(id);
            }
        }
        for (id, controller) in self.controllers.iter() {
            self.owners.extend(controller.owner.map(|owner| (owner, id)));
            self.avatars.extend(controller.avatar.map(|avatar| (avatar, id)));
            if let Some(summon) = controller.summon() {
                self.summons.insert(id, summon);
            }
        }
    }
}
