//! Debug overlay of a fighter, and help.

use bevy::prelude::*;
use bevy_ugas::overlay::{DebugOverlay, UgasOverlayPlugin, UgasOverlayUiPlugin};

use super::colour;
use super::player::LocalPlayer;

#[derive(Component)]
struct Help;

const HELP: &str = "WASD          walk
mouse         aim, left button shoots
Shift         sprint while held: stamina
Space         dash
Q             shockwave: stuns nearby enemies
E             barrier
R             meteor: left button confirms, right one cancels
F1, Tab       debug overlay, next fighter
F2            prediction on or off
F3 F4, F5 F6  latency, loss
H             this

Rules are in packs/arena. Change a file while you play.";

pub(super) fn plugin(app: &mut App) {
    app.add_plugins(UgasOverlayPlugin { toggle: KeyCode::F1, next: KeyCode::Tab })
        .add_plugins(UgasOverlayUiPlugin {
            node: panel(Val::Px(16.0), Val::Auto, 560.0),
            background: colour::PANEL,
            colour: colour::TEXT,
            font_size: 11.0,
        })
        .add_observer(look_at_own)
        .add_systems(Startup, set_up)
        .add_systems(Update, help);
}

fn panel(left: Val, right: Val, width: f32) -> Node {
    Node {
        position_type: PositionType::Absolute,
        left,
        right,
        top: px(66),
        width: px(width),
        padding: UiRect::all(px(12)),
        border_radius: BorderRadius::all(px(6)),
        display: Display::None,
        ..default()
    }
}

fn set_up(mut commands: Commands<'_, '_>) {
    let text = (Text::new(HELP), TextFont::from_font_size(14.0), TextColor(colour::TEXT));
    let help = panel(Val::Auto, Val::Px(16.0), 500.0);
    commands.spawn((Help, help, BackgroundColor(colour::PANEL), GlobalZIndex(10), children![text]));
}

fn help(keys: Res<'_, ButtonInput<KeyCode>>, mut help: Query<'_, '_, &mut Node, With<Help>>) {
    if keys.just_pressed(KeyCode::KeyH) {
        for mut node in &mut help {
            node.display = if node.display == Display::None { Display::Flex } else { Display::None };
        }
    }
}

/// Shows the own champion first.
fn look_at_own(own: On<'_, '_, Add, LocalPlayer>, mut overlay: ResMut<'_, DebugOverlay>) {
    overlay.target = Some(own.entity);
}
