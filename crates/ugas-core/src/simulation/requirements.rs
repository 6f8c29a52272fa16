//! Activation requirements (A1): every check, in order, without side effects.

use core::ops::ControlFlow;
use std::sync::Arc;

use smallvec::SmallVec;

use super::Simulation;
use super::ability::{ActivationRequest, NO_REQUEST};
use super::commit::CommitParts;
use crate::ability::{
    Ability, Activation, ActivationParty, ActivationReason, ActivationRefusal, GrantedAbility,
    RefusedActivation, add_event_context, context_of,
};
use crate::controller::Controller;
use crate::controller::index::{ActivationKey, EffectKey};
use crate::effect::EffectSpec;
use crate::expr::Side;
use crate::handle::{ActivationId, ActiveEffectId, ControllerId, GrantedAbilityId};
use crate::id::{EffectId, TagId};
use crate::refusal::{Limit, RefusalReason};
use crate::tag::{TagContainer, TagRequirement, TagSet, TagView};
use crate::targeting::TargetData;
use crate::time::Span;

/// Receiver of the reasons against an activation or a commit. It decides whether the checks go on after a
/// reason, so that the same checks answer with yes or no or with all reasons.
pub(super) trait ReasonSink {
    /// Whether any reason ends the checks, so that none is searched for.
    const IS_ANY: bool = false;

    /// Takes a reason, which is built only if it is needed. `Break` ends the checks.
    fn refuse(&mut self, reason: impl FnOnce() -> ActivationReason) -> ControlFlow<()>;
}

/// Collects all reasons.
impl ReasonSink for Vec<ActivationReason> {
    #[inline]
    fn refuse(&mut self, reason: impl FnOnce() -> ActivationReason) -> ControlFlow<()> {
        self.push(reason());
        ControlFlow::Continue(())
    }
}

/// Sink that ends the checks at the first reason and builds none.
struct AnyReason;

impl ReasonSink for AnyReason {
    const IS_ANY: bool = true;

    #[inline(always)]
    fn refuse(&mut self, _: impl FnOnce() -> ActivationReason) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}

/// Sink that ends the checks at the first reason that may pass by itself (§11.3).
struct AnyBlock;

