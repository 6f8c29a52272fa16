//! Activation of abilities and its end (§8.2 to §8.6).

use std::sync::Arc;

use smallvec::SmallVec;

use super::Simulation;
use super::cascade::Consequence;
use super::commit::CommitParts;
use crate::ability::{
    AbilityState, Activation, ActivationReason, ActivationRefusal, Branch, EndReason, GameplayEvent,
};
use crate::codec::StateRecord;
use crate::controller::index::ActivationKey;
use crate::effect::PredictionKey;
use crate::event::{Cause, EventKind, RemovalReason};
use crate::handle::{ActivationId, ControllerId, GrantedAbilityId};
use crate::id::{AbilityId, TagId};
use crate::random::RandomStream;
use crate::refusal::RefusalReason;
use crate::tag::TagSet;
use crate::targeting::TargetData;

/// Parameters of one activation: targets, triggering event and prediction key.
#[derive(Clone, PartialEq, Debug, Default, StateRecord)]
pub struct ActivationRequest {
    /// Targets of the activation.
    pub targets: TargetData,
    /// Event that triggered the activation, if any.
    pub event: Option<GameplayEvent>,
    /// Prediction key of the activation (§13.4); `None` if it is not predicted.
    pub prediction: Option<PredictionKey>,
    /// Tag whose presence keeps the ability active (A7).
    #[state(index)]
    pub(crate) while_tag: Option<TagId>,
    /// Whether the caller has judged the range, so that it is not checked (§13.7).
    #[state(index)]
    pub(crate) in_range: bool,
}

// `while_tag` is set by the trigger only, never by the host; a command from a client says which ability is in
// range.

/// A request without targets and event.
pub(super) static NO_REQUEST: ActivationRequest = ActivationRequest {
    targets: TargetData(SmallVec::new_const()),
    event: None,
    prediction: None,
    while_tag: None,
    in_range: false,
};

impl ActivationRequest {
    /// Creates a request with these targets.
    pub fn on(targets: impl Into<TargetData>) -> Self {
        Self { targets: targets.into(), ..Self::default() }
    }

    /// Sets the event that triggers the activation.
    #[must_use]
    pub fn with_event(mut self, event: GameplayEvent) -> Self {
        self.event = Some(event);
        self
    }

    /// Leaves out the check of the range. A server uses it after it has judged the range by the positions that
    /// its client saw (§13.7). It is not encoded: record such an activation as
    /// [`Command::FromClient`](crate::command::Command::FromClient).
    #[must_use]
    pub fn in_range(mut self) -> Self {
        self.in_range = true;
        self
    }

    /// Whether all numbers of the request are finite (V2).
    pub(super) fn is_finite(&self) -> bool {
        self.targets.check().is_ok() && self.event.as_ref().is_none_or(GameplayEvent::is_finite)
    }

    /// Makes the activation part of a prediction (§13.4).
    #[must_use]
    pub fn predicted(mut self, key: PredictionKey) -> Self {
        self.prediction = Some(key);
        self
    }
}

impl Simulation {
    /// Activates a granted ability (§8.2).
    ///
    /// # Errors
    /// Returns every reason for the refusal (A1); the state is unchanged.
    pub fn activate(&mut self, handle: GrantedAbilityId) -> Result<ActivationId, ActivationRefusal> {
        self.activate_with(handle, ActivationRequest::default())
    }

    /// Activates a granted ability on a target.
    ///
    /// # Errors
    /// Returns every reason for the refusal (A1); the state is unchanged.
    pub fn activate_on(
        &mut self,
        handle: GrantedAbilityId,
        targets: impl Into<TargetData>,
    ) -> Result<ActivationId, ActivationRefusal> {
        self.activate_with(handle, ActivationRequest::on(targets))
    }

    /// Activates a granted ability with explicit targets, event or prediction key.
    ///
    /// # Errors
    /// Returns every reason for the refusal (A1); the state is unchanged.
    pub fn activate_with(
        &mut self,
        handle: GrantedAbilityId,
        request: ActivationRequest,
    ) -> Result<ActivationId, ActivationRefusal> {
        self.operate(|sim| sim.activate_one(handle, request))
    }

