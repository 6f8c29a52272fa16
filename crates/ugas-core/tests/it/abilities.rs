//! Abilities: requirements, costs, cooldowns and commits (§8.1–§8.5, A1–A3).

mod cancelling;
mod granting;

use ugas_core::ability::{AbilityDef, AbilityState, ActivationReason, GameplayEvent, NetExecution};
use ugas_core::attribute::{AttributeDef, AttributeSetDef};
use ugas_core::effect::EffectDef;
use ugas_core::effect::calculation::{CalculationDef, OutputDef};
use ugas_core::effect::magnitude::MagnitudeDef;
use ugas_core::modifier::Operation;
use ugas_core::simulation::{ActivationRequest, Config, Role};
use ugas_core::task::{ActionDef, CommitDef, OnFail, TaskDef};
use ugas_core::time::Span;

use crate::fixture::{Game, buff, instant, tagging};

/// §8.5: 30 of 50 mana.
pub(crate) fn cost() -> EffectDef {
    instant("GE_Cost", "Mana", Operation::Add, -30.0)
}

/// §8.5: five seconds.
pub(crate) fn cooldown() -> EffectDef {
    EffectDef::lasting("GE_Cooldown", 5.0).granting("Cooldown.Skill")
}

/// An ability that lasts until somebody ends it.
pub(crate) fn lasting(name: &str) -> AbilityDef {
    AbilityDef::new(name).task(TaskDef::wait_event("Event.Never"))
}

fn act(action: ActionDef) -> TaskDef {
    TaskDef::Act(action)
}

#[test]
fn section_8_2_the_states_of_an_ability_and_their_events() {
    let skill = AbilityDef::new("GA_Skill")
        .owning("State.Busy")
        .cost("GE_Cost")
        .cooldown("GE_Cooldown")
        .task(TaskDef::wait(1.0))
        .task(TaskDef::commit())
        .task(TaskDef::wait(1.0));
    let (mut game, handles) = Game::with_abilities([cost(), cooldown()], [skill]);
    let skill = handles[0];
    assert_eq!(game.sim.ability_state(skill), Some(AbilityState::Inactive));
    let run = game.run(skill);
    assert_eq!(game.sim.ability_state(skill), Some(AbilityState::Activating));
    assert_eq!(game.log(), ["activated GA_Skill"]);
    assert_eq!(game.current("hero", "Mana"), 50.0);
    game.pass(1.0);
    assert_eq!(game.sim.ability_state(skill), Some(AbilityState::Active));
    // §8.4: cost, cooldown, owned tags, in this order.
    assert_eq!(
        game.log(),
        [
            "executed GE_Cost",
            "hero.Mana 50 -> 20",
            "applied GE_Cooldown",
            "hero +Cooldown.Skill",
            "cooldown of 5",
            "hero +Cooldown",
            "applied <owned tags>",
            "hero +State.Busy",
            "hero +State",
            "committed GA_Skill",
        ]
        .map(|line| line.replace("<owned tags>", &owned_tags_name(&game, run)))
    );
    assert_eq!((game.current("hero", "Mana"), game.has_tag("hero", "State.Busy")), (20.0, true));
    game.pass(1.0);
    assert_eq!(game.sim.ability_state(skill), Some(AbilityState::Inactive));
    assert!(game.log().contains(&"ended GA_Skill Completed".to_owned()));
    assert!(!game.has_tag("hero", "State.Busy"));
    game.sim.revoke(skill).unwrap();
    assert_eq!(game.sim.ability_state(skill), None);
}

fn owned_tags_name(game: &Game, run: ugas_core::handle::ActivationId) -> String {
    let owned = game.sim.activation(run).unwrap().owned_tags().unwrap();
    game.sim.effect_name(game.active(owned).effect()).to_owned()
}

#[test]
fn section_8_1_owned_tags_are_an_infinite_effect_removed_with_the_activation() {
    let (mut game, handles) = Game::with_abilities([], [lasting("GA").owning("State.Busy")]);
    let run = game.run(handles[0]);
    let owned = game.sim.activation(run).unwrap().owned_tags().unwrap();
    assert_eq!(game.active(owned).remaining(game.sim.now()), None);
    assert!(game.has_tag("hero", "State.Busy"));
    assert!(game.sim.cancel(run));
    assert!(game.sim.effect(owned).is_none());
    game.assert_idle("hero");
    assert!(!game.sim.cancel(run), "it is over already");
}

