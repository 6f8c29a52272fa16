//! Update frequencies and bandwidth (§13.6).

use ugas_core::targeting::TargetData;
use ugas_net::ServerConfig;
use ugas_net::message::{CommandOutcome, ToServer};
use ugas_netsim::link::Conditions;

use super::raw_server::{RawServer, activate, outcomes, round_trip};
use crate::fixture::Match;

#[test]
fn section_13_6_over_a_slow_link_updates_come_less_often() {
    let updates = [40, 400].map(|millis| {
        let mut game = Match::new(1, round_trip(millis));
        game.run(2.0);
        let before = game.rig.server.statistics().sent;
        game.run(2.0);
        game.rig.server.statistics().sent - before
    });
    assert!((118..=122).contains(&updates[0]), "{updates:?}"); // 60 a second
    assert!((38..=42).contains(&updates[1]), "{updates:?}"); // 20 a second
}

#[test]
fn section_13_6_important_ai_updates_thirty_times_a_second() {
    let (mut raw, _) = RawServer::with_hero();
    let wolf = raw.server.simulation_mut().spawn("Wolf").unwrap();
    let silence = raw.server.catalog().effect("GE_Silence").unwrap();
    let mut told = 0;
    for _ in 0..60 {
        raw.server.simulation_mut().apply_effect(silence, None, wolf).unwrap();
        raw.tick();
        for update in raw.heard(1) {
            told += update.controllers.iter().filter(|change| change.controller == wolf).count();
        }
    }
    assert_eq!(told, 30);
}

#[test]
fn others_do_not_take_more_than_the_bandwidth() {
    let config = ServerConfig { bytes_per_second: 5_000, ..ServerConfig::default() };
    let mut game = Match::with_config(1, Conditions::broadband(), config);
    let wolves: Vec<_> =
        (0..60).map(|_| game.rig.server.simulation_mut().spawn("OpenHero").unwrap()).collect();
    game.run(3.0);
    let mut churn = || {
        for _ in 0..60 {
            for wolf in &wolves {
                game.afflict(*wolf, "GE_Weapon_Hit");
            }
            game.run(1.0 / 30.0);
        }
        game.rig.server.statistics()
    };
    // What was saved up is spent in the first two seconds.
    let (before, after) = (churn(), churn());
    let (bytes, datagrams) = (after.sent_bytes - before.sent_bytes, after.sent - before.sent);
    // Two seconds; the headers count.
    let rate = (bytes + 28 * datagrams) / 2;
    assert!(rate <= 5_500, "{rate} bytes a second");
}

#[test]
fn connections_without_a_session_do_not_silence_players() {
    let config = ServerConfig { max_clients: 1, ..ServerConfig::default() };
    let (mut raw, hero) = RawServer::with_hero_by(config);
    for _ in 0..120 {
        raw.tick(); // the budget of the player's connection is full again
    }
    // More than the 1,024 connections without a session that are tracked, each with its sessions used up.
    for peer in 2..1_102 {
        for nonce in 1..=5 {
            let hello = raw.hello(nonce);
            raw.say(peer, ToServer::Hello(hello));
        }
    }
    raw.tick();
    let shield = raw.ability(hero, "GA_Shield");
    let results = raw.command(0, 1, vec![activate(shield, TargetData::new())]);
    assert_eq!(outcomes(&results), [CommandOutcome::Done]);
    let before = raw.server.held();
    for peer in 2_000..2_100 {
        let hello = raw.hello(1);
        raw.say(peer, ToServer::Hello(hello));
        assert_eq!(raw.answers().len(), 1, "a newcomer is answered");
        while raw.server.poll_event().is_some() {}
    }
    assert!(raw.server.held() <= before, "{} > {before}", raw.server.held());
}
