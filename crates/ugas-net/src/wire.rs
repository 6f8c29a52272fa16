//! Messages as datagrams, bit by bit; `docs/wire-format.md` is the format in words.
//!
//! Both sides need the same [`Dictionary`]. Reading gives a whole message or an error and never panics, whatever the
//! bytes are; it makes no room that the bytes do not fill. Every message has one form, so that what was read is written
//! as the same bytes again.
//!
//! ```
//! use ugas_net::message::ToServer;
//! use ugas_net::wire::{self, Dictionary};
//!
//! let dictionary = Dictionary::sized(200, 16);
//! let datagram = wire::encode_to_server(&dictionary, &ToServer::Bye)?;
//! assert_eq!(wire::decode_to_server(&dictionary, &datagram), Ok(ToServer::Bye));
//! # Ok::<(), ugas_net::wire::EncodeError>(())
//! ```
//!
//! The server does not build [`Update`](crate::message::Update)s: it writes what is new about a controller once, with
//! [`write_block`], and fills the datagrams of all clients who see the same with an [`UpdateWriter`].

mod block;
mod command;
mod dictionary;
mod error;
mod frames;
mod handshake;
mod ids;
mod listener;
mod news;
mod update;
mod values;

pub use block::{Basis, Exactness, Old, Told, write_block};
pub use command::{settle, settle_targets};
pub use dictionary::{Dictionary, DictionaryError};
pub use error::EncodeError;
pub(crate) use listener::{HELD_VALUES, MOST_OPEN};
pub use listener::{Listener, Spent};
pub use update::{MOST_PLACES, Room, UpdateBits, UpdateHeader, UpdateWriter, View};

use crate::bits::{BitReader, BitWriter, WireError, WireErrorKind};
use crate::limits::MAX_DATAGRAM;
use crate::message::{ToClient, ToServer};
use values::{Decoder, Encoder};

/// Bits of the kind of a message.
const KIND_BITS: u32 = 3;

/// Sizes of the groups of integers: small where small ones are common.
mod group {
    /// Numbers of datagrams: hours of them take three groups.
    pub(super) const PACKET: u32 = 7;
    pub(super) const TICK: u32 = 7;
    /// From one tick to another nearby.
    pub(super) const TICK_NEAR: u32 = 4;
    pub(super) const MARGIN: u32 = 3;
    /// Ticks from one datagram to the next, less one.
    pub(super) const STEP: u32 = 2;
    pub(super) const PLACES: u32 = 6;
    /// By how much a value changed.
    pub(super) const STEPS: u32 = 3;
    /// Places of things that are alive.
    pub(super) const INDEX: u32 = 6;
    /// From one such place to the next one named.
    pub(super) const INDEX_GAP: u32 = 3;
    pub(super) const GENERATION: u32 = 3;
    /// The place of a command in its frame, and of what depends on it.
    pub(super) const SEQUENCE: u32 = 1;
    /// Ticks without commands between two with.
    pub(super) const FRAME_GAP: u32 = 2;
    pub(super) const COMMANDS: u32 = 1;
    pub(super) const TARGETS: u32 = 1;
    pub(super) const THREAD: u32 = 2;
    /// Actors are the host's own numbers.
    pub(super) const ACTOR: u32 = 8;
    /// The part that was hit.
    pub(super) const PART: u32 = 4;
    pub(super) const SHIFT: u32 = 2;
    pub(super) const ORDINAL: u32 = 3;
    /// Bytes.
    pub(super) const LENGTH: u32 = 5;
    /// How many handles, less one.
    pub(super) const HANDLES: u32 = 2;
    /// How often a tag was granted.
    pub(super) const GRANTS: u32 = 1;
    /// Microseconds.
    pub(super) const TIME: u32 = 8;
}

/// The kinds of messages from a client.
enum ToServerKind {
    Hello = 0,
    Frames = 1,
    Bye = 2,
}

/// The kinds of messages from the server. Updates have the third bit set, and two of their own before it.
enum ToClientKind {
    Welcome = 0,
    Refused = 1,
    Bye = 3,
}

/// The third bit of a message of the server's.
const UPDATE: bool = true;

/// A message of a client as a datagram.
///
/// # Errors
/// If it cannot be written; see [`EncodeError`].
pub fn encode_to_server(dictionary: &Dictionary, message: &ToServer) -> Result<Vec<u8>, EncodeError> {
    write_to_server(dictionary, message, BitWriter::new()).map(BitWriter::into_bytes)
}

