//! Decoding errors.

/// Reason for which bits could not be decoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("at bit {at}: {kind}")]
pub struct WireError {
    /// Position of the bit, from the beginning.
    pub at: u64,
    /// Kind of the error.
    pub kind: WireErrorKind,
}

/// Kind of a decoding error.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WireErrorKind {
    /// The bits end inside a value.
    #[error("the datagram ends where {needed} more bits are needed: it was cut off")]
    Ends {
        /// Number of bits that are missing or needed.
        needed: u64,
    },
    /// Something follows where the end should be.
    #[error("{bits} bits follow after the end: this is more than one message, or none of ours")]
    Trailing {
        /// Number of bits.
        bits: u64,
    },
    /// The bits that fill the last byte are not all zero.
    #[error("the bits that fill the last byte are not zero: the datagram is damaged")]
    Padding,
    /// A number does not fit its type, or is out of range.
    #[error("a number is too large for its place: the datagram is damaged or of another protocol")]
    TooLarge,
    /// Too many items.
    #[error(
        "there are {found} {what} where {most} may be: the datagram is damaged, or no honest peer wrote it"
    )]
    TooMany {
        /// Name of the items.
        what: &'static str,
        /// Announced number.
        found: u64,
        /// Largest allowed number.
        most: u64,
    },
    /// A kind that does not exist.
    #[error("{found} is no kind of {what}: the datagram is damaged or of another protocol")]
    UnknownKind {
        /// Name of the kinds.
        what: &'static str,
        /// The unknown kind.
        found: u64,
    },
    /// A number is infinite or not a number (V2).
    #[error("a number is not finite: no honest peer sends that")]
    NotFinite,
    /// A value is not in its canonical form.
    #[error(
        "{0} is not written in the one way that it may be: the datagram is damaged, or no honest peer wrote it"
    )]
    NotCanonical(&'static str),
    /// It refers to an earlier datagram that did not arrive, or is too old to be remembered.
    #[error(
        "an earlier datagram is needed to read this one, and is not known: what it holds will come again"
    )]
    Unresolved,
    /// A text is not UTF-8.
    #[error("a text is not UTF-8: the datagram is damaged")]
    NotText,
}
