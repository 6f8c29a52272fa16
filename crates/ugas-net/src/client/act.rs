//! Commands of the player.
//!
//! Commands are checked here as far as possible, take effect in the next tick, and are sent then. Handles are
//! those of the client's own simulation; on the wire they are the server's. The key that a method returns
//! identifies the command in [`ClientEvent::Confirmed`] and [`ClientEvent::Rejected`].

use std::sync::Arc;

use ugas_core::ability::{Ability, ActivationRefusal, GameplayEvent, NetExecution};
use ugas_core::effect::{PredictionKey, Vector3};
use ugas_core::event::CueDetails;
use ugas_core::handle::{ActivationId, ControllerId, GrantedAbilityId, TaskId};
use ugas_core::id::AbilityId;
use ugas_core::input::InputId;
use ugas_core::simulation::{ActivationRequest, Simulation};
use ugas_core::targeting::{Target, TargetData, Targeting};
use ugas_core::task::TaskOutcome;

use super::change_detector::Replicated;
use super::local::is_local;
use super::{Client, ClientEvent, MAX_PENDING_BURSTS, Prediction};
use crate::limits::{MAX_COMMANDS, MAX_INPUT_NAME, MAX_TARGETS};
use crate::message::{Ack, ActivationRef, CommandFrame, CueBurst, Frames, NetCommand, PacketId, ToServer};
use crate::wire::{EncodeError, encode_to_server, round_to_wire};

/// Reason for which a command of the player cannot be given.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ActError {
    /// There is no session, or no complete state has arrived since it began or was resumed.
    #[error(
        "there is no session or no state of it yet: wait for `Connected`, or for an update after `Resumed`"
    )]
    NotPlaying,
    /// The controller is not the client's own.
    #[error("{0:?} is not the client's own")]
    NotOwn(ControllerId),
    /// The ability is `LocalOnly`.
    #[error("the ability runs on this machine only: use `activate_local`")]
    LocalOnly,
    /// The ability is not `LocalOnly`.
    #[error("the ability does not run on this machine only: use `activate`")]
    NotLocal,
    /// Only the server may do that with the ability (`NetSecurity`, `NetExecution`).
    #[error("only the server may do that with this ability: see its `NetSecurity` and `NetExecution`")]
    NotAllowed,
    /// More targets than the targeting of the ability lets a player name.
    #[error("at most {0} targets can be named: see the `Targeting` of the ability")]
    TooManyTargets(usize),
    /// The server does not know the named object: it is gone, or was never there.
    #[error("the server does not know this object: it is gone, or was never there")]
    Unknown,
    /// The ability cannot be activated now.
    #[error(transparent)]
    Refused(Box<ActivationRefusal>),
    /// More commands than a tick has room for.
    #[error("a tick has room for {MAX_COMMANDS} commands: wait for the next one")]
    TooMany,
    /// The command cannot be encoded: the commands of a tick do not fit into a datagram, or a value has no
    /// wire form.
    #[error(transparent)]
    Unsendable(EncodeError),
    /// A number is not finite, or something is too long for the wire.
    #[error("{0}")]
    Malformed(&'static str),
}

impl Client {
    /// Activates an ability. A predicted one is checked here first.
    ///
    /// # Errors
    /// If the command cannot be given; then nothing is sent.
    pub fn activate(
        &mut self,
        ability: GrantedAbilityId,
        request: ActivationRequest,
    ) -> Result<PredictionKey, ActError> {
        let granted = self.simulation.ability(ability).ok_or(ActError::Unknown)?;
        self.check_own(granted.controller())?;
        let definition = self.catalog().ability_by_id(granted.ability()).ok_or(ActError::Unknown)?.def();
        if definition.net_execution == NetExecution::LocalOnly {
            return Err(ActError::LocalOnly);
        }
        if !definition.net_security.client_may_begin() {
            return Err(ActError::NotAllowed);
        }
        let most = self.catalog().ability_by_id(granted.ability()).map_or(0, Ability::most_named_targets);
        check_number(&request.targets, most)?;
        let is_predicted = definition.net_execution == NetExecution::LocalPredicted;
        if is_predicted && self.config.prediction == Prediction::On {
            let checked = self.simulation.can_activate_on(ability, request.targets.clone());
            checked.map_err(|refusal| ActError::Refused(Box::new(refusal)))?;
        }
        let remote = self.replica.remote(ability).ok_or(ActError::Unknown)?;
        let targets = self.to_remote(&request.targets)?;
        let event = request.event.map(|event| translate_event(event, |id| self.replica.remote(id)));
        self.queue(NetCommand::Activate { ability: remote, targets, event })
    }

