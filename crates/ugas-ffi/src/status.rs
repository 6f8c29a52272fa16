//! What a call came to.

use ugas_core::command::CommandError;
use ugas_core::simulation::{Simulation, SpawnError};

use crate::reason::Reason;

/// What a call came to. `ugas_last_error` has it in words.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_status {
    /// It is done.
    Ok = 0,
    /// A pointer that must not be null is.
    NullPointer = 1,
    /// The context is none: null, freed, or something else altogether.
    BadContext = 2,
    /// The context is in use: by another thread, or by the call that this callback belongs to.
    Busy = 3,
    /// A mistake of the library. Free the simulation that was used, and report it.
    Panic = 4,
    /// The header that the host was built with is of another version than the library.
    AbiMismatch = 5,
    /// No object of this context has this number: it was freed, belongs to another context, or is of another kind.
    BadHandle = 6,
    /// A text is not UTF-8.
    BadString = 7,
    /// The size of a structure is impossible, or it asks for what this library does not know.
    BadStruct = 8,
    /// An argument makes no sense.
    BadArgument = 9,
    /// There is no such name, controller, attribute, effect, ability, run or task.
    NotFound = 10,
    /// The rules say no; `ugas_last_reasons` has every reason.
    Refused = 11,
    /// A pack cannot be used; the loader has the diagnostics.
    LoadFailed = 12,
    /// Bytes are not what they should be.
    BadBytes = 13,
    /// A snapshot or a recording is of other rules.
    OtherRules = 14,
    /// A file could not be read or written.
    Io = 15,
    /// It cannot be done while a recording is made or played, or only then.
    Recording = 16,
    /// It does not go together with networking: a server's time passes in `ugas_server_tick`, and a client's game is the
    /// server's to change.
    Networked = 17,
    /// The server withholds the value of this attribute from the client: it is not replicated to it.
    NotReplicated = 18,
}

impl ugas_status {
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Ok => "it is done",
            Self::NullPointer => "a pointer is null",
            Self::BadContext => "this is no context",
            Self::Busy => "the context is in use",
            Self::Panic => "the library made a mistake",
            Self::AbiMismatch => "the header is of another version than the library",
            Self::BadHandle => "no object of this context has this handle",
            Self::BadString => "a text is not UTF-8",
            Self::BadStruct => "the size of a structure is wrong",
            Self::BadArgument => "an argument makes no sense",
            Self::NotFound => "there is no such thing",
            Self::Refused => "the rules say no",
            Self::LoadFailed => "the pack cannot be used",
            Self::BadBytes => "the bytes are not what they should be",
            Self::OtherRules => "the snapshot or recording is of other rules",
            Self::Io => "a file could not be read or written",
            Self::Recording => "it does not go together with the recording",
            Self::Networked => "it does not go together with networking",
            Self::NotReplicated => "the value is not replicated to this client",
        }
    }
}

/// Why a call failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) status: ugas_status,
    pub(crate) words: String,
    pub(crate) reasons: Vec<Reason>,
}

/// What a call gives.
pub(crate) type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    pub(crate) fn new(status: ugas_status, words: impl Into<String>) -> Self {
        Self { status, words: words.into(), reasons: Vec::new() }
    }

    pub(crate) fn argument(words: impl Into<String>) -> Self {
        Self::new(ugas_status::BadArgument, words)
    }

    pub(crate) fn not_found(words: impl Into<String>) -> Self {
        Self::new(ugas_status::NotFound, words)
    }

    pub(crate) fn refused(words: impl Into<String>, reasons: Vec<Reason>) -> Self {
        Self { status: ugas_status::Refused, words: words.into(), reasons }
    }

    /// A command that did nothing, with names instead of ids.
    pub(crate) fn command(error: &CommandError, simulation: &Simulation) -> Self {
        match error {
            CommandError::Activation(refusal) => Self::refused(
                refusal.describe(simulation),
                refusal.reasons.iter().map(|reason| Reason::of_activation(reason, simulation)).collect(),
            ),
            CommandError::Refused(refusal) => Self::refused(
                refusal.describe(simulation),
                refusal.reasons.iter().map(|reason| Reason::of_effect(reason, simulation)).collect(),
            ),
            CommandError::Reason(reason) => {
                let reason = Reason::of_effect(reason, simulation);
                let status = if reason.is_absence { ugas_status::NotFound } else { ugas_status::Refused };
                Self { status, words: reason.words.clone(), reasons: vec![reason] }
            }
            CommandError::Spawn(SpawnError::UnknownTemplate(name)) => Self::not_found(name.to_string()),
            other => Self::refused(other.to_string(), Vec::new()),
        }
    }
}
