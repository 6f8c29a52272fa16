//! Net execution of abilities (GASD §4.6.8), allowed effects (§13.7), and dependent prediction keys.

use ugas_core::ability::{AbilityDef, NetExecution, NetSecurity, TriggerOn};
use ugas_core::catalog::CatalogBuilder;
use ugas_core::effect::{AdditionalEffectDef, EffectDef, PredictionKey};
use ugas_core::event::EventKind;
use ugas_core::modifier::Operation;
use ugas_core::prediction::{Knowledge, Prediction};
use ugas_core::simulation::{ActivationRequest, Config, Role};
use ugas_core::targeting::{EffectContainerDef, TargetingDef};
use ugas_core::task::{ActionDef, ApplyDef, RemoveDef, SendEventDef, TaskDef, WaitDef};

use super::{played, wound};
use crate::fixture::{Game, buff, instant};

#[test]
fn abilities_run_by_their_net_execution_policy() {
    let never = AbilityDef::new("GA_Never").predicted(Prediction::Never);
    let of = |execution: NetExecution| AbilityDef::new(format!("GA_{execution:?}")).net_execution(execution);
    let defs = || {
        [
            of(NetExecution::LocalPredicted),
            of(NetExecution::LocalOnly),
            of(NetExecution::ServerOnly),
            of(NetExecution::ServerInitiated),
            never.clone(),
        ]
    };
    for (role, expected) in [
        (Role::Authority, ["", "", "", "", ""]),
        (Role::Server, ["", "ClientOnly", "", "", ""]),
        (Role::Client, ["", "", "NotAuthorised", "NotAuthorised", "NotPredicted"]),
    ] {
        let (mut game, handles) = played(role, [], defs());
        let codes: Vec<&str> = handles
            .iter()
            .map(|&handle| match game.sim.activate(handle) {
                Ok(_) => "",
                Err(refusal) => refusal.code(),
            })
            .collect();
        assert_eq!(codes, expected, "{role:?}");
    }
}

#[test]
fn refusal_names_the_side_that_runs_the_ability() {
    let never = AbilityDef::new("GA_Never").predicted(Prediction::Never);
    let (mut game, handles) = played(Role::Client, [], [never]);
    let refusal = game.sim.activate(handles[0]).unwrap_err();
    assert!(
        refusal.describe(&game.sim).contains("a client does not predict it, the authority will decide"),
        "{}",
        refusal.describe(&game.sim)
    );
    let local = AbilityDef::new("GA_Local").net_execution(NetExecution::LocalOnly);
    let (mut game, handles) = played(Role::Server, [], [local]);
    let refusal = game.sim.activate(handles[0]).unwrap_err();
    assert!(refusal.describe(&game.sim).contains("it runs on clients only"));
}

#[test]
fn tasks_continue_after_an_action_left_to_the_authority() {
    let strike = AbilityDef::new("GA_Strike")
        .task(TaskDef::apply_to_target("GE_Wound"))
        .task(TaskDef::Act(ActionDef::RemoveFromTarget(RemoveDef {
            effect: Some("GE_Boon".into()),
            ..RemoveDef::default()
        })))
        .task(TaskDef::apply_to_owner("GE_Wound"));
    let boon = buff("GE_Boon", "Speed", Operation::Add, 1.0).predicted(Prediction::Predict);
    let (mut game, handles) = played(Role::Client, [wound("GE_Wound"), boon], [strike]);
    let boon = game.activate("GE_Boon", "wolf", "wolf");
    game.sim.set_known(game.id("wolf"), Knowledge::Shown);
    game.events();
    game.sim.activate_on(handles[0], game.id("wolf")).unwrap();
    assert_eq!((game.current("wolf", "Health"), game.current("hero", "Health")), (100.0, 70.0));
    assert!(game.sim.effect(boon).is_some());
    let log = game.log();
    assert!(log.contains(&"ended GA_Strike Completed".to_owned()), "{log:?}");
    assert!(!log.iter().any(|words| words.contains("refused") || words.contains("Failed")), "{log:?}");
}

#[test]
fn ability_removes_effects_that_it_predicted_on_others() {
    let hold = ApplyDef { name: Some("hold".into()), ..ApplyDef::new("GE_Slow") };
    let beam = AbilityDef::new("GA_Beam")
        .task(TaskDef::Act(ActionDef::ApplyToTarget(hold)))
        .task(TaskDef::wait(1.0))
        .task(TaskDef::Act(ActionDef::RemoveFromTarget(RemoveDef {
            name: Some("hold".into()),
            ..RemoveDef::default()
        })));
    let slow = buff("GE_Slow", "Speed", Operation::Add, -100.0).predicted(Prediction::Predict);
    let (mut game, handles) = played(Role::Client, [slow], [beam]);
    game.sim.set_known(game.id("wolf"), Knowledge::Shown);
    let request = ActivationRequest::on(game.id("wolf")).predicted(PredictionKey::new(3, 0));
    game.sim.activate_with(handles[0], request).unwrap();
    assert_eq!(game.current("wolf", "Speed"), 300.0);
    game.pass(1.0);
    assert_eq!(game.current("wolf", "Speed"), 400.0);
}

