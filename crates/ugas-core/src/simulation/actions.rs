//! Actions of tasks: steps that an ability carries out at once, without waiting (§10).

use std::borrow::Cow;

use smallvec::SmallVec;

use super::Simulation;
use super::apply::Checks;
use super::commit::CommitParts;
use super::cues::CueNumbers;
use super::remove::Stacks;
use super::requirements::is_out_of_range;
use super::routine::Flow;
use crate::ability::{Activation, EndReason, GameplayEvent, add_event_context, context_of, set_parameter};
use crate::effect::{EffectContext, EffectQuery, EffectSpec};
use crate::event::{CueParameters, EventKind, RemovalReason};
use crate::handle::{ActivationId, ActiveEffectId, ControllerId, GrantedAbilityId};
use crate::id::{EffectId, TagId};
use crate::refusal::{Refusal, RefusalReason};
use crate::tag::TagSet;
use crate::targeting::{Affiliation, Shape, TargetData, Targeting};
use crate::task::{Action, Apply, CueTask, OnFail, Recipient, Remove, SendEvent, TaskApplication};

impl Simulation {
    /// Carries out an action of a task (§10). Returns `Yield` if its consequences come before the next step,
    /// `Next` if the branch continues at once, and `Over` if the activation has ended. An error fails the
    /// task, which cancels the ability; `NotPredicted` only skips the action.
    pub(super) fn act(
        &mut self,
        id: ActivationId,
        step: u32,
        action: &Action,
    ) -> Result<Flow, RefusalReason> {
        let Some(activation) = self.state.activations.get(id) else { return Ok(Flow::Over) };
        let owner = activation.controller;
        match action {
            Action::Commit(on_fail) => return Ok(self.commit_step(id, CommitParts::ALL, *on_fail)),
            Action::CommitCost(on_fail) => return Ok(self.commit_step(id, CommitParts::COST, *on_fail)),
            Action::CommitCooldown(on_fail) => {
                return Ok(self.commit_step(id, CommitParts::COOLDOWN, *on_fail));
            }
            Action::ApplyToOwner(apply) => {
                let targets = SmallVec::from_slice(&[owner]);
                self.apply_to(id, apply, targets, false)?;
            }
            Action::ApplyToTarget(apply) => {
                let (targets, is_chain) = match self.chained_targets(id, apply)? {
                    Some(targets) => (targets, true),
                    None => (self.fitting_targets(id, apply)?, false),
                };
                self.report_no_target(id, step, targets.is_empty());
                self.apply_to(id, apply, targets, is_chain)?;
            }
            Action::ApplyInRadius(apply) => {
                let targets = self.targets_in_radius(id, apply)?;
                self.report_no_target(id, step, targets.is_empty());
                self.apply_to(id, apply, targets, false)?;
            }
            Action::ApplyContainer { container, to } => self.apply_container(id, step, *container, *to)?,
            Action::RemoveFromOwner(remove) => self.remove_from(id, remove, &[owner])?,
            Action::RemoveFromTarget(remove) => {
                let targets: SmallVec<[ControllerId; 2]> =
                    recipients(activation, remove.to).controllers().collect();
                self.report_no_target(id, step, targets.is_empty() && remove.to != Recipient::Target);
                self.remove_from(id, remove, &targets)?;
            }
            Action::SendEvent(event) => self.send_own(id, step, event)?,
            Action::ExecuteCue(task) => {
                for controller in self.cue_recipients(id, step, task) {
                    let (cue, parameters) = (task.cue, self.task_cue(id, controller));
                    self.scratch.pending.queue_cue(
                        self.scratch.current.op,
                        EventKind::CueExecuted { controller, cue, parameters },
                    );
                }
                self.emit_cues_if_settled();
                return Ok(Flow::Next);
            }
            Action::AddCue(task) => {
                for controller in self.cue_recipients(id, step, task) {
                    self.add_task_cue(id, controller, task.cue);
                }
                self.emit_cues_if_settled();
                return Ok(Flow::Next);
            }
            Action::RemoveCue(task) => {
                for controller in self.cue_recipients(id, step, task) {
                    self.remove_task_cue(id, controller, task.cue);
                }
                self.emit_cues_if_settled();
                return Ok(Flow::Next);
            }
            Action::SetParameter { name, value } => {
                let value = self.task_number(id, value)?;
                let granted = self.state.activations.get(id).map(|activation| activation.granted);
                if let Some(granted) = granted.and_then(|handle| self.state.abilities.get_mut(handle)) {
                    set_parameter(&mut granted.parameters, name, value);
                }
                return Ok(Flow::Next);
            }
            Action::ActivateAbility(ability) => {
                let targets = activation.targets().clone();
                let cause = activation.prediction;
                let handles = self.grants_of(owner, *ability);
                for handle in handles {
                    let mut request = super::ActivationRequest::on(targets.clone());
                    request.prediction = self.dependent_key(cause, handle);
                    if self.activate_one(handle, request).is_ok() {
                        break;
                    }
                }
            }
            Action::ActivateAbilitiesWithTags(tags) => {
                self.activate_tagged(owner, tags);
            }
            Action::SpawnController(spawn) => return self.spawn_task(id, step, spawn),
            Action::DespawnController(despawn) => return self.despawn_task(id, despawn),
        }
        Ok(Flow::Yield)
    }

