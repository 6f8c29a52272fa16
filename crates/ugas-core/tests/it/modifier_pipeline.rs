//! Combination of the modifiers of an attribute (M1–M4, M8, M10).

use ugas_core::effect::{EffectDef, StackingDef};
use ugas_core::modifier::{ModifierDef, Operation};
use ugas_core::simulation::Stacks;

use crate::fixture::{Game, assert_close, buff};

/// The value of Attack, which begins at 100, under these modifiers of one effect.
fn attack_under(modifiers: impl IntoIterator<Item = ModifierDef>) -> f64 {
    let effect = modifiers.into_iter().fold(EffectDef::infinite("GE"), EffectDef::with);
    let mut game = Game::of([effect]);
    game.apply("GE", "hero", "hero");
    game.current("hero", "Attack")
}

fn attack(operation: Operation, magnitude: f64) -> ModifierDef {
    ModifierDef::new("Attack", operation, magnitude)
}

#[test]
fn m1_order_is_add_multiply_divide_post_whatever_the_listed_order() {
    // ((100 + 10) × 1.5 / 2) + 5 = 87.5
    let listed = [
        attack(Operation::AddPost, 5.0),
        attack(Operation::DivideAdditive, 2.0),
        attack(Operation::Multiply, 0.5),
        attack(Operation::Add, 10.0),
    ];
    assert_eq!(attack_under(listed.clone()), 87.5);
    assert_eq!(attack_under(listed.into_iter().rev()), 87.5);
}

#[test]
fn m1_layers_run_from_0_to_9_and_each_is_a_whole_pipeline() {
    // Layer 0: (100 + 10) + 1 = 111; layer 9: (111 + 9) × 2 = 240.
    let modifiers = [
        attack(Operation::Multiply, 1.0).layer(9),
        attack(Operation::Add, 9.0).layer(9),
        attack(Operation::AddPost, 1.0),
        attack(Operation::Add, 10.0),
    ];
    assert_eq!(attack_under(modifiers), 240.0);
}

#[test]
fn m1_no_modifiers_leave_the_base() {
    assert_eq!(attack_under([]), 100.0);
}

#[test]
fn m2_bonuses_are_signed() {
    assert_eq!(attack_under([attack(Operation::Multiply, -0.25)]), 75.0);
    // One channel: 1 + 0.5 − 0.25.
    let one_channel =
        [attack(Operation::Multiply, 0.5).channel("C"), attack(Operation::Multiply, -0.25).channel("C")];
    assert_eq!(attack_under(one_channel), 125.0);
}

#[test]
fn m2_a_bonus_without_channel_is_a_singleton() {
    // 1.5 × 1.5, against 2 in one channel.
    assert_eq!(attack_under([attack(Operation::Multiply, 0.5), attack(Operation::Multiply, 0.5)]), 225.0);
    let channelled = || attack(Operation::Multiply, 0.5).channel("C");
    assert_eq!(attack_under([channelled(), channelled()]), 200.0);
}

#[test]
fn m2_a_channel_of_minus_100_percent_gives_zero_and_beyond_it_negative() {
    assert_eq!(attack_under([attack(Operation::Multiply, -1.0)]), 0.0);
    assert_eq!(attack_under([attack(Operation::Multiply, -1.5)]), -50.0);
}

#[test]
fn m2_one_channel_in_two_layers_is_two_channels() {
    // 100 × 1.5 in layer 0, × 1.5 in layer 1.
    let in_layer = |layer| attack(Operation::Multiply, 0.5).channel("C").layer(layer);
    assert_eq!(attack_under([in_layer(0), in_layer(1)]), 225.0);
}

#[test]
fn m2_a_channel_on_anything_but_multiply_is_ignored() {
    let modifiers =
        [attack(Operation::Add, 10.0).channel("C"), attack(Operation::Multiply, 0.5).channel("C")];
    assert_eq!(attack_under(modifiers), 165.0);
}

