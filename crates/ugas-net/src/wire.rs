//! Wire format: messages as datagrams, bit by bit; `docs/wire-format.md` describes it.
//!
//! Both sides need the same [`Dictionary`]. Decoding gives a whole message or an error and never panics,
//! whatever the bytes are; it allocates no more than the bytes can fill. Every message has one canonical
//! form, so that a decoded message encodes to the same bytes.
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
//! The server does not build [`Update`](crate::message::Update)s: it encodes the changes of a controller
//! once, with [`write_block`], and fills the datagrams of all clients with the same view by an
//! [`UpdateWriter`].

mod block;
mod command;
mod dictionary;
mod error;
mod frames;
mod handshake;
mod ids;
mod results;
mod update;
mod update_decoder;
mod values;

pub use block::{Baseline, BlockEncoding, DeltaEntry, Exactness, write_block};
pub use command::{round_targets_to_wire, round_to_wire};
pub use dictionary::{Dictionary, DictionaryError};
pub use error::EncodeError;
pub use update::{MAX_SLOTS, Room, UpdateBits, UpdateHeader, UpdateWriter, ViewHeader};
pub(crate) use update_decoder::{BASELINE_TICKS, MAX_UNACKED};
pub use update_decoder::{BitUsage, UpdateDecoder};

use crate::bits::{BitReader, BitWriter, WireError, WireErrorKind};
use crate::limits::MAX_DATAGRAM;
use crate::message::{ToClient, ToServer};
use values::{Decoder, Encoder};

/// Bits of the kind of a message.
const KIND_BITS: u32 = 3;

/// Group sizes of variable-length integers: small where small numbers are common.
mod group {
    /// Packet numbers: hours of them take three groups.
    pub(super) const PACKET: u32 = 7;
    pub(super) const TICK: u32 = 7;
    /// Difference to a nearby tick.
    pub(super) const TICK_NEAR: u32 = 4;
    pub(super) const MARGIN: u32 = 3;
    /// Ticks from one datagram to the next, less one.
    pub(super) const STEP: u32 = 2;
    pub(super) const SLOTS: u32 = 6;
    /// Change of a value, in steps.
    pub(super) const STEPS: u32 = 3;
    /// Indexes of handles.
    pub(super) const INDEX: u32 = 6;
    /// Gap from one index to the next.
    pub(super) const INDEX_GAP: u32 = 3;
    pub(super) const GENERATION: u32 = 3;
    /// Sequence of a command in its frame, and its dependent number.
    pub(super) const SEQUENCE: u32 = 1;
    /// Ticks without commands between two with.
    pub(super) const FRAME_GAP: u32 = 2;
    pub(super) const COMMANDS: u32 = 1;
    pub(super) const TARGETS: u32 = 1;
    pub(super) const BRANCH: u32 = 2;
    /// Actor ids, which the host chooses.
    pub(super) const ACTOR: u32 = 8;
    /// Part of the actor that was hit.
    pub(super) const PART: u32 = 4;
    pub(super) const SHIFT: u32 = 2;
    pub(super) const ORDINAL: u32 = 3;
    /// Number of bytes.
    pub(super) const LENGTH: u32 = 5;
    /// Number of handles, less one.
    pub(super) const HANDLES: u32 = 2;
    /// Grant count of a tag.
    pub(super) const GRANTS: u32 = 1;
    /// Microseconds.
    pub(super) const TIME: u32 = 8;
}

/// Kinds of messages from a client.
enum ToServerKind {
    Hello = 0,
    Frames = 1,
    Bye = 2,
    Resume = 3,
}

/// Kinds of messages from the server. Updates have the third bit set, and two flags of their own before it.
enum ToClientKind {
    Welcome = 0,
    Refused = 1,
    Bye = 3,
}

/// The third bit of an update.
const UPDATE: bool = true;

/// Encodes a message of a client.
///
/// # Errors
/// If it cannot be encoded; see [`EncodeError`].
pub fn encode_to_server(dictionary: &Dictionary, message: &ToServer) -> Result<Vec<u8>, EncodeError> {
    write_to_server(dictionary, message, BitWriter::new()).map(BitWriter::into_bytes)
}

