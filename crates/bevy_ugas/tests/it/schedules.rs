//! Other schedules than `FixedUpdate`, rollback in them, and several simulations in one app.

use core::time::Duration;
use std::sync::Arc;

use bevy_app::{App, TaskPoolPlugin, Update};
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::ScheduleLabel;
use bevy_time::{Time, TimePlugin, TimeUpdateStrategy};
use bevy_transform::components::Transform;
use bevy_ugas::cue::{CueInstance, CueScene};
use bevy_ugas::prelude::*;
use bevy_ugas::{GameplayInstance, GameplayInstances, GameplaySnapshot, GameplayWorld, InInstance};
use ugas::Config;

use crate::fixture::*;

#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
struct Turn;

/// An app whose game advances in `Turn`, by a tenth of a second each time.
fn app_of_turns() -> App {
    let mut app = App::new();
    app.init_schedule(Turn)
        .add_plugins((TaskPoolPlugin::default(), TimePlugin))
        .add_plugins(UgasPlugins::from_catalog(catalog()).in_schedule(Turn))
        .update();
    app
}

fn turn(app: &mut App) {
    // As `bevy_ggrs` does it: the delta of `Time` is that of the schedule.
    app.world_mut().resource_mut::<Time>().advance_by(Duration::from_millis(100));
    app.world_mut().run_schedule(Turn);
}

#[test]
fn game_advances_in_the_given_schedule_only() {
    let mut app = app_of_turns();
    let wolf = spawn(&mut app, "Wolf");
    fn strike(mut commands: Commands<'_, '_>, wolves: Query<'_, '_, Entity, With<Attributes>>) {
        for wolf in &wolves {
            commands.entity(wolf).apply_effect("GE_Hit", None);
        }
    }
    app.add_systems(Turn, strike.in_set(GameplaySystems::Act));
    for _ in 0..100 {
        app.update();
    }
    assert_eq!(game(&mut app).now(), ugas::Time::ZERO);
    assert_eq!(get::<Attributes>(&app, wolf).current("Health"), Ok(60.0));
    for _ in 0..3 {
        turn(&mut app);
    }
    assert_eq!(game(&mut app).now(), ugas::Time::from_micros(300_000));
    // One hit of 10 each turn, shown in the same one.
    assert_eq!(get::<Attributes>(&app, wolf).current("Health"), Ok(30.0));
}

#[test]
fn game_in_update_advances_by_virtual_time() {
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin))
        .insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_millis(50)))
        .add_plugins(UgasPlugins::from_catalog(catalog()).in_schedule(Update));
    // The first update measures time only.
    for _ in 0..11 {
        app.update();
    }
    assert_eq!(game(&mut app).now(), ugas::Time::from_micros(500_000));
}

#[test]
#[should_panic(expected = "add `UgasPlugins` first")]
fn plugins_in_different_schedules_panic() {
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin))
        .add_plugins(bevy_ugas::transform::UgasTransformPlugin)
        .add_plugins(UgasPlugins::from_catalog(catalog()).in_schedule(Turn));
}

/// Saved states by frame, as a rollback library keeps them.
#[derive(Resource, Default)]
struct Saved(Vec<GameplaySnapshot>);

#[test]
fn rolled_back_frames_are_simulated_again_to_the_same_state() {
    // Inputs of frames: a poisoned wolf, and hits.
    let input = |app: &mut App, frame: usize, wolf: Entity| {
        match frame {
            2 => drop(game(app).apply("GE_Poison", None, wolf).unwrap()),
            5 | 11 => drop(game(app).apply("GE_Hit", None, wolf).unwrap()),
            _ => {}
        };
    };
    let play = |rolls_back: bool| {
        let mut app = app_of_turns();
        app.init_resource::<Saved>();
        let wolf = spawn(&mut app, "Wolf");
        for frame in 0..40 {
            let saved = game(&mut app).snapshot().unwrap();
            app.world_mut().resource_mut::<Saved>().0.push(saved);
            input(&mut app, frame, wolf);
            turn(&mut app);
            // Every frame goes back up to seven frames, and simulates them again.
            for again in frame.saturating_sub(if rolls_back { 6 } else { 0 })..=frame {
                if rolls_back {
                    let saved = app.world().resource::<Saved>().0[again].clone();
                    if again == frame.saturating_sub(6) {
                        game(&mut app).restore(&saved).unwrap();
                    }
                    input(&mut app, again, wolf);
                    turn(&mut app);
                }
            }
        }
        let hash = game(&mut app).simulation().unwrap().state_hash();
        (hash, get::<Attributes>(&app, wolf).current("Health"), game(&mut app).now())
    };
    let (straight, rolled_back) = (play(false), play(true));
    assert_eq!(straight, rolled_back);
    // 60 - 2 hits of 10 - 3 ticks of poison of 5; 40 turns of 0.1 s
    assert_eq!((straight.1, straight.2), (Ok(25.0), ugas::Time::from_micros(4_000_000)));
}

