//! Names of controls in packs.

use bevy_input::gamepad::{GamepadAxis, GamepadButton};
use bevy_input::keyboard::KeyCode;
use bevy_input::mouse::MouseButton;

/// The name of a key: `Q`, `1`, `Space`, `LeftShift`, `Up`, `F5`; other keys have their Bevy name.
pub fn key_name(key: KeyCode) -> String {
    let known = match key {
        KeyCode::ShiftLeft => "LeftShift",
        KeyCode::ShiftRight => "RightShift",
        KeyCode::ControlLeft => "LeftControl",
        KeyCode::ControlRight => "RightControl",
        KeyCode::AltLeft => "LeftAlt",
        KeyCode::AltRight => "RightAlt",
        KeyCode::SuperLeft => "LeftSuper",
        KeyCode::SuperRight => "RightSuper",
        KeyCode::ArrowUp => "Up",
        KeyCode::ArrowDown => "Down",
        KeyCode::ArrowLeft => "Left",
        KeyCode::ArrowRight => "Right",
        other => {
            let name = format!("{other:?}");
            let short = name.strip_prefix("Key").or_else(|| name.strip_prefix("Digit"));
            return short.map(str::to_owned).unwrap_or(name);
        }
    };
    known.to_owned()
}

/// The name of a button of the mouse: `Left`, `Right`, `Middle`, `Back`, `Forward`, or `Button` with its
/// number.
pub fn mouse_button_name(button: MouseButton) -> String {
    match button {
        MouseButton::Other(number) => format!("Button{number}"),
        known => format!("{known:?}"),
    }
}

/// The name of a button of a gamepad, by its place: `FaceButtonBottom`, `LeftShoulder`, `RightTrigger`,
/// `LeftStickClick`.
pub fn gamepad_button_name(button: GamepadButton) -> String {
    let known = match button {
        GamepadButton::South => "FaceButtonBottom",
        GamepadButton::East => "FaceButtonRight",
        GamepadButton::North => "FaceButtonTop",
        GamepadButton::West => "FaceButtonLeft",
        GamepadButton::LeftTrigger => "LeftShoulder",
        GamepadButton::RightTrigger => "RightShoulder",
        GamepadButton::LeftTrigger2 => "LeftTrigger",
        GamepadButton::RightTrigger2 => "RightTrigger",
        GamepadButton::LeftThumb => "LeftStickClick",
        GamepadButton::RightThumb => "RightStickClick",
        GamepadButton::Other(number) => return format!("Button{number}"),
        other => return format!("{other:?}"),
    };
    known.to_owned()
}

/// The name of an axis of a gamepad: `LeftStickX`. Both axes of a stick together are `LeftStick` and
/// `RightStick`.
pub fn gamepad_axis_name(axis: GamepadAxis) -> String {
    match axis {
        GamepadAxis::Other(number) => format!("Axis{number}"),
        known => format!("{known:?}"),
    }
}

/// Index of the stick that an axis belongs to, and of its component.
pub(super) fn stick_of(axis: GamepadAxis) -> Option<(usize, usize)> {
    match axis {
        GamepadAxis::LeftStickX => Some((0, 0)),
        GamepadAxis::LeftStickY => Some((0, 1)),
        GamepadAxis::RightStickX => Some((1, 0)),
        GamepadAxis::RightStickY => Some((1, 1)),
        GamepadAxis::LeftZ | GamepadAxis::RightZ | GamepadAxis::Other(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_names_match_those_of_packs() {
        let names = [
            KeyCode::KeyQ,
            KeyCode::Digit1,
            KeyCode::Space,
            KeyCode::ShiftLeft,
            KeyCode::F5,
            KeyCode::ArrowUp,
        ];
        assert_eq!(names.map(key_name), ["Q", "1", "Space", "LeftShift", "F5", "Up"]);
        assert_eq!(mouse_button_name(MouseButton::Other(4)), "Button4");
        assert_eq!(gamepad_button_name(GamepadButton::RightTrigger2), "RightTrigger");
        assert_eq!(gamepad_button_name(GamepadButton::DPadUp), "DPadUp");
        assert_eq!(gamepad_axis_name(GamepadAxis::LeftStickX), "LeftStickX");
    }
}
