//! Why a piece is refused.

use super::piece::PieceKey;
use crate::codec::DecodeError;
use crate::handle::ControllerId;

/// Why a piece, or a whole window, is refused. Nothing has changed then.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MirrorError {
    /// The bytes of a record cannot be read.
    #[error("the record of {key:?} cannot be read: {error}")]
    Record {
        /// Of what.
        key: PieceKey,
        /// Where and why.
        error: DecodeError,
    },
    /// The content is of another kind than the key.
    #[error("the content of {0:?} is of another kind than its key says: put what was cut under this key")]
    OtherKind(PieceKey),
    /// The key names an attribute or tag that the catalog does not have.
    #[error("{0:?} is not in the catalog: server and client must have the same one")]
    Unknown(PieceKey),
    /// The content cannot be.
    #[error("{key:?} cannot be: {what}")]
    Invalid {
        /// What.
        key: PieceKey,
        /// Why.
        what: &'static str,
    },
    /// It is on another controller already.
    #[error("{key:?} is on {controller:?} already: take it away there first")]
    Elsewhere {
        /// What.
        key: PieceKey,
        /// Whose it is.
        controller: ControllerId,
    },
    /// Something else has its number, and numbers are given out once.
    #[error("{key:?} has the number of {other:?}: take that away first")]
    NumberTaken {
        /// What.
        key: PieceKey,
        /// What else.
        other: PieceKey,
    },
    /// There are too many of a kind.
    #[error("there is no room for {key:?}: a mirror holds {most} of its kind")]
    TooMany {
        /// What.
        key: PieceKey,
        /// How many there may be.
        most: u32,
    },
    /// The simulation is of another catalog.
    #[error(
        "the simulation is of another catalog: its hash is {found:016x}, that of the mirror {expected:016x}"
    )]
    ForeignCatalog {
        /// Hash of the mirror's catalog.
        expected: u64,
        /// Hash of the simulation's.
        found: u64,
    },
}
