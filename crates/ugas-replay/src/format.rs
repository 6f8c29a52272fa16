//! The file format of recordings.
//!
//! Fixed-size integers are little-endian. *Unsigned*, *signed*, *text*, *list*, *handle* and so on are
//! encoded as in [`ugas_core::codec`].
//!
//! | Bytes | Content |
//! |-------|---------|
//! | 8 | `UGAS-REC` |
//! | 4 | version of this format: [`VERSION`] |
//! | … | frames, the first of which is the header |
//!
//! # Frames
//!
//! | Bytes | Content |
//! |-------|---------|
//! | 1 | kind |
//! | 4 | length of the payload |
//! | 4 | checksum of the head: the low half of the XXH3-64 of *chain*, kind and length |
//! | … | payload |
//! | 8 | checksum of the frame: XXH3-64 of *chain*, kind, length and payload |
//!
//! *Chain* is the checksum of the previous frame; for the first frame it is the XXH3-64 of the twelve bytes
//! before it. So missing, duplicated and reordered frames are detected like changed ones. The head has its
//! own checksum, so that a wrong length is not mistaken for an unfinished frame.
//!
//! | Kind | Payload |
//! |------|---------|
//! | 0 header, first and only first | version of the codec (unsigned), hash of the catalog (8), configuration, rules (option of: length, definitions), labels (list of pairs of text) |
//! | 1 tick | time after it (unsigned microseconds), time span that passed at its end (signed microseconds), hash of the state after it (8), commands (list) |
//! | 2 key frame | number of ticks before it (unsigned), a snapshot with its envelope |
//! | 3 name | controller (handle), its name (text) |
//! | 5 tick without hash | as a tick, without the hash of the state |
//! | 4 end, last and only last | number of ticks (unsigned), time (unsigned microseconds), hash of the state (8) |
//!
//! The commands of a tick are executed in order, then its time span passes. A key frame with number 0
//! precedes the first tick. Times never decrease.
//!
//! # Torn and damaged files
//!
//! A writer that crashes leaves a file that ends inside or after a frame. An incomplete end is *torn* and is
//! dropped: a head or payload that is cut off, a last frame whose checksum fails, and zeros up to the end of
//! the file, which some file systems leave behind. Any other invalid frame is *damage*: the file was changed.

use ugas_core::codec::{self, Decode, DecodeError, Decoder, Encode, Encoder};
use ugas_core::command::Command;
use ugas_core::handle::ControllerId;
use ugas_core::hash::StateHasher;
use ugas_core::simulation::Config;
use ugas_core::time::{Span, Time};

/// The first bytes of every recording.
pub const MAGIC: [u8; 8] = *b"UGAS-REC";

/// The format version that is written.
pub const VERSION: u32 = 1;

/// Number of bytes before the first frame.
pub const PRELUDE: usize = 12;

/// Number of bytes of a frame before its payload.
pub const HEAD: usize = 9;

/// Number of bytes of a frame after its payload.
pub const FOOT: usize = 8;

/// Maximum length of a payload in bytes.
pub const MAX_PAYLOAD: u32 = 1 << 30;

/// The kind of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Catalog, configuration and labels of the recording.
    Header,
    /// Commands and the time that passes after them.
    Tick,
    /// A snapshot of the whole state.
    Key,
    /// The name of a controller.
    Name,
    /// The end of the recording.
    End,
    /// A tick without the hash of the state.
    UnhashedTick,
}

impl Kind {
    /// The byte that encodes the kind.
    pub const fn byte(self) -> u8 {
        self as u8
    }

    /// The kind of a byte; `None` if unknown.
    pub fn from_byte(byte: u8) -> Option<Self> {
        [Self::Header, Self::Tick, Self::Key, Self::Name, Self::End, Self::UnhashedTick]
            .into_iter()
            .find(|kind| kind.byte() == byte)
    }
}

/// The header of a recording.
#[derive(Clone, PartialEq, Debug)]
pub struct Header {
    /// Version of the codec of everything else.
    pub codec: u32,
    /// Hash of the catalog.
    pub catalog: u64,
    /// The configuration of the simulation, with its seed.
    pub config: Config,
    /// The encoded definitions of the catalog, so that the recording can be played without its pack; `None`
    /// if omitted.
    pub rules: Option<Vec<u8>>,
    /// Additional labels, such as the name of the game, its build, or a map.
    pub labels: Vec<(String, String)>,
}

/// A tick: commands, and the time that passes after them.
#[derive(Clone, PartialEq, Debug)]
pub struct Tick {
    /// The time after the tick.
    pub time: Time,
    /// The time span that passes after the commands.
    pub span: Span,
    /// Hash of the state after the tick; `None` if it was not recorded.
    pub hash: Option<u64>,
    /// The commands that were executed before time passed, in order, including refused ones.
    pub commands: Vec<Command>,
}

