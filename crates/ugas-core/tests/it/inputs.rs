//! Input (§11): presses, releases, activations by input, and the input buffer (§11.3).

use ugas_core::ability::{AbilityDef, Grant};
use ugas_core::effect::{EffectDef, PredictionKey};
use ugas_core::handle::GrantedAbilityId;
use ugas_core::input::{InputBufferConfig, InputId};
use ugas_core::modifier::Operation;
use ugas_core::simulation::{PressOutcome, Stacks};
use ugas_core::task::{TaskDef, WaitDef};
use ugas_core::time::Span;

use crate::abilities::lasting;
use crate::fixture::{Game, instant};

/// Abilities for A, B and C, each bound to the input of its letter and blocked by a stun; the window is 0.15
/// s, with room for `size` inputs.
fn arena(size: u32) -> Game {
    let buffer = InputBufferConfig { enabled: true, window: Span::millis(150), size };
    let mut game = Game::build(|builder| {
        let builder = ["A", "B", "C"].iter().fold(builder, |builder, name| {
            builder.ability(lasting(&format!("GA_{name}")).blocked_by("State.Stunned"))
        });
        builder
            .input_buffer(buffer)
            .effect(EffectDef::infinite("GE_Stun").granting("State.Stunned"))
            .effect(instant("GE_Cost", "Mana", Operation::Add, -30.0))
            .ability(AbilityDef::new("GA_Dear").blocked_by("State.Stunned").cost("GE_Cost"))
    });
    for name in ["A", "B", "C"] {
        bind(&mut game, &format!("GA_{name}"), name);
    }
    game.events();
    game
}

fn bind(game: &mut Game, ability: &str, input: &str) -> GrantedAbilityId {
    let grant = Grant::new(game.ability(ability)).input(input);
    game.sim.grant_with(game.id("hero"), grant).unwrap()
}

fn press(game: &mut Game, input: &str) -> PressOutcome {
    game.sim.press(game.id("hero"), input).unwrap()
}

fn active(game: &Game) -> Vec<&str> {
    let catalog = game.sim.catalog();
    let abilities = game.sim.controller(game.id("hero")).unwrap().abilities();
    let active = abilities.iter().filter_map(|&handle| game.sim.ability(handle));
    active
        .filter(|granted| granted.is_active())
        .map(|granted| catalog.ability_name(granted.ability()))
        .collect()
}

fn buffered(game: &Game) -> Vec<String> {
    let buffer = game.sim.controller(game.id("hero")).unwrap().input_buffer();
    buffer.iter().map(|kept| kept.input.to_string()).collect()
}

/// Stuns the hero, presses at the given times in seconds, and lets the stun end at the last.
fn unblocked_at(game: &mut Game, presses: &[(f64, &str)], end: f64) {
    let stun = game.activate("GE_Stun", "wolf", "hero");
    let start = game.sim.now();
    for &(at, input) in presses {
        game.sim.advance_to(start + Span::seconds(at));
        assert!(matches!(press(game, input), PressOutcome::Buffered(_)));
    }
    game.sim.advance_to(start + Span::seconds(end));
    game.sim.remove(stun, Stacks::All).unwrap();
}

#[test]
fn section_11_2_press_activates_the_bound_ability() {
    let mut game = arena(3);
    assert!(matches!(press(&mut game, "A"), PressOutcome::Activated(_)));
    assert_eq!(active(&game), ["GA_A"]);
    assert_eq!(press(&mut game, "Nothing"), PressOutcome::Unbound);
    assert_eq!(game.log(), ["InputPressed", "activated GA_A", "committed GA_A", "InputPressed"]);
    let hero = game.id("hero");
    game.pass(0.5);
    assert_eq!(game.sim.held(hero, &InputId::new("A")), Some(Span::seconds(0.5)));
    assert_eq!((game.sim.release(hero, "A"), game.sim.release(hero, "A")), (Ok(true), Ok(false)));
    assert_eq!(game.sim.held(hero, &InputId::new("A")), None);
    game.sim.despawn(hero).unwrap();
    assert_eq!(game.sim.press(hero, "A").unwrap_err().code(), "UnknownController");
    assert_eq!(game.sim.release(hero, "A").unwrap_err().code(), "UnknownController");
    assert_eq!(game.sim.confirm(hero).unwrap_err().code(), "UnknownController");
    assert_eq!(game.sim.decline(hero).unwrap_err().code(), "UnknownController");
}

