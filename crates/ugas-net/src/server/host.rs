//! What a server asks the game.

use ugas_core::command::Command;
use ugas_core::handle::{ControllerId, TaskId};
use ugas_core::id::AbilityId;
use ugas_core::simulation::Simulation;
use ugas_core::targeting::{Target, TargetData};

use crate::history::Positions;
use crate::message::{ClientId, Rejection};
use crate::schedule::ActorClass;
use crate::server::{AfterDeadline, PeerId};
use crate::tick::Tick;

/// A client's wish to act on a target, for [`Host::reaches`].
#[derive(Clone, Copy, Debug)]
pub struct Reach<'a> {
    /// Who asks.
    pub client: ClientId,
    /// Who acts.
    pub instigator: ControllerId,
    /// On what.
    pub target: &'a Target,
    /// The farthest that the ability goes, or the targeting that waits for targets, whichever is less; if either says so.
    pub range: Option<f64>,
    /// What the client saw when it acted: positions are best looked up there.
    pub seen: Tick,
}

/// What becomes of a client whose command was rejected.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum AfterRejection {
    /// It stays.
    #[default]
    Keep,
    /// It is sent away.
    Kick,
}

/// Decisions that are the game's to make. Each has a default.
pub trait Host {
    /// Lets a client in, or says why not. By default everybody is.
    ///
    /// # Errors
    /// Why not; the client is told.
    fn admit(&mut self, peer: PeerId, credential: &[u8]) -> Result<(), String> {
        let _ = (peer, credential);
        Ok(())
    }

    /// How often a client hears of a controller that is not its own (§13.6). By default like an important one.
    fn class(&self, simulation: &Simulation, client: ClientId, controller: ControllerId) -> ActorClass {
        let _ = (simulation, client, controller);
        ActorClass::ImportantAi
    }

    /// Whether a target can be reached (§13.7, 3). By default by distance, with a tenth to spare, if both positions and a
    /// range are known: from where the one who acts is, to where the target was when the client saw it.
    fn reaches(&self, simulation: &Simulation, positions: &Positions, reach: Reach<'_>) -> bool {
        within_range(simulation, positions, reach)
    }

    /// Whether a client may choose these targets together, each of which it sees. By default as many as fit into a command,
    /// and nobody twice: who is named twice is hit twice. A game with pellets, or with abilities for one target, knows
    /// better.
    fn may_choose(
        &self,
        simulation: &Simulation,
        client: ClientId,
        ability: AbilityId,
        targets: &TargetData,
    ) -> bool {
        let _ = (simulation, client, ability);
        targets
            .controllers()
            .enumerate()
            .all(|(at, id)| targets.controllers().take(at).all(|other| other != id))
    }

    /// What becomes of a task that waited for a client for too long. By default what
    /// [`ServerConfig::after_deadline`](super::ServerConfig::after_deadline) says; a game may say it for each ability.
    fn after_deadline(&self, simulation: &Simulation, task: TaskId, usual: AfterDeadline) -> AfterDeadline {
        let _ = (simulation, task);
        usual
    }

    /// Told of everything that is about to change the game, commands of clients and the passing of time included: a
    /// recorder's `before`. What is done to [`Server::simulation_mut`](super::Server::simulation_mut) goes past it.
    fn before_command(&mut self, command: &Command) {
        let _ = command;
    }

    /// Shown the game after that: a recorder's `after`.
    fn after_command(&mut self, simulation: &Simulation) {
        let _ = simulation;
    }

    /// Told of every rejected command, with how many of this client's were rejected for this reason so far.
    fn rejected(&mut self, client: ClientId, rejection: Rejection, count: u32) -> AfterRejection {
        let _ = (client, rejection, count);
        AfterRejection::Keep
    }
}

/// A game that has no opinion.
#[derive(Clone, Copy, Debug, Default)]
pub struct Defaults;

impl Host for Defaults {}

/// Whether a target is within the range of an ability; true if that cannot be told. Who was taken out of the world is in
/// nobody's range.
pub fn within_range(simulation: &Simulation, positions: &Positions, reach: Reach<'_>) -> bool {
    /// Both sides round positions, and the client sees others a little late.
    const TOLERANCE: f64 = 1.1;

    let Some(range) = reach.range else { return true };
    let now = |controller: ControllerId| {
        simulation.controller(controller)?.placement().map(|placement| placement.position())
    };
    let seen = |controller: ControllerId| positions.at(controller, reach.seen).or_else(|| now(controller));
    if reach.target.controller().is_some_and(|target| positions.is_away(target, reach.seen)) {
        return false;
    }
    let target = reach.target.controller().and_then(seen).or_else(|| reach.target.location());
    // A client sees others late, and itself where it is: who has left a place does not act from there any more.
    let (Some(from), Some(to)) = (now(reach.instigator), target) else { return true };
    let squared: f64 = from.iter().zip(to).map(|(from, to)| (from - to) * (from - to)).sum();
    squared <= range * range * TOLERANCE * TOLERANCE
}
