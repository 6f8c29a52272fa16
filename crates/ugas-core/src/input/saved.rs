//! A player's mappings as data and as text (§11.4).

use core::fmt;
use std::collections::BTreeMap;

use super::error::Nearest;
use super::{Device, DeviceInput};
use crate::nearest::nearest;

const HEADER: &str = "ugas-input-mappings 1";
const UNBOUND: &str = "unbound";
const DEVICES: [Device; 5] = [Device::Keyboard, Device::Mouse, Device::Gamepad, Device::Touch, Device::Gyro];
const CUSTOM: &str = "Custom";

/// A changed slot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SavedMapping {
    /// The action, by name.
    pub action: String,
    /// Position among the slots of the action.
    pub slot: u32,
    /// Control that it is bound to; `None` if the player unbound it.
    pub input: Option<DeviceInput>,
}

/// A player's changed bindings, slot by slot.
///
/// The text form has a header line that names the format, then one line for each slot: action, slot, device,
/// control, and for a custom device its name. Blank lines and lines that begin with `#` are ignored; in
/// names, spaces and other separators are escaped, as in `\u{20}`.
///
/// ```
/// use ugas_core::input::SavedMappings;
///
/// let text = "ugas-input-mappings 1\nIA_Dash 1 unbound\nIA_Jump 0 Keyboard Key.J\n";
/// let saved = SavedMappings::parse(text)?;
/// assert_eq!(saved.iter().count(), 2);
/// assert_eq!(saved.to_text(), text);
/// # Ok::<(), ugas_core::input::SavedMappingsError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SavedMappings(BTreeMap<(String, u32), Option<DeviceInput>>);

/// Error of parsing saved mappings.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct SavedMappingsError {
    /// The line, counted from 1.
    pub line: u32,
    /// The problem.
    pub problem: SavedMappingsProblem,
}

/// Problem of a line of saved mappings.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SavedMappingsProblem {
    /// The format or its version is unknown.
    #[error("the first line must be `{HEADER}`")]
    Header,
    /// A word is missing.
    #[error("{0} is missing; write `ACTION SLOT DEVICE CONTROL`, or `ACTION SLOT unbound`")]
    Missing(&'static str),
    /// There is a surplus word.
    #[error("unexpected `{0}` at the end of the line")]
    TooMuch(String),
    /// The slot is not a number.
    #[error("`{0}` is not a slot; slots are numbers from 0")]
    Slot(String),
    /// There is no such device.
    #[error("there is no device `{name}`{}", Nearest(nearest))]
    Device {
        /// The name.
        name: String,
        /// The most similar known name.
        nearest: Option<String>,
    },
    /// A backslash that does not begin an escape.
    #[error("`{0}` has a backslash that does not begin a character such as `\\u{{20}}`")]
    Escape(String),
    /// The slot occurs twice.
    #[error("slot {slot} of `{action}` occurs twice")]
    Twice {
        /// The action.
        action: String,
        /// The slot.
        slot: u32,
    },
}

impl SavedMappings {
    /// Saved mappings by action and slot; the last of several for one slot wins.
    pub(super) fn of(mappings: impl IntoIterator<Item = SavedMapping>) -> Self {
        Self(mappings.into_iter().map(|saved| ((saved.action, saved.slot), saved.input)).collect())
    }

