//! Relevancy: what each client sees, and what must not be sent.

use ugas_core::handle::ControllerId;
use ugas_net::message::{Ack, ControllerChange, Frames, PacketId, ToServer, Update};
use ugas_net::{Ownership, ServerConfig, Visibility};
use ugas_netsim::link::Conditions;

use super::raw_server::{RawServer, round_trip};
use crate::fixture::Match;

#[test]
fn controller_hidden_at_spawn_is_never_seen() {
    let mut game = Match::new(1, Conditions::perfect());
    let client = game.rig.server.clients().next().unwrap();
    let wolf = game.rig.server.simulation_mut().spawn("Wolf").unwrap();
    game.rig.server.hide(wolf, client);
    game.run(0.5);
    assert_eq!(game.rig.seats[0].client.local(wolf), None);
}

#[test]
fn set_visibility_does_not_show_a_hidden_controller() {
    let mut game = Match::new(1, round_trip(100));
    let client = game.rig.server.clients().next().unwrap();
    let visibility = game.rig.server.add_visibility(Visibility::full());
    game.rig.server.hide(game.wolf, client);
    game.rig.server.set_visibility(game.wolf, Ownership::Others, Some(visibility));
    game.run(1.0);
    assert_eq!(game.rig.seats[0].client.local(game.wolf), None);
}

#[test]
fn set_visibility_shows_a_controller_hidden_by_none() {
    for pause in [0.0, 1.0] {
        let mut game = Match::new(1, round_trip(100));
        game.rig.server.set_visibility(game.wolf, Ownership::Others, None);
        game.run(pause);
        let visibility = game.rig.server.add_visibility(Visibility::minimal());
        game.rig.server.set_visibility(game.wolf, Ownership::Others, Some(visibility));
        game.run(1.0);
        assert!(game.rig.seats[0].client.local(game.wolf).is_some(), "after {pause} s");
    }
}

#[test]
fn owner_without_visibility_sees_nothing() {
    let mut game = Match::new(1, round_trip(100));
    let hero = game.heroes[0];
    game.rig.server.set_visibility(hero, Ownership::Mine, None);
    game.run(1.0);
    assert_eq!(game.rig.seats[0].client.local(hero), None);
    assert_eq!(game.rig.seats[0].client.own_controllers().count(), 0);
}

#[test]
fn ownership_change_is_sent_with_equal_visibility() {
    let mut game = Match::new(1, round_trip(100));
    let visibility = game.rig.server.add_visibility(Visibility::owner());
    let (wolf, client) = (game.wolf, game.rig.server.clients().next().unwrap());
    game.rig.server.set_visibility(wolf, Ownership::Mine, Some(visibility));
    game.rig.server.set_visibility(wolf, Ownership::Others, Some(visibility));
    game.run(1.0);
    assert_eq!(game.rig.seats[0].client.own_controllers().count(), 1);
    game.rig.server.give(wolf, client);
    game.run(1.0);
    assert_eq!(game.rig.seats[0].client.own_controllers().count(), 2);
    game.rig.server.take_back(wolf);
    game.run(1.0);
    assert_eq!(game.rig.seats[0].client.own_controllers().count(), 1);
}

#[test]
fn a_client_plays_several_controllers_in_one_tick() {
    let mut game = Match::new(1, round_trip(100));
    let client = game.rig.server.clients().next().unwrap();
    let second = game.rig.server.simulation_mut().spawn("Hero").unwrap();
    game.rig.server.give(second, client);
    game.run(1.0);
    let before = game.rig.seats[0].client.statistics().mispredicted;
    let own: Vec<_> = game.rig.seats[0].client.own_controllers().collect();
    assert_eq!(own.len(), 2);
    for hero in own {
        let client = &mut game.rig.seats[0].client;
        client.press(hero, "Slot.GA_Shield").unwrap();
        client.press(hero, "Slot.GA_Weapon").unwrap();
    }
    game.run(0.05);
    for hero in [game.heroes[0], second] {
        assert_eq!(game.shown(0, hero, "Armor"), 10.0);
        assert!(game.has_tag(0, hero, "Cooldown.Weapon"));
    }
    game.run(1.0);
    assert_eq!(game.truth(second, "Armor"), 10.0);
    let statistics = game.rig.seats[0].client.statistics();
    assert_eq!((statistics.confirmed, statistics.mispredicted), (4, before));
}

