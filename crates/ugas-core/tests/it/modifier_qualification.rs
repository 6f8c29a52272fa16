//! Qualification of modifiers: live tags (M5), missing attributes (M6), most negative and native qualifiers
//! (M7).

use ugas_core::attribute::{AttributeDef, AttributeSetDef, Evaluation};
use ugas_core::controller::ControllerDef;
use ugas_core::effect::{EffectDef, StackingDef};
use ugas_core::modifier::{ModifierDef, Operation};
use ugas_core::simulation::Stacks;

use crate::fixture::{Game, buff, tagging};

/// The Fire Shield of UEM, "Modifier Tag Requirements": armor always, strength only while the target is frozen;
/// speed only while the source is enraged.
fn fire_shield() -> Game {
    let shield = EffectDef::infinite("GE_FireShield")
        .modify("Armor", Operation::Add, 20.0)
        .with(ModifierDef::new("Strength", Operation::Add, 10.0).while_target_has("State.Frozen"))
        .with(ModifierDef::new("Speed", Operation::Add, 100.0).while_source_has("State.Enraged"))
        .with(ModifierDef::new("Mana", Operation::Add, 5.0).while_source_lacks("State.Enraged"))
        .with(ModifierDef::new("Attack", Operation::Add, 1.0).while_target_lacks("State.Frozen"));
    Game::of([shield, tagging("State.Frozen"), tagging("State.Enraged"), tagging("State.Frozen.Deep")])
}

#[test]
fn m5_fire_shield_follows_the_targets_tags() {
    let mut game = fire_shield();
    game.apply("GE_FireShield", "wolf", "hero");
    assert_eq!((game.current("hero", "Armor"), game.current("hero", "Strength")), (40.0, 50.0));
    assert_eq!(game.current("hero", "Attack"), 101.0);
    let frozen = game.activate("Tag:State.Frozen", "wolf", "hero");
    assert_eq!((game.current("hero", "Strength"), game.current("hero", "Attack")), (60.0, 100.0));
    game.sim.remove(frozen, Stacks::All).unwrap();
    assert_eq!((game.current("hero", "Strength"), game.current("hero", "Attack")), (50.0, 101.0));
}

#[test]
fn m5_a_descendant_of_the_required_tag_qualifies() {
    let mut game = fire_shield();
    game.apply("GE_FireShield", "wolf", "hero");
    game.apply("Tag:State.Frozen.Deep", "wolf", "hero");
    assert_eq!(game.current("hero", "Strength"), 60.0);
}

#[test]
fn m5_fire_shield_follows_the_sources_tags_and_raises_events() {
    let mut game = fire_shield();
    game.apply("GE_FireShield", "wolf", "hero");
    assert_eq!((game.current("hero", "Speed"), game.current("hero", "Mana")), (400.0, 55.0));
    game.events();
    game.apply("Tag:State.Enraged", "wolf", "wolf");
    assert_eq!((game.current("hero", "Speed"), game.current("hero", "Mana")), (500.0, 50.0));
    let log = game.log();
    assert!(log.contains(&"hero.Speed 400 -> 500".to_owned()), "{log:?}");
    assert!(log.contains(&"hero.Mana 55 -> 50".to_owned()), "{log:?}");
}

#[test]
fn m5_tags_of_source_and_target_are_kept_apart() {
    let mut game = fire_shield();
    game.apply("GE_FireShield", "wolf", "hero");
    game.apply("Tag:State.Enraged", "hero", "hero");
    game.apply("Tag:State.Frozen", "wolf", "wolf");
    assert_eq!((game.current("hero", "Speed"), game.current("hero", "Strength")), (400.0, 50.0));
}

#[test]
fn m5_a_source_that_is_gone_counts_with_the_tags_it_had_last() {
    for enraged in [true, false] {
        let mut game = fire_shield();
        game.apply("GE_FireShield", "wolf", "hero");
        if enraged {
            game.apply("Tag:State.Enraged", "wolf", "wolf");
        }
        let speed = game.current("hero", "Speed");
        game.sim.despawn(game.id("wolf")).unwrap();
        assert_eq!(game.current("hero", "Speed"), speed);
        game.apply("Tag:State.Frozen", "hero", "hero"); // evaluated again
        assert_eq!(game.current("hero", "Speed"), speed);
        assert_eq!(game.current("hero", "Strength"), 60.0);
    }
}

#[test]
fn m5_an_instant_modifier_is_judged_at_execution() {
    let strike = EffectDef::instant("GE_Strike")
        .modify("Health", Operation::Add, -10.0)
        .with(ModifierDef::new("Health", Operation::Add, -5.0).while_target_has("State.Frozen"));
    let mut game = Game::of([strike, tagging("State.Frozen")]);
    game.apply("GE_Strike", "hero", "wolf");
    assert_eq!(game.base("wolf", "Health"), 90.0);
    game.apply("Tag:State.Frozen", "hero", "wolf");
    game.apply("GE_Strike", "hero", "wolf");
    assert_eq!(game.base("wolf", "Health"), 75.0);
}

#[test]
fn m5_without_a_source_requirements_on_it_fail() {
    let mut game = fire_shield();
    let hero = game.id("hero");
    game.sim.apply_effect(game.effect("GE_FireShield"), None, hero).unwrap();
    assert_eq!((game.current("hero", "Speed"), game.current("hero", "Mana")), (400.0, 55.0));
}

