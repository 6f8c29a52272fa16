//! Activation requirements (A1): every check, in order, without side effects.

use smallvec::{SmallVec, smallvec};

use super::Simulation;
use super::ability::ActivationRequest;
use super::execute::Run;
use super::propose::{Omission, OmissionReason, Proposal};
use crate::ability::{
    Ability, Activation, ActivationParty, ActivationReason, ActivationRefusal, GrantedAbility, Instancing,
    add_event_context, context_of,
};
use crate::attribute::layout::Layout;
use crate::controller::Controller;
use crate::controller::index::{ActivationKey, EffectKey};
use crate::effect::{EffectContext, EffectSpec};
use crate::expr::Side;
use crate::handle::{ActivationId, ActiveEffectId, ControllerId, GrantedAbilityId};
use crate::id::{AttributeId, EffectId, TagId};
use crate::refusal::{Limit, RefusalReason};
use crate::tag::{TagContainer, TagRequirement, TagSet, TagView};
use crate::targeting::TargetData;
use crate::time::Span;

pub(super) type ActivationReasons = SmallVec<[ActivationReason; 2]>;

impl Simulation {
    /// Checks whether an ability could be activated now (§8.3, A1). Changes nothing.
    ///
    /// # Errors
    /// Returns every reason for which the activation would be refused.
    pub fn can_activate(&self, handle: GrantedAbilityId) -> Result<(), ActivationRefusal> {
        self.check_request(handle, &ActivationRequest::default())
    }

    /// Checks whether an ability could be activated on a target now. Changes nothing.
    ///
    /// # Errors
    /// Returns every reason for which the activation would be refused.
    pub fn can_activate_on(
        &self,
        handle: GrantedAbilityId,
        targets: impl Into<TargetData>,
    ) -> Result<(), ActivationRefusal> {
        self.check_request(handle, &ActivationRequest::on(targets))
    }