/// The end mark of a recording: number of ticks, time, and hash of the last state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct End {
    pub(crate) ticks: u64,
    pub(crate) time: Time,
    pub(crate) hash: u64,
}

/// The bytes before the first frame.
pub fn prelude() -> [u8; PRELUDE] {
    let mut bytes = [0; PRELUDE];
    let (magic, version) = bytes.split_at_mut(MAGIC.len());
    magic.copy_from_slice(&MAGIC);
    version.copy_from_slice(&VERSION.to_le_bytes());
    bytes
}

/// The chain value of the first frame.
pub fn first_chain(prelude: &[u8; PRELUDE]) -> u64 {
    checksum(&[prelude])
}

/// Appends a frame to `bytes`, and returns the chain value of the next frame. `None` if the payload is too
/// long.
pub fn append(bytes: &mut Vec<u8>, chain: u64, kind: Kind, payload: &[u8]) -> Option<u64> {
    let length = u32::try_from(payload.len()).ok().filter(|length| *length <= MAX_PAYLOAD)?;
    let check = check(chain, kind.byte(), length, payload);
    bytes.push(kind.byte());
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(&head_check(chain, kind.byte(), length).to_le_bytes());
    bytes.extend_from_slice(payload);
    bytes.extend_from_slice(&check.to_le_bytes());
    Some(check)
}

/// Kind and length of a frame; `None` if the checksum of the head fails.
pub(crate) fn read_head(head: &[u8; HEAD], chain: u64) -> Option<(u8, u32)> {
    let [kind, a, b, c, d, sum @ ..] = *head;
    let length = u32::from_le_bytes([a, b, c, d]);
    (u32::from_le_bytes(sum) == head_check(chain, kind, length)).then_some((kind, length))
}

/// The checksum of a frame.
pub(crate) fn check(chain: u64, kind: u8, length: u32, payload: &[u8]) -> u64 {
    checksum(&[&chain.to_le_bytes(), &[kind], &length.to_le_bytes(), payload])
}

/// Checksum of a frame's head: the low half of the hash, which is in the file before the payload.
fn head_check(chain: u64, kind: u8, length: u32) -> u32 {
    checksum(&[&chain.to_le_bytes(), &[kind], &length.to_le_bytes()]) as u32
}

/// XXH3-64 of the parts in sequence.
fn checksum(parts: &[&[u8]]) -> u64 {
    let mut hasher = StateHasher::new();
    for part in parts {
        hasher.bytes(part);
    }
    hasher.finish()
}

impl Header {
    /// The payload of its frame.
    pub fn to_payload(&self) -> Vec<u8> {
        let Self { codec, catalog, config, rules, labels } = self;
        let mut encoder = Encoder::new();
        encoder.unsigned(u64::from(*codec));
        encoder.raw(&catalog.to_le_bytes());
        config.encode(&mut encoder);
        encoder.byte(u8::from(rules.is_some()));
        if let Some(rules) = rules {
            encoder.length(rules.len());
            encoder.raw(rules);
        }
        encoder.list(labels.iter());
        encoder.into_bytes()
    }

    /// Decodes the payload. The codec version comes first, because it determines how the rest is decoded; a
    /// newer version is an error, as are trailing bytes.
    pub(crate) fn from_payload(payload: &[u8]) -> Result<Self, DecodeError> {
        let mut decoder = Decoder::new(payload, codec::VERSION);
        let version: u32 = decoder.small()?;
        if version == 0 || version > codec::VERSION {
            return Err(decoder
                .error(codec::DecodeErrorKind::UnknownVersion { found: version, newest: codec::VERSION }));
        }
        let mut decoder = Decoder::new(payload, version);
        let codec = decoder.small()?;
        let catalog = u64::from_le_bytes(decoder.fixed()?);
        let config = Config::decode(&mut decoder)?;
        let rules = match decoder.byte()? {
            0 => None,
            1 => {
                let length = decoder.length()?;
                Some(decoder.raw(length)?.to_vec())
            }
            _ => return Err(decoder.invalid("the marker of included rules is neither 0 nor 1")),
        };
        let labels = Vec::decode(&mut decoder)?;
        decoder.finish()?;
        Ok(Self { codec, catalog, config, rules, labels })
    }
}

impl Tick {
    /// The kind of its frame.
    pub fn kind(&self) -> Kind {
        tick_kind(self.hash)
    }

    /// The payload of its frame.
    pub fn to_payload(&self) -> Vec<u8> {
        let Self { time, span, hash, commands } = self;
        let mut encoder = Encoder::new();
        encode_tick(&mut encoder, *time, *span, *hash, commands.len() as u64);
        for command in commands {
            command.encode(&mut encoder);
        }
        encoder.into_bytes()
    }

