//! Remapping, saving and loading (§11.4).

use super::*;
use ugas_core::input::{RemapError, SavedMappings};

fn hero() -> Fixture {
    Fixture::new(
        [
            InputActionDef::digital("Jump").input("Ability.Jump"),
            InputActionDef::digital("Save"),
            InputActionDef::digital("Pause"),
            InputActionDef::new("Move", ValueType::Axis1D),
        ],
        [
            BindingDef::new("Jump", key("Space")),
            BindingDef::new("Jump", DeviceInput::gamepad("A")),
            BindingDef::chord("Save", [key("Ctrl"), key("S")]),
            BindingDef::new("Pause", key("Escape")).fixed(),
            BindingDef::composite(
                "Move",
                CompositeInputs {
                    left: Some(key("Left")),
                    right: Some(key("Right")),
                    ..CompositeInputs::default()
                },
            ),
        ],
    )
}

#[test]
fn s11_4_an_action_has_an_input_id() {
    let f = hero();
    assert_eq!(f.mapper.input_id_of("Jump").unwrap().as_str(), "Ability.Jump");
    assert_eq!(f.mapper.input_id_of("Save").unwrap().as_str(), "Save");
    assert_eq!(f.mapper.input_id_of("Fly"), None);
}

#[test]
fn s11_4_a_remapped_action_answers_to_the_new_key_only() {
    let mut f = hero();
    assert_eq!(f.mapper.remap("Jump", 0, key("J")), Ok(vec![]));
    f.down(0, "Space");
    f.down(1, "J");
    assert_eq!(f.signals(), ["1 Jump+", "1 Jump!"]);
    f.mapper.reset_to_defaults();
    assert_eq!(f.signals(), ["1 Jump-Remapped"]);
    f.down(2, "Space");
    assert_eq!(f.signals(), ["2 Jump+", "2 Jump!"]);
}

#[test]
fn a_key_that_is_held_while_it_is_bound_does_not_press() {
    let mut f = hero();
    f.down(0, "Ctrl");
    f.mapper.remap("Jump", 0, key("Ctrl")).unwrap();
    assert!(f.signals().is_empty());
    f.up(1, "Ctrl");
    f.down(2, "Ctrl");
    assert_eq!(f.signals(), ["2 Jump+", "2 Jump!"]);
}

#[test]
fn remapping_keeps_other_presses() {
    let mut f = hero();
    f.down(0, "Space");
    f.mapper.remap("Save", 0, key("Alt")).unwrap();
    assert_eq!(f.signals(), ["0 Jump+", "0 Jump!"]);
}

#[test]
fn s11_4_fixed_bindings_and_unknown_slots_are_rejected() {
    let mut f = hero();
    let text = |result: Result<_, RemapError>| result.unwrap_err().to_string();
    assert_eq!(
        text(f.mapper.remap("Pause", 0, key("P"))),
        "slot 0 of the input action `Pause` cannot be changed"
    );
    assert_eq!(
        text(f.mapper.remap("Jmp", 0, key("P"))),
        "there is no input action `Jmp`; did you mean `Jump`?"
    );
    assert_eq!(
        text(f.mapper.remap("Jump", 2, key("P"))),
        "the input action `Jump` has 2 slots, counted from 0, hence no slot 2"
    );
    assert_eq!(
        text(f.mapper.remap("Save", 0, key("S"))),
        "the binding of slot 0 of the input action `Save` uses `Keyboard/S` already"
    );
    assert_eq!(f.mapper.remap("Jump", 0, key("")), Err(RemapError::UnnamedInput));
    assert!(f.mapper.save().is_empty());
}

#[test]
fn s11_4_conflicts_are_reported_and_left_to_the_player() {
    let mut f = hero();
    let names = |f: &Fixture, conflicts: Vec<ugas_core::input::BindingConflict>| -> Vec<(String, u32)> {
        let scheme = f.mapper.scheme();
        conflicts.iter().map(|found| (scheme.action_name(found.action).to_owned(), found.slot)).collect()
    };
    let conflicts = f.mapper.conflicts("Jump", 0, &key("Escape")).unwrap();
    assert_eq!(names(&f, conflicts), [("Pause".to_owned(), 0)]);
    // A direction conflicts with a key; a part of a chord does not.
    let conflicts = f.mapper.remap("Jump", 0, key("Right")).unwrap();
    assert_eq!(names(&f, conflicts), [("Move".to_owned(), 1)]);
    assert_eq!(f.mapper.conflicts("Jump", 0, &key("S")), Ok(vec![]));
    // The player unbinds the key from the other action.
    f.mapper.unbind("Move", 1).unwrap();
    f.down(0, "Right");
    assert_eq!(f.signals(), ["0 Jump+", "0 Jump!"]);
}

