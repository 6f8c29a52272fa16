//! Commands of clients: checks (§13.7) and execution.
//!
//! Checks of an activation, in order: grant and owner, network policy, visibility of the targets, requirements, reach.

use smallvec::SmallVec;
use ugas_core::ability::{AbilityDef, GameplayEvent, NetExecution, NetSecurity};
use ugas_core::command::{Command, CommandError, Outcome};
use ugas_core::effect::PredictionKey;
use ugas_core::handle::{ActivationId, ControllerId, GrantedAbilityId, TaskId};
use ugas_core::input::InputId;
use ugas_core::replica::PieceKey;
use ugas_core::simulation::{ActivationRequest, Simulation};
use ugas_core::targeting::TargetData;
use ugas_core::task::TaskOutcome;
use ugas_core::time::Span;

use super::kick::Denied;
use super::session::{Session, key};
use super::{AfterDeadline, Host, PeerId, Server, ServerEvent};
use crate::clock::SPARE_TICKS;
use crate::message::{ActivationRef, CommandOutcome, NetCommand, Rejection};
use crate::schedule::ActorClass;
use crate::tick::Tick;

impl<H: Host> Server<H> {
    /// Ends overdue waits for clients, then runs the commands that are due in this tick, in the order in
    /// which clients joined. Called once a tick, before time advances.
    pub(super) fn run_commands(&mut self) {
        self.expire_client_tasks();
        let mut by_joining = core::mem::take(&mut self.by_joining);
        by_joining.extend(self.sessions.values().map(|session| (session.client, session.peer)));
        by_joining.sort_unstable();
        for (_, peer) in by_joining.drain(..) {
            while let Some(session) = self.sessions.get_mut(&peer)
                && let Some((tick, frame)) = session.inbound.next_due_frame(self.tick)
            {
                // A command that is stamped ahead waits for its tick, and that wait does not look further back; an
                // unmodified client stamps its commands a little ahead.
                let round_trip = session.acks.round_trip.unwrap_or(Span::ZERO);
                let interval = self.schedule.interval(ActorClass::Player, round_trip);
                let arrival = self.tick.before(1 + SPARE_TICKS);
                let oldest = session.acks.oldest_seen(arrival, self.config.length, interval);
                session.inbound.seen = frame.seen.max(oldest);
                self.run_frame(peer, tick, frame.commands);
            }
        }
        self.by_joining = by_joining;
    }

    /// Runs the commands of a frame one by one and records the outcome of each. A frame that came late runs
    /// now: its outcomes are [`CommandOutcome::Shifted`] by the ticks it is late.
    fn run_frame(&mut self, peer: PeerId, tick: Tick, commands: Vec<NetCommand>) {
        let shift = u8::try_from(self.tick.since(tick).max(0)).unwrap_or(u8::MAX);
        for (sequence, command) in commands.into_iter().enumerate() {
            let key = key(tick, sequence);
            let ran = self.run_command(peer, key, command);
            let outcome = match ran {
                Ok(()) if shift == 0 => CommandOutcome::Done,
                Ok(()) => CommandOutcome::Shifted(shift),
                Err(denied) => CommandOutcome::Rejected(denied.rejection),
            };
            self.record_outcome(peer, key, outcome);
            if let Err(Denied { rejection, is_forged: true }) = ran {
                self.note_forged(peer, rejection);
            }
        }
    }

