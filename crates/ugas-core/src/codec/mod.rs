//! Binary codec of plain data: compact, the same on every machine, and safe to decode from untrusted sources.
//!
//! Snapshots, commands, definitions, configurations, characters and recordings use it. The hash, encoding
//! and decoding of a type come from its declaration (`#[derive(StateRecord)]` of `ugas-core-derive`, or `plain_parts!`),
//! so that the three cannot diverge and no field is forgotten.
//!
//! ```
//! use ugas_core::codec::{from_bytes, to_bytes};
//! use ugas_core::command::Command;
//! use ugas_core::time::Span;
//!
//! let command = Command::Advance(Span::millis(500));
//! let bytes = to_bytes(&command);
//! assert_eq!(from_bytes::<Command>(&bytes)?, command);
//! # Ok::<(), ugas_core::codec::DecodeError>(())
//! ```
//!
//! # The format, byte by byte
//!
//! Nothing is aligned or tagged with its type: reader and writer know the types.
//!
//! | What | Bytes |
//! |------|-------|
//! | unsigned integer | LEB128: seven bits a byte, the lowest first, the top bit set on all but the last. The shortest form is the only one |
//! | signed integer | zigzag (0, -1, 1, -2, … become 0, 1, 2, 3, …), then as unsigned |
//! | `bool` | one byte, 0 or 1 |
//! | `f64` | its 64 bits with the bytes reversed, as an unsigned integer: small whole numbers take one to three bytes, and every bit pattern survives |
//! | text | the number of bytes, then UTF-8 |
//! | list | the number of items, then the items |
//! | array of a fixed length, pair, struct | its parts, one after another |
//! | option | a byte, 0 for none and 1 for some; then what it holds |
//! | enum | a byte that says which variant, then its parts |
//! | instant | unsigned microseconds |
//! | span | signed microseconds |
//! | id of a definition | its index, unsigned |
//! | handle | index, then generation; both unsigned |
//! | arena | the number of places; for each its generation and one byte: 0 and what lives there, 1 and the next free place as an option, or 2 for one that is used up; then the first free place as an option |
//!
//! # Files
//!
//! Stored data is wrapped in an envelope ([`seal`] and [`open`]):
//!
//! | Bytes | What |
//! |-------|------|
//! | 4 | what it is: `UGSN` is a snapshot |
//! | 1 or more | format version, unsigned: [`VERSION`] |
//! | … | the body |
//! | 8 | 64-bit XXH3 of all that precedes, little-endian |
//!
//! Version 2 added fields to definitions and configurations: prediction of effects and abilities, the
//! prediction floor of an attribute, and the prediction seed. Version 3 added the prediction key of a
//! buffered input, and commands from clients. Version 4 added summoned controllers and their limit (A17),
//! chains of targets, and input buffers whose window is an attribute. Older files are decoded with the
//! defaults of these fields. Version 5 has the same fields, and state hashes by record ([`crate::hash`]).
//!
//! The body of a snapshot is described at [`Snapshot::to_bytes`](crate::simulation::Snapshot::to_bytes).
//!
//! # Guarantees
//!
//! No bytes cause a panic. Memory is bounded by the length of the bytes: a length may not exceed the
//! remaining bytes, and memory is reserved for items that are present rather than announced. Nesting is
//! bounded. Each value has exactly one encoding, so that decoding and encoding again gives the same bytes.
//!
//! *Well-formed* bytes may still be meaningless: ids may belong to another catalog, handles may be dead.
//! [`Simulation::execute`](crate::simulation::Simulation::execute) checks commands, and
//! [`Snapshot::from_bytes`](crate::simulation::Snapshot::from_bytes) checks states.

mod decoder;
mod encoder;
mod envelope;
mod error;
pub(crate) mod overwrite;
mod plain;
mod values;

pub use decoder::{Decode, Decoder};
pub use encoder::{Encode, Encoder};
pub(crate) use envelope::{ChecksumPolicy, open_with};
pub use envelope::{open, seal};
pub use error::{DecodeError, DecodeErrorKind};
pub(crate) use plain::{is_default, plain_parts};
pub(crate) use ugas_core_derive::{FieldClone, StateRecord};

/// The format version that is written. Older ones can be read.
pub const VERSION: u32 = 6;

/// First version with state hashes by record ([`crate::hash`]).
pub const HASHED_BY_RECORD: u32 = 5;

/// First version whose hashes of rules and states are compared: older ones lack parts that are hashed today.
pub(crate) const COMPARABLE: u32 = 4;

/// The bytes of a value, without an envelope.
pub fn to_bytes<T: Encode + ?Sized>(value: &T) -> Vec<u8> {
    let mut encoder = Encoder::new();
    value.encode(&mut encoder);
    encoder.into_bytes()
}

/// Decodes a value in the current format version, without an envelope.
///
/// # Errors
/// If the bytes are no value of this type, or more bytes follow.
pub fn from_bytes<T: Decode>(bytes: &[u8]) -> Result<T, DecodeError> {
    let mut decoder = Decoder::new(bytes, VERSION);
    let value = T::decode(&mut decoder)?;
    decoder.finish()?;
    Ok(value)
}
