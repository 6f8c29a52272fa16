//! Attribute sets at run time (§6.2, §6.4).

use ugas_core::attribute::{AttributeDef, AttributeSetDef};
use ugas_core::effect::EffectDef;
use ugas_core::effect::magnitude::{CaptureFrom, MagnitudeDef};
use ugas_core::modifier::Operation;

use crate::fixture::{Game, buff, instant};

/// Units that may learn to swim; `Depth` is bounded by `Breath`, and diving needs swimming.
fn swimmers(effects: impl IntoIterator<Item = EffectDef>) -> Game {
    Game::build(|builder| {
        let builder = builder
            .attribute_set(AttributeSetDef::new("Swimming").with(AttributeDef::new("Breath", 30.0).min(0.0)))
            .attribute_set(
                AttributeSetDef::new("Diving")
                    .depends_on("Swimming")
                    .with(AttributeDef::new("Depth", 100.0).max("Breath")),
            )
            .attribute_set(AttributeSetDef::new("Lungs").with(AttributeDef::derived("Volume", "Breath * 2")))
            .attribute_set(AttributeSetDef::new("Gills").with(AttributeDef::new("Breath", 999.0)));
        effects.into_iter().fold(builder, ugas_core::catalog::CatalogBuilder::effect)
    })
}

fn register(game: &mut Game, set: &str) -> Result<(), String> {
    let set = game.sim.catalog().attribute_set(set).unwrap();
    game.sim.register_set(game.id("hero"), set).map_err(|error| error.to_string())
}

fn unregister(game: &mut Game, set: &str) -> Result<(), String> {
    let set = game.sim.catalog().attribute_set(set).unwrap();
    game.sim.unregister_set(game.id("hero"), set).map_err(|error| error.to_string())
}

#[test]
fn section_6_2_set_is_registered_with_defaults_and_unregistered() {
    let mut game = swimmers([]);
    let breath = game.attribute("Breath");
    assert_eq!(game.sim.current(game.id("hero"), breath), None);
    register(&mut game, "Swimming").unwrap();
    assert_eq!(game.current("hero", "Breath"), 30.0);
    assert_eq!(game.sim.attribute_sets(game.id("hero")).len(), 2);
    unregister(&mut game, "Swimming").unwrap();
    assert_eq!(game.sim.current(game.id("hero"), breath), None);
    assert_eq!(game.log(), ["AttributeSetAdded", "AttributeSetRemoved"]);
}

#[test]
fn section_6_2_other_values_and_modifiers_are_kept() {
    let mut game = swimmers([
        buff("GE_Buff", "Attack", Operation::Add, 5.0),
        instant("GE_Hit", "Health", Operation::Add, -40.0),
    ]);
    game.apply("GE_Buff", "hero", "hero");
    game.apply("GE_Hit", "wolf", "hero");
    game.events();
    register(&mut game, "Swimming").unwrap();
    assert_eq!((game.current("hero", "Attack"), game.current("hero", "Health")), (105.0, 60.0));
    assert_eq!(game.log(), ["AttributeSetAdded"]);
}

#[test]
fn m6_modifiers_are_inert_while_their_attribute_is_missing() {
    let mut game = swimmers([buff("GE_Tank", "Breath", Operation::Add, 60.0)]);
    let active = game.activate("GE_Tank", "hero", "hero");
    assert_eq!(game.count("ModifierInert"), 1);
    register(&mut game, "Swimming").unwrap();
    assert_eq!((game.base("hero", "Breath"), game.current("hero", "Breath")), (30.0, 90.0));
    unregister(&mut game, "Swimming").unwrap();
    assert!(game.sim.effect(active).is_some());
    register(&mut game, "Swimming").unwrap();
    assert_eq!(game.current("hero", "Breath"), 90.0);
    unregister(&mut game, "Swimming").unwrap();
    game.sim.remove(active, Default::default()).unwrap();
    register(&mut game, "Swimming").unwrap();
    assert_eq!(game.current("hero", "Breath"), 30.0);
}

#[test]
fn m6_a_periodic_effect_on_a_missing_attribute_waits_too() {
    let drown = EffectDef::infinite("GE_Drown").every(1.0).modify("Breath", Operation::Add, -1.0);
    let mut game = swimmers([drown]);
    game.apply("GE_Drown", "wolf", "hero");
    game.pass(5.0);
    register(&mut game, "Swimming").unwrap();
    game.pass(5.0);
    assert_eq!(game.base("hero", "Breath"), 25.0);
}

