//! Input mapping from devices to input ids (§11): chain, mapping, timing, remapping.

mod properties;
mod remapping;
mod schemes;

use std::sync::Arc;

use ugas_core::input::{
    BindingDef, CompositeInputs, DeadZoneShape, DeviceInput, InputActionDef, InputActionSetDef,
    InputBufferConfig, InputMapper, InputMappingDef, InputModifierDef, InputModifierKind, InputScheme,
    InputSignalKind, KeyMappingDef, ReleaseCause, TriggerBehavior, ValueType,
};
use ugas_core::tag::{TagBits, TagRegistry};
use ugas_core::time::{Span, Time};

pub(crate) fn at(millis: u64) -> Time {
    Time::from_micros(millis * 1_000)
}

pub(crate) fn key(name: &str) -> DeviceInput {
    DeviceInput::key(name)
}

/// A mapper with short methods.
pub(crate) struct Fixture {
    pub(crate) mapper: InputMapper,
}

impl Fixture {
    /// One set that is always active, with actions and bindings.
    pub(crate) fn new(
        actions: impl IntoIterator<Item = InputActionDef>,
        bindings: impl IntoIterator<Item = BindingDef>,
    ) -> Self {
        let actions: Vec<_> = actions.into_iter().collect();
        let set = InputActionSetDef::new("Set", actions.iter().map(|action| action.name.as_str()));
        let mapping =
            InputMappingDef { bindings: bindings.into_iter().collect(), ..InputMappingDef::new("Set") };
        let builder =
            actions.into_iter().fold(InputScheme::builder(), |builder, action| builder.action(action));
        Self::on(builder.action_set(set).mapping(mapping).build().unwrap())
    }

    pub(crate) fn on(scheme: Arc<InputScheme>) -> Self {
        Self { mapper: InputMapper::new(scheme) }
    }

    pub(crate) fn down(&mut self, millis: u64, name: &str) {
        self.mapper.device_event(at(millis), &key(name), [1.0, 0.0, 0.0]);
    }

    pub(crate) fn up(&mut self, millis: u64, name: &str) {
        self.mapper.device_event(at(millis), &key(name), [0.0; 3]);
    }

    /// The signals since the last call, each as a short text: `100 Jump+` pressed, `!` triggered, `-`
    /// released by the player, `-Cause` released for another cause, `=[…]` a value.
    pub(crate) fn signals(&mut self) -> Vec<String> {
        let mut signals = Vec::new();
        while let Some(signal) = self.mapper.poll() {
            let millis = signal.time.micros() / 1_000;
            let name = self.mapper.scheme().action_name(signal.action);
            let what = match signal.kind {
                InputSignalKind::Pressed => "+".to_owned(),
                InputSignalKind::Triggered => "!".to_owned(),
                InputSignalKind::Value(value) => format!("={value:?}"),
                InputSignalKind::Released { cause: ReleaseCause::LetGo, .. } => "-".to_owned(),
                InputSignalKind::Released { cause, .. } => format!("-{cause:?}"),
            };
            signals.push(format!("{millis} {name}{what}"));
        }
        signals
    }
}

#[test]
fn s11_1_hardware_becomes_an_action_and_an_input_id() {
    // §11.2's own example.
    let mapping = KeyMappingDef::default()
        .bind("IA_PrimaryAttack", "Ability.Attack.Primary", ["MouseLeft", "GamepadRightTrigger"])
        .bind("IA_Ability1", "Ability.Slot.1", ["Q", "GamepadFaceLeft"]);
    let scheme = InputScheme::builder().key_mapping("Default", &mapping).build().unwrap();
    let mut mapper = InputMapper::new(scheme);
    mapper.device_event(at(10), &DeviceInput::mouse("MouseLeft"), [1.0, 0.0, 0.0]);
    let pressed = mapper.poll().unwrap();
    assert_eq!((pressed.kind, pressed.input.as_str()), (InputSignalKind::Pressed, "Ability.Attack.Primary"));
    assert_eq!(mapper.poll().unwrap().kind, InputSignalKind::Triggered);
    mapper.device_event(at(70), &DeviceInput::mouse("MouseLeft"), [0.0; 3]);
    let released = mapper.poll().unwrap();
    let held = Span::millis(60);
    assert_eq!(released.kind, InputSignalKind::Released { held, cause: ReleaseCause::LetGo });
    assert_eq!((released.time, mapper.poll()), (at(70), None));
}

