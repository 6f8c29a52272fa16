//! Stacking (E5): aggregation by source or target, duration and period, overflow and expiration.

use ugas_core::effect::magnitude::MagnitudeDef;
use ugas_core::effect::{DurationRefresh, EffectDef, PeriodReset, StackExpiration, StackingDef};
use ugas_core::modifier::Operation;
use ugas_core::simulation::{Application, Stacks};
use ugas_core::time::{Span, Time};

use crate::fixture::{Game, instant};

/// Ten seconds of +10 Attack a stack.
fn stacked(stacking: StackingDef) -> EffectDef {
    EffectDef::lasting("GE", 10.0)
        .modify("Attack", Operation::Add, 10.0)
        .granting("State.X")
        .stacking(stacking)
}

#[test]
fn e5_by_target_all_sources_share_one_stack() {
    let mut game = Game::of([stacked(StackingDef::by_target(3))]);
    let active = game.activate("GE", "hero", "hero");
    assert_eq!(game.apply("GE", "wolf", "hero"), Application::Stacked { active, stacks: 2 });
    assert_eq!(game.current("hero", "Attack"), 120.0);
    assert_eq!(game.sim.stack_count(game.id("hero"), game.effect("GE")), 2);
    assert!(game.log().contains(&"stacks 1 -> 2".to_owned()));
    let tags = game.sim.tags(game.id("hero")).unwrap();
    assert_eq!(tags.count(game.tag("State.X")), 1);
}

#[test]
fn e5_by_source_each_source_has_its_own_stack() {
    let mut game = Game::of([stacked(StackingDef::by_source(3))]);
    let of_hero = game.activate("GE", "hero", "hero");
    let of_wolf = game.activate("GE", "wolf", "hero");
    assert_ne!(of_hero, of_wolf);
    assert_eq!(game.apply("GE", "wolf", "hero"), Application::Stacked { active: of_wolf, stacks: 2 });
    assert_eq!(game.current("hero", "Attack"), 130.0);
}

#[test]
fn e5_by_source_without_a_source_nothing_stacks() {
    let mut game = Game::of([stacked(StackingDef::by_source(3))]);
    let (hero, effect) = (game.id("hero"), game.effect("GE"));
    for _ in 0..2 {
        assert!(matches!(game.sim.apply_effect(effect, None, hero), Ok(Application::Active(_))));
    }
    assert_eq!(game.sim.effect_count(hero, effect), 2);
}

#[test]
fn e5_at_the_limit_the_count_stays_and_the_duration_is_refreshed() {
    let mut game = Game::of([stacked(StackingDef::by_target(2))]);
    let active = game.activate("GE", "hero", "hero");
    game.apply("GE", "hero", "hero");
    game.pass(5.0);
    game.events();
    assert_eq!(game.apply("GE", "hero", "hero"), Application::Stacked { active, stacks: 2 });
    assert_eq!(game.active(active).expires(), Some(Time::from_seconds(15.0)));
    assert_eq!(game.log(), ["EffectDurationChanged"]);
}

#[test]
fn e5_limit_of_0_means_unlimited() {
    let mut game = Game::of([stacked(StackingDef::by_target(0))]);
    for _ in 0..100 {
        game.apply("GE", "hero", "hero");
    }
    assert_eq!(game.current("hero", "Attack"), 1_100.0);
}

#[test]
fn e5_duration_never_refreshed_ends_when_the_first_does() {
    let mut game = Game::of([stacked(StackingDef {
        duration_refresh: DurationRefresh::Never,
        ..StackingDef::by_target(0)
    })]);
    let active = game.activate("GE", "hero", "hero");
    game.pass(4.0);
    game.apply("GE", "hero", "hero");
    assert_eq!(game.active(active).expires(), Some(Time::from_seconds(10.0)));
}

#[test]
fn e5_duration_extended_adds_up_to_the_maximum() {
    let mut game = Game::of([stacked(StackingDef {
        duration_refresh: DurationRefresh::Extend,
        max_duration: Some(Span::seconds(18.0)),
        ..StackingDef::by_target(0)
    })]);
    let active = game.activate("GE", "hero", "hero");
    game.pass(4.0);
    game.apply("GE", "hero", "hero"); // 6 left + 10 = 16
    assert_eq!(game.active(active).expires(), Some(Time::from_seconds(20.0)));
    game.apply("GE", "hero", "hero"); // 16 left + 10, at most 18
    assert_eq!(game.active(active).expires(), Some(Time::from_seconds(22.0)));
}

