//! Envelopes of stored bytes: kind, format version and checksum.

use super::decoder::Decoder;
use super::encoder::Encoder;
use super::error::{DecodeError, DecodeErrorKind};
use super::{Decode, Encode, VERSION};
use crate::hash::StateHasher;

const CHECKSUM_BYTES: usize = 8;

/// Seals a body in an envelope: `kind`, [`VERSION`], the bytes that `body` writes, and a checksum.
pub fn seal(kind: [u8; 4], body: impl FnOnce(&mut Encoder)) -> Vec<u8> {
    let mut encoder = Encoder::new();
    encoder.raw(&kind);
    VERSION.encode(&mut encoder);
    body(&mut encoder);
    let checksum = checksum(encoder.bytes());
    encoder.raw(&checksum.to_le_bytes());
    encoder.into_bytes()
}

/// Opens an envelope. The decoder is positioned at the body and ends with it.
///
/// # Errors
/// If the kind is another, the version is unknown, or the bytes are damaged.
pub fn open(kind: [u8; 4], bytes: &[u8]) -> Result<Decoder<'_>, DecodeError> {
    open_with(kind, bytes, ChecksumPolicy::Verify)
}

/// Whether to verify checksums.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ChecksumPolicy {
    /// They must be correct.
    Verify,
    /// They are ignored, so that tests reach the code behind them.
    Ignore,
}

/// Opens an envelope as `open` does; `ChecksumPolicy::Ignore` accepts a wrong checksum.
pub(crate) fn open_with(
    kind: [u8; 4],
    bytes: &[u8],
    checksums: ChecksumPolicy,
) -> Result<Decoder<'_>, DecodeError> {
    let mut decoder = Decoder::new(bytes, VERSION);
    let found = decoder.fixed()?;
    if found != kind {
        return Err(DecodeError { at: 0, kind: DecodeErrorKind::OtherKind { expected: kind, found } });
    }
    let version = u32::decode(&mut decoder)?;
    if version == 0 || version > VERSION {
        let kind = DecodeErrorKind::UnknownVersion { found: version, newest: VERSION };
        return Err(DecodeError { at: found.len() as u64, kind });
    }
    let Some(end) = bytes.len().checked_sub(CHECKSUM_BYTES).filter(|end| *end >= decoder.position()) else {
        return Err(decoder.error(DecodeErrorKind::Ends { needed: CHECKSUM_BYTES as u64 }));
    };
    let (content, written) = bytes.split_at(end);
    let expected = checksum(content);
    let found = written.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    if found != expected && checksums == ChecksumPolicy::Verify {
        let kind = DecodeErrorKind::Checksum { expected, found };
        return Err(DecodeError { at: end as u64, kind });
    }
    Ok(decoder.resume_within(content, version))
}

/// Checksum at the end of an envelope: the state hash of all bytes before it.
fn checksum(bytes: &[u8]) -> u64 {
    let mut hasher = StateHasher::new();
    hasher.bytes(bytes);
    hasher.finish()
}
