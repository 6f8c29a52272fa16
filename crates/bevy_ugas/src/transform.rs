//! Placements of controllers from the transforms of their entities, for targeting (GASD §4.11).

use bevy_app::{App, Plugin};
use bevy_ecs::prelude::{ChildOf, Component, Entity, Has, Or, Query, Resource, With, Without};
use bevy_ecs::query::Changed;
use bevy_ecs::reflect::ReflectComponent;
use bevy_ecs::schedule::IntoScheduleConfigs;
use bevy_ecs::system::Res;
use bevy_math::Vec3;
use bevy_reflect::Reflect;
use bevy_transform::components::{GlobalTransform, Transform};
use ugas::Placement;

use crate::controller::{Avatar, AvatarOf, GameplayController};
use crate::instance::GameplayInstances;
use crate::plugin::{GameplaySchedule, GameplaySystems};
use crate::world::GameplayWorld;

/// Copies placements to the simulation: from the transform of the entity, or of its
/// [`Avatar`].
///
/// Entities without parents are read from their `Transform`, so that no propagation is needed; others from
/// their `GlobalTransform`. Only entities that moved are copied. To find them, Bevy compares one tick per
/// controller with a transform, as its own transform systems do; [`Unmoving`] excludes entities that never
/// move.
#[derive(Clone, Copy, Default)]
pub struct UgasTransformPlugin;

/// Marks an entity that stays where it was when its controller was created.
#[derive(Component, Reflect, Clone, Copy, Default, Debug)]
#[reflect(Component)]
pub struct Unmoving;

/// Facing direction of entities in their local space: [`Vec3::NEG_Z`], Bevy's forward, by default. In two
/// dimensions it is usually [`Vec3::X`] or [`Vec3::Y`].
#[derive(Resource, Clone, Copy, PartialEq, Debug)]
pub struct FacingAxis(pub Vec3);

impl Default for FacingAxis {
    fn default() -> Self {
        Self(Vec3::NEG_Z)
    }
}

impl Plugin for UgasTransformPlugin {
    /// Makes controllers follow the transforms of their entities, at the start of each step.
    fn build(&self, app: &mut App) {
        GameplayWorld::init(app);
        app.init_resource::<FacingAxis>().register_type::<Unmoving>();
        app.world_mut().resource_mut::<GameplayWorld>().follows_transforms = true;
        let schedule = GameplaySchedule::of(app);
        app.add_systems(schedule, (place_new, place_moved).chain().in_set(GameplaySystems::Input));
    }
}

type PlacementData<'a> =
    (Entity, &'a Transform, Option<&'a GlobalTransform>, Has<ChildOf>, Option<&'a AvatarOf>, Has<Avatar>);
type IsTracked = (Or<(With<GameplayController>, With<AvatarOf>)>, Without<Unmoving>);
/// Changed entities, found by one tick each: of the local transform without a parent, otherwise of the global
/// one.
type MovedRoots = (Changed<Transform>, Without<ChildOf>, IsTracked);
type MovedChildren = (Changed<GlobalTransform>, With<ChildOf>, IsTracked);

/// Places controllers whose transform changed: roots by their own, children by that in the world.
fn place_moved(
    roots: Query<'_, '_, PlacementData<'_>, MovedRoots>,
    children: Query<'_, '_, PlacementData<'_>, MovedChildren>,
    axis: Res<'_, FacingAxis>,
    mut games: GameplayInstances<'_, '_>,
) {
    for place in roots.iter().chain(&children) {
        update_placement(&mut games, axis.0, place);
    }
}

/// Places entities whose controllers were created or whose avatars were changed after the last change of the
/// transforms, or that never move.
fn place_new(
    places: Query<'_, '_, PlacementData<'_>>,
    avatars: Query<'_, '_, &Avatar>,
    axis: Res<'_, FacingAxis>,
    mut games: GameplayInstances<'_, '_>,
) {
    let unplaced: Vec<Entity> = games.iter_mut().flat_map(|(_, game)| game.take_unplaced()).collect();
    for owner in unplaced {
        let body = avatars.get(owner).map_or(owner, |avatar| avatar.0);
        if let Ok(place) = places.get(body) {
            update_placement(&mut games, axis.0, place);
        }
    }
}

/// Sets position and facing of a controller by the transform of its avatar or its own entity. Nothing happens
/// without a controller; numbers that are not finite are logged.
fn update_placement(
    games: &mut GameplayInstances<'_, '_>,
    axis: Vec3,
    (entity, local, global, has_parent, of, has_avatar): <PlacementData<'_> as bevy_ecs::query::QueryData>::Item<'_, '_>,
) {
    let owner = match of {
        Some(of) => of.owner(),
        // Its body decides.
        None if has_avatar => return,
        None => entity,
    };
    let (position, facing) = match global {
        Some(global) if has_parent => (global.translation(), global.rotation() * axis),
        _ => (local.translation, local.rotation * axis),
    };
    let vector = |vector: Vec3| [f64::from(vector.x), f64::from(vector.y), f64::from(vector.z)];
    match Placement::new(vector(position), vector(facing)) {
        // Entities without a controller are skipped; on a client, placements come from the server.
        Ok(placement) => drop(games.of_mut(owner).map(|game| game.place(owner, Some(placement)))),
        Err(error) => tracing::warn!("{entity} has an invalid placement: {error}"),
    }
}