    /// A12: commits as a task. A commit that fails emits an event and cancels the ability (`Over`), unless
    /// the task's `OnFail` continues (`Next`).
    fn commit_step(&mut self, id: ActivationId, parts: CommitParts, on_fail: OnFail) -> Flow {
        match self.commit_parts(id, parts) {
            Ok(()) => Flow::Yield,
            Err(refusal) => {
                self.emit_activation_refusal(&refusal);
                if on_fail == OnFail::Continue {
                    return Flow::Next;
                }
                self.end_activation(id, EndReason::CommitFailed);
                Flow::Over
            }
        }
    }

    /// Emits `NoTarget` for a step if `nobody` is true; does nothing otherwise.
    pub(super) fn report_no_target(&mut self, id: ActivationId, step: u32, nobody: bool) {
        if let (true, Some(activation)) = (nobody, self.state.activations.get(id)) {
            let (controller, ability) = (activation.controller, activation.ability);
            self.emit(EventKind::NoTarget { controller, ability, step });
        }
    }

    /// Controllers that show the cue of a task. Emits an event if there is none.
    fn cue_recipients(&mut self, id: ActivationId, step: u32, task: &CueTask) -> SmallVec<[ControllerId; 4]> {
        let Some(activation) = self.state.activations.get(id) else { return SmallVec::new() };
        let mut found: SmallVec<[ControllerId; 4]> = SmallVec::new();
        for controller in recipients(activation, task.to).controllers() {
            if self.state.controllers.contains(controller) && !found.contains(&controller) {
                found.push(controller);
            }
        }
        self.report_no_target(id, step, found.is_empty());
        found
    }

    /// Parameters of a cue of a task: the context of an effect that the ability would apply (C1).
    fn task_cue(&mut self, id: ActivationId, target: ControllerId) -> CueParameters {
        let Some((context, numbers)) = self.task_cue_context(id) else { return CueParameters::default() };
        self.cue_parameters(&context, target, numbers, &[])
    }

    /// Context and numbers of the cues that the tasks of an activation show.
    pub(super) fn task_cue_context(&self, id: ActivationId) -> Option<(EffectContext, CueNumbers)> {
        let activation = self.state.activations.get(id)?;
        let (handle, owner, level) = (activation.granted, activation.controller, f64::from(activation.level));
        let object = self.state.abilities.get(handle).and_then(|granted| granted.source_object);
        let mut context = context_of(owner, handle, object, Some(&activation.targets));
        add_event_context(&mut context, activation.event.as_ref());
        self.freeze_ability_tags(&mut context);
        Some((context, CueNumbers { magnitude: 0.0, level, stacks: 1, duration: None }))
    }

    /// Adds a cue until it is removed or the activation ends. The activation itself holds cues of its owner;
    /// cues on other controllers are held by an internal effect on them.
    fn add_task_cue(&mut self, id: ActivationId, controller: ControllerId, cue: TagId) {
        let Some(activation) = self.state.activations.get(id) else { return };
        let handle = activation.granted;
        if controller == activation.controller {
            let parameters = self.task_cue(id, controller);
            self.hold_cue(controller, cue, &parameters);
            if let Some(activation) = self.state.activations.get_mut(id) {
                activation.cues.push(cue);
            }
            return;
        }
        let Ok(Some(spec)) = self.task_spec(handle, id, self.catalog.internal.owned_tags, None) else {
            return;
        };
        // A refusal emits its own event: too many effects, or left to the authority.
        let applied = self.apply_checked(&mut spec.tagged(cue), controller, Checks::Skipped);
        let active = applied.ok().and_then(|application| application.active());
        let effects = &self.state.effects;
        if let (Some(active), Some(activation)) = (active, self.state.activations.get_mut(id)) {
            activation.placed_cues.retain(|known| effects.contains(*known));
            activation.placed_cues.push(active);
        }
    }