#[test]
fn m6_a_modifier_without_its_attribute_is_inert_and_reported_once() {
    let effect = EffectDef::lasting("GE_Swim", 3.0).modify("Breath", Operation::Add, 10.0).modify(
        "Speed",
        Operation::Add,
        10.0,
    );
    let tick = EffectDef::lasting("GE_Drown", 3.0).every(1.0).modify("Breath", Operation::Add, -1.0);
    let mut game = Game::build(|builder| builder.declare_attribute("Breath").effect(effect).effect(tick));
    game.apply("GE_Swim", "hero", "hero");
    assert_eq!(game.current("hero", "Speed"), 410.0);
    assert_eq!(game.count("ModifierInert"), 1);
    game.apply("GE_Drown", "hero", "hero");
    game.pass(3.0);
    assert_eq!(game.count("ModifierInert"), 1);
    assert_eq!(game.sim.current(game.id("hero"), game.attribute("Breath")), None);
}

/// A game whose `Haste` begins at 100 and takes only the most negative modifier.
fn slowed(effects: impl IntoIterator<Item = EffectDef>) -> Game {
    let mut game = Game::build(|builder| {
        let haste = AttributeDef::new("Haste", 100.0).evaluation(Evaluation::MostNegativeOnly);
        effects.into_iter().fold(
            builder
                .attribute_set(AttributeSetDef::new("Runner").with(haste))
                .template(ControllerDef::new("Runner").with_set("Runner")),
            ugas_core::catalog::CatalogBuilder::effect,
        )
    });
    game.spawn("runner", "Runner");
    game
}

#[test]
fn m7_only_the_strongest_slow_counts_and_all_haste_does() {
    let mut game = slowed([
        buff("GE_Slow10", "Haste", Operation::Add, -10.0),
        buff("GE_Slow30", "Haste", Operation::Add, -30.0),
        buff("GE_Fast", "Haste", Operation::Add, 5.0),
    ]);
    game.apply("GE_Slow10", "hero", "runner");
    assert_eq!(game.current("runner", "Haste"), 90.0);
    let strongest = game.activate("GE_Slow30", "hero", "runner");
    game.apply("GE_Fast", "hero", "runner");
    game.apply("GE_Fast", "hero", "runner");
    assert_eq!(game.current("runner", "Haste"), 80.0); // 100 − 30 + 5 + 5
    game.sim.remove(strongest, Stacks::All).unwrap();
    assert_eq!(game.current("runner", "Haste"), 100.0); // 100 − 10 + 5 + 5
}

#[test]
fn m7_multipliers_are_weighed_by_their_loss() {
    // −40 % takes 40 of 100 and beats −30.
    let mut game = slowed([
        buff("GE_Flat", "Haste", Operation::Add, -30.0),
        buff("GE_Percent", "Haste", Operation::Multiply, -0.4),
        buff("GE_Factor", "Haste", Operation::MultiplyCompound, 0.9),
    ]);
    for name in ["GE_Flat", "GE_Percent", "GE_Factor"] {
        game.apply(name, "hero", "runner");
    }
    assert_eq!(game.current("runner", "Haste"), 60.0);
}

#[test]
fn m7_of_equal_slows_one_counts() {
    let mut game = slowed([buff("GE_Slow", "Haste", Operation::Add, -10.0)]);
    let first = game.activate("GE_Slow", "hero", "runner");
    game.apply("GE_Slow", "hero", "runner");
    assert_eq!(game.current("runner", "Haste"), 90.0);
    game.sim.remove(first, Stacks::All).unwrap();
    assert_eq!(game.current("runner", "Haste"), 90.0);
}

#[test]
fn m7_a_slow_that_does_not_qualify_does_not_displace_one_that_does() {
    let conditional = EffectDef::infinite("GE_IfWet")
        .with(ModifierDef::new("Haste", Operation::Add, -50.0).while_target_has("State.Wet"));
    let mut game =
        slowed([conditional, buff("GE_Slow", "Haste", Operation::Add, -10.0), tagging("State.Wet")]);
    game.apply("GE_IfWet", "hero", "runner");
    game.apply("GE_Slow", "hero", "runner");
    assert_eq!(game.current("runner", "Haste"), 90.0);
    game.apply("Tag:State.Wet", "hero", "runner");
    assert_eq!(game.current("runner", "Haste"), 50.0);
}

#[test]
fn m7_stacks_of_a_slow_are_one_modifier() {
    let mut game = slowed([
        buff("GE_Stacked", "Haste", Operation::Add, -10.0).stacking(StackingDef::by_target(0)),
        buff("GE_Slow", "Haste", Operation::Add, -15.0),
    ]);
    game.apply("GE_Slow", "hero", "runner");
    game.apply("GE_Stacked", "hero", "runner");
    assert_eq!(game.current("runner", "Haste"), 85.0);
    game.apply("GE_Stacked", "hero", "runner");
    assert_eq!(game.current("runner", "Haste"), 80.0);
}

#[test]
fn m7_native_qualifier_can_only_exclude_modifiers() {
    let conditional = EffectDef::infinite("GE_Never")
        .with(ModifierDef::new("Attack", Operation::Add, 1_000.0).while_target_has("State.Never"));
    let mut game = Game::build(|builder| {
        builder
            .effect(conditional)
            .effect(buff("GE_Small", "Attack", Operation::Add, 1.0))
            .effect(buff("GE_Large", "Attack", Operation::Add, 50.0))
            .qualifier("Attack", |terms| {
                for term in terms {
                    term.counts = term.amount >= 10.0;
                }
            })
    });
    for name in ["GE_Never", "GE_Small", "GE_Large"] {
        game.apply(name, "hero", "hero");
    }
    assert_eq!(game.current("hero", "Attack"), 150.0);
}
