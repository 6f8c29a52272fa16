//! What the player does.
//!
//! Everything is checked here as far as it can be, takes effect in the next tick, and is sent then. Handles are those of
//! the client's own simulation; on the wire they are the server's.

use std::sync::Arc;

use ugas_core::ability::{ActivationRefusal, GameplayEvent, NetExecution};
use ugas_core::effect::{PredictionKey, Vector3};
use ugas_core::event::CueDetails;
use ugas_core::handle::{AbilityHandle, ActivationId, ControllerId, TaskId};
use ugas_core::input::InputId;
use ugas_core::simulation::ActivationRequest;
use ugas_core::targeting::{Target, TargetData};
use ugas_core::task::TaskOutcome;

use super::local::is_local;
use super::shown::Replicated;
use super::{Client, ClientEvent, MOST_UNPLACED, Prediction};
use crate::limits::{MAX_COMMANDS, MAX_INPUT_NAME, MAX_TARGETS};
use crate::message::{Ack, Burst, CommandFrame, Frames, NetCommand, PacketId, RunRef, ToServer};
use crate::wire::{EncodeError, encode_to_server, settle};

/// Why the player cannot do something.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ActError {
    /// There is no session.
    #[error("there is no session: wait for `Connected`")]
    NotPlaying,
    /// The controller is not the client's own.
    #[error("{0:?} is not the client's own")]
    NotOwn(ControllerId),
    /// The ability runs on this machine only.
    #[error("the ability runs on this machine only: use `activate_local`")]
    LocalOnly,
    /// The ability does not run on this machine only.
    #[error("the ability does not run on this machine only: use `activate`")]
    NotLocal,
    /// The server does not know of it: it is gone, or was never there.
    #[error("the server does not know of it: it is gone, or was never there")]
    Unknown,
    /// The ability cannot be activated now.
    #[error(transparent)]
    Refused(Box<ActivationRefusal>),
    /// More commands than a tick has room for.
    #[error("a tick has room for {MAX_COMMANDS} commands: wait for the next one")]
    TooMany,
    /// It cannot be sent: the commands of a tick do not fit into a datagram, or something is not as the wire has it.
    #[error(transparent)]
    Unsendable(EncodeError),
    /// A number is not finite, or something is too long for the wire.
    #[error("{0}")]
    Malformed(&'static str),
}

impl Client {
    /// Activates an ability. One that is predicted is checked here first.
    ///
    /// # Errors
    /// Why not; nothing is sent then.
    pub fn activate(
        &mut self,
        ability: AbilityHandle,
        request: ActivationRequest,
    ) -> Result<PredictionKey, ActError> {
        let granted = self.simulation.ability(ability).ok_or(ActError::Unknown)?;
        self.check_own(granted.controller())?;
        let definition = self.catalog().ability_by_id(granted.ability()).ok_or(ActError::Unknown)?.def();
        if definition.net_execution == NetExecution::LocalOnly {
            return Err(ActError::LocalOnly);
        }
        let is_predicted = definition.net_execution == NetExecution::LocalPredicted;
        if is_predicted && self.config.prediction == Prediction::On {
            let checked = self.simulation.can_activate_on(ability, request.targets.clone());
            checked.map_err(|refusal| ActError::Refused(Box::new(refusal)))?;
        }
        let remote = self.mirror.remote(ability).ok_or(ActError::Unknown)?;
        let targets = self.to_remote(&request.targets)?;
        let event = request.event.map(|event| translate_event(event, |id| self.mirror.remote(id)));
        self.queue(NetCommand::Activate { ability: remote, targets, event })
    }

