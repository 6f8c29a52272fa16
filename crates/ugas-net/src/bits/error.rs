//! What can be wrong with a datagram.

/// Why bits could not be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("at bit {at}: {kind}")]
pub struct WireError {
    /// Which bit, counted from the beginning.
    pub at: u64,
    /// What is wrong there.
    pub kind: WireErrorKind,
}

/// What is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WireErrorKind {
    /// The bits end inside a value.
    #[error("the datagram ends where {needed} more bits are needed: it was cut off")]
    Ends {
        /// How many it would take.
        needed: u64,
    },
    /// Something follows where the end should be.
    #[error("{bits} bits follow after the end: this is more than one message, or none of ours")]
    Trailing {
        /// How many.
        bits: u64,
    },
    /// The bits that fill the last byte are not all zero.
    #[error("the bits that fill the last byte are not zero: the datagram is damaged")]
    Padding,
    /// A number does not fit its type, or is not one that is meant there.
    #[error("a number is too large for its place: the datagram is damaged or of another protocol")]
    TooLarge,
    /// More of something than may be.
    #[error(
        "there are {found} {what} where {most} may be: the datagram is damaged, or no honest peer wrote it"
    )]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many are announced.
        found: u64,
        /// How many may be.
        most: u64,
    },
    /// A kind that does not exist.
    #[error("{found} is no kind of {what}: the datagram is damaged or of another protocol")]
    UnknownKind {
        /// Of what.
        what: &'static str,
        /// Which.
        found: u64,
    },
    /// A number is infinite or not a number (V2).
    #[error("a number is not finite: no honest peer sends that")]
    NotFinite,
    /// The same could be said with fewer or with other bits, and only that is allowed.
    #[error(
        "{0} is not written in the one way that it may be: the datagram is damaged, or no honest peer wrote it"
    )]
    NotCanonical(&'static str),
    /// It is told by what an earlier datagram said, and that one did not come, or is too old to be remembered.
    #[error(
        "an earlier datagram is needed to read this one, and is not known: what it holds will come again"
    )]
    Unresolved,
    /// A text is not UTF-8.
    #[error("a text is not UTF-8: the datagram is damaged")]
    NotText,
}