/// Ticks of a stacked poison that is applied at 0 and at 0.6 s.
fn ticks_with(period_reset: PeriodReset) -> Vec<Time> {
    let poison = EffectDef::lasting("GE", 3.0)
        .every(1.0)
        .modify("Health", Operation::Add, -1.0)
        .stacking(StackingDef { period_reset, ..StackingDef::by_target(0) });
    let mut game = Game::of([poison]);
    game.apply("GE", "wolf", "hero");
    game.pass(0.6);
    game.apply("GE", "wolf", "hero");
    game.pass(9.0);
    let events = game.events();
    let ticks = events.iter().filter(|event| event.kind.name() == "EffectExecuted");
    ticks.map(|event| event.time).collect()
}

#[test]
fn e5_period_reset_begins_anew_and_never_keeps_the_phase() {
    // It ends at 3.6 s; the tick of 3.6 s precedes the end.
    assert_eq!(ticks_with(PeriodReset::Reset), [1.6, 2.6, 3.6].map(Time::from_seconds));
    assert_eq!(ticks_with(PeriodReset::Never), [1.0, 2.0, 3.0].map(Time::from_seconds));
}

#[test]
fn e5_a_tick_counts_every_stack() {
    let poison = EffectDef::infinite("GE")
        .every(1.0)
        .modify("Health", Operation::Add, -2.0)
        .stacking(StackingDef::by_target(0));
    let mut game = Game::of([poison]);
    for _ in 0..3 {
        game.apply("GE", "wolf", "hero");
    }
    game.pass(1.0);
    assert_eq!(game.base("hero", "Health"), 94.0);
}

/// Three stacks with this rule at the end.
fn three_with(expiration: StackExpiration) -> (Game, ugas_core::handle::ActiveEffectId) {
    let mut game = Game::of([stacked(StackingDef { expiration, ..StackingDef::by_target(0) })]);
    let active = game.activate("GE", "hero", "hero");
    game.apply("GE", "hero", "hero");
    game.apply("GE", "hero", "hero");
    game.events();
    (game, active)
}

#[test]
fn e5_clear_all_ends_every_stack() {
    let (mut game, active) = three_with(StackExpiration::ClearAll);
    game.pass(10.0);
    assert!(game.sim.effect(active).is_none());
    assert_eq!(game.current("hero", "Attack"), 100.0);
}

#[test]
fn e5_remove_one_and_refresh_goes_down_to_the_last_stack() {
    let (mut game, active) = three_with(StackExpiration::RemoveOneAndRefresh);
    for (seconds, attack) in [(10.0, 120.0), (10.0, 110.0)] {
        game.pass(seconds);
        assert_eq!(game.current("hero", "Attack"), attack);
    }
    assert_eq!(game.active(active).stacks(), 1);
    game.pass(10.0);
    assert!(game.sim.effect(active).is_none());
    let log = game.log();
    assert!(
        log.contains(&"stacks 3 -> 2".to_owned()) && log.contains(&"stacks 2 -> 1".to_owned()),
        "{log:?}"
    );
    assert!(log.contains(&"removed GE Expired".to_owned()));
}

#[test]
fn e5_refresh_keeps_all_stacks_for_ever() {
    let (mut game, active) = three_with(StackExpiration::Refresh);
    game.pass(1_000.0);
    assert_eq!(game.active(active).stacks(), 3);
    game.sim.remove(active, Stacks::All).unwrap();
    assert_eq!(game.current("hero", "Attack"), 100.0);
}

#[test]
fn e5_overflow_effects_are_applied_denied_or_not() {
    for deny_overflow in [true, false] {
        let stacking = StackingDef {
            overflow_effects: vec!["GE_Burst".into()],
            deny_overflow,
            ..StackingDef::by_target(2)
        };
        let mut game = Game::of([stacked(stacking), instant("GE_Burst", "Health", Operation::Add, -10.0)]);
        game.apply("GE", "wolf", "hero");
        game.apply("GE", "wolf", "hero");
        assert_eq!(game.base("hero", "Health"), 100.0);
        let outcome = game.try_apply("GE", "wolf", "hero");
        assert_eq!(outcome.is_err(), deny_overflow);
        assert_eq!((game.base("hero", "Health"), game.current("hero", "Attack")), (90.0, 120.0));
    }
}

