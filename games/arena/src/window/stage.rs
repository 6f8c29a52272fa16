//! The floor and the camera.

use bevy::camera::ScalingMode;
use bevy::prelude::*;

use super::colour;
use super::{HEIGHT, WIDTH};
use crate::field::HALF;

/// Camera offset: the field is a little above the middle, because the panels below are larger.
const SHIFT: f32 = -28.0;

pub(super) fn plugin(app: &mut App) {
    app.insert_resource(ClearColor(colour::NIGHT))
        .add_systems(Startup, set_up)
        .add_systems(Update, scale_panels);
}

fn set_up(mut commands: Commands<'_, '_>) {
    let mut projection = OrthographicProjection::default_2d();
    projection.scaling_mode = ScalingMode::AutoMin { min_width: WIDTH, min_height: HEIGHT };
    commands.spawn((Camera2d, Projection::Orthographic(projection), Transform::from_xyz(0.0, SHIFT, 0.0)));
    let rectangle = |size: Vec2, at: Vec2, depth: f32, colour: Color| {
        (Sprite::from_color(colour, size), Transform::from_translation(at.extend(depth)))
    };
    commands.spawn(rectangle(HALF * 2.0 + Vec2::splat(6.0), Vec2::ZERO, -10.0, colour::BORDER));
    commands.spawn(rectangle(HALF * 2.0, Vec2::ZERO, -9.0, colour::FLOOR));
    const GRID: f32 = 61.0;
    for column in -9..=9_i8 {
        let at = Vec2::new(f32::from(column) * GRID, 0.0);
        commands.spawn(rectangle(Vec2::new(1.0, HALF.y * 2.0), at, -8.0, colour::LINE));
    }
    for row in -4..=4_i8 {
        let at = Vec2::new(0.0, f32::from(row) * GRID);
        commands.spawn(rectangle(Vec2::new(HALF.x * 2.0, 1.0), at, -8.0, colour::LINE));
    }
}

/// Scales panels with the window, like the field.
fn scale_panels(windows: Query<'_, '_, &Window, Changed<Window>>, mut scale: ResMut<'_, UiScale>) {
    for window in &windows {
        let fits = (window.width() / WIDTH).min(window.height() / HEIGHT).max(0.25);
        if (scale.0 - fits).abs() > 0.001 {
            scale.0 = fits;
        }
    }
}