#[test]
fn a13_press_activates_every_bound_ability() {
    let mut game = arena(3);
    let other = bind(&mut game, "GA_B", "A");
    press(&mut game, "A");
    assert_eq!(active(&game), ["GA_A", "GA_B"]);
    assert!(game.is_active(other));
    game.sim.bind_input(other, Some("Z".into())).unwrap();
    game.sim.cancel_ability(other).unwrap();
    press(&mut game, "Z");
    assert!(game.is_active(other));
}

#[test]
fn section_11_3_blocked_input_is_buffered_and_retried_when_the_block_ends() {
    let mut game = arena(3);
    unblocked_at(&mut game, &[(0.0, "A")], 0.1);
    assert_eq!((active(&game), buffered(&game)), (vec!["GA_A"], vec![]));
    let log = game.log();
    assert!(log.contains(&"InputBuffered".to_owned()), "{log:?}");
}

#[test]
fn activation_by_a_buffered_input_belongs_to_the_prediction_of_the_input() {
    let mut game = arena(3);
    let (hero, key) = (game.id("hero"), PredictionKey::new(7, 2));
    let stun = game.activate("GE_Stun", "hero", "hero");
    let pressed = game.sim.predicting(key, |sim| sim.press(hero, "A")).unwrap();
    assert!(matches!(pressed, PressOutcome::Buffered(_)));
    game.pass(0.1);
    game.sim.remove(stun, Stacks::All).unwrap();
    let run = game.sim.controller(hero).unwrap().activations()[0];
    let prediction = game.sim.activation(run).unwrap().prediction();
    assert_eq!(prediction.map(PredictionKey::origin), Some(key));
}

#[test]
fn section_11_3_buffered_input_expires_at_the_end_of_its_window() {
    for (end, expected) in [(0.149_999, vec!["GA_A"]), (0.15, vec![]), (0.2, vec![])] {
        let mut game = arena(3);
        unblocked_at(&mut game, &[(0.0, "A")], end);
        assert_eq!((active(&game), buffered(&game)), (expected, vec![]), "{end}");
    }
}

#[test]
fn section_11_3_inputs_are_retried_in_order_until_one_succeeds_and_the_rest_is_dropped() {
    let mut game = arena(3);
    unblocked_at(&mut game, &[(0.0, "B"), (0.01, "A"), (0.02, "C")], 0.1);
    assert_eq!((active(&game), buffered(&game)), (vec!["GA_B"], vec![]));
    // The oldest has expired, the next is the first.
    let mut game = arena(3);
    unblocked_at(&mut game, &[(0.0, "B"), (0.1, "A"), (0.11, "C")], 0.2);
    assert_eq!(active(&game), ["GA_A"]);
}

#[test]
fn section_11_3_full_buffer_keeps_the_newest_inputs() {
    let mut game = arena(2);
    unblocked_at(&mut game, &[(0.0, "A"), (0.01, "B"), (0.02, "C")], 0.1);
    assert_eq!(active(&game), ["GA_B"]);
}

#[test]
fn section_11_3_failed_retry_tries_the_next_input() {
    // Mana 50 pays 30 once; the second time it is too little, and the input after it has its turn.
    let mut game = arena(3);
    let dear = bind(&mut game, "GA_Dear", "D");
    game.run(dear);
    let stun = game.activate("GE_Stun", "wolf", "hero");
    assert!(matches!(press(&mut game, "D"), PressOutcome::Buffered(_)));
    assert!(matches!(press(&mut game, "C"), PressOutcome::Buffered(_)));
    game.pass(0.1);
    game.events();
    game.sim.remove(stun, Stacks::All).unwrap();
    assert_eq!((active(&game), buffered(&game)), (vec!["GA_C"], vec![]));
    assert!(game.log().contains(&"refused CannotAfford".to_owned()));
}

#[test]
fn section_11_3_only_blocked_inputs_are_buffered() {
    let mut game = arena(3);
    let dear = bind(&mut game, "GA_Dear", "D");
    game.run(dear);
    let PressOutcome::Refused(refusal) = press(&mut game, "D") else {
        panic!("nothing passes by itself here")
    };
    assert_eq!(refusal.code(), "CannotAfford");
    assert!(buffered(&game).is_empty());
    // Of two abilities one is blocked, the other one is too dear: the input waits for the first.
    let run = press(&mut game, "A");
    assert!(matches!(run, PressOutcome::Activated(_)));
    game.sim.bind_input(dear, Some("A".into())).unwrap();
    assert!(matches!(press(&mut game, "A"), PressOutcome::Buffered(_)));
}

