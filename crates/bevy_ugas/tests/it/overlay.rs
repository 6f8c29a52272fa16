//! Text of the debug overlay. The drawn panel is tested in `examples/overlay_ui`.

use bevy_input::ButtonInput;
use bevy_input::keyboard::KeyCode;
use bevy_ugas::overlay::{DebugOverlay, DebugOverlayText, UgasOverlayPlugin};

use crate::fixture::*;

#[test]
fn overlay_keys_toggle_it_and_select_the_next_entity() {
    let mut app = app();
    app.init_resource::<ButtonInput<KeyCode>>().add_plugins(UgasOverlayPlugin::default());
    let (mage, wolf) = (spawn(&mut app, "Mage"), spawn(&mut app, "Wolf"));
    game(&mut app).apply("GE_Poison", mage, mage).unwrap();
    game(&mut app).activate(mage, "GA_Bolt").unwrap();
    run(&mut app, 1.0);
    let text = |app: &bevy_app::App| app.world().resource::<DebugOverlayText>().0.clone();
    assert_eq!(text(&app), "");

    let press = |app: &mut bevy_app::App, key| {
        let mut keys = app.world_mut().resource_mut::<ButtonInput<KeyCode>>();
        keys.clear();
        keys.release_all();
        keys.press(key);
        app.update();
        app.world_mut().resource_mut::<ButtonInput<KeyCode>>().clear();
    };
    press(&mut app, KeyCode::F3);
    let shown = text(&app);
    // An attribute, a tag, an effect with its timer, an ability with its reason.
    for part in
        [format!("{mage}: Mage"), "Mana".into(), "State.Debuff.Poisoned".into(), "GE_Poison level 1".into()]
    {
        assert!(shown.contains(&part), "{part} is not in\n{shown}");
    }
    assert!(
        shown.contains("of 3s left") && shown.contains("cannot be activated: it is active already"),
        "{shown}"
    );
    press(&mut app, KeyCode::F4);
    assert!(text(&app).starts_with(&format!("{wolf}: Wolf")));
    press(&mut app, KeyCode::F3);
    assert_eq!(text(&app), "");
    assert!(!app.world().resource::<DebugOverlay>().is_shown);
}