/// Everything that can stand in the way at once, in the order of A1.
#[test]
fn a1_all_reasons_are_reported_in_order() {
    let skill = AbilityDef {
        blocked_by_tags: vec!["State.Rooted".into()],
        source_required_tags: vec!["Team.Friend".into()],
        target_blocked_tags: vec!["State.Dead".into()],
        ..lasting("GA_Skill")
            .tagged("Ability.Skill")
            .requires("State.Armed")
            .blocked_by("State.Silenced")
            .cost("GE_Cost")
            .cooldown("GE_Cooldown")
    };
    let blocker = lasting("GA_Blocker").blocks("Ability.Skill");
    let (mut game, handles) = Game::with_abilities(
        [
            cost(),
            cooldown(),
            tagging("State.Armed"),
            tagging("State.Silenced"),
            tagging("State.Rooted"),
            tagging("State.Dead"),
            tagging("Team.Friend"),
        ],
        [skill, blocker],
    );
    let armed = game.activate("Tag:State.Armed", "hero", "hero");
    let (hero, wolf) = (game.id("hero"), game.id("wolf"));
    game.run(handles[0]);
    game.run(handles[1]);
    game.apply("Tag:State.Silenced", "hero", "hero");
    game.apply("Tag:State.Rooted", "hero", "hero");
    game.apply("Tag:State.Dead", "hero", "wolf");
    game.sim.remove(armed, ugas_core::simulation::Stacks::All).unwrap();
    let event = GameplayEvent { instigator: Some(wolf), ..GameplayEvent::new(game.tag("State")) };
    let request = ActivationRequest::on(wolf).with_event(event);
    game.events();
    let refusal = game.sim.activate_with(handles[0], request).unwrap_err();
    // Mana 50 − 30 is 20, another 30 would be −10.
    assert_eq!(
        refusal.reasons.iter().map(ActivationReason::code).collect::<Vec<_>>(),
        [
            "AlreadyActive",
            "BlockedByAbility",
            "MissingTags",
            "BlockedTags",
            "BlockedTags",
            "MissingTags",
            "BlockedTags",
            "OnCooldown",
            "CannotAfford"
        ]
    );
    assert_eq!((refusal.code(), refusal.controller), ("AlreadyActive", Some(hero)));
    assert!(refusal.describe(&game.sim).contains("`Mana` would be -10 and must not fall below 0"));
    assert_eq!(game.log(), ["refused AlreadyActive"]);
    let gone = handles[1];
    game.sim.revoke(gone).unwrap();
    assert_eq!(Game::codes(game.sim.activate(gone)), ["NotGranted"]);
}

#[test]
fn a1_can_activate_changes_nothing() {
    let skill = lasting("GA").cost("GE_Cost").cooldown("GE_Cooldown");
    let (mut game, handles) = Game::with_abilities([cost(), cooldown()], [skill]);
    let before = game.sim.state_hash();
    assert!(game.sim.can_activate(handles[0]).is_ok());
    assert!(game.sim.can_activate_on(handles[0], game.id("wolf")).is_ok());
    assert_eq!(game.sim.state_hash(), before);
    game.run(handles[0]);
    let before = game.sim.state_hash();
    game.events();
    assert_eq!(
        Game::codes(game.sim.can_activate(handles[0])),
        ["AlreadyActive", "OnCooldown", "CannotAfford"]
    );
    assert_eq!((game.sim.state_hash(), game.events().len()), (before, 0));
}