#[test]
fn m3_multiply_additive_shares_one_channel_apart_from_named_ones() {
    // (1 + 0.5 + 0.5) × (1 + 0.5)
    let modifiers = [
        attack(Operation::MultiplyAdditive, 1.5),
        attack(Operation::Multiply, 0.5).channel("C"),
        attack(Operation::MultiplyAdditive, 1.5),
    ];
    assert_eq!(attack_under(modifiers), 300.0);
}

#[test]
fn m3_divisors_add_up() {
    // 100 / (1 + 1 + 2)
    assert_eq!(
        attack_under([attack(Operation::DivideAdditive, 2.0), attack(Operation::DivideAdditive, 3.0)]),
        25.0
    );
}

#[test]
fn m3_a_divisor_of_zero_counts_as_one_and_is_reported() {
    let mut game = Game::of([buff("GE", "Attack", Operation::DivideAdditive, 0.0)]);
    game.apply("GE", "hero", "hero");
    assert_eq!(game.current("hero", "Attack"), 100.0);
    assert!(game.log().contains(&"DivisorIgnored".to_owned()));
}

#[test]
fn m3_operation_names_of_ugas_and_unreal_are_known() {
    assert_eq!(Operation::from_name("AddBase"), Some(Operation::Add));
    assert_eq!(Operation::from_name("AddFinal"), Some(Operation::AddPost));
    assert_eq!(Operation::from_name("Divide"), None);
    for operation in [Operation::Add, Operation::Multiply, Operation::DivideAdditive] {
        assert_eq!(Operation::from_name(operation.name()), Some(operation));
    }
}

#[test]
fn m4_override_replaces_the_layer_with_its_post_additions() {
    let modifiers =
        [attack(Operation::AddPost, 7.0), attack(Operation::Override, 40.0), attack(Operation::Add, 5.0)];
    assert_eq!(attack_under(modifiers), 40.0);
}

#[test]
fn m4_later_layers_still_run_after_an_override() {
    let modifiers = [attack(Operation::Override, 40.0), attack(Operation::Add, 5.0).layer(1)];
    assert_eq!(attack_under(modifiers), 45.0);
    let later = [attack(Operation::Add, 5.0), attack(Operation::Override, 40.0).layer(3)];
    assert_eq!(attack_under(later), 40.0);
}

#[test]
fn m4_override_is_clamped() {
    let mut game = Game::of([buff("GE", "Health", Operation::Override, 500.0)]);
    game.apply("GE", "hero", "hero");
    assert_eq!(game.current("hero", "Health"), 100.0);
}

#[test]
fn m4_override_with_the_highest_priority_wins_even_if_older_or_negative() {
    let mut game = Game::of([
        buff("GE_High", "Attack", Operation::Override, 1.0).priority(1),
        buff("GE_Default", "Attack", Operation::Override, 2.0),
        buff("GE_Low", "Attack", Operation::Override, 3.0).priority(-10),
    ]);
    game.apply("GE_Low", "hero", "hero");
    assert_eq!(game.current("hero", "Attack"), 3.0);
    let default = game.activate("GE_Default", "hero", "hero");
    let high = game.activate("GE_High", "hero", "hero");
    game.apply("GE_Low", "hero", "hero");
    assert_eq!(game.current("hero", "Attack"), 1.0);
    game.sim.remove(high, Stacks::All).unwrap();
    assert_eq!(game.current("hero", "Attack"), 2.0);
    game.sim.remove(default, Stacks::All).unwrap();
    assert_eq!(game.current("hero", "Attack"), 3.0);
}

#[test]
fn m4_override_ties_go_to_the_most_recently_applied() {
    let mut game = Game::of([
        buff("GE_A", "Attack", Operation::Override, 1.0),
        buff("GE_B", "Attack", Operation::Override, 2.0),
    ]);
    game.apply("GE_A", "hero", "hero");
    let second = game.activate("GE_B", "hero", "hero");
    assert_eq!(game.current("hero", "Attack"), 2.0);
    game.apply("GE_A", "hero", "hero"); // at the same instant, and yet later
    assert_eq!(game.current("hero", "Attack"), 1.0);
    game.sim.remove(second, Stacks::All).unwrap();
    assert_eq!(game.current("hero", "Attack"), 1.0);
}