#[test]
fn section_11_3_end_of_an_ability_or_cooldown_triggers_a_retry() {
    let buffer = InputBufferConfig { enabled: true, window: Span::millis(150), size: 3 };
    let mut game = Game::build(|builder| {
        builder
            .input_buffer(buffer)
            .effect(EffectDef::lasting("GE_Cooldown", 1.0).granting("Cooldown.Skill"))
            .ability(AbilityDef::new("GA_Short").task(TaskDef::wait(1.0)))
            .ability(AbilityDef::new("GA_Cool").cooldown("GE_Cooldown"))
            .ability(AbilityDef::new("GA_Charged").charges(1, 1.0))
    });
    for (ability, input) in [("GA_Short", "A"), ("GA_Cool", "B"), ("GA_Charged", "C")] {
        bind(&mut game, ability, input);
        assert!(matches!(press(&mut game, input), PressOutcome::Activated(_)));
        game.pass(0.9);
        game.events();
        assert!(matches!(press(&mut game, input), PressOutcome::Buffered(_)), "{ability}");
        game.pass(0.1);
        let log = game.log();
        assert!(log.contains(&format!("activated {ability}")), "{log:?}");
        assert!(buffered(&game).is_empty());
        game.pass(1.0);
    }
}

#[test]
fn section_11_3_buffer_is_disabled_by_default_and_configurable_per_controller() {
    let mut game = arena(3);
    let hero = game.id("hero");
    game.sim.set_input_buffer(hero, InputBufferConfig::default()).unwrap();
    game.apply("GE_Stun", "wolf", "hero");
    assert!(matches!(press(&mut game, "A"), PressOutcome::Refused(_)));
    let long = InputBufferConfig { enabled: true, window: Span::seconds(10.0), size: 1 };
    game.sim.set_input_buffer(hero, long).unwrap();
    assert!(matches!(press(&mut game, "A"), PressOutcome::Buffered(_)));
    game.pass(9.0);
    assert_eq!(buffered(&game), ["A"]);
    game.sim.set_input_buffer(hero, InputBufferConfig::default()).unwrap();
    assert!(buffered(&game).is_empty());
}

#[test]
fn press_that_a_task_waits_for_does_not_activate_abilities() {
    let combo = AbilityDef::new("GA_Combo").task(TaskDef::Wait(WaitDef::InputPressed(None)));
    let mut game = Game::build(|builder| builder.ability(combo).ability(lasting("GA_Other")));
    let combo = bind(&mut game, "GA_Combo", "A");
    assert!(matches!(press(&mut game, "A"), PressOutcome::Activated(_)));
    assert!(game.is_active(combo));
    let other = bind(&mut game, "GA_Other", "A");
    game.events();
    assert_eq!(press(&mut game, "A"), PressOutcome::Consumed);
    assert!(!game.is_active(combo) && !game.is_active(other));
    assert_eq!(game.log(), ["InputPressed", "ended GA_Combo Completed"]);
}

/// §15.1: a buffered tap gives a short hop, although the button has been released.
#[test]
fn section_15_1_buffered_tap_counts_as_released() {
    let jump = AbilityDef::new("GA_Jump")
        .blocked_by("State.Stunned")
        .task(TaskDef::Wait(WaitDef::InputReleased(None)))
        .task(crate::tasks::note("Param(\"Input.HeldTime\")"));
    let buffer = InputBufferConfig { enabled: true, window: Span::millis(150), size: 3 };
    let mut game = Game::build(|builder| {
        builder
            .input_buffer(buffer)
            .effect(EffectDef::infinite("GE_Stun").granting("State.Stunned"))
            .ability(jump)
    });
    let handle = bind(&mut game, "GA_Jump", "Jump");
    let stun = game.activate("GE_Stun", "wolf", "hero");
    press(&mut game, "Jump");
    game.pass(0.05);
    game.sim.release(game.id("hero"), "Jump").unwrap();
    game.pass(0.05);
    game.sim.remove(stun, Stacks::All).unwrap();
    assert!(!game.is_active(handle));
    assert_eq!(crate::tasks::noted(&game, handle), 0.05);
    // Held, it lasts until the release.
    press(&mut game, "Jump");
    game.pass(0.4);
    assert!(game.is_active(handle));
    game.sim.release(game.id("hero"), "Jump").unwrap();
    assert_eq!(crate::tasks::noted(&game, handle), 0.4);
}
