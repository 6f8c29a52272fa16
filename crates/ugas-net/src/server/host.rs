//! Decisions that the server leaves to the game.

use ugas_core::command::Command;
use ugas_core::effect::Vector3;
use ugas_core::handle::{ControllerId, TaskId};
use ugas_core::id::AbilityId;
use ugas_core::simulation::Simulation;
use ugas_core::targeting::{Target, TargetData};

use crate::history::Positions;
use crate::message::{ClientId, Rejection};
use crate::schedule::ActorClass;
use crate::server::{AfterDeadline, KickReason, PeerId};
use crate::tick::Tick;

/// A client's request to act on a target, for [`Host::reaches`].
#[derive(Clone, Copy, Debug)]
pub struct Reach<'a> {
    /// The client.
    pub client: ClientId,
    /// The controller that acts.
    pub instigator: ControllerId,
    /// The ability that acts.
    pub ability: AbilityId,
    /// The target.
    pub target: &'a Target,
    /// The smaller of the ranges of the ability and of its targeting; `None` if neither has one.
    pub range: Option<f64>,
    /// The newest tick that the client had received when it acted: look up positions of others there.
    pub seen: Tick,
    /// Whether the targeting requires a line of sight.
    pub line_of_sight: bool,
    /// Largest distance by which a place may be off ([`Host::tolerance`]).
    pub tolerance: f64,
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

    /// Lets a client continue its session over another connection, or refuses it. The client has proved that
    /// it has the secret of the session. By default the connection must have the same id as the former one:
    /// with transports that authenticate peers, that is the same player. A transport whose ids are addresses
    /// has to let others in.
    ///
    /// # Errors
    /// The reason of the refusal, which is sent to the client.
    fn readmit(&mut self, peer: PeerId, former: PeerId, client: ClientId) -> Result<(), String> {
        let _ = client;
        if peer == former { Ok(()) } else { Err("the session belongs to another player".to_owned()) }
    }

    /// Update class of a controller for a client that does not own it (§13.6). [`ActorClass::ImportantAi`] by
    /// default.
    fn class(&self, simulation: &Simulation, client: ClientId, controller: ControllerId) -> ActorClass {
        let _ = (simulation, client, controller);
        ActorClass::ImportantAi
    }

    /// Largest distance by which a place that a client names may be off: beyond the range, outside the area
    /// of the targeting, or away from the controller that a hit names. By default a tenth of the range, and
    /// unlimited for an ability without one. Games with large bodies return at least their radius.
    /// [`Reach::tolerance`] is not set yet.
    fn tolerance(&self, simulation: &Simulation, reach: Reach<'_>) -> f64 {
        let _ = simulation;
        reach.range.map_or(f64::INFINITY, |range| range / 10.0)
    }

    /// Whether there is a line of sight from the instigator to a place that a client names: the position of a
    /// controller as the client saw it, the location of a hit, a location. By default the simulation's
    /// [`Space`](ugas_core::targeting::Space) is asked if the targeting requires it.
    fn in_sight(&self, simulation: &Simulation, reach: Reach<'_>, from: Vector3, place: Vector3) -> bool {
        !reach.line_of_sight || simulation.space().line_of_sight(simulation.now(), from, place)
    }

    /// Whether an ability may name controllers that the client does not see, although its
    /// [`TargetingDef::allow_unseen`](ugas_core::targeting::TargetingDef::allow_unseen) does not say so. By default
    /// none may. Areas around a place that the client reaches hit whoever is inside, seen or not.
    fn may_target_unseen(&self, simulation: &Simulation, client: ClientId, ability: AbilityId) -> bool {
        let _ = (simulation, client, ability);
        false
    }

    /// Whether a target can be reached (§13.7, 3). By default [`within_range`]: every place of the target by
    /// its distance from the present position of the instigator, and a hit by its distance from the position
    /// at which the client saw the controller.
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

    /// Called when a client is kicked, before its session ends: a host that bans remembers who it was, and
    /// refuses it in [`Host::admit`].
    fn kicked(&mut self, peer: PeerId, client: ClientId, reason: &KickReason) {
        let _ = (peer, client, reason);
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

/// Forwards every decision to the host in the box, so that the type of a server does not depend on its host.
impl<H: Host + ?Sized> Host for Box<H> {
    fn admit(&mut self, peer: PeerId, credential: &[u8]) -> Result<(), String> {
        (**self).admit(peer, credential)
    }

    fn readmit(&mut self, peer: PeerId, former: PeerId, client: ClientId) -> Result<(), String> {
        (**self).readmit(peer, former, client)
    }

    fn class(&self, simulation: &Simulation, client: ClientId, controller: ControllerId) -> ActorClass {
        (**self).class(simulation, client, controller)
    }

    fn tolerance(&self, simulation: &Simulation, reach: Reach<'_>) -> f64 {
        (**self).tolerance(simulation, reach)
    }

    fn in_sight(&self, simulation: &Simulation, reach: Reach<'_>, from: Vector3, place: Vector3) -> bool {
        (**self).in_sight(simulation, reach, from, place)
    }

    fn may_target_unseen(&self, simulation: &Simulation, client: ClientId, ability: AbilityId) -> bool {
        (**self).may_target_unseen(simulation, client, ability)
    }

    fn reaches(&self, simulation: &Simulation, positions: &Positions, reach: Reach<'_>) -> bool {
        (**self).reaches(simulation, positions, reach)
    }

    fn may_choose(
        &self,
        simulation: &Simulation,
        client: ClientId,
        ability: AbilityId,
        targets: &TargetData,
    ) -> bool {
        (**self).may_choose(simulation, client, ability, targets)
    }

    fn after_deadline(&self, simulation: &Simulation, task: TaskId, usual: AfterDeadline) -> AfterDeadline {
        (**self).after_deadline(simulation, task, usual)
    }

    fn kicked(&mut self, peer: PeerId, client: ClientId, reason: &KickReason) {
        (**self).kicked(peer, client, reason);
    }

    fn before_command(&mut self, command: &Command) {
        (**self).before_command(command);
    }

    fn after_command(&mut self, simulation: &Simulation) {
        (**self).after_command(simulation);
    }

    fn rejected(&mut self, client: ClientId, rejection: Rejection, count: u32) -> AfterRejection {
        (**self).rejected(client, rejection, count)
    }
}

/// Whether every place of a target is within the range of an ability, and a hit on a controller where the
/// client saw it, both with the tolerance of the host. A place that is not known is not judged. A controller
/// that was out of the world at [`Reach::seen`] is out of range.
pub fn within_range(simulation: &Simulation, positions: &Positions, reach: Reach<'_>) -> bool {
    let Reach { target, range, tolerance, .. } = reach;
    if range.is_some() && target.controller().is_some_and(|target| positions.is_away(target, reach.seen)) {
        return false;
    }
    let body = target.controller().and_then(|id| seen_position(simulation, positions, id, reach.seen));
    let location = target.location();
    if body.zip(location).is_some_and(|(body, location)| distance(body, location) > tolerance) {
        return false;
    }
    // A client sees others late, but itself without delay: the instigator acts from its present position.
    let (Some(range), Some(from)) = (range, present_position(simulation, reach.instigator)) else {
        return true;
    };
    [body, location].into_iter().flatten().all(|place| distance(from, place) <= range + tolerance)
}

/// Position of a controller as a client saw it at a tick; the present one if the past is unknown.
pub(super) fn seen_position(
    simulation: &Simulation,
    positions: &Positions,
    controller: ControllerId,
    seen: Tick,
) -> Option<Vector3> {
    positions.at(controller, seen).or_else(|| present_position(simulation, controller))
}

/// Distance of two points.
pub(super) fn distance(from: Vector3, to: Vector3) -> f64 {
    from.iter().zip(to).map(|(from, to)| (from - to) * (from - to)).sum::<f64>().sqrt()
}

fn present_position(simulation: &Simulation, controller: ControllerId) -> Option<Vector3> {
    simulation.controller(controller)?.placement().map(|placement| placement.position())
}
