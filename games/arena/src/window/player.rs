//! The player: keyboard and mouse fill the pad of the champion.

use bevy::prelude::*;
use bevy::window::PrimaryWindow;

use crate::bot::Bot;
pub(super) use crate::fighter::LocalPlayer;
use crate::fighter::spawn_champion;
use crate::link::Role;
use crate::pad::{Buttons, Pad};

/// Labels of keys in panels, by input.
pub(super) const KEYS: [(&str, &str); 6] = [
    ("Ability.Shoot", "LMB"),
    ("Ability.Sprint", "Shift"),
    ("Ability.Dash", "Space"),
    ("Ability.Shockwave", "Q"),
    ("Ability.Barrier", "E"),
    ("Ability.Meteor", "R"),
];

pub(super) fn plugin(bot: bool) -> impl Plugin {
    move |app: &mut App| {
        app.add_systems(Startup, |role: Res<'_, Role>, mut commands: Commands<'_, '_>| {
            // Clients get their champion from the server.
            if *role == Role::Authority {
                let champion = spawn_champion(&mut commands, 0);
                commands.entity(champion).insert(LocalPlayer);
            }
        });
        if bot {
            app.add_observer(|own: On<'_, '_, Add, LocalPlayer>, mut commands: Commands<'_, '_>| {
                commands.entity(own.entity).insert(Bot::default());
            });
        }
        app.add_systems(PreUpdate, read_devices.after(bevy::input::InputSystems));
    }
}

fn read_devices(
    keys: Res<'_, ButtonInput<KeyCode>>,
    mouse: Res<'_, ButtonInput<MouseButton>>,
    window: Query<'_, '_, &Window, With<PrimaryWindow>>,
    camera: Query<'_, '_, (&Camera, &GlobalTransform)>,
    mut pads: Query<'_, '_, &mut Pad, (With<LocalPlayer>, Without<Bot>)>,
) {
    let Ok(mut pad) = pads.single_mut() else { return };
    let axis =
        |less: KeyCode, more: KeyCode| f32::from(i8::from(keys.pressed(more)) - i8::from(keys.pressed(less)));
    let walk = Vec2::new(axis(KeyCode::KeyA, KeyCode::KeyD), axis(KeyCode::KeyS, KeyCode::KeyW));
    pad.walk = walk.normalize_or_zero();
    let cursor = window.single().ok().and_then(Window::cursor_position);
    // Clicks on panels do not shoot.
    let is_on_field = cursor.is_some_and(|cursor| {
        window.single().is_ok_and(|window| cursor.y < window.height() * (1.0 - super::PANELS / super::HEIGHT))
    });
    if let (Some(cursor), Ok((camera, place))) = (cursor, camera.single())
        && let Ok(aim) = camera.viewport_to_world_2d(place, cursor)
    {
        pad.aim = aim;
    }
    pad.buttons = Buttons {
        shoot: mouse.pressed(MouseButton::Left) && is_on_field,
        sprint: keys.pressed(KeyCode::ShiftLeft),
        dash: keys.pressed(KeyCode::Space),
        shockwave: keys.pressed(KeyCode::KeyQ),
        barrier: keys.pressed(KeyCode::KeyE),
        meteor: keys.pressed(KeyCode::KeyR),
        cancel: mouse.pressed(MouseButton::Right) || keys.pressed(KeyCode::Escape),
    };
}
