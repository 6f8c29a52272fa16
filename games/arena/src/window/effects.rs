//! Short visual effects: rings, falling meteors and the target preview.

use bevy::prelude::*;
use bevy_ugas::prelude::*;

use super::colour;
use super::player::LocalPlayer;
use crate::field::{Body, amount, to_point, within};
use crate::fighter::Kind;
use crate::pad::Pad;

/// A ring that grows and fades.
#[derive(Component)]
struct Ring {
    at: Vec2,
    radius: f32,
    colour: Color,
    age: f32,
    lasts: f32,
}

/// A falling meteor.
#[derive(Component)]
struct Falling {
    caster: Entity,
    at: Vec2,
    age: f32,
}

/// Visual fall time of a meteor in seconds; the rules define when it hits.
const FALL: f32 = 0.7;

pub(super) fn plugin(app: &mut App) {
    app.on_cue("GameplayCue.Shockwave", shockwave)
        .on_cue("GameplayCue.Meteor", meteor)
        .on_cue("GameplayCue.Hit", hit)
        .on_cue("GameplayCue.Death", death)
        .on_cue("GameplayCue.Dash", dash);
    app.add_systems(Startup, broaden);
    app.add_systems(Update, (grow, fall, preview, barriers));
}

fn broaden(mut store: ResMut<'_, GizmoConfigStore>) {
    let (config, _) = store.config_mut::<DefaultGizmoConfigGroup>();
    config.line.width = 3.0;
}

fn ring(at: Vec2, radius: f32, colour: Color, lasts: f32) -> Ring {
    Ring { at, radius, colour, age: 0.0, lasts }
}

fn shockwave(In(cue): In<CueChange>, bodies: Query<'_, '_, (&Body, &Kind)>, mut commands: Commands<'_, '_>) {
    let CueChange::Burst(burst) = cue else { return };
    let Ok((body, kind)) = bodies.get(burst.entity) else { return };
    let (container, colour) = match kind {
        Kind::Champion => ("Shockwave", colour::STUN),
        Kind::Brute | Kind::Spitter => ("Slam", colour::HURT),
    };
    commands.spawn(ring(body.position, radius_of(container), colour, 0.35));
}

fn meteor(
    In(cue): In<CueChange>,
    game: GameplayView<'_>,
    falling: Query<'_, '_, (Entity, &Falling)>,
    mut commands: Commands<'_, '_>,
) {
    match cue {
        CueChange::Started(start) => {
            let at = place_of_meteor(&game, start.entity);
            if let Some(at) = at {
                commands.spawn(Falling { caster: start.entity, at, age: 0.0 });
            }
        }
        CueChange::Ended(end) => {
            for (stone, _) in falling.iter().filter(|(_, stone)| stone.caster == end.entity) {
                commands.entity(stone).despawn();
            }
        }
        CueChange::Burst(_) => {}
    }
}

fn hit(In(cue): In<CueChange>, bodies: Query<'_, '_, &Body>, mut commands: Commands<'_, '_>) {
    if let CueChange::Burst(burst) = cue
        && let Ok(body) = bodies.get(burst.entity)
    {
        commands.spawn(ring(body.position, 30.0, Color::WHITE, 0.18));
    }
}

fn death(In(cue): In<CueChange>, bodies: Query<'_, '_, (&Body, &Kind)>, mut commands: Commands<'_, '_>) {
    if let CueChange::Started(start) = cue
        && let Ok((body, kind)) = bodies.get(start.entity)
    {
        commands.spawn(ring(body.position, 55.0, colour::of(*kind), 0.6));
    }
}

fn dash(In(cue): In<CueChange>, bodies: Query<'_, '_, &Body>, mut commands: Commands<'_, '_>) {
    if let CueChange::Started(start) = cue
        && let Ok(body) = bodies.get(start.entity)
    {
        commands.spawn(ring(body.position, 34.0, colour::STAMINA, 0.3));
    }
}

