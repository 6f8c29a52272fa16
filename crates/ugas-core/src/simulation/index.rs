//! Maintenance of the indexes of controllers.

use super::{Simulation, State};
use crate::controller::Controller;
use crate::controller::index::{AbilityKey, ActivationKey, EffectKey};
use crate::effect::Effect;
use crate::gap_vec::{GapVec, position_by};
use crate::handle::{ActivationId, ActiveEffectId, ControllerId, GrantedAbilityId};
use crate::id::EffectId;

impl Simulation {
    /// Instances of an effect on a target, in application order, including queued ones.
    pub(super) fn instances_of(
        &self,
        effect: EffectId,
        target: ControllerId,
    ) -> impl Iterator<Item = ActiveEffectId> + '_ {
        let controller = self.state.controllers.get(target);
        let definition = self.state.definition(&self.catalog, effect);
        let is_indexed = definition.is_some_and(|effect| effect.tracks_instances());
        let indexed = controller.filter(|_| is_indexed).into_iter();
        let indexed = indexed.flat_map(move |controller| {
            controller
                .interactions
                .effect_index
                .entries_for(EffectKey::Instance(effect))
                .iter()
                .map(|&(.., id)| id)
        });
        let all = controller.filter(|_| !is_indexed).map(Controller::effects).unwrap_or_default();
        let of_effect = move |id: &ActiveEffectId| {
            self.state.effects.get(*id).is_some_and(|active| active.effect == effect)
        };
        indexed.chain(all.iter().copied().filter(of_effect))
    }

    /// Adds an active effect to the index of its target, and counts a use of an effect created at run time.
    pub(super) fn index_effect(&mut self, id: ActiveEffectId, effect: &Effect) {
        let State { effects, controllers, runtime_effects, .. } = &mut self.state;
        let Some(active) = effects.get(id) else { return };
        if let Some(number) = active.effect.usize().checked_sub(self.catalog.effect_count()) {
            runtime_effects.count_use(number as u32, |uses| uses.saturating_add(1));
        }
        if !effect.is_indexed {
            return;
        }
        let Some(controller) = controllers.get_mut(active.target) else { return };
        for key in EffectKey::of(effect, active.effect, active.source()) {
            controller.interactions.make_mut().effect_index.insert_sorted((key, active.sequence, id));
        }
    }

    /// Reverts [`Self::index_effect`].
    pub(super) fn unindex_effect(&mut self, id: ActiveEffectId, effect: &Effect) {
        let State { effects, controllers, runtime_effects, .. } = &mut self.state;
        let Some(active) = effects.get(id) else { return };
        if let Some(number) = active.effect.usize().checked_sub(self.catalog.effect_count()) {
            runtime_effects.count_use(number as u32, |uses| uses.saturating_sub(1));
        }
        if !effect.is_indexed {
            return;
        }
        let Some(controller) = controllers.get_mut(active.target) else { return };
        for key in EffectKey::of(effect, active.effect, active.source()) {
            controller.interactions.make_mut().effect_index.remove_sorted(&(key, active.sequence, id));
        }
    }

    /// Adds a granted ability to the index of its owner, by its triggers, its cooldown tags and its input.
    pub(super) fn index_ability(&mut self, handle: GrantedAbilityId) {
        self.change_ability_index(handle, GapVec::insert_sorted);
    }

    /// Removes a granted ability from the index of its owner; runs before its input changes.
    pub(super) fn unindex_ability(&mut self, handle: GrantedAbilityId) {
        self.change_ability_index(handle, |index, entry| index.remove_sorted(&entry));
    }

    /// Calls `change`, an insertion or a removal, for each index entry of a granted ability.
    fn change_ability_index(
        &mut self,
        handle: GrantedAbilityId,
        change: fn(&mut GapVec<AbilityEntry>, AbilityEntry),
    ) {
        let Some(granted) = self.state.abilities.get(handle) else { return };
        let Some(ability) = self.catalog.ability_by_id(granted.ability) else { return };
        let Some(controller) = self.state.controllers.get_mut(granted.controller) else { return };
        for key in AbilityKey::of(ability, granted.input.as_ref()) {
            change(&mut controller.ability_data.make_mut().ability_index, (key, granted.sequence, handle));
        }
    }

    /// Adds an activation to the indexes of its owner, for cancellation and blocking by tags.
    pub(super) fn index_activation(&mut self, id: ActivationId) {
        let Some(run) = self.state.activations.get(id) else { return };
        let Some(ability) = self.catalog.ability_by_id(run.ability) else { return };
        let (controller, sequence, while_tag) = (run.controller, run.sequence, run.while_tag);
        let Some(controller) = self.state.controllers.get_mut(controller) else { return };
        for key in ActivationKey::of(ability, while_tag) {
            controller.ability_data.make_mut().run_index.insert_sorted((key, sequence, id));
        }
    }

    /// Removes an activation from the lists of its controller and its ability, and from the index.
    pub(super) fn unlist_activation(&mut self, id: ActivationId) {
        let State { activations, controllers, abilities, .. } = &mut self.state;
        let Some(run) = activations.get(id) else { return };
        let ability = self.catalog.ability_by_id(run.ability);
        let number = |run| activations.get(run).map(|run| run.sequence);
        if let Some(controller) = controllers.get_mut(run.controller) {
            let ability_data = controller.ability_data.make_mut();
            ability_data.activations.remove_by(id, number);
            for key in ability.into_iter().flat_map(|ability| ActivationKey::of(ability, run.while_tag)) {
                ability_data.run_index.remove_sorted(&(key, run.sequence, id));
            }
        }
        if let Some(granted) = abilities.get_mut(run.granted)
            && let Some(at) = position_by(&granted.activations, id, number)
        {
            granted.activations.remove(at);
        }
    }
}

/// An entry of the index of abilities.
type AbilityEntry = (AbilityKey, u64, GrantedAbilityId);

impl State {
    /// Removes an active effect from the list of its target.
    pub(super) fn unlist_effect(&mut self, id: ActiveEffectId, target: ControllerId) {
        let Self { effects, controllers, .. } = self;
        if let Some(controller) = controllers.get_mut(target) {
            controller.effects.remove_by(id, |id| effects.get(id).map(|active| active.sequence));
        }
    }

    /// Removes an ability from the list of its owner.
    pub(super) fn unlist_ability(&mut self, handle: GrantedAbilityId) {
        let Self { abilities, controllers, .. } = self;
        let owner = abilities.get(handle).map(|granted| granted.controller);
        if let Some(controller) = owner.and_then(|owner| controllers.get_mut(owner)) {
            let number = |handle| abilities.get(handle).map(|granted| granted.sequence);
            controller.ability_data.make_mut().abilities.remove_by(handle, number);
        }
    }
}
