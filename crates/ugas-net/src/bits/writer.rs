//! Bit writer.

use super::{NUMBER_GROUP, Number, low, zigzag};

/// Writes values as bits. [Clearing](Self::clear) keeps the allocation.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BitWriter {
    /// Full words of eight bytes.
    bytes: Vec<u8>,
    /// The bits that do not fill a word yet; zeros above them.
    rest: u64,
    /// Number of bits in `rest`: 0 to 63.
    rest_bits: u32,
}

/// A position in a [`BitWriter`] to rewind to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Mark {
    bits: u64,
}

impl BitWriter {
    /// Creates an empty writer.
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of bits that were written.
    #[inline]
    pub fn bit_len(&self) -> u64 {
        self.bytes.len() as u64 * 8 + u64::from(self.rest_bits)
    }

    /// Number of bytes of the datagram so far, a partly filled last one included.
    pub fn byte_len(&self) -> usize {
        self.bytes.len() + self.rest_bits.div_ceil(8) as usize
    }

    /// True if nothing was written.
    pub fn is_empty(&self) -> bool {
        self.bit_len() == 0
    }

    /// Drops all bits and keeps the allocation.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.rest = 0;
        self.rest_bits = 0;
    }

    /// The current position, to [rewind](Self::rewind) to if the next item does not fit.
    pub fn mark(&self) -> Mark {
        Mark { bits: self.bit_len() }
    }

    /// Drops all bits after the mark; does nothing if the mark is ahead.
    pub fn rewind(&mut self, mark: Mark) {
        if mark.bits >= self.bit_len() {
            return;
        }
        let (whole, bits) = ((mark.bits / 64) as usize * 8, (mark.bits % 64) as u32);
        let word = self.bytes.get(whole..).and_then(|words| words.first_chunk()).copied();
        self.rest = word.map_or(self.rest, u64::from_le_bytes) & low(bits);
        self.bytes.truncate(whole);
        self.rest_bits = bits;
    }

    /// The low `count` bits of a value; nothing if `count` is 0, and 64 if it is more.
    pub fn bits(&mut self, value: u64, count: u32) {
        self.chunk(value, count.min(64));
    }

    /// Appends a flag as one bit: 1 for true.
    pub fn bool(&mut self, value: bool) {
        self.chunk(u64::from(value), 1);
    }

    /// An unsigned integer below 2⁶²: as many set bits as one more than it has after its highest, a bit that is not set,
    /// and these bits.
    pub fn gamma(&mut self, value: u64) {
        let more = value.saturating_add(1);
        let count = more.ilog2();
        self.chunk(low(count), count + 1);
        self.chunk(more, count);
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

    /// A signed integer, zigzag-coded, in groups of `group` bits (1 to 32), each with a bit that says
    /// whether more follow.
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

    /// Appends a number of single precision as its 32 bits, for positions and facings.
    pub fn single(&mut self, value: f32) {
        self.chunk(u64::from(value.to_bits()), 32);
    }

    /// Bytes with their number in groups of `group` bits.
    pub fn bytes(&mut self, bytes: &[u8], group: u32) {
        self.varint(bytes.len() as u64, group);
        self.raw(bytes);
    }

    /// Appends all bits of another writer, word by word.
    #[inline]
    pub fn append(&mut self, other: &Self) {
        self.raw(&other.bytes);
        self.chunk(other.rest, other.rest_bits);
    }

    /// Adds the bytes to `datagram`; the last one is filled with zeros.
    pub fn copy_to(&self, datagram: &mut Vec<u8>) {
        datagram.extend_from_slice(&self.bytes);
        datagram.extend_from_slice(self.last_bytes(&self.rest.to_le_bytes()));
    }

    /// The bytes; the last one is filled with zeros.
    pub fn into_bytes(mut self) -> Vec<u8> {
        let rest = self.rest.to_le_bytes();
        self.bytes.extend_from_slice(self.last_bytes(&rest));
        self.bytes
    }

    /// The bytes of the unfinished word that hold bits; `rest` is that word.
    fn last_bytes<'a>(&self, rest: &'a [u8; 8]) -> &'a [u8] {
        rest.get(..self.rest_bits.div_ceil(8) as usize).unwrap_or_default()
    }

    /// Appends bytes without their number, in words of 64 bits at any bit position.
    #[inline]
    fn raw(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks();
        for word in words {
            self.chunk(u64::from_le_bytes(*word), 64);
        }
        for byte in rest {
            self.chunk(u64::from(*byte), 8);
        }
    }

    /// Appends the low `count` bits of a value, at most 64. Everything is written through this.
    #[inline]
    fn chunk(&mut self, value: u64, count: u32) {
        let value = value & low(count);
        // `rest_bits` is below 64, so that the shift is valid.
        let word = self.rest | value << self.rest_bits;
        let bits = self.rest_bits + count;
        if bits < 64 {
            self.rest = word;
            self.rest_bits = bits;
            return;
        }
        self.bytes.extend_from_slice(&word.to_le_bytes());
        self.rest = value.checked_shr(64 - self.rest_bits).unwrap_or(0);
        self.rest_bits = bits - 64;
    }
}
