//! The worked examples of the three specification documents, each with its documented result.

use ugas_core::effect::EffectDef;
use ugas_core::effect::magnitude::{CaptureFrom, MagnitudeDef};
use ugas_core::modifier::{ModifierDef, Operation};

use crate::fixture::{Game, assert_close, buff, tagging};

#[test]
fn uem_worked_example_gives_133_8() {
    // ((100 + 20) × (1 + 0.5 + 0.3) / (1 + 1) × 1.1) + 15 = 120 × 1.8 / 2 × 1.1 + 15 = 133.8
    let modifiers = [
        ("GE_Strength", Operation::Add, 20.0),
        ("GE_WarShout", Operation::MultiplyAdditive, 1.5),
        ("GE_BattleFury", Operation::MultiplyAdditive, 1.3),
        ("GE_ArmorPen", Operation::DivideAdditive, 2.0),
        ("GE_Enchantment", Operation::MultiplyCompound, 1.1),
        ("GE_Rune", Operation::AddPost, 15.0),
    ];
    let mut game = Game::of(modifiers.map(|(name, operation, value)| buff(name, "Attack", operation, value)));
    for (name, ..) in modifiers {
        game.apply(name, "hero", "hero");
    }
    assert_close(game.current("hero", "Attack"), 133.8);
    assert_eq!(game.base("hero", "Attack"), 100.0);
}

#[test]
fn uem_a_second_compound_multiplier_gives_130_68_before_the_final_addition() {
    // 120 × 1.8 / 2 × 1.1 × 1.1 = 130.68
    let effect = EffectDef::infinite("GE_All")
        .modify("Attack", Operation::Add, 20.0)
        .modify("Attack", Operation::MultiplyAdditive, 1.5)
        .modify("Attack", Operation::MultiplyAdditive, 1.3)
        .modify("Attack", Operation::DivideAdditive, 2.0)
        .modify("Attack", Operation::MultiplyCompound, 1.1)
        .modify("Attack", Operation::MultiplyCompound, 1.1);
    let mut game = Game::of([effect]);
    game.apply("GE_All", "hero", "hero");
    assert_close(game.current("hero", "Attack"), 130.68);
}

#[test]
fn uem_two_additive_multipliers_of_half_give_200() {
    let mut game = Game::of([buff("GE_Half", "Attack", Operation::MultiplyAdditive, 1.5)]);
    game.apply("GE_Half", "hero", "hero");
    game.apply("GE_Half", "hero", "hero");
    assert_eq!(game.current("hero", "Attack"), 200.0); // 100 × (1 + 0.5 + 0.5)
}

#[test]
fn uem_two_compound_multipliers_of_half_give_225() {
    let mut game = Game::of([buff("GE_Half", "Attack", Operation::MultiplyCompound, 1.5)]);
    game.apply("GE_Half", "hero", "hero");
    game.apply("GE_Half", "hero", "hero");
    assert_eq!(game.current("hero", "Attack"), 225.0); // 100 × 1.5 × 1.5
}

#[test]
fn uem_layer_0_feeds_layer_1_and_gives_180() {
    let effect = EffectDef::infinite("GE_Layers")
        .with(ModifierDef::new("Attack", Operation::MultiplyCompound, 1.5).layer(1))
        .modify("Attack", Operation::Add, 20.0);
    let mut game = Game::of([effect]);
    game.apply("GE_Layers", "hero", "hero");
    assert_eq!(game.current("hero", "Attack"), 180.0); // (100 + 20) × 1.5
}

#[test]
fn uem_an_infinite_bonus_leaves_the_base_and_an_instant_one_is_permanent() {
    let mut game = Game::of([
        buff("GE_Bonus", "Attack", Operation::Add, 50.0),
        EffectDef::instant("GE_Permanent").modify("Attack", Operation::Add, 50.0),
    ]);
    let bonus = game.activate("GE_Bonus", "hero", "hero");
    assert_eq!((game.base("hero", "Attack"), game.current("hero", "Attack")), (100.0, 150.0));
    game.sim.remove(bonus, Default::default()).unwrap();
    assert_eq!((game.base("hero", "Attack"), game.current("hero", "Attack")), (100.0, 100.0));
    game.apply("GE_Permanent", "hero", "hero");
    assert_eq!((game.base("hero", "Attack"), game.current("hero", "Attack")), (150.0, 150.0));
}

#[test]
fn section_5_3_example_gives_487_5() {
    // (100 + 20 + 10) × (1 + 0.1 + 0.15) × 1.5 × 2 = 487.5
    let effect = EffectDef::infinite("GE_Example")
        .modify("Attack", Operation::Add, 20.0)
        .modify("Attack", Operation::Add, 10.0)
        .with(ModifierDef::new("Attack", Operation::Multiply, 0.1).channel("Percentages"))
        .with(ModifierDef::new("Attack", Operation::Multiply, 0.15).channel("Percentages"))
        .modify("Attack", Operation::Multiply, 0.5)
        .modify("Attack", Operation::Multiply, 1.0);
    let mut game = Game::of([effect]);
    game.apply("GE_Example", "hero", "hero");
    assert_close(game.current("hero", "Attack"), 487.5);
}