#[test]
fn m4_a_new_stack_counts_as_applied_again() {
    let mut game = Game::of([
        buff("GE_Stacks", "Attack", Operation::Override, 1.0).stacking(StackingDef::by_target(5)),
        buff("GE_Other", "Attack", Operation::Override, 2.0),
    ]);
    game.apply("GE_Stacks", "hero", "hero");
    game.apply("GE_Other", "hero", "hero");
    assert_eq!(game.current("hero", "Attack"), 2.0);
    game.apply("GE_Stacks", "hero", "hero");
    assert_eq!(game.current("hero", "Attack"), 1.0);
}

/// Attack with three stacks of one modifier.
fn three_stacks_of(modifier: ModifierDef) -> f64 {
    let mut game = Game::of([EffectDef::infinite("GE").with(modifier).stacking(StackingDef::by_target(0))]);
    for _ in 0..3 {
        game.apply("GE", "hero", "hero");
    }
    game.current("hero", "Attack")
}

#[test]
fn m8_three_stacks_by_operation() {
    assert_eq!(three_stacks_of(attack(Operation::Add, 10.0)), 130.0);
    assert_eq!(three_stacks_of(attack(Operation::AddPost, 10.0)), 130.0);
    assert_eq!(three_stacks_of(attack(Operation::Multiply, 0.5).channel("C")), 250.0); // 1 + 3 × 0.5
    assert_eq!(three_stacks_of(attack(Operation::Multiply, 0.5)), 337.5); // 1.5³
    assert_eq!(three_stacks_of(attack(Operation::MultiplyAdditive, 1.5)), 250.0); // 1 + 3 × 0.5
    assert_eq!(three_stacks_of(attack(Operation::DivideAdditive, 2.0)), 25.0); // 1 + 3 × 1
    assert_eq!(three_stacks_of(attack(Operation::MultiplyCompound, 1.5)), 337.5);
    assert_eq!(three_stacks_of(attack(Operation::Override, 7.0)), 7.0);
}

#[test]
fn m8_a_modifier_may_ignore_the_stack_count() {
    assert_eq!(three_stacks_of(attack(Operation::Add, 10.0).ignoring_stacks()), 110.0);
    assert_eq!(three_stacks_of(attack(Operation::Multiply, 0.5).ignoring_stacks()), 150.0);
}

#[test]
fn m10_value_does_not_depend_on_history() {
    let mut game = Game::of([
        buff("GE_Tenth", "Attack", Operation::Add, 0.1),
        buff("GE_Third", "Attack", Operation::Multiply, 1.0 / 3.0),
    ]);
    for _ in 0..100 {
        let third = game.activate("GE_Third", "hero", "hero");
        let tenth = game.activate("GE_Tenth", "hero", "hero");
        game.sim.remove(third, Stacks::All).unwrap();
        game.sim.remove(tenth, Stacks::All).unwrap();
    }
    assert_eq!(game.current("hero", "Attack"), 100.0); // exactly, not nearly
}

#[test]
fn m10_sums_run_in_application_order() {
    // (0.1 + 0.2) + 0.3 and not 0.1 + (0.2 + 0.3): the two differ in the last bit.
    let mut game = Game::of([
        buff("GE_1", "Mana", Operation::Add, 0.1),
        buff("GE_2", "Mana", Operation::Add, 0.2),
        buff("GE_3", "Mana", Operation::Add, 0.3),
    ]);
    for name in ["GE_3", "GE_1", "GE_2"] {
        game.apply(name, "hero", "hero");
    }
    let sum = (0.0 + 0.3 + 0.1) + 0.2;
    assert_eq!(game.current("hero", "Mana"), 50.0 + sum);
    assert_close(sum, 0.6);
}
