//! Restores the granted abilities of a character (P7, P8).

use smallvec::SmallVec;

use super::restore::CharacterRestore;
use crate::ability::{GrantedAbility, TriggerOn};
use crate::catalog::DefinitionKind;
use crate::character::{AbilityReference, CharacterAbility, CharacterOutcome, GrantedBy, Instigator};
use crate::effect::AbilityRemoval;
use crate::handle::{ActiveEffectId, ControllerId, GrantedAbilityId};
use crate::id::AbilityId;
use crate::input::InputId;
use crate::refusal::Limit;
use crate::simulation::ActivationRequest;

impl<'a> CharacterRestore<'a> {
    /// Restores the own tags, then effects and abilities in their common order, then what refers across them:
    /// recency, source abilities and counts of rolls. Emits no events; nothing is derived yet.
    pub(super) fn write_records(&mut self) {
        #[derive(PartialEq, Eq, PartialOrd, Ord)]
        enum Record {
            Effect,
            Ability,
        }
        self.write_own_tags();
        let character = self.character;
        let effects = (0..).zip(&character.effects).map(|(at, effect)| (effect.order, Record::Effect, at));
        let abilities =
            (0..).zip(&character.abilities).map(|(at, ability)| (ability.order, Record::Ability, at));
        let mut records: Vec<(u32, Record, usize)> = effects.chain(abilities).collect();
        records.sort_unstable();
        for (_, record, at) in records {
            match record {
                Record::Effect => self.write_effect(&character.effects[at]),
                Record::Ability => self.write_ability(&character.abilities[at]),
            }
        }
        self.order_applications();
        self.link_abilities();
        self.count_rolls();
    }

    /// Restores one granted ability, or reports the reason for leaving it out.
    fn write_ability(&mut self, saved: &'a CharacterAbility) {
        if let Err(outcome) = self.try_ability(saved) {
            self.note(DefinitionKind::Ability, &saved.ability, outcome);
        }
    }

    /// Adds a granted ability with its parameters and used charges, and continues its recharge. An error
    /// leaves it out. Indexing follows in `watch_triggers`.
    fn try_ability(&mut self, saved: &'a CharacterAbility) -> Result<(), CharacterOutcome> {
        let ability = self.sim.catalog.ability(&saved.ability).map_err(|_| CharacterOutcome::Unknown)?;
        let granted_by = self.granted_by(saved, ability)?;
        let limit = CharacterOutcome::LimitReached(Limit::AbilitiesPerController);
        let count =
            self.sim.state.controllers.get(self.id).map_or(0, |known| known.ability_data.abilities.len());
        if count >= self.sim.config.max_abilities_per_controller as usize {
            return Err(limit);
        }
        let catalog = std::sync::Arc::clone(&self.sim.catalog);
        let definition = catalog.ability_by_id(ability).ok_or(CharacterOutcome::Unknown)?;
        let mut parameters = crate::ability::Parameters::new();
        for (name, value) in definition.number_parameters() {
            crate::ability::set_parameter(&mut parameters, name, value);
        }
        for (name, value) in &saved.parameters {
            if !crate::ability::set_parameter(&mut parameters, name, *value) {
                self.note(DefinitionKind::Ability, &saved.ability, CharacterOutcome::NotFinite);
            }
        }
        let dynamic_tags: SmallVec<[_; 2]> =
            saved.dynamic_tags.iter().filter_map(|name| self.tag(name)).collect();
        let charges = definition.def.charges;
        let left = charges.map_or(0, |charges| charges.max.saturating_sub(saved.used_charges));
        let input = saved.input.as_deref().map(InputId::new);
        let within = self.sim.check_grant_extras(&dynamic_tags, &parameters, input.as_ref());
        within.map_err(CharacterOutcome::LimitReached)?;
        let sequence = self.sim.state.next_sequence();
        let handle = self.sim.state.abilities.insert(GrantedAbility {
            ability,
            controller: self.id,
            level: saved.level,
            input,
            source_object: saved.source_object,
            dynamic_tags,
            parameters,
            granted_by,
            remove_on_end: false,
            activations: SmallVec::new(),
            charges: left,
            recharge: None,
            sequence,
            timer: None,
        });
        self.abilities.insert(saved.order, handle);
        if let Some(controller) = self.sim.state.controllers.get_mut(self.id) {
            controller.ability_data.make_mut().abilities.push(handle);
        }
        if let Some(active) = granted_by.and_then(|(effect, _)| self.sim.state.effects.get_mut(effect)) {
            active.parts.make_mut().granted.push(handle);
        }
        if let Some(charges) = charges.filter(|charges| left < charges.max) {
            let due = self.sim.state.now + saved.recharge.unwrap_or(charges.recharge);
            self.sim.schedule_recharge(handle, due.max(self.sim.state.now));
        }
        Ok(())
    }

