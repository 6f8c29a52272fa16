//! `LocalOnly` abilities, which only this player sees: a map that opens, an aiming mode.
//!
//! The server knows nothing of them, and its updates must not undo them. So they run on a copy of the shown
//! world, which is made when the first of them begins and dropped when the last is over. They see the world
//! as it was then; their changes stay in the copy.

use std::sync::Arc;

use ugas_core::ability::{ActivationRefusal, NetExecution};
use ugas_core::event::Event;
use ugas_core::handle::{ActivationId, GrantedAbilityId};
use ugas_core::simulation::{ActivationRequest, Config, Simulation};
use ugas_core::time::Span;

/// The copy of the world that `LocalOnly` abilities run on, if one runs.
#[derive(Default)]
pub(super) struct LocalStage {
    simulation: Option<Simulation>,
}

impl LocalStage {
    /// The copy of the world; `None` while no `LocalOnly` ability runs.
    pub(super) fn simulation(&self) -> Option<&Simulation> {
        self.simulation.as_ref()
    }

    /// The copy of the world, to cancel activations on it; `None` while no `LocalOnly` ability runs.
    pub(super) fn simulation_mut(&mut self) -> Option<&mut Simulation> {
        self.simulation.as_mut()
    }

    /// Activates an ability on the copy of `world`, which is created if missing.
    pub(super) fn activate(
        &mut self,
        world: &Simulation,
        ability: GrantedAbilityId,
        request: ActivationRequest,
    ) -> Result<ActivationId, ActivationRefusal> {
        let stage = self.simulation.get_or_insert_with(|| copy(world));
        let run = stage.activate_with(ability, request);
        if run.is_err() {
            self.tidy();
        }
        run
    }

    /// Advances time, and emits the events of `LocalOnly` abilities. Drops the copy if the last of them is
    /// over.
    pub(super) fn advance(&mut self, span: Span, mut emit: impl FnMut(Event)) {
        let Some(stage) = &mut self.simulation else { return };
        if span.is_positive() {
            stage.advance(span);
        }
        for event in stage.peek_events() {
            if event.cause.ability.is_some_and(|ability| is_local(stage, ability)) {
                emit(event.to_owned());
            }
        }
        drop(stage.events());
        self.tidy();
    }

    /// Drops the copy if no `LocalOnly` ability runs and no event waits to be emitted.
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

/// Whether an ability is `LocalOnly`. False for a handle that is no longer granted.
pub(super) fn is_local(simulation: &Simulation, ability: GrantedAbilityId) -> bool {
    let definition = simulation.ability(ability).map(|granted| granted.ability());
    let definition = definition.and_then(|ability| simulation.catalog().ability_by_id(ability));
    definition.is_some_and(|ability| ability.def().net_execution == NetExecution::LocalOnly)
}

/// Copies the world into a simulation without a network role.
fn copy(world: &Simulation) -> Simulation {
    let mut copy =
        Simulation::new(Arc::clone(world.catalog()), Config::seeded(world.config().prediction_seed));
    copy.set_space(world.own_space().cloned());
    // The catalog is the same.
    let restored = copy.restore(&world.snapshot());
    debug_assert!(restored.is_ok());
    copy
}
