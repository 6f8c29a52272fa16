//! Dice that only the authority rolls, and dice that both sides roll alike (V5).

use ugas_core::ability::AbilityDef;
use ugas_core::effect::magnitude::MagnitudeDef;
use ugas_core::effect::{AdditionalEffectDef, EffectDef, PredictionKey};
use ugas_core::handle::GrantedAbilityId;
use ugas_core::modifier::Operation;
use ugas_core::prediction::{Prediction, Randomness};
use ugas_core::simulation::{ActivationRequest, Role};
use ugas_core::task::{ActionDef, TaskDef};

use super::{outcome, played, wound};
use crate::fixture::Game;

fn rolled(name: &str) -> EffectDef {
    let magnitude = MagnitudeDef::expression("-floor(rand() * 1000000)");
    EffectDef::instant(name).modify("Attack", Operation::Add, magnitude)
}

#[test]
fn server_dice_are_left_to_the_server() {
    let certain = wound("GE_Certain").with_chance(1.0);
    let (mut game, _) =
        played(Role::Client, [rolled("GE_Roll"), wound("GE_Chance").with_chance(0.5), certain], []);
    assert_eq!(outcome(&mut game, "GE_Roll", "hero", "hero"), "NotPredicted");
    assert_eq!(outcome(&mut game, "GE_Chance", "hero", "hero"), "NotPredicted");
    assert_eq!(outcome(&mut game, "GE_Certain", "hero", "hero"), "Executed");
    let (mut game, _) = played(Role::Server, [rolled("GE_Roll")], []);
    assert_eq!(outcome(&mut game, "GE_Roll", "hero", "hero"), "Executed");
}

#[test]
fn shared_dice_need_a_prediction_key() {
    let (mut game, _) = played(Role::Client, [rolled("GE_Roll").randomness(Randomness::Predicted)], []);
    assert_eq!(outcome(&mut game, "GE_Roll", "hero", "hero"), "NotPredicted");
    let spec = game.spec("GE_Roll", "hero").predicted(PredictionKey::new(4, 0));
    game.apply_spec(&spec, "hero");
    assert_ne!(game.current("hero", "Attack"), 100.0);
}

/// A shot of three pellets with an echo each, a spread of its own, and dice that only the server has.
fn shotgun() -> (Vec<EffectDef>, AbilityDef) {
    let shared = |name: &str| rolled(name).randomness(Randomness::Predicted).predicted(Prediction::Predict);
    let pellet = shared("GE_Pellet").also(AdditionalEffectDef::new("GE_Echo"));
    let crit = EffectDef::instant("GE_Crit").modify(
        "Speed",
        Operation::Add,
        MagnitudeDef::expression("floor(rand() * 1000000)"),
    );
    let pellets = TaskDef::Repeat {
        count: Some(3.0.into()),
        interval: None,
        tasks: vec![TaskDef::apply_to_target("GE_Pellet"), TaskDef::apply_to_target("GE_Crit")],
    };
    let spread = ActionDef::SetParameter { name: "Spread".into(), value: "floor(rand() * 1000000)".into() };
    let ability = AbilityDef::new("GA_Shotgun")
        .with_parameter("Spread", 0.0)
        .randomness(Randomness::Predicted)
        .task(TaskDef::Act(spread))
        .task(pellets)
        .task(TaskDef::wait(1.0))
        .task(TaskDef::apply_to_target("GE_Pellet"));
    (vec![pellet, shared("GE_Echo"), crit], ability)
}

fn fire(role: Role, key: Option<PredictionKey>) -> (Game, GrantedAbilityId) {
    let (effects, ability) = shotgun();
    let (mut game, handles) = played(role, effects, [ability]);
    let mut request = ActivationRequest::on(game.id("wolf"));
    request.prediction = key;
    game.sim.activate_with(handles[0], request).unwrap();
    (game, handles[0])
}

/// Damage of each pellet and echo, in order.
fn hits(game: &mut Game) -> Vec<f64> {
    game.events()
        .iter()
        .filter_map(|event| match &event.kind {
            ugas_core::event::EventKind::AttributeChanged { attribute, old, new, .. }
                if *attribute == game.sim.catalog().attribute("Attack").unwrap() =>
            {
                Some(new - old)
            }
            _ => None,
        })
        .collect()
}