    /// Abilities of a controller that have all of these tags and could be activated now, in the order of
    /// granting (GASD §4.6.6).
    pub fn activatable_abilities<'a>(
        &'a self,
        controller: ControllerId,
        tags: &'a TagSet,
    ) -> impl Iterator<Item = GrantedAbilityId> + 'a {
        self.abilities_with_tags(controller, tags).filter(|&handle| self.can_activate(handle).is_ok())
    }

    /// Abilities of a controller that have all of these tags, in the order of granting.
    pub fn abilities_with_tags<'a>(
        &'a self,
        controller: ControllerId,
        tags: &'a TagSet,
    ) -> impl Iterator<Item = GrantedAbilityId> + 'a {
        let abilities = self.state.controllers.get(controller).map(|known| &*known.ability_data.abilities);
        abilities.unwrap_or_default().iter().copied().filter(|&handle| {
            let Some((granted, ability)) = self.granted(handle) else { return false };
            tags.iter().all(|tag| self.ability_has_tag(granted, ability, tag))
        })
    }

    /// Remaining time and total duration of an ability's cooldown; `None` if it is not on cooldown (GASD
    /// §4.5.15).
    pub fn ability_cooldown(&self, handle: GrantedAbilityId) -> Option<(Span, Span)> {
        let (granted, ability) = self.granted(handle)?;
        let tags: SmallVec<[TagId; 4]> = ability.cooldown_tags.iter().collect();
        self.cooldown(granted.controller, &tags)
    }

    /// A granted ability with its definition; `None` once it is revoked.
    pub(super) fn granted(&self, handle: GrantedAbilityId) -> Option<(&GrantedAbility, &Ability)> {
        let granted = self.state.abilities.get(handle)?;
        Some((granted, self.catalog.ability_by_id(granted.ability)?))
    }

    /// Whether an ability has a tag or a descendant of it, by its definition or by its grant.
    pub(super) fn ability_has_tag(&self, granted: &GrantedAbility, ability: &Ability, tag: TagId) -> bool {
        let registry = self.catalog.tags();
        ability.own_tags.matches(tag)
            || granted.dynamic_tags.iter().any(|&dynamic| registry.is_within(dynamic, tag))
    }

    /// Whether an ability has any of these tags or of their descendants; false for an empty set.
    pub(super) fn ability_matches(&self, granted: &GrantedAbility, ability: &Ability, tags: &TagSet) -> bool {
        !tags.is_empty() && tags.iter().any(|tag| self.ability_has_tag(granted, ability, tag))
    }

    /// Checks an activation request by A1 without changing anything; the refusal lists all reasons.
    pub(super) fn check_request(
        &self,
        handle: GrantedAbilityId,
        request: &ActivationRequest,
    ) -> Result<(), ActivationRefusal> {
        let granted = self.granted(handle);
        let reasons = match granted {
            None => smallvec![ActivationReason::NotGranted],
            Some((granted, ability)) => self.activation_reasons(handle, granted, ability, request),
        };
        if reasons.is_empty() {
            return Ok(());
        }
        Err(ActivationRefusal {
            ability: granted.map(|(granted, _)| granted.ability),
            controller: granted.map(|(granted, _)| granted.controller),
            reasons,
        })
    }

    /// Carries out the checks of A1 in order and collects all failures.
    fn activation_reasons(
        &self,
        handle: GrantedAbilityId,
        granted: &GrantedAbility,
        ability: &Ability,
        request: &ActivationRequest,
    ) -> ActivationReasons {
        let mut reasons = ActivationReasons::new();
        let Some(controller) = self.state.controllers.get(granted.controller) else {
            reasons.push(ActivationReason::UnknownController(granted.controller));
            return reasons;
        };
        if controller.inactive {
            reasons.push(ActivationReason::ControllerInactive(granted.controller));
        }
        // An ability that is revoked at the end of its last activation counts as revoked (A8).
        if granted.remove_on_end {
            reasons.push(ActivationReason::NotGranted);
        }
        if !request.is_finite() {
            let reason = RefusalReason::NonFinite { modifier: None, attribute: None };
            reasons.push(ActivationReason::EffectRefused(reason));
        }
        if let Some(Err(limit)) = request.event.as_ref().map(|event| self.check_event(event)) {
            reasons.push(ActivationReason::LimitReached(limit));
        }
        if let Err(limit) = self.check_targets(&request.targets) {
            reasons.push(ActivationReason::LimitReached(limit));
        }
        if let Some(reason) = self.runs_elsewhere(ability) {
            reasons.push(reason);
        }
        if granted.is_active() && ability.def.instancing == Instancing::PerActor && !ability.def.retrigger {
            reasons.push(ActivationReason::AlreadyActive);
        }
        if ability.def.requires_avatar && controller.avatar.is_none() {
            reasons.push(ActivationReason::NoAvatar);
        }
        self.check_blocked(handle, granted, ability, controller, &mut reasons);
        match self.tags_without_activations(granted, ability, controller) {
            Some(tags) => explain(&ability.activation, &tags, ActivationParty::Owner, &mut reasons),
            None => explain(&ability.activation, &controller.tags, ActivationParty::Owner, &mut reasons),
        }
        if let Some(event) = &request.event {
            // An event without an instigator has a source without tags.
            let source = event.instigator.and_then(|source| self.state.controllers.get(source));
            match source {
                Some(source) => {
                    explain(&ability.source, &source.tags, ActivationParty::Source, &mut reasons);
                }
                None => {
                    explain(&ability.source, &TagContainer::default(), ActivationParty::Source, &mut reasons);
                }
            }
        }
        if let Some(target) = request.targets.first_controller() {
            match self.state.controllers.get(target) {
                Some(target) => {
                    explain(&ability.target, &target.tags, ActivationParty::Target, &mut reasons);
                }
                None => reasons.push(ActivationReason::UnknownController(target)),
            }
        }
        self.check_cooldown(granted, ability, &controller.tags, &mut reasons);
        self.check_cooldown_effect(handle, granted, ability, None, &mut reasons);
        self.check_cost(handle, granted, ability, None, &mut reasons);
        if ability.def.charges.is_some() && granted.charges == 0 {
            reasons.push(ActivationReason::NoCharges);
        }
        let target = request.targets.first_controller().and_then(|id| self.state.controllers.get(id));
        let range = ability.def.max_range.filter(|range| *range > 0.0);
        let is_settled = self.scratch.range_exempt == Some(handle);
        if !is_settled && target.is_some_and(|target| is_out_of_range(range, controller, target)) {
            reasons.push(ActivationReason::OutOfRange);
        }
        if controller.ability_data.activations.len() >= self.config.max_activations_per_controller as usize {
            reasons.push(ActivationReason::LimitReached(Limit::ActivationsPerController));
        }
        reasons
    }

    /// Tags of the owner after a retrigger has ended the running activations; `None` if that changes nothing.
    fn tags_without_activations(
        &self,
        granted: &GrantedAbility,
        ability: &Ability,
        controller: &Controller,
    ) -> Option<TagContainer> {
        let ends = ability.def.retrigger && ability.def.instancing == Instancing::PerActor;
        if !ends || !granted.is_active() || ability.owned_tags.is_empty() {
            return None;
        }
        let mut tags = controller.tags.clone();
        let runs = granted.activations.iter().filter_map(|&run| self.state.activations.get(run));
        for _ in runs.filter(|run| run.owned_tags.is_some()) {
            for tag in ability.owned_tags.iter() {
                // The tag may be absent because its effect is inhibited.
                let _ = tags.remove(self.catalog.tags(), tag, &mut Vec::new());
            }
        }
        Some(tags)
    }

    /// Adds a reason for each active ability, and each tag blocked by effects, that blocks this ability. An
    /// ability that restarts does not block itself.
    fn check_blocked(
        &self,
        handle: GrantedAbilityId,
        granted: &GrantedAbility,
        ability: &Ability,
        controller: &Controller,
        reasons: &mut ActivationReasons,
    ) {
        if !controller.ability_data.run_index.is_empty() {
            for (id, tag) in self.blocking_activations(granted, ability, controller) {
                let Some(activation) = self.state.activations.get(id) else { continue };
                // An activation that is about to be restarted does not block itself.
                if activation.granted == handle && ability.def.retrigger {
                    continue;
                }
                let by = Some(activation.granted);
                reasons.push(ActivationReason::BlockedByAbility { tag, by, effect: None });
            }
        }
        for &(tag, _) in &controller.interactions.ability_blocks {
            if self.ability_has_tag(granted, ability, tag) {
                let blocks = |id: &ActiveEffectId| {
                    self.state.effects.get(*id).is_some_and(|active| !active.inhibited && active.given)
                };
                let candidates =
                    controller.interactions.effect_index.entries_for(EffectKey::Blocks(tag)).iter();
                let effect = candidates.map(|&(.., id)| id).find(blocks);
                reasons.push(ActivationReason::BlockedByAbility { tag, by: None, effect });
            }
        }
    }

    /// Activations that block an ability, in the order of activation, each with the first blocking tag.
    fn blocking_activations(
        &self,
        granted: &GrantedAbility,
        ability: &Ability,
        controller: &Controller,
    ) -> SmallVec<[(ActivationId, TagId); 2]> {
        let mut found: SmallVec<[(u64, ActivationId, TagId); 2]> = SmallVec::new();
        let lowest = ActivationKey::Blocks(TagId::from_index(0));
        let mut rest = &controller.ability_data.run_index[..];
        rest = &rest[rest.partition_point(|(key, ..)| *key < lowest)..];
        // Entries with the same blocking tag are adjacent: the loop visits tags, not activations.
        while let Some(&(key @ ActivationKey::Blocks(tag), ..)) = rest.first() {
            let (same, others) = rest.split_at(rest.partition_point(|(other, ..)| *other == key));
            rest = others;
            if self.ability_has_tag(granted, ability, tag) {
                found.extend(same.iter().map(|&(_, sequence, id)| (sequence, id, tag)));
            }
        }
        found.sort_unstable();
        found.dedup_by_key(|(_, id, _)| *id);
        found.into_iter().map(|(_, id, tag)| (id, tag)).collect()
    }

    /// Adds a reason if `tags`, those of the owner, include one of the ability's cooldown tags.
    fn check_cooldown(
        &self,
        granted: &GrantedAbility,
        ability: &Ability,
        tags: &TagContainer,
        reasons: &mut ActivationReasons,
    ) {
        if let Some(tag) = ability.cooldown_tags.present_in(tags).next() {
            let remaining = self.cooldown(granted.controller, &[tag]).map(|(remaining, _)| remaining);
            reasons.push(ActivationReason::OnCooldown { tag, remaining });
        }
    }

    /// Tags of the owner without those of the cooldown that an activation began (A12); `None` if it began
    /// none, or if that grants no tags now.
    fn tags_without_cooldown(&self, running: &Activation, controller: &Controller) -> Option<TagContainer> {
        let (active, effect) = self.state.effect_of(&self.catalog, running.cooldown?)?;
        if active.inhibited || !active.given {
            return None;
        }
        let mut tags = controller.tags.clone();
        for tag in effect.granted_tags.iter().chain(active.spec.granted_tags.iter().copied()) {
            // The tag may be absent.
            let _ = tags.remove(self.catalog.tags(), tag, &mut Vec::new());
        }
        Some(tags)
    }

    /// Reasons against a commit, which repeats the checks of cooldown, cost and charges (A2); empty if it may
    /// go on. Charges count for the first commit of an activation only.
    pub(super) fn commit_reasons(
        &self,
        handle: GrantedAbilityId,
        activation: ActivationId,
        parts: super::commit::CommitParts,
    ) -> ActivationReasons {
        let mut reasons = ActivationReasons::new();
        let Some((granted, ability)) = self.granted(handle) else {
            reasons.push(ActivationReason::NotGranted);
            return reasons;
        };
        let Some(controller) = self.state.controllers.get(granted.controller) else {
            reasons.push(ActivationReason::UnknownController(granted.controller));
            return reasons;
        };
        let running = self.state.activations.get(activation);
        if parts.cooldown {
            // A12: the cooldown that this activation began does not block it.
            match running.and_then(|running| self.tags_without_cooldown(running, controller)) {
                Some(tags) => self.check_cooldown(granted, ability, &tags, &mut reasons),
                None => self.check_cooldown(granted, ability, &controller.tags, &mut reasons),
            }
            self.check_cooldown_effect(handle, granted, ability, Some(activation), &mut reasons);
        }
        if parts.cost {
            self.check_cost(handle, granted, ability, Some(activation), &mut reasons);
        }
        let is_first = running.is_none_or(|running| !running.is_committed());
        if is_first && ability.def.charges.is_some() && granted.charges == 0 {
            reasons.push(ActivationReason::NoCharges);
        }
        reasons
    }

    /// Adds a reason if the numbers of the cooldown effect cannot be evaluated, so that nothing is paid
    /// before that is known (E9).
    fn check_cooldown_effect(
        &self,
        handle: GrantedAbilityId,
        granted: &GrantedAbility,
        ability: &Ability,
        activation: Option<ActivationId>,
        reasons: &mut ActivationReasons,
    ) {
        let Some(id) = ability.cooldown else { return };
        let Some(effect) = self.catalog.effect_by_id(id) else { return };
        // Constants of the definition can always be evaluated.
        if effect.is_constant && effect.period.is_none() && ability.set_by_caller.is_empty() {
            return;
        }
        let spec = self.ability_spec(handle, granted, ability, id, activation);
        let evaluated = spec.and_then(|mut spec| {
            self.capture_into(&mut spec, effect, Side::Target, Some(granted.controller));
            self.could_evaluate(effect, &mut spec, granted.controller)
        });
        if let Err(reason) = evaluated {
            reasons.push(ActivationReason::EffectRefused(reason));
        }
    }

    /// A2: adds a reason if the ability's cost cannot be paid or evaluated. No cost is always paid.
    fn check_cost(
        &self,
        handle: GrantedAbilityId,
        granted: &GrantedAbility,
        ability: &Ability,
        activation: Option<ActivationId>,
        reasons: &mut ActivationReasons,
    ) {
        let Some(cost) = ability.cost else { return };
        match self.cost_shortfall(handle, granted, ability, cost, activation) {
            Ok(None) => {}
            Ok(Some(shortfall)) => reasons.push(shortfall),
            Err(reason) => reasons.push(ActivationReason::EffectRefused(reason)),
        }
    }

    /// A2: proposes the cost and returns the first attribute that would fall below its minimum; `None` if the
    /// cost is affordable. An effect that is not instant costs nothing.
    fn cost_shortfall(
        &self,
        handle: GrantedAbilityId,
        granted: &GrantedAbility,
        ability: &Ability,
        cost: EffectId,
        activation: Option<ActivationId>,
    ) -> Result<Option<ActivationReason>, RefusalReason> {
        let owner = granted.controller;
        let effect = self.catalog.effect_by_id(cost).ok_or(RefusalReason::UnknownEffect(cost))?;
        let Some(controller) = self.state.controllers.get(owner) else { return Ok(None) };
        let spec = if effect.is_constant && ability.set_by_caller.is_empty() {
            // Constants read nothing of the spec.
            EffectSpec::new(cost, effect.name_hash, 1.0, EffectContext::of(Some(owner)))
        } else {
            let mut spec = self.ability_spec(handle, granted, ability, cost, activation)?;
            self.capture_into(&mut spec, effect, Side::Target, Some(owner));
            spec
        };
        if !effect.is_instant() {
            return Ok(None);
        }
        let run = Run::once(effect, &spec, owner, 0);
        let mut proposal = Proposal::default();
        proposal.add_modifiers(&self.state, &self.catalog, &run)?;
        for execution in effect.executions.iter().enumerate() {
            proposal.add_calculation(&self.state, &self.catalog, &run, execution)?;
        }
        proposal.add_drains(&self.state);
        Ok(self.shortfall(&proposal, owner, controller))
    }

    /// First reason for which the owner cannot pay a proposed cost. An attribute that the cost does not lower
    /// is no shortfall, even below its minimum.
    fn shortfall(
        &self,
        proposal: &Proposal,
        owner: ControllerId,
        controller: &Controller,
    ) -> Option<ActivationReason> {
        let layout = self.state.layout(controller);
        if let Some(missing) = unpayable(proposal, controller, layout) {
            return Some(missing);
        }
        let minimum_of =
            |slot: u16| super::State::bounds(controller, &layout.slots[usize::from(slot)]).0.unwrap_or(0.0);
        for drain in proposal.drains.iter().filter(|drain| drain.rest > 0.0) {
            // The last of the drained attributes lacks the rest (B3).
            if let Some(&last) = layout.slots[usize::from(drain.meta)].drain_into.last() {
                let (attribute, minimum) = (layout.attribute_at(last), minimum_of(last));
                let would_be = minimum - drain.rest;
                return Some(ActivationReason::CannotAfford { attribute, would_be, minimum });
            }
        }
        proposal.writes.iter().find_map(|write| {
            let at = usize::from(write.slot);
            if layout.slots[at].is_meta {
                return None;
            }
            let base = proposal.base(owner, write.slot, controller);
            let minimum = minimum_of(write.slot);
            // The cost is paid from the base; the player sees the current value. Neither may fall below the
            // minimum.
            let current = self.state.unclamped(&self.catalog, controller, write.slot, base);
            let would_be = if base < current { base } else { current };
            let before = controller.values[at].base.min(controller.values[at].current);
            let attribute = layout.attribute_at(write.slot);
            (would_be < minimum && would_be < before).then_some(ActivationReason::CannotAfford {
                attribute,
                would_be,
                minimum,
            })
        })
    }

    /// Creates an effect spec of an ability, with the source captured: the level, event and targets of the
    /// activation if there is one, the ability's set-by-caller numbers, and itself as the context's ability
    /// (§8.4). Draws no random numbers.
    pub(super) fn ability_spec(
        &self,
        handle: GrantedAbilityId,
        granted: &GrantedAbility,
        ability: &Ability,
        effect: EffectId,
        activation: Option<ActivationId>,
    ) -> Result<EffectSpec, RefusalReason> {
        let running = activation.and_then(|id| self.state.activations.get(id));
        let aim = running.map(|running| &running.targets);
        let mut context = context_of(granted.controller, handle, granted.source_object, aim);
        add_event_context(&mut context, running.and_then(|running| running.event.as_ref()));
        self.freeze_ability_tags(&mut context);
        let level = running.map_or(granted.level, |running| running.level);
        let definition = self.state.definition(&self.catalog, effect);
        let definition = definition.ok_or(RefusalReason::UnknownEffect(effect))?;
        let mut spec = EffectSpec::new(effect, definition.name_hash, f64::from(level), context);
        self.capture_into(&mut spec, definition, Side::Source, Some(granted.controller));
        spec.set_prediction(running.and_then(|running| running.prediction));
        for (tag, number) in &ability.set_by_caller {
            let value = self.ability_number(handle, activation, number)?;
            spec.set_magnitude(*tag, value);
        }
        Ok(spec)
    }
}