#[test]
fn s11_2_key_bindings_are_alternatives_and_the_action_is_pressed_while_any_is() {
    let mut f = Fixture::new(
        [InputActionDef::digital("Fire")],
        [BindingDef::new("Fire", key("A")), BindingDef::new("Fire", key("B"))],
    );
    f.down(0, "A");
    f.down(1, "B");
    f.up(2, "A");
    f.up(3, "B");
    assert_eq!(f.signals(), ["0 Fire+", "0 Fire!", "3 Fire-"]);
}

#[test]
fn unbound_controls_are_ignored() {
    let mut f = Fixture::new([InputActionDef::digital("Fire")], [BindingDef::new("Fire", key("A"))]);
    f.down(0, "Z");
    assert!(f.signals().is_empty());
    assert_eq!(f.mapper.now(), at(0));
}

#[test]
fn gamepad_trigger_presses_from_one_half_or_at_its_threshold_modifier() {
    let scheme = InputScheme::builder()
        .action(InputActionDef::digital("Fire"))
        .action(InputActionDef::digital("Squeeze"))
        .action_set(InputActionSetDef::new("Set", ["Fire", "Squeeze"]))
        .modifier(InputModifierDef::new("Full", InputModifierKind::TriggerThreshold { press: 0.9 }))
        .mapping(
            InputMappingDef::new("Set")
                .bind(BindingDef::new("Fire", key("Light")))
                .bind(BindingDef::new("Squeeze", key("Heavy")).through("Full")),
        )
        .build()
        .unwrap();
    let mut f = Fixture::on(scheme);
    for (millis, value) in [(0, 0.4), (1, 0.5), (2, 0.9)] {
        f.mapper.device_event(at(millis), &key("Light"), [value, 0.0, 0.0]);
        f.mapper.device_event(at(millis), &key("Heavy"), [value, 0.0, 0.0]);
    }
    assert_eq!(f.signals(), ["1 Fire+", "1 Fire!", "2 Squeeze+", "2 Squeeze!"]);
}

#[test]
fn chord_needs_all_controls_and_displaces_shorter_bindings() {
    let mut f = Fixture::new(
        [InputActionDef::digital("Save"), InputActionDef::digital("Step")],
        [BindingDef::new("Step", key("S")), BindingDef::chord("Save", [key("Ctrl"), key("S")])],
    );
    f.down(0, "Ctrl");
    f.down(1, "S");
    // Letting go of Ctrl ends the chord; S is still held, but that is no new press.
    f.up(2, "Ctrl");
    f.up(3, "S");
    assert_eq!(f.signals(), ["1 Save+", "1 Save!", "2 Save-"]);
    // The other way round the single key was first, and is displaced.
    f.down(10, "S");
    f.down(11, "Ctrl");
    assert_eq!(f.signals(), ["10 Step+", "10 Step!", "11 Step-Displaced", "11 Save+", "11 Save!"]);
}

#[test]
fn non_consuming_action_shares_its_controls() {
    let mut f = Fixture::new(
        [InputActionDef::digital("Save").shared(), InputActionDef::digital("Step")],
        [BindingDef::new("Step", key("S")), BindingDef::chord("Save", [key("Ctrl"), key("S")])],
    );
    f.down(0, "Ctrl");
    f.down(1, "S");
    assert_eq!(f.signals(), ["1 Save+", "1 Save!", "1 Step+", "1 Step!"]);
}

#[test]
fn binding_priority_outranks_chord_length() {
    let mut f = Fixture::new(
        [InputActionDef::digital("Save"), InputActionDef::digital("Step")],
        [BindingDef::new("Step", key("S")).priority(1), BindingDef::chord("Save", [key("Ctrl"), key("S")])],
    );
    f.down(0, "Ctrl");
    f.down(1, "S");
    assert_eq!(f.signals(), ["1 Step+", "1 Step!"]);
}

