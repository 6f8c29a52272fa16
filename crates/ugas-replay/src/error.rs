//! What can go wrong.

use std::io;

use ugas_core::catalog::RebuildError;
use ugas_core::codec::DecodeError;
use ugas_core::simulation::ForeignSnapshot;

use crate::format::VERSION;

/// Why a recording could not be written on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The writer failed.
    #[error("the recording cannot be written: {0}; what was written before is good")]
    Io(#[from] io::Error),
    /// A state or a tick that no frame has room for.
    #[error("a frame of {0} bytes is too long for a recording: let fewer commands come between two ticks")]
    TooLong(u64),
    /// The simulation has other rules than when the recording began.
    #[error(
        "the rules were changed while recording (catalog {found:016x} instead of {expected:016x}): begin another \
         recording after a reload"
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
    /// Something else.
    #[error("this is not a recording: it does not begin with `UGAS-REC`")]
    NotARecording,
    /// A version that is not known here.
    #[error(
        "the recording has format version {found}, and this build reads version {VERSION}: read it with the version that \
         wrote it, or update"
    )]
    UnknownVersion {
        /// The version of the file.
        found: u32,
    },
    /// It ends before it has begun.
    #[error("the recording ends at byte {0}, inside its header: nothing was recorded")]
    NoHeader(u64),
    /// The header makes no sense.
    #[error("the header cannot be read: {0}")]
    Header(DecodeError),
    /// Something in the middle is wrong.
    #[error(transparent)]
    Damaged(#[from] Damage),
}

/// A place in a recording that is not as it was written.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error(
    "the recording is damaged at byte {at}, after tick {ticks}: {what}; what is before it can be salvaged"
)]
pub struct Damage {
    /// Where the frame begins.
    pub at: u64,
    /// How many whole ticks precede it.
    pub ticks: u64,
    /// What is wrong.
    pub what: String,
}

/// Why a recording could not be played.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlayError {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It has no rules with it.
    #[error("the recording does not carry its rules: play it with the catalog whose hash is {0:016x}")]
    NoRules(u64),
    /// The rules that it carries cannot be read.
    #[error("the rules in the recording cannot be read: {0}")]
    Rules(DecodeError),
    /// The rules that it carries make no catalog.
    #[error("the rules in the recording cannot be used: {0}")]
    Rebuild(#[from] RebuildError),
    /// The catalog is another one.
    #[error(
        "the recording is of the catalog {expected:016x}, and this one is {found:016x}: load the rules that it was made with"
    )]
    OtherRules {
        /// Hash of the catalog of the recording.
        expected: u64,
        /// Hash of the catalog at hand.
        found: u64,
    },
    /// The commands of a tick cannot be read.
    #[error("tick {tick} cannot be read: {error}")]
    Tick {
        /// Which, from 1.
        tick: u64,
        /// What is wrong, by byte of its payload.
        error: DecodeError,
    },
    /// A key frame cannot be read.
    #[error("the key frame after tick {tick} cannot be read: {error}")]
    Key {
        /// How many ticks precede it.
        tick: u64,
        /// What is wrong, by byte of its snapshot.
        error: DecodeError,
    },
    /// A key frame is of another catalog.
    #[error(transparent)]
    Foreign(#[from] ForeignSnapshot),
    /// More happens by itself than the player was allowed to look at.
    #[error(
        "after tick {tick} more happens than the limit of {limit} moments: raise it with `Player::limit`"
    )]
    Limit {
        /// How many whole ticks were played.
        tick: u64,
        /// The limit.
        limit: u64,
    },
}
