//! The file, byte by byte.
//!
//! Integers of a fixed size are little-endian. *Unsigned*, *signed*, *text*, *list*, *handle* and the rest are those of
//! [`ugas_core::codec`].
//!
//! | Bytes | What |
//! |-------|------|
//! | 8 | `UGAS-REC` |
//! | 4 | version of this format: [`VERSION`] |
//! | … | frames, the first of which is the header |
//!
//! # Frames
//!
//! | Bytes | What |
//! |-------|------|
//! | 1 | kind |
//! | 4 | length of the payload |
//! | 4 | check of the head: the low half of the XXH3-64 of *chain*, kind and length |
//! | … | payload |
//! | 8 | check of the frame: XXH3-64 of *chain*, kind, length and payload |
//!
//! *Chain* is the check of the frame before, and for the first the XXH3-64 of the twelve bytes before it: a frame that is
//! missing, doubled or in another place is found out like one that was changed. The head has a check of its own, so that
//! a wrong length is not taken for a frame that was not finished.
//!
//! | Kind | Payload |
//! |------|---------|
//! | 0 header, first and only first | version of the codec (unsigned), hash of the catalog (8), configuration, rules (option of: length, definitions), labels (list of pairs of text) |
//! | 1 tick | time after it (unsigned microseconds), span that passed at its end (signed microseconds), hash of the state after it (8), commands (list) |
//! | 2 key frame | number of ticks before it (unsigned), a snapshot with its envelope |
//! | 3 name | controller (handle), what it is called (text) |
//! | 4 end, last and only last | number of ticks (unsigned), time (unsigned microseconds), hash of the state (8) |
//!
//! Commands of a tick are executed in order, then the span passes. A key frame with number 0 stands before the first tick.
//! Times never go back.
//!
//! # Torn and damaged
//!
//! A writer that dies leaves a file that ends inside a frame, or where one could follow. What is incomplete at the end is
//! *torn* and is dropped: a head or payload that the file is too short for, a last frame whose check fails, and zeros up to
//! the end, which some file systems leave behind. Anything else that does not fit is *damage*: somebody changed the file.

use ugas_core::codec::{self, Decode, DecodeError, Decoder, Encode, Encoder};
use ugas_core::command::Command;
use ugas_core::handle::ControllerId;
use ugas_core::hash::StateHasher;
use ugas_core::simulation::Config;
use ugas_core::time::{Span, Time};

/// How every recording begins.
pub const MAGIC: [u8; 8] = *b"UGAS-REC";

/// The version that is written.
pub const VERSION: u32 = 1;

/// Bytes before the first frame.
pub const PRELUDE: usize = 12;

/// Bytes of a frame before its payload.
pub const HEAD: usize = 9;

/// Bytes of a frame after its payload.
pub const FOOT: usize = 8;

/// Longest payload. A larger state than this has other problems.
pub const LONGEST: u32 = 1 << 30;

/// What a frame holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// What the recording is of.
    Header,
    /// Commands, and time that passed.
    Tick,
    /// A whole state.
    Key,
    /// What a controller is called.
    Name,
    /// Nothing follows.
    End,
}

impl Kind {
    /// The byte that stands for it.
    pub const fn byte(self) -> u8 {
        self as u8
    }

    /// What a byte stands for.
    pub fn from_byte(byte: u8) -> Option<Self> {
        [Self::Header, Self::Tick, Self::Key, Self::Name, Self::End]
            .into_iter()
            .find(|kind| kind.byte() == byte)
    }
}

/// What a recording is of.
#[derive(Clone, PartialEq, Debug)]
pub struct Header {
    /// Version of the codec in which everything else is written.
    pub codec: u32,
    /// Hash of the catalog.
    pub catalog: u64,
    /// How the simulation was set up, with its seed.
    pub config: Config,
    /// The definitions of the catalog as bytes, so that the recording can be played without its pack.
    pub rules: Option<Vec<u8>>,
    /// What else one would like to know: the name of the game, its build, a map.
    pub labels: Vec<(String, String)>,
}

/// Commands that were executed one after the other, and the time that passed then.
#[derive(Clone, PartialEq, Debug)]
pub struct Tick {
    /// The time after it.
    pub time: Time,
    /// How long it took; what passed at its end.
    pub span: Span,
    /// Hash of the state after it.
    pub hash: u64,
    /// What was executed before the time passed, in order. What was refused is there, too.
    pub commands: Vec<Command>,
}

/// Where a recording ends.
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

/// The chain that the first frame goes on with.
pub fn first_chain(prelude: &[u8; PRELUDE]) -> u64 {
    sum(&[prelude])
}

