//! The debug overlay of `bevy_ugas`, drawn with Bevy's user interface.
//!
//! Panels and text of Bevy's user interface are plain components, so that neither a window nor a renderer is
//! needed to read them. A game with a window adds the same two plugins beside `DefaultPlugins`.

use bevy_app::{App, TaskPoolPlugin};
use bevy_ecs::prelude::*;
use bevy_time::TimePlugin;
use bevy_ugas::overlay::{DebugOverlayPanel, UgasOverlayPlugin, UgasOverlayUiPlugin};
use bevy_ugas::ugas::prelude::*;
use bevy_ugas::{GameplayController, UgasPlugins};

/// An app with one wolf of 100 health, the debug overlay, and the panel that draws it.
///
/// # Errors
///
/// If the definitions are inconsistent.
pub fn app() -> Result<App, bevy_ugas::ugas::Error> {
    let catalog = Catalog::builder()
        .attribute_set(AttributeSetDef::new("Combat").with(AttributeDef::new("Health", 100.0).min(0.0)))
        .template(ControllerDef::new("Wolf").with_set("Combat"))
        .build()?;
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin))
        .add_plugins(UgasPlugins::from_catalog(catalog))
        .add_plugins((UgasOverlayPlugin::default(), UgasOverlayUiPlugin::default()));
    app.world_mut().spawn(GameplayController::new("Wolf"));
    app.update();
    Ok(app)
}

/// Text of the panel as it is drawn after one more frame; `None` while the panel is hidden or missing.
pub fn drawn(app: &mut App) -> Option<String> {
    app.update();
    let mut panels = app.world_mut().query_filtered::<(&bevy_ui::Node, &Children), With<DebugOverlayPanel>>();
    let (node, children) = panels.single(app.world()).ok()?;
    if node.display == bevy_ui::Display::None {
        return None;
    }
    let text = app.world().get::<bevy_ui::widget::Text>(*children.first()?)?;
    Some(text.0.clone())
}