    /// P7: the restored effect that grants the ability, with the removal rule of its present definition.
    /// `None` if no effect grants it, or that is gone and the ability stays; an error if the ability goes
    /// with it.
    fn granted_by(
        &self,
        saved: &CharacterAbility,
        ability: AbilityId,
    ) -> Result<Option<(ActiveEffectId, AbilityRemoval)>, CharacterOutcome> {
        let Some(GrantedBy { effect, removal }) = saved.granted_by else { return Ok(None) };
        let Some(&effect) = self.effects.get(&effect) else {
            let kept = removal == AbilityRemoval::Keep;
            return if kept { Ok(None) } else { Err(CharacterOutcome::NoLongerGranted) };
        };
        let granting = self.sim.state.effect_of(&self.sim.catalog, effect);
        let grants = granting.map(|(_, effect)| &*effect.granted_abilities).unwrap_or_default();
        let grant = grants.iter().find(|grant| grant.ability == ability);
        let grant = grant.ok_or(CharacterOutcome::NoLongerGranted)?;
        Ok(Some((effect, grant.removal)))
    }

    /// Sets the source abilities of restored effects to their new handles, and reports those that are gone.
    fn link_abilities(&mut self) {
        for saved in &self.character.effects {
            let (Some(&id), Some(reference)) = (self.effects.get(&saved.order), &saved.ability) else {
                continue;
            };
            let source = self.sim.state.effects.get(id).and_then(|active| active.source());
            let is_own = saved.instigator == Instigator::Itself || reference.order.is_some();
            let owner = if is_own { Some(self.id) } else { source };
            let handle = owner.and_then(|owner| self.find_ability(owner, reference));
            if handle.is_none() {
                let outcome = CharacterOutcome::AbilityGone { ability: reference.ability.clone() };
                self.report.note(DefinitionKind::Effect, &saved.effect, outcome);
            }
            if let Some(active) = self.sim.state.effects.get_mut(id) {
                active.spec.context.ability = handle;
            }
        }
    }

    /// Ability of `owner` that a saved reference means: the one of the saved order if it is of the same
    /// definition, else the first of that definition.
    fn find_ability(&self, owner: ControllerId, reference: &AbilityReference) -> Option<GrantedAbilityId> {
        let ability = self.sim.catalog.ability(&reference.ability).ok()?;
        let is_it = |handle: &GrantedAbilityId| {
            self.sim.state.abilities.get(*handle).is_some_and(|granted| granted.ability == ability)
        };
        let by_order = reference.order.and_then(|order| self.abilities.get(&order)).copied().filter(is_it);
        let abilities = self.sim.state.controllers.get(owner).map(|owner| &*owner.ability_data.abilities);
        by_order.or_else(|| abilities.unwrap_or_default().iter().copied().find(is_it))
    }

    /// Adds the restored abilities to the indexes last: tags that were there before trigger nothing (P3).
    pub(super) fn watch_triggers(&mut self) {
        let controller = self.sim.state.controllers.get(self.id);
        let handles =
            controller.map(|controller| controller.ability_data.abilities.to_vec()).unwrap_or_default();
        for handle in handles {
            self.sim.index_ability(handle);
        }
    }

    /// P8: queues the activation of passive abilities that were active; other activations are not restored.
    /// Reports both.
    pub(super) fn restart_passives(&mut self) {
        for saved in self.character.abilities.iter().filter(|saved| saved.active_runs > 0) {
            let Some(&handle) = self.abilities.get(&saved.order) else { continue };
            let Some((_, ability)) = self.sim.granted(handle) else { continue };
            let present = ability
                .triggers
                .iter()
                .find(|(on, tag)| *on == TriggerOn::TagPresent && self.sim.has_tag(self.id, *tag));
            let while_tag = present.map(|&(_, tag)| tag);
            if ability.def.activate_on_grant || while_tag.is_some() {
                let request = ActivationRequest { while_tag, ..ActivationRequest::default() };
                self.sim.enqueue_activation(handle, request);
                self.report.note(DefinitionKind::Ability, &saved.ability, CharacterOutcome::ActivatedAgain);
            } else {
                let outcome = CharacterOutcome::RunsLeftBehind { runs: saved.active_runs };
                self.report.note(DefinitionKind::Ability, &saved.ability, outcome);
            }
        }
    }
}