    /// Checks one command of a client and executes it; an error means that it did not run, or had nothing to
    /// act on. Activations begun by a command are remembered under its key, so that later commands can name
    /// them.
    fn run_command(&mut self, peer: PeerId, key: PredictionKey, command: NetCommand) -> Result<(), Denied> {
        match command {
            NetCommand::Activate { ability, targets, event } => {
                self.activate(peer, key, ability, targets, event)
            }
            NetCommand::End(run) => {
                let run = self.own_activation(peer, run)?;
                self.may_end(run)?;
                Ok(done(self.predicting(key, Command::End(run)))?)
            }
            NetCommand::Cancel(run) => {
                let run = self.own_activation(peer, run)?;
                self.may_end(run)?;
                Ok(done(self.predicting(key, Command::Cancel(run)))?)
            }
            NetCommand::Confirm(controller) => {
                self.own(peer, controller)?;
                let confirmed = self.predicting(key, Command::Confirm(controller));
                confirmed.map(drop).map_err(|_| Rejection::NotOwner.into())
            }
            NetCommand::Decline(controller) => {
                self.own(peer, controller)?;
                self.may_decline(controller)?;
                let declined = self.predicting(key, Command::Decline(controller));
                declined.map(drop).map_err(|_| Rejection::NotOwner.into())
            }
            NetCommand::Press { controller, input, targets } => {
                self.own(peer, controller)?;
                self.may_press(controller, &input)?;
                self.may_press_on(peer, controller, &input, &targets)?;
                let before = self.newest_activation(controller);
                let command = match targets.is_empty() {
                    true => Command::Press { controller, input },
                    false => Command::PressAt { controller, input, targets },
                };
                let pressed = self.predicting(key, command);
                pressed.map_err(|_| Rejection::TooMany)?;
                if let Some(run) = self.newest_activation(controller).filter(|run| Some(*run) != before)
                    && let Some(session) = self.sessions.get_mut(&peer)
                {
                    session.inbound.remember_activation(key, run);
                }
                Ok(())
            }
            NetCommand::Release { controller, input } => {
                self.own(peer, controller)?;
                let released = self.predicting(key, Command::Release { controller, input });
                released.map(drop).map_err(|_| Rejection::NotOwner.into())
            }
            NetCommand::Targets { run, branch, targets } => {
                let run = self.own_activation(peer, run)?;
                let task = self.task_of(run, branch).ok_or(Rejection::NothingWaits)?;
                let activation = self.simulation.activation(run).ok_or(Rejection::NotGranted)?;
                let actor = (activation.controller(), activation.ability());
                self.may_provide(peer, actor, task, &targets)?;
                let provided = self.predicting(key, Command::ProvideTargets { task, targets });
                Ok(done(Ok(provided.map_err(|_| Rejection::Malformed)?))?)
            }
            NetCommand::Finish { run, branch, outcome } => {
                let run = self.own_activation(peer, run)?;
                let task = self.task_of(run, branch).ok_or(Rejection::NothingWaits)?;
                // A client reports on its own part, and never that the server's succeeded. A failure ends the
                // activation.
                match outcome {
                    TaskOutcome::Completed if !self.config.trust_host_tasks => {
                        return Err(Rejection::NotAllowed.into());
                    }
                    TaskOutcome::Completed => {}
                    TaskOutcome::Interrupted | TaskOutcome::Cancelled | TaskOutcome::Failed => {
                        self.may_end(run)?;
                    }
                }
                Ok(done(self.predicting(key, Command::CompleteTask { task, outcome }))?)
            }
        }
    }

