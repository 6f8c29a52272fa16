//! Host tasks on a server without an engine: each completes at once, and projectiles hit their targets.

use ugas_core::ability::GameplayEvent;
use ugas_core::command::Command;
use ugas_core::event::EventKind;
use ugas_core::handle::{ControllerId, TaskId};
use ugas_core::id::TagId;
use ugas_core::simulation::Simulation;
use ugas_core::task::{HostValue, TaskOutcome};
use ugas_net::Server;

use super::server_host::ServerHost;

/// Parameter of a task that names the event of a hit.
const HIT_EVENT: &str = "HitEventTag";

/// A requested host task.
pub(super) struct HostTaskRequest {
    task: TaskId,
    controller: ControllerId,
    hit: Option<TagId>,
}

impl HostTaskRequest {
    /// The request of an event; `None` for other events.
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

    /// Completes the task, unless it does not exist any more.
    pub(super) fn complete(self, server: &mut Server<ServerHost>) {
        let simulation = server.simulation();
        let run = simulation.task(self.task).map(|task| task.activation());
        let Some(run) = run.and_then(|run| simulation.activation(run)) else { return };
        let target = run.targets().iter().find_map(|target| target.controller());
        // The task exists, so this cannot fail.
        let _ = server.execute(Command::CompleteTask { task: self.task, outcome: TaskOutcome::Completed });
        if let (Some(tag), Some(target)) = (self.hit, target) {
            let event = GameplayEvent {
                instigator: Some(self.controller),
                target: Some(target),
                ..GameplayEvent::new(tag)
            };
            // The source may not exist any more; then nothing is hit.
            let _ = server.execute(Command::SendEvent { controller: self.controller, event });
        }
    }
}
