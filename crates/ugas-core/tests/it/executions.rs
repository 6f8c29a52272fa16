//! Executions write bases: instant effects (M9), ticks (M9b), and the clamp after the batch.

use ugas_core::effect::EffectDef;
use ugas_core::effect::calculation::{CalculationDef, OutputDef};
use ugas_core::effect::magnitude::MagnitudeDef;
use ugas_core::modifier::{ModifierDef, Operation};
use ugas_core::simulation::Stacks;

use crate::fixture::{Game, buff, instant};

#[test]
fn m9_modifiers_write_in_the_listed_order() {
    let add_first = EffectDef::instant("GE_AddFirst").modify("Attack", Operation::Add, 10.0).modify(
        "Attack",
        Operation::Multiply,
        0.5,
    );
    let multiply_first = EffectDef::instant("GE_MultiplyFirst")
        .modify("Attack", Operation::Multiply, 0.5)
        .modify("Attack", Operation::AddPost, 10.0);
    let mut game = Game::of([add_first, multiply_first]);
    game.apply("GE_AddFirst", "hero", "hero");
    assert_eq!(game.base("hero", "Attack"), 165.0); // (100 + 10) × 1.5
    game.apply("GE_MultiplyFirst", "hero", "wolf");
    assert_eq!(game.base("wolf", "Attack"), 160.0); // 100 × 1.5 + 10
}

#[test]
fn m9_channels_and_layers_are_ignored() {
    let half = |layer| ModifierDef::new("Attack", Operation::Multiply, 0.5).channel("C").layer(layer);
    let instant = EffectDef::instant("GE_Instant").with(half(3)).with(half(0));
    let infinite = EffectDef::infinite("GE_Infinite").with(half(0)).with(half(0));
    let mut game = Game::of([instant, infinite]);
    game.apply("GE_Instant", "hero", "hero");
    assert_eq!(game.base("hero", "Attack"), 225.0);
    game.apply("GE_Infinite", "hero", "wolf");
    assert_eq!(game.current("wolf", "Attack"), 200.0);
}

#[test]
fn m9_an_override_sets_and_what_follows_goes_on_from_there() {
    let effect = EffectDef::instant("GE")
        .modify("Attack", Operation::Add, 1_000.0)
        .modify("Attack", Operation::Override, 10.0)
        .modify("Attack", Operation::Add, 5.0);
    let mut game = Game::of([effect]);
    game.apply("GE", "hero", "hero");
    assert_eq!(game.base("hero", "Attack"), 15.0);
}

#[test]
fn m9_unreals_operations_write_factors() {
    let mut game = Game::of([
        instant("GE_Additive", "Attack", Operation::MultiplyAdditive, 1.5),
        instant("GE_Compound", "Attack", Operation::MultiplyCompound, 2.0),
        instant("GE_Divide", "Attack", Operation::DivideAdditive, 3.0),
        instant("GE_Zero", "Attack", Operation::DivideAdditive, 0.0),
    ]);
    for (name, expected) in [("GE_Additive", 150.0), ("GE_Compound", 300.0), ("GE_Divide", 100.0)] {
        game.apply(name, "hero", "hero");
        assert_eq!(game.base("hero", "Attack"), expected);
    }
    game.events();
    game.apply("GE_Zero", "hero", "hero");
    assert_eq!(game.base("hero", "Attack"), 100.0);
    assert!(game.log().contains(&"DivisorIgnored".to_owned()));
}

#[test]
fn m9_healing_past_the_maximum_is_not_banked() {
    let mut game = Game::of([
        instant("GE_Heal", "Health", Operation::Add, 500.0),
        instant("GE_Hit", "Health", Operation::Add, -10.0),
        instant("GE_Overkill", "Health", Operation::Add, -500.0),
    ]);
    game.apply("GE_Heal", "hero", "hero");
    assert_eq!(game.base("hero", "Health"), 100.0);
    game.apply("GE_Hit", "hero", "hero");
    assert_eq!(game.current("hero", "Health"), 90.0);
    game.apply("GE_Overkill", "hero", "hero");
    assert_eq!(game.base("hero", "Health"), 0.0);
}

#[test]
fn m9_the_clamp_comes_after_the_whole_batch_and_bounds_first() {
    // Health is listed before its bound grows, and may go up to the new one.
    let effect = EffectDef::instant("GE_LevelUp").modify("Health", Operation::Add, 500.0).modify(
        "MaxHealth",
        Operation::Add,
        50.0,
    );
    // In between Health is beyond its bounds and comes back: −300 + 250 = −50 from 100.
    let swing = EffectDef::instant("GE_Swing").modify("Health", Operation::Add, -300.0).modify(
        "Health",
        Operation::Add,
        250.0,
    );
    let mut game = Game::of([effect, swing]);
    game.apply("GE_LevelUp", "hero", "hero");
    assert_eq!((game.base("hero", "Health"), game.base("hero", "MaxHealth")), (150.0, 150.0));
    game.apply("GE_Swing", "hero", "wolf");
    assert_eq!(game.base("wolf", "Health"), 50.0);
}