#[test]
fn cosmetic_ability_runs_and_changes_nothing() {
    let shout = || {
        AbilityDef::new("GA_Shout")
            .predicted(Prediction::CosmeticOnly)
            .owning("State.Shouting")
            .cost("GE_Cost")
            .cooldown("GE_Cooldown")
            .task(TaskDef::apply_to_owner("GE_Roar"))
            .task(TaskDef::wait(1.0))
    };
    let effects = || {
        [
            instant("GE_Cost", "Mana", Operation::Add, -10.0),
            EffectDef::lasting("GE_Cooldown", 5.0).granting("Cooldown.Shout"),
            wound("GE_Roar").cue("GameplayCue.Roar"),
        ]
    };
    let (mut game, handles) = played(Role::Client, effects(), [shout()]);
    game.run(handles[0]);
    assert!(game.has_tag("hero", "State.Shouting") && !game.has_tag("hero", "Cooldown.Shout"));
    assert_eq!((game.current("hero", "Mana"), game.current("hero", "Health")), (50.0, 100.0));
    assert_eq!(game.log().iter().filter(|words| *words == "cue !GameplayCue.Roar").count(), 1);
    game.pass(1.0);
    game.assert_idle("hero");
    let (mut game, handles) = played(Role::Server, effects(), [shout()]);
    game.run(handles[0]);
    assert!(game.has_tag("hero", "State.Shouting") && game.has_tag("hero", "Cooldown.Shout"));
    assert_eq!((game.current("hero", "Mana"), game.current("hero", "Health")), (40.0, 70.0));
}

#[test]
fn ability_may_only_apply_effects_that_it_names() {
    let mut game = Game::build(|builder: CatalogBuilder| {
        let effects = ["Cost", "Cooldown", "Task", "Nested", "Contained", "Allowed", "Linked", "Other"];
        let effects = effects.map(|name| {
            let effect = EffectDef::lasting(format!("GE_{name}"), 1.0).granting(format!("Is.{name}"));
            if name == "Task" { effect.also(AdditionalEffectDef::new("GE_Linked")) } else { effect }
        });
        let nested = TaskDef::If {
            condition: 1.0.into(),
            then: vec![TaskDef::Race(vec![vec![TaskDef::apply_to_target("GE_Nested")]])],
            otherwise: Vec::new(),
        };
        let mut ability = AbilityDef::new("GA_All")
            .cost("GE_Cost")
            .cooldown("GE_Cooldown")
            .task(TaskDef::apply_to_owner("GE_Task"))
            .task(TaskDef::apply_to_owner("GE_Task"))
            .task(nested)
            .task(TaskDef::Act(ActionDef::ApplyContainer("Burst".into())));
        ability.allowed_effects.push("GE_Allowed".into());
        let builder = effects.into_iter().fold(builder, CatalogBuilder::effect);
        let burst = EffectContainerDef::new("Burst", TargetingDef::default()).effect("GE_Contained", 1.0);
        builder.container(burst).ability(ability).ability(AbilityDef::new("GA_Nothing"))
    });
    game.grant("hero", "GA_All");
    let (all, nothing) = (game.ability("GA_All"), game.ability("GA_Nothing"));
    for name in ["Cost", "Cooldown", "Task", "Nested", "Contained", "Allowed"] {
        let effect = game.effect(&format!("GE_{name}"));
        assert!(game.sim.may_apply(all, effect), "{name}");
        assert!(!game.sim.may_apply(nothing, effect), "{name}");
    }
    // What GE_Task leads to comes by the rules, and is nothing to ask for.
    for name in ["Linked", "Other"] {
        assert!(!game.sim.may_apply(all, game.effect(&format!("GE_{name}"))), "{name}");
    }
    let ability = game.sim.catalog().ability_by_id(all).unwrap();
    assert_eq!(ability.effects().count(), 6, "each once");
}

