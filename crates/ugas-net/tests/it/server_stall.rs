//! A server that stands still for seconds: the commands of its clients count again within a round trip.

use ugas_core::simulation::ActivationRequest;
use ugas_core::time::Span;
use ugas_net::ClientEvent;
use ugas_netsim::link::Conditions;

use crate::fixture::Match;

/// Milliseconds from the end of a stall until a command is given that the server runs, in steps of 10 ms.
/// A command counts if it was given after the stall.
fn recovery(stall_seconds: f64, round_trip: i64, most_at_once: u32) -> i64 {
    let mut game = Match::new(1, Conditions { delay: Span::millis(round_trip / 2), ..Conditions::perfect() });
    game.rig.set_most_at_once(most_at_once);
    game.run(2.0);
    game.heard(0);
    let end = game.rig.now() + Span::seconds(stall_seconds);
    game.rig.stall_server_until(end);
    let mut given = std::collections::BTreeMap::new();
    for _ in 0..2_000 {
        let now = game.rig.now();
        if game.rig.seats[0].client.is_playing() {
            let shield = game.ability(0, "GA_Shield");
            let key = game.rig.seats[0].client.activate(shield, ActivationRequest::default());
            given.extend(key.ok().map(|key| (key, now)));
        }
        game.run(0.01);
        for event in game.heard(0) {
            if let ClientEvent::Confirmed { key, .. } = event
                && let Some(at) = given.get(&key).filter(|at| **at >= end)
            {
                return at.since(end).micros() / 1_000;
            }
            assert!(!matches!(event, ClientEvent::Disconnected(_)), "{event:?} after {stall_seconds} s");
        }
    }
    i64::MAX
}

#[test]
fn commands_count_within_a_round_trip_after_the_server_stalled() {
    let mut slow = Vec::new();
    for round_trip in [20, 100, 300] {
        for stall in [0.5, 1.0, 2.0, 5.0, 9.5] {
            for most_at_once in [1, 30, u32::MAX] {
                let took = recovery(stall, round_trip, most_at_once);
                // A round trip, and the ticks between giving and sending.
                if took > round_trip + 50 {
                    slow.push((round_trip, stall, most_at_once, took));
                }
            }
        }
    }
    assert_eq!(slow, []);
}
