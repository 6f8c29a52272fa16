//! Encoding errors.

use ugas_core::replica::PieceKey;

use crate::limits::MAX_DATAGRAM;

/// Reason for which a message cannot be encoded. Such messages are refused here rather than at the other end.
#[derive(Clone, Copy, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// A number is infinite or not a number (V2).
    #[error("{0} is not finite: check numbers before they are sent")]
    NotFinite(&'static str),
    /// Too many items.
    #[error("there are {found} {what}, at most {most} are allowed: send fewer at once")]
    TooMany {
        /// Name of the items.
        what: &'static str,
        /// Number of items.
        found: usize,
        /// Largest allowed number.
        most: usize,
    },
    /// An id that the dictionary does not have.
    #[error(
        "{what} {index} is not among the {known} that both sides know: use the dictionary of the same catalog"
    )]
    UnknownId {
        /// Kind of the id.
        what: &'static str,
        /// The id.
        index: u32,
        /// Number of known ids.
        known: u32,
    },
    /// Items are not in rising order, or one occurs twice.
    #[error("{0} are not in rising order: sort them, without duplicates")]
    Unsorted(&'static str),
    /// The kind of a piece does not match its key.
    #[error("the content of the piece {0:?} does not match its key")]
    OtherPiece(PieceKey),
    /// A frame without commands.
    #[error("a frame has no commands: leave it out")]
    EmptyFrame,
    /// A part number that is not below the number of parts.
    #[error("this is part {part} of {parts}: count parts from 0")]
    Part {
        /// Part number.
        part: u8,
        /// Number of parts.
        parts: u8,
    },
    /// An item was added after items of a later list.
    #[error("{0} were added too late: add results, then bursts, then controllers")]
    TooLate(&'static str),
    /// The message does not fit into a datagram.
    #[error("the message has more than {MAX_DATAGRAM} bytes: split it")]
    TooLong,
}
