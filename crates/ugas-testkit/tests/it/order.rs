//! Order of application: it does not matter where the rules promise that.

use proptest::collection::vec;
use proptest::prelude::*;
use ugas_core::effect::EffectDef;
use ugas_core::modifier::{ModifierDef, Operation};
use ugas_testkit::fixtures::{Op, SimDriver, SpecOptions, arena};
use ugas_testkit::oracle::Game;

/// Effects without overrides, conditions and policies: additions and multiplications in all shapes, and tags.
fn commuting(values: &[(u8, i32, u8)]) -> Game {
    let effect = |(at, &(operation, amount, shape)): (usize, &(u8, i32, u8))| {
        let amount = f64::from(amount);
        let modifier = match operation {
            0 => ModifierDef::new("Power", Operation::Add, amount * 1.3),
            1 => ModifierDef::new("Power", Operation::AddPost, amount * 0.7),
            2 => ModifierDef::new("Power", Operation::Multiply, amount * 0.013).channel("Gear"),
            3 => ModifierDef::new("Power", Operation::Multiply, amount * 0.017),
            4 => ModifierDef::new("Power", Operation::MultiplyAdditive, 1.0 + amount * 0.011),
            5 => ModifierDef::new("Power", Operation::DivideAdditive, 1.5 + amount * 0.01),
            _ => ModifierDef::new("Power", Operation::MultiplyCompound, 1.0 + amount * 0.019),
        };
        let tag = ["State.Marked", "State.Debuff.Slow", "State.Debuff.Poison"][usize::from(shape) % 3];
        EffectDef::infinite(format!("GE_{at:02}"))
            .with(modifier.layer(shape % 2))
            .granting(tag)
            .cue("Cue.Aura")
    };
    Game { effects: values.iter().enumerate().map(effect).collect(), ..arena() }
}

fn value_and_tags(game: &Game, order: &[usize]) -> (f64, String) {
    let mut driver = SimDriver::new(game);
    for &effect in order {
        driver.run(&Op::Apply {
            effect,
            source: None,
            target: 0,
            options: SpecOptions { level: 1, ..SpecOptions::default() },
        });
    }
    let (fighter, catalog) = (driver.actors[0], driver.sim.catalog());
    let power = driver.sim.current(fighter, catalog.attribute("Power").unwrap()).unwrap();
    let controller = driver.sim.controller(fighter).unwrap();
    let tags: Vec<_> = controller.tags().iter().collect();
    (power, format!("{tags:?} {:?}", controller.cues()))
}

proptest! {
    #![proptest_config(crate::cases(1))]

    /// Sums within a layer commute up to rounding; tags and cues commute exactly (M1, T2, E11).
    #[test]
    fn application_order_does_not_matter_without_overrides(
        values in vec((0..7u8, -8..=8i32, 0..6u8), 1..9),
        shuffled in Just((0..9usize).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let game = commuting(&values);
        let listed: Vec<usize> = (0..values.len()).collect();
        let shuffled: Vec<usize> = shuffled.into_iter().filter(|&at| at < values.len()).collect();
        let (one, other) = (value_and_tags(&game, &listed), value_and_tags(&game, &shuffled));
        let scale = one.0.abs().max(1.0);
        prop_assert!((one.0 - other.0).abs() <= 1e-9 * scale, "{} and {}", one.0, other.0);
        prop_assert_eq!(one.1, other.1);
    }

    /// Removed effects leave no trace in the values (M10).
    #[test]
    fn removed_effects_leave_no_trace(values in vec((0..7u8, -8..=8i32, 0..6u8), 2..9)) {
        let game = commuting(&values);
        let mut driver = SimDriver::new(&game);
        let catalog = driver.sim.catalog().clone();
        let (fighter, power) = (driver.actors[0], catalog.attribute("Power").unwrap());
        let apply = |effect| Op::Apply { effect, source: None, target: 0, options: SpecOptions::default() };
        driver.run(&apply(0));
        let before = driver.sim.current(fighter, power);
        for effect in 1..values.len() {
            driver.run(&apply(effect));
        }
        for _ in 1..values.len() {
            driver.run(&Op::Remove { target: 0, nth: 2, stacks: None });
        }
        prop_assert_eq!(driver.sim.current(fighter, power), before);
    }
}

/// M4: of two overrides of equal priority the one applied last wins, so here the order matters.
#[test]
fn override_order_matters() {
    let effects = vec![
        EffectDef::infinite("GE_Five").modify("Power", Operation::Override, 5.0),
        EffectDef::infinite("GE_Six").modify("Power", Operation::Override, 6.0),
    ];
    let game = Game { effects, ..arena() };
    assert_eq!(value_and_tags(&game, &[0, 1]).0, 6.0);
    assert_eq!(value_and_tags(&game, &[1, 0]).0, 5.0);
}
