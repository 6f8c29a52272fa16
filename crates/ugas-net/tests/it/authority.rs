//! What a client may do (§13.7).

use ugas_core::handle::AbilityHandle;
use ugas_core::simulation::ActivationRequest;
use ugas_net::link::Conditions;

use crate::fixture::Match;

fn remote_ability(game: &Match, hero: usize, name: &str) -> AbilityHandle {
    let sim = game.rig.server.simulation();
    let wanted = sim.catalog().ability(name).unwrap();
    let abilities = sim.controller(game.heroes[hero]).unwrap().abilities();
    *abilities.iter().find(|handle| sim.ability(**handle).unwrap().ability() == wanted).unwrap()
}

#[test]
fn an_ability_of_the_server_is_not_predicted_but_can_be_asked_for() {
    let mut game = Match::new(1, Conditions::broadband());
    let hero = game.heroes[0];
    let royal = game.ability(0, "GA_Royal");
    game.rig.seats[0].client.activate(royal, ActivationRequest::default()).expect("it is sent");
    game.run(0.02);
    assert!(!game.has_tag(0, hero, "State.Shielded"));
    game.run(0.5);
    assert!(game.has_tag(0, hero, "State.Shielded"));
}

#[test]
fn what_only_a_server_may_begin_is_rejected() {
    let mut game = Match::new(1, Conditions::perfect());
    let guarded = game.ability(0, "GA_Guarded");
    let _ = game.rig.seats[0].client.activate(guarded, ActivationRequest::default());
    game.run(0.5);
    let client = game.rig.server.clients().next().unwrap();
    let rejections: Vec<_> = game.rig.server.rejections(client).collect();
    assert_eq!(rejections, [(ugas_net::message::Rejection::NotAllowed, 1)]);
}

#[test]
fn the_abilities_of_others_cannot_even_be_named() {
    let mut game = Match::new(2, Conditions::perfect());
    let foreign = remote_ability(&game, 1, "GA_Shield");
    // The handle means something else or nothing at this client, and never the other's ability.
    let result = game.rig.seats[0].client.activate(foreign, ActivationRequest::default());
    game.run(0.5);
    let shielded = game.rig.server.catalog().tag("State.Shielded").unwrap();
    assert!(!game.rig.server.simulation().has_tag(game.heroes[1], shielded), "{result:?}");
}