    /// Activates an ability of a controller by its definition: tries its grants in order and activates the
    /// first that can be.
    ///
    /// # Errors
    /// Without a grant: `NotGranted`, `UnknownController` or `ControllerInactive`, and no event. Otherwise
    /// the reasons for which the last grant was refused.
    pub fn activate_ability(
        &mut self,
        controller: ControllerId,
        ability: AbilityId,
        request: ActivationRequest,
    ) -> Result<ActivationId, ActivationRefusal> {
        let handles = self.grants_of(controller, ability);
        let Some((last, earlier)) = handles.split_last() else {
            let reason = match self.state.controllers.get(controller) {
                Some(known) if known.inactive => ActivationReason::ControllerInactive(controller),
                Some(_) => ActivationReason::NotGranted,
                None => ActivationReason::UnknownController(controller),
            };
            let refusal = ActivationRefusal::new(Some(ability), Some(controller), vec![reason]);
            return self.operate(|_| Err(refusal));
        };
        self.operate(|sim| {
            for &handle in earlier {
                if sim.is_ready_with(handle, &request)
                    && let Ok(activation) = sim.activate_one(handle, request.clone())
                {
                    return Ok(activation);
                }
            }
            sim.activate_one(*last, request)
        })
    }

    /// Activates every ability of a controller that has all of these tags; returns the activations. Each
    /// refusal emits its event and does not stop the others.
    pub fn activate_by_tags(&mut self, controller: ControllerId, tags: &TagSet) -> Vec<ActivationId> {
        self.operate(|sim| sim.activate_tagged(controller, tags))
    }

    /// Activates every ability that has all of these tags, for a call or a task, under keys that depend on
    /// the current prediction. Refused abilities are missing from the result; each refusal emits its event.
    pub(super) fn activate_tagged(&mut self, controller: ControllerId, tags: &TagSet) -> Vec<ActivationId> {
        let handles: SmallVec<[GrantedAbilityId; 4]> = self.abilities_with_tags(controller, tags).collect();
        let mut runs = Vec::new();
        let cause = self.scratch.current.prediction();
        for handle in handles {
            let prediction = self.dependent_key(cause, handle);
            let request = ActivationRequest { prediction, ..ActivationRequest::default() };
            runs.extend(self.activate_one(handle, request).ok());
        }
        runs
    }

    /// Grants of an ability on a controller, in the order of granting.
    pub(super) fn grants_of(
        &self,
        controller: ControllerId,
        ability: AbilityId,
    ) -> SmallVec<[GrantedAbilityId; 1]> {
        let handles = self.state.controllers.get(controller).map(|known| &*known.ability_data.abilities);
        let is_of = |handle: &GrantedAbilityId| {
            self.state.abilities.get(*handle).is_some_and(|granted| granted.ability == ability)
        };
        handles.unwrap_or_default().iter().copied().filter(is_of).collect()
    }

    /// Lifecycle state of a granted ability (§8.2); `None` if it is not granted.
    pub fn ability_state(&self, handle: GrantedAbilityId) -> Option<AbilityState> {
        let granted = self.state.abilities.get(handle)?;
        let Some(latest) = granted.activations.last().and_then(|&id| self.state.activations.get(id)) else {
            return Some(AbilityState::Inactive);
        };
        Some(match (latest.ending, latest.is_committed()) {
            (true, _) => AbilityState::Ending,
            (false, true) => AbilityState::Active,
            (false, false) => AbilityState::Activating,
        })
    }

    /// The activation behind a handle; `None` once it has ended.
    pub fn activation(&self, id: ActivationId) -> Option<&Activation> {
        self.state.activations.get(id)
    }

    /// Cancels an activation (§8.6); false if it has already ended.
    pub fn cancel(&mut self, activation: ActivationId) -> bool {
        let is_running = self.state.activations.contains(activation);
        if is_running {
            self.operate(|sim| sim.end_activation(activation, EndReason::Cancelled));
        }
        is_running
    }

    /// Ends an activation as if its tasks were done; false if it has already ended.
    pub fn end(&mut self, activation: ActivationId) -> bool {
        let is_running = self.state.activations.contains(activation);
        if is_running {
            self.operate(|sim| sim.end_activation(activation, EndReason::Completed));
        }
        is_running
    }

    /// Cancels all activations of a granted ability (§8.6 CancelAbility); returns their number.
    ///
    /// # Errors
    /// If the ability is not granted (any more).
    pub fn cancel_ability(&mut self, handle: GrantedAbilityId) -> Result<u32, RefusalReason> {
        let granted = self.state.abilities.get(handle).ok_or(RefusalReason::UnknownGrant(handle))?;
        let runs: SmallVec<[ActivationId; 4]> = granted.activations.iter().copied().collect();
        Ok(self.operate(|sim| sim.end_activations(runs, EndReason::Cancelled)))
    }