/// Encodes a message of a client into `bits`, whose allocation is reused and whose content is dropped.
///
/// # Errors
/// If it cannot be encoded; see [`EncodeError`].
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
        ToServer::Resume(_) => ToServerKind::Resume,
    };
    encoder.bits.bits(kind as u64, KIND_BITS);
    match message {
        ToServer::Hello(hello) => encoder.hello(hello)?,
        ToServer::Frames(frames) => encoder.frames(frames)?,
        ToServer::Bye => {}
        ToServer::Resume(resume) => encoder.resume(resume),
    }
    fits(bits)
}

/// Encodes a message of the server.
///
/// # Errors
/// If it cannot be encoded; see [`EncodeError`].
pub fn encode_to_client(dictionary: &Dictionary, message: &ToClient) -> Result<Vec<u8>, EncodeError> {
    write_to_client(dictionary, message, BitWriter::new()).map(BitWriter::into_bytes)
}

/// Encodes a message of the server into `bits`, whose allocation is reused and whose content is dropped. An
/// update is written in full, with no reference to earlier ones but its stream parameters.
///
/// # Errors
/// If it cannot be encoded; see [`EncodeError`].
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

/// Decodes a message of a client.
///
/// # Errors
/// If the datagram is not valid; see [`WireErrorKind`].
pub fn decode_to_server(dictionary: &Dictionary, datagram: &[u8]) -> Result<ToServer, WireError> {
    let mut decoder = Decoder { bits: open(datagram)?, dictionary };
    let message = match decoder.bits.bits(KIND_BITS)? {
        0 => ToServer::Hello(decoder.hello()?),
        1 => ToServer::Frames(decoder.frames()?),
        2 => ToServer::Bye,
        3 => ToServer::Resume(decoder.resume()?),
        found => return decoder.error_at(0, WireErrorKind::UnknownKind { what: "message", found }),
    };
    decoder.bits.finish()?;
    Ok(message)
}

/// Decodes a message of the server that does not depend on earlier ones; for others use an [`UpdateDecoder`].
///
/// # Errors
/// If the datagram is not valid; see [`WireErrorKind`].
pub fn decode_to_client(dictionary: &Dictionary, datagram: &[u8]) -> Result<ToClient, WireError> {
    UpdateDecoder::new().read(dictionary, datagram)
}

/// Decodes any message of the server, with the bits of an update by purpose (zero for other messages).
/// `state` resolves references to earlier updates and is not changed; bits that are left over are an error.
fn read_to_client(
    dictionary: &Dictionary,
    state: &UpdateDecoder,
    datagram: &[u8],
) -> Result<(ToClient, BitUsage), WireError> {
    let mut decoder = Decoder { bits: open(datagram)?, dictionary };
    let mut usage = BitUsage::default();
    let message = match decoder.bits.bits(KIND_BITS)? {
        0 => ToClient::Welcome(decoder.welcome()?),
        1 => ToClient::Refused(decoder.refused()?),
        3 => ToClient::Bye(decoder.bye()?),
        kind @ 4.. => {
            let (update, bits) = decoder.update(state, kind & 1 != 0, kind & 2 != 0)?;
            usage = bits;
            ToClient::Update(update)
        }
        found => return decoder.error_at(0, WireErrorKind::UnknownKind { what: "message", found }),
    };
    decoder.bits.finish()?;
    Ok((message, usage))
}

/// Begins reading a datagram; an error if it is longer than [`MAX_DATAGRAM`].
fn open(datagram: &[u8]) -> Result<BitReader<'_>, WireError> {
    let (found, most) = (datagram.len() as u64, MAX_DATAGRAM as u64);
    if found > most {
        return Err(WireError { at: 0, kind: WireErrorKind::TooMany { what: "bytes", found, most } });
    }
    Ok(BitReader::new(datagram))
}

/// Passes on a finished message, or [`EncodeError::TooLong`] if no datagram has room for it.
fn fits(bits: BitWriter) -> Result<BitWriter, EncodeError> {
    if bits.byte_len() > MAX_DATAGRAM { Err(EncodeError::TooLong) } else { Ok(bits) }
}
