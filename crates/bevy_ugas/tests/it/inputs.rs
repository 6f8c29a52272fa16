//! Device events become inputs of abilities.

use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_input::gamepad::{GamepadAxis, GamepadAxisChangedEvent, GamepadButton, GamepadButtonChangedEvent};
use bevy_input::keyboard::{Key, KeyCode, KeyboardFocusLost, KeyboardInput};
use bevy_input::mouse::{MouseButton, MouseButtonInput};
use bevy_input::{ButtonState, InputPlugin};
use bevy_ugas::input::{PlayerInput, PlayerSignal};
use bevy_ugas::prelude::*;
use ugas::input::{
    BindingDef, DeviceInput, InputActionDef, InputActionSetDef, InputMappingDef, InputScheme, SavedMappings,
    ValueType,
};
use ugas::{AbilityDef, AbilityGrantDef, ControllerDef, TaskDef, WaitDef};

use crate::fixture::*;

fn scheme() -> std::sync::Arc<InputScheme> {
    InputScheme::builder()
        .action(InputActionDef::digital("IA_Guard"))
        .action(InputActionDef::new("IA_Move", ValueType::Axis2D))
        .action_set(InputActionSetDef::new("OnFoot", ["IA_Guard", "IA_Move"]).blocked_by("State.Debuff"))
        .mapping(
            InputMappingDef::new("OnFoot")
                .bind(BindingDef::new("IA_Guard", DeviceInput::key("Q")))
                .bind(BindingDef::new("IA_Guard", DeviceInput::mouse("Left")))
                .bind(BindingDef::new("IA_Guard", DeviceInput::gamepad("RightTrigger")))
                .bind(BindingDef::new("IA_Move", DeviceInput::gamepad("LeftStick"))),
        )
        .build()
        .unwrap()
}

/// A knight that guards for as long as the input is held.
fn arena() -> (App, Entity) {
    let rules = builder()
        .ability(
            AbilityDef::new("GA_Guard")
                .task(TaskDef::commit())
                .task(TaskDef::Wait(WaitDef::InputReleased(None))),
        )
        .template(ControllerDef::new("Knight").with_set("Combat").with_ability(AbilityGrantDef {
            input: Some("IA_Guard".into()),
            ..AbilityGrantDef::new("GA_Guard")
        }))
        .build()
        .unwrap();
    let mut app = app_with(UgasPlugins::from_catalog(rules));
    app.add_plugins(InputPlugin);
    let input = PlayerInput::new().with_scheme(scheme());
    let knight = app.world_mut().spawn((GameplayController::new("Knight"), input)).id();
    (app, knight)
}

fn key(app: &mut App, key_code: KeyCode, state: ButtonState) {
    let window = Entity::PLACEHOLDER;
    let logical_key = Key::Dead(None);
    app.world_mut().write_message(KeyboardInput {
        key_code,
        logical_key,
        state,
        text: None,
        repeat: false,
        window,
    });
    app.update();
}

fn is_guarding(app: &App, knight: Entity) -> bool {
    get::<Abilities>(app, knight).is_active("GA_Guard")
}

#[test]
fn key_presses_and_releases_an_input() {
    let (mut app, knight) = arena();
    key(&mut app, KeyCode::KeyQ, ButtonState::Pressed);
    assert!(is_guarding(&app, knight));
    run(&mut app, 0.5);
    assert!(is_guarding(&app, knight));
    key(&mut app, KeyCode::KeyQ, ButtonState::Released);
    assert!(!is_guarding(&app, knight));
}

#[test]
fn mouse_and_gamepad_press_inputs() {
    let (mut app, knight) = arena();
    let window = Entity::PLACEHOLDER;
    for (state, expected) in [(ButtonState::Pressed, true), (ButtonState::Released, false)] {
        app.world_mut().write_message(MouseButtonInput { button: MouseButton::Left, state, window });
        app.update();
        assert_eq!(is_guarding(&app, knight), expected);
    }
    let pad = app.world_mut().spawn_empty().id();
    for (value, state, expected) in [(0.9, ButtonState::Pressed, true), (0.0, ButtonState::Released, false)] {
        let button = GamepadButton::RightTrigger2;
        app.world_mut().write_message(GamepadButtonChangedEvent { entity: pad, button, state, value });
        app.update();
        assert_eq!(is_guarding(&app, knight), expected);
    }
}

#[test]
fn sticks_set_the_axes_of_actions() {
    let (mut app, knight) = arena();
    let pad = app.world_mut().spawn_empty().id();
    for (axis, value) in [(GamepadAxis::LeftStickX, 0.5), (GamepadAxis::LeftStickY, -1.0)] {
        app.world_mut().write_message(GamepadAxisChangedEvent { entity: pad, axis, value });
    }
    app.update();
    let player = get::<PlayerInput>(&app, knight);
    assert_eq!(player.value("IA_Move"), [0.5, -1.0, 0.0]);
    assert!(player.is_pressed("IA_Move"));
    let signals = app.world().resource::<Messages<PlayerSignal>>();
    assert!(signals.iter_current_update_messages().any(|signal| &*signal.action == "IA_Move"));
}