fn grow(
    time: Res<'_, Time>,
    mut rings: Query<'_, '_, (Entity, &mut Ring)>,
    mut gizmos: Gizmos<'_, '_>,
    mut commands: Commands<'_, '_>,
) {
    for (entity, mut ring) in &mut rings {
        ring.age += time.delta_secs();
        let share = (ring.age / ring.lasts).min(1.0);
        let colour = ring.colour.with_alpha(1.0 - share);
        gizmos.circle_2d(ring.at, ring.radius * share.sqrt(), colour).resolution(48);
        if share >= 1.0 {
            commands.entity(entity).despawn();
        }
    }
}

fn fall(
    time: Res<'_, Time>,
    mut stones: Query<'_, '_, (Entity, &mut Falling)>,
    mut gizmos: Gizmos<'_, '_>,
    mut commands: Commands<'_, '_>,
) {
    let radius = radius_of("MeteorOnPlace");
    for (entity, mut stone) in &mut stones {
        stone.age += time.delta_secs();
        let share = (stone.age / FALL).min(1.0);
        gizmos.circle_2d(stone.at, radius, colour::FIRE.with_alpha(0.9)).resolution(64);
        gizmos.circle_2d(stone.at, radius * share, colour::FIRE.with_alpha(0.5)).resolution(64);
        let above = stone.at + Vec2::new(-0.35, 1.0) * (1.0 - share) * 420.0;
        for size in [16.0, 12.0, 7.0, 3.0] {
            gizmos.circle_2d(above, size, colour::STUN).resolution(24);
        }
        gizmos.line_2d(above, above + Vec2::new(-0.35, 1.0) * 60.0, colour::FIRE);
        // The end of the cue removes it; this is a limit for cues that never end.
        if stone.age > FALL * 2.0 {
            commands.entity(entity).despawn();
        } else if share >= 1.0 && stone.age - time.delta_secs() < FALL {
            commands.spawn(ring(stone.at, radius, colour::FIRE, 0.4));
        }
    }
}

/// Preview of a meteor: area and targets.
fn preview(
    own: Query<'_, '_, &Pad, With<LocalPlayer>>,
    others: Query<'_, '_, (&Body, &Kind, &Tags)>,
    mut gizmos: Gizmos<'_, '_>,
) {
    let Ok(pad) = own.single() else { return };
    if !pad.is_targeting() {
        return;
    }
    let (at, radius) = (within(pad.aim, 0.0), radius_of("MeteorOnPlace"));
    gizmos.circle_2d(at, radius, colour::FIRE).resolution(64);
    gizmos.line_2d(at - Vec2::X * 12.0, at + Vec2::X * 12.0, colour::FIRE);
    gizmos.line_2d(at - Vec2::Y * 12.0, at + Vec2::Y * 12.0, colour::FIRE);
    for (body, kind, tags) in &others {
        let is_meant = *kind != Kind::Champion && crate::fighter::is_standing(tags);
        if is_meant && body.position.distance(at) <= radius {
            gizmos.circle_2d(body.position, 34.0, colour::STUN).resolution(32);
        }
    }
}

/// Rings around fighters with a barrier or burning.
fn barriers(bodies: Query<'_, '_, (&Transform, &Attributes, &Tags), With<Body>>, mut gizmos: Gizmos<'_, '_>) {
    for (place, attributes, tags) in &bodies {
        let (at, size) = (place.translation.truncate(), crate::field::size_of(attributes));
        if amount(attributes, "Barrier") > 0.0 {
            gizmos.circle_2d(at, size + 7.0, colour::BARRIER).resolution(40);
        }
        if tags.has("State.Burning") {
            gizmos.circle_2d(at, size + 3.0, colour::FIRE).resolution(40);
        }
    }
}

/// Target location of a meteor.
fn place_of_meteor(game: &GameplayView<'_>, caster: Entity) -> Option<Vec2> {
    let simulation = game.simulation()?;
    let handle = game.ability(caster, "GA_CallMeteor").ok()?;
    let activation = simulation.activation(*simulation.ability(handle)?.activations().first()?)?;
    let targets = activation.targets();
    let place = targets.first_location().or_else(|| {
        let target = simulation.controller(targets.first_controller()?)?;
        Some(target.placement()?.position())
    });
    place.map(to_point)
}

/// Drawn radius of an area, equal to the containers of the pack. The rules decide whom it hits.
fn radius_of(container: &str) -> f32 {
    match container {
        "Shockwave" => 170.0,
        "Slam" => 105.0,
        _ => 130.0,
    }
}
