//! Values and time (V1–V6).

use ugas_core::effect::magnitude::{CaptureFrom, MagnitudeDef};
use ugas_core::effect::{EffectContext, EffectDef, ExpirationEffectsDef, HitResult};
use ugas_core::modifier::Operation;
use ugas_core::refusal::RefusalReason;
use ugas_core::simulation::{Config, Stacks};
use ugas_core::time::{Span, Time};

use crate::fixture::{Game, buff, instant, tagging};

#[test]
fn v1_integers_stay_exact_to_2_to_the_53() {
    let almost = 9_007_199_254_740_991.0; // 2^53 − 1
    let mut game = Game::of([
        instant("GE_Set", "Attack", Operation::Override, almost),
        instant("GE_One", "Attack", Operation::Add, 1.0),
        instant("GE_Take", "Attack", Operation::Add, -almost),
    ]);
    game.apply("GE_Set", "hero", "hero");
    game.apply("GE_One", "hero", "hero");
    assert_eq!(game.base("hero", "Attack"), 9_007_199_254_740_992.0);
    game.apply("GE_Take", "hero", "hero");
    assert_eq!(game.base("hero", "Attack"), 1.0);
}

#[test]
fn v2_execution_with_non_finite_result_is_refused_and_changes_nothing() {
    let effect = EffectDef::instant("GE_Burst")
        .modify("Mana", Operation::Add, -10.0)
        .modify("Attack", Operation::Override, 1e308)
        .modify("Attack", Operation::Multiply, 9.0);
    let mut game = Game::of([effect]);
    assert_eq!(
        game.refusal("GE_Burst", "hero", "hero"),
        "`GE_Burst` was refused: the result would not be a finite number, in `Attack` by modifier 2"
    );
    assert_eq!((game.base("hero", "Attack"), game.base("hero", "Mana")), (100.0, 50.0));
    assert_eq!(game.log(), ["refused GE_Burst NonFinite"]);
}

#[test]
fn v2_modifier_with_non_finite_result_is_refused_and_changes_nothing() {
    let effect = EffectDef::infinite("GE_Huge")
        .modify("Mana", Operation::Add, 10.0)
        .modify("Attack", Operation::Add, 1.5e308)
        .granting("State.Huge");
    let mut game = Game::of([effect]);
    game.apply("GE_Huge", "hero", "hero");
    game.events();
    assert_eq!(
        game.refusal("GE_Huge", "hero", "hero"),
        "`GE_Huge` was refused: the result would not be a finite number, in `Attack` by modifier 1"
    );
    assert_eq!((game.current("hero", "Attack"), game.current("hero", "Mana")), (1.5e308 + 100.0, 60.0));
    assert_eq!(game.sim.controller(game.id("hero")).unwrap().effects().len(), 1);
    assert_eq!(game.log(), ["refused GE_Huge NonFinite"]);
}

#[test]
fn v2_an_execution_whose_derived_values_would_overflow_is_refused() {
    use ugas_core::attribute::{AttributeDef, AttributeSetDef};
    use ugas_core::controller::ControllerDef;
    let mut game = Game::build(|builder| {
        builder
            .attribute_set(
                AttributeSetDef::new("Giant")
                    .with(AttributeDef::new("Size", 1.0))
                    .with(AttributeDef::derived("Weight", "Size * 1e300")),
            )
            .template(ControllerDef::new("Giant").with_set("Giant"))
            .effect(instant("GE_Grow", "Size", Operation::Add, 1e10))
    });
    game.spawn("giant", "Giant");
    assert_eq!(
        game.refusal("GE_Grow", "hero", "giant"),
        "`GE_Grow` was refused: the result would not be a finite number, in `Weight`"
    );
    assert_eq!((game.base("giant", "Size"), game.current("giant", "Weight")), (1.0, 1e300));
}

