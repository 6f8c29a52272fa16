//! Bounds, derived and meta attributes (B0–B3, B5).

use ugas_core::attribute::{AttributeDef, AttributeSetDef, OnBoundChange};
use ugas_core::catalog::{Catalog, CatalogBuilder};
use ugas_core::controller::ControllerDef;
use ugas_core::effect::EffectDef;
use ugas_core::event::EventKind;
use ugas_core::modifier::Operation;
use ugas_core::simulation::{Config, Stacks};

use crate::fixture::{Game, buff, instant};

/// A game with one controller, `x`, that has these attributes.
fn with_attributes(
    attributes: impl IntoIterator<Item = AttributeDef>,
    effects: impl IntoIterator<Item = EffectDef>,
) -> Game {
    let set = attributes.into_iter().fold(AttributeSetDef::new("Set"), AttributeSetDef::with);
    let builder = Catalog::builder().attribute_set(set).template(ControllerDef::new("X").with_set("Set"));
    let builder = effects.into_iter().fold(builder, CatalogBuilder::effect);
    let mut game = Game::empty(Config::seeded(7), builder);
    game.spawn("x", "X");
    game.events();
    game
}

#[test]
fn b0_min_wins_over_max() {
    let game = with_attributes([AttributeDef::new("A", 5.0).min(10.0).max(1.0)], []);
    assert_eq!(game.current("x", "A"), 10.0);
}

#[test]
fn b0_initial_bases_are_normalised_once() {
    let game = with_attributes(
        [AttributeDef::new("A", 500.0).max(100.0), AttributeDef::new("B", -5.0).min(0.0)],
        [],
    );
    assert_eq!((game.base("x", "A"), game.base("x", "B")), (100.0, 0.0));
}

#[test]
fn b0_values_at_their_bounds_stay() {
    let game = with_attributes([AttributeDef::new("A", 1.0).min(1.0).max(1.0)], []);
    assert_eq!((game.base("x", "A"), game.current("x", "A")), (1.0, 1.0));
}

#[test]
fn b1_a_bound_is_the_clamped_current_value_of_the_attribute_it_names() {
    // MaxHealth is itself bounded by 120, so a bonus of 50 lets Health go to 120 only.
    let attributes = [
        AttributeDef::new("Health", 100.0).max("MaxHealth"),
        AttributeDef::new("MaxHealth", 100.0).max(120.0),
    ];
    let effects = [
        buff("GE_Vigor", "MaxHealth", Operation::Add, 50.0),
        buff("GE_Health", "Health", Operation::Add, 500.0),
    ];
    let mut game = with_attributes(attributes, effects);
    game.apply("GE_Health", "x", "x");
    assert_eq!(game.current("x", "Health"), 100.0);
    game.apply("GE_Vigor", "x", "x");
    assert_eq!(game.current("x", "Health"), 120.0);
}

#[test]
fn b1_chains_of_bounds_have_no_length_limit() {
    let count = 2_000;
    let attributes = (0..count).map(|at| {
        let attribute = AttributeDef::new(format!("A{at}"), 100.0);
        if at + 1 < count { attribute.max(&*format!("A{}", at + 1)) } else { attribute }
    });
    let last = format!("A{}", count - 1);
    let mut game = with_attributes(attributes, [buff("GE", &last, Operation::Add, -60.0)]);
    game.apply("GE", "x", "x");
    assert_eq!((game.current("x", "A0"), game.base("x", "A0")), (40.0, 100.0));
    assert_eq!(game.count("AttributeChanged"), count);
}

#[test]
fn b1_a_moving_bound_raises_the_event_of_the_bounded_and_leaves_its_base() {
    let mut game = Game::of([buff("GE_Frail", "MaxHealth", Operation::Add, -40.0)]);
    let frail = game.activate("GE_Frail", "wolf", "hero");
    assert_eq!(game.log(), ["applied GE_Frail", "hero.MaxHealth 100 -> 60", "hero.Health 100 -> 60"]);
    game.sim.remove(frail, Stacks::All).unwrap();
    assert_eq!((game.base("hero", "Health"), game.current("hero", "Health")), (100.0, 100.0));
}

/// Health 80 of MaxHealth 100 with this rule.
fn eighty_of_hundred(rule: OnBoundChange) -> Game {
    let attributes = [
        AttributeDef::new("Health", 80.0).min(0.0).max("MaxHealth").on_bound_change(rule),
        AttributeDef::new("MaxHealth", 100.0).min(0.0),
    ];
    let effects = [
        buff("GE_More", "MaxHealth", Operation::Add, 50.0),
        buff("GE_Less", "MaxHealth", Operation::Add, -50.0),
        buff("GE_None", "MaxHealth", Operation::Override, 0.0),
    ];
    with_attributes(attributes, effects)
}

