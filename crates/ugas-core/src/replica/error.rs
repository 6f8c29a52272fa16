//! Errors of putting pieces into a replica and of installing it.

use super::piece::PieceKey;
use crate::codec::DecodeError;
use crate::handle::ControllerId;

/// Error of [`Replica::put`](super::Replica::put) or [`Replica::install`](super::Replica::install). Nothing
/// has changed.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplicaError {
    /// The bytes of a record cannot be read.
    #[error("the record of {key:?} cannot be read: {error}")]
    Record {
        /// Key of the record.
        key: PieceKey,
        /// Position and cause.
        error: DecodeError,
    },
    /// The content is of another kind than the key.
    #[error(
        "the content of {0:?} is of another kind than its key says: put the content that the server sent under this key"
    )]
    OtherKind(PieceKey),
    /// The key names an attribute or tag that the catalog does not have.
    #[error("{0:?} is not in the catalog: server and client must have the same one")]
    Unknown(PieceKey),
    /// The content is invalid.
    #[error("{key:?} is invalid: {what}")]
    Invalid {
        /// Key of the piece.
        key: PieceKey,
        /// The violated condition.
        what: &'static str,
    },
    /// Another controller already has the record.
    #[error("{key:?} is on {controller:?} already: remove it there first")]
    Elsewhere {
        /// Key of the record.
        key: PieceKey,
        /// The controller that has it.
        controller: ControllerId,
    },
    /// Another record has the same sequence number; sequence numbers are unique.
    #[error("{key:?} has the number of {other:?}: remove that first")]
    NumberTaken {
        /// Key of the rejected record.
        key: PieceKey,
        /// Key of the record that has the number.
        other: PieceKey,
    },
    /// The limit for pieces of this kind is reached.
    #[error("{key:?} does not fit: a replica holds at most {most} of its kind")]
    TooMany {
        /// Key of the rejected piece.
        key: PieceKey,
        /// The limit.
        most: u32,
    },
    /// The simulation uses another catalog than the replica.
    #[error(
        "the simulation uses another catalog: its hash is {found:016x}, that of the replica {expected:016x}"
    )]
    ForeignCatalog {
        /// Hash of the replica's catalog.
        expected: u64,
        /// Hash of the simulation's catalog.
        found: u64,
    },
}