#[test]
fn trigger_behaviours_fire_at_their_time() {
    let action = |name, trigger| InputActionDef::digital(name).fires(trigger).shared();
    let names = ["Held", "Press", "Release", "Tap", "Twice"];
    let mut f = Fixture::new(
        [
            action("Press", TriggerBehavior::OnPressed),
            action("Release", TriggerBehavior::OnReleased),
            action("Held", TriggerBehavior::WhileHeld),
            action("Tap", TriggerBehavior::OnTap),
            action("Twice", TriggerBehavior::OnDoubleTap),
        ],
        names.map(|name| BindingDef::new(name, key("A"))),
    );
    let mut fired = |down: u64, up: u64| {
        f.down(down, "A");
        f.up(up, "A");
        let signals = f.signals();
        signals.into_iter().filter(|signal| signal.ends_with('!')).collect::<Vec<_>>()
    };
    // A tap is up to 0.2 s, a second one must begin up to 0.3 s after the first ended.
    let short = fired(0, 200);
    assert_eq!(short, ["0 Held!", "0 Press!", "200 Release!", "200 Tap!"]);
    let second = fired(500, 600);
    assert_eq!(second, ["500 Held!", "500 Press!", "600 Release!", "600 Tap!", "600 Twice!"]);
    // A third is the first of the next pair; and too late is too late.
    assert_eq!(fired(700, 800).len(), 4);
    assert_eq!(fired(1_101, 1_150).len(), 4);
    // A long press is no tap, and ends the pair.
    let long = fired(1_200, 1_401);
    assert_eq!(long, ["1200 Held!", "1200 Press!", "1401 Release!"]);
    assert_eq!(fired(1_450, 1_500).len(), 4);
}

#[test]
fn hold_fires_at_its_threshold_however_late_it_is_polled() {
    let bindings =
        || [BindingDef::new("Tap", key("E")), BindingDef::new("Hold", key("E")).held_for(Span::millis(500))];
    let actions =
        || [InputActionDef::digital("Tap").fires(TriggerBehavior::OnTap), InputActionDef::digital("Hold")];
    let mut f = Fixture::new(actions(), bindings());
    f.down(0, "E");
    f.mapper.advance(at(2_000));
    // The hold takes the key from the tap, which then was none.
    assert_eq!(f.signals(), ["0 Tap+", "500 Tap-Displaced", "500 Hold+", "500 Hold!"]);
    f.up(2_100, "E");
    assert_eq!(f.signals(), ["2100 Hold-"]);
    f.down(3_000, "E");
    f.up(3_100, "E");
    f.mapper.advance(at(9_000));
    assert_eq!(f.signals(), ["3000 Tap+", "3100 Tap!", "3100 Tap-"]);
    // Letting go at the very instant: the hold was complete.
    f.down(10_000, "E");
    f.up(10_500, "E");
    assert_eq!(
        f.signals(),
        ["10000 Tap+", "10500 Tap-Displaced", "10500 Hold+", "10500 Hold!", "10500 Hold-"]
    );
}

#[test]
fn axes_follow_their_controls() {
    let scheme = InputScheme::builder()
        .action(InputActionDef::new("Move", ValueType::Axis2D))
        .action_set(InputActionSetDef::new("Set", ["Move"]))
        .modifier(InputModifierDef::new(
            "Rest",
            InputModifierKind::DeadZone { shape: DeadZoneShape::Axial, inner: 0.5, outer: 1.0 },
        ))
        .mapping(
            InputMappingDef::new("Set")
                .bind(BindingDef::composite(
                    "Move",
                    CompositeInputs {
                        up: Some(key("W")),
                        down: Some(key("S")),
                        left: Some(key("A")),
                        right: Some(key("D")),
                        ..CompositeInputs::default()
                    },
                ))
                .bind(BindingDef::new("Move", DeviceInput::gamepad("Stick")).through("Rest"))
                .bind(BindingDef::chord("Move", [DeviceInput::gamepad("X"), DeviceInput::gamepad("Y")])),
        )
        .build()
        .unwrap();
    let mut f = Fixture::on(scheme);
    f.down(0, "W");
    f.down(1, "A");
    f.down(2, "D");
    f.up(3, "W");
    assert_eq!(
        f.signals(),
        [
            "0 Move+",
            "0 Move!",
            "0 Move=[0.0, 1.0, 0.0]",
            "1 Move=[-1.0, 1.0, 0.0]",
            "2 Move=[0.0, 1.0, 0.0]",
            "3 Move=[0.0, 0.0, 0.0]",
            "3 Move-",
        ]
    );
    f.up(4, "A");
    f.up(4, "D");
    f.signals();
    // One control may have both axes; (0.75 - 0.5) / 0.5 = 0.5.
    f.mapper.device_event(at(5), &DeviceInput::gamepad("Stick"), [0.75, 0.5, 9.0]);
    // Two controls are the components; the longer value of the two bindings counts.
    f.mapper.device_event(at(6), &DeviceInput::gamepad("Y"), [-0.75, 0.0, 0.0]);
    assert_eq!(f.signals(), ["5 Move+", "5 Move!", "5 Move=[0.5, 0.0, 0.0]", "6 Move=[0.0, -0.75, 0.0]"]);
}

