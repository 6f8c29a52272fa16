//! Everything that the rules know of a fighter, by a key; and help.

use bevy::prelude::*;
use bevy_ugas::overlay::{DebugOverlay, DebugOverlayText, UgasOverlayPlugin};

use super::colour;
use super::player::Own;

#[derive(Component)]
struct Page;

#[derive(Component)]
struct Help;

const HELP: &str = "WASD          walk
mouse         aim, left button shoots
Shift         sprint while held: stamina
Space         dash
Q             shockwave: stuns who is near
E             barrier
R             meteor: left button confirms, right one cancels
F1, Tab       what the rules know, of whom
F2            prediction on or off
F3 F4, F5 F6  latency, loss
H             this

Rules are in packs/arena. Change a file while you play.";

pub(super) fn plugin(app: &mut App) {
    app.add_plugins(UgasOverlayPlugin { toggle: KeyCode::F1, next: KeyCode::Tab })
        .add_observer(look_at_own)
        .add_systems(Startup, set_up)
        .add_systems(Update, (help, page));
}

fn set_up(mut commands: Commands<'_, '_>) {
    let panel = |left: Val, right: Val, width: f32| Node {
        position_type: PositionType::Absolute,
        left,
        right,
        top: px(66),
        width: px(width),
        padding: UiRect::all(px(12)),
        border_radius: BorderRadius::all(px(6)),
        display: Display::None,
        ..default()
    };
    let text =
        |text: &str, size: f32| (Text::new(text), TextFont::from_font_size(size), TextColor(colour::TEXT));
    let page = panel(Val::Px(16.0), Val::Auto, 560.0);
    commands.spawn((Page, page, BackgroundColor(colour::PANEL), GlobalZIndex(10), children![text("", 11.0)]));
    let help = panel(Val::Auto, Val::Px(16.0), 500.0);
    commands.spawn((
        Help,
        help,
        BackgroundColor(colour::PANEL),
        GlobalZIndex(10),
        children![text(HELP, 14.0)],
    ));
}

fn help(keys: Res<'_, ButtonInput<KeyCode>>, mut help: Query<'_, '_, &mut Node, With<Help>>) {
    if keys.just_pressed(KeyCode::KeyH) {
        for mut node in &mut help {
            node.display = if node.display == Display::None { Display::Flex } else { Display::None };
        }
    }
}

/// Shows the text that the plugin writes.
fn page(
    text: Res<'_, DebugOverlayText>,
    mut page: Query<'_, '_, (&mut Node, &Children), With<Page>>,
    mut texts: Query<'_, '_, &mut Text>,
) {
    if !text.is_changed() {
        return;
    }
    for (mut node, children) in &mut page {
        node.display = if text.0.is_empty() { Display::None } else { Display::Flex };
        if let Some(child) = children.first()
            && let Ok(mut shown) = texts.get_mut(*child)
        {
            shown.0.clone_from(&text.0);
        }
    }
}

/// The own champion first.
fn look_at_own(own: On<'_, '_, Add, Own>, mut overlay: ResMut<'_, DebugOverlay>) {
    overlay.target = Some(own.entity);
}
