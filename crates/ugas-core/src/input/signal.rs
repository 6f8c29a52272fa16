//! Signals: the output of the mapper.

use super::modifier::InputValue;
use super::{InputActionId, InputId};
use crate::hash::StateHash;
use crate::time::{Span, Time};

/// A signal of an action.
///
/// To drive abilities, pass [`Triggered`](InputSignalKind::Triggered) on as a press of [`input`](Self::input)
/// and [`Released`](InputSignalKind::Released) as its release. Whatever the trigger, the first comes before
/// the second, so a tap is a press and a release at one instant; a release of an input that was never pressed
/// means nothing.
#[derive(Clone, PartialEq, Debug, StateHash)]
pub struct InputSignal {
    /// The exact instant of the change, not that of the call that found it.
    pub time: Time,
    /// The action.
    pub action: InputActionId,
    /// The input id of the action.
    pub input: InputId,
    /// Kind of the change.
    pub kind: InputSignalKind,
}

/// Kind of a signal.
#[derive(Clone, Copy, PartialEq, Debug, StateHash)]
pub enum InputSignalKind {
    /// The first of its bindings is pressed.
    Pressed,
    /// The action fires, by its trigger behaviour.
    Triggered,
    /// Its axes changed. Digital actions have no values; those of others end with 0 before the release.
    Value(InputValue),
    /// The last of its bindings is released. Every press has exactly one.
    Released {
        /// Duration of the press.
        held: Span,
        /// Cause of the release.
        cause: ReleaseCause,
    },
}

/// Cause of the end of a press. Only `LetGo` fires actions that fire on release: other causes are not the
/// player's intention.
#[derive(Clone, Copy, PartialEq, Eq, Debug, StateHash)]
pub enum ReleaseCause {
    /// The player let go.
    LetGo,
    /// A binding of higher rank took the controls, such as a longer chord.
    Displaced,
    /// Its set or binding is no longer active.
    Inactive,
    /// The host released everything, such as when the window lost its focus.
    FocusLost,
    /// Its controls were changed.
    Remapped,
}
