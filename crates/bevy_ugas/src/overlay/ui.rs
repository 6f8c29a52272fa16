//! The overlay on the screen, with Bevy's user interface.

use bevy_app::{App, Plugin, Startup, Update};
use bevy_color::{Color, Srgba};
use bevy_ecs::change_detection::DetectChanges;
use bevy_ecs::hierarchy::Children;
use bevy_ecs::prelude::{Commands, Component, Query, Res, With};
use bevy_ecs::schedule::IntoScheduleConfigs;
use bevy_text::{TextColor, TextFont};
use bevy_ui::widget::Text;
use bevy_ui::{BackgroundColor, Display, GlobalZIndex, Node, PositionType, UiRect, Val};

use super::{DebugOverlayText, write};

/// Draws [`DebugOverlayText`] over the game. Add it next to [`UgasOverlayPlugin`](super::UgasOverlayPlugin),
/// in an app that has Bevy's user interface; it needs a font, which Bevy's feature `default_font` provides.
#[derive(Clone, Debug)]
pub struct UgasOverlayUiPlugin {
    /// Position and size of the panel. The overlay overrides `display`.
    pub node: Node,
    /// Background colour.
    pub background: Color,
    /// Text colour.
    pub colour: Color,
    /// Font size in pixels.
    pub font_size: f32,
}

/// The panel, to be styled: its only child is the text.
#[derive(Component, Clone, Copy, Debug)]
pub struct DebugOverlayPanel;

impl Default for UgasOverlayUiPlugin {
    fn default() -> Self {
        let margin = Val::Px(16.0);
        let node = Node {
            position_type: PositionType::Absolute,
            left: margin,
            top: margin,
            max_width: Val::Percent(60.0),
            padding: UiRect::all(Val::Px(12.0)),
            ..Node::default()
        };
        let background = Color::Srgba(Srgba::new(0.03, 0.04, 0.06, 0.88));
        let colour = Color::Srgba(Srgba::new(0.9, 0.92, 0.95, 1.0));
        Self { node, background, colour, font_size: 12.0 }
    }
}

impl Plugin for UgasOverlayUiPlugin {
    /// Spawns a hidden panel in front of everything else, and draws the overlay's text in it.
    fn build(&self, app: &mut App) {
        let look = self.clone();
        app.init_resource::<DebugOverlayText>()
            .add_systems(Startup, move |mut commands: Commands<'_, '_>| {
                let node = Node { display: Display::None, ..look.node.clone() };
                let text =
                    (Text::default(), TextFont::from_font_size(look.font_size), TextColor(look.colour));
                // In front of everything else.
                let panel =
                    (DebugOverlayPanel, node, BackgroundColor(look.background), GlobalZIndex(i32::MAX));
                commands.spawn(panel).with_child(text);
            })
            .add_systems(Update, draw.after(write));
    }
}

/// Copies the text to the panel if it changed.
fn draw(
    written: Res<'_, DebugOverlayText>,
    mut panels: Query<'_, '_, (&mut Node, &Children), With<DebugOverlayPanel>>,
    mut texts: Query<'_, '_, &mut Text>,
) {
    if !written.is_changed() {
        return;
    }
    for (mut node, children) in &mut panels {
        node.display = if written.0.is_empty() { Display::None } else { Display::Flex };
        for child in children {
            if let Ok(mut text) = texts.get_mut(*child) {
                text.0.clone_from(&written.0);
            }
        }
    }
}