#[test]
fn v2_non_finite_set_by_caller_magnitude_is_refused() {
    let effect = EffectDef::infinite("GE")
        .modify("Attack", Operation::Add, MagnitudeDef::set_by_caller("Data.Used"))
        .tagged("Data.Unused");
    let mut game = Game::of([effect]);
    let hero = game.id("hero");
    for value in [f64::NAN, f64::INFINITY] {
        let used = game.spec_with("GE", "hero", "Data.Used", value);
        assert_eq!(game.sim.apply(&used, hero).unwrap_err().code(), "NonFinite");
        let unused = game.spec_with("GE", "hero", "Data.Used", 1.0);
        let unused = unused.with_magnitude(game.tag("Data.Unused"), value);
        assert_eq!(game.sim.apply(&unused, hero).unwrap_err().code(), "NonFinite");
    }
    // No rule reads the location, but it is sent to clients, which reject such a number.
    for context in [
        EffectContext::default().at([0.0, f64::NAN, 0.0]),
        EffectContext::default().with_hit(HitResult { normal: [f64::INFINITY; 3], ..HitResult::default() }),
        EffectContext::default().with_hit(HitResult { distance: f64::NAN, ..HitResult::default() }),
    ] {
        let spec = game.sim.spec(game.effect("GE"), 1.0, context).unwrap();
        let spec = spec.with_magnitude(game.tag("Data.Used"), 1.0);
        assert_eq!(game.sim.apply(&spec, hero).unwrap_err().code(), "NonFinite");
    }
    let level = game.sim.spec(game.effect("GE"), f64::NAN, EffectContext::default());
    assert_eq!(level, Err(RefusalReason::NonFinite { modifier: None, attribute: None }));
}

#[test]
fn v2_division_by_zero_in_an_expression_is_refused() {
    let effect = EffectDef::instant("GE").modify(
        "Health",
        Operation::Add,
        MagnitudeDef::expression("1 / (Source.Mana - 50)"),
    );
    let mut game = Game::of([effect]);
    assert_eq!(
        game.refusal("GE", "hero", "wolf"),
        "`GE` was refused: the result would not be a finite number, in `Health` by modifier 0"
    );
}

#[test]
fn v2_removal_with_non_finite_result_keeps_the_old_value_and_reports_it() {
    let mut game = Game::of([
        buff("GE_Tiny", "Attack", Operation::Multiply, -0.9),
        buff("GE_Add", "Attack", Operation::Add, 1e308),
        buff("GE_Ten", "Attack", Operation::Multiply, 9.0),
    ]);
    let tiny = game.activate("GE_Tiny", "hero", "hero");
    game.apply("GE_Add", "hero", "hero");
    game.apply("GE_Ten", "hero", "hero");
    let before = game.current("hero", "Attack");
    assert!(before.is_finite());
    game.events();
    game.sim.remove(tiny, Stacks::All).unwrap();
    assert_eq!(game.current("hero", "Attack"), before);
    assert_eq!(game.log(), ["removed GE_Tiny Removed", "EvaluationFailed"]);
}

#[test]
fn v3_seconds_round_to_the_nearest_microsecond() {
    let mut game = Game::of([EffectDef::lasting("GE", 0.000_001_4)]);
    let active = game.activate("GE", "hero", "hero");
    assert_eq!(game.active(active).duration(), Some(Span::from_micros(1)));
    game.sim.advance(Span::from_micros(1));
    assert!(game.sim.effect(active).is_none());
    assert_eq!(game.sim.now(), Time::from_micros(1));
}

#[test]
fn v3_time_never_goes_back() {
    let mut game = Game::of([]);
    game.pass(2.0);
    game.pass(-1.0);
    game.sim.advance_to(Time::from_seconds(1.0));
    assert_eq!(game.sim.now(), Time::from_seconds(2.0));
}

/// A game in which ticks, expiries, expiration effects and live magnitudes meet at the same instants.
fn busy() -> Game {
    let mut bomb = EffectDef::lasting("GE_Bomb", 3.0).granting("State.Bomb");
    bomb.expiration_effects = ExpirationEffectsDef { routine: vec!["GE_Blast".into()], ..Default::default() };
    let mut shield = EffectDef::lasting("GE_Shield", 7.5);
    shield.ongoing_blocked_tags.push("State.Bomb".into());
    let mut game = Game::of([
        bomb,
        shield.modify("Armor", Operation::Add, 10.0),
        instant("GE_Blast", "Health", Operation::Add, -20.0),
        EffectDef::lasting("GE_Poison", 9.0).every(0.7).executing_on_application().modify(
            "Health",
            Operation::Add,
            -1.0,
        ),
        EffectDef::infinite("GE_Fury").modify(
            "Attack",
            Operation::Add,
            MagnitudeDef::attribute(CaptureFrom::Target, "Health", 0.5),
        ),
        EffectDef::infinite("GE_Regen").every(0.5).modify(
            "Health",
            Operation::Add,
            MagnitudeDef::expression("rand()"),
        ),
        tagging("State.Other"),
    ]);
    for name in ["GE_Shield", "GE_Poison", "GE_Bomb", "GE_Fury", "GE_Regen"] {
        game.apply(name, "wolf", "hero");
    }
    game
}