#[test]
fn e8_a_live_magnitude_keeps_its_last_value_while_its_input_is_missing() {
    let float = EffectDef::infinite("GE_Float").modify(
        "Speed",
        Operation::Add,
        MagnitudeDef::attribute(CaptureFrom::Target, "Breath", 1.0),
    );
    let mut game = swimmers([float, instant("GE_Gulp", "Breath", Operation::Add, 10.0)]);
    register(&mut game, "Swimming").unwrap();
    game.apply("GE_Float", "hero", "hero");
    game.apply("GE_Gulp", "hero", "hero");
    assert_eq!(game.current("hero", "Speed"), 440.0);
    unregister(&mut game, "Swimming").unwrap();
    assert_eq!(game.current("hero", "Speed"), 440.0);
    assert!(game.log().contains(&"EvaluationFailed".to_owned()));
    register(&mut game, "Swimming").unwrap(); // with its default, 30
    assert_eq!(game.current("hero", "Speed"), 430.0);
}

#[test]
fn section_6_4_dependencies_are_checked_both_ways() {
    let mut game = swimmers([]);
    assert_eq!(
        register(&mut game, "Diving").unwrap_err(),
        "attribute set `Diving` needs the set `Swimming`, which is not registered"
    );
    assert_eq!(
        register(&mut game, "Lungs").unwrap_err(),
        "attribute `Volume` reads `Breath`, which none of the registered sets has"
    );
    register(&mut game, "Swimming").unwrap();
    register(&mut game, "Diving").unwrap();
    register(&mut game, "Lungs").unwrap();
    assert_eq!((game.base("hero", "Depth"), game.current("hero", "Volume")), (30.0, 60.0));
    assert_eq!(
        unregister(&mut game, "Swimming").unwrap_err(),
        "attribute set `Diving` needs the set `Swimming`, which is not registered"
    );
    unregister(&mut game, "Diving").unwrap();
    assert_eq!(
        unregister(&mut game, "Swimming").unwrap_err(),
        "attribute `Volume` reads `Breath`, which none of the registered sets has"
    );
}

#[test]
fn section_6_2_duplicate_and_conflicting_sets_are_rejected() {
    let mut game = swimmers([]);
    assert_eq!(register(&mut game, "Unit").unwrap_err(), "the attribute set `Unit` is already registered");
    assert_eq!(
        unregister(&mut game, "Swimming").unwrap_err(),
        "the attribute set `Swimming` is not registered"
    );
    register(&mut game, "Swimming").unwrap();
    assert_eq!(
        register(&mut game, "Gills").unwrap_err(),
        "attribute `Breath` is in both `Gills` and `Swimming`: a controller can have only one of them"
    );
    let unknown = ugas_core::id::AttributeSetId::from_index(99);
    let hero = game.id("hero");
    assert_eq!(
        game.sim.register_set(hero, unknown).unwrap_err().to_string(),
        format!("{unknown:?} does not exist")
    );
    game.sim.despawn(hero).unwrap();
    assert_eq!(register(&mut game, "Gills").unwrap_err(), format!("{hero:?} does not exist"));
}

#[test]
fn section_6_4_alternative_sets_can_replace_each_other() {
    let mut game = swimmers([buff("GE_Tank", "Breath", Operation::Add, 1.0)]);
    register(&mut game, "Swimming").unwrap();
    game.apply("GE_Tank", "hero", "hero");
    unregister(&mut game, "Swimming").unwrap();
    register(&mut game, "Gills").unwrap();
    assert_eq!(game.current("hero", "Breath"), 1_000.0);
}

#[test]
fn snapshot_restores_across_a_change_of_sets() {
    let mut game = swimmers([buff("GE_Tank", "Breath", Operation::Add, 60.0)]);
    register(&mut game, "Swimming").unwrap();
    game.apply("GE_Tank", "hero", "hero");
    let snapshot = game.sim.snapshot();
    unregister(&mut game, "Swimming").unwrap();
    game.sim.restore(&snapshot).unwrap();
    assert_eq!((game.current("hero", "Breath"), game.sim.state_hash()), (90.0, snapshot.state_hash()));
}

#[test]
fn a_change_of_sets_inside_a_batch_is_settled_at_its_end() {
    let mut game = swimmers([buff("GE_Tank", "Breath", Operation::Add, 60.0)]);
    let (hero, effect) = (game.id("hero"), game.effect("GE_Tank"));
    let set = game.sim.catalog().attribute_set("Swimming").unwrap();
    game.sim.batch(|sim| {
        sim.apply_effect(effect, None, hero).unwrap();
        sim.register_set(hero, set).unwrap();
    });
    assert_eq!(game.current("hero", "Breath"), 90.0);
}