    /// Removes a cue that a task of the activation added, the oldest of several. Cues of other holders stay.
    fn remove_task_cue(&mut self, id: ActivationId, controller: ControllerId, cue: TagId) {
        let Some(activation) = self.state.activations.get_mut(id) else { return };
        if controller == activation.controller {
            if let Some(at) = activation.cues.iter().position(|known| *known == cue) {
                activation.cues.remove(at);
                self.release_cue(controller, cue);
            }
            return;
        }
        let effects = &self.state.effects;
        let holds = |active: &ActiveEffectId| {
            effects
                .get(*active)
                .is_some_and(|active| active.target == controller && active.spec.asset_tags() == [cue])
        };
        if let Some(at) = activation.placed_cues.iter().position(holds) {
            let active = activation.placed_cues.remove(at);
            self.remove_active(active, RemovalReason::Removed);
        }
    }

    /// A11: sends the gameplay event of a task to its active recipients, with the owner as instigator; emits
    /// `NoTarget` if there is none. An error means that a number cannot be evaluated: nothing is sent.
    fn send_own(&mut self, id: ActivationId, step: u32, send: &SendEvent) -> Result<(), RefusalReason> {
        let mut event = GameplayEvent::new(send.tag);
        if let Some(magnitude) = &send.magnitude {
            event.magnitude = self.task_number(id, magnitude)?;
        }
        for (name, number) in &send.payload {
            let value = self.task_number(id, number)?;
            event = event.with_payload(name, value);
        }
        for &tag in &send.context_tags {
            event = event.with_context_tag(tag);
        }
        let Some(activation) = self.state.activations.get(id) else { return Ok(()) };
        event.instigator = Some(activation.controller);
        event.target = recipients(activation, send.target).first_controller();
        let mut receivers: SmallVec<[ControllerId; 4]> =
            recipients(activation, send.to).controllers().collect();
        // K1: an inactive controller receives no events.
        receivers.retain(|receiver| self.check_active(*receiver).is_ok());
        self.report_no_target(id, step, receivers.is_empty());
        for controller in receivers {
            self.emit(EventKind::GameplayEvent { controller, event: event.clone() });
        }
        Ok(())
    }

    /// Creates the spec of a task at the task's own level or the ability's; `None` if the ability is no
    /// longer granted.
    fn task_spec(
        &self,
        handle: GrantedAbilityId,
        id: ActivationId,
        effect: EffectId,
        level: Option<f64>,
    ) -> Result<Option<EffectSpec>, RefusalReason> {
        let Some((granted, ability)) = self.granted(handle) else { return Ok(None) };
        let mut spec = self.ability_spec(handle, granted, ability, effect, Some(id))?;
        spec.level = level.unwrap_or(spec.level);
        Ok(Some(spec))
    }

    /// Evaluates the level and the caller's numbers of an application for the target with index `jump` in its
    /// chain. Replaces the contents of `numbers`, and returns the level; `None` is the level of the ability.
    fn apply_numbers(
        &mut self,
        id: ActivationId,
        apply: &Apply,
        jump: u16,
        numbers: &mut SmallVec<[(TagId, f64); 2]>,
    ) -> Result<Option<f64>, RefusalReason> {
        let level = match &apply.level {
            Some(level) => Some(self.chain_number(id, level, jump)?),
            None => None,
        };
        numbers.clear();
        for (tag, number) in &apply.set_by_caller {
            numbers.push((*tag, self.chain_number(id, number, jump)?));
        }
        Ok(level)
    }