    /// Decodes the payload with a version of the codec; trailing bytes are an error.
    pub(crate) fn from_payload(kind: Kind, payload: &[u8], version: u32) -> Result<Self, DecodeError> {
        let mut decoder = Decoder::new(payload, version);
        let (time, span, hash) = decode_tick(kind, &mut decoder)?;
        let commands = Vec::decode(&mut decoder)?;
        decoder.finish()?;
        Ok(Self { time, span, hash, commands })
    }
}

/// Encodes the beginning of a tick, up to the number of its commands.
pub(crate) fn encode_tick(encoder: &mut Encoder, time: Time, span: Span, hash: Option<u64>, commands: u64) {
    time.encode(encoder);
    span.encode(encoder);
    if let Some(hash) = hash {
        encoder.raw(&hash.to_le_bytes());
    }
    encoder.unsigned(commands);
}

/// Decodes time, span and hash of a tick, and leaves the decoder at its commands. The index of a recording
/// needs no more.
pub(crate) fn decode_tick(
    kind: Kind,
    decoder: &mut Decoder<'_>,
) -> Result<(Time, Span, Option<u64>), DecodeError> {
    let (time, span) = (Time::decode(decoder)?, Span::decode(decoder)?);
    let hash = match kind {
        Kind::UnhashedTick => None,
        _ => Some(u64::from_le_bytes(decoder.fixed()?)),
    };
    Ok((time, span, hash))
}

/// The kind of the frame of a tick.
pub(crate) fn tick_kind(hash: Option<u64>) -> Kind {
    if hash.is_some() { Kind::Tick } else { Kind::UnhashedTick }
}

/// The payload of a name frame.
pub(crate) fn name_payload(controller: ControllerId, name: &str) -> Vec<u8> {
    let mut encoder = Encoder::new();
    controller.encode(&mut encoder);
    encoder.length(name.len());
    encoder.raw(name.as_bytes());
    encoder.into_bytes()
}

/// Decodes the payload of a name frame; trailing bytes are an error.
pub(crate) fn name_from(payload: &[u8], version: u32) -> Result<(ControllerId, String), DecodeError> {
    let mut decoder = Decoder::new(payload, version);
    let name = (ControllerId::decode(&mut decoder)?, String::decode(&mut decoder)?);
    decoder.finish()?;
    Ok(name)
}

/// The payload of a key frame; `snapshot` has its own envelope.
pub(crate) fn key_payload(ticks: u64, snapshot: &[u8]) -> Vec<u8> {
    let mut encoder = Encoder::new();
    encoder.unsigned(ticks);
    encoder.raw(snapshot);
    encoder.into_bytes()
}

/// Decodes the number of ticks before a key frame, and the offset of its snapshot in the payload. The
/// snapshot is not decoded.
pub(crate) fn key_from(payload: &[u8], version: u32) -> Result<(u64, usize), DecodeError> {
    let mut decoder = Decoder::new(payload, version);
    let ticks = decoder.unsigned()?;
    Ok((ticks, decoder.position()))
}

impl End {
    /// The payload of its frame.
    pub(crate) fn to_payload(self) -> Vec<u8> {
        let mut encoder = Encoder::new();
        encoder.unsigned(self.ticks);
        self.time.encode(&mut encoder);
        encoder.raw(&self.hash.to_le_bytes());
        encoder.into_bytes()
    }

    /// Decodes the payload with a version of the codec; trailing bytes are an error.
    pub(crate) fn from_payload(payload: &[u8], version: u32) -> Result<Self, DecodeError> {
        let mut decoder = Decoder::new(payload, version);
        let ticks = decoder.unsigned()?;
        let time = Time::decode(&mut decoder)?;
        let hash = u64::from_le_bytes(decoder.fixed()?);
        decoder.finish()?;
        Ok(Self { ticks, time, hash })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kind_is_encoded_as_a_byte() {
        for byte in 0..6 {
            assert_eq!(Kind::from_byte(byte).map(Kind::byte), Some(byte));
        }
        assert_eq!(Kind::from_byte(6), None);
    }

    #[test]
    fn frame_checksums_depend_on_the_previous_frame() {
        let chain = first_chain(&prelude());
        let (mut one, mut other) = (Vec::new(), Vec::new());
        let next = append(&mut one, chain, Kind::Tick, b"abc").unwrap();
        append(&mut other, chain ^ 1, Kind::Tick, b"abc").unwrap();
        assert_ne!(one, other);
        assert_eq!(one.len(), HEAD + 3 + FOOT);
        let head: [u8; HEAD] = one[..HEAD].try_into().unwrap();
        assert_eq!(read_head(&head, chain), Some((Kind::Tick.byte(), 3)));
        assert_eq!(read_head(&head, chain ^ 1), None);
        assert_eq!(next.to_le_bytes(), one[HEAD + 3..]);
    }
}
