//! Deadlines of tasks that wait for a client.

use ugas_core::handle::TaskId;
use ugas_core::simulation::{ActivationRequest, Config, Simulation};
use ugas_core::time::{Span, Time};
use ugas_net::message::{Hello, PROTOCOL, ToServer};
use ugas_net::wire::{Dictionary, encode_to_server};
use ugas_net::{AfterDeadline, Host, PeerId, Server, ServerConfig};
use ugas_netsim::link::Conditions;

use crate::fixture::{Match, catalog};

fn deadline() -> ServerConfig {
    ServerConfig { client_deadline: Span::seconds(1.0), ..ServerConfig::default() }
}

/// Whether the hero has a run two seconds after it began this ability.
fn still_runs(game: &mut Match, ability: &str) -> bool {
    let ability = game.ability(0, ability);
    game.rig.seats[0].client.activate(ability, ActivationRequest::default()).expect("it can be");
    game.run(2.0);
    !game.rig.server.simulation().controller(game.heroes[0]).unwrap().activations().is_empty()
}

#[test]
fn confirmation_wait_ends_at_the_deadline() {
    let mut game = Match::with_config(1, Conditions::broadband(), deadline());
    assert!(!still_runs(&mut game, "GA_Ask"));
}

#[test]
fn host_task_of_the_server_has_no_deadline() {
    let mut game = Match::with_config(1, Conditions::broadband(), deadline());
    assert!(still_runs(&mut game, "GA_Dance"));
    let config = ServerConfig { trust_host_tasks: true, ..deadline() };
    let mut game = Match::with_config(1, Conditions::broadband(), config);
    assert!(!still_runs(&mut game, "GA_Dance"));
}

#[test]
fn task_of_a_departed_client_ends_at_the_deadline() {
    let mut game = Match::with_config(1, Conditions::broadband(), deadline());
    let (hero, aim) = (game.heroes[0], game.ability(0, "GA_Aim"));
    game.rig.seats[0].client.activate(aim, ActivationRequest::default()).expect("it can be");
    game.run(0.3);
    assert_eq!(game.rig.server.simulation().controller(hero).unwrap().activations().len(), 1);
    game.rig.seats[0].client.leave();
    game.run(2.0);
    assert_eq!(game.rig.server.simulation().controller(hero).unwrap().activations(), []);
}

/// How much health the wolf has lost when the deadline of a hero's aiming is over, who began with it as the target.
fn lost_after_deadline(after_deadline: AfterDeadline, ability: &str) -> f64 {
    let config = ServerConfig { after_deadline, ..deadline() };
    let mut game = Match::with_config(1, Conditions::broadband(), config);
    let (aim, wolf) = (game.ability(0, ability), game.local(0, game.wolf));
    game.rig.seats[0].client.activate(aim, ActivationRequest::on(wolf)).expect("it can be");
    game.run(0.8);
    assert_eq!(game.truth(game.wolf, "Health"), 100.0, "the deadline is a second");
    game.run(1.2);
    assert_eq!(game.rig.server.simulation().controller(game.heroes[0]).unwrap().activations(), []);
    100.0 - game.truth(game.wolf, "Health")
}

#[test]
fn after_a_deadline_the_server_chooses_cancels_or_goes_on() {
    // What it would choose itself is the target that the run began with.
    assert_eq!(lost_after_deadline(AfterDeadline::Generate, "GA_Focus"), 1.0);
    assert_eq!(lost_after_deadline(AfterDeadline::Cancel, "GA_Focus"), 0.0);
    // What it would choose itself is nobody: nobody is anywhere.
    assert_eq!(lost_after_deadline(AfterDeadline::Generate, "GA_Sweep"), 0.0);
    assert_eq!(lost_after_deadline(AfterDeadline::Default, "GA_Sweep"), 1.0);
}

/// Goes on with one ability, and cancels every other.
struct Lenient;

impl Host for Lenient {
    fn after_deadline(&self, simulation: &Simulation, task: TaskId, usual: AfterDeadline) -> AfterDeadline {
        let run = simulation.task(task).and_then(|task| simulation.activation(task.activation()));
        let sweep = simulation.catalog().ability("GA_Sweep").unwrap();
        if run.is_some_and(|run| run.ability() == sweep) { AfterDeadline::Default } else { usual }
    }
}

#[test]
fn host_decides_the_deadline_policy_per_ability() {
    let simulation = Simulation::new(catalog(), Config::seeded(1));
    let mut server = Server::with_host(simulation, deadline(), Lenient);
    server.handle(Time::ZERO, PeerId(1), &{
        let dictionary = Dictionary::of(server.catalog());
        let hello = Hello {
            protocol: PROTOCOL,
            catalog: server.catalog().hash(),
            dictionary: dictionary.hash(),
            nonce: 1,
            credential: Vec::new(),
        };
        encode_to_server(&dictionary, &ToServer::Hello(hello)).unwrap()
    });
    let hero = server.simulation_mut().spawn("Hero").unwrap();
    let wolf = server.simulation_mut().spawn("Wolf").unwrap();
    let client = server.clients().next().unwrap();
    server.give(hero, client);
    for ability in ["GA_Sweep", "GA_Focus"] {
        let wanted = server.catalog().ability(ability).unwrap();
        let abilities = server.simulation().controller(hero).unwrap().abilities().to_vec();
        let sim = server.simulation_mut();
        let handle =
            abilities.into_iter().find(|handle| sim.ability(*handle).unwrap().ability() == wanted).unwrap();
        sim.activate_with(handle, ActivationRequest::on(wolf)).unwrap();
    }
    for tick in 1..=90 {
        server.tick(Time::from_micros(16_667 * tick));
    }
    // The one went on and hit, the other was cancelled.
    let health = server.catalog().attribute("Health").unwrap();
    assert_eq!(server.simulation().current(wolf, health), Some(99.0));
    assert_eq!(server.simulation().controller(hero).unwrap().activations(), []);
}
