//! Input devices and their controls, by name (§11.1).

use core::fmt;
use std::sync::Arc;

use crate::hash::StateHash;

/// Platform of a mapping.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Platform {
    /// Computers.
    Pc,
    /// Consoles.
    Console,
    /// Phones and tablets.
    Mobile,
    /// Headsets.
    Vr,
}

/// A kind of device.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, StateHash)]
pub enum Device {
    /// A keyboard.
    Keyboard,
    /// A mouse.
    Mouse,
    /// A gamepad.
    Gamepad,
    /// A touch screen.
    Touch,
    /// A motion sensor.
    Gyro,
    /// Anything else, by the host's name for it.
    Custom(Arc<str>),
}

/// One control of a device: a key, a button, a stick, an axis of one.
///
/// The host chooses the names of controls; the core only compares them.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, StateHash)]
pub struct DeviceInput {
    /// The device.
    pub device: Device,
    /// The control, such as `Key.1`.
    pub control: Arc<str>,
}

impl DeviceInput {
    /// Creates the control of this name.
    pub fn new(device: Device, control: &str) -> Self {
        Self { device, control: Arc::from(control) }
    }

    /// A key of the keyboard.
    pub fn key(control: &str) -> Self {
        Self::new(Device::Keyboard, control)
    }

    /// A button or an axis of the mouse.
    pub fn mouse(control: &str) -> Self {
        Self::new(Device::Mouse, control)
    }

    /// A button, a trigger or a stick of a gamepad.
    pub fn gamepad(control: &str) -> Self {
        Self::new(Device::Gamepad, control)
    }

    /// A control of a host-defined device.
    pub fn custom(device: &str, control: &str) -> Self {
        Self::new(Device::Custom(Arc::from(device)), control)
    }

    /// Creates the control of a `Key` of draft 1's mapping (§11.2).
    ///
    /// Draft 1 writes device and control as one word. The prefix of the word is the device (`MouseLeft`,
    /// `GamepadRightTrigger`), else it is the keyboard (`Q`); the control keeps the whole word, so that a
    /// host needs one table of names.
    pub fn from_key(key: &str) -> Self {
        let prefixes = [
            ("Mouse", Device::Mouse),
            ("Gamepad", Device::Gamepad),
            ("Touch", Device::Touch),
            ("Gyro", Device::Gyro),
        ];
        let device = prefixes.into_iter().find(|(prefix, _)| key.starts_with(prefix));
        Self::new(device.map_or(Device::Keyboard, |(_, device)| device), key)
    }

    /// Whether device and control have names; unnamed ones can neither be reported nor saved.
    pub(super) fn is_named(&self) -> bool {
        let device_named = !matches!(&self.device, Device::Custom(name) if name.is_empty());
        device_named && !self.control.is_empty()
    }
}

impl Device {
    /// The name of the kind, as files write it.
    pub fn kind_name(&self) -> &'static str {
        match self {
            Self::Keyboard => "Keyboard",
            Self::Mouse => "Mouse",
            Self::Gamepad => "Gamepad",
            Self::Touch => "Touch",
            Self::Gyro => "Gyro",
            Self::Custom(_) => "Custom",
        }
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Custom(name) => name,
            known => known.kind_name(),
        })
    }
}

impl fmt::Display for DeviceInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.device, self.control)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draft_1_keys_map_to_their_devices() {
        // §11.2
        assert_eq!(DeviceInput::from_key("MouseLeft").device, Device::Mouse);
        assert_eq!(DeviceInput::from_key("GamepadRightTrigger").device, Device::Gamepad);
        assert_eq!(DeviceInput::from_key("Q"), DeviceInput::key("Q"));
    }

    #[test]
    fn device_input_displays_with_its_device() {
        assert_eq!(DeviceInput::key("Key.1").to_string(), "Keyboard/Key.1");
        assert_eq!(DeviceInput::custom("Wheel", "Axis.0").to_string(), "Wheel/Axis.0");
    }
}