    /// Activates an ability that runs on this machine only (`NetExecution: LocalOnly`), on a copy of the world:
    /// [`Client::local_simulation`]. The activation belongs to that copy. Nothing is sent.
    ///
    /// # Errors
    /// If the ability cannot be activated.
    pub fn activate_local(
        &mut self,
        ability: GrantedAbilityId,
        request: ActivationRequest,
    ) -> Result<ActivationId, ActError> {
        let granted = self.simulation.ability(ability).ok_or(ActError::Unknown)?;
        self.check_own(granted.controller())?;
        if !is_local(&self.simulation, ability) {
            return Err(ActError::NotLocal);
        }
        let begun = self.stage.activate(&self.simulation, ability, request);
        begun.map_err(|refusal| ActError::Refused(Box::new(refusal)))
    }

    /// Cancels an activation of a `LocalOnly` ability at once; false if it is over. Nothing is sent.
    pub fn cancel_local(&mut self, run: ActivationId) -> bool {
        self.stage.simulation_mut().is_some_and(|stage| stage.cancel(run))
    }

    /// Ends an activation.
    ///
    /// # Errors
    /// If the command cannot be given; then nothing is sent.
    pub fn end_activation(&mut self, run: ActivationId) -> Result<PredictionKey, ActError> {
        self.check_may_end(run)?;
        let run = self.run_ref(run)?;
        self.queue(NetCommand::End(run))
    }

    /// Cancels an activation.
    ///
    /// # Errors
    /// If the command cannot be given; then nothing is sent.
    pub fn cancel_activation(&mut self, run: ActivationId) -> Result<PredictionKey, ActError> {
        self.check_may_end(run)?;
        let run = self.run_ref(run)?;
        self.queue(NetCommand::Cancel(run))
    }

    /// Ends the activation that a command begins, also one of the same tick: activation,
    /// [targets](Self::target_begun) and end then travel in one frame.
    ///
    /// # Errors
    /// If the command cannot be given; then nothing is sent.
    pub fn end_begun(&mut self, begun: PredictionKey) -> Result<PredictionKey, ActError> {
        self.check_may_end_ability(self.begun_ability(begun)?)?;
        self.queue(NetCommand::End(ActivationRef::Begun(begun)))
    }

    /// Provides targets to the first branch of the activation that a command begins, also one of the same
    /// tick.
    ///
    /// # Errors
    /// If the command cannot be given; then nothing is sent.
    pub fn target_begun(
        &mut self,
        begun: PredictionKey,
        targets: &TargetData,
    ) -> Result<PredictionKey, ActError> {
        self.begun_ability(begun)?;
        let task = self.local_task(ActivationRef::Begun(begun), 0);
        if let Some(targeting) = task.and_then(|task| self.simulation.awaited_targeting(task)) {
            check_number(targets, targeting.choice_limit())?;
        }
        let targets = self.to_remote(targets)?;
        self.queue(NetCommand::Targets { run: ActivationRef::Begun(begun), branch: 0, targets })
    }

    /// Presses an input. `LocalOnly` abilities that are bound to it are activated at once, others in the next
    /// tick.
    ///
    /// # Errors
    /// If the command cannot be given; then nothing is sent or activated.
    pub fn press(
        &mut self,
        controller: ControllerId,
        input: impl Into<InputId>,
    ) -> Result<PredictionKey, ActError> {
        self.press_at(controller, input, &TargetData::default())
    }