    /// Cancels the active abilities of a controller that have one of `with` and none of `without`; returns
    /// the number of cancelled activations.
    pub fn cancel_by_tags(&mut self, controller: ControllerId, with: &TagSet, without: &TagSet) -> u32 {
        let runs = self.activations_where(controller, |sim, activation| {
            let Some((granted, ability)) = sim.granted(activation.granted) else { return false };
            sim.ability_matches(granted, ability, with) && !sim.ability_matches(granted, ability, without)
        });
        self.operate(|sim| sim.end_activations(runs, EndReason::Cancelled))
    }

    /// Cancels all active abilities of a controller except one; returns the number of cancelled activations.
    pub fn cancel_all(&mut self, controller: ControllerId, except: Option<GrantedAbilityId>) -> u32 {
        let runs = self.activations_where(controller, |_, activation| Some(activation.granted) != except);
        self.operate(|sim| sim.end_activations(runs, EndReason::Cancelled))
    }

    /// Sends a gameplay event to a controller (§10.3): abilities that it triggers are activated, and tasks
    /// that wait for it continue.
    ///
    /// # Errors
    /// If the controller does not exist (any more) or is inactive (K1), a number is not finite, the event
    /// exceeds a limit of [`Config`](super::Config), or one of its tags is not in this catalog.
    pub fn send_event(
        &mut self,
        controller: ControllerId,
        event: GameplayEvent,
    ) -> Result<(), RefusalReason> {
        self.check_sent(controller, &event)?;
        self.operate(|sim| sim.emit(EventKind::GameplayEvent { controller, event }));
        Ok(())
    }

    /// Checks whether a gameplay event can be sent to a controller.
    pub(crate) fn check_sent(
        &self,
        controller: ControllerId,
        event: &GameplayEvent,
    ) -> Result<(), RefusalReason> {
        self.check_active(controller)?;
        if !event.is_finite() {
            return Err(RefusalReason::NonFinite { modifier: None, attribute: None });
        }
        self.check_event(event).map_err(RefusalReason::LimitReached)?;
        self.check_tags(event.tags())
    }

    /// Activations of a controller that `is_meant` selects, in the order of beginning, copied so that the
    /// caller can end them. Empty if the controller does not exist.
    pub(super) fn activations_where(
        &self,
        controller: ControllerId,
        is_meant: impl Fn(&Self, &Activation) -> bool,
    ) -> SmallVec<[ActivationId; 4]> {
        let runs = self.state.controllers.get(controller).map(|known| &*known.ability_data.activations);
        let runs = runs.unwrap_or_default().iter().copied();
        runs.filter(|&run| self.state.activations.get(run).is_some_and(|known| is_meant(self, known)))
            .collect()
    }

    /// Ends the listed activations in order. Returns the length of the list: an activation that has
    /// already ended counts, too.
    pub(super) fn end_activations(
        &mut self,
        activations: SmallVec<[ActivationId; 4]>,
        reason: EndReason,
    ) -> u32 {
        let count = activations.len() as u32;
        for activation in activations {
            self.end_activation(activation, reason);
        }
        count
    }

    /// Activates one ability, for a call or as a consequence: the steps of §8.2. Sets the cause of later
    /// events to the ability. A refusal emits its event; if only the commit is refused, the new activation
    /// ends with `CommitFailed`.
    pub(super) fn activate_one(
        &mut self,
        handle: GrantedAbilityId,
        request: ActivationRequest,
    ) -> Result<ActivationId, ActivationRefusal> {
        if self.is_ready_with(handle, &request) {
            return self.activate_ready(handle, request);
        }
        self.set_cause_to_grant(handle, request.prediction);
        let refusal = self.refuse(handle, &request);
        self.emit_activation_refusal(&refusal);
        Err(refusal)
    }

    /// Activates an ability whose request has passed the checks of A1. Otherwise as [`Self::activate_one`].
    pub(super) fn activate_ready(
        &mut self,
        handle: GrantedAbilityId,
        request: ActivationRequest,
    ) -> Result<ActivationId, ActivationRefusal> {
        self.set_cause_to_grant(handle, request.prediction);
        let Some((granted, ability)) = self.granted(handle) else {
            return Err(self.refusal(handle, &request));
        };
        let (controller, ability_id) = (granted.controller, granted.ability);
        let (commits, cancels) = (ability.routine.commits, !ability.cancel_with.is_empty());
        if ability.gates.restarts {
            for run in granted.activations.clone() {
                self.end_activation(run, EndReason::Retriggered);
            }
        }
        let Some(id) = self.begin_activation(handle, request) else {
            let reasons = vec![ActivationReason::NotGranted];
            return Err(ActivationRefusal::new(Some(ability_id), Some(controller), reasons));
        };
        let ability = ability_id;
        self.emit_in_place(|| EventKind::AbilityActivated { controller, handle, ability, activation: id });
        // A4: this activation cancels abilities with these tags.
        if cancels {
            let catalog = Arc::clone(&self.catalog);
            if let Some(ability) = catalog.ability_by_id(ability_id) {
                let reason = EndReason::CancelledByAbility(handle);
                self.cancel_matching(controller, &ability.cancel_with, Some(id), reason);
            }
        }
        // A3: without a task that commits, the ability commits here.
        if !commits && let Err(refusal) = self.commit_parts(id, CommitParts::ALL) {
            self.emit_activation_refusal(&refusal);
            self.end_activation(id, EndReason::CommitFailed);
            return Err(refusal);
        }
        self.start_routine(id);
        Ok(id)
    }

