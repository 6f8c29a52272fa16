//! Visual representation of fighters and projectiles: body, health bar and state labels.

use bevy::prelude::*;
use bevy::sprite::{Anchor, Text2dShadow};
use bevy_ugas::prelude::*;

use super::colour;
use super::player::LocalPlayer;
use crate::field::{Body, amount, size_of};
use crate::fighter::Kind;
use crate::shot::Shot;

/// Width of a health bar.
const BAR: f32 = 56.0;

pub(super) fn plugin(app: &mut App) {
    app.add_systems(Startup, make_shapes).add_systems(
        Update,
        (dress, dress_shots, move_puppets, move_shots, show_health, show_states).chain(),
    );
}

#[derive(Resource)]
struct Shapes {
    disc: Handle<Mesh>,
    nose: Handle<Mesh>,
}

/// Changing parts of the visual representation.
#[derive(Component)]
struct Puppet {
    skin: Handle<ColorMaterial>,
    rim: Handle<ColorMaterial>,
    edge: Color,
    torso: Entity,
    bar: Entity,
    barrier: Entity,
    pips: [Entity; 4],
    words: Entity,
}

fn make_shapes(mut commands: Commands<'_, '_>, mut meshes: ResMut<'_, Assets<Mesh>>) {
    commands.insert_resource(Shapes {
        disc: meshes.add(Circle::new(1.0)),
        nose: meshes.add(Triangle2d::new(
            Vec2::new(0.95, 0.45),
            Vec2::new(1.45, 0.0),
            Vec2::new(0.95, -0.45),
        )),
    });
}

/// Adds a puppet to fighters without one.
fn dress(
    mut commands: Commands<'_, '_>,
    shapes: Res<'_, Shapes>,
    mut materials: ResMut<'_, Assets<ColorMaterial>>,
    without_puppet: Query<'_, '_, (Entity, &Kind, &Body, &Attributes, Has<LocalPlayer>), Without<Puppet>>,
) {
    for (entity, kind, body, attributes, is_own) in &without_puppet {
        if attributes.is_empty() {
            continue;
        }
        let size = size_of(attributes);
        let colour = colour::of(*kind);
        let skin = materials.add(colour);
        let edge = if is_own { Color::WHITE } else { colour.mix(&Color::BLACK, 0.45) };
        let rim = materials.add(edge);
        let torso =
            commands.spawn((Transform::from_scale(Vec3::new(size, size, 1.0)), Visibility::default())).id();
        let layer = |commands: &mut Commands<'_, '_>,
                     mesh: &Handle<Mesh>,
                     material: Handle<ColorMaterial>,
                     scale: f32,
                     depth: f32| {
            let place = Transform::from_xyz(0.0, 0.0, depth).with_scale(Vec3::new(scale, scale, 1.0));
            commands.spawn((Mesh2d(mesh.clone()), MeshMaterial2d(material), place)).id()
        };
        let parts = [
            layer(&mut commands, &shapes.nose, rim.clone(), 1.0, 0.1),
            layer(&mut commands, &shapes.disc, rim.clone(), 1.0, 0.2),
            layer(&mut commands, &shapes.disc, skin.clone(), 0.86, 0.3),
            layer(&mut commands, &shapes.disc, rim.clone(), 0.30, 0.4),
        ];
        commands.entity(torso).add_children(&parts);
        let above = size + 14.0;
        let strip = |commands: &mut Commands<'_, '_>, colour: Color, size: Vec2, at: Vec3| {
            commands
                .spawn((
                    Sprite::from_color(colour, size),
                    Anchor::CENTER_LEFT,
                    Transform::from_translation(at),
                ))
                .id()
        };
        let left = -BAR / 2.0;
        let frame =
            strip(&mut commands, colour::WELL, Vec2::new(BAR + 4.0, 10.0), Vec3::new(left - 2.0, above, 5.0));
        let bar = strip(&mut commands, colour::HEALTH, Vec2::new(BAR, 6.0), Vec3::new(left, above, 5.1));
        let barrier =
            strip(&mut commands, colour::BARRIER, Vec2::new(BAR, 2.0), Vec3::new(left, above + 4.0, 5.2));
        let pips = core::array::from_fn(|number| {
            let at = Vec3::new(left + number as f32 * 9.0, above - 9.0, 5.1);
            let pip = strip(&mut commands, colour::ARMOUR, Vec2::new(7.0, 4.0), at);
            commands.entity(pip).insert(Visibility::Hidden);
            pip
        });
        let words = commands
            .spawn((
                Text2d::default(),
                TextFont::from_font_size(13.0),
                Text2dShadow { offset: Vec2::new(1.0, -1.0), ..default() },
                Transform::from_xyz(0.0, above + 16.0, 6.0),
            ))
            .id();
        commands
            .entity(entity)
            .insert((
                Puppet { skin, rim, edge, torso, bar, barrier, pips, words },
                Transform::from_translation(body.position.extend(0.0)),
                Visibility::default(),
            ))
            .add_children(&[torso, frame, bar, barrier, words])
            .add_children(&pips);
    }
}

