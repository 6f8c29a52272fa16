//! Decoding errors.

use crate::catalog::CatalogErrors;

/// Why bytes could not be decoded.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("at byte {at}: {kind}")]
pub struct DecodeError {
    /// Offset of the byte, from the start.
    pub at: u64,
    /// The problem.
    pub kind: DecodeErrorKind,
}

/// The problem with the bytes.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeErrorKind {
    /// The bytes end inside a value.
    #[error("the bytes end where {needed} more are needed: the file was cut off, fetch or write it again")]
    Ends {
        /// Number of missing bytes.
        needed: u64,
    },
    /// Bytes follow after the end of the value.
    #[error("{left} bytes follow after the end: this is not one whole value of the expected kind")]
    Trailing {
        /// Number of trailing bytes.
        left: u64,
    },
    /// A number does not fit its type.
    #[error("a number is too large for its place: the bytes are damaged or of another kind")]
    TooLarge,
    /// A number is not in its shortest form, which is the only valid one.
    #[error("a number is not in its shortest form: the bytes are damaged or of another kind")]
    NotShortest,
    /// A list or text is longer than the remaining bytes.
    #[error("a list of {length} items is announced where {left} bytes are left: the bytes are damaged")]
    TooLong {
        /// The length.
        length: u64,
        /// Number of remaining bytes.
        left: u64,
    },
    /// A boolean that is neither 0 nor 1.
    #[error("{0} is neither no (0) nor yes (1): the bytes are damaged or of another kind")]
    NotABool(u8),
    /// A variant that does not exist.
    #[error(
        "{found} is no variant of {name}: the bytes are damaged, or a newer version wrote them; update to read them"
    )]
    UnknownVariant {
        /// Name of the type.
        name: &'static str,
        /// Number of the variant.
        found: u8,
    },
    /// Text that is not UTF-8.
    #[error("a text is not UTF-8: the bytes are damaged")]
    NotText,
    /// Lists are nested too deeply.
    #[error("lists are nested more than {most} deep: no value that makes sense is")]
    TooDeep {
        /// The limit.
        most: u32,
    },
    /// A value violates an invariant of its type.
    #[error("{0}: the bytes are damaged, or something else wrote them")]
    Invalid(&'static str),
    /// The first bytes are those of another kind of file.
    #[error("the bytes begin with {found:02x?}, not with {expected:02x?}: this is something else")]
    OtherKind {
        /// Expected first bytes.
        expected: [u8; 4],
        /// Actual first bytes.
        found: [u8; 4],
    },
    /// An unsupported format version.
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
    /// The checksum does not match.
    #[error(
        "the checksum is {found:016x} and should be {expected:016x}: the bytes are damaged, fetch or write them again"
    )]
    Checksum {
        /// Checksum computed from the bytes.
        expected: u64,
        /// Checksum in the bytes.
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
        /// Hash of the present catalog.
        expected: u64,
        /// Hash of the snapshot's catalog.
        found: u64,
        /// Whether the snapshot contains the rules of its catalog.
        has_rules: bool,
    },
    /// The hash of the decoded state does not match.
    #[error(
        "the state's hash is {expected:016x} and should be {found:016x}: the bytes are damaged, or native code of the \
         same name gives other results"
    )]
    StateHash {
        /// Hash of the decoded state.
        expected: u64,
        /// Hash in the bytes.
        found: u64,
    },
    /// Definitions that are invalid in the catalog.
    #[error("invalid definitions: {0}")]
    Definitions(CatalogErrors),
}
