//! Writing.

/// A value that can be written.
pub trait Encode {
    /// Appends the value's bytes.
    fn encode(&self, encoder: &mut Encoder);
}

/// Collects bytes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Encoder {
    bytes: Vec<u8>,
}

impl Encoder {
    /// Without bytes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends to `bytes`, whose memory is used.
    pub fn onto(bytes: Vec<u8>) -> Self {
        Self { bytes }
    }

    /// One byte.
    pub fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    /// Bytes as they are, without a length.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// An unsigned integer, LEB128.
    pub fn unsigned(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    /// A signed integer, zigzag.
    pub fn signed(&mut self, value: i64) {
        self.unsigned((value << 1 ^ value >> 63) as u64);
    }

    /// How many items follow.
    pub fn length(&mut self, length: usize) {
        self.unsigned(length as u64);
    }

    /// A list: its length and its items.
    pub fn list<'a, T: Encode + 'a>(&mut self, items: impl ExactSizeIterator<Item = &'a T>) {
        self.length(items.len());
        for item in items {
            item.encode(self);
        }
    }

    /// Forgets what was written, and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    /// All that was written.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// All that was written.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}
