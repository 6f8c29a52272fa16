//! Everything that a scenario does to its simulation is a command: fed to another one, they lead to the same state.

use std::path::Path;

use ugas_core::command::Command;
use ugas_core::handle::ControllerId;
use ugas_core::simulation::Simulation;
use ugas_data::scenario::{CommandWitness, Observer, Options, Scenario};

/// Does everything that it sees on a simulation of its own.
#[derive(Default)]
struct Shadow {
    simulation: Option<Simulation>,
    names: Vec<(ControllerId, String)>,
    commands: u32,
}

impl CommandWitness for Shadow {
    fn begin(&mut self, simulation: &Simulation) {
        self.simulation = Some(simulation.clone());
    }

    fn name(&mut self, controller: ControllerId, name: &str) {
        self.names.push((controller, name.to_owned()));
    }

    fn before(&mut self, simulation: &Simulation, command: &Command) {
        let shadow = self.simulation.as_mut().unwrap();
        assert_eq!(shadow.state_hash(), simulation.state_hash(), "something went past the commands");
        let _ = shadow.execute(command.clone());
    }

    fn after(&mut self, simulation: &Simulation) {
        let shadow = self.simulation.as_mut().unwrap();
        assert_eq!(shadow.state_hash(), simulation.state_hash(), "the command does something else");
        shadow.events().for_each(drop);
        self.commands += 1;
    }
}

struct Nobody;

impl Observer for Nobody {}

#[test]
fn everything_that_happens_is_a_command() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance");
    let mut commands = 0;
    for scenario in Scenario::load(folder).unwrap() {
        let mut shadow = Shadow::default();
        let outcome = scenario.run_witnessed(&Options::default(), &mut Nobody, &mut shadow);
        assert_eq!(outcome.hash, shadow.simulation.map(|shadow| shadow.state_hash()), "{}", scenario.name());
        // A step may spawn another controller under the name of one that is gone.
        let is_last = |at: usize, name: &str| shadow.names[at + 1..].iter().all(|(_, later)| later != name);
        let names = shadow.names.iter().enumerate().filter(|(at, (_, name))| is_last(*at, name));
        let names: Vec<&str> = names.map(|(_, (_, name))| name.as_str()).collect();
        let expected: Vec<&str> = outcome.controllers.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, expected, "{}", scenario.name());
        commands += shadow.commands;
    }
    assert!(commands > 1000, "only {commands} commands");
}