#[test]
fn non_finite_values_count_as_zero() {
    let mut f = Fixture::new(
        [InputActionDef::new("Move", ValueType::Axis3D)],
        [BindingDef::new("Move", key("Stick"))],
    );
    f.mapper.device_event(at(0), &key("Stick"), [f64::NAN, f64::INFINITY, f64::NEG_INFINITY]);
    assert!(f.signals().is_empty());
    f.mapper.device_event(at(1), &key("Stick"), [f64::NAN, 0.0, 1.0]);
    assert_eq!(f.signals(), ["1 Move+", "1 Move!", "1 Move=[0.0, 0.0, 1.0]"]);
}

#[test]
fn chord_hides_only_its_own_controls_from_directions() {
    let mut f = Fixture::new(
        [InputActionDef::digital("Close"), InputActionDef::new("Move", ValueType::Axis1D)],
        [
            BindingDef::composite(
                "Move",
                CompositeInputs { left: Some(key("A")), right: Some(key("D")), ..CompositeInputs::default() },
            ),
            BindingDef::chord("Close", [key("Ctrl"), key("D")]),
        ],
    );
    f.down(0, "Ctrl");
    f.down(1, "D");
    f.down(2, "A");
    assert_eq!(f.signals(), ["1 Close+", "1 Close!", "2 Move+", "2 Move!", "2 Move=[-1.0, 0.0, 0.0]"]);
}

/// On foot, in a vehicle, and a menu that excludes both; all have `Use`, bound to different keys.
fn three_sets() -> Fixture {
    let mapping = |set, bound| InputMappingDef::new(set).bind(BindingDef::new("Use", key(bound)));
    let buffer = InputBufferConfig { enabled: true, ..InputBufferConfig::default() };
    Fixture::on(
        InputScheme::builder()
            .action(InputActionDef::digital("Use"))
            .action(InputActionDef::new("Look", ValueType::Axis1D))
            .action_set(
                InputActionSetDef::new("Foot", ["Use", "Look"]).blocked_by("State.Dead").buffered(buffer),
            )
            .action_set(InputActionSetDef::new("Car", ["Use"]).requires("State.Driving").priority(5))
            .action_set(InputActionSetDef::new("Menu", ["Use"]).requires("UI.Menu").priority(5).exclusive())
            .mapping(mapping("Foot", "F").bind(BindingDef::new("Look", key("Mouse"))))
            .mapping(mapping("Car", "C"))
            .mapping(mapping("Menu", "M"))
            .build()
            .unwrap(),
    )
}

#[test]
fn sets_follow_tags_and_the_highest_priority_binds_the_action() {
    let mut f = three_sets();
    let active = |f: &Fixture| ["Foot", "Car", "Menu"].map(|set| f.mapper.is_set_active(set));
    let action = f.mapper.scheme().action("Use").unwrap();
    assert_eq!(active(&f), [true, false, false]);
    assert!(f.mapper.buffer_config(action).unwrap().enabled);
    f.mapper.tags(at(0), |tag| tag == "State.Driving");
    assert_eq!(active(&f), [true, true, false]);
    assert!(!f.mapper.buffer_config(action).unwrap().enabled);
    f.down(1, "F");
    f.down(2, "C");
    assert_eq!(f.signals(), ["2 Use+", "2 Use!"]);
    // Exclusive: sets of the same or a lower priority go.
    f.mapper.tags(at(3), |tag| tag != "State.Dead");
    assert_eq!(active(&f), [false, false, true]);
    f.down(4, "M");
    assert_eq!(f.signals(), ["3 Use-Inactive", "4 Use+", "4 Use!"]);
    f.mapper.tags(at(5), |tag| tag == "State.Dead");
    assert_eq!((active(&f), f.mapper.buffer_config(action)), ([false; 3], None));
    assert_eq!(f.signals(), ["5 Use-Inactive"]);
}

