//! Prediction with replay (§13.4, §13.5).

use ugas_core::time::Span;
use ugas_net::message::Rejection;
use ugas_net::{ActError, ClientEvent, ServerConfig};
use ugas_netsim::link::Conditions;

use crate::fixture::Match;

/// A link with this round trip and nothing else.
fn round_trip(millis: i64) -> Conditions {
    Conditions { delay: Span::millis(millis / 2), ..Conditions::perfect() }
}

#[test]
fn predicted_command_shows_in_the_next_tick_at_any_latency() {
    let mut game = Match::new(1, round_trip(200));
    let hero = game.heroes[0];
    let before = game.shown(0, hero, "Mana");
    game.cast(0, "GA_Bolt").expect("it can be cast");
    game.run(0.05); // three ticks; the server hears of it after 100 ms
    assert_eq!(game.shown(0, hero, "Mana"), before - 20.0);
    assert!(game.has_tag(0, hero, "Cooldown.Bolt"));
    assert_eq!(game.truth(game.wolf, "Health"), 100.0);
    game.run(0.5);
    assert_eq!(game.truth(game.wolf, "Health"), 75.0); // 100 - 25
    assert_eq!(game.rig.seats[0].client.statistics().mispredicted, 0);
    assert_eq!(game.rig.seats[0].client.statistics().confirmed, 1);
}

#[test]
fn a_rejected_command_is_undone_and_nothing_else() {
    let mut game = Match::new(1, round_trip(200));
    let hero = game.heroes[0];
    // The server silences the hero; the client does not know yet.
    game.afflict(hero, "GE_Silence");
    let shield = game.ability(0, "GA_Shield");
    let key = game.cast(0, "GA_Bolt").expect("as far as the client knows");
    game.rig.seats[0].client.activate(shield, Default::default()).expect("it can be");
    game.heard(0);
    game.run(0.05);
    assert!(game.has_tag(0, hero, "Cooldown.Bolt") && game.has_tag(0, hero, "State.Shielded"));
    game.run(0.6);
    assert!(!game.has_tag(0, hero, "Cooldown.Bolt") && game.has_tag(0, hero, "State.Shielded"));
    let heard = game.heard(0);
    let rejected = ClientEvent::Rejected { key, rejection: Rejection::NotActivated };
    assert!(heard.contains(&rejected), "{heard:#?}");
    assert_eq!(game.truth(game.wolf, "Health"), 100.0);
    assert_eq!(game.shown(0, hero, "Mana"), game.truth(hero, "Mana"));
}

/// A server that has had too many commands says so when they come, which is before their tick: what is played again from
/// then on must not have them.
#[test]
fn command_rejected_before_its_tick_is_not_replayed() {
    let config = ServerConfig { commands_per_second: 1, ..ServerConfig::default() };
    let mut game = Match::with_config(1, round_trip(200), config);
    let hero = game.heroes[0];
    game.run(1.0);
    let (shield, channel) = (game.ability(0, "GA_Shield"), game.ability(0, "GA_Channel"));
    let client = &mut game.rig.seats[0].client;
    client.activate(shield, Default::default()).expect("it can be");
    let key = client.activate(channel, Default::default()).expect("as far as the client knows");
    game.heard(0);
    let rejected = ClientEvent::Rejected { key, rejection: Rejection::TooMany };
    let mut was_shown = false;
    for _ in 0..600 {
        game.rig.step();
        if game.heard(0).contains(&rejected) {
            assert!(was_shown, "it was predicted");
            assert!(!game.has_tag(0, hero, "State.Channeling"));
            assert!(game.has_tag(0, hero, "State.Shielded"));
            return;
        }
        was_shown |= game.has_tag(0, hero, "State.Channeling");
    }
    panic!("it was never rejected");
}

#[test]
fn impossible_command_is_refused_locally_and_not_sent() {
    let mut game = Match::new(1, round_trip(100));
    game.cast(0, "GA_Bolt").expect("it can be cast");
    game.run(0.05);
    let Err(ActError::Refused(refusal)) = game.cast(0, "GA_Bolt") else { panic!("it cools down") };
    assert!(refusal.reasons.iter().any(|reason| reason.code() == "OnCooldown"));
    game.run(0.5);
    assert_eq!(game.rig.server.statistics().rejected, 0);
}

#[test]
fn executed_cue_is_emitted_once_on_every_client() {
    for conditions in [round_trip(0), round_trip(200), Conditions::bad()] {
        let mut game = Match::new(2, conditions);
        let cast = game.rig.server.catalog().tag("GameplayCue.Cast").unwrap();
        (0..2).for_each(|seat| drop(game.heard(seat)));
        game.cast(0, "GA_Bolt").expect("it can be cast");
        game.run(1.5);
        for seat in 0..2 {
            let flashes = game
                .heard(seat)
                .into_iter()
                .filter(|event| matches!(event, ClientEvent::CueExecuted { cue, .. } if *cue == cast));
            assert_eq!(flashes.count(), 1, "client {seat}");
        }
    }
}

#[test]
fn periodic_effects_removals_and_expiry_are_predicted() {
    let mut game = Match::new(1, round_trip(200));
    let hero = game.heroes[0];
    game.afflict(hero, "GE_Burn");
    game.run(5.0);
    let statistics = game.rig.seats[0].client.statistics();
    assert_eq!(game.shown(0, hero, "Health"), 80.0); // 100 - 4 × 5
    assert!(!game.has_tag(0, hero, "State.Burning"));
    // Only the burn itself was not predicted; its ticks and its end were.
    assert!(statistics.mispredicted <= 1, "{statistics:?}");
}

#[test]
fn activation_continues_across_replays() {
    let mut game = Match::new(1, round_trip(150));
    let hero = game.heroes[0];
    let channel = game.ability(0, "GA_Channel");
    game.rig.seats[0].client.activate(channel, Default::default()).expect("it can be");
    game.run(0.5);
    assert!(game.has_tag(0, hero, "State.Channeling"));
    game.run(1.0);
    assert!(!game.has_tag(0, hero, "State.Channeling"));
    assert!(game.has_tag(0, hero, "State.Shielded"));
    assert_eq!(game.rig.seats[0].client.statistics().mispredicted, 0);
}

#[test]
fn the_rate_of_fire_is_the_same_at_every_ping() {
    // 0.2 s between shots, asked for in every tick for 6 s: the first at once, then one every 0.2 s.
    let mut shots = Vec::new();
    for ping in [0, 50, 100, 200, 300] {
        let mut game = Match::new(1, round_trip(ping));
        game.run(1.0);
        for _ in 0..360 {
            let _ = game.cast(0, "GA_Weapon");
            game.run(1.0 / 60.0);
        }
        game.run(1.0);
        shots.push((ping, 100.0 - game.truth(game.wolf, "Health")));
    }
    let first = shots[0].1;
    assert!(first >= 27.0, "{shots:?}");
    assert!(shots.iter().all(|(_, count)| (count - first).abs() <= 1.0), "{shots:?}");
}