#[test]
fn m9_the_clamp_happens_also_when_a_calculation_follows_the_modifiers() {
    let calculation = CalculationDef {
        name: "Calc_Tire".into(),
        outputs: vec![OutputDef {
            attribute: "Mana".into(),
            operation: Operation::Add,
            magnitude: "-1".into(),
            to: Default::default(),
        }],
        ..CalculationDef::default()
    };
    let effect = EffectDef::instant("GE_Rest").modify("Health", Operation::Add, 500.0).executing("Calc_Tire");
    let mut game = Game::build(|builder| builder.calculation(calculation).effect(effect));
    game.apply("GE_Rest", "hero", "hero");
    assert_eq!((game.base("hero", "Health"), game.base("hero", "Mana")), (100.0, 49.0));
}

#[test]
fn m9_only_written_attributes_are_clamped() {
    let mut game = Game::of([
        buff("GE_Frail", "MaxHealth", Operation::Add, -40.0),
        instant("GE_Train", "Strength", Operation::Add, 1.0),
        instant("GE_Scratch", "Health", Operation::Add, -1.0),
    ]);
    let frail = game.activate("GE_Frail", "wolf", "hero");
    game.apply("GE_Train", "hero", "hero");
    assert_eq!((game.base("hero", "Health"), game.current("hero", "Health")), (100.0, 60.0));
    game.apply("GE_Scratch", "wolf", "hero"); // 99 is clamped to the present maximum
    assert_eq!((game.base("hero", "Health"), game.current("hero", "Health")), (60.0, 60.0));
    game.sim.remove(frail, Stacks::All).unwrap();
    assert_eq!(game.current("hero", "Health"), 60.0);
}

#[test]
fn m9_the_base_is_clamped_not_the_current_value() {
    // Health 50 under a temporary +30: healing by 60 is banked up to the base's own bound, 100.
    let mut game = Game::of([
        instant("GE_Hit", "Health", Operation::Add, -50.0),
        buff("GE_Temporary", "Health", Operation::Add, 30.0),
        instant("GE_Heal", "Health", Operation::Add, 60.0),
    ]);
    game.apply("GE_Hit", "wolf", "hero");
    game.apply("GE_Temporary", "hero", "hero");
    assert_eq!(game.current("hero", "Health"), 80.0);
    game.apply("GE_Heal", "hero", "hero");
    assert_eq!((game.base("hero", "Health"), game.current("hero", "Health")), (100.0, 100.0));
}

#[test]
fn m9_magnitudes_are_evaluated_before_the_first_write() {
    let effect = EffectDef::instant("GE_Swap")
        .modify("Attack", Operation::Override, MagnitudeDef::expression("Target.Strength"))
        .modify("Strength", Operation::Override, MagnitudeDef::expression("Target.Attack"));
    let mut game = Game::of([effect]);
    game.apply("GE_Swap", "hero", "hero");
    assert_eq!((game.base("hero", "Attack"), game.base("hero", "Strength")), (50.0, 100.0));
}

#[test]
fn m9_writes_go_under_the_temporary_modifiers() {
    let mut game = Game::of([
        buff("GE_Double", "Attack", Operation::Multiply, 1.0),
        instant("GE_Train", "Attack", Operation::Add, 10.0),
    ]);
    game.apply("GE_Double", "hero", "hero");
    game.apply("GE_Train", "hero", "hero");
    assert_eq!((game.base("hero", "Attack"), game.current("hero", "Attack")), (110.0, 220.0));
}

#[test]
fn m9b_ticks_write_add_and_override_but_multiply_counts_while_active() {
    let effect = EffectDef::lasting("GE_Wither", 3.0)
        .every(1.0)
        .modify("Attack", Operation::Add, -10.0)
        .modify("Attack", Operation::Multiply, -0.5)
        .modify("Mana", Operation::Override, 7.0)
        .modify("Strength", Operation::AddPost, 1.0);
    let mut game = Game::of([effect]);
    game.apply("GE_Wither", "wolf", "hero");
    // Nothing was written yet; the multiplier counts at once.
    assert_eq!((game.base("hero", "Attack"), game.current("hero", "Attack")), (100.0, 50.0));
    game.pass(2.0);
    assert_eq!((game.base("hero", "Attack"), game.current("hero", "Attack")), (80.0, 40.0));
    assert_eq!((game.base("hero", "Mana"), game.base("hero", "Strength")), (7.0, 52.0));
    game.pass(1.0); // the third tick, and then the end
    assert_eq!((game.base("hero", "Attack"), game.current("hero", "Attack")), (70.0, 70.0));
}

#[test]
fn m9b_a_percentage_drain_is_an_expression() {
    let effect = EffectDef::lasting("GE_Bleed", 2.0).every(1.0).modify(
        "Health",
        Operation::Add,
        MagnitudeDef::expression("-0.5 * Target.Health"),
    );
    let mut game = Game::of([effect]);
    game.apply("GE_Bleed", "wolf", "hero");
    game.pass(2.0);
    assert_eq!(game.base("hero", "Health"), 25.0);
}