    /// Presses an input with targets, which every ability that the press activates gets. The server checks
    /// them for every ability that is bound to the input.
    ///
    /// # Errors
    /// If the command cannot be given; then nothing is sent or activated.
    pub fn press_at(
        &mut self,
        controller: ControllerId,
        input: impl Into<InputId>,
        targets: &TargetData,
    ) -> Result<PredictionKey, ActError> {
        let (remote, input) = (self.own_remote(controller)?, check_input_name(input.into())?);
        let most = self.bound_to(controller, &input).filter_map(|ability| {
            let granted = self.simulation.ability(ability)?;
            self.catalog().ability_by_id(granted.ability()).map(Ability::most_named_targets)
        });
        check_number(targets, most.min().unwrap_or(MAX_TARGETS))?;
        let remote_targets = self.to_remote(targets)?;
        let press = NetCommand::Press { controller: remote, input: input.clone(), targets: remote_targets };
        let key = self.queue(press)?;
        self.press_local(controller, &input, targets);
        Ok(key)
    }

    /// Releases an input.
    ///
    /// # Errors
    /// If the command cannot be given; then nothing is sent.
    pub fn release(
        &mut self,
        controller: ControllerId,
        input: impl Into<InputId>,
    ) -> Result<PredictionKey, ActError> {
        let (controller, input) = (self.own_remote(controller)?, check_input_name(input.into())?);
        self.queue(NetCommand::Release { controller, input })
    }

    /// Confirms tasks that wait for confirmation.
    ///
    /// # Errors
    /// If the command cannot be given; then nothing is sent.
    pub fn confirm(&mut self, controller: ControllerId) -> Result<PredictionKey, ActError> {
        let controller = self.own_remote(controller)?;
        self.queue(NetCommand::Confirm(controller))
    }

    /// Declines tasks that wait for confirmation.
    ///
    /// # Errors
    /// If the command cannot be given; then nothing is sent.
    pub fn decline(&mut self, controller: ControllerId) -> Result<PredictionKey, ActError> {
        let controller = self.own_remote(controller)?;
        self.queue(NetCommand::Decline(controller))
    }

    /// Provides targets to a task that waits for them.
    ///
    /// # Errors
    /// If the command cannot be given; then nothing is sent.
    pub fn provide_targets(&mut self, task: TaskId, targets: &TargetData) -> Result<PredictionKey, ActError> {
        let (run, branch) = self.branch_of(task)?;
        let targeting = self.simulation.awaited_targeting(task);
        check_number(targets, targeting.map_or(1, Targeting::choice_limit))?;
        let targets = self.to_remote(targets)?;
        self.queue(NetCommand::Targets { run, branch, targets })
    }

    /// Reports the outcome of a host task.
    ///
    /// # Errors
    /// If the command cannot be given; then nothing is sent.
    pub fn complete_task(&mut self, task: TaskId, outcome: TaskOutcome) -> Result<PredictionKey, ActError> {
        let (run, branch) = self.branch_of(task)?;
        if outcome != TaskOutcome::Completed {
            // A task that fails ends the activation.
            self.check_may_end(self.simulation.task(task).ok_or(ActError::Unknown)?.activation())?;
        }
        self.queue(NetCommand::Finish { run, branch, outcome })
    }

    /// Activates the `LocalOnly` abilities that are bound to an input. The press is sent to the server all
    /// the same: other abilities may be bound to it.
    fn press_local(&mut self, controller: ControllerId, input: &InputId, targets: &TargetData) {
        let bound = self.bound_to(controller, input);
        let bound: Vec<GrantedAbilityId> =
            bound.filter(|ability| is_local(&self.simulation, *ability)).collect();
        for ability in bound {
            // A refused activation is ignored, like any press without effect.
            let _ = self.stage.activate(&self.simulation, ability, ActivationRequest::on(targets.clone()));
        }
    }

    /// Abilities of a controller that are bound to an input.
    fn bound_to(&self, controller: ControllerId, input: &InputId) -> impl Iterator<Item = GrantedAbilityId> {
        let known = self.simulation.controller(controller);
        let abilities = known.into_iter().flat_map(|known| known.abilities().iter().copied());
        abilities.filter(move |ability| {
            self.simulation.ability(*ability).is_some_and(|granted| granted.input() == Some(input))
        })
    }

