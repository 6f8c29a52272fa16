//! The panel of the debug overlay follows `DebugOverlay::is_shown`.

use bevy_ugas::overlay::DebugOverlay;
use overlay_ui::{app, drawn};

#[test]
fn panel_is_drawn_only_while_the_overlay_is_shown() {
    let mut app = app().unwrap();
    assert_eq!(drawn(&mut app), None);

    app.world_mut().resource_mut::<DebugOverlay>().is_shown = true;
    let text = drawn(&mut app).expect("the panel is drawn");
    assert!(text.contains("Wolf") && text.contains("Health"), "{text}");

    app.world_mut().resource_mut::<DebugOverlay>().is_shown = false;
    assert_eq!(drawn(&mut app), None);
}