/// Adds a reason for each required tag that `tags` lacks and each ignored tag that it has.
fn explain(
    requirement: &TagRequirement,
    tags: &impl TagView,
    party: ActivationParty,
    reasons: &mut ActivationReasons,
) {
    if requirement.is_met_by(tags) {
        return;
    }
    let missing = requirement.require.missing_from(tags);
    reasons.extend(missing.map(|tag| ActivationReason::MissingTag { party, tag }));
    let present = requirement.ignore.present_in(tags);
    reasons.extend(present.map(|tag| ActivationReason::BlockedTag { party, tag }));
}

/// Attribute that a cost cannot be paid with: a derived one that it would lower (B2), or one that the owner
/// lacks, which counts as 0 (M6).
fn unpayable(proposal: &Proposal, controller: &Controller, layout: &Layout) -> Option<ActivationReason> {
    let mut lacking: SmallVec<[(AttributeId, f64); 1]> = SmallVec::new();
    for Omission { change, reason, .. } in &proposal.omissions {
        let attribute = change.attribute;
        match reason {
            OmissionReason::ZeroDivisor => {}
            OmissionReason::Derived => {
                let slot = layout.slot_of(attribute)?;
                let minimum = controller.values[usize::from(slot)].base;
                if let Some(would_be) = change.applied_to(minimum).filter(|to| *to < minimum) {
                    return Some(ActivationReason::CannotAfford { attribute, would_be, minimum });
                }
            }
            OmissionReason::Missing => {
                let scaled = change.applied_to(1.0).filter(|_| change.operation.is_scaling());
                if let Some(scaled) = scaled.filter(|scaled| *scaled < 1.0) {
                    let would_be = scaled - 1.0;
                    return Some(ActivationReason::CannotAfford { attribute, would_be, minimum: 0.0 });
                }
                let at = lacking.iter().position(|(known, _)| *known == attribute).unwrap_or_else(|| {
                    lacking.push((attribute, 0.0));
                    lacking.len() - 1
                });
                lacking[at].1 = change.applied_to(lacking[at].1).unwrap_or(lacking[at].1);
            }
        }
    }
    let owed = lacking.into_iter().find(|(_, would_be)| *would_be < 0.0);
    owed.map(|(attribute, would_be)| ActivationReason::CannotAfford { attribute, would_be, minimum: 0.0 })
}

/// Whether a target is farther from the owner than the range. False without a range, or if either controller
/// has no position.
pub(super) fn is_out_of_range(range: Option<f64>, owner: &Controller, target: &Controller) -> bool {
    let Some(range) = range.map(|range| range.max(0.0)) else { return false };
    let (Some(from), Some(to)) = (owner.interactions.placement, target.interactions.placement) else {
        return false;
    };
    let squared: f64 = from.position().iter().zip(to.position()).map(|(a, b)| (a - b) * (a - b)).sum();
    squared > range * range
}