    /// The changed bindings, sorted by action and slot.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = SavedMapping> {
        self.0.iter().map(|((action, slot), input)| SavedMapping {
            action: action.clone(),
            slot: *slot,
            input: input.clone(),
        })
    }

    /// True if nothing was changed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text form; the same data always have the same text.
    pub fn to_text(&self) -> String {
        self.to_string()
    }

    /// Reads the text form.
    ///
    /// # Errors
    /// The first invalid line. Whether actions and slots exist is checked by
    /// [`InputMapper::load`](super::InputMapper::load).
    pub fn parse(text: &str) -> Result<Self, SavedMappingsError> {
        let mut saved = BTreeMap::new();
        let mut has_header = false;
        let mut last = 0;
        for (line, content) in (1u32..).zip(text.lines()) {
            last = line;
            let at = |problem| SavedMappingsError { line, problem };
            let content = content.trim();
            if content.is_empty() || content.starts_with('#') {
                continue;
            }
            if !has_header {
                if content != HEADER {
                    return Err(at(SavedMappingsProblem::Header));
                }
                has_header = true;
                continue;
            }
            let SavedMapping { action, slot, input } = parse_line(content).map_err(at)?;
            if saved.insert((action.clone(), slot), input).is_some() {
                return Err(at(SavedMappingsProblem::Twice { action, slot }));
            }
        }
        if has_header {
            Ok(Self(saved))
        } else {
            Err(SavedMappingsError { line: last.saturating_add(1), problem: SavedMappingsProblem::Header })
        }
    }
}

impl fmt::Display for SavedMappings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEADER}")?;
        for ((action, slot), input) in &self.0 {
            write!(f, "{} {slot} ", Escaped(action))?;
            match input {
                None => f.write_str(UNBOUND)?,
                Some(DeviceInput { device: Device::Custom(name), control }) => {
                    write!(f, "{CUSTOM} {} {}", Escaped(control), Escaped(name))?;
                }
                Some(DeviceInput { device, control }) => {
                    write!(f, "{} {}", device.kind_name(), Escaped(control))?;
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// Parses a line: action, slot, device and control, or the mark of an unbound slot. Further words are an
/// error.
fn parse_line(line: &str) -> Result<SavedMapping, SavedMappingsProblem> {
    let mut words = line.split_ascii_whitespace();
    let mut word = |what| words.next().ok_or(SavedMappingsProblem::Missing(what));
    let action = unescaped(word("the action")?)?;
    let slot = word("the slot")?;
    let slot = slot.parse().map_err(|_| SavedMappingsProblem::Slot(slot.to_owned()))?;
    let input = match word("the device")? {
        UNBOUND => None,
        CUSTOM => {
            let control = unescaped(word("the control")?)?;
            let device = unescaped(word("the name of the custom device")?)?;
            Some(DeviceInput::custom(&device, &control))
        }
        name => {
            let device = DEVICES.into_iter().find(|device| device.kind_name() == name).ok_or_else(|| {
                let known = DEVICES.iter().map(Device::kind_name).chain([CUSTOM, UNBOUND]);
                let nearest = nearest(name, known).map(str::to_owned);
                SavedMappingsProblem::Device { name: name.to_owned(), nearest }
            })?;
            Some(DeviceInput::new(device, &unescaped(word("the control")?)?))
        }
    };
    match words.next() {
        Some(extra) => Err(SavedMappingsProblem::TooMuch(extra.to_owned())),
        None => Ok(SavedMapping { action, slot, input }),
    }
}

struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    /// Escapes letters that would end the word, and a leading `#`, which would make a comment of the line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, letter) in self.0.chars().enumerate() {
            let breaks = letter.is_whitespace() || letter.is_control() || letter == '\\';
            if breaks || (at == 0 && letter == '#') {
                write!(f, "\\u{{{:x}}}", u32::from(letter))?;
            } else {
                write!(f, "{letter}")?;
            }
        }
        Ok(())
    }
}

/// Reverses `Escaped`: replaces `\u{…}` by the letter with this hexadecimal number.
fn unescaped(word: &str) -> Result<String, SavedMappingsProblem> {
    let error = || SavedMappingsProblem::Escape(word.to_owned());
    let mut text = String::new();
    let mut rest = word;
    while let Some((before, escape)) = rest.split_once('\\') {
        text.push_str(before);
        let (digits, after) =
            escape.strip_prefix("u{").and_then(|escape| escape.split_once('}')).ok_or_else(error)?;
        let letter = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32).ok_or_else(error)?;
        text.push(letter);
        rest = after;
    }
    text.push_str(rest);
    Ok(text)
}