    /// Checks an activation (§13.7) and executes it. Remembers the activation under the prediction key, so
    /// that later commands can name it before the client knows its handle.
    fn activate(
        &mut self,
        peer: PeerId,
        key: PredictionKey,
        handle: GrantedAbilityId,
        targets: TargetData,
        event: Option<GameplayEvent>,
    ) -> Result<(), Denied> {
        // 1. Instigator authority. 2. Ability ownership. Whether somebody else has it is not revealed.
        let granted = self.simulation.ability(handle).ok_or(Rejection::NotGranted)?;
        let (controller, ability) = (granted.controller(), granted.ability());
        self.own_piece(peer, controller, PieceKey::Ability(handle))?;
        let definition = self.catalog().ability_by_id(ability).ok_or(Rejection::NotGranted)?.def();
        if definition.net_execution == NetExecution::LocalOnly || !definition.net_security.client_may_begin()
        {
            return Err(Denied::forged(Rejection::NotAllowed));
        }
        if event.is_some() && !self.config.trust_events {
            return Err(Rejection::NotAllowed.into());
        }
        // A triggered ability without an input cannot be activated by a client.
        let answers_only = !definition.triggers.is_empty() && granted.input().is_none();
        if answers_only && !(event.is_some() && self.config.trust_events) {
            return Err(Rejection::NotAllowed.into());
        }
        // Visibility before requirements and reach, whose answers would reveal a target that the client does not see.
        let named = event.iter().flat_map(|event| [event.instigator, event.target]).flatten();
        let carried = event.iter().filter_map(|event| event.target_data()).flat_map(TargetData::controllers);
        self.sees(peer, ability, targets.controllers().chain(named).chain(carried))?;
        // Cost, cooldown and tags at the present tick: that of the frame, or a later one if the frame came late.
        let mut request = ActivationRequest::on(targets).predicted(key);
        request.event = event;
        let judged = ActivationRequest::on(request.targets.clone()).in_range();
        if !self.simulation.is_ready_with(handle, &judged) {
            return Err(Rejection::NotActivated.into());
        }
        self.accepts(ability, &request.targets).map_err(|_| Rejection::NotActivated)?;
        // 4. Clients never name effects: the ability's definition does.
        // 3. Target reachability, last because it may look into the past.
        self.may_activate_on(peer, handle, &request.targets)?;
        if let Some(event) = &request.event {
            self.may_trigger(peer, handle, event)?;
        }
        // The request has the key of the prediction.
        let command = Box::new(Command::Activate { ability: handle, request: Box::new(request) });
        let activated = self.execute(Command::FromClient { key: None, reached: Some(handle), command });
        let Ok(Outcome::Activated(run)) = activated else {
            return Err(Rejection::NotActivated.into());
        };
        if let Some(session) = self.sessions.get_mut(&peer) {
            session.inbound.remember_activation(key, run);
        }
        Ok(())
    }

    /// Executes a client's command under its prediction key, as [`Simulation::predicting`] does, through the
    /// host's recorder.
    fn predicting(&mut self, key: PredictionKey, command: Command) -> Result<Outcome, CommandError> {
        self.execute(Command::FromClient { key: Some(key), reached: None, command: Box::new(command) })
    }

    /// Checks that the client owns a controller; otherwise [`Rejection::NotOwner`].
    fn own(&self, peer: PeerId, controller: ControllerId) -> Result<(), Denied> {
        let session = self.sessions.get(&peer).ok_or(Rejection::NotOwner)?;
        match session.owned.contains(&controller) {
            true => Ok(()),
            false => Err(self.denied_foreign(peer, Rejection::NotOwner)),
        }
    }

    /// Checks that the client owns the controller of an ability or activation; otherwise [`Rejection::NotGranted`].
    /// Whether somebody else has one that the client was not shown is not revealed, by the count of forged commands
    /// neither.
    fn own_piece(&self, peer: PeerId, controller: ControllerId, piece: PieceKey) -> Result<(), Denied> {
        self.own(peer, controller).map_err(|denied| Denied {
            rejection: Rejection::NotGranted,
            is_forged: denied.is_forged && self.is_shown(peer, controller, piece),
        })
    }

    /// Whether a piece of a controller was sent to a client.
    fn is_shown(&self, peer: PeerId, controller: ControllerId, piece: PieceKey) -> bool {
        let session = self.sessions.get(&peer);
        let view = session.and_then(|session| session.outbound.views.get(&controller));
        view.filter(|view| !view.leaving).is_some_and(|view| {
            let shared = self.versioned_views.get(&(controller, view.visibility));
            shared.is_some_and(|shared| shared.has(piece, view.sent))
        })
    }