#[test]
fn section_5_3_two_bonuses_of_a_fifth_give_1_4_in_one_channel_and_1_82_with_another() {
    let channelled = |name: &str, channel: &str, bonus: f64| {
        EffectDef::infinite(name)
            .with(ModifierDef::new("Attack", Operation::Multiply, bonus).channel(channel))
    };
    let mut game = Game::of([channelled("GE_Gear", "Gear", 0.2), channelled("GE_Power", "Power", 0.3)]);
    game.apply("GE_Gear", "hero", "hero");
    game.apply("GE_Gear", "hero", "hero");
    assert_close(game.current("hero", "Attack"), 140.0);
    game.apply("GE_Power", "hero", "hero");
    assert_close(game.current("hero", "Attack"), 182.0);
}

#[test]
fn section_5_3_freeze_beats_slow_and_root_ties_with_freeze() {
    let mut game = Game::of([
        buff("GE_Freeze", "Speed", Operation::Override, 0.0).priority(10),
        buff("GE_Slow", "Speed", Operation::Override, 50.0).priority(5),
        buff("GE_Root", "Speed", Operation::Override, 0.0).priority(10),
    ]);
    game.apply("GE_Freeze", "hero", "hero");
    game.apply("GE_Slow", "hero", "hero");
    assert_eq!(game.current("hero", "Speed"), 0.0);
    game.apply("GE_Root", "hero", "hero");
    assert_eq!(game.current("hero", "Speed"), 0.0);
}

/// §9.4 and §15.3: gear in one channel, a legendary power in another, and the main stat in a third.
fn damage_buckets() -> Game {
    let channelled = |name: &str, bonus: MagnitudeDef, channel: &str| {
        EffectDef::infinite(name)
            .with(ModifierDef::new("Attack", Operation::Multiply, bonus).channel(channel))
    };
    let strength = MagnitudeDef::attribute(CaptureFrom::Source, "Strength", 0.01);
    let mut elite = channelled("GE_EliteHunter", 0.15.into(), "DamageBonuses");
    elite.application_required_tags.push("Status.FightingElite".to_owned());
    Game::of([
        channelled("GE_FireSword", 0.2.into(), "DamageBonuses"),
        elite,
        channelled("GE_Legendary", 0.5.into(), "LegendaryPowers"),
        channelled("GE_MainStat", strength, "MainStat"),
        tagging("Status.FightingElite"),
    ])
}

#[test]
fn section_9_4_channels_give_times_2_025() {
    let mut game = damage_buckets();
    game.apply("Tag:Status.FightingElite", "hero", "hero");
    for name in ["GE_FireSword", "GE_EliteHunter", "GE_Legendary"] {
        game.apply(name, "hero", "hero");
    }
    assert_close(game.current("hero", "Attack"), 202.5); // 100 × 1.35 × 1.5
}

#[test]
fn section_15_3_with_strength_50_gives_times_3_0375() {
    let mut game = damage_buckets();
    game.apply("Tag:Status.FightingElite", "hero", "hero");
    for name in ["GE_FireSword", "GE_EliteHunter", "GE_Legendary", "GE_MainStat"] {
        game.apply(name, "hero", "hero");
    }
    assert_close(game.current("hero", "Attack"), 303.75); // 100 × 1.5 × 1.35 × 1.5
}

#[test]
fn section_15_3_elite_hunter_needs_its_tag() {
    let mut game = damage_buckets();
    assert_eq!(
        game.refusal("GE_EliteHunter", "hero", "hero"),
        "`GE_EliteHunter` was refused: the target lacks `Status.FightingElite`"
    );
}

#[test]
fn section_9_3_poison_takes_5_a_second_ten_times() {
    let poison = EffectDef::lasting("GE_Poison", 10.0).every(1.0).modify("Health", Operation::Add, -5.0);
    let mut game = Game::of([poison]);
    game.apply("GE_Poison", "wolf", "hero");
    assert_eq!(game.current("hero", "Health"), 100.0); // ExecuteOnApplication: false
    game.pass(1.0);
    assert_eq!(game.base("hero", "Health"), 95.0);
    game.pass(9.0);
    assert_eq!(game.base("hero", "Health"), 50.0);
    game.pass(60.0);
    assert_eq!(game.current("hero", "Health"), 50.0);
}

#[test]
fn section_9_4_2_attribute_based_gives_pre_add_times_coefficient_plus_post_add() {
    // (50 + 2) × 1.5 + 10 = 88
    let MagnitudeDef::Attribute(mut strength) = MagnitudeDef::attribute(CaptureFrom::Target, "Strength", 1.5)
    else {
        unreachable!("it is attribute based")
    };
    strength.pre_add = 2.0;
    strength.post_add = 10.0;
    let effect =
        EffectDef::infinite("GE_Might").modify("Attack", Operation::Add, MagnitudeDef::Attribute(strength));
    let mut game = Game::of([effect]);
    game.apply("GE_Might", "wolf", "hero");
    assert_eq!(game.current("hero", "Attack"), 188.0);
}
