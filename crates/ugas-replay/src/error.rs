//! Errors of writing, reading and playing recordings.

use std::io;

use ugas_core::catalog::RebuildError;
use ugas_core::codec::DecodeError;
use ugas_core::simulation::ForeignSnapshot;

use crate::format::VERSION;

/// Why a recording could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The writer failed.
    #[error("the recording cannot be written: {0}; everything written before is intact")]
    Io(#[from] io::Error),
    /// A state or a tick is longer than the limit of a frame.
    #[error("a frame of {0} bytes is too long for a recording: execute fewer commands between two ticks")]
    TooLong(u64),
    /// The simulation's rules changed since the recording began.
    #[error(
        "the rules changed while recording (catalog {found:016x} instead of {expected:016x}): begin a new recording \
         after a reload"
    )]
    OtherRules {
        /// Hash of the catalog at the beginning.
        expected: u64,
        /// Hash of the catalog now.
        found: u64,
    },
}

/// Why a recording could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The reader failed.
    #[error("the recording cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The file is not a recording.
    #[error("this is not a recording: it does not begin with `UGAS-REC`")]
    NotARecording,
    /// The format version is unknown to this build.
    #[error(
        "the recording has format version {found}, but this build reads version {VERSION}: update, or use the build \
         that wrote it"
    )]
    UnknownVersion {
        /// The version of the file.
        found: u32,
    },
    /// The file ends inside its header.
    #[error("the recording ends at byte {0}, inside its header: nothing was recorded")]
    NoHeader(u64),
    /// The header cannot be decoded.
    #[error("the header cannot be read: {0}")]
    Header(DecodeError),
    /// A frame before the end is damaged.
    #[error(transparent)]
    Damaged(#[from] Damage),
}

/// A damaged frame of a recording.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error(
    "the recording is damaged at byte {at}, after tick {ticks}: {what}; everything before it can be salvaged"
)]
pub struct Damage {
    /// Byte offset of the frame.
    pub at: u64,
    /// Number of whole ticks before it.
    pub ticks: u64,
    /// Description of the damage.
    pub what: String,
}

/// Why a recording could not be played.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlayError {
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The recording does not include its rules.
    #[error("the recording does not include its rules: play it with the catalog whose hash is {0:016x}")]
    NoRules(u64),
    /// The included rules cannot be decoded.
    #[error("the rules in the recording cannot be read: {0}")]
    Rules(DecodeError),
    /// No catalog can be built from the included rules.
    #[error("the rules in the recording cannot be used: {0}")]
    Rebuild(#[from] RebuildError),
    /// The catalog differs from the recording's.
    #[error(
        "the recording needs catalog {expected:016x}, but this one is {found:016x}: load the rules it was made with"
    )]
    OtherRules {
        /// Hash of the recording's catalog.
        expected: u64,
        /// Hash of the given catalog.
        found: u64,
    },
    /// The commands of a tick cannot be read.
    #[error("tick {tick} cannot be read: {error}")]
    Tick {
        /// Number of the tick, from 1.
        tick: u64,
        /// The error; its offset is relative to the frame's payload.
        error: DecodeError,
    },
    /// A key frame cannot be read.
    #[error("the key frame after tick {tick} cannot be read: {error}")]
    Key {
        /// Number of ticks before the key frame.
        tick: u64,
        /// The error; its offset is relative to the snapshot.
        error: DecodeError,
    },
    /// A key frame belongs to another catalog.
    #[error(transparent)]
    Foreign(#[from] ForeignSnapshot),
    /// More timers fire than [`Player::limit`](crate::Player::limit) allows.
    #[error(
        "playing stopped after tick {tick} at the limit of {limit} moments: raise it with `Player::limit`"
    )]
    Limit {
        /// Number of whole ticks that were played.
        tick: u64,
        /// The limit.
        limit: u64,
    },
}
