//! Abilities that only this player sees (`LocalOnly`): a map that opens, an aiming mode.
//!
//! The server knows nothing of them, and what the server tells must not undo them. So they run beside the world that is
//! shown, on a copy of it that is taken when the first of them begins and thrown away when the last of them is over.
//! They see the world as it was then; what they do to it stays in the copy.

use std::sync::Arc;

use ugas_core::ability::{ActivationRefusal, NetExecution};
use ugas_core::event::Event;
use ugas_core::handle::{AbilityHandle, ActivationId};
use ugas_core::simulation::{ActivationRequest, Config, Simulation};
use ugas_core::time::Span;

/// The copy of the world that `LocalOnly` abilities run on, if one runs.
#[derive(Default)]
pub(super) struct LocalStage {
    simulation: Option<Simulation>,
}

impl LocalStage {
    pub(super) fn simulation(&self) -> Option<&Simulation> {
        self.simulation.as_ref()
    }

    pub(super) fn simulation_mut(&mut self) -> Option<&mut Simulation> {
        self.simulation.as_mut()
    }

    /// Begins a run of an ability.
    pub(super) fn activate(
        &mut self,
        world: &Simulation,
        ability: AbilityHandle,
        request: ActivationRequest,
    ) -> Result<ActivationId, ActivationRefusal> {
        let stage = self.simulation.get_or_insert_with(|| copy(world));
        let run = stage.activate_with(ability, request);
        if run.is_err() {
            self.tidy();
        }
        run
    }

    /// Lets time pass; the events of `LocalOnly` abilities are told.
    pub(super) fn advance(&mut self, span: Span, mut tell: impl FnMut(Event)) {
        let Some(stage) = &mut self.simulation else { return };
        if span.is_positive() {
            stage.advance(span);
        }
        let events: Vec<Event> = stage.events().collect();
        for event in events {
            if event.cause.ability.is_some_and(|ability| is_local(stage, ability)) {
                tell(event);
            }
        }
        self.tidy();
    }

    /// Without a run there is nothing to keep.
    fn tidy(&mut self) {
        let has_run = |stage: &Simulation| {
            stage.controllers().any(|(_, controller)| {
                let runs = controller.activations().iter().filter_map(|run| stage.activation(*run));
                runs.map(|run| run.granted()).any(|ability| is_local(stage, ability))
            })
        };
        if self.simulation.as_ref().is_some_and(|stage| !has_run(stage) && stage.pending_events().len() == 0)
        {
            self.simulation = None;
        }
    }
}

/// Whether an ability runs on the player's machine only.
pub(super) fn is_local(simulation: &Simulation, ability: AbilityHandle) -> bool {
    let definition = simulation.ability(ability).map(|granted| granted.ability());
    let definition = definition.and_then(|ability| simulation.catalog().ability_by_id(ability));
    definition.is_some_and(|ability| ability.def().net_execution == NetExecution::LocalOnly)
}

/// The world as it is now, in which everything may happen.
fn copy(world: &Simulation) -> Simulation {
    let mut copy =
        Simulation::new(Arc::clone(world.catalog()), Config::seeded(world.config().prediction_seed));
    // It is of the same catalog.
    let restored = copy.restore(&world.snapshot());
    debug_assert!(restored.is_ok());
    copy
}