#[test]
fn a1_source_tags_are_those_of_the_triggering_event() {
    let skill = AbilityDef { source_required_tags: vec!["Team.Friend".into()], ..AbilityDef::new("GA") };
    let (mut game, handles) = Game::with_abilities([tagging("Team.Friend")], [skill]);
    let wolf = game.id("wolf");
    let caused = |game: &Game, instigator| {
        let event = GameplayEvent { instigator, ..GameplayEvent::new(game.tag("Team")) };
        ActivationRequest::default().with_event(event)
    };
    // Without an event there is no source to ask.
    assert!(game.sim.activate(handles[0]).is_ok());
    let nobody = caused(&game, None);
    assert_eq!(Game::codes(game.sim.activate_with(handles[0], nobody)), ["MissingTags"]);
    let by_wolf = caused(&game, Some(wolf));
    assert_eq!(Game::codes(game.sim.activate_with(handles[0], by_wolf.clone())), ["MissingTags"]);
    game.apply("Tag:Team.Friend", "wolf", "wolf");
    assert!(game.sim.activate_with(handles[0], by_wolf).is_ok());
}

#[test]
fn v2_activation_request_with_non_finite_numbers_is_refused() {
    let (mut game, handles) = Game::with_abilities([tagging("Event")], [lasting("GA")]);
    let nowhere = ActivationRequest::on([f64::NAN, 0.0, 0.0]);
    assert_eq!(Game::codes(game.sim.activate_with(handles[0], nowhere)), ["NonFinite"]);
    let event = GameplayEvent { magnitude: f64::INFINITY, ..GameplayEvent::new(game.tag("Event")) };
    let infinite = ActivationRequest::default().with_event(event.clone());
    assert_eq!(Game::codes(game.sim.activate_with(handles[0], infinite)), ["NonFinite"]);
    assert_eq!(game.sim.send_event(game.id("hero"), event).unwrap_err().code(), "NonFinite");
    assert!(!game.is_active(handles[0]));
}

#[test]
fn a2_a_cost_is_affordable_down_to_the_minimum_exactly() {
    for (price, affordable) in [(50.0, true), (50.5, false)] {
        let effect = instant("GE_Cost", "Mana", Operation::Add, -price);
        let (mut game, handles) = Game::with_abilities([effect], [AbilityDef::new("GA").cost("GE_Cost")]);
        assert_eq!(game.sim.can_activate(handles[0]).is_ok(), affordable, "{price}");
        assert_eq!(game.sim.activate(handles[0]).is_ok(), affordable);
        assert_eq!(game.current("hero", "Mana"), if affordable { 0.0 } else { 50.0 });
    }
}

#[test]
fn a2_without_a_minimum_zero_is_the_limit_and_gains_are_free() {
    // Strength has no minimum and is 50.
    let price = |amount| instant("GE_Cost", "Strength", Operation::Add, amount);
    for (amount, affordable) in [(-50.0, true), (-51.0, false), (10.0, true)] {
        let (game, handles) = Game::with_abilities([price(amount)], [AbilityDef::new("GA").cost("GE_Cost")]);
        assert_eq!(game.sim.can_activate(handles[0]).is_ok(), affordable, "{amount}");
    }
}

#[test]
fn a2_cost_must_be_covered_by_the_current_value_too() {
    // Base 50, current 50 − 30 = 20: a price of 25 would leave −5 to be seen.
    let weak = buff("GE_Weak", "Mana", Operation::Add, -30.0);
    let price = instant("GE_Cost", "Mana", Operation::Add, -25.0);
    let (mut game, handles) = Game::with_abilities([weak, price], [AbilityDef::new("GA").cost("GE_Cost")]);
    assert!(game.sim.can_activate(handles[0]).is_ok());
    game.apply("GE_Weak", "wolf", "hero");
    let refusal = game.sim.can_activate(handles[0]).unwrap_err();
    let [ActivationReason::CannotAfford { would_be, minimum, .. }] = refusal.reasons[..] else { panic!() };
    assert_eq!((would_be, minimum), (-5.0, 0.0));
}