    /// Activates an ability that runs on this machine only (`NetExecution: LocalOnly`), on a copy of the world:
    /// [`Client::local_simulation`]. The run is one of that copy. Nothing is sent.
    ///
    /// # Errors
    /// Why not.
    pub fn activate_local(
        &mut self,
        ability: AbilityHandle,
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

    /// Cancels a run of an ability that runs on this machine only. False if it is over.
    pub fn cancel_local(&mut self, run: ActivationId) -> bool {
        self.stage.simulation_mut().is_some_and(|stage| stage.cancel(run))
    }

    /// Ends a run.
    ///
    /// # Errors
    /// Why not; nothing is sent then.
    pub fn end_run(&mut self, run: ActivationId) -> Result<PredictionKey, ActError> {
        let run = self.run_ref(run)?;
        self.queue(NetCommand::End(run))
    }

    /// Cancels a run.
    ///
    /// # Errors
    /// Why not; nothing is sent then.
    pub fn cancel_run(&mut self, run: ActivationId) -> Result<PredictionKey, ActError> {
        let run = self.run_ref(run)?;
        self.queue(NetCommand::Cancel(run))
    }

    /// Ends the run that a command begins, also one of this very tick: so activation, [targets](Self::target_begun) and
    /// end travel in one frame.
    ///
    /// # Errors
    /// Why not; nothing is sent then.
    pub fn end_begun(&mut self, begun: PredictionKey) -> Result<PredictionKey, ActError> {
        self.check_begun(begun)?;
        self.queue(NetCommand::End(RunRef::Begun(begun)))
    }

    /// Gives targets to the first branch of the run that a command begins, also one of this very tick.
    ///
    /// # Errors
    /// Why not; nothing is sent then.
    pub fn target_begun(
        &mut self,
        begun: PredictionKey,
        targets: &TargetData,
    ) -> Result<PredictionKey, ActError> {
        self.check_begun(begun)?;
        let targets = self.to_remote(targets)?;
        self.queue(NetCommand::Targets { run: RunRef::Begun(begun), thread: 0, targets })
    }

    /// Presses an input.
    ///
    /// # Errors
    /// Why not; nothing is sent then.
    pub fn press(
        &mut self,
        controller: ControllerId,
        input: impl Into<InputId>,
    ) -> Result<PredictionKey, ActError> {
        let (remote, input) = (self.own_remote(controller)?, checked_input(input.into())?);
        self.press_local(controller, &input);
        self.queue(NetCommand::Press { controller: remote, input })
    }

    /// Releases an input.
    ///
    /// # Errors
    /// Why not; nothing is sent then.
    pub fn release(
        &mut self,
        controller: ControllerId,
        input: impl Into<InputId>,
    ) -> Result<PredictionKey, ActError> {
        let (controller, input) = (self.own_remote(controller)?, checked_input(input.into())?);
        self.queue(NetCommand::Release { controller, input })
    }

    /// Confirms what waits for it.
    ///
    /// # Errors
    /// Why not; nothing is sent then.
    pub fn confirm(&mut self, controller: ControllerId) -> Result<PredictionKey, ActError> {
        let controller = self.own_remote(controller)?;
        self.queue(NetCommand::Confirm(controller))
    }

    /// Declines what waits for a confirmation.
    ///
    /// # Errors
    /// Why not; nothing is sent then.
    pub fn decline(&mut self, controller: ControllerId) -> Result<PredictionKey, ActError> {
        let controller = self.own_remote(controller)?;
        self.queue(NetCommand::Decline(controller))
    }

    /// Gives targets to a task that waits for them.
    ///
    /// # Errors
    /// Why not; nothing is sent then.
    pub fn provide_targets(&mut self, task: TaskId, targets: &TargetData) -> Result<PredictionKey, ActError> {
        let (run, thread) = self.branch_of(task)?;
        let targets = self.to_remote(targets)?;
        self.queue(NetCommand::Targets { run, thread, targets })
    }

    /// Says how a task that the host carries out went.
    ///
    /// # Errors
    /// Why not; nothing is sent then.
    pub fn complete_task(&mut self, task: TaskId, outcome: TaskOutcome) -> Result<PredictionKey, ActError> {
        let (run, thread) = self.branch_of(task)?;
        self.queue(NetCommand::Finish { run, thread, outcome })
    }

    /// Begins what is bound to an input and runs on this machine only. The server is told of the press all the same: other
    /// abilities may be bound to it.
    fn press_local(&mut self, controller: ControllerId, input: &InputId) {
        let Some(known) = self.simulation.controller(controller) else { return };
        let is_bound = |ability: &AbilityHandle| {
            let granted = self.simulation.ability(*ability);
            granted.is_some_and(|granted| granted.input() == Some(input))
                && is_local(&self.simulation, *ability)
        };
        let bound: Vec<AbilityHandle> = known.abilities().iter().copied().filter(is_bound).collect();
        for ability in bound {
            // One that cannot be activated now is as any other press that comes to nothing.
            let _ = self.stage.activate(&self.simulation, ability, ActivationRequest::default());
        }
    }

    fn queue(&mut self, mut command: NetCommand) -> Result<PredictionKey, ActError> {
        if !self.is_playing() || self.base.is_none() {
            return Err(ActError::NotPlaying);
        }
        if self.next.len() >= MAX_COMMANDS {
            return Err(ActError::TooMany);
        }
        let key = PredictionKey::new(self.tick.next().0, self.next.len() as u16);
        // What is predicted is what the server reads: places in single precision.
        settle(&mut command);
        self.next.push(command);
        if let Err(error) = self.check_next() {
            self.next.pop();
            return Err(ActError::Unsendable(error));
        }
        Ok(key)
    }

    /// Whether what the player does in the next tick fits into a datagram, whatever else that says.
    fn check_next(&self) -> Result<(), EncodeError> {
        let tick = self.tick.next();
        let packet = PacketId(u32::MAX);
        let ack = Ack { newest: packet, earlier: 0 };
        let frames = vec![CommandFrame { tick, commands: self.next.clone() }];
        encode_to_server(&self.dictionary, &ToServer::Frames(Frames { packet, ack, now: tick, frames }))?;
        Ok(())
    }

    fn check_own(&self, controller: ControllerId) -> Result<(), ActError> {
        let remote = self.mirror.remote(controller).ok_or(ActError::Unknown)?;
        self.inbox.is_own(remote).then_some(()).ok_or(ActError::NotOwn(controller))
    }

    fn own_remote(&self, controller: ControllerId) -> Result<ControllerId, ActError> {
        self.check_own(controller)?;
        self.mirror.remote(controller).ok_or(ActError::Unknown)
    }

    /// A run as the server knows it, or by the command that began it.
    fn run_ref(&self, run: ActivationId) -> Result<RunRef, ActError> {
        let activation = self.simulation.activation(run).ok_or(ActError::Unknown)?;
        self.check_own(activation.controller())?;
        match (self.mirror.remote(run), activation.prediction()) {
            (Some(remote), _) => Ok(RunRef::Known(remote)),
            (None, Some(key)) => Ok(RunRef::Begun(key)),
            (None, None) => Err(ActError::Unknown),
        }
    }

    /// Whether a command that begins a run was given for the next tick, or has begun one.
    fn check_begun(&self, begun: PredictionKey) -> Result<(), ActError> {
        let is_next = begun.tick() == self.tick.next().0
            && matches!(self.next.get(usize::from(begun.sequence())), Some(NetCommand::Activate { .. }));
        (is_next || self.run_of(begun).is_some()).then_some(()).ok_or(ActError::Unknown)
    }

    fn branch_of(&self, task: TaskId) -> Result<(RunRef, u32), ActError> {
        let running = self.simulation.task(task).ok_or(ActError::Unknown)?;
        Ok((self.run_ref(running.activation())?, running.thread()))
    }

    fn to_remote(&self, targets: &TargetData) -> Result<TargetData, ActError> {
        if targets.len() > MAX_TARGETS {
            return Err(ActError::Malformed("a command has room for 32 targets"));
        }
        if targets.check().is_err() {
            return Err(ActError::Malformed("a position is not finite"));
        }
        translate(targets, |controller| self.mirror.remote(controller)).ok_or(ActError::Unknown)
    }

    /// Does in the client's own simulation what the server will be asked to do.
    pub(super) fn predict(&mut self, key: PredictionKey, command: &NetCommand) {
        if self.withdrawn.contains(&key) {
            return;
        }
        match command {
            NetCommand::Activate { ability, targets, event } => {
                let local = self.mirror.local(*ability);
                let targets = translate(targets, |controller| self.mirror.local(controller));
                let (Some(ability), Some(targets)) = (local, targets) else { return };
                let event = event.clone().map(|event| translate_event(event, |id| self.mirror.local(id)));
                let mut request = ActivationRequest::on(targets).predicted(key);
                request.event = event;
                // Refused here, it may still be carried out there: then the server's state shows it.
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
                if let Some(controller) = self.mirror.local(*controller) {
                    let _ = self.simulation.predicting(key, |sim| sim.confirm(controller));
                }
            }
            NetCommand::Decline(controller) => {
                if let Some(controller) = self.mirror.local(*controller) {
                    let _ = self.simulation.predicting(key, |sim| sim.decline(controller));
                }
            }
            NetCommand::Press { controller, input } => {
                if let Some(controller) = self.mirror.local(*controller) {
                    let _ = self.simulation.predicting(key, |sim| sim.press(controller, input.clone()));
                }
            }
            NetCommand::Release { controller, input } => {
                if let Some(controller) = self.mirror.local(*controller) {
                    let _ = self.simulation.predicting(key, |sim| sim.release(controller, input.clone()));
                }
            }
            NetCommand::Targets { run, thread, targets } => {
                let targets = translate(targets, |controller| self.mirror.local(controller));
                if let (Some(task), Some(targets)) = (self.local_task(*run, *thread), targets) {
                    let _ = self.simulation.predicting(key, |sim| sim.provide_targets(task, targets));
                }
            }
            NetCommand::Finish { run, thread, outcome } => {
                if let Some(task) = self.local_task(*run, *thread) {
                    self.simulation.predicting(key, |sim| sim.complete_task(task, *outcome));
                }
            }
        }
    }

    pub(super) fn local_run(&self, run: RunRef) -> Option<ActivationId> {
        match run {
            RunRef::Known(run) => self.mirror.local(run),
            RunRef::Begun(key) => self.own_controllers().find_map(|controller| {
                let is_begun = |run: &ActivationId| {
                    self.simulation.activation(*run).is_some_and(|run| run.prediction() == Some(key))
                };
                self.simulation.controller(controller)?.activations().iter().copied().rfind(is_begun)
            }),
        }
    }

    fn local_task(&self, run: RunRef, thread: u32) -> Option<TaskId> {
        let activation = self.simulation.activation(self.local_run(run)?)?;
        activation
            .tasks()
            .find(|task| self.simulation.task(*task).is_some_and(|task| task.thread() == thread))
    }

    /// The server tells of a cue that flashed.
    pub(super) fn flash(&mut self, burst: Burst) {
        let Some(controller) = self.mirror.local(burst.controller) else {
            // It may have come with the same datagram.
            if self.unplaced.len() < MOST_UNPLACED {
                self.unplaced.push(burst);
            }
            return;
        };
        if self.impulses.is_news(&burst, controller) {
            let source = burst.source.and_then(|source| self.mirror.local(source));
            let details = burst.details.as_deref().and_then(|bytes| CueDetails::from_bytes(bytes).ok());
            let details = details.filter(|details| details.is_known(self.simulation.catalog()));
            self.events.push_back(ClientEvent::CueFlashed {
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
        Replicated { simulation: &self.simulation, mirror: &self.mirror }.add_tags(&mut details, target);
        details
    }
}

fn checked_input(input: InputId) -> Result<InputId, ActError> {
    match input.as_str().len() <= MAX_INPUT_NAME {
        true => Ok(input),
        false => Err(ActError::Malformed("the name of an input has at most 64 bytes on the wire")),
    }
}

/// Targets with other handles; `None` if one has no counterpart.
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
    targets.iter().map(one).collect::<Option<_>>().map(TargetData)
}

/// An event with other handles; who has no counterpart is left out.
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