#[test]
fn activated_set_presses_no_button_but_follows_axes() {
    let mut f = three_sets();
    f.mapper.tags(at(0), |tag| tag == "State.Dead");
    f.down(1, "F");
    f.down(1, "Mouse");
    f.mapper.tags(at(2), |_| false);
    assert_eq!(f.signals(), ["2 Look+", "2 Look!", "2 Look=[1.0, 0.0, 0.0]"]);
    f.up(3, "F");
    f.down(4, "F");
    assert_eq!(f.signals(), ["4 Use+", "4 Use!"]);
}

#[test]
fn controller_tags_are_read_and_unknown_tags_are_absent() {
    let mut f = three_sets();
    let registry = TagRegistry::from_names(["State.Driving.Tank"]).unwrap();
    let held = TagBits::closed(&registry, registry.id("State.Driving.Tank"));
    f.mapper.tags_in(at(0), &registry, &held);
    assert!(f.mapper.is_set_active("Car"), "a descendant counts (§7.3)");
    assert!(f.mapper.is_set_active("Foot") && !f.mapper.is_set_active("Menu"));
}

#[test]
fn host_can_disable_sets() {
    let mut f = three_sets();
    f.down(0, "F");
    assert!(f.mapper.disable_set(at(1), "Foot") && !f.mapper.disable_set(at(1), "Feet"));
    assert!(f.mapper.enable_set(at(2), "Foot"));
    assert_eq!(f.signals(), ["0 Use+", "0 Use!", "1 Use-Inactive"]);
}

#[test]
fn binding_can_require_tags() {
    let scheme = InputScheme::builder()
        .action(InputActionDef::digital("Dodge"))
        .action_set(InputActionSetDef::new("Set", ["Dodge"]))
        .mapping(
            InputMappingDef::new("Set").bind(BindingDef::new("Dodge", key("A")).requires("State.Combat")),
        )
        .build()
        .unwrap();
    let mut f = Fixture::on(scheme);
    f.down(0, "A");
    f.up(1, "A");
    f.mapper.tags(at(2), |tag| tag == "State.Combat");
    f.down(3, "A");
    assert_eq!(f.signals(), ["3 Dodge+", "3 Dodge!"]);
}

#[test]
fn focus_loss_releases_everything_and_fires_nothing() {
    let mut f = Fixture::new(
        [
            InputActionDef::digital("Tap").fires(TriggerBehavior::OnTap),
            InputActionDef::new("Move", ValueType::Axis1D),
            InputActionDef::digital("Hold"),
        ],
        [
            BindingDef::new("Tap", key("A")),
            BindingDef::new("Move", key("X")),
            BindingDef::new("Hold", key("H")).held_for(Span::millis(100)),
        ],
    );
    f.down(0, "A");
    f.down(0, "X");
    f.down(0, "H");
    f.signals();
    f.mapper.release_all(at(50));
    f.mapper.advance(at(500));
    assert_eq!(f.signals(), ["50 Move=[0.0, 0.0, 0.0]", "50 Move-FocusLost", "50 Tap-FocusLost"]);
    // The release of the key may still be reported.
    f.up(600, "A");
    assert!(f.signals().is_empty());
    f.down(700, "A");
    assert_eq!(f.signals(), ["700 Tap+"]);
}

#[test]
fn times_do_not_go_back() {
    let mut f = Fixture::new([InputActionDef::digital("Fire")], [BindingDef::new("Fire", key("A"))]);
    f.mapper.advance(at(100));
    f.down(40, "A");
    assert_eq!(f.signals(), ["100 Fire+", "100 Fire!"]);
}