#[test]
fn a2_cost_effect_is_shared_through_set_by_caller_magnitudes() {
    // GASD §4.5.14: one cost effect, two prices; the second grows with the level.
    let price = EffectDef::instant("GE_Cost").modify(
        "Mana",
        Operation::Add,
        MagnitudeDef::set_by_caller("Data.Cost"),
    );
    let cheap = AbilityDef::new("GA_Cheap").cost("GE_Cost").with_magnitude("Data.Cost", -5.0);
    let dear = AbilityDef::new("GA_Dear").cost("GE_Cost").with_magnitude("Data.Cost", "-10 * Level");
    let silent = AbilityDef::new("GA_Silent").cost("GE_Cost");
    let (mut game, handles) = Game::with_abilities([price], [cheap, dear, silent]);
    game.run(handles[0]);
    assert_eq!(game.current("hero", "Mana"), 45.0);
    game.sim.set_ability_level(handles[1], 3).unwrap();
    game.run(handles[1]);
    assert_eq!(game.current("hero", "Mana"), 15.0);
    assert_eq!(Game::codes(game.sim.activate(handles[1])), ["CannotAfford"]);
    assert_eq!(Game::codes(game.sim.activate(handles[2])), ["MissingSetByCaller"]);
    assert_eq!(game.current("hero", "Mana"), 15.0);
}

#[test]
fn a2_costs_by_expression_calculation_and_several_modifiers() {
    // Strength 50 × 0.5 = 25.
    let expression = EffectDef::instant("GE_A").modify(
        "Mana",
        Operation::Add,
        MagnitudeDef::expression("-Strength * 0.5"),
    );
    let calculation = CalculationDef {
        name: "Calc".into(),
        captures: vec![],
        lets: vec![],
        outputs: vec![OutputDef {
            attribute: "Mana".into(),
            operation: Operation::Add,
            magnitude: "-Source.Strength".into(),
            to: Default::default(),
        }],
        result: None,
        tags: Vec::new(),
    };
    // Twice 30 is more than 50, though either alone is not.
    let twice = EffectDef::instant("GE_C").modify("Mana", Operation::Add, -30.0).modify(
        "Mana",
        Operation::Add,
        -30.0,
    );
    let priced = |name: &str, cost: &str| AbilityDef::new(name).cost(cost);
    let mut game = Game::build(|builder| {
        builder
            .calculation(calculation)
            .effect(expression)
            .effect(EffectDef::instant("GE_B").executing("Calc"))
            .effect(twice)
            .ability(priced("GA_A", "GE_A"))
            .ability(priced("GA_B", "GE_B"))
            .ability(priced("GA_C", "GE_C"))
    });
    let handles = ["GA_A", "GA_B", "GA_C"].map(|name| game.grant("hero", name));
    assert_eq!(Game::codes(game.sim.can_activate(handles[2])), ["CannotAfford"]);
    assert!(game.sim.can_activate(handles[1]).is_ok());
    game.run(handles[0]);
    assert_eq!(game.current("hero", "Mana"), 25.0);
    assert_eq!(Game::codes(game.sim.activate(handles[1])), ["CannotAfford"]);
}

#[test]
fn a2_b3_meta_cost_must_be_covered_by_the_drained_attributes() {
    // Shield 20 and Mana 30 pay 50 together, and not 51.
    for (price, affordable) in [(50.0, true), (51.0, false)] {
        let set = AttributeSetDef::new("Purse")
            .with(AttributeDef::new("Shield", 20.0).min(0.0))
            .with(AttributeDef::new("Fuel", 30.0).min(0.0))
            .with(AttributeDef::new("Price", 0.0).drain_into(["Shield", "Fuel"]));
        let mut game = Game::build(|builder| {
            builder
                .attribute_set(set)
                .effect(instant("GE_Cost", "Price", Operation::Add, price))
                .ability(AbilityDef::new("GA").cost("GE_Cost"))
        });
        let (hero, purse) = (game.id("hero"), game.sim.catalog().attribute_set("Purse").unwrap());
        game.sim.register_set(hero, purse).unwrap();
        let handle = game.grant("hero", "GA");
        let refusal = game.sim.activate(handle).err();
        assert_eq!(refusal.is_none(), affordable);
        if let Some(refusal) = refusal {
            let [ActivationReason::CannotAfford { attribute, would_be, .. }] = refusal.reasons[..] else {
                panic!()
            };
            assert_eq!((attribute, would_be), (game.attribute("Fuel"), -1.0));
        }
        let left = if affordable { (0.0, 0.0) } else { (20.0, 30.0) };
        assert_eq!((game.current("hero", "Shield"), game.current("hero", "Fuel")), left);
    }
}