    /// Sets the cause of later events to a granted ability, under a prediction.
    fn set_cause_to_grant(&mut self, handle: GrantedAbilityId, prediction: Option<PredictionKey>) {
        let source = self.state.abilities.get(handle).map(|granted| granted.controller);
        let operation = self.scratch.current.cause().operation;
        let cause = Cause { operation, source, ability: Some(handle), ..Cause::default() };
        self.scratch.current.set_cause_and_prediction(cause, prediction);
    }

    /// Creates an activation and lists it with its grant and its owner; runs nothing and emits no event. Uses
    /// up a sequence number and counts the activation for its random stream (V5). `None` if the ability is no
    /// longer granted.
    pub(super) fn begin_activation(
        &mut self,
        handle: GrantedAbilityId,
        request: ActivationRequest,
    ) -> Option<ActivationId> {
        let sequence = self.state.next_sequence();
        let shared = match request.prediction {
            None => None,
            key => {
                let (granted, ability) = self.granted(handle)?;
                let owner = self.state.controllers.get(granted.controller)?;
                self.shared_activation_stream(ability, key, owner.ordinal)
            }
        };
        let super::State { now, seed, abilities, controllers, activations, .. } = &mut self.state;
        let granted = abilities.get_mut(handle)?;
        let ability = self.catalog.ability_by_id(granted.ability)?;
        let owner = controllers.get_mut(granted.controller)?;
        // V5: every activation has its own random stream, derived from the seed, the ability's name, the
        // owner and the owner's count of earlier activations under any grant, so that granting it anew does
        // not repeat its rolls.
        let count = u64::from(owner.count_run(granted.ability));
        let own = || RandomStream::derive(*seed, &[ability.name_hash, owner.ordinal, count]).key();
        let stream = shared.unwrap_or_else(own);
        let mut parameters = crate::ability::Parameters::new();
        if let Some(event) = &request.event {
            crate::ability::set_parameter(&mut parameters, "Event.Magnitude", event.magnitude);
        }
        let while_tag = request.while_tag;
        let id = activations.insert(Activation {
            granted: handle,
            ability: granted.ability,
            controller: granted.controller,
            level: granted.level,
            sequence,
            started: *now,
            targets: request.targets.into(),
            first_targets: None,
            chosen: false,
            event: request.event,
            context_of: None,
            while_tag,
            prediction: request.prediction,
            paid: false,
            cooling: false,
            cooldown: None,
            ending: false,
            owned_tags: None,
            parameters,
            applied: SmallVec::new(),
            cues: SmallVec::new(),
            placed_cues: SmallVec::new(),
            stream,
            draws: 0,
            branches: SmallVec::new(),
            next_branch: 0,
            standing: SmallVec::new(),
        });
        granted.activations.push(id);
        let data = owner.ability_data.make_mut();
        data.activations.push(id);
        for key in ActivationKey::of(ability, while_tag) {
            data.run_index.insert_sorted((key, sequence, id));
        }
        Some(id)
    }

    /// Cancels the active abilities of a controller that have one of `tags`, except one activation. An empty
    /// `tags` cancels nothing.
    pub(super) fn cancel_matching(
        &mut self,
        controller: ControllerId,
        tags: &TagSet,
        except: Option<ActivationId>,
        reason: EndReason,
    ) {
        if tags.is_empty() {
            return;
        }
        let mut runs = self.activations_where(controller, |sim, activation| {
            let granted = sim.granted(activation.granted);
            granted.is_some_and(|(granted, ability)| sim.ability_matches(granted, ability, tags))
        });
        runs.retain(|run| Some(*run) != except);
        self.end_activations(runs, reason);
    }