    /// Resolves a running activation of one of the client's own controllers, named by handle or by the key
    /// of the command that began it. [`Rejection::NotGranted`] if it is over, forgotten or somebody else's.
    fn own_activation(&self, peer: PeerId, run: ActivationRef) -> Result<ActivationId, Denied> {
        let session: &Session = self.sessions.get(&peer).ok_or(Rejection::NotOwner)?;
        let run = match run {
            ActivationRef::Known(run) => run,
            ActivationRef::Begun(key) => {
                let begun = session.inbound.activations.iter().rev().find(|(known, _)| *known == key);
                begun.ok_or(Rejection::NotGranted)?.1
            }
        };
        let activation = self.simulation.activation(run).ok_or(Rejection::NotGranted)?;
        self.own_piece(peer, activation.controller(), PieceKey::Activation(run))?;
        Ok(run)
    }

    /// Checks that a client may end an activation of its controller; otherwise [`Rejection::NotAllowed`].
    ///
    /// An activation belongs to the side that began it. A client may end those of its commands if
    /// `NetSecurity` says so or, by default, if the ability is predicted. It may end others only if
    /// `NetSecurity` says so, and never passive and triggered ones.
    fn may_end(&self, run: ActivationId) -> Result<(), Denied> {
        let activation = self.simulation.activation(run).ok_or(Rejection::NotGranted)?;
        let ability = self.catalog().ability_by_id(activation.ability()).ok_or(Rejection::NotGranted)?;
        let AbilityDef { net_security, net_execution, triggers, activate_on_grant, .. } = ability.def();
        let starts_itself = !triggers.is_empty() || *activate_on_grant;
        let has_input =
            self.simulation.ability(activation.granted()).is_some_and(|granted| granted.input().is_some());
        // An activation that a press began has a dependent key, like one that a trigger began.
        let is_clients = match activation.prediction() {
            Some(key) => !key.is_dependent() || has_input && !starts_itself,
            None => false,
        };
        let is_shared = *net_security != NetSecurity::ByExecution && !starts_itself;
        match net_security.client_may_end(*net_execution) {
            true if is_clients || is_shared => Ok(()),
            // A client cannot always tell who began it.
            true => Err(Rejection::NotAllowed.into()),
            false => Err(Denied::forged(Rejection::NotAllowed)),
        }
    }

    /// Rejects an input if any granted ability bound to it may not be begun by a client: a press, also a
    /// buffered one, could activate it.
    fn may_press(&self, controller: ControllerId, input: &InputId) -> Result<(), Rejection> {
        let known = self.simulation.controller(controller).ok_or(Rejection::NotOwner)?;
        let is_guarded = |handle: &GrantedAbilityId| {
            let granted = self.simulation.ability(*handle).filter(|granted| granted.input() == Some(input));
            let ability = granted.and_then(|granted| self.catalog().ability_by_id(granted.ability()));
            ability.is_some_and(|ability| !ability.def().net_security.client_may_begin())
        };
        if known.abilities().iter().any(is_guarded) { Err(Rejection::NotAllowed) } else { Ok(()) }
    }

    /// Checks the targets of a press for every ability that it could activate, as those of an activation.
    fn may_press_on(
        &self,
        peer: PeerId,
        controller: ControllerId,
        input: &InputId,
        targets: &TargetData,
    ) -> Result<(), Denied> {
        if targets.is_empty() {
            return Ok(());
        }
        let known = self.simulation.controller(controller).ok_or(Rejection::NotOwner)?;
        for handle in known.abilities() {
            let granted = self.simulation.ability(*handle).filter(|granted| granted.input() == Some(input));
            if let Some(granted) = granted {
                self.sees(peer, granted.ability(), targets.controllers())?;
                self.accepts(granted.ability(), targets)?;
                self.may_activate_on(peer, *handle, targets)?;
            }
        }
        Ok(())
    }

    /// The activation that the controller began last; compared before and after a press, it shows whether
    /// the press began one.
    fn newest_activation(&self, controller: ControllerId) -> Option<ActivationId> {
        self.simulation.controller(controller)?.activations().last().copied()
    }

