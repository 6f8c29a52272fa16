//! Authority: what a client may do (§13.7).

use ugas_core::handle::GrantedAbilityId;
use ugas_core::simulation::ActivationRequest;
use ugas_core::targeting::{Placement, TargetData};
use ugas_core::time::Span;
use ugas_net::message::Rejection;
use ugas_net::{ActError, ClientEvent, ServerConfig};
use ugas_netsim::link::Conditions;

use crate::fixture::Match;

fn remote_ability(game: &Match, hero: usize, name: &str) -> GrantedAbilityId {
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
fn server_only_activation_is_not_sent_by_a_client() {
    let mut game = Match::new(1, Conditions::perfect());
    let guarded = game.ability(0, "GA_Guarded");
    let asked = game.rig.seats[0].client.activate(guarded, ActivationRequest::default());
    assert_eq!(asked, Err(ActError::NotAllowed)); // an unmodified client does not send it
}

#[test]
fn abilities_of_others_are_rejected() {
    let mut game = Match::new(2, Conditions::perfect());
    let foreign = remote_ability(&game, 1, "GA_Shield");
    let client = &mut game.rig.seats[0].client;
    // Of others it has no abilities, so that every handle that finds one finds its own.
    let own = client.own_controllers().next().unwrap();
    let sim = client.simulation();
    assert!(sim.controllers().count() > 2);
    for (id, controller) in sim.controllers().filter(|(id, _)| *id != own) {
        assert_eq!(controller.abilities(), [], "of {id:?}");
    }
    assert!(sim.ability(foreign).is_none_or(|ability| ability.controller() == own));
    // What finds nothing is not even sent.
    assert_eq!(
        client.activate(GrantedAbilityId::UNSEEN, ActivationRequest::default()),
        Err(ActError::Unknown)
    );
    // All that it can name, it names: nothing of it happens to the other, or is rejected as somebody else's.
    let handles = sim_abilities(&game);
    for handle in handles {
        let _ = game.rig.seats[0].client.activate(handle, ActivationRequest::default());
        game.run(0.1);
    }
    let sim = game.rig.server.simulation();
    let shielded = sim.catalog().tag("State.Shielded").unwrap();
    assert!(sim.has_tag(game.heroes[0], shielded));
    assert!(!sim.has_tag(game.heroes[1], shielded));
    let client = game.rig.seats[0].client.id().unwrap();
    let foreign = game.rig.server.rejections(client).filter(|(why, _)| *why == Rejection::NotGranted);
    assert_eq!(foreign.count(), 0);
}

/// All abilities that the first client has handles of.
fn sim_abilities(game: &Match) -> Vec<GrantedAbilityId> {
    let sim = game.rig.seats[0].client.simulation();
    sim.controllers().flat_map(|(_, controller)| controller.abilities().to_vec()).collect()
}

#[test]
fn local_only_ability_is_not_sent_and_survives_replays() {
    let mut game = Match::new(1, Conditions::broadband());
    let local = game.ability(0, "GA_Local");
    let client = &mut game.rig.seats[0].client;
    assert_eq!(client.activate(local, ActivationRequest::default()), Err(ActError::LocalOnly));
    client.activate_local(local, ActivationRequest::default()).expect("it can be");
    game.run(0.5);
    let client = &game.rig.seats[0].client;
    assert!(client.local_simulation().is_some(), "it waits for two seconds");
    assert_eq!(game.rig.server.statistics().rejected, 0);
    game.run(2.0);
    assert!(game.rig.seats[0].client.local_simulation().is_none());
    let heard = game.heard(0);
    let ended = heard
        .iter()
        .filter(|event| matches!(event, ClientEvent::Local(event) if event.kind.name() == "AbilityEnded"));
    assert_eq!(ended.count(), 1);
    let shield = game.ability(0, "GA_Shield");
    let client = &mut game.rig.seats[0].client;
    assert_eq!(client.activate_local(shield, ActivationRequest::default()), Err(ActError::NotLocal));
}

#[test]
fn section_13_7_reach_is_checked_with_past_positions() {
    let mut game = Match::new(1, Conditions::broadband());
    let (hero, wolf) = (game.heroes[0], game.wolf);
    let place = |game: &mut Match, controller, x| {
        let placement = Placement::at([x, 0.0, 0.0]).unwrap();
        game.rig.server.simulation_mut().set_placement(controller, Some(placement)).unwrap();
    };
    place(&mut game, hero, 0.0);
    place(&mut game, wolf, 9.0);
    game.run(1.0);
    game.cast(0, "GA_Sling").expect("the client does not know positions");
    game.run(0.5);
    assert_eq!(game.truth(wolf, "Health"), 99.0); // nine of ten metres
    place(&mut game, wolf, 12.0);
    game.run(1.0);
    game.cast(0, "GA_Sling").expect("the client does not know positions");
    game.run(0.5);
    assert_eq!(game.truth(wolf, "Health"), 99.0);
    let client = game.rig.server.clients().next().unwrap();
    let rejections: Vec<_> = game.rig.server.rejections(client).collect();
    assert_eq!(rejections, [(Rejection::NotReachable, 1)]);
}

#[test]
fn wait_for_a_client_ends_at_the_deadline() {
    let config = ServerConfig { client_deadline: Span::seconds(1.0), ..ServerConfig::default() };
    let mut game = Match::with_config(1, Conditions::broadband(), config);
    let hero = game.heroes[0];
    let aim = game.ability(0, "GA_Aim");
    game.rig.seats[0].client.activate(aim, ActivationRequest::default()).expect("it can be");
    game.run(0.5);
    assert!(game.has_tag(0, hero, "State.Aiming"));
    game.run(1.5); // the player never chooses: a lag switch gains nothing
    assert!(!game.has_tag(0, hero, "State.Aiming"));
}

#[test]
fn targets_follow_an_activation() {
    let mut game = Match::new(1, Conditions::broadband());
    let (aim, wolf) = (game.ability(0, "GA_Aim"), game.local(0, game.wolf));
    let client = &mut game.rig.seats[0].client;
    let key = client.activate(aim, ActivationRequest::default()).expect("it can be");
    game.run(0.05);
    let client = &mut game.rig.seats[0].client;
    let run = client.activation_of(key).expect("it is predicted");
    let task = client.simulation().activation(run).unwrap().tasks().next().expect("it waits for targets");
    client.provide_targets(task, &TargetData::from(wolf)).expect("it is sent");
    game.run(0.5);
    assert_eq!(game.truth(game.wolf, "Health"), 99.0);
    assert_eq!(game.rig.seats[0].client.statistics().confirmed, 2);
}

#[test]
fn activation_targets_and_end_travel_together() {
    let mut game = Match::new(1, Conditions::broadband());
    let (hero, wolf) = (game.heroes[0], game.wolf);
    let (aim, channel) = (game.ability(0, "GA_Aim"), game.ability(0, "GA_Channel"));
    let targets = TargetData::from(game.local(0, wolf));
    let client = &mut game.rig.seats[0].client;
    let aimed = client.activate(aim, ActivationRequest::default()).expect("it can be");
    client.target_begun(aimed, &targets).expect("it begins in this tick");
    let channelled = client.activate(channel, ActivationRequest::default()).expect("it can be");
    client.end_begun(channelled).expect("it begins in this tick");
    let unknown = ugas_core::effect::PredictionKey::new(aimed.tick(), 7);
    assert_eq!(client.end_begun(unknown), Err(ActError::Unknown));
    game.run(0.5);
    assert_eq!(game.truth(wolf, "Health"), 99.0);
    assert_eq!(game.rig.server.simulation().controller(hero).unwrap().activations(), []);
    let statistics = game.rig.seats[0].client.statistics();
    assert_eq!((statistics.confirmed, statistics.rejected, statistics.mispredicted), (4, 0, 0));
}

#[test]
fn commands_about_a_begun_activation_are_checked_like_those_about_a_running_one() {
    let mut game = Match::new(1, Conditions::broadband());
    let (oath, focus) = (game.ability(0, "GA_Oath"), game.ability(0, "GA_Focus"));
    let both = TargetData::from_iter([game.local(0, game.wolf), game.local(0, game.heroes[0])]);
    let client = &mut game.rig.seats[0].client;
    let sworn = client.activate(oath, ActivationRequest::default()).expect("it can be");
    assert_eq!(client.end_begun(sworn), Err(ActError::NotAllowed)); // queued
    let aimed = client.activate(focus, ActivationRequest::default()).expect("it can be");
    game.run(0.1);
    let client = &mut game.rig.seats[0].client;
    assert_eq!(client.end_begun(sworn), Err(ActError::NotAllowed)); // running
    assert_eq!(client.target_begun(aimed, &both), Err(ActError::TooManyTargets(1)));
    game.run(0.5);
    assert_eq!(game.rig.server.statistics().forged, 0);
}