    /// Queues a command for the next tick, and returns its prediction key. On an error the queue stays as it
    /// was: there is no session or no state to predict on yet, the tick is full, or the command has no wire
    /// form.
    fn queue(&mut self, mut command: NetCommand) -> Result<PredictionKey, ActError> {
        if !self.is_playing() || self.base.is_none() || !self.has_state() {
            return Err(ActError::NotPlaying);
        }
        if self.next.len() >= MAX_COMMANDS {
            return Err(ActError::TooMany);
        }
        let key = PredictionKey::new(self.tick.next().0, self.next.len() as u16);
        // Predict with the values that the server will decode: vectors travel in single precision.
        round_to_wire(&mut command);
        self.next.push(command);
        if let Err(error) = self.check_next() {
            self.next.pop();
            return Err(ActError::Unsendable(error));
        }
        Ok(key)
    }

    /// Checks that the commands of the next tick fit into a datagram, whatever its header is.
    fn check_next(&self) -> Result<(), EncodeError> {
        let tick = self.tick.next();
        let packet = PacketId(u32::MAX);
        let ack = Ack { newest: packet, earlier: 0 };
        let frames = vec![CommandFrame { tick, commands: self.next.clone() }];
        let frames = Frames { session: 0, packet, ack, now: tick, frames };
        encode_to_server(&self.dictionary, &ToServer::Frames(frames))?;
        Ok(())
    }

    /// Checks that the client owns a controller. `Unknown` if the server has no such controller, `NotOwn` if
    /// it is not the client's.
    fn check_own(&self, controller: ControllerId) -> Result<(), ActError> {
        let remote = self.replica.remote(controller).ok_or(ActError::Unknown)?;
        self.inbox.is_own(remote).then_some(()).ok_or(ActError::NotOwn(controller))
    }

    /// The server's handle of one of the client's own controllers; errors as [`Self::check_own`].
    fn own_remote(&self, controller: ControllerId) -> Result<ControllerId, ActError> {
        self.check_own(controller)?;
        self.replica.remote(controller).ok_or(ActError::Unknown)
    }

    /// Checks that the ability of an activation lets a client end it; the server also asks who began it.
    fn check_may_end(&self, run: ActivationId) -> Result<(), ActError> {
        self.check_may_end_ability(self.simulation.activation(run).ok_or(ActError::Unknown)?.ability())
    }

    /// Checks that an ability lets a client end its activations.
    fn check_may_end_ability(&self, ability: AbilityId) -> Result<(), ActError> {
        let definition = self.catalog().ability_by_id(ability).ok_or(ActError::Unknown)?.def();
        let may_end = definition.net_security.client_may_end(definition.net_execution);
        may_end.then_some(()).ok_or(ActError::NotAllowed)
    }

    /// Names an activation by the server's handle, or by the command that began it.
    fn run_ref(&self, run: ActivationId) -> Result<ActivationRef, ActError> {
        let activation = self.simulation.activation(run).ok_or(ActError::Unknown)?;
        self.check_own(activation.controller())?;
        match (self.replica.remote(run), activation.prediction()) {
            (Some(remote), _) => Ok(ActivationRef::Known(remote)),
            (None, Some(key)) => Ok(ActivationRef::Begun(key)),
            (None, None) => Err(ActError::Unknown),
        }
    }

    /// Ability of the activation that a key belongs to: one of the next tick, or an earlier one that runs.
    fn begun_ability(&self, begun: PredictionKey) -> Result<AbilityId, ActError> {
        let queued = self.next.get(usize::from(begun.sequence()));
        let ability = match queued.filter(|_| begun.tick() == self.tick.next().0) {
            Some(NetCommand::Activate { ability, .. }) => {
                let granted =
                    self.replica.local(*ability).and_then(|ability| self.simulation.ability(ability));
                granted.map(|granted| granted.ability())
            }
            _ => None,
        };
        let running = || Some(self.simulation.activation(self.activation_of(begun)?)?.ability());
        ability.or_else(running).ok_or(ActError::Unknown)
    }