    /// The running task in a branch of an activation; `None` if the branch has none.
    fn task_of(&self, run: ActivationId, branch: u32) -> Option<TaskId> {
        let activation = self.simulation.activation(run)?;
        activation
            .tasks()
            .find(|task| self.simulation.task(*task).is_some_and(|task| task.branch() == branch))
    }

    /// Whether a client may decline. The server asks, so a client may answer whoever began the activation,
    /// unless `NetSecurity` lets only the server end it.
    fn may_decline(&self, controller: ControllerId) -> Result<(), Denied> {
        for task in
            self.simulation.tasks_of(controller).filter(|task| waits_for_answer(&self.simulation, *task))
        {
            let run = self.simulation.task(task).ok_or(Rejection::NothingWaits)?.activation();
            let activation = self.simulation.activation(run).ok_or(Rejection::NothingWaits)?;
            let ability = self.catalog().ability_by_id(activation.ability());
            let security = ability.ok_or(Rejection::NotGranted)?.def().net_security;
            if matches!(security, NetSecurity::ServerOnly | NetSecurity::ServerOnlyTermination) {
                return Err(Rejection::NotAllowed.into());
            }
        }
        Ok(())
    }

    /// Ends waits for clients that exceed the deadline, so that a lag switch gains nothing: provides targets
    /// or cancels the activation, as the host's policy says, and emits [`ServerEvent::Overdue`]. Covers
    /// controllers with an owner, and those that lost theirs while a task waited.
    fn expire_client_tasks(&mut self) {
        let limit = self.config.client_deadline;
        let now = self.simulation.now();
        let (simulation, trusts_hosts) = (&self.simulation, self.config.trust_host_tasks);
        let waits = |task: TaskId| {
            waits_for_answer(simulation, task) || trusts_hosts && simulation.is_host_task(task)
        };
        // Tasks of clients that left keep their deadline.
        self.orphaned.retain(|controller| simulation.tasks_of(*controller).any(waits));
        let mut overdue: SmallVec<[TaskId; 4]> = SmallVec::new();
        for controller in self.owners.keys().chain(&self.orphaned) {
            for task in simulation.tasks_of(*controller).filter(|task| waits(*task)) {
                let Some(running) = simulation.task(task) else { continue };
                if now.since(running.started()) >= limit {
                    overdue.push(task);
                }
            }
        }
        for task in overdue {
            let Some(run) = self.simulation.task(task).map(|task| task.activation()) else { continue };
            let policy = self.host.after_deadline(&self.simulation, task, self.config.after_deadline);
            let began_with = || self.simulation.activation(run).map(|run| run.targets().clone());
            let targets = match policy {
                _ if !waits_for_targets(&self.simulation, task) => None,
                AfterDeadline::Cancel => None,
                AfterDeadline::Generate => self.simulation.preview_targets(task),
                AfterDeadline::Default => began_with(),
            };
            let is_given = targets.is_some_and(|targets| {
                self.execute(Command::ProvideTargets { task, targets }) == Ok(Outcome::Done)
            });
            if !is_given {
                // It may be over already.
                let _ = self.execute(Command::Cancel(run));
            }
            self.events.push_back(ServerEvent::Overdue { task });
        }
    }
}

/// Result of a command that must have had something to act on: [`Rejection::NothingWaits`] if it did nothing
/// or failed.
fn done(outcome: Result<Outcome, CommandError>) -> Result<(), Rejection> {
    match outcome {
        Ok(Outcome::Nothing) | Err(_) => Err(Rejection::NothingWaits),
        Ok(_) => Ok(()),
    }
}

/// Whether a task is a `WaitTargetData`; only such a task accepts targets from a client.
fn waits_for_targets(simulation: &Simulation, task: TaskId) -> bool {
    simulation.task_kind(task) == Some("WaitTargetData")
}

/// Whether a task waits for targets, or for the player to confirm or cancel.
fn waits_for_answer(simulation: &Simulation, task: TaskId) -> bool {
    waits_for_targets(simulation, task) || simulation.task_kind(task) == Some("WaitConfirmCancel")
}
