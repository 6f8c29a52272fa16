//! The debug overlay: the complete state of one controller as text, for the game to draw (GASD §6).
//!
//! Nothing here draws, so no renderer is needed. With the feature `overlay_ui`, `UgasOverlayUiPlugin` draws
//! it with Bevy's user interface; a game that draws text in another way shows [`DebugOverlayText`].

#[cfg(feature = "overlay_ui")]
mod ui;

use bevy_app::{App, Plugin, Update};
use bevy_ecs::change_detection::DetectChangesMut;
use bevy_ecs::prelude::{Entity, Res, ResMut, Resource};
use bevy_ecs::schedule::IntoScheduleConfigs;
use bevy_input::ButtonInput;
use bevy_input::keyboard::KeyCode;

#[cfg(feature = "overlay_ui")]
pub use ui::{DebugOverlayPanel, UgasOverlayUiPlugin};

use crate::world::GameplayWorld;

/// Writes [`DebugOverlayText`] while [`DebugOverlay`] is shown.
#[derive(Clone, Copy)]
pub struct UgasOverlayPlugin {
    /// The key that shows and hides it.
    pub toggle: KeyCode,
    /// The key that selects the next controller.
    pub next: KeyCode,
}

impl Default for UgasOverlayPlugin {
    fn default() -> Self {
        Self { toggle: KeyCode::F3, next: KeyCode::F4 }
    }
}

/// State of the overlay.
#[derive(Resource, Clone, Copy, Debug)]
pub struct DebugOverlay {
    /// Whether the overlay is shown.
    pub is_shown: bool,
    /// Entity to show; if it is `None` or has no controller, the first entity with one.
    pub target: Option<Entity>,
    /// The key that shows and hides it.
    pub toggle: KeyCode,
    /// The key that selects the next controller.
    pub next: KeyCode,
}

/// The text to draw: attributes, tags, effects with their remaining time, abilities with the reasons that
/// block them. Empty while the overlay is hidden. Marked as changed only if the text differs.
#[derive(Resource, Clone, PartialEq, Eq, Default, Debug)]
pub struct DebugOverlayText(pub String);

impl Plugin for UgasOverlayPlugin {
    fn build(&self, app: &mut App) {
        let Self { toggle, next } = *self;
        app.insert_resource(DebugOverlay { is_shown: false, target: None, toggle, next })
            .init_resource::<DebugOverlayText>()
            .add_systems(Update, (choose, write).chain());
    }
}

/// The complete state of the controller of an entity as text; `None` if it has none.
pub fn overlay_text(game: &GameplayWorld, entity: Entity) -> Option<String> {
    let page = game.simulation()?.debug(game.controller(entity)?)?;
    Some(format!("{entity}: {page}"))
}

/// Toggles the overlay, and moves on to the next controller, by the keys of the overlay. Needs Bevy's
/// keyboard input.
fn choose(
    keys: Option<Res<'_, ButtonInput<KeyCode>>>,
    game: Res<'_, GameplayWorld>,
    mut overlay: ResMut<'_, DebugOverlay>,
) {
    let Some(keys) = keys else { return };
    if keys.just_pressed(overlay.toggle) {
        overlay.is_shown = !overlay.is_shown;
    }
    if overlay.is_shown && keys.just_pressed(overlay.next) {
        let entities: Vec<Entity> = game.entities().map(|(entity, _)| entity).collect();
        let at = entities.iter().position(|entity| Some(*entity) == shown(&game, &overlay));
        let next = at.map_or(0, |at| (at + 1) % entities.len());
        overlay.target = entities.get(next).copied();
    }
}

/// Writes the text of the shown controller; empty while the overlay is off or there is none.
fn write(
    game: Res<'_, GameplayWorld>,
    overlay: Res<'_, DebugOverlay>,
    mut text: ResMut<'_, DebugOverlayText>,
) {
    let target = shown(&game, &overlay).filter(|_| overlay.is_shown);
    let now = target.and_then(|entity| overlay_text(&game, entity)).unwrap_or_default();
    text.set_if_neq(DebugOverlayText(now));
}

/// Entity that the overlay shows: the chosen one, or the first if none is chosen or it has no controller any
/// more.
fn shown(game: &GameplayWorld, overlay: &DebugOverlay) -> Option<Entity> {
    let chosen = overlay.target.filter(|entity| game.controller(*entity).is_some());
    chosen.or_else(|| game.entities().next().map(|(entity, _)| entity))
}