#[test]
fn section_8_5_cooldown_reports_time_left_and_total() {
    let skill = AbilityDef::new("GA").cooldown("GE_Cooldown");
    let (mut game, handles) = Game::with_abilities([cooldown()], [skill]);
    assert_eq!(game.sim.ability_cooldown(handles[0]), None);
    game.run(handles[0]);
    game.events();
    game.pass(2.0);
    let times = (Span::seconds(3.0), Span::seconds(5.0));
    assert_eq!(game.sim.ability_cooldown(handles[0]), Some(times));
    let refusal = game.sim.activate(handles[0]).unwrap_err();
    let [ActivationReason::OnCooldown { tag, remaining }] = refusal.reasons[..] else { panic!() };
    assert_eq!((tag, remaining), (game.tag("Cooldown.Skill"), Some(Span::seconds(3.0))));
    game.events();
    game.pass(3.0);
    let log = game.log();
    assert!(log.contains(&"CooldownEnded".to_owned()), "{log:?}");
    game.run(handles[0]);
}

#[test]
fn section_8_5_cooldown_tags_share_or_separate_cooldowns() {
    let shared = |name: &str| AbilityDef::new(name).cooldown("GE_Cooldown");
    let timed = EffectDef::lasting("GE_Own", MagnitudeDef::set_by_caller("Data.Cooldown"));
    let own = AbilityDef {
        cooldown_tags: vec!["Cooldown.Own".into()],
        ..AbilityDef::new("GA_Own").cooldown("GE_Own").with_magnitude("Data.Cooldown", 2.0)
    };
    let (mut game, handles) =
        Game::with_abilities([cooldown(), timed], [shared("GA_A"), shared("GA_B"), own]);
    game.run(handles[0]);
    assert_eq!(game.log().iter().filter(|line| *line == "cooldown of 5").count(), 2);
    assert_eq!(Game::codes(game.sim.activate(handles[1])), ["OnCooldown"]);
    game.run(handles[2]);
    // The tag is the ability's, the time the caller's.
    assert!(game.log().contains(&"cooldown of 2".to_owned()));
    assert_eq!(game.sim.ability_cooldown(handles[2]).map(|(left, _)| left), Some(Span::seconds(2.0)));
}

#[test]
fn e9_cooldown_without_its_magnitude_is_refused_before_the_cost() {
    let timed =
        EffectDef::lasting("GE_Own", MagnitudeDef::set_by_caller("Data.Cooldown")).granting("Cooldown");
    let skill = AbilityDef::new("GA").cost("GE_Cost").cooldown("GE_Own");
    let (mut game, handles) = Game::with_abilities([cost(), timed], [skill]);
    assert_eq!(Game::codes(game.sim.activate(handles[0])), ["MissingSetByCaller"]);
    assert_eq!(game.current("hero", "Mana"), 50.0);
}

#[test]
fn e13_immunity_does_not_block_the_cooldown() {
    let tireless = EffectDef::infinite("GE_Tireless").immune_to("Cooldown");
    let skill = lasting("GA").cost("GE_Cost").cooldown("GE_Cooldown").owning("State.Busy");
    let (mut game, handles) = Game::with_abilities([cost(), cooldown(), tireless], [skill]);
    game.apply("GE_Tireless", "hero", "hero");
    let run = game.run(handles[0]);
    assert!(game.log().iter().all(|line| !line.starts_with("refused")));
    assert_eq!((game.current("hero", "Mana"), game.has_tag("hero", "State.Busy")), (20.0, true));
    assert!(game.sim.ability_cooldown(handles[0]).is_some());
    assert!(game.sim.activation(run).unwrap().is_committed());
}

