//! Floating texts: damage, healing, and reasons of refusals.

use bevy::prelude::*;
use bevy::sprite::Text2dShadow;
use bevy_ugas::prelude::*;

use super::colour;
use super::player::LocalPlayer;
use crate::field::Body;
use crate::fighter::Kind;
use crate::pad::Refused;

#[derive(Component)]
struct Floating {
    age: f32,
    lasts: f32,
    drift: Vec2,
}

pub(super) fn plugin(app: &mut App) {
    app.add_systems(Update, (show_changes, show_refusals, rise).chain());
}

fn show_changes(
    mut changes: MessageReader<'_, '_, AttributeChanged>,
    fighters: Query<'_, '_, (&Body, &Kind)>,
    mut commands: Commands<'_, '_>,
    mut count: Local<'_, u32>,
) {
    for change in changes.read() {
        let by = change.new - change.old;
        let is_shown = matches!(&*change.name, "Health" | "Barrier") && by.abs() >= 0.5;
        let Ok((body, kind)) = fighters.get(change.entity) else { continue };
        // Health restored by a respawn is not healing.
        if !is_shown || (by > 0.0 && (change.old <= 0.0 || &*change.name == "Barrier")) {
            continue;
        }
        *count = count.wrapping_add(1);
        let side = ((*count % 5) as f32 - 2.0) * 11.0;
        let (text, colour) = match (by > 0.0, &*change.name, kind) {
            (true, ..) => (format!("+{by:.0}"), colour::HEALTH),
            (false, "Barrier", _) => (format!("{:.0}", -by), colour::BARRIER),
            (false, _, Kind::Champion) => (format!("{:.0}", -by), colour::HURT),
            (false, ..) => (format!("{:.0}", -by), colour::TEXT),
        };
        // Heavy blows are written larger.
        let size = (15.0 + by.abs() as f32 * 0.35).min(28.0);
        let at = body.position + Vec2::new(side, 44.0);
        spawn(&mut commands, text, colour, size, at, 0.9);
    }
}

fn show_refusals(
    mut refusals: MessageReader<'_, '_, Refused>,
    own: Query<'_, '_, &Body, With<LocalPlayer>>,
    mut commands: Commands<'_, '_>,
) {
    for refusal in refusals.read() {
        if let Ok(body) = own.get(refusal.entity) {
            let at = body.position - Vec2::Y * 44.0;
            spawn(&mut commands, refusal.reason.clone(), colour::STAMINA, 16.0, at, 1.1);
        }
    }
}

fn spawn(commands: &mut Commands<'_, '_>, text: String, colour: Color, size: f32, at: Vec2, lasts: f32) {
    let is_up = at.y > -200.0;
    commands.spawn((
        Floating { age: 0.0, lasts, drift: Vec2::new(0.0, if is_up { 46.0 } else { 30.0 }) },
        Text2d::new(text),
        TextFont::from_font_size(size),
        TextColor(colour),
        Text2dShadow { offset: Vec2::new(1.5, -1.5), color: Color::BLACK },
        Transform::from_translation(at.extend(20.0)),
    ));
}

fn rise(
    time: Res<'_, Time>,
    mut floating: Query<'_, '_, (Entity, &mut Floating, &mut Transform, &mut TextColor)>,
    mut commands: Commands<'_, '_>,
) {
    for (entity, mut text, mut place, mut colour) in &mut floating {
        text.age += time.delta_secs();
        place.translation += (text.drift * time.delta_secs()).extend(0.0);
        let left = 1.0 - text.age / text.lasts;
        colour.0 = colour.0.with_alpha((left * 2.0).clamp(0.0, 1.0));
        if left <= 0.0 {
            commands.entity(entity).despawn();
        }
    }
}