#[test]
fn losing_focus_releases_inputs() {
    let (mut app, knight) = arena();
    key(&mut app, KeyCode::KeyQ, ButtonState::Pressed);
    app.world_mut().write_message(KeyboardFocusLost);
    app.update();
    assert!(!is_guarding(&app, knight));
}

#[test]
fn tags_select_the_active_action_sets() {
    let (mut app, knight) = arena();
    game(&mut app).apply("GE_Poison", None, knight).unwrap();
    app.update();
    key(&mut app, KeyCode::KeyQ, ButtonState::Pressed);
    assert!(!is_guarding(&app, knight));
}

#[test]
fn changed_bindings_are_saved_as_text() {
    let (mut app, knight) = arena();
    let mut player = app.world_mut().get_mut::<PlayerInput>(knight).unwrap();
    player.mapper_mut().unwrap().remap("IA_Guard", 0, DeviceInput::key("F")).unwrap();
    let text = player.save().to_text();
    assert_eq!(text, "ugas-input-mappings 1\nIA_Guard 0 Keyboard F\n");
    let saved = SavedMappings::parse(&text).unwrap();
    let input = PlayerInput::new().with_scheme(scheme()).with_saved(saved);
    app.world_mut().entity_mut(knight).insert(input);
    key(&mut app, KeyCode::KeyF, ButtonState::Pressed);
    assert!(is_guarding(&app, knight));
}

#[test]
fn bindings_come_from_the_pack() {
    let packs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packs/hero");
    let pack = bevy_ugas::rules::load_pack(packs, &Default::default()).unwrap();
    let mut app = app_with(UgasPlugins::from_pack(pack));
    app.add_plugins(InputPlugin);
    let hero = app
        .world_mut()
        .spawn((
            GameplayController::new("Hero").with_ability_set("Everybody").with_ability_set("HeroAbilities"),
            PlayerInput::new(),
        ))
        .id();
    app.update();
    assert!(get::<PlayerInput>(&app, hero).mapper().is_some());
    let stamina = game(&mut app).current(hero, "Stamina").unwrap();
    key(&mut app, KeyCode::ShiftLeft, ButtonState::Pressed);
    assert!(get::<PlayerInput>(&app, hero).is_pressed("IA_Sprint"));
    run(&mut app, 1.0);
    assert!(game(&mut app).current(hero, "Stamina").unwrap() < stamina);
}

#[test]
fn remapped_own_scheme_survives_a_reload() {
    let (mut app, knight) = arena();
    let saved = SavedMappings::parse("ugas-input-mappings 1\nIA_Guard 0 Keyboard F\n").unwrap();
    // In either order.
    for input in [
        PlayerInput::new().with_scheme(scheme()).with_saved(saved.clone()),
        PlayerInput::new().with_saved(saved).with_scheme(scheme()),
    ] {
        app.world_mut().entity_mut(knight).insert(input);
        app.update();
        let saved = get::<PlayerInput>(&app, knight).save().to_text();
        assert_eq!(saved, "ugas-input-mappings 1\nIA_Guard 0 Keyboard F\n");
        let mut player = app.world_mut().get_mut::<PlayerInput>(knight).unwrap();
        player.mapper_mut().unwrap().remap("IA_Guard", 0, DeviceInput::key("G")).unwrap();
        let rules = game(&mut app).catalog().unwrap().clone();
        game(&mut app).install(rules).unwrap();
        app.update();
        let saved = get::<PlayerInput>(&app, knight).save().to_text();
        assert_eq!(saved, "ugas-input-mappings 1\nIA_Guard 0 Keyboard G\n");
    }
}

#[test]
fn member_of_an_instance_has_the_bindings_of_the_shared_pack() {
    use bevy_ugas::{GameplayInstance, InInstance};
    watch_log();
    let packs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packs/hero");
    let pack = bevy_ugas::rules::load_pack(packs, &Default::default()).unwrap();
    let mut app = app_with(UgasPlugins::from_pack(pack));
    app.add_plugins(InputPlugin);
    let rules = game(&mut app).catalog().unwrap().clone();
    let room = app.world_mut().spawn(GameplayInstance::new(rules, ugas::Config::default())).id();
    let hero = (GameplayController::new("Hero"), InInstance(room), PlayerInput::new());
    let hero = app.world_mut().spawn(hero).id();
    app.update();
    assert!(get::<PlayerInput>(&app, hero).mapper().is_some());
    // Other rules have no input documents, and say so.
    let room = app.world_mut().spawn(GameplayInstance::new(catalog(), ugas::Config::default())).id();
    let wolf = (GameplayController::new("Wolf"), InInstance(room), PlayerInput::new());
    let wolf = app.world_mut().spawn(wolf).id();
    app.update();
    app.update();
    let warned = logged("WARN");
    let start = format!("{wolf} has a `PlayerInput` without bindings");
    assert_eq!(warned.iter().filter(|line| line.starts_with(&start)).count(), 1, "{warned:?}");
}