    /// Applies an effect that a native task requests, if the ability may apply it (§13.7). A refusal emits an
    /// event and the ability continues.
    pub(super) fn apply_for_task(&mut self, id: ActivationId, application: TaskApplication) {
        let TaskApplication { effect, target, level, magnitudes } = application;
        let Some(handle) = self.state.activations.get(id).map(|activation| activation.granted) else {
            return;
        };
        let spec = match self.task_spec(handle, id, effect, level) {
            Ok(Some(mut spec)) => {
                magnitudes.into_iter().for_each(|(tag, value)| spec.set_magnitude(tag, value));
                Ok(spec)
            }
            Ok(None) => return,
            Err(reason) => Err(reason),
        };
        match spec {
            Ok(mut spec) => {
                self.number_dice(id, effect);
                // A refusal emits its own event.
                let _ = self.apply_authorised(&mut spec, target);
            }
            Err(reason) => self.emit_refusal(&Refusal::new(effect, target, reason)),
        }
    }

    /// Applies an effect of a task to each target in turn; a task with a name remembers the instances for a
    /// later removal. A refusal emits an event and the ability continues; an error means that a number cannot
    /// be evaluated, and fails the task. Along a chain the cascade limit ends the loop.
    fn apply_to(
        &mut self,
        id: ActivationId,
        apply: &Apply,
        targets: SmallVec<[ControllerId; 4]>,
        is_chain: bool,
    ) -> Result<(), RefusalReason> {
        let Some(handle) = self.state.activations.get(id).map(|activation| activation.granted) else {
            return Ok(());
        };
        let mut numbers: SmallVec<[(TagId, f64); 2]> = SmallVec::new();
        // Numbers are evaluated once, except along a chain, where each jump evaluates them.
        let mut level = match is_chain {
            true => None,
            false => self.apply_numbers(id, apply, 0, &mut numbers)?,
        };
        for (index, target) in targets.into_iter().enumerate() {
            let jump = u16::try_from(index).unwrap_or(u16::MAX);
            if is_chain {
                // E12: a chain may return to earlier targets, so each jump is a step of the cascade.
                if !self.take_step() {
                    self.report_cascade(None, 1);
                    break;
                }
                level = self.apply_numbers(id, apply, jump, &mut numbers)?;
            }
            let Some(mut spec) = self.task_spec(handle, id, apply.effect, level)? else { return Ok(()) };
            if is_chain {
                spec.jump = jump;
            }
            for &(tag, value) in &numbers {
                spec.set_magnitude(tag, value);
            }
            self.number_dice(id, apply.effect);
            let applied = self.apply_one(&mut spec, target).ok().and_then(|application| application.active());
            if let (Some(name), Some(active)) = (apply.name, applied)
                && let Some(activation) = self.state.activations.get_mut(id)
            {
                // Effects that have ended need no entry.
                let effects = &self.state.effects;
                activation.applied.retain(|(_, known)| effects.contains(*known));
                if !activation.applied.contains(&(name, active)) {
                    activation.applied.push((name, active));
                }
            }
        }
        Ok(())
    }

    /// Targets of an ability whose targeting is a chain, starting at the task's recipient. Empty if that
    /// target is gone or the player chose nobody; `None` without a chain.
    fn chained_targets(
        &mut self,
        id: ActivationId,
        apply: &Apply,
    ) -> Result<Option<SmallVec<[ControllerId; 4]>>, RefusalReason> {
        let catalog = std::sync::Arc::clone(&self.catalog);
        let Some(activation) = self.state.activations.get(id) else { return Ok(None) };
        let targeting = catalog.ability_by_id(activation.ability).and_then(|ability| ability.targeting());
        let chain = targeting.filter(|targeting| matches!(targeting.shape, Shape::Chain { .. }));
        // An explicit `To` names the recipient itself, so no chain starts there (A11).
        let Some(chain) = chain.filter(|_| apply.to == Recipient::Target) else { return Ok(None) };
        // A task without targets may search for the first one, unless targets were chosen (A16).
        if activation.chosen && recipients(activation, apply.to).first_controller().is_none() {
            return Ok(Some(SmallVec::new()));
        }
        if apply.max_range.is_none() && apply.require.is_empty() && apply.ignore.is_empty() {
            return Ok(Some(self.select(chain, id, apply.to)));
        }
        // The conditions of the task apply in addition to those of the chain.
        let range = match &apply.max_range {
            Some(range) => Some(self.task_number(id, range)?.max(0.0)),
            None => None,
        };
        let targeting = Targeting {
            range: range.into_iter().chain(chain.range).reduce(f64::min),
            require: TagSet::new(chain.require.iter().chain(apply.require.iter())),
            exclude: TagSet::new(chain.exclude.iter().chain(apply.ignore.iter())),
            ..chain.clone()
        };
        Ok(Some(self.select(&targeting, id, apply.to)))
    }