#[test]
fn a2_split_commits_apply_cost_and_cooldown_separately() {
    let skill = AbilityDef::new("GA")
        .owning("State.Busy")
        .cost("GE_Cost")
        .cooldown("GE_Cooldown")
        .task(act(ActionDef::CommitCost(CommitDef::default())))
        .task(TaskDef::wait(1.0))
        .task(act(ActionDef::CommitCooldown(CommitDef::default())))
        .task(act(ActionDef::Commit(CommitDef { on_fail: OnFail::Continue })))
        .task(TaskDef::wait(1.0));
    let (mut game, handles) = Game::with_abilities([cost(), cooldown()], [skill]);
    game.run(handles[0]);
    assert_eq!((game.current("hero", "Mana"), game.has_tag("hero", "Cooldown.Skill")), (20.0, false));
    assert!(game.has_tag("hero", "State.Busy"));
    game.events();
    game.pass(1.0);
    assert_eq!((game.current("hero", "Mana"), game.has_tag("hero", "Cooldown.Skill")), (20.0, true));
    // The last commit would pay again, and cannot (A12).
    assert_eq!(game.count("AbilityCommitted"), 1);
    assert!(game.is_active(handles[0]));
}

#[test]
fn a2_a_commit_checks_again_and_a_failure_cancels() {
    let skill = AbilityDef::new("GA").cost("GE_Cost").task(TaskDef::wait(1.0)).task(TaskDef::commit());
    let (mut game, handles) = Game::with_abilities([cost()], [skill]);
    game.run(handles[0]);
    game.apply("GE_Cost", "wolf", "hero");
    game.events();
    game.pass(1.0);
    assert_eq!(game.log(), ["refused CannotAfford", "cancelled GA CommitFailed"]);
    assert_eq!(game.current("hero", "Mana"), 20.0);
    game.assert_idle("hero");
}

#[test]
fn a3_without_a_commit_task_the_ability_commits_on_activation() {
    let plain = lasting("GA_Plain").cost("GE_Cost");
    // Inside a branch that may never be taken, it still is where the author put it.
    let late = AbilityDef::new("GA_Late").cost("GE_Cost").task(TaskDef::If {
        condition: 0.0.into(),
        then: vec![TaskDef::commit()],
        otherwise: vec![TaskDef::wait(1.0)],
    });
    let (mut game, handles) = Game::with_abilities([cost()], [plain, late]);
    game.run(handles[1]);
    assert_eq!(game.current("hero", "Mana"), 50.0);
    game.run(handles[0]);
    assert_eq!(game.current("hero", "Mana"), 20.0);
}

#[test]
fn section_8_4_the_host_may_commit_a_run() {
    let skill = AbilityDef::new("GA").cost("GE_Cost").task(TaskDef::wait(1.0)).task(TaskDef::commit());
    let (mut game, handles) = Game::with_abilities([cost()], [skill]);
    let run = game.run(handles[0]);
    game.sim.commit(run).unwrap();
    assert_eq!(game.current("hero", "Mana"), 20.0);
    game.pass(1.0);
    assert_eq!(game.current("hero", "Mana"), 20.0, "A12: it would be paid again, and cannot be");
    assert_eq!(Game::codes(game.sim.commit(run)), ["NotGranted"]);
}

#[test]
fn consequences_of_a_commit_precede_the_first_task() {
    // The price halves Strength while the cooldown runs; the first task sees it.
    let tiring = cooldown().modify("Strength", Operation::Multiply, -0.5);
    let skill = AbilityDef::new("GA")
        .cooldown("GE_Cooldown")
        .with_parameter("Seen", 0.0)
        .task(act(ActionDef::SetParameter { name: "Seen".into(), value: "Strength".into() }));
    let (mut game, handles) = Game::with_abilities([tiring], [skill]);
    game.run(handles[0]);
    assert_eq!(game.sim.ability(handles[0]).unwrap().parameter("Seen"), Some(25.0));
}

#[test]
fn section_13_4_an_ability_of_the_server_is_refused_on_a_client() {
    let config = Config { role: Role::Client, ..Config::seeded(7) };
    let server = AbilityDef { net_execution: NetExecution::ServerOnly, ..AbilityDef::new("GA_Server") };
    let mut game =
        Game::configured(config, |builder| builder.ability(server).ability(AbilityDef::new("GA_Local")));
    let (server, local) = (game.grant("hero", "GA_Server"), game.grant("hero", "GA_Local"));
    assert_eq!(Game::codes(game.sim.activate(server)), ["NotAuthorised"]);
    game.run(local);
}
