//! N4: the first command after joining is not too late on any link up to 400 ms round trip, by a virtual clock.

use ugas_core::handle::GrantedAbilityId;
use ugas_core::simulation::{ActivationRequest, Config, Simulation};
use ugas_core::time::Span;
use ugas_net::{Client, ClientConfig, ClientEvent, Server, ServerConfig, ServerEvent, TickLength};
use ugas_netsim::Rig;
use ugas_netsim::link::Conditions;

use crate::fixture::catalog;

/// Joins, and acts in the very step in which the client first has a hero.
fn first_command(rate: u32, seed: u64, conditions: Conditions, config: ClientConfig) -> ClientEvent {
    let simulation = Simulation::new(catalog(), Config { prediction_seed: 5, ..Config::seeded(3) });
    let server_config = ServerConfig { length: TickLength::hertz(rate), ..ServerConfig::default() };
    let mut rig = Rig::new(Server::new(simulation, server_config), seed);
    // Not in phase with the server's ticks, and differently for every seed.
    rig.run(Span::from_micros(1_000_000 + (seed * 7_919 % 50_000) as i64));
    rig.join(config, conditions);
    let end = rig.now() + Span::millis(10_000);
    let mut command = None;
    while rig.now() < end {
        rig.step();
        while let Some(event) = rig.server.poll_event() {
            if let ServerEvent::Joined { client, .. } = event {
                let hero = rig.server.simulation_mut().spawn("Hero").unwrap();
                rig.server.give(hero, client);
            }
        }
        let client = &mut rig.seats[0].client;
        let ability = first_ability(client).filter(|_| command.is_none());
        if let Some(ability) = ability {
            command = client.activate(ability, ActivationRequest::default()).ok();
        }
        while let Some(event) = client.poll_event() {
            match &event {
                ClientEvent::Confirmed { key, .. } | ClientEvent::Rejected { key, .. } => {
                    assert_eq!(Some(*key), command);
                    return event;
                }
                _ => {}
            }
        }
    }
    panic!("the command was not answered at {rate} Hz with {conditions:?}");
}

/// An ability without a target, once the client has a hero.
fn first_ability(client: &Client) -> Option<GrantedAbilityId> {
    let simulation = client.simulation();
    let wanted = simulation.catalog().ability("GA_Shield").unwrap();
    let hero = client.own_controllers().next()?;
    let abilities = simulation.controller(hero)?.abilities();
    abilities.iter().copied().find(|handle| simulation.ability(*handle).unwrap().ability() == wanted)
}

fn link(round_trip: i64, jitter: i64) -> Conditions {
    let delay = Span::from_micros(round_trip * 500);
    Conditions { delay, jitter: Span::millis(jitter), ..Conditions::perfect() }
}

#[test]
fn first_command_runs_at_its_tick_on_steady_links() {
    for rate in [20, 30, 60, 128] {
        for round_trip in (0..=400).step_by(50) {
            let event = first_command(rate, 1, link(round_trip, 0), ClientConfig::default());
            assert!(
                matches!(event, ClientEvent::Confirmed { shift: 0, .. }),
                "{rate} Hz, {round_trip} ms: {event:?}"
            );
        }
    }
}

#[test]
fn first_command_is_not_too_late_on_links_with_jitter() {
    for rate in [20, 30, 60, 128] {
        for (round_trip, jitter) in [(0, 15), (50, 20), (100, 25), (200, 40), (300, 50), (360, 20)] {
            for seed in 0..4 {
                let event = first_command(rate, seed, link(round_trip, jitter), ClientConfig::default());
                assert!(
                    matches!(event, ClientEvent::Confirmed { .. }),
                    "{rate} Hz, {round_trip} ms and up to {jitter} each way, seed {seed}: {event:?}"
                );
            }
        }
    }
}

#[test]
fn first_command_is_not_too_late_with_repeated_hellos() {
    // Two greetings are under way when the first is answered.
    let config = || ClientConfig { retry: Span::millis(150), ..ClientConfig::default() };
    for rate in [20, 30, 60] {
        for round_trip in [200, 290] {
            let event = first_command(rate, 2, link(round_trip, 0), config());
            assert!(matches!(event, ClientEvent::Confirmed { .. }), "{rate} Hz, {round_trip} ms: {event:?}");
        }
    }
}

#[test]
fn time_is_virtual() {
    // The rig has no clock of its own: the same seed gives the same answer.
    let answer = || first_command(60, 5, link(120, 30), ClientConfig::default());
    assert_eq!(answer(), answer());
}
