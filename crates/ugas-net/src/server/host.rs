//! Decisions that the server leaves to the game.

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

/// A client's request to act on a target, for [`Host::reaches`].
#[derive(Clone, Copy, Debug)]
pub struct Reach<'a> {
    /// The client.
    pub client: ClientId,
    /// The controller that acts.
    pub instigator: ControllerId,
    /// The target.
    pub target: &'a Target,
    /// The smaller of the ranges of the ability and of the targeting that waits for targets; `None` if
    /// neither has one.
    pub range: Option<f64>,
    /// The newest tick that the client had received when it acted: look up positions of others there.
    pub seen: Tick,
}

/// Decision about a client whose command was rejected.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum AfterRejection {
    /// The session goes on.
    #[default]
    Keep,
    /// The session ends.
    Kick,
}

/// Decisions of the game. Each method has a default.
pub trait Host {
    /// Admits or refuses a client. By default everybody is admitted.
    ///
    /// # Errors
    /// The reason of the refusal, which is sent to the client.
    fn admit(&mut self, peer: PeerId, credential: &[u8]) -> Result<(), String> {
        let _ = (peer, credential);
        Ok(())
    }

    /// Update class of a controller for a client that does not own it (§13.6). [`ActorClass::ImportantAi`] by
    /// default.
    fn class(&self, simulation: &Simulation, client: ClientId, controller: ControllerId) -> ActorClass {
        let _ = (simulation, client, controller);
        ActorClass::ImportantAi
    }

    /// Whether a target can be reached (§13.7, 3). By default by distance with a tolerance of a tenth, if
    /// both positions and a range are known: from the present position of the instigator to the target's
    /// position as the client saw it.
    fn reaches(&self, simulation: &Simulation, positions: &Positions, reach: Reach<'_>) -> bool {
        within_range(simulation, positions, reach)
    }

    /// Whether a client may choose these targets together, each of which it sees. By default any number that
    /// fits into a command, but none twice: a target that is named twice is hit twice. Games with pellets, or
    /// with abilities for one target, override it.
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

    /// Policy for a task that waited for a client beyond the deadline. `usual` by default, which is
    /// [`ServerConfig::after_deadline`](super::ServerConfig::after_deadline); a game may decide for each
    /// ability.
    fn after_deadline(&self, simulation: &Simulation, task: TaskId, usual: AfterDeadline) -> AfterDeadline {
        let _ = (simulation, task);
        usual
    }

    /// Called before every command that changes the simulation, those of clients and the passing of time
    /// included: a recorder's `before`. Changes through
    /// [`Server::simulation_mut`](super::Server::simulation_mut) bypass it.
    fn before_command(&mut self, command: &Command) {
        let _ = command;
    }

    /// Called after every such command, also if it failed: a recorder's `after`.
    fn after_command(&mut self, simulation: &Simulation) {
        let _ = simulation;
    }

    /// Called when a command is rejected, and once for all commands of a datagram that are rejected on
    /// arrival for the same reason. `count` is the number of the client's commands rejected for this reason
    /// so far. The returned value keeps the session, which is the default, or ends it.
    fn rejected(&mut self, client: ClientId, rejection: Rejection, count: u32) -> AfterRejection {
        let _ = (client, rejection, count);
        AfterRejection::Keep
    }
}

/// The host with all defaults.
#[derive(Clone, Copy, Debug, Default)]
pub struct Defaults;

impl Host for Defaults {}

/// Whether a target is within the range of an ability, with a tolerance of a tenth; true if the range or a
/// position is unknown. A controller that was out of the world at [`Reach::seen`] is out of range.
pub fn within_range(simulation: &Simulation, positions: &Positions, reach: Reach<'_>) -> bool {
    /// Allows for rounded positions, and for others being seen a little late.
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
    // A client sees others late, but itself without delay: the instigator acts from its present position.
    let (Some(from), Some(to)) = (now(reach.instigator), target) else { return true };
    let squared: f64 = from.iter().zip(to).map(|(from, to)| (from - to) * (from - to)).sum();
    squared <= range * range * TOLERANCE * TOLERANCE
}