impl ReasonSink for AnyBlock {
    fn refuse(&mut self, reason: impl FnOnce() -> ActivationReason) -> ControlFlow<()> {
        if reason().is_block() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl Simulation {
    /// Whether an ability could be activated now (§8.3, A1). Changes nothing and allocates nothing.
    ///
    /// The answer is that of [`Self::can_activate`], which gives the reasons, at a fraction of its cost: use
    /// it where many abilities are asked often, for icons, bots and queues.
    ///
    /// ```
    /// # use ugas_core::{ability::AbilityDef, catalog::Catalog, controller::ControllerDef};
    /// # use ugas_core::simulation::{Config, Simulation};
    /// let catalog = Catalog::builder()
    ///     .ability(AbilityDef::new("GA_Dash"))
    ///     .template(ControllerDef::new("Hero"))
    ///     .build()?;
    /// let mut sim = Simulation::new(catalog.clone(), Config::default());
    /// let hero = sim.spawn("Hero")?;
    /// let dash = sim.grant(hero, catalog.ability("GA_Dash")?, 1)?;
    /// assert!(sim.is_ready(dash));
    /// sim.revoke(dash)?;
    /// assert!(!sim.is_ready(dash));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_ready(&self, handle: GrantedAbilityId) -> bool {
        self.check_request(handle, &NO_REQUEST, &mut AnyReason).is_continue()
    }

    /// Whether an ability could be activated on a target now: the answer of [`Self::can_activate_on`] without
    /// its reasons.
    pub fn is_ready_on(&self, handle: GrantedAbilityId, targets: impl Into<TargetData>) -> bool {
        self.is_ready_with(handle, &ActivationRequest::on(targets))
    }

    /// Whether [`Self::activate_with`] would accept a request now. Changes nothing.
    pub fn is_ready_with(&self, handle: GrantedAbilityId, request: &ActivationRequest) -> bool {
        self.check_request(handle, request, &mut AnyReason).is_continue()
    }

    /// Checks whether an ability could be activated now (§8.3, A1). Changes nothing. [`Self::is_ready`] gives
    /// the same answer without reasons.
    ///
    /// # Errors
    /// Returns every reason for which the activation would be refused.
    pub fn can_activate(&self, handle: GrantedAbilityId) -> Result<(), ActivationRefusal> {
        self.can_activate_with(handle, &NO_REQUEST)
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
        self.can_activate_with(handle, &ActivationRequest::on(targets))
    }

    /// Checks whether [`Self::activate_with`] would accept a request now. Changes nothing.
    ///
    /// # Errors
    /// Returns every reason for which the activation would be refused.
    pub fn can_activate_with(
        &self,
        handle: GrantedAbilityId,
        request: &ActivationRequest,
    ) -> Result<(), ActivationRefusal> {
        if self.is_ready_with(handle, request) { Ok(()) } else { Err(self.refusal(handle, request)) }
    }

    /// Abilities of a controller that have all of these tags and could be activated now, in the order of
    /// granting (GASD §4.6.6).
    pub fn activatable_abilities<'a>(
        &'a self,
        controller: ControllerId,
        tags: &'a TagSet,
    ) -> impl Iterator<Item = GrantedAbilityId> + 'a {
        self.abilities_with_tags(controller, tags).filter(|&handle| self.is_ready(handle))
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
        self.cooldown(granted.controller, ability.cooldown_tags.as_slice())
    }

    /// A granted ability with its definition; `None` once it is revoked.
    #[inline]
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

    /// Refusal of a request with all reasons.
    #[cold]
    pub(super) fn refusal(&self, handle: GrantedAbilityId, request: &ActivationRequest) -> ActivationRefusal {
        let mut refused = RefusedActivation::default();
        self.explain_refusal(handle, request, &mut refused);
        ActivationRefusal(Arc::new(refused))
    }

    /// Refusal of a request with all reasons, in reused memory (I6).
    #[cold]
    pub(super) fn refuse(
        &mut self,
        handle: GrantedAbilityId,
        request: &ActivationRequest,
    ) -> ActivationRefusal {
        let mut pool = core::mem::take(&mut self.scratch.shared.refused_abilities);
        let explain = |refused: &mut RefusedActivation| self.explain_refusal(handle, request, refused);
        let shared = pool.share_with(self.events.len(), explain, || {
            let mut refused = RefusedActivation::default();
            explain(&mut refused);
            refused
        });
        self.scratch.shared.refused_abilities = pool;
        ActivationRefusal(shared)
    }

    /// Replaces a refusal by that of a request.
    fn explain_refusal(
        &self,
        handle: GrantedAbilityId,
        request: &ActivationRequest,
        refused: &mut RefusedActivation,
    ) {
        let granted = self.state.abilities.get(handle);
        refused.ability = granted.map(|granted| granted.ability);
        refused.controller = granted.map(|granted| granted.controller);
        refused.reasons.clear();
        let _ = self.check_request(handle, request, &mut refused.reasons);
    }

    /// Whether a refusal of a request has a reason that may pass by itself (§11.3: "blocked").
    pub(super) fn is_held_back(&self, handle: GrantedAbilityId, request: &ActivationRequest) -> bool {
        self.check_request(handle, request, &mut AnyBlock).is_break()
    }

    /// Carries out the checks of A1 in order, without changing anything, and passes each failure to `sink`.
    /// `Break` if the sink ended the checks.
    #[inline(always)]
    fn check_request(
        &self,
        handle: GrantedAbilityId,
        request: &ActivationRequest,
        sink: &mut impl ReasonSink,
    ) -> ControlFlow<()> {
        let Some((granted, ability)) = self.granted(handle) else {
            return sink.refuse(|| ActivationReason::NotGranted);
        };
        let owner = granted.controller;
        let Some(controller) = self.state.controllers.get(owner) else {
            return sink.refuse(|| ActivationReason::UnknownController(owner));
        };
        let gates = &ability.gates;
        if controller.inactive {
            sink.refuse(|| ActivationReason::ControllerInactive(owner))?;
        }
        // An ability that is revoked at the end of its last activation counts as revoked (A8).
        if granted.remove_on_end {
            sink.refuse(|| ActivationReason::NotGranted)?;
        }
        if request.event.is_some() || !request.targets.is_empty() {
            self.check_limits(request, sink)?;
        }
        if let Some(reason) = self.runs_elsewhere(ability) {
            sink.refuse(|| reason)?;
        }
        if gates.is_exclusive && granted.is_active() {
            sink.refuse(|| ActivationReason::AlreadyActive)?;
        }
        if gates.requires_avatar && controller.avatar.is_none() {
            sink.refuse(|| ActivationReason::NoAvatar)?;
        }
        if !controller.ability_data.run_index.is_empty() || !controller.interactions.ability_blocks.is_empty()
        {
            self.check_blocked(handle, granted, ability, controller, sink)?;
        }
        if gates.restarts && granted.is_active() {
            let tags = self.tags_without_activations(granted, ability, controller);
            check_tags(&ability.activation, &tags, ActivationParty::Owner, sink)?;
        } else {
            check_tags(&ability.activation, &controller.tags, ActivationParty::Owner, sink)?;
        }
        if let Some(event) = &request.event {
            // An event without an instigator has a source without tags.
            let source = event.instigator.and_then(|source| self.state.controllers.get(source));
            match source {
                Some(source) => check_tags(&ability.source, &source.tags, ActivationParty::Source, sink)?,
                None => {
                    check_tags(&ability.source, &TagContainer::default(), ActivationParty::Source, sink)?;
                }
            }
        }
        let target = request.targets.first_controller().map(|id| (id, self.state.controllers.get(id)));
        match target {
            Some((_, Some(target))) => {
                check_tags(&ability.target, &target.tags, ActivationParty::Target, sink)?;
            }
            Some((id, None)) => sink.refuse(|| ActivationReason::UnknownController(id))?,
            None => {}
        }
        self.check_cooldown(owner, ability, &controller.tags, sink)?;
        if gates.evaluates_cooldown {
            self.check_cooldown_effect(handle, granted, ability, None, sink)?;
        }
        self.check_cost(handle, granted, ability, controller, None, sink)?;
        if gates.has_charges && granted.charges == 0 {
            sink.refuse(|| ActivationReason::NoCharges)?;
        }
        if let Some((_, Some(target))) = target
            && !request.in_range
            && is_out_of_range(gates.range, controller, target)
        {
            sink.refuse(|| ActivationReason::OutOfRange)?;
        }
        if controller.ability_data.activations.len() >= self.config.max_activations_per_controller as usize {
            sink.refuse(|| ActivationReason::LimitReached(Limit::ActivationsPerController))?;
        }
        ControlFlow::Continue(())
    }

    /// Refuses if a number of the request is not finite (V2), or the request exceeds a limit.
    #[inline(never)]
    fn check_limits(&self, request: &ActivationRequest, sink: &mut impl ReasonSink) -> ControlFlow<()> {
        if !request.is_finite() {
            let reason = RefusalReason::NonFinite { modifier: None, attribute: None };
            sink.refuse(|| ActivationReason::EffectRefused(reason))?;
        }
        if let Some(Err(limit)) = request.event.as_ref().map(|event| self.check_event(event)) {
            sink.refuse(|| ActivationReason::LimitReached(limit))?;
        }
        if let Err(limit) = self.check_targets(&request.targets) {
            sink.refuse(|| ActivationReason::LimitReached(limit))?;
        }
        ControlFlow::Continue(())
    }

    /// Tags of the owner after a retrigger has ended the running activations.
    fn tags_without_activations(
        &self,
        granted: &GrantedAbility,
        ability: &Ability,
        controller: &Controller,
    ) -> TagContainer {
        let mut tags = controller.tags.clone();
        let runs = granted.activations.iter().filter_map(|&run| self.state.activations.get(run));
        for _ in runs.filter(|run| run.owned_tags.is_some()) {
            for tag in ability.owned_tags.iter() {
                // The tag may be absent because its effect is inhibited.
                let _ = tags.remove(self.catalog.tags(), tag, &mut Vec::new());
            }
        }
        tags
    }

    /// Refuses for each active ability, and each tag blocked by effects, that blocks this ability. An ability
    /// that restarts does not block itself.
    #[inline(never)]
    fn check_blocked(
        &self,
        handle: GrantedAbilityId,
        granted: &GrantedAbility,
        ability: &Ability,
        controller: &Controller,
        sink: &mut impl ReasonSink,
    ) -> ControlFlow<()> {
        for (id, tag) in self.blocking_activations(granted, ability, controller) {
            let Some(activation) = self.state.activations.get(id) else { continue };
            // An activation that is about to be restarted does not block itself.
            if activation.granted == handle && ability.def.retrigger {
                continue;
            }
            let by = Some(activation.granted);
            sink.refuse(|| ActivationReason::BlockedByAbility { tag, by, effect: None })?;
        }
        for &(tag, _) in &controller.interactions.ability_blocks {
            if self.ability_has_tag(granted, ability, tag) {
                sink.refuse(|| {
                    let blocks = |id: &ActiveEffectId| {
                        self.state.effects.get(*id).is_some_and(|active| !active.inhibited && active.given)
                    };
                    let candidates = controller.interactions.effect_index.entries_for(EffectKey::Blocks(tag));
                    let effect = candidates.iter().map(|&(.., id)| id).find(blocks);
                    ActivationReason::BlockedByAbility { tag, by: None, effect }
                })?;
            }
        }
        ControlFlow::Continue(())
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

    /// Refuses if `tags`, those of the owner, include one of the ability's cooldown tags.
    #[inline(always)]
    fn check_cooldown<S: ReasonSink>(
        &self,
        owner: ControllerId,
        ability: &Ability,
        tags: &TagContainer,
        sink: &mut S,
    ) -> ControlFlow<()> {
        if tags.has_none(&ability.cooldown_tags) {
            return ControlFlow::Continue(());
        }
        if S::IS_ANY {
            return ControlFlow::Break(());
        }
        let Some(tag) = ability.cooldown_tags.present_in(tags).next() else {
            return ControlFlow::Continue(());
        };
        sink.refuse(|| {
            let remaining = self.cooldown(owner, &[tag]).map(|(remaining, _)| remaining);
            ActivationReason::OnCooldown { tag, remaining }
        })
    }

    /// Tags of the owner without those of the cooldown that an activation began (A12); `None` if it began
    /// none, or if that grants no tags now.
    fn tags_without_cooldown(&self, running: &Activation, controller: &Controller) -> Option<TagContainer> {
        let (active, effect) = self.state.effect_of(&self.catalog, running.cooldown?)?;
        if active.inhibited || !active.given {
            return None;
        }
        let mut tags = controller.tags.clone();
        for tag in effect.granted_tags.iter().chain(active.spec.granted_tags().iter().copied()) {
            // The tag may be absent.
            let _ = tags.remove(self.catalog.tags(), tag, &mut Vec::new());
        }
        Some(tags)
    }

    /// Whether nothing is against a commit; [`Self::commit_reasons`] gives the reasons.
    pub(super) fn can_commit(&self, activation: ActivationId, parts: CommitParts) -> bool {
        self.check_commit(activation, parts, &mut AnyReason).is_continue()
    }

    /// Reasons against a commit; empty if there are none.
    #[cold]
    pub(super) fn commit_reasons(
        &self,
        activation: ActivationId,
        parts: CommitParts,
    ) -> Vec<ActivationReason> {
        let mut reasons = Vec::new();
        let _ = self.check_commit(activation, parts, &mut reasons);
        reasons
    }

    /// Repeats the checks of cooldown, cost and charges for a commit (A2). Charges count for the first commit
    /// of an activation only.
    fn check_commit(
        &self,
        activation: ActivationId,
        parts: CommitParts,
        sink: &mut impl ReasonSink,
    ) -> ControlFlow<()> {
        let running = self.state.activations.get(activation);
        let granted = running.and_then(|running| Some((running, self.granted(running.granted)?)));
        let Some((running, (granted, ability))) = granted else {
            return sink.refuse(|| ActivationReason::NotGranted);
        };
        let (handle, owner) = (running.granted, granted.controller);
        let Some(controller) = self.state.controllers.get(owner) else {
            return sink.refuse(|| ActivationReason::UnknownController(owner));
        };
        if parts.cooldown {
            // A12: the cooldown that this activation began does not block it.
            match self.tags_without_cooldown(running, controller) {
                Some(tags) => self.check_cooldown(owner, ability, &tags, sink)?,
                None => self.check_cooldown(owner, ability, &controller.tags, sink)?,
            }
            if ability.gates.evaluates_cooldown {
                self.check_cooldown_effect(handle, granted, ability, Some(activation), sink)?;
            }
        }
        if parts.cost {
            self.check_cost(handle, granted, ability, controller, Some(activation), sink)?;
        }
        if ability.gates.has_charges && granted.charges == 0 && !running.is_committed() {
            sink.refuse(|| ActivationReason::NoCharges)?;
        }
        ControlFlow::Continue(())
    }

    /// Refuses if the numbers of the cooldown effect cannot be evaluated, so that nothing is paid before that
    /// is known (E9).
    #[inline(never)]
    fn check_cooldown_effect(
        &self,
        handle: GrantedAbilityId,
        granted: &GrantedAbility,
        ability: &Ability,
        activation: Option<ActivationId>,
        sink: &mut impl ReasonSink,
    ) -> ControlFlow<()> {
        let Some(id) = ability.cooldown else { return ControlFlow::Continue(()) };
        let Some(effect) = self.catalog.effect_by_id(id) else { return ControlFlow::Continue(()) };
        let spec = self.ability_spec(handle, granted, ability, id, activation);
        let evaluated = spec.and_then(|mut spec| {
            self.capture_into(&mut spec, effect, Side::Target, Some(granted.controller));
            self.could_evaluate(effect, &mut spec, granted.controller)
        });
        match evaluated {
            Ok(()) => ControlFlow::Continue(()),
            Err(reason) => sink.refuse(|| ActivationReason::EffectRefused(reason)),
        }
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
        self.freeze_tags_of(granted, ability, &mut context);
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

/// Refuses for each required tag that `tags` lacks and each ignored tag that it has.
#[inline(always)]
fn check_tags<S: ReasonSink>(
    requirement: &TagRequirement,
    tags: &impl TagView,
    party: ActivationParty,
    sink: &mut S,
) -> ControlFlow<()> {
    if requirement.is_met_by(tags) {
        return ControlFlow::Continue(());
    }
    if S::IS_ANY {
        return ControlFlow::Break(());
    }
    explain_tags(requirement, tags, party, sink)
}

/// Slow path of [`check_tags`]: the requirement is not met.
#[cold]
fn explain_tags(
    requirement: &TagRequirement,
    tags: &impl TagView,
    party: ActivationParty,
    sink: &mut impl ReasonSink,
) -> ControlFlow<()> {
    let mut missing = requirement.require.missing_from(tags);
    missing.try_for_each(|tag| sink.refuse(|| ActivationReason::MissingTag { party, tag }))?;
    let mut present = requirement.ignore.present_in(tags);
    present.try_for_each(|tag| sink.refuse(|| ActivationReason::BlockedTag { party, tag }))
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
