//! Where entities are, from their transforms: what targeting looks at (GASD §4.11).

use bevy_app::{App, FixedUpdate, Plugin};
use bevy_ecs::prelude::{ChildOf, Component, Entity, Has, Or, Query, Resource, With, Without};
use bevy_ecs::query::Changed;
use bevy_ecs::reflect::ReflectComponent;
use bevy_ecs::schedule::IntoScheduleConfigs;
use bevy_ecs::system::{Res, ResMut};
use bevy_math::Vec3;
use bevy_reflect::Reflect;
use bevy_transform::components::{GlobalTransform, Transform};
use ugas::Placement;

use crate::controller::{AvatarOf, GameplayController};
use crate::plugin::GameplaySystems;
use crate::world::GameplayWorld;

/// Tells the simulation where controllers are: the transform of the entity, or of its [`Avatar`](crate::Avatar).
///
/// Entities without parents are read from their `Transform`, so that no propagation is needed; others from their
/// `GlobalTransform`. Only those that moved are told of. To find them, Bevy compares one tick for each controller that has a
/// transform, as its own transform systems do; who never moves can be spared that with [`Unmoving`].
#[derive(Clone, Copy, Default)]
pub struct UgasTransformPlugin;

/// Marks an entity that stays where it was when its controller was made.
#[derive(Component, Reflect, Clone, Copy, Default, Debug)]
#[reflect(Component)]
pub struct Unmoving;

/// In which direction entities look, in their own space: [`Vec3::NEG_Z`], Bevy's forward, unless the game says otherwise. In
/// two dimensions it is mostly [`Vec3::X`] or [`Vec3::Y`].
#[derive(Resource, Clone, Copy, PartialEq, Debug)]
pub struct FacingAxis(pub Vec3);

impl Default for FacingAxis {
    fn default() -> Self {
        Self(Vec3::NEG_Z)
    }
}

impl Plugin for UgasTransformPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<GameplayWorld>().init_resource::<FacingAxis>().register_type::<Unmoving>();
        app.world_mut().resource_mut::<GameplayWorld>().follows_transforms = true;
        app.add_systems(FixedUpdate, (place_new, place_moved).chain().in_set(GameplaySystems::Input));
    }
}

type Place<'a> = (Entity, &'a Transform, Option<&'a GlobalTransform>, Has<ChildOf>, Option<&'a AvatarOf>);
type Ours = (Or<(With<GameplayController>, With<AvatarOf>)>, Without<Unmoving>);
/// Each is found by one tick: of its own transform if it has no parent, of the propagated one otherwise.
type MovedRoots = (Changed<Transform>, Without<ChildOf>, Ours);
type MovedChildren = (Changed<GlobalTransform>, With<ChildOf>, Ours);

fn place_moved(
    roots: Query<'_, '_, Place<'_>, MovedRoots>,
    children: Query<'_, '_, Place<'_>, MovedChildren>,
    axis: Res<'_, FacingAxis>,
    mut game: ResMut<'_, GameplayWorld>,
) {
    for place in roots.iter().chain(&children) {
        tell(&mut game, axis.0, place);
    }
}

/// Those whose controllers came after their transforms were last changed, or that never move.
fn place_new(
    places: Query<'_, '_, Place<'_>>,
    avatars: Query<'_, '_, &crate::Avatar>,
    axis: Res<'_, FacingAxis>,
    mut game: ResMut<'_, GameplayWorld>,
) {
    for owner in game.take_unplaced() {
        let body = avatars.get(owner).map_or(owner, |avatar| avatar.0);
        if let Ok(place) = places.get(body) {
            tell(&mut game, axis.0, place);
        }
    }
}

fn tell(
    game: &mut GameplayWorld,
    axis: Vec3,
    (entity, local, global, has_parent, of): <Place<'_> as bevy_ecs::query::QueryData>::Item<'_, '_>,
) {
    let owner = of.map_or(entity, AvatarOf::owner);
    let (position, facing) = match global {
        Some(global) if has_parent => (global.translation(), global.rotation() * axis),
        _ => (local.translation, local.rotation * axis),
    };
    let vector = |vector: Vec3| [f64::from(vector.x), f64::from(vector.y), f64::from(vector.z)];
    match Placement::new(vector(position), vector(facing)) {
        // An entity without a controller is none of ours; on a client the server says where everybody is.
        Ok(placement) => drop(game.place(owner, Some(placement))),
        Err(error) => tracing::warn!("{entity} is nowhere: {error}"),
    }
}
