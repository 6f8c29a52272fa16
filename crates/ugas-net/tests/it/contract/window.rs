//! Prediction window of a client.

use ugas_core::simulation::ActivationRequest;
use ugas_core::time::Span;
use ugas_net::Prediction;

use super::raw_server::round_trip;
use crate::fixture::Match;

#[test]
fn prediction_window_is_limited_and_silent_clients_time_out() {
    let mut game = Match::new(1, round_trip(60));
    let end = game.rig.now() + Span::seconds(30.0);
    game.rig.seats[0].link.to_client.cut_until(end);
    game.run(3.0);
    let client = &game.rig.seats[0].client;
    let ahead = client.current_tick().since(client.confirmed_tick().unwrap());
    assert_eq!(ahead, 31); // 30 that the server accepts less 2 to spare, and 3 of a round trip of 60 ms
    game.run(9.0);
    assert!(!game.rig.seats[0].client.is_playing());
    game.run(10.0);
    assert_eq!(game.rig.server.clients().count(), 0);
}

#[test]
fn without_prediction_commands_show_after_the_answer() {
    let mut game = Match::new(1, round_trip(200));
    let hero = game.heroes[0];
    game.rig.seats[0].client.set_prediction(Prediction::Off);
    let shield = game.ability(0, "GA_Shield");
    game.rig.seats[0].client.activate(shield, ActivationRequest::default()).unwrap();
    game.run(0.1);
    assert!(!game.has_tag(0, hero, "State.Shielded"));
    game.run(0.5);
    assert!(game.has_tag(0, hero, "State.Shielded"));
}

#[test]
fn commands_of_a_slow_machine_are_in_time() {
    let mut game = Match::new(1, round_trip(60));
    let hero = game.rig.seats[0].client.own_controllers().next().unwrap();
    // Ten pictures a second. What a player does after one is for the first of the six ticks that the next one shows.
    let picture = Span::millis(100);
    for _ in 0..200 {
        game.rig.seats[0].client.press(hero, "Slot.Nothing").unwrap();
        let next = game.rig.now() + picture;
        game.rig.seats[0].stall_until(next);
        game.rig.run(picture);
    }
    let counted = game.rig.seats[0].client.statistics();
    assert!(counted.rejected <= 10, "{counted:?}"); // while the clock finds out how slow it is
    assert!(counted.confirmed >= 180, "{counted:?}");
}