    /// Names a task by its activation and branch, as commands do: predicted tasks have no handle on the
    /// server.
    fn branch_of(&self, task: TaskId) -> Result<(ActivationRef, u32), ActError> {
        let running = self.simulation.task(task).ok_or(ActError::Unknown)?;
        Ok((self.run_ref(running.activation())?, running.branch()))
    }

    /// Checks targets against the limits of the wire, and translates their handles to the server's. `Unknown`
    /// if the server does not know one of them.
    fn to_remote(&self, targets: &TargetData) -> Result<TargetData, ActError> {
        if targets.len() > MAX_TARGETS {
            return Err(ActError::Malformed("a command has room for 32 targets"));
        }
        if targets.check().is_err() {
            return Err(ActError::Malformed("a position is not finite"));
        }
        translate(targets, |controller| self.replica.remote(controller)).ok_or(ActError::Unknown)
    }

    /// Runs a command in the client's own simulation ahead of the server, when its tick is played or
    /// replayed. Rejected commands, and commands for objects that are not there, are skipped.
    pub(super) fn predict(&mut self, key: PredictionKey, command: &NetCommand) {
        if self.withdrawn.contains(&key) {
            return;
        }
        match command {
            NetCommand::Activate { ability, targets, event } => {
                let local = self.replica.local(*ability);
                let targets = translate(targets, |controller| self.replica.local(controller));
                let (Some(ability), Some(targets)) = (local, targets) else { return };
                let event = event.clone().map(|event| translate_event(event, |id| self.replica.local(id)));
                let mut request = ActivationRequest::on(targets).predicted(key);
                request.event = event;
                // If it is refused here but runs on the server, the server's state will show it.
                let _ = self.simulation.activate_with(ability, request);
            }
            NetCommand::End(run) => {
                if let Some(run) = self.local_run(*run) {
                    self.simulation.predicting(key, |sim| sim.end(run));
                }
            }
            NetCommand::Cancel(run) => {
                if let Some(run) = self.local_run(*run) {
                    self.simulation.predicting(key, |sim| sim.cancel(run));
                }
            }
            NetCommand::Confirm(controller) => {
                if let Some(controller) = self.replica.local(*controller) {
                    let _ = self.simulation.predicting(key, |sim| sim.confirm(controller));
                }
            }
            NetCommand::Decline(controller) => {
                if let Some(controller) = self.replica.local(*controller) {
                    let _ = self.simulation.predicting(key, |sim| sim.decline(controller));
                }
            }
            NetCommand::Press { controller, input, targets } => {
                let targets = translate(targets, |controller| self.replica.local(controller));
                if let (Some(controller), Some(targets)) = (self.replica.local(*controller), targets) {
                    let press = |sim: &mut Simulation| sim.press_at(controller, input.clone(), targets);
                    let _ = self.simulation.predicting(key, press);
                }
            }
            NetCommand::Release { controller, input } => {
                if let Some(controller) = self.replica.local(*controller) {
                    let _ = self.simulation.predicting(key, |sim| sim.release(controller, input.clone()));
                }
            }
            NetCommand::Targets { run, branch, targets } => {
                let targets = translate(targets, |controller| self.replica.local(controller));
                if let (Some(task), Some(targets)) = (self.local_task(*run, *branch), targets) {
                    let _ = self.simulation.predicting(key, |sim| sim.provide_targets(task, targets));
                }
            }
            NetCommand::Finish { run, branch, outcome } => {
                if let Some(task) = self.local_task(*run, *branch) {
                    self.simulation.predicting(key, |sim| sim.complete_task(task, *outcome));
                }
            }
        }
    }

    /// Finds the client's activation for a reference of a command; of several with the same key the newest.
    /// `None` if it has not begun or is over.
    pub(super) fn local_run(&self, run: ActivationRef) -> Option<ActivationId> {
        match run {
            ActivationRef::Known(run) => self.replica.local(run),
            ActivationRef::Begun(key) => self.own_controllers().find_map(|controller| {
                let is_begun = |run: &ActivationId| {
                    self.simulation.activation(*run).is_some_and(|run| run.prediction() == Some(key))
                };
                self.simulation.controller(controller)?.activations().iter().copied().rfind(is_begun)
            }),
        }
    }