/// The same in the memory of `bits`, whose content is forgotten.
///
/// # Errors
/// If it cannot be written; see [`EncodeError`].
pub fn write_to_server(
    dictionary: &Dictionary,
    message: &ToServer,
    mut bits: BitWriter,
) -> Result<BitWriter, EncodeError> {
    bits.clear();
    let mut encoder = Encoder { bits: &mut bits, dictionary };
    let kind = match message {
        ToServer::Hello(_) => ToServerKind::Hello,
        ToServer::Frames(_) => ToServerKind::Frames,
        ToServer::Bye => ToServerKind::Bye,
    };
    encoder.bits.bits(kind as u64, KIND_BITS);
    match message {
        ToServer::Hello(hello) => encoder.hello(hello)?,
        ToServer::Frames(frames) => encoder.frames(frames)?,
        ToServer::Bye => {}
    }
    fits(bits)
}

/// A message of the server as a datagram.
///
/// # Errors
/// If it cannot be written; see [`EncodeError`].
pub fn encode_to_client(dictionary: &Dictionary, message: &ToClient) -> Result<Vec<u8>, EncodeError> {
    write_to_client(dictionary, message, BitWriter::new()).map(BitWriter::into_bytes)
}

/// The same in the memory of `bits`, whose content is forgotten.
///
/// # Errors
/// If it cannot be written; see [`EncodeError`].
pub fn write_to_client(
    dictionary: &Dictionary,
    message: &ToClient,
    mut bits: BitWriter,
) -> Result<BitWriter, EncodeError> {
    bits.clear();
    let mut encoder = Encoder { bits: &mut bits, dictionary };
    match message {
        ToClient::Welcome(welcome) => {
            encoder.bits.bits(ToClientKind::Welcome as u64, KIND_BITS);
            encoder.welcome(welcome);
        }
        ToClient::Refused(refused) => {
            encoder.bits.bits(ToClientKind::Refused as u64, KIND_BITS);
            encoder.refused(refused)?;
        }
        ToClient::Update(update) => {
            let written = update::write_update(dictionary, update, UpdateBits::default())?;
            bits.append(&written.into_writer());
        }
        ToClient::Bye(reason) => {
            encoder.bits.bits(ToClientKind::Bye as u64, KIND_BITS);
            encoder.bye(*reason);
        }
    }
    fits(bits)
}

/// A datagram as a message of a client.
///
/// # Errors
/// If it is none; see [`WireErrorKind`].
pub fn decode_to_server(dictionary: &Dictionary, datagram: &[u8]) -> Result<ToServer, WireError> {
    let mut decoder = Decoder { bits: open(datagram)?, dictionary };
    let message = match decoder.bits.bits(KIND_BITS)? {
        0 => ToServer::Hello(decoder.hello()?),
        1 => ToServer::Frames(decoder.frames()?),
        2 => ToServer::Bye,
        found => return decoder.error_at(0, WireErrorKind::UnknownKind { what: "message", found }),
    };
    decoder.bits.finish()?;
    Ok(message)
}

/// A datagram as a message of the server, if it can be read without what came before; otherwise a [`Listener`] does.
///
/// # Errors
/// If it is none; see [`WireErrorKind`].
pub fn decode_to_client(dictionary: &Dictionary, datagram: &[u8]) -> Result<ToClient, WireError> {
    Listener::new().read(dictionary, datagram)
}

fn read_to_client(
    dictionary: &Dictionary,
    listener: &Listener,
    datagram: &[u8],
) -> Result<(ToClient, Spent), WireError> {
    let mut decoder = Decoder { bits: open(datagram)?, dictionary };
    let mut spent = Spent::default();
    let message = match decoder.bits.bits(KIND_BITS)? {
        0 => ToClient::Welcome(decoder.welcome()?),
        1 => ToClient::Refused(decoder.refused()?),
        3 => ToClient::Bye(decoder.bye()?),
        kind @ 4.. => {
            let (update, bits) = decoder.update(listener, kind & 1 != 0, kind & 2 != 0)?;
            spent = bits;
            ToClient::Update(update)
        }
        found => return decoder.error_at(0, WireErrorKind::UnknownKind { what: "message", found }),
    };
    decoder.bits.finish()?;
    Ok((message, spent))
}

fn open(datagram: &[u8]) -> Result<BitReader<'_>, WireError> {
    let (found, most) = (datagram.len() as u64, MAX_DATAGRAM as u64);
    if found > most {
        return Err(WireError { at: 0, kind: WireErrorKind::TooMany { what: "bytes", found, most } });
    }
    Ok(BitReader::new(datagram))
}

fn fits(bits: BitWriter) -> Result<BitWriter, EncodeError> {
    if bits.byte_len() > MAX_DATAGRAM { Err(EncodeError::TooLong) } else { Ok(bits) }
}