#[test]
fn v4_one_long_step_equals_600_short_ones() {
    let (mut one, mut many) = (busy(), busy());
    one.pass(10.0);
    for _ in 0..600 {
        many.sim.advance(Span::from_micros(16_667));
    }
    many.sim.advance_to(Time::from_seconds(10.0));
    // 600 × 16,667 µs is beyond 10 s by 200 µs, in which no timer lies; the other follows.
    one.sim.advance_to(many.sim.now());
    assert_eq!(one.events(), many.events());
    assert_eq!(one.sim.state_hash(), many.sim.state_hash());
}

#[test]
fn v4_a_timer_fires_at_its_own_instant_inside_a_long_step() {
    let mut game = busy();
    game.events();
    game.pass(100.0);
    let blast = game.effect("GE_Blast");
    let events = game.events();
    let blast = events.iter().find(|event| event.cause.effect == Some(blast)).unwrap();
    assert_eq!(blast.time, Time::from_seconds(3.0));
}

#[test]
fn v4_timers_of_one_instant_go_by_application() {
    let mut game = Game::of([
        EffectDef::lasting("GE_B", 2.0),
        EffectDef::lasting("GE_A", 1.0),
        EffectDef::lasting("GE_C", 2.0).every(1.0),
    ]);
    game.apply("GE_B", "hero", "hero");
    game.apply("GE_C", "hero", "hero");
    game.pass(1.0);
    game.apply("GE_A", "hero", "hero");
    game.events();
    game.pass(1.0); // all three end at 2 s
    assert_eq!(
        game.log(),
        ["removed GE_B Expired", "executed GE_C", "removed GE_C Expired", "removed GE_A Expired"]
    );
}

#[test]
fn v4_restored_snapshot_continues_identically_including_handles() {
    let mut game = busy();
    game.pass(2.0);
    let snapshot = game.sim.snapshot();
    let go_on = |game: &mut Game| {
        game.events();
        let active = game.activate("Tag:State.Other", "hero", "wolf");
        game.pass(5.0);
        (active, game.events(), game.sim.state_hash())
    };
    let first = go_on(&mut game);
    game.sim.restore(&snapshot).unwrap();
    assert_eq!(game.sim.state_hash(), snapshot.state_hash());
    assert_eq!(go_on(&mut game), first);
}

#[test]
fn v5_an_unrelated_application_does_not_shift_the_dice() {
    let roll = |unrelated: bool| {
        let mut game = Game::of([
            EffectDef::instant("GE_Roll").modify(
                "Mana",
                Operation::Override,
                MagnitudeDef::expression("rand()"),
            ),
            EffectDef::instant("GE_Other").modify(
                "Attack",
                Operation::Override,
                MagnitudeDef::expression("rand()"),
            ),
        ]);
        if unrelated {
            game.apply("GE_Other", "hero", "hero");
            game.apply("GE_Roll", "hero", "wolf");
            game.pass(1.0);
        }
        game.apply("GE_Roll", "hero", "hero");
        game.base("hero", "Mana")
    };
    assert_eq!(roll(false), roll(true));
}

#[test]
fn v5_dice_depend_on_the_seed_the_effect_the_target_and_the_count() {
    let roll = |seed: u64, effect: &str, target: &str, times: u32| {
        let random = |name: &str| {
            EffectDef::instant(name).modify("Mana", Operation::Override, MagnitudeDef::expression("rand()"))
        };
        let mut game = Game::configured(Config::seeded(seed), |builder| {
            builder.effect(random("GE_A")).effect(random("GE_B"))
        });
        for _ in 0..times {
            game.apply(effect, "hero", target);
        }
        game.base(target, "Mana")
    };
    let first = roll(1, "GE_A", "hero", 1);
    assert_eq!(roll(1, "GE_A", "hero", 1), first);
    assert_ne!(roll(2, "GE_A", "hero", 1), first);
    assert_ne!(roll(1, "GE_B", "hero", 1), first);
    assert_ne!(roll(1, "GE_A", "wolf", 1), first);
    assert_ne!(roll(1, "GE_A", "hero", 2), first);
}

#[test]
fn v6_the_order_of_definitions_does_not_matter() {
    let effects = || {
        [
            buff("GE_A", "Attack", Operation::Add, 0.1),
            buff("GE_B", "Attack", Operation::Multiply, 0.3),
            tagging("State.X"),
        ]
    };
    let run = |effects: Vec<EffectDef>| {
        let mut game = Game::of(effects);
        for name in ["GE_B", "Tag:State.X", "GE_A"] {
            game.apply(name, "hero", "wolf");
        }
        (game.events(), game.sim.state_hash())
    };
    assert_eq!(run(effects().to_vec()), run(effects().into_iter().rev().collect()));
}
