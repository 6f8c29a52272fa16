//! Decoding.

use super::error::{DecodeError, DecodeErrorKind};
use crate::replica::HandleMap;

/// A value that can be decoded.
pub trait Decode: Sized {
    /// Decodes a value.
    ///
    /// # Errors
    /// If the bytes are no value of this type.
    fn decode(decoder: &mut Decoder<'_>) -> Result<Self, DecodeError>;
}

/// A reader of bytes.
#[derive(Clone, Debug)]
pub struct Decoder<'a> {
    bytes: &'a [u8],
    at: usize,
    version: u32,
    depth: u32,
    /// Translation of the handles of another simulation.
    handle_map: Option<&'a HandleMap>,
}

/// Limit of nested lists and boxes. The deepest tasks that a catalog allows take two for each of their 64
/// levels.
const MAX_DEPTH: u32 = 160;

/// Bytes to reserve before the first item of a list is decoded; the rest is reserved as items arrive.
const ROOM_IN_ADVANCE: usize = 4_096;

impl<'a> Decoder<'a> {
    /// A decoder at the start of `bytes`, which have this format version.
    pub fn new(bytes: &'a [u8], version: u32) -> Self {
        Self { bytes, at: 0, version, depth: 0, handle_map: None }
    }

    /// Translates every decoded handle from the writer's to the reader's. A handle that the reader does not
    /// have becomes one that finds nothing.
    pub(crate) fn translating(self, handle_map: &'a HandleMap) -> Self {
        Self { handle_map: Some(handle_map), ..self }
    }

    /// The translation of decoded handles; `None` if they are read as they are.
    pub(crate) fn handle_map(&self) -> Option<&'a HandleMap> {
        self.handle_map
    }

    /// A decoder at the same position of bytes that end earlier.
    pub(super) fn resume_within(self, bytes: &'a [u8], version: u32) -> Self {
        Self { bytes, at: self.at.min(bytes.len()), version, ..self }
    }

    /// The format version of the bytes.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// Number of bytes read.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Number of remaining bytes.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// An error at the current position.
    pub fn error(&self, kind: DecodeErrorKind) -> DecodeError {
        DecodeError { at: self.at as u64, kind }
    }

    /// An error about a violated invariant.
    pub fn invalid(&self, what: &'static str) -> DecodeError {
        self.error(DecodeErrorKind::Invalid(what))
    }

    /// The next `count` bytes, unchanged.
    ///
    /// # Errors
    /// If fewer are left.
    pub fn raw(&mut self, count: usize) -> Result<&'a [u8], DecodeError> {
        let rest = &self.bytes[self.at..];
        let (taken, _) = rest
            .split_at_checked(count)
            .ok_or_else(|| self.error(DecodeErrorKind::Ends { needed: count as u64 }))?;
        self.at += count;
        Ok(taken)
    }

    /// Reads one byte.
    ///
    /// # Errors
    /// If none is left.
    pub fn byte(&mut self) -> Result<u8, DecodeError> {
        let [byte] = self.fixed()?;
        Ok(byte)
    }

    /// Reads a fixed number of bytes.
    ///
    /// # Errors
    /// If fewer are left.
    pub fn fixed<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        match self.bytes[self.at..].first_chunk() {
            Some(chunk) => {
                self.at += N;
                Ok(*chunk)
            }
            None => Err(self.error(DecodeErrorKind::Ends { needed: N as u64 })),
        }
    }

    /// Reads an unsigned integer.
    ///
    /// # Errors
    /// If it is incomplete, has more than 64 bits, or is not in its shortest form.
    pub fn unsigned(&mut self) -> Result<u64, DecodeError> {
        let begin = self.at;
        let wrong = |kind| DecodeError { at: begin as u64, kind };
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7F);
            if shift == 63 && bits > 1 {
                return Err(wrong(DecodeErrorKind::TooLarge));
            }
            value |= bits << shift;
            if byte < 0x80 {
                let is_shortest = byte != 0 || shift == 0;
                return if is_shortest { Ok(value) } else { Err(wrong(DecodeErrorKind::NotShortest)) };
            }
        }
        Err(wrong(DecodeErrorKind::TooLarge))
    }

    /// Reads an unsigned integer of a smaller type.
    ///
    /// # Errors
    /// As [`Self::unsigned`], or if it does not fit.
    pub fn small<T: TryFrom<u64>>(&mut self) -> Result<T, DecodeError> {
        let begin = self.at;
        let value = self.unsigned()?;
        T::try_from(value).map_err(|_| DecodeError { at: begin as u64, kind: DecodeErrorKind::TooLarge })
    }

    /// Reads a signed integer.
    ///
    /// # Errors
    /// As [`Self::unsigned`].
    pub fn signed(&mut self) -> Result<i64, DecodeError> {
        let bits = self.unsigned()?;
        Ok((bits >> 1) as i64 ^ -((bits & 1) as i64))
    }

    /// Reads the number of items that follow. Each takes at least a byte, so there cannot be more items than
    /// bytes.
    ///
    /// # Errors
    /// If it exceeds the remaining bytes.
    pub fn length(&mut self) -> Result<usize, DecodeError> {
        let begin = self.at;
        let length = self.unsigned()?;
        let left = self.left();
        match usize::try_from(length) {
            Ok(length) if length <= left => Ok(length),
            _ => {
                let kind = DecodeErrorKind::TooLong { length, left: left as u64 };
                Err(DecodeError { at: begin as u64, kind })
            }
        }
    }

    /// Reads a list. Memory is reserved for a few items at first, and for more as they arrive.
    ///
    /// # Errors
    /// If an item cannot be decoded, or lists are nested too deeply.
    pub fn list<T: Decode, L>(
        &mut self,
        with_capacity: impl FnOnce(usize) -> L,
        push: impl Fn(&mut L, T),
    ) -> Result<L, DecodeError> {
        let length = self.length()?;
        self.nested(|decoder| {
            let mut list = with_capacity(length.min(ROOM_IN_ADVANCE / size_of::<T>().max(1)));
            for _ in 0..length {
                push(&mut list, T::decode(decoder)?);
            }
            Ok(list)
        })
    }

    /// Reads a value that may contain values of its own type.
    ///
    /// # Errors
    /// If it is nested too deeply.
    pub fn nested<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<T, DecodeError> {
        if self.depth == MAX_DEPTH {
            return Err(self.error(DecodeErrorKind::TooDeep { most: MAX_DEPTH }));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Checks that no bytes are left.
    ///
    /// # Errors
    /// If bytes are left.
    pub fn finish(&self) -> Result<(), DecodeError> {
        match self.left() {
            0 => Ok(()),
            left => Err(self.error(DecodeErrorKind::Trailing { left: left as u64 })),
        }
    }
}
