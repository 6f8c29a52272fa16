//! Replication modes and visibility (§13.2, §5.5).

use ugas_net::{ClientEvent, Ownership, Visibility};
use ugas_netsim::link::Conditions;

use crate::fixture::Match;

/// Effects, tags and attributes of a hero as the owner and another client see them.
fn table(template: &str) -> [Option<(bool, bool, bool)>; 2] {
    let mut game = Match::new(2, Conditions::perfect());
    let client = game.rig.server.clients().next().unwrap();
    let hero = game.rig.server.simulation_mut().spawn(template).unwrap();
    game.rig.server.give(hero, client);
    game.afflict(hero, "GE_Shield");
    game.run(1.0);
    [0, 1].map(|seat| {
        let client = &game.rig.seats[seat].client;
        let local = client.local(hero)?;
        let sim = client.simulation();
        let shield = sim.catalog().effect("GE_Shield").unwrap();
        let effects = sim.effect_count(local, shield) > 0;
        let tags = game.has_tag(seat, hero, "State.Shielded");
        let attributes = game.read(seat, hero, "Armor") == Some(10.0);
        Some((effects, tags, attributes))
    })
}

#[test]
fn section_13_2_the_table_of_modes() {
    assert_eq!(table("Hero"), [Some((true, true, true)), Some((false, true, false))]); // Mixed
    assert_eq!(table("OpenHero"), [Some((true, true, true)), Some((true, true, true))]); // Full
    assert_eq!(table("ShyHero"), [None, None]); // None
    assert_eq!(table("Wolf"), [Some((false, true, false)), Some((false, true, false))]); // Minimal
}

#[test]
fn attribute_replication_decides_who_receives_values() {
    let mut game = Match::new(2, Conditions::perfect());
    let open = game.rig.server.simulation_mut().spawn("OpenHero").unwrap();
    let client = game.rig.server.clients().next().unwrap();
    game.rig.server.give(open, client);
    game.afflict(open, "GE_Bolt_Cost");
    game.run(0.5);
    assert!(game.shown(0, open, "Mana") < 90.0); // 100 - 20, and a little of it came back
    assert_eq!(game.read(1, open, "Mana"), None); // OwnerOnly
    assert_eq!([0, 1].map(|seat| game.read(seat, open, "Luck")), [None; 2]); // None
}

#[test]
fn custom_visibility_shows_health_to_others() {
    let mut game = Match::new(2, Conditions::perfect());
    let health = game.rig.server.catalog().attribute("Health").unwrap();
    let visibility = game.rig.server.add_visibility(Visibility::minimal().with_attribute(health));
    let hero = game.heroes[0];
    game.rig.server.set_visibility(hero, Ownership::Others, Some(visibility));
    game.afflict(hero, "GE_Bolt_Hit");
    game.run(0.5);
    assert_eq!(game.shown(1, hero, "Health"), 75.0);
    assert_eq!(game.shown(0, hero, "Health"), 75.0);
}

#[test]
fn late_joiner_receives_effects_and_cues_with_their_start() {
    let mut game = Match::new(1, Conditions::perfect());
    let hero = game.heroes[0];
    game.afflict(hero, "GE_Shield");
    game.run(1.0);
    game.rig.join(Default::default(), Conditions::broadband());
    game.run(1.0);
    assert!(game.has_tag(1, hero, "State.Shielded"));
    let cue = game.rig.server.catalog().tag("GameplayCue.Shield").unwrap();
    let began = game.heard(1).into_iter().find_map(|event| match event {
        ClientEvent::CueBegan { cue: known, since, .. } if known == cue => Some(since),
        _ => None,
    });
    let since = began.expect("it is shown").expect("it is known since when");
    let age = game.rig.server.simulation().now().since(since).as_seconds();
    assert!((1.9..2.2).contains(&age), "{age}");
}

#[test]
fn controller_back_in_view_is_complete() {
    let mut game = Match::new(1, Conditions::bad());
    let (wolf, client) = (game.wolf, game.rig.server.clients().next().unwrap());
    game.afflict(wolf, "GE_Shield");
    for _ in 0..5 {
        game.rig.server.hide(wolf, client);
        game.run(1.0);
        assert_eq!(game.rig.seats[0].client.local(wolf), None);
        game.rig.server.show(wolf, client);
        game.run(1.0);
        assert!(game.has_tag(0, wolf, "Kind.Wolf"));
    }
}

#[test]
fn ownership_goes_from_one_client_to_another() {
    let mut game = Match::new(2, Conditions::broadband());
    let hero = game.heroes[0];
    let second = game.rig.server.clients().nth(1).unwrap();
    game.rig.server.give(hero, second);
    game.run(1.0);
    assert_eq!(game.rig.seats[0].client.own_controllers().count(), 0);
    assert_eq!(game.rig.seats[1].client.own_controllers().count(), 2);
    assert_eq!(game.rig.server.owner(hero), Some(second));
    assert_eq!(game.shown(1, hero, "Health"), game.truth(hero, "Health"));
}

#[test]
fn clients_converge_under_loss() {
    for seed in 0..4 {
        let mut game = Match::new(2, Conditions::terrible());
        for round in 0..20 {
            let (hero, wolf) = (game.heroes[(seed + round) % 2], game.wolf);
            game.afflict(hero, "GE_Bolt_Hit");
            game.afflict(wolf, "GE_Shield");
            let _ = game.cast(round % 2, "GA_Weapon");
            game.run(0.2);
        }
        game.rig.seats.iter_mut().for_each(|seat| seat.link.set_conditions(Conditions::perfect()));
        game.run(4.0);
        for seat in 0..2 {
            let client = &game.rig.seats[seat].client;
            let hero = client.remote(client.own_controllers().next().unwrap()).unwrap();
            for attribute in ["Health", "Armor"] {
                assert_eq!(game.shown(seat, hero, attribute), game.truth(hero, attribute), "{attribute}");
            }
            assert!(!game.has_tag(seat, game.wolf, "State.Shielded"));
        }
    }
}

#[test]
fn client_knows_which_attributes_are_shown() {
    let mut game = Match::new(1, Conditions::perfect());
    game.run(1.0);
    let (hero, wolf) = (game.local(0, game.heroes[0]), game.local(0, game.wolf));
    let client = &game.rig.seats[0].client;
    let shown = |controller| {
        let all = ["Health", "Mana", "Armor", "Luck"].into_iter();
        let is_shown = |name: &&str| client.is_shown(controller, client.catalog().attribute(name).unwrap());
        all.filter(is_shown).collect::<Vec<_>>()
    };
    // Luck is for nobody (§5.5), and of the wolf there are only tags and cues (§13.2).
    assert_eq!(shown(hero), ["Health", "Mana", "Armor"]);
    assert!(shown(wolf).is_empty());
    // The rest reads as not replicated (N1), and not as a default.
    let luck = client.catalog().attribute("Luck").unwrap();
    assert_eq!(client.simulation().current(hero, luck), None);
}
