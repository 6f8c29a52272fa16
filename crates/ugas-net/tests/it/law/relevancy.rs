//! What each client sees, and what must not be told.

use ugas_core::handle::ControllerId;
use ugas_net::link::Conditions;
use ugas_net::message::{Ack, ControllerChange, Frames, PacketId, ToServer, Update};
use ugas_net::{Lens, Own};

use super::desk::{Desk, round_trip};
use crate::fixture::Match;

#[test]
fn what_is_hidden_as_soon_as_it_is_there_is_never_seen() {
    let mut game = Match::new(1, Conditions::perfect());
    let client = game.rig.server.clients().next().unwrap();
    let wolf = game.rig.server.simulation_mut().spawn("Wolf").unwrap();
    game.rig.server.hide(wolf, client);
    game.run(0.5);
    assert_eq!(game.rig.seats[0].client.local(wolf), None);
}

#[test]
fn another_lens_does_not_show_what_is_hidden() {
    let mut game = Match::new(1, round_trip(100));
    let client = game.rig.server.clients().next().unwrap();
    let lens = game.rig.server.add_lens(Lens::full());
    game.rig.server.hide(game.wolf, client);
    game.rig.server.set_lens(game.wolf, Own::Others, Some(lens));
    game.run(1.0);
    assert_eq!(game.rig.seats[0].client.local(game.wolf), None);
}

#[test]
fn a_lens_shows_again_what_none_hid() {
    for pause in [0.0, 1.0] {
        let mut game = Match::new(1, round_trip(100));
        game.rig.server.set_lens(game.wolf, Own::Others, None);
        game.run(pause);
        let lens = game.rig.server.add_lens(Lens::minimal());
        game.rig.server.set_lens(game.wolf, Own::Others, Some(lens));
        game.run(1.0);
        assert!(game.rig.seats[0].client.local(game.wolf).is_some(), "after {pause} s");
    }
}

#[test]
fn an_owner_whose_lens_is_taken_sees_no_more() {
    let mut game = Match::new(1, round_trip(100));
    let hero = game.heroes[0];
    game.rig.server.set_lens(hero, Own::Own, None);
    game.run(1.0);
    assert_eq!(game.rig.seats[0].client.local(hero), None);
    assert_eq!(game.rig.seats[0].client.own_controllers().count(), 0);
}

#[test]
fn who_owns_is_told_also_if_the_lens_is_the_same() {
    let mut game = Match::new(1, round_trip(100));
    let lens = game.rig.server.add_lens(Lens::owner());
    let (wolf, client) = (game.wolf, game.rig.server.clients().next().unwrap());
    game.rig.server.set_lens(wolf, Own::Own, Some(lens));
    game.rig.server.set_lens(wolf, Own::Others, Some(lens));
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

/// What the network does to one who sees a controller leave and come back, with an acknowledgement that comes late.
#[test]
fn a_late_acknowledgement_is_not_taken_for_one_of_what_came_back() {
    let (mut desk, _) = Desk::with_hero();
    let client = desk.server.clients().next().unwrap();
    // Another one sees it all the time.
    let hello = desk.hello(2);
    desk.say(2, ToServer::Hello(hello));
    let wolf = desk.server.simulation_mut().spawn("Wolf").unwrap();
    while desk.server.poll_transmit().is_some() {}
    let mut told = Vec::new();
    let mut look = |desk: &mut Desk| {
        desk.tick();
        for update in desk.heard(1) {
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
    let came = look(&mut desk)[0].0;
    desk.server.hide(wolf, client);
    let gone = look(&mut desk)[1].0;
    let acknowledge = |desk: &mut Desk, newest: PacketId, earlier| {
        desk.packet += 1;
        let (packet, ack) = (PacketId(desk.packet), Ack { newest, earlier });
        let now = desk.server.current_tick();
        desk.say(1, ToServer::Frames(Frames { packet, ack, now, frames: Vec::new() }));
    };
    // The second overtook the first.
    acknowledge(&mut desk, gone, 0);
    desk.server.show(wolf, client);
    acknowledge(&mut desk, gone, 1 << (gone.0 - came.0 - 1));
    let told = look(&mut desk);
    let whole = told[0].1;
    assert_eq!(told.last().map(|(_, pieces)| *pieces), Some(whole), "{told:?}");
    assert_eq!(told.len(), 3, "{told:?}");
}

/// What a client is told when one of two whom it does not see did something to its hero.
fn told_of_an_attack_by(culprit: usize) -> Vec<Update> {
    let (mut desk, hero) = Desk::with_hero();
    let ghosts = [0, 1].map(|_| desk.server.simulation_mut().spawn("ShyHero").unwrap());
    desk.tick();
    while desk.server.poll_transmit().is_some() {}
    let burn = desk.server.catalog().effect("GE_Burn").unwrap();
    desk.server.simulation_mut().apply_effect(burn, Some(ghosts[culprit]), hero).unwrap();
    desk.tick();
    desk.heard(1)
}

#[test]
fn who_is_not_seen_is_not_named_as_the_source_of_an_effect() {
    assert_eq!(told_of_an_attack_by(0), told_of_an_attack_by(1));
}

#[test]
fn who_comes_into_view_is_named_as_the_source_of_what_it_did_before() {
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
