//! What cannot be written.

use ugas_core::mirror::PieceKey;

use crate::limits::MAX_DATAGRAM;

/// Why a message cannot be written. What an honest host builds can be; this is noticed here rather than at the other end.
#[derive(Clone, Copy, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// A number is infinite or not a number (V2).
    #[error("{0} is not finite: check numbers before they are sent")]
    NotFinite(&'static str),
    /// More of something than may be.
    #[error("there are {found} {what} where {most} may be: send fewer at once")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many may be.
        most: usize,
    },
    /// An id that the dictionary does not have.
    #[error(
        "{what} {index} is not among the {known} that both sides know: use the dictionary of the same catalog"
    )]
    UnknownId {
        /// Of what.
        what: &'static str,
        /// Which.
        index: u32,
        /// How many there are.
        known: u32,
    },
    /// Something that has an order is not in it, or is there twice.
    #[error("{0} do not rise: sort them, and let each be there once")]
    Unsorted(&'static str),
    /// A piece is not what its key says.
    #[error("the piece {0:?} is not what its key says")]
    OtherPiece(PieceKey),
    /// A frame without commands, which is left out.
    #[error("a frame has no commands: leave it out")]
    EmptyFrame,
    /// A part beyond the last.
    #[error("this is part {part} of {parts}: count from 0")]
    Part {
        /// Which.
        part: u8,
        /// Of how many.
        parts: u8,
    },
    /// Results come first, then bursts, then controllers.
    #[error("{0} come earlier in an update: add results, then bursts, then controllers")]
    TooLate(&'static str),
    /// It does not fit a datagram.
    #[error("the message has more than {MAX_DATAGRAM} bytes: split it")]
    TooLong,
}