/// A late acknowledgement, for a client that sees a controller leave and come back.
#[test]
fn late_acknowledgement_does_not_count_for_a_new_view() {
    let (mut raw, _) = RawServer::with_hero();
    let client = raw.server.clients().next().unwrap();
    // Another one sees it all the time.
    let hello = raw.hello(2);
    raw.say(2, ToServer::Hello(hello));
    let wolf = raw.server.simulation_mut().spawn("Wolf").unwrap();
    while raw.server.poll_transmit().is_some() {}
    let mut told = Vec::new();
    let mut look = |raw: &mut RawServer| {
        raw.tick();
        for update in raw.heard(1) {
            for change in &update.controllers {
                if change.controller == wolf {
                    let pieces = match &change.change {
                        ControllerChange::Gone => None,
                        ControllerChange::Pieces { pieces, .. } => Some(pieces.len()),
                    };
                    told.push((update.packet, pieces));
                }
            }
        }
        told.clone()
    };
    let came = look(&mut raw)[0].0;
    raw.server.hide(wolf, client);
    let gone = look(&mut raw)[1].0;
    let acknowledge = |raw: &mut RawServer, newest: PacketId, earlier| {
        raw.packet += 1;
        let (packet, ack) = (PacketId(raw.packet), Ack { newest, earlier });
        let now = raw.server.current_tick();
        raw.say(1, ToServer::Frames(Frames { session: 1, packet, ack, now, frames: Vec::new() }));
    };
    // The second overtook the first.
    acknowledge(&mut raw, gone, 0);
    raw.server.show(wolf, client);
    acknowledge(&mut raw, gone, 1 << (gone.0 - came.0 - 1));
    let told = look(&mut raw);
    let whole = told[0].1;
    assert_eq!(told.last().map(|(_, pieces)| *pieces), Some(whole), "{told:?}");
    assert_eq!(told.len(), 3, "{told:?}");
}

/// Bytes that a client receives when one of two hidden controllers affects its hero.
fn told_of_an_attack_by(culprit: usize) -> Vec<Update> {
    let (mut raw, hero) = RawServer::with_hero();
    let ghosts = [0, 1].map(|_| raw.server.simulation_mut().spawn("ShyHero").unwrap());
    raw.tick();
    while raw.server.poll_transmit().is_some() {}
    let burn = raw.server.catalog().effect("GE_Burn").unwrap();
    raw.server.simulation_mut().apply_effect(burn, Some(ghosts[culprit]), hero).unwrap();
    raw.tick();
    raw.heard(1)
}

#[test]
fn hidden_source_of_an_effect_is_not_sent() {
    assert_eq!(told_of_an_attack_by(0), told_of_an_attack_by(1));
}

#[test]
fn source_that_comes_into_view_is_sent_for_earlier_effects() {
    let mut game = Match::new(1, round_trip(100));
    let (hero, wolf) = (game.heroes[0], game.wolf);
    let client = game.rig.server.clients().next().unwrap();
    game.rig.server.hide(wolf, client);
    game.run(0.5);
    let burn = game.rig.server.catalog().effect("GE_Burn").unwrap();
    game.rig.server.simulation_mut().apply_effect(burn, Some(wolf), hero).unwrap();
    let source = |game: &Match| {
        let sim = game.rig.seats[0].client.simulation();
        let effects = sim.controller(game.local(0, hero)).unwrap().effects();
        let burning = effects.iter().filter_map(|id| sim.effect(*id)).find(|active| active.effect() == burn);
        burning.expect("it burns").source()
    };
    game.run(1.0);
    assert_eq!(source(&game), Some(ControllerId::UNSEEN));
    let corrected = game.rig.seats[0].client.statistics().mispredicted;
    game.rig.server.show(wolf, client);
    game.run(1.0);
    assert_eq!(source(&game), Some(game.local(0, wolf)));
    assert_eq!(game.rig.seats[0].client.statistics().mispredicted, corrected);
}

/// Sends a datagram that acknowledges nothing, and lets a tick pass.
fn stay(raw: &mut RawServer) {
    raw.packet += 1;
    let (packet, now) = (PacketId(raw.packet), raw.server.current_tick());
    let ack = Ack::default();
    raw.say(1, ToServer::Frames(Frames { session: 1, packet, ack, now, frames: Vec::new() }));
    raw.tick();
    while raw.server.poll_transmit().is_some() {}
}

/// Spawns and despawns wolves before a client that acknowledges nothing.
fn come_and_go(raw: &mut RawServer, times: usize) {
    for _ in 0..times {
        let wolves = [(); 200].map(|()| raw.server.simulation_mut().spawn("Wolf").unwrap());
        stay(raw);
        for wolf in wolves {
            raw.server.simulation_mut().despawn(wolf).unwrap();
        }
        stay(raw);
        while raw.server.poll_event().is_some() {}
    }
}

#[test]
fn removals_of_controllers_that_were_never_sent_are_not_remembered() {
    let config = ServerConfig { bytes_per_second: 0, ..ServerConfig::default() };
    let (mut raw, _) = RawServer::with_hero_by(config);
    come_and_go(&mut raw, 5);
    let before = raw.server.held();
    come_and_go(&mut raw, 95);
    // 20,000 in all. Datagrams and own ticks without an acknowledgement are some hundreds.
    assert!(raw.server.held() < before + 1_000, "{} after {before}", raw.server.held());
    assert_eq!(raw.server.clients().count(), 1);
}

#[test]
fn client_that_acknowledges_no_removals_is_dropped() {
    let config = ServerConfig { bytes_per_second: 100_000_000, ..ServerConfig::default() };
    let (mut raw, _) = RawServer::with_hero_by(config);
    come_and_go(&mut raw, 20); // 4,000, and 4,096 are remembered
    assert_eq!(raw.server.clients().count(), 1);
    come_and_go(&mut raw, 2);
    assert_eq!(raw.server.clients().count(), 0);
    assert!(raw.server.held() < 1_000, "{}", raw.server.held());
}