    /// Ends an activation (§8.6, §10.5): its tasks, its owned tags, its cues, then the activation itself.
    /// Queues the despawning of controllers bound to it, emits the event of the end, and revokes an ability
    /// that was to leave with its last activation (A8). Does nothing if the activation has ended or is
    /// ending. The current cause and prediction are not restored.
    pub(super) fn end_activation(&mut self, id: ActivationId, reason: EndReason) {
        let Some(activation) = self.state.activations.get_mut(id) else { return };
        if core::mem::replace(&mut activation.ending, true) {
            return;
        }
        let (handle, ability, controller) = (activation.granted, activation.ability, activation.controller);
        let owned = activation.owned_tags.take();
        let holds_cues = !activation.cues.is_empty() || !activation.placed_cues.is_empty();
        let waits = activation.all_tasks().next().is_some();
        self.set_cause_to_activation(id);
        let cause = self.scratch.current.cause();
        if waits {
            self.cancel_all_branches(id);
        }
        if let Some(owned) = owned {
            self.remove_active(owned, RemovalReason::Removed);
        }
        if holds_cues && let Some(activation) = self.state.activations.get_mut(id) {
            let cues = core::mem::take(&mut activation.cues);
            let placed = core::mem::take(&mut activation.placed_cues);
            for cue in cues {
                self.release_cue(controller, cue);
            }
            for active in placed {
                self.remove_active(active, RemovalReason::Removed);
            }
        }
        self.release_bound(id, controller);
        self.unlist_activation(id);
        self.state.activations.discard(id);
        let granted = self.state.abilities.get(handle);
        let leaves = granted.is_some_and(|granted| granted.remove_on_end && !granted.is_active());
        self.emit_with(cause, || match reason.is_cancel() {
            true => EventKind::AbilityCancelled { controller, handle, ability, activation: id, reason },
            false => EventKind::AbilityEnded { controller, handle, ability, activation: id, reason },
        });
        if leaves {
            self.revoke_ability(handle);
        }
    }

    /// A4: the owner died. Emits `OwnerDied`, clears the input buffer, and cancels all abilities of the owner
    /// except those that survive death.
    pub(super) fn die(&mut self, controller: ControllerId) {
        self.emit(EventKind::OwnerDied { controller });
        // Buffered inputs of a dead owner are not tried when its abilities end.
        if let Some(known) = self.state.controllers.get_mut(controller) {
            known.buffer.clear();
        }
        let runs = self.activations_where(controller, |sim, activation| {
            let ability = sim.catalog.ability_by_id(activation.ability);
            !ability.is_some_and(|ability| ability.def.survives_death)
        });
        self.end_activations(runs, EndReason::OwnerDied);
    }

    /// §4.3: after a change of avatar, abilities whose requirements no longer hold are cancelled.
    pub(super) fn revalidate_abilities(&mut self, controller: ControllerId) {
        let runs = self.activations_where(controller, |sim, activation| {
            let ability = sim.catalog.ability_by_id(activation.ability);
            let known = sim.state.controllers.get(controller);
            let (Some(ability), Some(known)) = (ability, known) else { return false };
            // Tags that the ability itself granted do not count against it.
            let missing = !known.tags.has_all(&ability.activation.require)
                || (ability.def.requires_avatar && known.avatar.is_none());
            let owned = &ability.owned_tags;
            let registry = sim.catalog.tags();
            let blocked = ability.activation.ignore.present_in(&known.tags);
            let mut blocked = blocked.filter(|&tag| !owned.iter().any(|own| registry.is_within(own, tag)));
            missing || blocked.next().is_some()
        });
        self.end_activations(runs, EndReason::PossessionChanged);
    }

    /// Sets the cause and the prediction of later events to those of an activation. Does nothing once it has
    /// ended.
    pub(super) fn set_cause_to_activation(&mut self, id: ActivationId) {
        let Some(activation) = self.state.activations.get(id) else { return };
        let cause = Cause {
            operation: self.scratch.current.cause().operation,
            source: Some(activation.controller),
            ability: Some(activation.granted),
            ..Cause::default()
        };
        self.scratch.current.set_cause_and_prediction(cause, activation.prediction);
    }

    /// Cancels an activation, once its branches that react to the same tag have run: until then, the
    /// cancellation is queued again.
    pub(super) fn cancel_when_settled(&mut self, id: ActivationId, reason: EndReason) {
        let Some(activation) = self.state.activations.get(id) else { return };
        // A branch that waits for the same tag, or for an ancestor of it, may not have been woken yet.
        if activation.branches.iter().any(|branch: &Branch| branch.reacting) {
            self.enqueue(Consequence::Cancel { activation: id, reason });
        } else {
            self.end_activation(id, reason);
        }
    }
}
