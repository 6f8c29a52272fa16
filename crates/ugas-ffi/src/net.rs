//! What a server and a client have in common: reasons, and how datagrams leave.

use ugas_net::limits::MAX_DATAGRAM;
use ugas_net::message::{ByeReason, RefusedReason, Rejection};

use crate::memory::{Memory, Place};
use crate::status::{Failure, Outcome};

/// The room that every datagram fits into, in bytes.
pub const UGAS_MAX_DATAGRAM: usize = 1200;

const _: () = assert!(UGAS_MAX_DATAGRAM == MAX_DATAGRAM);

/// Why a session ended.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_bye_reason {
    /// Nobody was sent away: the client left.
    Left = 0,
    /// The server stops.
    Shutdown = 1,
    /// Nothing was heard for too long.
    TimedOut = 2,
    /// The host sent it away.
    Kicked = 3,
    /// It sent too much, or what no honest client sends.
    Misbehaved = 4,
    /// Something that this header has no name for.
    Other = 5,
}

/// Why a client was not let in.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_refused_reason {
    /// Server and client are of different releases.
    Protocol = 0,
    /// They have different rules.
    Catalog = 1,
    /// They round numbers differently.
    Dictionary = 2,
    /// There is no room.
    Full = 3,
    /// The host does not want it.
    Denied = 4,
    /// Something that this header has no name for.
    Other = 5,
}

/// Why a command of a client was not carried out.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_rejection {
    /// Its tick was over.
    TooLate = 0,
    /// Its tick was too far ahead.
    TooEarly = 1,
    /// More commands than one may send.
    TooMany = 2,
    /// A number is not finite, or something is longer than allowed.
    Malformed = 3,
    /// The controller is not the client's.
    NotOwner = 4,
    /// The ability or run is not there, or not the controller's.
    NotGranted = 5,
    /// The ability may not be begun or ended by a client.
    NotAllowed = 6,
    /// Cost, cooldown, tags or another requirement of activation.
    NotActivated = 7,
    /// A target is not known, or cannot be reached.
    NotReachable = 8,
    /// An effect that the ability may not apply.
    EffectNotAllowed = 9,
    /// Nothing waits for it.
    NothingWaits = 10,
    /// Something that this header has no name for.
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

/// The caller's memory for a datagram.
pub(crate) struct Outgoing<'a> {
    buffer: &'a mut [core::mem::MaybeUninit<u8>],
    length: Place<'a, usize>,
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

    /// Whether a datagram of this length fits.
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

    /// Writes a datagram that fits; none is of length 0.
    pub(crate) fn write(self, bytes: &[u8]) {
        for (place, byte) in self.buffer.iter_mut().zip(bytes) {
            place.write(*byte);
        }
        self.length.set(bytes.len());
    }
}