#[test]
fn s11_4_saved_mappings_are_the_differences_and_load_again() {
    let mut f = hero();
    f.mapper.remap("Jump", 1, DeviceInput::custom("Dance mat", "Up")).unwrap();
    f.mapper.remap("Save", 0, key("#")).unwrap();
    f.mapper.unbind("Move", 0).unwrap();
    let saved = f.mapper.save();
    let text = saved.to_text();
    assert_eq!(
        text,
        "ugas-input-mappings 1\nJump 1 Custom Up Dance\\u{20}mat\nMove 0 unbound\nSave 0 Keyboard \\u{23}\n"
    );
    let mut other = hero();
    other.mapper.remap("Jump", 0, key("Z")).unwrap();
    assert_eq!(other.mapper.load(&SavedMappings::parse(&text).unwrap()), []);
    assert_eq!(other.mapper.save(), saved);
    other.mapper.device_event(at(0), &DeviceInput::custom("Dance mat", "Up"), [1.0, 0.0, 0.0]);
    other.down(1, "Space");
    assert_eq!(other.signals(), ["0 Jump+", "0 Jump!"]);
}

#[test]
fn s11_4_saved_mappings_that_no_longer_fit_are_reported_and_skipped() {
    let mut f = hero();
    let text = "# by hand\nugas-input-mappings 1\n\nFly 0 Keyboard F\nJump 0 Keyboard J\nJump 7 Keyboard J\n\
                Pause 0 Keyboard P\nSave 0 Keyboard S\n";
    let problems = f.mapper.load(&SavedMappings::parse(text).unwrap());
    let kinds: Vec<_> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        kinds,
        [
            "there is no input action `Fly`",
            "the input action `Jump` has 2 slots, counted from 0, hence no slot 7",
            "slot 0 of the input action `Pause` cannot be changed",
            "the binding of slot 0 of the input action `Save` uses `Keyboard/S` already",
        ]
    );
    assert_eq!(f.mapper.save().to_text(), "ugas-input-mappings 1\nJump 0 Keyboard J\n");
}

#[test]
fn loading_can_swap_two_slots_of_a_binding() {
    let mut f = hero();
    let swapped = "ugas-input-mappings 1\nSave 0 Keyboard S\nSave 1 Keyboard Ctrl\n";
    assert_eq!(f.mapper.load(&SavedMappings::parse(swapped).unwrap()), []);
    assert_eq!(f.mapper.save().to_text(), swapped);
}

#[test]
fn invalid_saved_mappings_report_line_and_problem() {
    let error = |lines: &str| SavedMappings::parse(lines).unwrap_err().to_string();
    let after_header = |line: &str| error(&format!("ugas-input-mappings 1\n{line}"));
    assert_eq!(error(""), "line 1: the first line must be `ugas-input-mappings 1`");
    assert_eq!(error("# x\nJump 0 unbound"), "line 2: the first line must be `ugas-input-mappings 1`");
    assert_eq!(after_header("Jump x unbound"), "line 2: `x` is not a slot; slots are numbers from 0");
    assert_eq!(
        after_header("Jump 0 Keybord J"),
        "line 2: there is no device `Keybord`; did you mean `Keyboard`?"
    );
    assert_eq!(
        after_header("Jump 0 Keyboard"),
        "line 2: the control is missing; write `ACTION SLOT DEVICE CONTROL`, or `ACTION SLOT unbound`"
    );
    assert_eq!(after_header("Jump 0 Keyboard J K"), "line 2: unexpected `K` at the end of the line");
    assert_eq!(after_header("Jump 0 unbound\nJump 0 unbound"), "line 3: slot 0 of `Jump` occurs twice");
    assert_eq!(
        after_header("Ju\\mp 0 unbound"),
        "line 2: `Ju\\mp` has a backslash that does not begin a character such as `\\u{20}`"
    );
}
