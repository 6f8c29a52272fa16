//! Commands are the only way in which a scenario changes its simulation: executed on a copy, they lead to the
//! same state.

use std::path::Path;

use ugas_core::command::Command;
use ugas_core::handle::ControllerId;
use ugas_core::simulation::Simulation;
use ugas_data::scenario::{CommandObserver, Observer, Options, Scenario};

/// Command observer that executes every command on its own simulation.
#[derive(Default)]
struct CommandReplay {
    simulation: Option<Simulation>,
    names: Vec<(ControllerId, String)>,
    commands: u32,
}

impl CommandObserver for CommandReplay {
    fn begin(&mut self, simulation: &Simulation) {
        self.simulation = Some(simulation.clone());
    }

    fn name(&mut self, controller: ControllerId, name: &str) {
        self.names.push((controller, name.to_owned()));
    }

    fn before(&mut self, simulation: &Simulation, command: &Command) {
        let replay = self.simulation.as_mut().unwrap();
        assert_eq!(replay.state_hash(), simulation.state_hash(), "the simulation changed without a command");
        let _ = replay.execute(command.clone());
    }

    fn after(&mut self, simulation: &Simulation) {
        let replay = self.simulation.as_mut().unwrap();
        assert_eq!(replay.state_hash(), simulation.state_hash(), "the command has another result");
        replay.events().for_each(drop);
        self.commands += 1;
    }
}

struct NoObserver;

impl Observer for NoObserver {}

#[test]
fn commands_alone_reproduce_every_conformance_scenario() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance");
    let mut commands = 0;
    for scenario in Scenario::load(folder).unwrap() {
        let mut replay = CommandReplay::default();
        let outcome = scenario.run_with_command_observer(&Options::default(), &mut NoObserver, &mut replay);
        let Some(simulation) = replay.simulation else {
            assert_eq!(outcome.hash, None, "{}", scenario.name());
            continue;
        };
        assert_eq!(outcome.hash, Some(simulation.state_hash()), "{}", scenario.name());
        // A step may reuse the name of a despawned controller.
        let is_last = |at: usize, name: &str| replay.names[at + 1..].iter().all(|(_, later)| later != name);
        let names = replay.names.iter().enumerate().filter(|(at, (_, name))| is_last(*at, name));
        let living = names.filter(|(_, (id, _))| simulation.controller(*id).is_some());
        let mut names: Vec<&str> = living.map(|(_, (_, name))| name.as_str()).collect();
        let mut expected: Vec<&str> = outcome.controllers.iter().map(|(name, _)| name.as_str()).collect();
        // A summon is named when it is spawned, which may be before a controller of a `Spawn` step.
        names.sort_unstable();
        expected.sort_unstable();
        assert_eq!(names, expected, "{}", scenario.name());
        commands += replay.commands;
    }
    assert!(commands > 1000, "only {commands} commands");
}