    /// Recipients of a task that meet its conditions; without a target, the nearest allowed controller (A16).
    fn fitting_targets(
        &mut self,
        id: ActivationId,
        apply: &Apply,
    ) -> Result<SmallVec<[ControllerId; 4]>, RefusalReason> {
        let range = match &apply.max_range {
            Some(range) => Some(self.task_number(id, range)?.max(0.0)),
            None => None,
        };
        let Some(activation) = self.state.activations.get(id) else { return Ok(SmallVec::new()) };
        let Some(own) = self.state.controllers.get(activation.controller) else { return Ok(SmallVec::new()) };
        let given = recipients(activation, apply.to);
        let has_target = activation.chosen || given.first_controller().is_some();
        let mut found = match has_target || apply.to != Recipient::Target {
            true => given.controllers().collect(),
            false => self.allowed_targets(id, apply, range),
        };
        found.retain(|target| {
            self.state.controllers.get(*target).is_some_and(|target| {
                target.tags.has_all(&apply.require)
                    && target.tags.has_none(&apply.ignore)
                    && !is_out_of_range(range, own, target)
            })
        });
        if !has_target {
            found.truncate(1);
        }
        Ok(found)
    }

    /// A16: controllers that a task without a target may hit, nearest first. Empty if neither the task nor
    /// the ability restricts them.
    fn allowed_targets(
        &self,
        id: ActivationId,
        apply: &Apply,
        range: Option<f64>,
    ) -> SmallVec<[ControllerId; 4]> {
        let Some(activation) = self.state.activations.get(id) else { return SmallVec::new() };
        let Some(ability) = self.catalog.ability_by_id(activation.ability) else { return SmallVec::new() };
        let Some(own) = self.state.controllers.get(activation.controller) else { return SmallVec::new() };
        let reach = ability.def.max_range.filter(|range| *range > 0.0);
        if range.is_none() && reach.is_none() && apply.require.is_empty() && apply.targeting.is_none() {
            return SmallVec::new();
        }
        let mut targeting = match &apply.targeting {
            Some(targeting) => (**targeting).clone(),
            None => Targeting { affiliation: Affiliation::ExcludeSelf, ..Targeting::default() },
        };
        if targeting.shape == Shape::ActivationTarget {
            targeting.shape = Shape::Nearest;
        }
        targeting.range = targeting.range.or(range).or(reach);
        targeting.count = u32::MAX;
        let found = self.find_targets(&targeting, activation.controller, &activation.targets);
        let fits = |id: &ControllerId| {
            *id != activation.controller
                && self.state.controllers.get(*id).is_some_and(|target| {
                    ability.target.is_met_by(&target.tags)
                        && target.tags.has_all(&apply.require)
                        && target.tags.has_none(&apply.ignore)
                        && !is_out_of_range(range, own, target)
                        && !is_out_of_range(reach, own, target)
                })
        };
        found.controllers().filter(fits).collect()
    }

    /// Controllers other than the owner within the radius of a task, or its `MaxRange` without one, that have
    /// the required tags and none of the ignored ones. An error means that the radius cannot be evaluated.
    fn targets_in_radius(
        &mut self,
        id: ActivationId,
        apply: &Apply,
    ) -> Result<SmallVec<[ControllerId; 4]>, RefusalReason> {
        let radius = match (&apply.radius, &apply.max_range) {
            (Some(radius), _) | (None, Some(radius)) => Some(self.task_number(id, radius)?.max(0.0)),
            (None, None) => None,
        };
        let targeting = Targeting {
            shape: Shape::Radius,
            range: radius,
            require: apply.require.clone(),
            exclude: apply.ignore.clone(),
            affiliation: Affiliation::ExcludeSelf,
            ..Targeting::default()
        };
        Ok(self.select(&targeting, id, Recipient::Target))
    }

