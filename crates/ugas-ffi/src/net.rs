//! Shared parts of servers and clients: reasons, and outgoing datagrams.

use ugas_net::limits::MAX_DATAGRAM;
use ugas_net::message::{ByeReason, RefusedReason, Rejection, ResumeSecret};

use crate::memory::{Memory, OutValue};
use crate::status::{Failure, Outcome};

/// Maximum size of a datagram in bytes.
pub const UGAS_MAX_DATAGRAM: usize = 1200;

const _: () = assert!(UGAS_MAX_DATAGRAM == MAX_DATAGRAM);

/// Size of the secret of a session in bytes.
pub const UGAS_SECRET_BYTES: usize = 32;

const _: () = assert!(UGAS_SECRET_BYTES == ResumeSecret::BYTES);

pub(crate) fn no_secret() -> Failure {
    Failure::not_found("there is no session that can be resumed".to_owned())
}

/// Why a session ended.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_bye_reason {
    /// The client left on its own.
    Left = 0,
    /// The server shut down.
    Shutdown = 1,
    /// The other side was silent for too long.
    TimedOut = 2,
    /// The server's host kicked the client.
    Kicked = 3,
    /// The client sent too much, or messages that no correct client sends.
    Misbehaved = 4,
    /// A reason that this header has no name for.
    Other = 5,
}

/// Why a connection was refused.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_refused_reason {
    /// Server and client have different protocol versions.
    Protocol = 0,
    /// Server and client have different catalogs.
    Catalog = 1,
    /// Server and client quantize numbers differently.
    Dictionary = 2,
    /// The server is full.
    Full = 3,
    /// The server's host denied it.
    Denied = 4,
    /// A reason that this header has no name for.
    Other = 5,
    /// The server does not know the session that the client asked to resume.
    NoSession = 6,
}

/// Why the server rejected a command.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_rejection {
    /// Its tick is in the past.
    TooLate = 0,
    /// Its tick is too far ahead.
    TooEarly = 1,
    /// The client sent more commands than allowed.
    TooMany = 2,
    /// A number is not finite, or a field is longer than allowed.
    Malformed = 3,
    /// The client does not own the controller.
    NotOwner = 4,
    /// The ability or activation does not exist, or belongs to another controller.
    NotGranted = 5,
    /// Clients may not start or end the ability.
    NotAllowed = 6,
    /// The activation was refused: cost, cooldown, tags or another requirement.
    NotActivated = 7,
    /// A target is unknown or out of reach.
    NotReachable = 8,
    /// The ability may not apply the effect.
    EffectNotAllowed = 9,
    /// No task waits for it.
    NothingWaits = 10,
    /// A reason that this header has no name for.
    Other = 11,
}

pub(crate) fn bye(reason: Option<ByeReason>) -> ugas_bye_reason {
    match reason {
        None => ugas_bye_reason::Left,
        Some(ByeReason::Shutdown) => ugas_bye_reason::Shutdown,
        Some(ByeReason::TimedOut) => ugas_bye_reason::TimedOut,
        Some(ByeReason::Kicked) => ugas_bye_reason::Kicked,
        Some(ByeReason::Misbehaved) => ugas_bye_reason::Misbehaved,
        Some(_) => ugas_bye_reason::Other,
    }
}

pub(crate) fn refused(reason: &RefusedReason) -> ugas_refused_reason {
    match reason {
        RefusedReason::Protocol { .. } => ugas_refused_reason::Protocol,
        RefusedReason::Catalog { .. } => ugas_refused_reason::Catalog,
        RefusedReason::Dictionary { .. } => ugas_refused_reason::Dictionary,
        RefusedReason::Full => ugas_refused_reason::Full,
        RefusedReason::Denied(_) => ugas_refused_reason::Denied,
        RefusedReason::NoSession => ugas_refused_reason::NoSession,
        _ => ugas_refused_reason::Other,
    }
}

pub(crate) fn rejection(reason: Rejection) -> ugas_rejection {
    match reason {
        Rejection::TooLate => ugas_rejection::TooLate,
        Rejection::TooEarly => ugas_rejection::TooEarly,
        Rejection::TooMany => ugas_rejection::TooMany,
        Rejection::Malformed => ugas_rejection::Malformed,
        Rejection::NotOwner => ugas_rejection::NotOwner,
        Rejection::NotGranted => ugas_rejection::NotGranted,
        Rejection::NotAllowed => ugas_rejection::NotAllowed,
        Rejection::NotActivated => ugas_rejection::NotActivated,
        Rejection::NotReachable => ugas_rejection::NotReachable,
        Rejection::EffectNotAllowed => ugas_rejection::EffectNotAllowed,
        Rejection::NothingWaits => ugas_rejection::NothingWaits,
        _ => ugas_rejection::Other,
    }
}

/// The caller's buffer for a datagram.
pub(crate) struct Outgoing<'a> {
    buffer: &'a mut [core::mem::MaybeUninit<u8>],
    length: OutValue<'a, usize>,
}

impl<'a> Outgoing<'a> {
    pub(crate) fn new(
        memory: Memory<'a>,
        buffer: *mut u8,
        capacity: usize,
        length: *mut usize,
    ) -> Outcome<Self> {
        Ok(Self { buffer: memory.block(buffer, capacity)?, length: memory.out(length)? })
    }

    /// Checks that a datagram of this length fits.
    pub(crate) fn check(&self, bytes: &[u8]) -> Outcome {
        if bytes.len() <= self.buffer.len() {
            return Ok(());
        }
        Err(Failure::argument(format!(
            "the datagram has {} bytes, and there is room for {}: UGAS_MAX_DATAGRAM is always enough",
            bytes.len(),
            self.buffer.len()
        )))
    }

    /// Writes a datagram that [`Self::check`] has accepted; length 0 stands for no datagram.
    pub(crate) fn write(self, bytes: &[u8]) {
        for (place, byte) in self.buffer.iter_mut().zip(bytes) {
            place.write(*byte);
        }
        self.length.set(bytes.len());
    }
}