#[test]
fn e5_deny_overflow_refreshes_nothing() {
    let mut game = Game::of([stacked(StackingDef { deny_overflow: true, ..StackingDef::by_target(1) })]);
    let active = game.activate("GE", "hero", "hero");
    game.pass(3.0);
    let refusal = game.try_apply("GE", "hero", "hero").unwrap_err();
    assert_eq!(refusal.code(), "StackOverflow");
    assert_eq!(game.active(active).expires(), Some(Time::from_seconds(10.0)));
}

#[test]
fn e5_clear_on_overflow_empties_the_stack() {
    let mut game = Game::of([stacked(StackingDef { clear_on_overflow: true, ..StackingDef::by_target(2) })]);
    let active = game.activate("GE", "hero", "hero");
    game.apply("GE", "hero", "hero");
    assert_eq!(game.apply("GE", "hero", "hero"), Application::Cleared);
    assert!(game.sim.effect(active).is_none());
    assert_eq!((game.current("hero", "Attack"), game.has_tag("hero", "State.X")), (100.0, false));
    assert!(game.log().contains(&"removed GE Overflowed".to_owned()));
}

#[test]
fn e5_a_new_stack_replaces_the_spec() {
    let effect = EffectDef::infinite("GE")
        .modify("Attack", Operation::Add, MagnitudeDef::set_by_caller("Data.X"))
        .stacking(StackingDef::by_target(0));
    let mut game = Game::of([effect]);
    let (weak, strong) =
        (game.spec_with("GE", "hero", "Data.X", 1.0), game.spec_with("GE", "wolf", "Data.X", 10.0));
    let active = game.apply_spec(&weak, "hero").active().unwrap();
    game.apply_spec(&strong, "hero");
    assert_eq!(game.current("hero", "Attack"), 120.0); // 2 × 10
    assert_eq!(game.active(active).source(), Some(game.id("wolf")));
}

#[test]
fn e5_an_expression_sees_the_stack_count() {
    let effect = EffectDef::infinite("GE")
        .with(
            ugas_core::modifier::ModifierDef::new(
                "Attack",
                Operation::Add,
                MagnitudeDef::expression("Stacks * Stacks"),
            )
            .ignoring_stacks(),
        )
        .stacking(StackingDef::by_target(0));
    let mut game = Game::of([effect]);
    let active = game.activate("GE", "hero", "hero");
    assert_eq!(game.current("hero", "Attack"), 101.0);
    game.apply("GE", "hero", "hero");
    game.apply("GE", "hero", "hero");
    assert_eq!(game.current("hero", "Attack"), 109.0);
    game.sim.remove(active, Stacks::Count(1)).unwrap();
    assert_eq!(game.current("hero", "Attack"), 104.0);
}

#[test]
fn e5_stack_with_non_finite_result_is_refused_and_the_others_stay() {
    let effect =
        EffectDef::infinite("GE").modify("Attack", Operation::Add, 1e308).stacking(StackingDef::by_target(0));
    let mut game = Game::of([effect]);
    let active = game.activate("GE", "hero", "hero");
    assert_eq!(game.try_apply("GE", "wolf", "hero").unwrap_err().code(), "NonFinite");
    assert_eq!((game.active(active).stacks(), game.current("hero", "Attack")), (1, 1e308));
    assert_eq!(game.active(active).source(), Some(game.id("hero")));
}

#[test]
fn e5_infinite_stacks_are_not_given_an_end() {
    let effect = EffectDef::infinite("GE")
        .stacking(StackingDef { duration_refresh: DurationRefresh::Extend, ..StackingDef::by_target(0) });
    let mut game = Game::of([effect]);
    let active = game.activate("GE", "hero", "hero");
    game.apply("GE", "hero", "hero");
    assert_eq!(game.active(active).expires(), None);
}
