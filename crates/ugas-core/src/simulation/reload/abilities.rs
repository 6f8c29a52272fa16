//! Reload of granted abilities: kept by name, and aligned with the grants of changed effects.

use super::Reload;
use crate::ability::GrantedAbility;
use crate::catalog::DefinitionKind;
use crate::effect::{AbilityRemoval, Effect};
use crate::event::EventKind;
use crate::handle::{ActiveEffectId, GrantedAbilityId};
use crate::reload::{ReloadOutcome, ReloadPlace};
use crate::simulation::State;

impl Reload<'_> {
    /// Translates all granted abilities, and revokes those that cannot continue. Then aligns the abilities of
    /// changed effects with their new definitions.
    pub(super) fn translate_abilities(&mut self) {
        for (handle, granted) in self.old.state.abilities.iter() {
            let translated = self.ability(granted);
            match (translated, self.next.state.abilities.get_mut(handle)) {
                (Some(translated), Some(place)) => *place = translated,
                _ => self.revoke(handle, granted),
            }
        }
        let State { controllers, abilities, .. } = &mut self.next.state;
        for ability_data in
            controllers.iter_mut().filter_map(|(_, controller)| controller.ability_data.get_mut())
        {
            ability_data.abilities.retain(|handle| abilities.contains(*handle));
        }
        for id in self.touched.clone() {
            self.compare_grants(id);
        }
    }

    /// Translates a grant to the new catalog; `None` if the ability, or the effect that it depends on, is
    /// gone. Used charges stay used, and parameters that only the new definition has are added.
    fn ability(&self, granted: &GrantedAbility) -> Option<GrantedAbility> {
        let GrantedAbility {
            ability,
            controller,
            level,
            input,
            source_object,
            dynamic_tags,
            parameters,
            granted_by,
            remove_on_end,
            activations,
            charges,
            recharge,
            sequence,
            timer: _,
        } = granted;
        let granted_by = match *granted_by {
            Some((effect, _)) if self.next.state.effects.contains(effect) => *granted_by,
            // A8: by the removal rule of the grant.
            Some((_, AbilityRemoval::Keep)) | None => None,
            Some(_) => return None,
        };
        let before = self.old.catalog.ability_by_id(*ability).and_then(|ability| ability.def.charges);
        let ability = self.ids.ability(*ability)?;
        let now = self.next.catalog.ability_by_id(ability).and_then(|ability| ability.def.charges);
        // Used charges stay used; an ability that had no charges begins with all of them.
        let (charges, recharge) = match (before, now) {
            (_, None) => (0, None),
            (None, Some(now)) => (now.max, None),
            (Some(before), Some(now)) => {
                let charges = now.max.saturating_sub(before.max.saturating_sub(*charges));
                let due = recharge.unwrap_or(self.next.state.now + now.recharge);
                (charges, (charges < now.max).then_some(due))
            }
        };
        let mut parameters = parameters.clone();
        let new = self.next.catalog.ability_by_id(ability);
        for (name, value) in new.into_iter().flat_map(|ability| ability.number_parameters()) {
            if crate::ability::parameter(&parameters, name).is_none() {
                crate::ability::set_parameter(&mut parameters, name, value);
            }
        }
        Some(GrantedAbility {
            ability,
            controller: *controller,
            level: *level,
            input: input.clone(),
            source_object: *source_object,
            dynamic_tags: dynamic_tags.iter().filter_map(|&tag| self.ids.tag(tag)).collect(),
            parameters,
            granted_by,
            remove_on_end: *remove_on_end,
            activations: activations.clone(),
            charges,
            recharge,
            sequence: *sequence,
            timer: None,
        })
    }

    /// Removes a grant that cannot continue, with an event, and reports an ability whose definition is gone.
    fn revoke(&mut self, handle: GrantedAbilityId, granted: &GrantedAbility) {
        let controller = granted.controller;
        self.next.state.abilities.remove(handle);
        if let Some((effect, _)) = granted.granted_by
            && let Some(active) = self.next.state.effects.get_mut(effect)
        {
            active.forget_granted(handle);
        }
        let ability = self.ids.ability_or_unknown(granted.ability);
        self.work.announcements.push(EventKind::AbilityRevoked { controller, handle, ability });
        if self.ids.ability(granted.ability).is_none() {
            let name = self.old.catalog.ability_name(granted.ability);
            let place = ReloadPlace::Ability { handle, controller };
            self.report(DefinitionKind::Ability, name, place, ReloadOutcome::DefinitionGone);
        }
    }

    /// Updates the abilities of a granting effect to its new definition: changed grants now; removed and new
    /// ones are listed for the operation of the reload.
    fn compare_grants(&mut self, id: ActiveEffectId) {
        let (Some((_, before)), Some(now)) = (self.before(id), self.definition_now(id)) else { return };
        let Some(active) = self.next.state.effects.get(id) else { return };
        if active.inhibited || !active.given {
            return;
        }
        for handle in active.parts.granted.clone() {
            let Some(granted) = self.next.state.abilities.get_mut(handle) else { continue };
            let of_ability = |effect: &Effect, ability| {
                effect.granted_abilities.iter().position(|grant| grant.ability == ability)
            };
            let Some(at) = of_ability(&now, granted.ability) else {
                self.work.releases.push((id, handle));
                continue;
            };
            let name = self.next.catalog.ability_name(granted.ability);
            let said = before.def.granted_abilities.iter().find(|grant| grant.ability == name);
            if said != now.def.granted_abilities.get(at) {
                let grant = &now.granted_abilities[at];
                granted.level = grant.level;
                granted.input.clone_from(&grant.input);
                granted.granted_by = Some((id, grant.removal));
            }
        }
        let granted_before =
            |name: &str| before.def.granted_abilities.iter().any(|grant| grant.ability == name);
        let new = now.granted_abilities.iter().filter(|grant| {
            let name = self.next.catalog.ability_name(grant.ability);
            !granted_before(name)
        });
        self.work.grants.extend(new.map(|grant| (id, grant.clone())));
    }
}