/// An instance with a wolf in it.
fn room(app: &mut App, rules: Arc<ugas::Catalog>) -> (Entity, Entity) {
    let room = app.world_mut().spawn(GameplayInstance::new(rules, Config::seeded(3))).id();
    let wolf = app.world_mut().spawn((GameplayController::new("Wolf"), InInstance(room))).id();
    (room, wolf)
}

#[test]
fn simulations_of_one_app_are_separate() {
    let mut app = app();
    let notes = Notes::default();
    app.insert_resource(notes.clone());
    app.on_attribute("Health", |In(change): In<AttributeChanged>, notes: Res<'_, Notes>| {
        notes.note(format!("{} {}", change.entity, change.new));
    });
    let rules = game(&mut app).catalog().unwrap().clone();
    let outside = spawn(&mut app, "Wolf");
    let (one, wolf) = room(&mut app, rules.clone());
    let (other, fox) = room(&mut app, rules);
    // Handles of different simulations may be equal; entities tell them apart.
    let ids = [outside, wolf, fox].map(|entity| get::<GameplayController>(&app, entity).id().unwrap());
    assert_eq!((ids[0], ids[1]), (ids[1], ids[2]));
    assert_eq!(game(&mut app).entities().count(), 1);
    app.world_mut().commands().entity(wolf).apply_effect("GE_Hit", None);
    app.world_mut().commands().entity(fox).apply_effect("GE_Poison", None);
    run(&mut app, 1.5);
    assert_eq!(get::<Attributes>(&app, outside).current("Health"), Ok(60.0));
    assert_eq!(get::<Attributes>(&app, wolf).current("Health"), Ok(50.0));
    assert_eq!(get::<Attributes>(&app, fox).current("Health"), Ok(55.0));
    assert!(get::<Tags>(&app, fox).has("State.Debuff.Poisoned"));
    assert_eq!(notes.take(), [format!("{wolf} 50"), format!("{fox} 55")]);
    // One is rolled back, and the others go on.
    let saved = get::<GameplayInstance>(&app, other).snapshot().unwrap();
    run(&mut app, 1.0);
    assert_eq!(get::<Attributes>(&app, fox).current("Health"), Ok(50.0));
    app.world_mut().get_mut::<GameplayInstance>(other).unwrap().restore(&saved).unwrap();
    run(&mut app, 1.0 / f64::from(STEPS));
    assert_eq!(get::<Attributes>(&app, fox).current("Health"), Ok(55.0));
    assert_eq!(get::<Attributes>(&app, wolf).current("Health"), Ok(50.0));
    // A closed room takes its members with it.
    app.world_mut().despawn(one);
    assert!(app.world().get_entity(wolf).is_err());
    app.update();
    assert!(app.world().get_entity(fox).is_ok() && app.world().get_entity(outside).is_ok());
}

#[test]
fn members_use_teams_places_and_cues_of_their_instance() {
    let mut app = app();
    app.add_cue("GameplayCue.Status.Poison", CueScene::looping("Fumes", |_| {}));
    let (first, wolf) = room(&mut app, catalog());
    app.world_mut()
        .entity_mut(wolf)
        .insert((Transform::from_xyz(1.0, 2.0, 3.0), GameplayTeam::new("Beasts")));
    let outside = spawn(&mut app, "Wolf");
    app.world_mut().commands().entity(wolf).apply_effect("GE_Poison", None);
    run(&mut app, 0.1);
    let instance = get::<GameplayInstance>(&app, first);
    let controller = instance.simulation().unwrap().controller(instance.controller(wolf).unwrap()).unwrap();
    assert_eq!(controller.placement().unwrap().position(), [1.0, 2.0, 3.0]);
    assert_eq!(controller.team(), Some(ugas::Team::new("Beasts")).as_ref());
    let shown = |app: &mut App| {
        let mut cues = app.world_mut().query::<&CueInstance>();
        cues.iter(app.world()).filter_map(|cue| cue.target).collect::<Vec<_>>()
    };
    assert_eq!(shown(&mut app), [wolf]);
    app.world_mut().despawn(first);
    run(&mut app, 0.1);
    assert!(shown(&mut app).is_empty());
    assert_eq!(get::<GameplayController>(&app, outside).problem(), None);
}

#[test]
fn systems_find_the_simulation_of_an_entity() {
    let mut app = app();
    let outside = spawn(&mut app, "Wolf");
    let (first, wolf) = room(&mut app, catalog());
    app.add_systems(Update, move |mut games: GameplayInstances<'_, '_>| {
        games.of_mut(wolf).unwrap().apply("GE_Hit", None, wolf).unwrap();
        assert!(games.of(outside).unwrap().controller(wolf).is_none());
        assert_eq!(games.iter_mut().map(|(instance, _)| instance).collect::<Vec<_>>(), [None, Some(first)]);
    });
    app.update();
    app.update();
    assert_eq!(get::<Attributes>(&app, wolf).current("Health"), Ok(50.0));
    assert_eq!(get::<Attributes>(&app, outside).current("Health"), Ok(60.0));
}

