//! Periodic effects and expiry (E3, E6).

use ugas_core::effect::EffectDef;
use ugas_core::effect::magnitude::MagnitudeDef;
use ugas_core::modifier::Operation;
use ugas_core::simulation::Stacks;
use ugas_core::time::{Span, Time};

use crate::fixture::{Game, tagging};

fn drip(name: &str, duration: f64, period: f64) -> EffectDef {
    EffectDef::lasting(name, duration).every(period).modify("Health", Operation::Add, -1.0)
}

#[test]
fn e3_ten_seconds_with_a_period_of_one_are_ten_ticks_and_eleven_with_the_first() {
    let mut game =
        Game::of([drip("GE_Ten", 10.0, 1.0), drip("GE_Eleven", 10.0, 1.0).executing_on_application()]);
    game.apply("GE_Ten", "hero", "hero");
    game.apply("GE_Eleven", "hero", "wolf");
    assert_eq!((game.base("hero", "Health"), game.base("wolf", "Health")), (100.0, 99.0));
    game.pass(20.0);
    assert_eq!((game.base("hero", "Health"), game.base("wolf", "Health")), (90.0, 89.0));
}

#[test]
fn e3_a_period_that_does_not_divide_the_duration_ticks_while_it_lasts() {
    let mut game = Game::of([drip("GE", 1.0, 0.3)]);
    game.apply("GE", "hero", "hero");
    game.pass(5.0);
    assert_eq!(game.base("hero", "Health"), 97.0); // 0.3, 0.6, 0.9
}

#[test]
fn e3_a_period_longer_than_the_duration_never_ticks() {
    let mut game = Game::of([drip("GE", 1.0, 2.0)]);
    let active = game.activate("GE", "hero", "hero");
    assert_eq!(game.active(active).next_tick(), None);
    game.pass(5.0);
    assert_eq!(game.base("hero", "Health"), 100.0);
}

#[test]
fn e3_ticks_are_counted_from_the_application_however_time_passes() {
    let mut game = Game::of([EffectDef::infinite("GE").every(1.0).modify("Health", Operation::Add, -1.0)]);
    game.pass(0.25);
    let active = game.activate("GE", "hero", "hero");
    game.events();
    for _ in 0..7 {
        game.pass(0.7);
    }
    let times: Vec<Time> = game
        .events()
        .iter()
        .filter(|event| event.kind.name() == "EffectExecuted")
        .map(|event| event.time)
        .collect();
    // 0.25 + 7 × 0.7 = 5.15: ticks at 1.25, 2.25, 3.25 and 4.25.
    assert_eq!(times, [1.25, 2.25, 3.25, 4.25].map(Time::from_seconds));
    assert_eq!(
        (game.active(active).ticks(), game.active(active).next_tick()),
        (4, Some(Time::from_seconds(5.25)))
    );
}

#[test]
fn e3_at_the_instant_of_expiry_modifiers_and_tags_are_gone() {
    let effect = EffectDef::lasting("GE", 1.0).modify("Attack", Operation::Add, 10.0).granting("State.X");
    let mut game = Game::of([effect]);
    game.apply("GE", "hero", "hero");
    game.sim.advance(Span::from_micros(999_999));
    assert!(game.has_tag("hero", "State.X"));
    assert_eq!(game.current("hero", "Attack"), 110.0);
    game.sim.advance(Span::from_micros(1));
    assert!(!game.has_tag("hero", "State.X"));
    assert_eq!(game.current("hero", "Attack"), 100.0);
}

#[test]
fn e3_the_last_tick_still_has_the_effects_own_tags_and_modifiers() {
    let effect = EffectDef::lasting("GE", 1.0)
        .every(1.0)
        .granting("State.X")
        .modify("Attack", Operation::Multiply, 1.0)
        .modify(
            "Health",
            Operation::Add,
            MagnitudeDef::expression("if(Target.HasTag(\"State.X\"), -Target.Attack / 10, 0)"),
        );
    let mut game = Game::of([effect]);
    game.apply("GE", "hero", "hero");
    game.pass(1.0);
    assert_eq!(game.base("hero", "Health"), 80.0); // −200 / 10
}

#[test]
fn e3_an_effect_removed_between_ticks_does_not_tick_again() {
    let mut poison = drip("GE_Poison", 10.0, 1.0);
    poison.remove_on_tags.push("State.Clean".into());
    let mut game = Game::of([poison, tagging("State.Clean")]);
    let active = game.activate("GE_Poison", "wolf", "hero");
    game.pass(2.5);
    game.apply("Tag:State.Clean", "hero", "hero");
    assert!(game.sim.effect(active).is_none());
    game.pass(10.0);
    assert_eq!(game.base("hero", "Health"), 98.0);
    assert_eq!(game.sim.remove(active, Stacks::All).unwrap_err().code(), "UnknownHandle");
}

#[test]
fn e3_refused_tick_emits_an_event_and_the_next_tick_runs() {
    let effect = EffectDef::infinite("GE").every(1.0).modify(
        "Health",
        Operation::Add,
        MagnitudeDef::expression("-10 / (Target.Mana - 50)"),
    );
    let mut game = Game::of([effect, EffectDef::instant("GE_Mana").modify("Mana", Operation::Add, 5.0)]);
    // The first evaluation is part of the application.
    game.apply("GE_Mana", "hero", "hero");
    game.apply("GE", "hero", "hero");
    let take = EffectDef::instant("GE_Take").modify("Mana", Operation::Add, -5.0);
    let take = game.sim.define_effect(take).unwrap();
    let hero = game.id("hero");
    game.sim.apply_effect(take, None, hero).unwrap();
    game.events();
    game.pass(1.0);
    assert_eq!(game.log(), ["refused GE NonFinite"]);
    game.apply("GE_Mana", "hero", "hero");
    game.pass(1.0);
    assert_eq!(game.base("hero", "Health"), 98.0);
}

#[test]
fn e6_zero_and_negative_durations_are_applied_and_removed_at_once() {
    for seconds in [0.0, -5.0] {
        let effect =
            EffectDef::lasting("GE", seconds).modify("Attack", Operation::Add, 10.0).granting("State.X");
        let mut game = Game::of([effect]);
        let active = game.activate("GE", "hero", "hero");
        assert!(game.sim.effect(active).is_none());
        assert_eq!(game.current("hero", "Attack"), 100.0);
        let log = game.log();
        assert_eq!(log.first().map(String::as_str), Some("applied GE"));
        assert!(log.contains(&"removed GE Expired".to_owned()), "{log:?}");
        assert!(log.contains(&"hero +State.X".to_owned()) && log.contains(&"hero -State.X".to_owned()));
        assert_eq!(game.sim.next_timer(), None);
    }
}

#[test]
fn e6_a_computed_duration_may_be_zero() {
    let effect = EffectDef::lasting("GE", MagnitudeDef::expression("Target.Strength - 50"));
    let mut game = Game::of([effect]);
    let active = game.activate("GE", "hero", "hero");
    assert!(game.sim.effect(active).is_none());
}

#[test]
fn e6_with_execute_on_application_it_executes_once() {
    let mut game = Game::of([drip("GE", 0.0, 1.0).executing_on_application()]);
    game.apply("GE", "hero", "hero");
    game.pass(5.0);
    assert_eq!(game.base("hero", "Health"), 99.0);
}
