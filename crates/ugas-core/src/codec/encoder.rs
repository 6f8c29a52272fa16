//! Encoding.

/// A value that can be encoded.
pub trait Encode {
    /// Appends the value's bytes.
    fn encode(&self, encoder: &mut Encoder);
}

/// A writer of bytes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Encoder {
    bytes: Vec<u8>,
}

impl Encoder {
    /// An empty encoder.
    pub fn new() -> Self {
        Self::default()
    }

    /// An encoder that appends to `bytes` and reuses its memory.
    pub fn onto(bytes: Vec<u8>) -> Self {
        Self { bytes }
    }

    /// Writes one byte.
    pub fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    /// Writes bytes unchanged, without a length.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Writes an unsigned integer, LEB128.
    pub fn unsigned(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    /// Writes a signed integer, zigzag.
    pub fn signed(&mut self, value: i64) {
        self.unsigned((value << 1 ^ value >> 63) as u64);
    }

    /// Writes the number of items that follow.
    pub fn length(&mut self, length: usize) {
        self.unsigned(length as u64);
    }

    /// Writes a list: its length and its items.
    pub fn list<'a, T: Encode + 'a>(&mut self, items: impl ExactSizeIterator<Item = &'a T>) {
        self.length(items.len());
        for item in items {
            item.encode(self);
        }
    }

    /// Removes all bytes and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    /// All bytes written.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// All bytes written.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}
