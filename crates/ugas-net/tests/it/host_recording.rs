//! Recording by a host: the commands that it received reproduce the server's states.

use ugas_core::command::{Command, Outcome};
use ugas_core::handle::ControllerId;
use ugas_core::random::RandomStream;
use ugas_core::simulation::{ActivationRequest, Config, Simulation, Spawn};
use ugas_core::targeting::Placement;
use ugas_core::time::{Span, Time};
use ugas_net::{ClientConfig, Host, Server, ServerConfig, ServerEvent};
use ugas_netsim::Rig;
use ugas_netsim::link::Conditions;

use crate::fixture::catalog;

/// Every command, and the state that it led to.
#[derive(Default)]
struct Witness {
    seen: Vec<(Command, u64)>,
    under_way: Option<Command>,
}

impl Host for Witness {
    fn before_command(&mut self, command: &Command) {
        assert!(self.under_way.replace(command.clone()).is_none(), "one at a time");
    }

    fn after_command(&mut self, simulation: &Simulation) {
        let command = self.under_way.take().expect("it was told before");
        self.seen.push((command, simulation.state_hash()));
    }
}

fn spawn(server: &mut Server<Witness>, template: &str) -> ControllerId {
    match server.execute(Command::Spawn(Spawn::named(template))) {
        Ok(Outcome::Spawned(controller)) => controller,
        other => panic!("{other:?}"),
    }
}

#[test]
fn replayed_host_commands_give_the_same_states() {
    let start = Simulation::new(catalog(), Config::seeded(11));
    // Whoever is asked for a target and says nothing is not waited for.
    let config = ServerConfig { client_deadline: Span::millis(600), ..ServerConfig::default() };
    let server = Server::with_host(start, config, Witness::default());
    let mut again = server.simulation().clone();
    let mut rig = Rig::new(server, 11);
    for _ in 0..2 {
        rig.join(ClientConfig::default(), Conditions::named("bad").unwrap());
    }
    let wolf = spawn(&mut rig.server, "Wolf");
    let mut dice = RandomStream::new(11);
    let mut overdue = 0;
    while rig.now() < Time::ZERO + Span::seconds(12.0) {
        rig.step();
        while let Some(event) = rig.server.poll_event() {
            match event {
                ServerEvent::Joined { client, .. } => {
                    let hero = spawn(&mut rig.server, "Hero");
                    rig.server.give(hero, client);
                }
                ServerEvent::Overdue { .. } => overdue += 1,
                _ => {}
            }
        }
        // The wolf comes and goes, so that a client aims at where it was.
        let place = Placement::at([if dice.below(2) == 0 { 9.0 } else { 12.0 }, 0.0, 0.0]).unwrap();
        if dice.below(40) == 0 {
            let command = Command::SetPlacement { controller: wolf, placement: Some(place) };
            rig.server.execute(command).unwrap();
        }
        for (number, seat) in rig.seats.iter_mut().enumerate() {
            let client = &mut seat.client;
            let Some(own) = client.own_controllers().next() else { continue };
            let Some(hero) = client.simulation().controller(own) else { continue };
            let abilities = hero.abilities().to_vec();
            let runs = hero.activations().to_vec();
            let target = client.simulation().controllers().map(|(id, _)| id).find(|id| *id != own);
            let at = usize::try_from(dice.below(abilities.len().max(1) as u64)).unwrap();
            // What is refused here, or rejected there, is no less of a test.
            match dice.below(60) {
                // One of the two never answers.
                3.. if number == 1 => {}
                0 => {
                    let request = target.map(ActivationRequest::on).unwrap_or_default();
                    drop(abilities.get(at).map(|ability| client.activate(*ability, request)));
                }
                1 => drop(client.press(own, "Slot.GA_Channel")),
                2 => drop(client.release(own, "Slot.GA_Channel")),
                3 => drop(client.confirm(own)),
                4 => drop(client.decline(own)),
                5 => drop(runs.first().map(|run| client.cancel_activation(*run))),
                6 => drop(runs.first().map(|run| client.end_activation(*run))),
                _ => {}
            }
        }
    }
    let seen = core::mem::take(&mut rig.server.host_mut().seen);
    let of_clients = seen.iter().filter(|(command, _)| matches!(command, Command::FromClient { .. })).count();
    let reached = |command: &Command| matches!(command, Command::FromClient { reached: Some(_), .. });
    assert!(of_clients > 20 && overdue > 0, "{of_clients} commands, {overdue} overdue");
    assert!(seen.iter().filter(|(command, _)| reached(command)).count() > 5);
    for (number, (command, expected)) in seen.into_iter().enumerate() {
        let text = format!("{command:?}");
        let _ = again.execute(command);
        assert_eq!(again.state_hash(), expected, "command {number}: {text}");
    }
    assert_eq!(again.state_hash(), rig.server.simulation().state_hash());
}
