//! Cues as entities, which are pooled for reuse.

use core::time::Duration;

use bevy_app::App;
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_transform::components::Transform;
use bevy_ugas::cue::{CueInstance, CuePlayed, CueScene};
use bevy_ugas::prelude::*;

use crate::fixture::*;

#[derive(Component)]
struct Sparks;

#[derive(Component)]
struct Smoke;

/// An app with sparks for impacts, shown for half a second, and smoke for looping cues.
fn stage() -> (App, Notes) {
    let mut app = app();
    let notes = Notes::default();
    app.insert_resource(notes.clone());
    app.add_cue(
        "GameplayCue.Impact",
        CueScene::burst("Sparks", |entity| {
            entity.insert((Sparks, Transform::default()));
        })
        .lasting(Duration::from_millis(500))
        .pooled(1),
    );
    app.add_cue(
        "GameplayCue.Status",
        CueScene::looping("Smoke", |entity| {
            entity.insert(Smoke);
        }),
    );
    app.add_observer(
        |played: On<'_, '_, CuePlayed>, scenes: Query<'_, '_, &CueInstance>, notes: Res<'_, Notes>| {
            let instance = scenes.get(played.entity).unwrap();
            assert_eq!(instance.target, played.target);
            notes.note(format!("{} {:?}", instance.scene, played.phase));
        },
    );
    app.update();
    (app, notes)
}

fn shown<C: Component>(app: &mut App) -> Vec<Entity> {
    let mut query = app.world_mut().query_filtered::<Entity, With<C>>();
    query.iter(app.world()).collect()
}

fn pooled<C: Component>(app: &mut App) -> Vec<Entity> {
    let mut query = app.world_mut().query_filtered::<Entity, (With<C>, With<Disabled>)>();
    query.iter(app.world()).collect()
}

#[test]
fn burst_is_shown_for_its_time_and_its_entity_is_reused() {
    let (mut app, notes) = stage();
    let at = Transform::from_xyz(3.0, 4.0, 0.0);
    let wolf = app.world_mut().spawn((GameplayController::new("Wolf"), at)).id();
    game(&mut app).apply("GE_Hit", None, wolf).unwrap();
    app.update();
    assert_eq!(notes.take(), ["Sparks Burst"]);
    let sparks = shown::<Sparks>(&mut app);
    assert_eq!(sparks.len(), 1);
    assert_eq!(get::<Transform>(&app, sparks[0]).translation, Vec3::new(3.0, 4.0, 0.0));
    run(&mut app, 0.6);
    assert!(shown::<Sparks>(&mut app).is_empty());
    assert_eq!(pooled::<Sparks>(&mut app), sparks);
    game(&mut app).apply("GE_Hit", None, wolf).unwrap();
    app.update();
    assert_eq!(shown::<Sparks>(&mut app), sparks); // the same entity
}

#[test]
fn cue_pool_keeps_at_most_its_limit() {
    let (mut app, _) = stage();
    let wolf = spawn(&mut app, "Wolf");
    for _ in 0..3 {
        game(&mut app).apply("GE_Hit", None, wolf).unwrap();
    }
    app.update();
    assert_eq!(shown::<Sparks>(&mut app).len(), 3);
    run(&mut app, 0.6);
    assert_eq!(pooled::<Sparks>(&mut app).len(), 1); // pooled(1); the rest are despawned
}

#[test]
fn looping_cue_lasts_as_long_as_its_effect() {
    let (mut app, notes) = stage();
    let wolf = spawn(&mut app, "Wolf");
    game(&mut app).apply("GE_Poison", None, wolf).unwrap();
    app.update();
    assert_eq!(notes.take(), ["Smoke Began", "Smoke Active"]);
    assert_eq!(shown::<Smoke>(&mut app).len(), 1);
    run(&mut app, 3.1);
    assert_eq!(notes.take().last().unwrap(), "Smoke Ended");
    assert!(shown::<Smoke>(&mut app).is_empty());
}

#[test]
fn cue_ends_when_its_target_is_despawned() {
    let (mut app, _) = stage();
    let wolf = spawn(&mut app, "Wolf");
    game(&mut app).apply("GE_Poison", None, wolf).unwrap();
    app.update();
    app.world_mut().despawn(wolf);
    app.update();
    assert!(shown::<Smoke>(&mut app).is_empty());
}

#[test]
fn despawned_cue_entity_is_spawned_again() {
    let (mut app, notes) = stage();
    let wolf = spawn(&mut app, "Wolf");
    game(&mut app).apply("GE_Hit", None, wolf).unwrap();
    app.update();
    let sparks = shown::<Sparks>(&mut app)[0];
    app.world_mut().despawn(sparks);
    run(&mut app, 0.6);
    notes.take();
    game(&mut app).apply("GE_Hit", None, wolf).unwrap();
    app.update();
    assert_eq!(notes.take(), ["Sparks Burst"]);
    assert_eq!(shown::<Sparks>(&mut app).len(), 1);
}

#[test]
fn looping_cue_is_shown_again_after_a_reload() {
    let (mut app, notes) = stage();
    let wolf = spawn(&mut app, "Wolf");
    game(&mut app).apply("GE_Poison", None, wolf).unwrap();
    app.update();
    notes.take();
    game(&mut app)
        .install(builder().effect(ugas::EffectDef::instant("GE_Another")).build().unwrap())
        .unwrap();
    app.update();
    assert_eq!(notes.take(), ["Smoke Active"]); // without `Began`, because it was already active
    assert_eq!(shown::<Smoke>(&mut app).len(), 1);
}

#[test]
fn restored_snapshot_shows_the_cues_of_its_state() {
    let (mut app, notes) = stage();
    let wolf = spawn(&mut app, "Wolf");
    app.update();
    let healthy = game(&mut app).snapshot().unwrap();
    game(&mut app).apply("GE_Poison", None, wolf).unwrap();
    app.update();
    let poisoned = game(&mut app).snapshot().unwrap();
    assert_eq!(shown::<Smoke>(&mut app).len(), 1);
    game(&mut app).restore(&healthy).unwrap();
    app.update();
    assert!(shown::<Smoke>(&mut app).is_empty());
    notes.take();
    game(&mut app).restore(&poisoned).unwrap();
    app.update();
    assert_eq!(notes.take(), ["Smoke Active"]); // without `Began`, because it began before
    assert_eq!(shown::<Smoke>(&mut app).len(), 1);
}

#[test]
fn cue_on_a_despawned_entity_is_shown_where_it_was() {
    let (mut app, _) = stage();
    let at = |x: f32| (GameplayController::new("Wolf"), Transform::from_xyz(x, 4.0, 0.0));
    let (first, second) = (app.world_mut().spawn(at(3.0)).id(), app.world_mut().spawn(at(7.0)).id());
    game(&mut app).apply("GE_Hit", None, first).unwrap();
    run(&mut app, 0.6);
    // The pooled entity is where the first wolf was hit.
    let sparks = pooled::<Sparks>(&mut app);
    game(&mut app).apply("GE_Hit", None, second).unwrap();
    app.world_mut().despawn(second);
    app.update();
    assert_eq!(shown::<Sparks>(&mut app), sparks);
    assert_eq!(get::<Transform>(&app, sparks[0]).translation, Vec3::new(7.0, 4.0, 0.0));
}