/// Appends a frame to `bytes`; gives back the chain that the next one goes on with. `None` if the payload is too long.
pub fn append(bytes: &mut Vec<u8>, chain: u64, kind: Kind, payload: &[u8]) -> Option<u64> {
    let length = u32::try_from(payload.len()).ok().filter(|length| *length <= LONGEST)?;
    let check = check(chain, kind.byte(), length, payload);
    bytes.push(kind.byte());
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(&head_check(chain, kind.byte(), length).to_le_bytes());
    bytes.extend_from_slice(payload);
    bytes.extend_from_slice(&check.to_le_bytes());
    Some(check)
}

/// Kind and length that a head tells, if its check is right.
pub(crate) fn read_head(head: &[u8; HEAD], chain: u64) -> Option<(u8, u32)> {
    let [kind, a, b, c, d, sum @ ..] = *head;
    let length = u32::from_le_bytes([a, b, c, d]);
    (u32::from_le_bytes(sum) == head_check(chain, kind, length)).then_some((kind, length))
}

/// The check of a frame.
pub(crate) fn check(chain: u64, kind: u8, length: u32, payload: &[u8]) -> u64 {
    sum(&[&chain.to_le_bytes(), &[kind], &length.to_le_bytes(), payload])
}

fn head_check(chain: u64, kind: u8, length: u32) -> u32 {
    sum(&[&chain.to_le_bytes(), &[kind], &length.to_le_bytes()]) as u32
}

fn sum(parts: &[&[u8]]) -> u64 {
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
            _ => return Err(decoder.invalid("the rules are neither there nor absent")),
        };
        let labels = Vec::decode(&mut decoder)?;
        decoder.finish()?;
        Ok(Self { codec, catalog, config, rules, labels })
    }
}

impl Tick {
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

    pub(crate) fn from_payload(payload: &[u8], version: u32) -> Result<Self, DecodeError> {
        let mut decoder = Decoder::new(payload, version);
        let (time, span, hash) = decode_tick(&mut decoder)?;
        let commands = Vec::decode(&mut decoder)?;
        decoder.finish()?;
        Ok(Self { time, span, hash, commands })
    }
}

/// All of a tick but the commands, of which only the number is written.
pub(crate) fn encode_tick(encoder: &mut Encoder, time: Time, span: Span, hash: u64, commands: u64) {
    time.encode(encoder);
    span.encode(encoder);
    encoder.raw(&hash.to_le_bytes());
    encoder.unsigned(commands);
}

/// Time, span and hash of a tick.
pub(crate) fn decode_tick(decoder: &mut Decoder<'_>) -> Result<(Time, Span, u64), DecodeError> {
    Ok((Time::decode(decoder)?, Span::decode(decoder)?, u64::from_le_bytes(decoder.fixed()?)))
}

pub(crate) fn name_payload(controller: ControllerId, name: &str) -> Vec<u8> {
    let mut encoder = Encoder::new();
    controller.encode(&mut encoder);
    encoder.length(name.len());
    encoder.raw(name.as_bytes());
    encoder.into_bytes()
}

pub(crate) fn name_from(payload: &[u8], version: u32) -> Result<(ControllerId, String), DecodeError> {
    let mut decoder = Decoder::new(payload, version);
    let name = (ControllerId::decode(&mut decoder)?, String::decode(&mut decoder)?);
    decoder.finish()?;
    Ok(name)
}

pub(crate) fn key_payload(ticks: u64, snapshot: &[u8]) -> Vec<u8> {
    let mut encoder = Encoder::new();
    encoder.unsigned(ticks);
    encoder.raw(snapshot);
    encoder.into_bytes()
}

/// The number of ticks before a key frame, and where its snapshot begins.
pub(crate) fn key_from(payload: &[u8], version: u32) -> Result<(u64, usize), DecodeError> {
    let mut decoder = Decoder::new(payload, version);
    let ticks = decoder.unsigned()?;
    Ok((ticks, decoder.position()))
}

impl End {
    pub(crate) fn to_payload(self) -> Vec<u8> {
        let mut encoder = Encoder::new();
        encoder.unsigned(self.ticks);
        self.time.encode(&mut encoder);
        encoder.raw(&self.hash.to_le_bytes());
        encoder.into_bytes()
    }

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
    fn kinds_are_bytes() {
        for byte in 0..5 {
            assert_eq!(Kind::from_byte(byte).map(Kind::byte), Some(byte));
        }
        assert_eq!(Kind::from_byte(5), None);
    }

    #[test]
    fn a_frame_depends_on_the_one_before() {
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
