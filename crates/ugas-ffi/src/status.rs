//! Status codes and failures of calls.

use ugas_core::command::CommandError;
use ugas_core::simulation::{Simulation, SpawnError};

use crate::reason::Reason;

/// Status of a call. `ugas_last_error` has the message.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_status {
    /// Success.
    Ok = 0,
    /// A pointer is null that must not be.
    NullPointer = 1,
    /// The pointer is not a context: null, freed, or something else.
    BadContext = 2,
    /// The context is in use: by another thread, or by the call that this callback belongs to.
    Busy = 3,
    /// The library panicked. Free the simulation that was used, and report the bug.
    Panic = 4,
    /// The host was built with a header of another version than the library.
    AbiMismatch = 5,
    /// No object of this context has this handle: it was freed, belongs to another context, or is of another
    /// kind.
    BadHandle = 6,
    /// A text is not UTF-8.
    BadString = 7,
    /// The size of a structure is wrong, or it sets fields that this library does not know.
    BadStruct = 8,
    /// An argument is invalid.
    BadArgument = 9,
    /// There is no such name, controller, attribute, effect, ability, activation or task.
    NotFound = 10,
    /// The rules refuse the call; `ugas_last_reasons` has every reason.
    Refused = 11,
    /// A pack has errors; the loader has the diagnostics.
    LoadFailed = 12,
    /// Bytes could not be decoded.
    BadBytes = 13,
    /// A snapshot or a recording is of another catalog.
    OtherRules = 14,
    /// A file could not be read or written.
    Io = 15,
    /// Not possible while a recording is made or played, or only then.
    Recording = 16,
    /// Not possible with networking: a server's time advances in `ugas_server_tick`, and only the server
    /// changes a client's game.
    Networked = 17,
    /// The server does not replicate this attribute to the client.
    NotReplicated = 18,
}

impl ugas_status {
    pub(crate) fn message(self) -> &'static str {
        match self {
            Self::Ok => "success",
            Self::NullPointer => "a pointer is null that must not be",
            Self::BadContext => "the pointer is not a context",
            Self::Busy => "the context is in use",
            Self::Panic => "the library panicked",
            Self::AbiMismatch => "the header and the library have different versions",
            Self::BadHandle => "no object of this context has this handle",
            Self::BadString => "a text is not UTF-8",
            Self::BadStruct => "the size of a structure is wrong",
            Self::BadArgument => "an argument is invalid",
            Self::NotFound => "not found",
            Self::Refused => "the rules refuse it",
            Self::LoadFailed => "the pack has errors",
            Self::BadBytes => "the bytes could not be decoded",
            Self::OtherRules => "the snapshot or recording is of another catalog",
            Self::Io => "a file could not be read or written",
            Self::Recording => "not possible with a recording",
            Self::Networked => "not possible with networking",
            Self::NotReplicated => "the value is not replicated to this client",
        }
    }
}

/// Why a call failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) status: ugas_status,
    pub(crate) message: String,
    pub(crate) reasons: Vec<Reason>,
}

/// Result of a call.
pub(crate) type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    pub(crate) fn new(status: ugas_status, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), reasons: Vec::new() }
    }

    pub(crate) fn argument(message: impl Into<String>) -> Self {
        Self::new(ugas_status::BadArgument, message)
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new(ugas_status::NotFound, message)
    }

    pub(crate) fn refused(message: impl Into<String>, reasons: Vec<Reason>) -> Self {
        Self { status: ugas_status::Refused, message: message.into(), reasons }
    }

    /// Failure of a command that changed nothing, described with names instead of ids.
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
                Self { status, message: reason.message.clone(), reasons: vec![reason] }
            }
            CommandError::Spawn(SpawnError::UnknownTemplate(name)) => Self::not_found(name.to_string()),
            other => Self::refused(other.to_string(), Vec::new()),
        }
    }
}