#[test]
fn client_and_server_roll_alike_under_a_key() {
    let key = PredictionKey::new(60, 2);
    let (mut client, on_client) = fire(Role::Client, Some(key));
    let (mut server, on_server) = fire(Role::Server, Some(key));
    for (game, handle) in [(&client, on_client), (&server, on_server)] {
        let run = game.sim.ability(handle).unwrap().activations()[0];
        assert!(game.sim.has_shared_activation_dice(game.sim.activation(run).unwrap()));
    }
    let spread = |game: &Game, handle| game.sim.ability(handle).unwrap().parameter("Spread");
    assert_eq!(spread(&client, on_client), spread(&server, on_server));
    client.pass(1.0);
    server.pass(1.0);
    let (seen, true_hits) = (hits(&mut client), hits(&mut server));
    assert_eq!(seen, true_hits);
    // Four pellets with an echo each, and no two alike.
    assert_eq!(seen.len(), 8);
    let mut distinct = seen.clone();
    distinct.sort_by(f64::total_cmp);
    distinct.dedup();
    assert_eq!(distinct.len(), 8, "{seen:?}");
    // The dice of the server changed nothing on the client.
    assert_eq!(client.current("wolf", "Speed"), 400.0);
    assert_ne!(server.current("wolf", "Speed"), 400.0);
}

#[test]
fn another_key_has_other_dice() {
    let mut all = Vec::new();
    for key in [PredictionKey::new(60, 2), PredictionKey::new(60, 3), PredictionKey::new(61, 2)] {
        let (mut game, _) = fire(Role::Server, Some(key));
        all.push(hits(&mut game)[0].to_bits());
    }
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 3);
}

#[test]
fn two_players_who_act_at_the_same_tick_have_other_dice() {
    let (effects, ability) = shotgun();
    let mut first_hits = Vec::new();
    let mut spreads = Vec::new();
    for shooter in ["hero", "wolf"] {
        let (mut game, _) = played(Role::Server, effects.clone(), [ability.clone()]);
        let shooter = game.id(shooter);
        let shotgun = game.sim.catalog().ability("GA_Shotgun").unwrap();
        let handle = game.sim.grant(shooter, shotgun, 1).unwrap();
        let request = ActivationRequest::on(game.id("wolf")).predicted(PredictionKey::new(60, 2));
        game.sim.activate_with(handle, request).unwrap();
        first_hits.push(hits(&mut game)[0]);
        spreads.push(game.sim.ability(handle).unwrap().parameter("Spread"));
    }
    assert_ne!(first_hits[0], first_hits[1]);
    assert_ne!(spreads[0], spreads[1]);
}

#[test]
fn without_a_key_dice_come_from_the_simulation() {
    let (mut server, _) = fire(Role::Server, None);
    let (mut authority, _) = fire(Role::Authority, None);
    assert_eq!(hits(&mut server), hits(&mut authority));
    let (mut client, on_client) = fire(Role::Client, None);
    assert_eq!(hits(&mut client), [0.0; 0]);
    assert_eq!(client.sim.ability(on_client).unwrap().parameter("Spread"), Some(0.0));
}

#[test]
fn task_with_unknown_number_is_skipped_and_a_deciding_one_holds() {
    let act = |value: &str| TaskDef::Act(ActionDef::SetParameter { name: "P".into(), value: value.into() });
    let ability = || {
        AbilityDef::new("GA")
            .with_parameter("P", 0.0)
            .task(act("rand() + 1"))
            .task(TaskDef::apply_to_owner("GE_Wound"))
            .task(TaskDef::wait("0.1 + rand() / 100"))
            .task(TaskDef::apply_to_owner("GE_Wound"))
    };
    let (mut game, handles) = played(Role::Client, [wound("GE_Wound")], [ability()]);
    game.run(handles[0]);
    assert_eq!(game.sim.ability(handles[0]).unwrap().parameter("P"), Some(0.0));
    game.pass(5.0);
    assert_eq!(game.current("hero", "Health"), 70.0);
    assert!(game.is_active(handles[0]));
    assert_eq!(game.count("TaskFailed"), 0);
    assert_eq!(game.sim.inconsistencies(), [""; 0]);
    let copy =
        ugas_core::simulation::Snapshot::from_bytes(&game.sim.snapshot().to_bytes(), game.sim.catalog());
    assert_eq!(copy.unwrap().state_hash(), game.sim.state_hash());
    let (mut game, handles) = played(Role::Server, [wound("GE_Wound")], [ability()]);
    game.run(handles[0]);
    game.pass(5.0);
    assert_eq!(game.current("hero", "Health"), 40.0);
    assert!(!game.is_active(handles[0]));
}

#[test]
fn ticks_roll_alike_on_both_sides() {
    let burn = EffectDef::lasting("GE_Burn", 5.0)
        .every(1.0)
        .modify("Attack", Operation::Add, MagnitudeDef::expression("-floor(rand() * 1000000)"))
        .randomness(Randomness::Predicted);
    let play = |role| {
        let (mut game, _) = played(role, [burn.clone()], []);
        let spec = game.spec("GE_Burn", "hero").predicted(PredictionKey::new(9, 0));
        let active = game.apply_spec(&spec, "hero").active().unwrap();
        assert!(game.sim.has_shared_dice(game.active(active)));
        game.pass(5.0);
        hits(&mut game)
    };
    let (client, server) = (play(Role::Client), play(Role::Server));
    assert_eq!((client.len(), &client), (5, &server));
}