    /// Finds the task that a branch of an activation waits in; `None` if there is none.
    fn local_task(&self, run: ActivationRef, branch: u32) -> Option<TaskId> {
        let activation = self.simulation.activation(self.local_run(run)?)?;
        activation
            .tasks()
            .find(|task| self.simulation.task(*task).is_some_and(|task| task.branch() == branch))
    }

    /// Emits [`ClientEvent::CueExecuted`] for a cue burst from the server, unless it was received or
    /// predicted before. While its controller is not shown, it waits in `pending_bursts`; beyond the limit it
    /// is dropped.
    pub(super) fn handle_cue_burst(&mut self, burst: CueBurst) {
        let Some(controller) = self.replica.local(burst.controller) else {
            // Its controller may have come with the same datagram.
            if self.pending_bursts.len() < MAX_PENDING_BURSTS {
                self.pending_bursts.push(burst);
            }
            return;
        };
        if self.one_shots.accept_burst(&burst, controller) {
            let source = burst.source.and_then(|source| self.replica.local(source));
            let details = burst.details.as_deref().and_then(|bytes| CueDetails::from_bytes(bytes).ok());
            let details = details.filter(|details| details.is_known(self.simulation.catalog()));
            self.events.push_back(ClientEvent::CueExecuted {
                controller,
                details: details.map(|details| {
                    Arc::new(self.complete_details(details, controller, source, burst.location))
                }),
                source,
                cue: burst.cue,
                magnitude: burst.magnitude.into(),
                level: burst.level.into(),
                location: burst.location,
            });
        }
    }
}

impl Client {
    /// Adds facts to the context of a cue that the client has itself: source, place, and tags of source and target.
    fn complete_details(
        &self,
        mut details: CueDetails,
        target: ControllerId,
        source: Option<ControllerId>,
        location: Option<Vector3>,
    ) -> CueDetails {
        details.instigator = source;
        // The place is known even where the origin is not shown.
        if details.hit.is_none() {
            details.origin = details.origin.or(location);
        }
        Replicated { simulation: &self.simulation, replica: &self.replica }.add_tags(&mut details, target);
        details
    }
}

/// Checks that no more targets are named than the server accepts.
fn check_number(targets: &TargetData, most: usize) -> Result<(), ActError> {
    if targets.len() > most { Err(ActError::TooManyTargets(most)) } else { Ok(()) }
}

/// Checks that the name of an input is short enough for the wire ([`MAX_INPUT_NAME`]).
fn check_input_name(input: InputId) -> Result<InputId, ActError> {
    match input.as_str().len() <= MAX_INPUT_NAME {
        true => Ok(input),
        false => Err(ActError::Malformed("the name of an input has at most 64 bytes on the wire")),
    }
}

/// Translates the handles of targets; `None` if one has no counterpart.
fn translate(targets: &TargetData, map: impl Fn(ControllerId) -> Option<ControllerId>) -> Option<TargetData> {
    let one = |target: &Target| {
        Some(match target {
            Target::Controller(controller) => Target::Controller(map(*controller)?),
            Target::Hit { controller, hit } => {
                let controller = match controller {
                    Some(controller) => Some(map(*controller)?),
                    None => None,
                };
                Target::Hit { controller, hit: *hit }
            }
            Target::Location(_) | Target::Custom(_) => target.clone(),
        })
    };
    targets.iter().map(one).collect()
}

/// Translates the handles of an event; a controller without counterpart is left out.
fn translate_event(
    event: GameplayEvent,
    map: impl Fn(ControllerId) -> Option<ControllerId>,
) -> GameplayEvent {
    let (instigator, target) = (event.instigator.and_then(&map), event.target.and_then(&map));
    let details = event.details.as_ref().map(|details| {
        let mut details = (**details).clone();
        details.target_data = translate(&details.target_data, &map).unwrap_or_default();
        Arc::new(details)
    });
    GameplayEvent { instigator, target, details, ..event }
}