#[test]
fn b1_keep_leaves_the_base() {
    let mut game = eighty_of_hundred(OnBoundChange::Keep);
    game.apply("GE_Less", "x", "x");
    assert_eq!((game.base("x", "Health"), game.current("x", "Health")), (80.0, 50.0));
}

#[test]
fn b1_clamp_takes_the_base_down_as_an_internal_effect() {
    let mut game = eighty_of_hundred(OnBoundChange::Clamp);
    let less = game.activate("GE_Less", "x", "x");
    assert_eq!((game.base("x", "Health"), game.current("x", "Health")), (50.0, 50.0));
    let executed = format!("executed {}", Catalog::BOUND_CHANGE_EFFECT);
    assert_eq!(game.log().iter().filter(|line| **line == executed).count(), 1);
    game.sim.remove(less, Stacks::All).unwrap();
    assert_eq!(game.current("x", "Health"), 50.0);
    assert!(!game.log().contains(&executed));
}

#[test]
fn b1_keep_ratio_keeps_four_fifths() {
    let mut game = eighty_of_hundred(OnBoundChange::KeepRatio);
    let more = game.activate("GE_More", "x", "x");
    assert_eq!(game.base("x", "Health"), 120.0); // 80 of 100, 120 of 150
    game.sim.remove(more, Stacks::All).unwrap();
    assert_eq!(game.base("x", "Health"), 80.0);
    game.apply("GE_Less", "x", "x");
    assert_eq!(game.base("x", "Health"), 40.0);
}

#[test]
fn b1_keep_ratio_of_zero_stays_zero() {
    let mut game = eighty_of_hundred(OnBoundChange::KeepRatio);
    let none = game.activate("GE_None", "x", "x");
    assert_eq!(game.base("x", "Health"), 0.0);
    game.sim.remove(none, Stacks::All).unwrap();
    assert_eq!((game.base("x", "Health"), game.current("x", "MaxHealth")), (0.0, 100.0));
}

#[test]
fn b2_a_derived_base_follows_its_inputs_and_takes_modifiers_and_bounds() {
    let attributes =
        [AttributeDef::new("Strength", 10.0), AttributeDef::derived("Carry", "Strength * 5 + 1").max(200.0)];
    let effects = [
        buff("GE_Strong", "Strength", Operation::Add, 10.0),
        buff("GE_Bag", "Carry", Operation::Multiply, 1.0),
    ];
    let mut game = with_attributes(attributes, effects);
    assert_eq!((game.base("x", "Carry"), game.current("x", "Carry")), (51.0, 51.0));
    game.apply("GE_Bag", "x", "x");
    assert_eq!((game.base("x", "Carry"), game.current("x", "Carry")), (51.0, 102.0));
    game.apply("GE_Strong", "x", "x"); // 20 × 5 + 1, doubled and clamped
    assert_eq!((game.base("x", "Carry"), game.current("x", "Carry")), (101.0, 200.0));
}

#[test]
fn b2_a_derived_base_is_what_its_expression_says_from_the_start() {
    let attributes =
        [AttributeDef::new("Strength", 100.0), AttributeDef::derived("Carry", "Strength * 5").max(200.0)];
    let mut game = with_attributes(attributes, [buff("GE_Half", "Carry", Operation::Multiply, -0.8)]);
    assert_eq!((game.base("x", "Carry"), game.current("x", "Carry")), (500.0, 200.0));
    game.apply("GE_Half", "x", "x");
    assert_close_to_100(&game);
}

fn assert_close_to_100(game: &Game) {
    crate::fixture::assert_close(game.current("x", "Carry"), 100.0); // 500 × 0.2
    assert_eq!(game.base("x", "Carry"), 500.0);
}

#[test]
fn b2_an_execution_cannot_write_a_derived_base() {
    let attributes = [AttributeDef::new("Strength", 10.0), AttributeDef::derived("Carry", "Strength * 5")];
    let mut game = with_attributes(attributes, [instant("GE", "Carry", Operation::Add, 7.0)]);
    game.apply("GE", "x", "x");
    assert_eq!(game.base("x", "Carry"), 50.0);
    assert_eq!(game.log(), ["ModifierInert", "executed GE"]);
}

