//! Granting and revoking of abilities (§4.5, §8.2, A8).

use std::sync::Arc;

use smallvec::SmallVec;

use super::Simulation;
use super::ability::ActivationRequest;
use super::sets::RegisterError;
use crate::ability::{EndReason, Grant, GrantedAbility, GrantedSet, TriggerOn, fixed_kind};
use crate::catalog::UnknownName;
use crate::effect::{AbilityGrant, AbilityRemoval, EffectContext};
use crate::event::{EventKind, RemovalReason};
use crate::handle::{ActiveEffectId, ControllerId, GrantedAbilityId};
use crate::id::AbilityId;
use crate::input::InputId;
use crate::refusal::{Limit, RefusalReason};

/// Reason for which an ability set could not be granted.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GrantSetError {
    /// There is no such set.
    #[error(transparent)]
    UnknownSet(#[from] UnknownName),
    /// The controller does not exist, or has too many abilities.
    #[error(transparent)]
    Refused(#[from] RefusalReason),
    /// An attribute set cannot be registered.
    #[error(transparent)]
    AttributeSets(#[from] RegisterError),
}

impl Grant {
    /// Grant of an ability that a definition lists: of an effect, with the instance and its removal rule as
    /// `granted_by`, or of an ability set or a template, without.
    pub(crate) fn of(grant: &AbilityGrant, granted_by: Option<(ActiveEffectId, AbilityRemoval)>) -> Self {
        let AbilityGrant { ability, level, ref input, removal: _, activate, is_active, ref dynamic_tags } =
            *grant;
        let dynamic_tags = dynamic_tags.iter().copied().collect();
        Self {
            level,
            input: input.clone(),
            granted_by,
            activate,
            begun: is_active,
            dynamic_tags,
            ..Self::new(ability)
        }
    }
}

impl Simulation {
    /// Grants an ability at a level (§4.5).
    ///
    /// # Errors
    /// If the controller or the ability does not exist, or the controller has too many abilities.
    pub fn grant(
        &mut self,
        controller: ControllerId,
        ability: AbilityId,
        level: u32,
    ) -> Result<GrantedAbilityId, RefusalReason> {
        self.grant_with(controller, Grant::new(ability).level(level))
    }

    /// Grants an ability with level, input, parameters, tags and other options (§8.1).
    ///
    /// # Errors
    /// If the controller or the ability does not exist, the controller has too many abilities, or the grant
    /// sets a parameter that the definition fixes (A18).
    pub fn grant_with(
        &mut self,
        controller: ControllerId,
        grant: Grant,
    ) -> Result<GrantedAbilityId, RefusalReason> {
        if !self.state.controllers.contains(controller) {
            return Err(RefusalReason::UnknownController(controller));
        }
        let ability = self.catalog.ability_by_id(grant.ability);
        let ability = ability.ok_or(RefusalReason::UnknownAbility(grant.ability))?;
        let is_fixed = |(name, _): &&(Arc<str>, f64)| fixed_kind(&ability.def.parameters, name).is_some();
        if let Some((name, _)) = grant.parameters.iter().find(is_fixed) {
            return Err(RefusalReason::FixedParameter(name.to_string()));
        }
        self.check_grant(&grant).map_err(RefusalReason::LimitReached)?;
        self.operate(|sim| sim.grant_ability(controller, grant))
            .ok_or(RefusalReason::LimitReached(Limit::AbilitiesPerController))
    }

    /// Revokes an ability; active ones are cancelled first.
    ///
    /// # Errors
    /// If the ability is not granted (any more).
    pub fn revoke(&mut self, handle: GrantedAbilityId) -> Result<(), RefusalReason> {
        if !self.state.abilities.contains(handle) {
            return Err(RefusalReason::UnknownGrant(handle));
        }
        self.operate(|sim| sim.revoke_ability(handle));
        Ok(())
    }

    /// Revokes an ability as soon as it is not active (A8).
    ///
    /// # Errors
    /// If the ability is not granted (any more).
    pub fn revoke_on_end(&mut self, handle: GrantedAbilityId) -> Result<(), RefusalReason> {
        if !self.state.abilities.contains(handle) {
            return Err(RefusalReason::UnknownGrant(handle));
        }
        self.operate(|sim| sim.remove_granted(handle, AbilityRemoval::RemoveOnEnd));
        Ok(())
    }

    /// Changes the level of a granted ability (GASD §4.6.13). A running activation keeps the level it began
    /// with. Alternatively, revoke the ability and grant it again.
    ///
    /// # Errors
    /// If the ability is not granted (any more).
    pub fn set_ability_level(&mut self, handle: GrantedAbilityId, level: u32) -> Result<(), RefusalReason> {
        let Some(granted) = self.state.abilities.get_mut(handle) else {
            return Err(RefusalReason::UnknownGrant(handle));
        };
        let (controller, old) = (granted.controller, core::mem::replace(&mut granted.level, level));
        if old != level {
            let new = level;
            self.operate(|sim| {
                sim.emit(EventKind::AbilityLevelChanged { controller, handle, old, new });
            });
        }
        Ok(())
    }

    /// Binds a granted ability to another input, or to none (§11.2).
    ///
    /// # Errors
    /// If the ability is not granted (any more), or the name of the input is too long.
    pub fn bind_input(
        &mut self,
        handle: GrantedAbilityId,
        input: Option<InputId>,
    ) -> Result<(), RefusalReason> {
        if let Some(input) = &input {
            self.check_name(input.as_str()).map_err(RefusalReason::LimitReached)?;
        }
        if !self.state.abilities.contains(handle) {
            return Err(RefusalReason::UnknownGrant(handle));
        }
        self.unindex_ability(handle);
        if let Some(granted) = self.state.abilities.get_mut(handle) {
            granted.input = input;
        }
        self.index_ability(handle);
        Ok(())
    }

    /// Sets a parameter of a granted ability (§8.1).
    ///
    /// # Errors
    /// If the ability is not granted (any more), the value is not finite, the ability has too many
    /// parameters, or the definition fixes the parameter (A18).
    pub fn set_parameter(
        &mut self,
        handle: GrantedAbilityId,
        name: &str,
        value: f64,
    ) -> Result<(), RefusalReason> {
        let granted = self.state.abilities.get(handle).ok_or(RefusalReason::UnknownGrant(handle))?;
        let ability = self.catalog.ability_by_id(granted.ability);
        if ability.is_some_and(|ability| fixed_kind(&ability.def.parameters, name).is_some()) {
            return Err(RefusalReason::FixedParameter(name.to_owned()));
        }
        if crate::ability::parameter(&granted.parameters, name).is_none() {
            let more = granted.parameters.len().saturating_add(1);
            self.check_extras(more).and(self.check_name(name)).map_err(RefusalReason::LimitReached)?;
        }
        let granted = self.state.abilities.get_mut(handle).ok_or(RefusalReason::UnknownGrant(handle))?;
        match crate::ability::set_parameter(&mut granted.parameters, name, value) {
            true => Ok(()),
            false => Err(RefusalReason::NonFinite { modifier: None, attribute: None }),
        }
    }

    /// Grants an ability set to a controller: its attribute sets, abilities, tags and effects, in this order.
    /// A refused effect emits an event.
    ///
    /// # Errors
    /// If there is no such set or controller, the controller would have too many abilities, or the attribute
    /// sets conflict; the state is unchanged then.
    pub fn grant_set(&mut self, controller: ControllerId, set: &str) -> Result<GrantedSet, GrantSetError> {
        let template = self.catalog.ability_set(set)?.clone();
        let Some(known) = self.state.controllers.get(controller) else {
            return Err(RefusalReason::UnknownController(controller).into());
        };
        let room = self.config.max_abilities_per_controller as usize;
        if known.ability_data.abilities.len() + template.abilities.len() > room {
            return Err(RefusalReason::LimitReached(Limit::AbilitiesPerController).into());
        }
        let mut granted = GrantedSet::default();
        for &set in &template.sets {
            if self.attribute_sets(controller).contains(&set) {
                continue;
            }
            if let Err(error) = self.register_set(controller, set) {
                for &set in granted.attribute_sets.iter().rev() {
                    let _ = self.unregister_set(controller, set);
                }
                return Err(error.into());
            }
            granted.attribute_sets.push(set);
        }
        self.operate(|sim| {
            for grant in &template.abilities {
                granted.abilities.extend(sim.grant_ability(controller, Grant::of(grant, None)));
            }
            let own = EffectContext::of(controller);
            if !template.tags.is_empty()
                && let Ok(mut spec) = sim.spec(sim.catalog.internal.tags, 1.0, own.clone())
            {
                spec.parts.make_mut().granted_tags.extend(template.tags.iter().copied());
                let applied = sim.apply_one(&mut spec, controller);
                granted.effects.extend(applied.ok().and_then(|application| application.active()));
            }
            for &(effect, level) in &template.effects {
                sim.flush();
                if let Ok(mut spec) = sim.spec(effect, level, own.clone()) {
                    let applied = sim.apply_one(&mut spec, controller);
                    granted.effects.extend(applied.ok().and_then(|application| application.active()));
                }
            }
        });
        Ok(granted)
    }

    /// Revokes everything that an ability set granted and that is still there.
    pub fn revoke_set(&mut self, controller: ControllerId, granted: &GrantedSet) {
        self.operate(|sim| {
            for &effect in granted.effects.iter().rev() {
                if sim.state.effects.get(effect).is_some_and(|active| active.target == controller) {
                    sim.remove_active(effect, RemovalReason::Removed);
                }
            }
            for &handle in granted.abilities.iter().rev() {
                if sim.state.abilities.get(handle).is_some_and(|known| known.controller == controller) {
                    sim.revoke_ability(handle);
                }
            }
        });
        for &set in granted.attribute_sets.iter().rev() {
            // An attribute set that another one depends on by now stays.
            let _ = self.unregister_set(controller, set);
        }
    }

    /// Grants an ability and emits `AbilityGranted`. Queues its activation if it is activated on grant, or if
    /// a tag that triggers it is present. `None` if the controller has too many abilities, or controller or
    /// ability does not exist.
    pub(super) fn grant_ability(&mut self, id: ControllerId, grant: Grant) -> Option<GrantedAbilityId> {
        let limit = self.config.max_abilities_per_controller as usize;
        let ability = self.catalog.ability_by_id(grant.ability)?;
        if self.state.controllers.get(id)?.abilities().len() >= limit {
            return None;
        }
        let sequence = self.state.next_sequence();
        let controller = self.state.controllers.get_mut(id)?;
        let mut parameters = grant.parameters;
        for (name, value) in ability.number_parameters() {
            if crate::ability::parameter(&parameters, name).is_none() {
                crate::ability::set_parameter(&mut parameters, name, value);
            }
        }
        let handle = self.state.abilities.insert(GrantedAbility {
            ability: grant.ability,
            controller: id,
            level: grant.level,
            input: grant.input,
            source_object: grant.source_object,
            dynamic_tags: grant.dynamic_tags,
            parameters,
            granted_by: grant.granted_by,
            remove_on_end: false,
            activations: SmallVec::new(),
            charges: ability.def.charges.map_or(0, |charges| charges.max),
            recharge: None,
            sequence,
            timer: None,
        });
        controller.ability_data.make_mut().abilities.push(handle);
        let present = ability
            .triggers
            .iter()
            .filter(|(on, tag)| *on == TriggerOn::TagPresent && controller.tags.matches(*tag));
        let present: SmallVec<[_; 1]> = present.map(|&(_, tag)| tag).collect();
        let activate = (grant.activate || ability.def.activate_on_grant) && !grant.begun;
        self.index_ability(handle);
        self.emit(EventKind::AbilityGranted { controller: id, handle, ability: grant.ability });
        if activate {
            self.enqueue_activation(handle, ActivationRequest::default());
        }
        for tag in present {
            let request = ActivationRequest { while_tag: Some(tag), ..ActivationRequest::default() };
            self.enqueue_activation(handle, request);
        }
        Some(handle)
    }

    /// Removes an ability that an effect granted, by its removal rule (A8), when the effect ends or is
    /// inhibited. An ability that no effect granted is revoked at once.
    pub(super) fn release_ability(&mut self, handle: GrantedAbilityId) {
        let Some(granted) = self.state.abilities.get(handle) else { return };
        let removal = granted.granted_by.map_or(AbilityRemoval::CancelImmediately, |(_, removal)| removal);
        self.remove_granted(handle, removal);
    }

    /// Carries out a removal rule (A8): keeps the ability as the owner's own, revokes it now, or marks it to
    /// be revoked when its last activation ends.
    fn remove_granted(&mut self, handle: GrantedAbilityId, removal: AbilityRemoval) {
        let Some(granted) = self.state.abilities.get_mut(handle) else { return };
        match removal {
            AbilityRemoval::Keep => granted.granted_by = None,
            AbilityRemoval::RemoveOnEnd if granted.is_active() => {
                granted.granted_by = None;
                granted.remove_on_end = true;
            }
            AbilityRemoval::RemoveOnEnd | AbilityRemoval::CancelImmediately => self.revoke_ability(handle),
        }
    }

    /// Revokes an ability: ends its activations, newest first, removes it from lists, indexes and timers, and
    /// emits `AbilityRevoked`. Does nothing if it is not granted.
    pub(super) fn revoke_ability(&mut self, handle: GrantedAbilityId) {
        let Some(granted) = self.state.abilities.get(handle) else { return };
        for activation in granted.activations.clone().into_iter().rev() {
            self.end_activation(activation, EndReason::Revoked);
        }
        self.unindex_ability(handle);
        self.state.unlist_ability(handle);
        let Some(granted) = self.state.abilities.remove(handle) else { return };
        let GrantedAbility { ability, controller: id, timer, .. } = granted;
        if let Some(timer) = timer {
            self.state.timers.cancel(timer);
        }
        self.emit(EventKind::AbilityRevoked { controller: id, handle, ability });
    }
}