#[test]
fn gasd_4_6_15_net_security_limits_client_requests() {
    for (security, may_begin, may_end) in [
        (NetSecurity::ClientOrServer, true, true),
        (NetSecurity::ServerOnlyExecution, false, true),
        (NetSecurity::ServerOnlyTermination, true, false),
        (NetSecurity::ServerOnly, false, false),
    ] {
        for execution in [NetExecution::LocalPredicted, NetExecution::ServerOnly] {
            let may = (security.client_may_begin(), security.client_may_end(execution));
            assert_eq!(may, (may_begin, may_end));
        }
    }
    let by_execution = NetSecurity::default();
    assert!(by_execution.client_may_begin());
    let may_end = [
        NetExecution::LocalPredicted,
        NetExecution::LocalOnly,
        NetExecution::ServerOnly,
        NetExecution::ServerInitiated,
    ]
    .map(|execution| by_execution.client_may_end(execution));
    assert_eq!(may_end, [true, false, false, false]);
}

/// Prediction keys of the started activations, by ability.
fn keys(game: &mut Game) -> Vec<(String, Option<PredictionKey>)> {
    let events = game.events();
    let begun = events.iter().filter_map(|event| match event.kind {
        EventKind::AbilityActivated { ability, .. } => {
            Some((game.sim.catalog().ability_name(ability).to_owned(), event.prediction))
        }
        _ => None,
    });
    begun.collect()
}

#[test]
fn activation_triggered_by_a_predicted_one_has_a_dependent_key() {
    let abilities = || {
        [
            AbilityDef::new("GA_Cast")
                .task(TaskDef::apply_to_owner("GE_Mark"))
                .task(TaskDef::Act(ActionDef::SendEvent(SendEventDef::new("Event.Cast"))))
                .task(TaskDef::Act(ActionDef::ActivateAbility("GA_Named".into())))
                .task(TaskDef::Act(ActionDef::ActivateAbilitiesWithTags(vec!["Ability.Tagged".into()]))),
            AbilityDef::new("GA_OnTag").triggered(TriggerOn::TagAdded, "State.Marked"),
            AbilityDef::new("GA_OnEvent").triggered(TriggerOn::Event, "Event.Cast"),
            AbilityDef::new("GA_Named"),
            AbilityDef::new("GA_Tagged").tagged("Ability.Tagged"),
        ]
    };
    let mark = || EffectDef::lasting("GE_Mark", 1.0).granting("State.Marked");
    let key = PredictionKey::new(60, 3);
    let cast = |role| {
        let (mut game, handles) = played(role, [mark()], abilities());
        let request = ActivationRequest::default().predicted(key);
        game.sim.activate_with(handles[0], request).unwrap();
        keys(&mut game)
    };
    let on_client = cast(Role::Client);
    assert_eq!(on_client, cast(Role::Server), "both sides arrive at the same keys");
    let mut names: Vec<&str> = on_client.iter().map(|(name, _)| &**name).collect();
    names.sort_unstable();
    assert_eq!(names, ["GA_Cast", "GA_Named", "GA_OnEvent", "GA_OnTag", "GA_Tagged"]);
    let mut found: Vec<PredictionKey> = on_client.iter().map(|(_, key)| key.unwrap()).collect();
    assert_eq!(found[0], key);
    assert!(found[1..].iter().all(|found| found.is_dependent() && found.origin() == key));
    found.sort_unstable();
    found.dedup();
    assert_eq!(found.len(), 5, "each has its own");
    // Without a prediction there is none to depend on.
    let (mut game, handles) = played(Role::Server, [mark()], abilities());
    game.run(handles[0]);
    assert!(keys(&mut game).iter().all(|(_, key)| key.is_none()));
}

#[test]
fn wait_net_sync_is_over_at_once_on_both_sides() {
    let synced = || {
        AbilityDef::new("GA_Sync")
            .task(TaskDef::Wait(WaitDef::NetSync { max_delay: Some(1.0.into()) }))
            .task(TaskDef::apply_to_owner("GE_Wound"))
    };
    for role in [Role::Client, Role::Server] {
        let (mut game, handles) = played(role, [wound("GE_Wound")], [synced()]);
        game.run(handles[0]);
        assert_eq!(game.current("hero", "Health"), 70.0, "{role:?}");
        assert!(!game.is_active(handles[0]));
    }
}

#[test]
fn authority_ignores_prediction_policies() {
    let config = Config { role: Role::Authority, ..Config::seeded(1) };
    let mut game = Game::configured(config, |builder| {
        builder.effect(wound("GE_Wound").predicted(Prediction::Never).with_chance(1.0))
    });
    game.sim.set_known(game.id("wolf"), Knowledge::Shown);
    game.apply("GE_Wound", "hero", "wolf");
    assert_eq!(game.current("wolf", "Health"), 70.0);
}
