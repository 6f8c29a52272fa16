//! Changes to effects that are active (GASD §4.5.16).

use ugas_core::curve::CurveDef;
use ugas_core::effect::EffectDef;
use ugas_core::effect::magnitude::MagnitudeDef;
use ugas_core::modifier::Operation;
use ugas_core::time::{Span, Time};

use crate::fixture::Game;

#[test]
fn set_duration_counts_from_the_start() {
    let mut game = Game::of([EffectDef::lasting("GE", 10.0)]);
    let active = game.activate("GE", "hero", "hero");
    game.pass(4.0);
    game.sim.set_duration(active, Some(Span::seconds(6.0))).unwrap();
    assert_eq!(game.active(active).remaining(game.sim.now()), Some(Span::seconds(2.0)));
    game.sim.set_duration(active, None).unwrap();
    game.pass(1_000.0);
    assert_eq!(game.active(active).remaining(game.sim.now()), None);
    game.sim.set_duration(active, Some(Span::seconds(1.0))).unwrap(); // long over
    assert!(game.sim.effect(active).is_none());
    assert!(game.log().contains(&"removed GE Expired".to_owned()));
}

#[test]
fn set_remaining_counts_from_now() {
    let mut game = Game::of([EffectDef::lasting("GE", 10.0)]);
    let active = game.activate("GE", "hero", "hero");
    game.pass(4.0);
    game.sim.set_remaining(active, Span::seconds(1.5)).unwrap();
    assert_eq!(game.active(active).expires(), Some(Time::from_seconds(5.5)));
    assert_eq!(game.active(active).duration(), Some(Span::seconds(5.5)));
    game.sim.set_remaining(active, Span::ZERO).unwrap();
    assert!(game.sim.effect(active).is_none());
}

#[test]
fn longer_duration_continues_ticks_in_phase() {
    let poison = EffectDef::lasting("GE", 2.0).every(1.0).modify("Health", Operation::Add, -1.0);
    let mut game = Game::of([poison]);
    let active = game.activate("GE", "wolf", "hero");
    game.pass(1.5);
    game.sim.set_duration(active, Some(Span::seconds(4.0))).unwrap();
    game.pass(10.0);
    assert_eq!(game.base("hero", "Health"), 96.0);
}

#[test]
fn shorter_duration_drops_ticks() {
    let poison = EffectDef::lasting("GE", 9.0).every(1.0).modify("Health", Operation::Add, -1.0);
    let mut game = Game::of([poison]);
    let active = game.activate("GE", "wolf", "hero");
    game.pass(1.5);
    game.sim.set_remaining(active, Span::seconds(0.4)).unwrap();
    game.pass(10.0);
    assert_eq!(game.base("hero", "Health"), 99.0);
}

#[test]
fn set_level_evaluates_again_and_keeps_the_duration() {
    let curve =
        CurveDef { name: "Power".into(), points: vec![(1.0, 10.0), (3.0, 30.0)], ..CurveDef::default() };
    let effect = EffectDef::lasting("GE", MagnitudeDef::expression("Level * 10")).modify(
        "Attack",
        Operation::Add,
        MagnitudeDef::curve("Power"),
    );
    let mut game = Game::build(|builder| builder.curve(curve).effect(effect));
    let active = game.activate("GE", "hero", "hero");
    assert_eq!(game.current("hero", "Attack"), 110.0);
    game.sim.set_level(active, 3.0).unwrap();
    assert_eq!(game.current("hero", "Attack"), 130.0);
    assert_eq!(game.active(active).duration(), Some(Span::seconds(10.0)));
    assert_eq!(game.sim.set_level(active, f64::NAN).unwrap_err().code(), "NonFinite");
    assert_eq!(game.active(active).spec().level(), 3.0);
}

#[test]
fn set_magnitude_changes_the_set_by_caller_magnitude() {
    let effect =
        EffectDef::infinite("GE").modify("Attack", Operation::Add, MagnitudeDef::set_by_caller("Data.X"));
    let mut game = Game::of([effect]);
    let spec = game.spec_with("GE", "hero", "Data.X", 1.0);
    let active = game.apply_spec(&spec, "hero").active().unwrap();
    let tag = game.tag("Data.X");
    game.events();
    game.sim.set_magnitude(active, tag, 5.0).unwrap();
    assert_eq!(game.log(), ["hero.Attack 101 -> 105"]);
    assert_eq!(game.active(active).spec().magnitude(tag), Some(5.0));
    assert!(game.sim.set_magnitude(active, tag, f64::INFINITY).is_err());
    assert_eq!(game.current("hero", "Attack"), 105.0);
}

#[test]
fn an_adjustment_that_cannot_be_evaluated_changes_nothing() {
    let effect = EffectDef::infinite("GE").modify(
        "Attack",
        Operation::Add,
        MagnitudeDef::expression("10 / (Level - 2)"),
    );
    let huge = EffectDef::infinite("GE_Huge").modify(
        "Speed",
        Operation::Multiply,
        MagnitudeDef::set_by_caller("Data.X"),
    );
    let mut game = Game::of([effect, huge]);
    let active = game.activate("GE", "hero", "hero");
    assert_eq!(game.sim.set_level(active, 2.0).unwrap_err().code(), "NonFinite");
    assert_eq!((game.current("hero", "Attack"), game.active(active).spec().level()), (90.0, 1.0));
    let spec = game.spec_with("GE_Huge", "hero", "Data.X", 1.0);
    let active = game.apply_spec(&spec, "hero").active().unwrap();
    let refusal = game.sim.set_magnitude(active, game.tag("Data.X"), 1e308).unwrap_err();
    assert_eq!(
        refusal.describe(&game.sim),
        "the result would not be a finite number, in `Speed` by modifier 0"
    );
    assert_eq!(game.current("hero", "Speed"), 800.0);
}

#[test]
fn a_new_level_counts_from_the_next_tick() {
    let effect = EffectDef::infinite("GE").every(1.0).modify(
        "Health",
        Operation::Add,
        MagnitudeDef::expression("-Level"),
    );
    let mut game = Game::of([effect]);
    let active = game.activate("GE", "wolf", "hero");
    game.pass(1.0);
    game.sim.set_level(active, 10.0).unwrap();
    game.pass(1.0);
    assert_eq!(game.base("hero", "Health"), 89.0);
}