    /// Targets that a targeting selects, starting from those of a recipient.
    fn select(
        &mut self,
        targeting: &Targeting,
        id: ActivationId,
        to: Recipient,
    ) -> SmallVec<[ControllerId; 4]> {
        let mut buffers = core::mem::take(&mut self.scratch.buffers.selection);
        let mut found = TargetData::new();
        if let Some(activation) = self.state.activations.get(id) {
            let given = recipients(activation, to);
            self.select_into(targeting, activation.controller, &given, &mut buffers, &mut found);
        }
        self.scratch.buffers.selection = buffers;
        found.controllers().collect()
    }

    /// GASD §4.11.5: applies an effect container, which bundles targeting with effects. Emits `NoTarget` if
    /// nobody is selected. A refusal emits its event and does not stop the other effects; the cascade limit
    /// ends a chain.
    fn apply_container(
        &mut self,
        id: ActivationId,
        step: u32,
        at: u32,
        to: Option<Recipient>,
    ) -> Result<(), RefusalReason> {
        let catalog = std::sync::Arc::clone(&self.catalog);
        let Some(container) = catalog.container(at) else { return Ok(()) };
        let targets = self.select(&container.targeting, id, to.unwrap_or(container.to));
        self.report_no_target(id, step, targets.is_empty());
        let is_chain = matches!(container.targeting.shape, Shape::Chain { .. });
        for (index, target) in targets.into_iter().enumerate() {
            if is_chain && !self.take_step() {
                self.report_cascade(None, 1);
                break;
            }
            for &(effect, level) in &container.effects {
                let Some(handle) = self.state.activations.get(id).map(|activation| activation.granted) else {
                    return Ok(());
                };
                let Some(mut spec) = self.task_spec(handle, id, effect, level)? else { return Ok(()) };
                if is_chain {
                    spec.jump = u16::try_from(index).unwrap_or(u16::MAX);
                }
                self.number_dice(id, effect);
                // A refusal emits its own event; the other effects are applied all the same.
                let _ = self.apply_one(&mut spec, target);
            }
        }
        Ok(())
    }

    /// Removes effects of a task from each target: the instances that a task of this name applied, or without
    /// a name those that match the effect and the tags. Without a stack count, or with a negative one, all
    /// stacks are removed.
    fn remove_from(
        &mut self,
        id: ActivationId,
        remove: &Remove,
        targets: &[ControllerId],
    ) -> Result<(), RefusalReason> {
        let stacks = match &remove.stacks {
            Some(stacks) => match self.task_number(id, stacks)? {
                // As in the specification, a negative count removes all stacks (§4.5).
                count if count < 0.0 => Stacks::All,
                count => Stacks::Count(count.min(f64::from(u32::MAX)) as u32),
            },
            None => Stacks::All,
        };
        for &target in targets {
            let selected: SmallVec<[ActiveEffectId; 4]> = match remove.name {
                Some(name) => {
                    let Some(activation) = self.state.activations.get(id) else { return Ok(()) };
                    let named = activation.applied.iter().filter(|(known, _)| *known == name);
                    let on_target = |active: &ActiveEffectId| {
                        self.state.effects.get(*active).is_some_and(|active| active.target == target)
                    };
                    named.map(|&(_, active)| active).filter(on_target).collect()
                }
                None => {
                    let query = EffectQuery {
                        effect: remove.effect,
                        tags: remove.tags.clone(),
                        ..EffectQuery::default()
                    };
                    self.effects_matching(target, &query).collect()
                }
            };
            for active in selected {
                // A client does not remove effects that it leaves to the authority.
                if !self.may_remove(active) {
                    continue;
                }
                self.remove_stacks(active, stacks, Self::remove_active);
            }
        }
        Ok(())
    }
}

/// Targets that a task's `Recipient` refers to (A11).
pub(super) fn recipients(activation: &Activation, to: Recipient) -> Cow<'_, TargetData> {
    match to {
        Recipient::Owner => Cow::Owned(TargetData::from(activation.controller)),
        Recipient::Target => Cow::Borrowed(activation.targets()),
        Recipient::EventTarget => {
            Cow::Owned(activation.event.as_ref().and_then(GameplayEvent::targets).unwrap_or_default())
        }
        Recipient::EventInstigator => {
            let instigator = activation.event.as_ref().and_then(|event| event.instigator);
            Cow::Owned(instigator.map(TargetData::from).unwrap_or_default())
        }
        Recipient::Activation => Cow::Borrowed(activation.first_targets()),
    }
}
