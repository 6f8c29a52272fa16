//! The debug overlay: what it says, when, and what is drawn of it.

use bevy_input::ButtonInput;
use bevy_input::keyboard::KeyCode;
use bevy_ugas::overlay::{DebugOverlay, DebugOverlayText, UgasOverlayPlugin};

use crate::fixture::*;

#[test]
fn a_key_shows_it_and_another_goes_on() {
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

/// The user interface's components are plain data: no renderer is needed to see what would be drawn.
#[cfg(feature = "overlay_ui")]
#[test]
fn it_is_drawn_while_it_is_shown() {
    use bevy_ecs::prelude::*;
    use bevy_ugas::overlay::{DebugOverlayPanel, UgasOverlayUiPlugin};

    let mut app = bevy_app::App::new();
    app.add_plugins((bevy_app::TaskPoolPlugin::default(), bevy_time::TimePlugin))
        .add_plugins(bevy_ugas::UgasPlugins::from_catalog(catalog()))
        .add_plugins((UgasOverlayPlugin::default(), UgasOverlayUiPlugin::default()));
    spawn(&mut app, "Wolf");
    app.update();
    let drawn = |app: &mut bevy_app::App| {
        app.update();
        let mut panels =
            app.world_mut().query_filtered::<(&bevy_ui::Node, &Children), With<DebugOverlayPanel>>();
        let (node, children) = panels.single(app.world()).unwrap();
        let text = app.world().get::<bevy_ui::widget::Text>(children[0]).unwrap().0.clone();
        (node.display != bevy_ui::Display::None, text)
    };
    assert_eq!(drawn(&mut app), (false, String::new()));
    app.world_mut().resource_mut::<DebugOverlay>().is_shown = true;
    let (is_shown, text) = drawn(&mut app);
    assert!(is_shown && text.contains("Wolf") && text.contains("Health"), "{text}");
    app.world_mut().resource_mut::<DebugOverlay>().is_shown = false;
    assert!(!drawn(&mut app).0);
}