#[test]
fn b2_a_diamond_is_evaluated_once_and_without_glitches() {
    let attributes = [
        AttributeDef::new("A", 1.0),
        AttributeDef::derived("B", "A * 10"),
        AttributeDef::derived("C", "A * 100"),
        AttributeDef::derived("D", "B + C"),
    ];
    let mut game = with_attributes(attributes, [instant("GE", "A", Operation::Add, 1.0)]);
    game.apply("GE", "x", "x");
    assert_eq!(game.log(), ["executed GE", "x.A 1 -> 2", "x.B 10 -> 20", "x.C 100 -> 200", "x.D 110 -> 220"]);
}

/// Damage is taken from Shield 30 and then from Health 100, both from 0.
fn draining() -> Game {
    let attributes = [
        AttributeDef::new("Damage", 0.0).drain_into(["Shield", "Health"]),
        AttributeDef::new("Shield", 30.0).min(0.0),
        AttributeDef::new("Health", 100.0).min(0.0),
    ];
    let effects = [
        instant("GE_20", "Damage", Operation::Add, 20.0),
        instant("GE_1000", "Damage", Operation::Add, 1_000.0),
        instant("GE_Negative", "Damage", Operation::Add, -5.0),
        EffectDef::instant("GE_Twice").modify("Damage", Operation::Add, 20.0).modify(
            "Damage",
            Operation::Multiply,
            1.0,
        ),
    ];
    with_attributes(attributes, effects)
}

#[test]
fn b3_a_meta_attribute_drains_in_order_and_returns_to_zero() {
    let mut game = draining();
    let values = |game: &Game| ["Damage", "Shield", "Health"].map(|name| game.base("x", name));
    game.apply("GE_20", "x", "x");
    assert_eq!(values(&game), [0.0, 10.0, 100.0]);
    assert_eq!(game.log(), ["executed GE_20", "x.Shield 30 -> 10"]);
    game.apply("GE_20", "x", "x"); // 10 from the shield, 10 from health
    assert_eq!(values(&game), [0.0, 0.0, 90.0]);
    game.apply("GE_1000", "x", "x"); // each down to its Min; the rest is lost
    assert_eq!(values(&game), [0.0, 0.0, 0.0]);
}

#[test]
fn b3_all_modifiers_of_one_execution_drain_together() {
    let mut game = draining();
    game.apply("GE_Twice", "x", "x"); // 20 × 2 = 40
    assert_eq!((game.base("x", "Shield"), game.base("x", "Health")), (0.0, 90.0));
}

#[test]
fn b3_a_negative_amount_takes_nothing() {
    let mut game = draining();
    game.apply("GE_Negative", "x", "x");
    assert_eq!(["Damage", "Shield", "Health"].map(|name| game.base("x", name)), [0.0, 30.0, 100.0]);
}

#[test]
fn b5_changes_carry_old_new_cause_and_source() {
    let mut game = Game::of([instant("GE_Hit", "Health", Operation::Add, -10.0)]);
    game.apply("GE_Hit", "wolf", "hero");
    let events = game.events();
    let [_, change] = &events[..] else { panic!("executed and changed: {events:?}") };
    assert_eq!(
        change.kind,
        EventKind::AttributeChanged {
            controller: game.id("hero"),
            attribute: game.attribute("Health"),
            old_base: 100.0,
            new_base: 90.0,
            old: 100.0,
            new: 90.0,
        }
    );
    assert_eq!(change.cause.effect, Some(game.effect("GE_Hit")));
    assert_eq!(change.cause.source, Some(game.id("wolf")));
}

#[test]
fn b5_a_base_that_changes_under_an_override_raises_its_event() {
    let mut game = Game::of([
        buff("GE_Fixed", "Attack", Operation::Override, 7.0),
        instant("GE_Train", "Attack", Operation::Add, 10.0),
    ]);
    game.apply("GE_Fixed", "hero", "hero");
    game.events();
    game.apply("GE_Train", "hero", "hero");
    let kinds: Vec<_> = game.events().into_iter().map(|event| event.kind).collect();
    assert!(matches!(
        kinds[..],
        [_, EventKind::AttributeChanged { old_base: 100.0, new_base: 110.0, old: 7.0, new: 7.0, .. }]
    ));
}

#[test]
fn b5_no_event_where_nothing_changed() {
    let mut game = Game::of([
        instant("GE_Nothing", "Health", Operation::Add, 0.0),
        instant("GE_Full", "Health", Operation::Add, 10.0),
        EffectDef::instant("GE_Back").modify("Attack", Operation::Add, 5.0).modify(
            "Attack",
            Operation::Add,
            -5.0,
        ),
        buff("GE_Zero", "Attack", Operation::Add, 0.0),
    ]);
    for name in ["GE_Nothing", "GE_Full", "GE_Back", "GE_Zero"] {
        game.apply(name, "hero", "hero");
    }
    assert_eq!(game.count("AttributeChanged"), 0);
}
