//! Placements from transforms of moved entities.

use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_math::{Quat, Vec3};
use bevy_transform::TransformPlugin;
use bevy_transform::components::Transform;
use bevy_ugas::prelude::*;
use bevy_ugas::transform::{FacingAxis, Unmoving};

use crate::fixture::*;

fn position(app: &mut App, entity: Entity) -> Option<[f64; 3]> {
    let game = game(app);
    let controller = game.simulation()?.controller(game.controller(entity)?)?;
    controller.placement().map(|placement| placement.position())
}

#[test]
fn placement_follows_the_transform() {
    let mut app = app();
    let wolf =
        app.world_mut().spawn((GameplayController::new("Wolf"), Transform::from_xyz(1.0, 2.0, 3.0))).id();
    app.update();
    assert_eq!(position(&mut app, wolf), Some([1.0, 2.0, 3.0]));
    app.world_mut().get_mut::<Transform>(wolf).unwrap().translation.x = 4.0;
    app.update();
    assert_eq!(position(&mut app, wolf), Some([4.0, 2.0, 3.0]));
}

#[test]
fn controller_created_after_the_transform_is_placed() {
    let mut app = app();
    let stone = app.world_mut().spawn((Transform::from_xyz(1.0, 0.0, 0.0), Unmoving)).id();
    app.update();
    app.world_mut().entity_mut(stone).insert(GameplayController::new("Wolf"));
    app.update();
    assert_eq!(position(&mut app, stone), Some([1.0, 0.0, 0.0]));
    // It is marked as unmoving.
    app.world_mut().get_mut::<Transform>(stone).unwrap().translation.x = 9.0;
    app.update();
    assert_eq!(position(&mut app, stone), Some([1.0, 0.0, 0.0]));
}

#[test]
fn placement_of_an_owner_follows_its_avatar() {
    let mut app = app();
    app.add_plugins(TransformPlugin);
    let vehicle = app.world_mut().spawn(Transform::from_xyz(10.0, 0.0, 0.0)).id();
    let body = app.world_mut().spawn((Transform::from_xyz(1.0, 0.0, 0.0), ChildOf(vehicle))).id();
    let player = app.world_mut().spawn((GameplayController::new("Mage"), Avatar(body))).id();
    app.update();
    app.update(); // propagation comes after the step
    assert_eq!(position(&mut app, player), Some([11.0, 0.0, 0.0]));
}

#[test]
fn facing_uses_the_facing_axis() {
    let mut app = app();
    app.insert_resource(FacingAxis(Vec3::X));
    let turned = Transform::from_rotation(Quat::from_rotation_z(core::f32::consts::FRAC_PI_2));
    let wolf = app.world_mut().spawn((GameplayController::new("Wolf"), turned)).id();
    app.update();
    let game = game(&mut app);
    let controller = game.simulation().unwrap().controller(game.controller(wolf).unwrap()).unwrap();
    let [x, y, z] = controller.placement().unwrap().facing();
    assert!(x.abs() < 1e-6 && (y - 1.0).abs() < 1e-6 && z == 0.0);
}

#[test]
fn non_finite_transform_is_ignored() {
    let mut app = app();
    let wolf = app
        .world_mut()
        .spawn((GameplayController::new("Wolf"), Transform::from_xyz(f32::NAN, 0.0, 0.0)))
        .id();
    app.update();
    assert_eq!(position(&mut app, wolf), None);
}

#[test]
fn inserted_or_removed_avatar_places_its_owner() {
    let mut app = app();
    let body = app.world_mut().spawn(Transform::from_xyz(5.0, 0.0, 0.0)).id();
    let at = Transform::from_xyz(1.0, 0.0, 0.0);
    let player = app.world_mut().spawn((GameplayController::new("Mage"), at)).id();
    run(&mut app, 0.1);
    assert_eq!(position(&mut app, player), Some([1.0, 0.0, 0.0]));
    app.world_mut().entity_mut(player).insert(Avatar(body));
    app.update();
    assert_eq!(position(&mut app, player), Some([5.0, 0.0, 0.0]));
    // The own transform does not count while there is a body.
    app.world_mut().get_mut::<Transform>(player).unwrap().translation.x = 2.0;
    app.update();
    assert_eq!(position(&mut app, player), Some([5.0, 0.0, 0.0]));
    app.world_mut().entity_mut(player).remove::<Avatar>();
    app.update();
    assert_eq!(position(&mut app, player), Some([2.0, 0.0, 0.0]));
}
