//! Plain data as bytes: compact, the same on every machine, and safe to read from anybody.
//!
//! Snapshots, commands, definitions and configurations are written with it; so are characters and recordings. There is
//! one list of fields for each type, from which its hash, its writing and its reading come (`plain_struct!`,
//! `plain_parts!` and `plain_enum!`), so that none of the three can forget what another one knows.
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
//! Nothing is aligned, and nothing says what it is: reader and writer know the types.
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
//! What is kept stands in an envelope ([`seal`] and [`open`]):
//!
//! | Bytes | What |
//! |-------|------|
//! | 4 | what it is: `UGSN` is a snapshot |
//! | 1 or more | format version, unsigned: [`VERSION`] |
//! | … | the body |
//! | 8 | 64-bit XXH3 of all that precedes, little-endian |
//!
//! Version 2 added fields to definitions and configurations: how an effect and an ability are predicted, the floor of an
//! attribute, and the seed of predictions. Version 3 added the prediction that an input which is kept was part of, and
//! commands of clients. Older files are read as if these had said nothing.
//!
//! The body of a snapshot is described at [`Snapshot::to_bytes`](crate::simulation::Snapshot::to_bytes).
//!
//! # What a reader can rely on
//!
//! No bytes make anything here panic. Memory is bounded by the length of the bytes: a length may not exceed the bytes
//! that are left, and room is made for what is there rather than for what is announced. Nesting is bounded. Each value
//! has one form only, so that what was read and is written again gives the same bytes.
//!
//! That bytes are *well formed* does not say that they make sense: ids may be of another catalog, handles of the dead.
//! [`Simulation::execute`](crate::simulation::Simulation::execute) looks at commands, and
//! [`Snapshot::from_bytes`](crate::simulation::Snapshot::from_bytes) at states.

mod decoder;
mod encoder;
mod envelope;
mod error;
pub(crate) mod overwrite;
mod plain;
mod values;

pub use decoder::{Decode, Decoder};
pub use encoder::{Encode, Encoder};
pub(crate) use envelope::{Trust, open_with};
pub use envelope::{open, seal};
pub use error::{DecodeError, DecodeErrorKind};
pub(crate) use plain::{cloned_struct, is_default, plain_enum, plain_parts, plain_struct};

/// The format version that is written. Older ones are read.
pub const VERSION: u32 = 4;

/// The bytes of a value, without an envelope.
pub fn to_bytes<T: Encode + ?Sized>(value: &T) -> Vec<u8> {
    let mut encoder = Encoder::new();
    value.encode(&mut encoder);
    encoder.into_bytes()
}

/// The value that these bytes are of, in the version that is written now.
///
/// # Errors
/// If they are not a value of this type, or something follows it.
pub fn from_bytes<T: Decode>(bytes: &[u8]) -> Result<T, DecodeError> {
    let mut decoder = Decoder::new(bytes, VERSION);
    let value = T::decode(&mut decoder)?;
    decoder.finish()?;
    Ok(value)
}
