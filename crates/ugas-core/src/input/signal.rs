//! What the mapper tells the host.

use super::modifier::InputValue;
use super::{InputActionId, InputId};
use crate::hash::{state_hash_enum, state_hash_struct};
use crate::time::{Span, Time};

/// Something that an action did.
///
/// The whole contract with abilities: pass [`Triggered`](InputSignalKind::Triggered) on as a press of
/// [`input`](Self::input) and [`Released`](InputSignalKind::Released) as its release. Whatever the trigger, the first
/// comes before the second, so a tap is a press and a release at one instant; a release of an input that was never
/// pressed means nothing.
#[derive(Clone, PartialEq, Debug)]
pub struct InputSignal {
    /// The exact instant, not that of the call in which it was found.
    pub time: Time,
    /// The action.
    pub action: InputActionId,
    /// The id under which the action reaches abilities.
    pub input: InputId,
    /// What it did.
    pub kind: InputSignalKind,
}

/// What an action did.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum InputSignalKind {
    /// The first of its bindings is pressed.
    Pressed,
    /// It fires, as its trigger behaviour says.
    Triggered,
    /// Its axes changed. Digital actions have no values; those of others end with 0 before the release.
    Value(InputValue),
    /// The last of its bindings is released. Every press has exactly one.
    Released {
        /// How long it was pressed.
        held: Span,
        /// Why it ended.
        cause: ReleaseCause,
    },
}

/// Why a press ended. Only letting go fires what fires on release: the rest is not what the player meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReleaseCause {
    /// The player let go.
    LetGo,
    /// A binding of higher rank took the controls, such as a longer chord.
    Displaced,
    /// Its set or binding does not apply any more.
    Inactive,
    /// The host released everything, such as when the window lost its focus.
    FocusLost,
    /// Its controls were changed.
    Remapped,
}

state_hash_enum!(ReleaseCause { 0 => LetGo, 1 => Displaced, 2 => Inactive, 3 => FocusLost, 4 => Remapped });
state_hash_enum!(InputSignalKind { 0 => Pressed, 1 => Triggered, 2 => Value(value), 3 => Released { held, cause } });
state_hash_struct!(InputSignal { time, action, input, kind });
