//! Attribute sets from structs.

use bevy_app::{App, TaskPoolPlugin};
use bevy_ecs::prelude::*;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_ugas::AttributeSet;
use bevy_ugas::prelude::*;
use ugas::{CaptureDef, ControllerDef, EffectDef, MagnitudeDef, Operation, native};

use crate::fixture::*;

#[derive(Component, AttributeSet, Clone, PartialEq, Debug)]
#[component(immutable)]
#[attribute_set(name = "FighterSet")]
struct Fighter {
    #[attribute(default = 80.0, min = 1.0)]
    max_health: f64,
    #[attribute(default = 80.0, min = 0.0, max = "MaxHealth")]
    health: f64,
    #[attribute(name = "Might", default = 7.5)]
    strength: f64,
    #[attribute(derived = "MaxHealth / 10")]
    toughness: f64,
}

fn app_in_rust() -> App {
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .add_plugins(UgasPlugins::from_code())
        .add_attribute_set::<Fighter>()
        .add_calculation(
            "Twice",
            native(
                vec![CaptureDef::source(Fighter::STRENGTH)],
                |context| Ok(-2.0 * context.source("Might")?),
            ),
        )
        .extend_rules(|builder| {
            builder
                .effect(EffectDef::instant("GE_Strike").modify(
                    Fighter::HEALTH,
                    Operation::Add,
                    MagnitudeDef::calculation("Twice"),
                ))
                .template(ControllerDef::new("Fighter").with_set(Fighter::NAME))
        });
    app.update();
    app
}

#[test]
fn derived_struct_declares_an_attribute_set() {
    let set = Fighter::definition();
    assert_eq!((Fighter::NAME, set.attributes.len()), ("FighterSet", 4));
    assert_eq!(<FighterStrength as AttributeName>::NAME, "Might");
    let mut app = app_in_rust();
    let fighter = spawn(&mut app, "Fighter");
    assert_eq!(game(&mut app).current(fighter, Fighter::HEALTH), Some(80.0));
    assert_eq!(get::<Attributes>(&app, fighter).current(Fighter::TOUGHNESS), Ok(8.0));
}

#[test]
fn typed_set_component_is_updated() {
    let mut app = app_in_rust();
    let (fighter, other) = (spawn(&mut app, "Fighter"), spawn(&mut app, "Fighter"));
    app.update();
    let expected = Fighter { max_health: 80.0, health: 80.0, strength: 7.5, toughness: 8.0 };
    assert_eq!(*get::<Fighter>(&app, fighter), expected);
    count_changes::<Fighter>(&mut app);
    app.update();
    changes::<Fighter>(&mut app);
    game(&mut app).apply("GE_Strike", other, fighter).unwrap();
    run(&mut app, 0.5);
    assert_eq!(get::<Fighter>(&app, fighter).health, 65.0); // 80 - 2 × 7.5
    assert_eq!(changes::<Fighter>(&mut app), 1);
    // Without the set there is no component.
    app.world_mut().entity_mut(fighter).remove::<GameplayController>();
    assert!(app.world().get::<Fighter>(fighter).is_none());
    let controller = game(&mut app).controller(other).unwrap();
    game(&mut app).simulation_mut().unwrap().despawn(controller).unwrap();
    app.update();
    assert!(app.world().get::<Fighter>(other).is_none());
    let game_pieces = app.world_mut().spawn(GameplayController::from_def(ControllerDef::default())).id();
    app.update();
    assert!(app.world().get::<Fighter>(game_pieces).is_none());
}

#[test]
fn replaced_typed_set_is_observed_once_for_each_change() {
    let mut app = app_in_rust();
    let fighter = spawn(&mut app, "Fighter");
    app.update();
    let notes = Notes::default();
    app.insert_resource(notes.clone());
    app.world_mut().entity_mut(fighter).observe(
        |change: On<'_, '_, Insert, Fighter>, values: Query<'_, '_, &Fighter>, notes: Res<'_, Notes>| {
            notes.note(values.get(change.entity).unwrap().health.to_string());
        },
    );
    run(&mut app, 0.25);
    assert!(notes.take().is_empty());
    game(&mut app).apply("GE_Strike", fighter, fighter).unwrap();
    run(&mut app, 0.25);
    game(&mut app).apply("GE_Strike", fighter, fighter).unwrap();
    run(&mut app, 0.25);
    assert_eq!(notes.take(), ["65", "50"]); // 80 - 2 × 7.5 each
}

#[test]
fn observer_of_a_removed_typed_set_may_act_and_despawn() {
    let mut app = app_in_rust();
    let (fighter, other) = (spawn(&mut app, "Fighter"), spawn(&mut app, "Fighter"));
    app.update();
    app.add_observer(
        move |_: On<'_, '_, Remove, Fighter>, mut gameplay: Gameplay<'_>, mut commands: Commands<'_, '_>| {
            if gameplay.controller(other).is_some() {
                gameplay.apply("GE_Strike", None, other).ok();
                commands.entity(other).despawn();
            }
        },
    );
    let controller = game(&mut app).controller(fighter).unwrap();
    game(&mut app).simulation_mut().unwrap().despawn(controller).unwrap();
    app.update();
    assert!(app.world().get::<Fighter>(fighter).is_none());
    assert!(app.world().get_entity(other).is_err());
    assert_eq!(game(&mut app).simulation().unwrap().controllers().count(), 0);
}

#[test]
fn forged_typed_set_is_replaced_by_the_true_values() {
    watch_log();
    let mut app = app_in_rust();
    let fighter = spawn(&mut app, "Fighter");
    app.update();
    let truth = get::<Fighter>(&app, fighter).clone();
    app.world_mut().entity_mut(fighter).insert(Fighter { health: 1_000.0, ..truth.clone() });
    app.world_mut().flush();
    assert_eq!(*get::<Fighter>(&app, fighter), truth);
    app.world_mut().entity_mut(fighter).remove::<Fighter>();
    app.world_mut().flush();
    assert_eq!(*get::<Fighter>(&app, fighter), truth);
    let is_warned = |line: &String| line.contains("FighterSet") && line.contains("only effects");
    assert!(logged("WARN").iter().any(is_warned), "{:?}", logged("WARN"));
    // Changes of the game are neither replaced nor logged.
    let before = logged("WARN").len();
    game(&mut app).apply("GE_Strike", fighter, fighter).unwrap();
    app.update();
    assert_eq!(get::<Fighter>(&app, fighter).health, 65.0); // 80 - 2 × 7.5
    app.world_mut().entity_mut(fighter).remove::<GameplayController>();
    assert!(app.world().get::<Fighter>(fighter).is_none());
    let later = logged("WARN").split_off(before);
    assert!(!later.iter().any(is_warned), "{later:?}");
}
