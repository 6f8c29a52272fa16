//! Writing.

use super::{NUMBER_GROUP, Number, low, zigzag};

/// Collects bits. Its memory is kept when it is [cleared](Self::clear), so that a warm one does not allocate.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BitWriter {
    /// Bytes that are full.
    bytes: Vec<u8>,
    /// The bits that do not fill a byte yet.
    rest: u64,
    /// How many these are: 0 to 7.
    rest_bits: u32,
}

/// A place in a [`BitWriter`] to go back to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Mark {
    bits: u64,
}

/// Most bits that are added at once: with the up to seven that wait they fit 64.
const CHUNK: u32 = 56;

impl BitWriter {
    /// Without bits.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many bits were written.
    pub fn bit_len(&self) -> u64 {
        self.bytes.len() as u64 * 8 + u64::from(self.rest_bits)
    }

    /// How many bytes they take.
    pub fn byte_len(&self) -> usize {
        self.bytes.len() + usize::from(self.rest_bits > 0)
    }

    /// True if nothing was written.
    pub fn is_empty(&self) -> bool {
        self.bit_len() == 0
    }

    /// Forgets all bits and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.rest = 0;
        self.rest_bits = 0;
    }

    /// Where it is, to [go back to](Self::rewind) if what follows does not fit.
    pub fn mark(&self) -> Mark {
        Mark { bits: self.bit_len() }
    }

    /// Forgets all that was written since the mark; does nothing if it is ahead.
    pub fn rewind(&mut self, mark: Mark) {
        if mark.bits >= self.bit_len() {
            return;
        }
        let (whole, bits) = ((mark.bits / 8) as usize, (mark.bits % 8) as u32);
        let partial = self.bytes.get(whole).map_or(self.rest, |byte| u64::from(*byte));
        self.bytes.truncate(whole);
        self.rest = partial & low(bits);
        self.rest_bits = bits;
    }

    /// The low `count` bits of a value; nothing if `count` is 0, and 64 if it is more.
    pub fn bits(&mut self, value: u64, count: u32) {
        if count > CHUNK {
            self.chunk(value, CHUNK);
            self.chunk(value >> CHUNK, count.min(64) - CHUNK);
        } else {
            self.chunk(value, count);
        }
    }

    /// One bit.
    pub fn bool(&mut self, value: bool) {
        self.chunk(u64::from(value), 1);
    }

    /// An unsigned integer in groups of `group` bits, 1 to 32 of them.
    pub fn varint(&mut self, mut value: u64, group: u32) {
        let group = group.clamp(1, 32);
        loop {
            let part = value & low(group);
            value >>= group;
            let follows = value > 0;
            self.chunk(part | u64::from(follows) << group, group + 1);
            if !follows {
                return;
            }
            value -= 1;
        }
    }

    /// A signed integer in groups of `group` bits, 1 to 32 of them.
    pub fn signed(&mut self, value: i64, group: u32) {
        self.varint(zigzag(value), group);
    }

    /// A number to its last bit; short if it is small and whole, or a few thousandths.
    pub fn number(&mut self, value: f64) {
        match Number::of(value) {
            Number::Whole(whole) => {
                self.chunk(0b0, 1);
                self.signed(whole, NUMBER_GROUP);
            }
            Number::Thousandths(thousandths) => {
                self.chunk(0b01, 2);
                self.signed(thousandths, NUMBER_GROUP);
            }
            Number::Single(single) => {
                self.chunk(0b011, 3);
                self.single(single);
            }
            Number::Double(double) => {
                self.chunk(0b111, 3);
                self.bits(double.to_bits(), 64);
            }
        }
    }

    /// A number of single precision.
    pub fn single(&mut self, value: f32) {
        self.chunk(u64::from(value.to_bits()), 32);
    }

    /// Bytes with their number in groups of `group` bits.
    pub fn bytes(&mut self, bytes: &[u8], group: u32) {
        self.varint(bytes.len() as u64, group);
        self.raw(bytes);
    }

    /// All bits of another one, as if they had been written here.
    pub fn append(&mut self, other: &Self) {
        self.raw(&other.bytes);
        self.chunk(other.rest, other.rest_bits);
    }

    /// Adds the bytes to `datagram`; the last one is filled with zeros.
    pub fn copy_to(&self, datagram: &mut Vec<u8>) {
        datagram.extend_from_slice(&self.bytes);
        if self.rest_bits > 0 {
            datagram.push(self.rest as u8);
        }
    }

    /// The bytes; the last one is filled with zeros.
    pub fn into_bytes(mut self) -> Vec<u8> {
        if self.rest_bits > 0 {
            self.bytes.push(self.rest as u8);
        }
        self.bytes
    }

    /// Bytes without their number.
    fn raw(&mut self, bytes: &[u8]) {
        if self.rest_bits == 0 {
            self.bytes.extend_from_slice(bytes);
            return;
        }
        self.bytes.reserve(bytes.len() + 1);
        let mut chunks = bytes.chunks_exact(CHUNK as usize / 8);
        for chunk in &mut chunks {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.chunk(u64::from_le_bytes(word), CHUNK);
        }
        for byte in chunks.remainder() {
            self.chunk(u64::from(*byte), 8);
        }
    }

    /// At most [`CHUNK`] bits.
    fn chunk(&mut self, value: u64, count: u32) {
        self.rest |= (value & low(count)) << self.rest_bits;
        let bits = self.rest_bits + count;
        let full = (bits / 8) as usize;
        self.bytes.extend_from_slice(&self.rest.to_le_bytes()[..full]);
        // A shift by all 64 bits is none, and cannot be: the 56 that fit leave some of the last byte, or it is 0.
        self.rest = self.rest.checked_shr(full as u32 * 8).unwrap_or(0);
        self.rest_bits = bits % 8;
    }
}
