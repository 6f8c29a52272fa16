//! What can be wrong with bytes.

use crate::catalog::CatalogErrors;

/// Why bytes could not be read.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("at byte {at}: {kind}")]
pub struct DecodeError {
    /// Which byte, counted from the beginning.
    pub at: u64,
    /// What is wrong there.
    pub kind: DecodeErrorKind,
}

/// What is wrong.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeErrorKind {
    /// The bytes end inside a value.
    #[error("the bytes end where {needed} more are needed: the file was cut off, fetch or write it again")]
    Ends {
        /// How many more it would take.
        needed: u64,
    },
    /// Something follows where the end should be.
    #[error("{left} bytes follow after the end: this is not one whole value of the expected kind")]
    Trailing {
        /// How many.
        left: u64,
    },
    /// A number does not fit its type.
    #[error("a number is too large for its place: the bytes are damaged or of another kind")]
    TooLarge,
    /// A number has a shorter form, which is the only one that is written.
    #[error("a number is not in its shortest form: the bytes are damaged or of another kind")]
    NotShortest,
    /// A list or text would be longer than all that follows.
    #[error("a list of {length} items is announced where {left} bytes are left: the bytes are damaged")]
    TooLong {
        /// The length.
        length: u64,
        /// The bytes that are left.
        left: u64,
    },
    /// A truth value that is neither 0 nor 1.
    #[error("{0} is neither no (0) nor yes (1): the bytes are damaged or of another kind")]
    NotABool(u8),
    /// A variant that does not exist.
    #[error(
        "{found} is no variant of {name}: the bytes are damaged, or a newer version wrote them; update to read them"
    )]
    UnknownVariant {
        /// The type.
        name: &'static str,
        /// What was found.
        found: u8,
    },
    /// Text that is no UTF-8.
    #[error("a text is not UTF-8: the bytes are damaged")]
    NotText,
    /// Lists in lists in lists.
    #[error("lists are nested more than {most} deep: no value that makes sense is")]
    TooDeep {
        /// The limit.
        most: u32,
    },
    /// Something does not hold together.
    #[error("{0}: the bytes are damaged, or something else wrote them")]
    Invalid(&'static str),
    /// The first bytes are those of something else.
    #[error("the bytes begin with {found:02x?}, not with {expected:02x?}: this is something else")]
    OtherKind {
        /// What they should begin with.
        expected: [u8; 4],
        /// What they begin with.
        found: [u8; 4],
    },
    /// A version that is not known here.
    #[error(
        "the format version is {found}, and this build reads 1 to {newest}: read it with the version that wrote it, \
         or update"
    )]
    UnknownVersion {
        /// The version of the bytes.
        found: u32,
        /// The newest version known here.
        newest: u32,
    },
    /// The checksum is another.
    #[error(
        "the checksum is {found:016x} and should be {expected:016x}: the bytes are damaged, fetch or write them again"
    )]
    Checksum {
        /// What all the bytes come to.
        expected: u64,
        /// What is written.
        found: u64,
    },
    /// A snapshot of a simulation of another catalog.
    #[error(
        "the snapshot is of another catalog: its hash is {found:016x}, that of this one {expected:016x}; {}",
        if *.has_rules { "use `Simulation::migrate`, for the old rules are with it" } else {
            "load it with the rules that it was saved under, or save with rules to be able to migrate"
        }
    )]
    ForeignCatalog {
        /// Hash of the catalog at hand.
        expected: u64,
        /// Hash of the snapshot's catalog.
        found: u64,
        /// Whether the snapshot brings the rules that it is of.
        has_rules: bool,
    },
    /// A state that came out other than it went in.
    #[error(
        "the state's hash is {expected:016x} and should be {found:016x}: the bytes are damaged, or native code of the \
         same name gives other results"
    )]
    StateHash {
        /// Of the state that was read.
        expected: u64,
        /// What is written.
        found: u64,
    },
    /// Definitions that do not hold together in the catalog.
    #[error("definitions do not hold together: {0}")]
    Definitions(CatalogErrors),
}