fn dress_shots(
    mut commands: Commands<'_, '_>,
    shapes: Res<'_, Shapes>,
    mut materials: ResMut<'_, Assets<ColorMaterial>>,
    shots: Query<'_, '_, (Entity, &Shot), Added<Shot>>,
) {
    for (entity, shot) in &shots {
        let colour = if shot.class == "Spit" { colour::SPIT } else { Color::srgb(0.75, 0.93, 1.0) };
        let place = Transform::from_translation(shot.position.extend(3.0));
        let stretch = if shot.class == "Spit" { 1.0 } else { 2.2 };
        let turn = Quat::from_rotation_z(shot.velocity.to_angle());
        commands.entity(entity).insert((
            Mesh2d(shapes.disc.clone()),
            MeshMaterial2d(materials.add(colour)),
            place.with_rotation(turn).with_scale(Vec3::new(shot.radius * stretch, shot.radius * 0.8, 1.0)),
        ));
    }
}

/// Moves puppets smoothly to their bodies: the fixed steps are independent of the frame rate.
fn move_puppets(
    time: Res<'_, Time>,
    mut puppets: Query<'_, '_, (&Body, &Puppet, &mut Transform)>,
    mut parts: Query<'_, '_, &mut Transform, Without<Puppet>>,
) {
    let share = 1.0 - (-time.delta_secs() * 30.0).exp();
    for (body, puppet, mut place) in &mut puppets {
        let (shown, true_place) = (place.translation.truncate(), body.position);
        // Large distances are teleports, without smoothing.
        let next =
            if shown.distance(true_place) > 120.0 { true_place } else { shown.lerp(true_place, share) };
        // Sort by y: lower fighters are drawn in front.
        place.translation = next.extend(1.0 - next.y / 10_000.0);
        if let Ok(mut torso) = parts.get_mut(puppet.torso) {
            torso.rotation = Quat::from_rotation_z(body.facing.to_angle());
        }
    }
}

fn move_shots(mut shots: Query<'_, '_, (&Shot, &mut Transform)>) {
    for (shot, mut place) in &mut shots {
        place.translation = shot.position.extend(3.0);
    }
}

fn show_health(
    puppets: Query<
        '_,
        '_,
        (&Puppet, &Attributes, &ActiveEffects, &Kind),
        Or<(Changed<Attributes>, Changed<ActiveEffects>, Added<Puppet>)>,
    >,
    mut sprites: Query<'_, '_, (&mut Sprite, &mut Visibility)>,
) {
    for (puppet, attributes, effects, kind) in &puppets {
        let most = amount(attributes, "MaxHealth").max(1.0);
        let share = |amount: f64| (amount / most).clamp(0.0, 1.0) as f32;
        let health = share(amount(attributes, "Health"));
        if let Ok((mut bar, _)) = sprites.get_mut(puppet.bar) {
            bar.custom_size = Some(Vec2::new(BAR * health, 6.0));
            bar.color = match kind {
                Kind::Champion => colour::HURT.mix(&colour::HEALTH, (health * 1.6).min(1.0)),
                Kind::Brute | Kind::Spitter => colour::HURT,
            };
        }
        if let Ok((mut barrier, _)) = sprites.get_mut(puppet.barrier) {
            barrier.custom_size = Some(Vec2::new(BAR * share(amount(attributes, "Barrier")), 2.0));
        }
        let armour = effects.stacks("GE_ArmorStack") as usize;
        for (number, pip) in puppet.pips.iter().enumerate() {
            if let Ok((_, mut visibility)) = sprites.get_mut(*pip) {
                *visibility = if number < armour { Visibility::Inherited } else { Visibility::Hidden };
            }
        }
    }
}

fn show_states(
    puppets: Query<
        '_,
        '_,
        (&Puppet, &Tags, &Kind, &ActiveEffects),
        Or<(Changed<Tags>, Changed<ActiveEffects>, Added<Puppet>)>,
    >,
    mut words: Query<'_, '_, (&mut Text2d, &mut TextColor)>,
    mut materials: ResMut<'_, Assets<ColorMaterial>>,
) {
    for (puppet, tags, kind, effects) in &puppets {
        let first = colour::STATES.iter().find(|(tag, ..)| tags.has(*tag));
        if let Ok((mut text, mut tint)) = words.get_mut(puppet.words) {
            let stacks = effects.stacks("GE_Burn");
            text.0 = match first {
                Some((_, "BURN", _)) if stacks > 1 => format!("BURN x{stacks}"),
                Some((_, word, _)) => (*word).to_owned(),
                None => String::new(),
            };
            tint.0 = first.map_or(colour::TEXT, |(_, _, colour)| *colour);
        }
        let is_down = tags.has("State.Dead");
        if let Some(mut skin) = materials.get_mut(&puppet.skin) {
            let colour = colour::of(*kind);
            skin.color = faded(colour, is_down);
        }
        if let Some(mut rim) = materials.get_mut(&puppet.rim) {
            rim.color = faded(puppet.edge, is_down);
        }
    }
}

/// Colour of a fighter; faded if it is down.
fn faded(colour: Color, is_down: bool) -> Color {
    if is_down { colour.mix(&colour::FLOOR, 0.75) } else { colour }
}
