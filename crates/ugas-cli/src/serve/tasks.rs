//! What abilities ask of a host, on a server without an engine: everything goes well at once, and what is thrown hits whom
//! it was aimed at.

use ugas_core::ability::GameplayEvent;
use ugas_core::command::Command;
use ugas_core::event::EventKind;
use ugas_core::handle::{ControllerId, TaskId};
use ugas_core::id::TagId;
use ugas_core::simulation::Simulation;
use ugas_core::task::{HostValue, TaskOutcome};
use ugas_net::Server;

use super::keeper::Keeper;

/// The parameter by which a task says which event a hit is.
const HIT_EVENT: &str = "HitEventTag";

/// A task that the host was asked to carry out.
pub(super) struct Request {
    task: TaskId,
    controller: ControllerId,
    hit: Option<TagId>,
}

impl Request {
    /// The request in an event of the game, if it is one.
    pub(super) fn of(simulation: &Simulation, event: &EventKind) -> Option<Self> {
        let EventKind::HostTaskRequested { controller, ability, task, step, .. } = event else { return None };
        let catalog = simulation.catalog();
        let parameters =
            catalog.ability_by_id(*ability)?.routine().host_parameters(*step).unwrap_or_default();
        let hit = parameters.iter().find(|(name, _)| name == HIT_EVENT);
        let hit = hit.and_then(|(_, value)| if let HostValue::Text(tag) = value { Some(tag) } else { None });
        let hit = hit.and_then(|tag| catalog.tag(tag).ok());
        Some(Self { task: *task, controller: *controller, hit })
    }

    /// Carries it out, unless nobody waits for it any more.
    pub(super) fn carry_out(self, server: &mut Server<Keeper>) {
        let simulation = server.simulation();
        let run = simulation.task(self.task).map(|task| task.activation());
        let Some(run) = run.and_then(|run| simulation.activation(run)) else { return };
        let target = run.targets().iter().find_map(|target| target.controller());
        // It waits: that was asked.
        let _ = server.execute(Command::CompleteTask { task: self.task, outcome: TaskOutcome::Completed });
        if let (Some(tag), Some(target)) = (self.hit, target) {
            let event = GameplayEvent {
                instigator: Some(self.controller),
                target: Some(target),
                ..GameplayEvent::new(tag)
            };
            // Who threw may be gone; then nothing hits.
            let _ = server.execute(Command::SendEvent { controller: self.controller, event });
        }
    }
}