#[test]
fn member_of_a_missing_instance_has_a_problem() {
    let mut app = app();
    let nowhere = app.world_mut().spawn_empty().id();
    let wolf = app.world_mut().spawn((GameplayController::new("Wolf"), InInstance(nowhere))).id();
    let problem = get::<GameplayController>(&app, wolf).problem().unwrap();
    assert!(problem.contains("GameplayInstance"), "{problem}");
    assert_eq!(app.world().resource::<GameplayWorld>().entities().count(), 0);
}

#[test]
fn changed_membership_leaves_no_controller_behind() {
    let mut app = app();
    let (hall, guest) = room(&mut app, catalog());
    let wolf = spawn(&mut app, "Wolf");
    app.update();
    app.world_mut().entity_mut(wolf).insert(InInstance(hall));
    // It stays where it was created.
    app.world_mut().commands().entity(wolf).apply_effect("GE_Hit", None);
    app.update();
    assert_eq!(get::<Attributes>(&app, wolf).current("Health"), Ok(50.0));
    assert_eq!(game(&mut app).current(wolf, "Health"), Some(50.0));
    app.world_mut().despawn(wolf);
    assert_eq!(game(&mut app).simulation().unwrap().controllers().count(), 0);
    // Likewise for one that leaves its instance.
    app.world_mut().entity_mut(guest).remove::<InInstance>();
    app.world_mut().commands().entity(guest).apply_effect("GE_Hit", None);
    app.update();
    assert_eq!(get::<Attributes>(&app, guest).current("Health"), Ok(50.0));
    app.world_mut().despawn(guest);
    let of_hall = |app: &App| get::<GameplayInstance>(app, hall).simulation().unwrap().controllers().count();
    assert_eq!(of_hall(&app), 0);
    // A controller that is inserted again is created where the entity belongs now.
    let wolf = spawn(&mut app, "Wolf");
    app.world_mut().entity_mut(wolf).insert((GameplayController::new("Wolf"), InInstance(hall)));
    assert_eq!(game(&mut app).simulation().unwrap().controllers().count(), 0);
    assert_eq!(of_hall(&app), 1);
}

#[test]
fn replaced_instance_gives_its_members_new_controllers() {
    let mut app = app();
    app.add_cue("GameplayCue.Status.Poison", CueScene::looping("Fumes", |_| {}));
    let (hall, wolf) = room(&mut app, catalog());
    app.world_mut().entity_mut(wolf).insert(Transform::from_xyz(1.0, 2.0, 3.0));
    app.world_mut().commands().entity(wolf).apply_effect("GE_Poison", None);
    run(&mut app, 0.1);
    let fumes = |app: &mut App| {
        let mut cues = app.world_mut().query::<&CueInstance>();
        cues.iter(app.world()).filter(|cue| cue.target.is_some()).count()
    };
    assert_eq!(fumes(&mut app), 1);
    let notes = Notes::default();
    app.insert_resource(notes.clone());
    app.add_observer(|removed: On<'_, '_, EffectRemoved>, notes: Res<'_, Notes>| {
        notes.note(removed.name.to_string());
    });
    // Another catalog with other ids, of the same version.
    let rules = builder().template(ugas::ControllerDef::new("Aaa").with_tag("Aaa")).build().unwrap();
    app.world_mut().entity_mut(hall).insert(GameplayInstance::new(rules, Config::seeded(4)));
    run(&mut app, 0.1);
    let instance = get::<GameplayInstance>(&app, hall);
    let id = instance.controller(wolf);
    assert!(id.is_some() && get::<GameplayController>(&app, wolf).id() == id);
    let placement = instance.simulation().unwrap().controller(id.unwrap()).unwrap().placement();
    assert_eq!(placement.unwrap().position(), [1.0, 2.0, 3.0]);
    assert!(!get::<Tags>(&app, wolf).has("State.Debuff.Poisoned"));
    assert_eq!(fumes(&mut app), 0);
    app.world_mut().commands().entity(wolf).apply_effect("GE_Poison", None);
    run(&mut app, 0.1);
    assert_eq!(fumes(&mut app), 1);
    // Without an instance, members have no controllers.
    app.world_mut().entity_mut(hall).remove::<GameplayInstance>();
    app.update();
    let controller = get::<GameplayController>(&app, wolf);
    assert_eq!(controller.id(), None);
    assert!(controller.problem().unwrap().contains("GameplayInstance"));
    assert!(get::<Attributes>(&app, wolf).is_empty());
    app.world_mut().entity_mut(hall).insert(GameplayInstance::new(catalog(), Config::seeded(5)));
    assert_eq!(get::<Attributes>(&app, wolf).current("Health"), Ok(60.0));
    assert_eq!(get::<GameplayController>(&app, wolf).problem(), None);
}
