//! Stable hashes of plain data, of definitions and of the state.
//!
//! Peers compare these hashes over the network and across releases, so nothing here may depend on `std`'s
//! `Hasher`, on pointer width, on byte order or on memory layout. Sequences are preceded by their length, enums and
//! options by a discriminant, so that different structures never feed the same fields.
//!
//! One list of fields feeds either of two hashers:
//!
//! - [`StateHasher`]: 64-bit XXH3 over little-endian bytes. Definitions, names, checksums and dictionaries are
//!   hashed with it, and so was the whole state up to format version 4.
//! - [`RecordHasher`]: one round of arithmetic for each field. The state is hashed with it, record by record, so
//!   that unchanged records are not hashed again.
//!
//! # State hash
//!
//! [`RecordHasher`] keeps a number `a`, which begins as `P5`; all arithmetic is modulo 2⁶⁴, with the primes of
//! XXH64. Each word `w` is a round of XXH64: `a = rotate_left(a + w × P2, 31) × P1`. The result is the avalanche of
//! XXH64: `a ^= a >> 33; a *= P2; a ^= a >> 29; a *= P3; a ^= a >> 32`. Rounds are invertible, so two records
//! that differ in one word have different hashes.
//!
//! A number is one word: unsigned ones extended with zeros, signed ones with their sign, `f64` by its bits. Text
//! is its length in bytes, then its bytes in little-endian words of eight, the last filled up with zeros.
//!
//! The words of the state are: time, seed, the next numbers of application, controller, operation and event; the
//! arenas of controllers, effects, granted abilities, activations and tasks; the next number of a run-time effect, and in
//! order of number: 1 and the [`StateHasher`] hash of a definition, or 0 and the length of a gap.
//! The words of an arena are its number of slots, the hash of each chapter, and the first free slot as an
//! option. A chapter is the hash of its 16 pages, a page that of its 16 slots; the last ones may have fewer.
//! A slot is the hash of its generation and of 0 and the fields of its object (of a controller also the list of its
//! attribute sets), 1 and the next free slot as an option, or 2 if it is retired.

use std::collections::VecDeque;

use smallvec::{Array, SmallVec};
pub(crate) use ugas_core_derive::StateHash;
use xxhash_rust::xxh3::Xxh3;

/// Receives the fields of values in order.
pub trait HashSink {
    /// Whether arenas are hashed by record, from cached hashes of the records that have not changed.
    const BY_RECORD: bool;

    /// Adds a number of `size` bytes: its low bytes, in little-endian order.
    fn number(&mut self, value: u64, size: usize);

    /// Adds raw bytes, without a length.
    fn bytes(&mut self, bytes: &[u8]);
}

/// XXH3 of all fields as a stream of bytes.
#[derive(Clone, Default)]
pub struct StateHasher(Xxh3);

impl StateHasher {
    /// An empty hasher.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds raw bytes, without a length.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The hash of all that was added.
    pub fn finish(&self) -> u64 {
        self.0.digest()
    }

    /// The hash of one value.
    pub fn of<T: StateHash + ?Sized>(value: &T) -> u64 {
        let mut hasher = Self::new();
        value.state_hash(&mut hasher);
        hasher.finish()
    }
}

impl HashSink for StateHasher {
    const BY_RECORD: bool = false;

    #[inline]
    fn number(&mut self, value: u64, size: usize) {
        self.0.update(&value.to_le_bytes()[..size]);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }
}

const P1: u64 = 0x9E37_79B1_85EB_CA87;
const P2: u64 = 0xC2B2_AE3D_27D4_EB4F;
const P3: u64 = 0x1656_67B1_9E37_79F9;
const P5: u64 = 0x27D4_EB2F_1656_67C5;

/// Hash of one record, word by word; see the [module](self).
#[derive(Clone, Copy, Debug)]
pub struct RecordHasher(u64);

impl RecordHasher {
    /// An empty hasher.
    #[inline]
    pub const fn new() -> Self {
        Self(P5)
    }

    /// Adds one word.
    #[inline]
    pub const fn word(&mut self, word: u64) {
        self.0 = self.0.wrapping_add(word.wrapping_mul(P2)).rotate_left(31).wrapping_mul(P1);
    }

    /// The hash of all that was added.
    #[inline]
    pub const fn finish(&self) -> u64 {
        let mut hash = self.0;
        hash = (hash ^ hash >> 33).wrapping_mul(P2);
        hash = (hash ^ hash >> 29).wrapping_mul(P3);
        hash ^ hash >> 32
    }

    /// The hash of one value.
    pub fn of<T: StateHash + ?Sized>(value: &T) -> u64 {
        let mut hasher = Self::new();
        value.state_hash(&mut hasher);
        hasher.finish()
    }
}

impl Default for RecordHasher {
    fn default() -> Self {
        Self::new()
    }
}

impl HashSink for RecordHasher {
    const BY_RECORD: bool = true;

    #[inline]
    fn number(&mut self, value: u64, _: usize) {
        self.word(value);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            self.word(u64::from_le_bytes(word));
        }
    }
}

/// A value that has a stable hash.
pub trait StateHash {
    /// Feeds the value to `hasher`.
    fn state_hash<S: HashSink>(&self, hasher: &mut S);
}

macro_rules! hash_numbers {
    ($($number:ty),*) => {$(
        impl StateHash for $number {
            fn state_hash<S: HashSink>(&self, hasher: &mut S) {
                hasher.number(*self as u64, size_of::<Self>());
            }
        }
    )*};
}
hash_numbers!(u8, u16, u32, u64, i32, i64);

impl StateHash for f64 {
    /// Hashed by bits: states that differ in the sign of a zero may diverge.
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        self.to_bits().state_hash(hasher);
    }
}

impl StateHash for bool {
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        u8::from(*self).state_hash(hasher);
    }
}

impl StateHash for str {
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        (self.len() as u64).state_hash(hasher);
        hasher.bytes(self.as_bytes());
    }
}

impl StateHash for String {
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        self.as_str().state_hash(hasher);
    }
}

impl<T: StateHash> StateHash for [T] {
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        (self.len() as u64).state_hash(hasher);
        for item in self {
            item.state_hash(hasher);
        }
    }
}

impl<T: StateHash> StateHash for Vec<T> {
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        self.as_slice().state_hash(hasher);
    }
}

impl<T: StateHash> StateHash for VecDeque<T> {
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        (self.len() as u64).state_hash(hasher);
        for item in self {
            item.state_hash(hasher);
        }
    }
}

impl<A: Array<Item: StateHash>> StateHash for SmallVec<A> {
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        self.as_slice().state_hash(hasher);
    }
}

impl<T: StateHash, const N: usize> StateHash for [T; N] {
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        for item in self {
            item.state_hash(hasher);
        }
    }
}

impl<T: StateHash> StateHash for Option<T> {
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        self.is_some().state_hash(hasher);
        if let Some(value) = self {
            value.state_hash(hasher);
        }
    }
}

impl<T: StateHash + ?Sized> StateHash for &T {
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        (**self).state_hash(hasher);
    }
}

impl<T: StateHash + ?Sized> StateHash for Box<T> {
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        (**self).state_hash(hasher);
    }
}

impl<T: StateHash + ?Sized> StateHash for std::sync::Arc<T> {
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        (**self).state_hash(hasher);
    }
}

impl<A: StateHash, B: StateHash> StateHash for (A, B) {
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        self.0.state_hash(hasher);
        self.1.state_hash(hasher);
    }
}

impl<A: StateHash, B: StateHash, C: StateHash> StateHash for (A, B, C) {
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        self.0.state_hash(hasher);
        self.1.state_hash(hasher);
        self.2.state_hash(hasher);
    }
}

impl StateHash for crate::time::Time {
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        self.micros().state_hash(hasher);
    }
}

impl StateHash for crate::time::Span {
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        self.micros().state_hash(hasher);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_matches_published_xxh3() {
        // XXH3-64 of the empty input with seed 0, from the algorithm's specification.
        assert_eq!(StateHasher::new().finish(), 0x2D06_8005_38D3_94C2);
    }

    /// Computed by another implementation of the definition above.
    #[test]
    fn record_hash_is_as_defined() {
        // XXH64 of the empty input with seed 0, from the algorithm's specification.
        assert_eq!(RecordHasher::new().finish(), 0xEF46_DB37_51D8_E999);
        assert_eq!(RecordHasher::of(&0u8), 0xD177_C6A3_F06B_C4B6);
        assert_eq!(RecordHasher::of(&(0u8, 0u64)), 0x846B_898D_0EF3_B4D9);
        assert_eq!(RecordHasher::of(&(7u16, -1i32, 1.5)), 0x4794_EB7E_1E34_3179);
        assert_eq!(RecordHasher::of("Ability.Slot.1"), 0x3327_5EE3_017D_283C);
    }

    /// Every bit of every word changes about half of the bits of the hash.
    #[test]
    fn record_hash_avalanches() {
        let words = [0u64, 1, 1 << 63, 0x3FF0_0000_0000_0000, 7, u64::MAX, 0, 0];
        let original = RecordHasher::of(&words);
        for (at, bit) in (0..words.len()).flat_map(|at| (0..64).map(move |bit| (at, bit))) {
            let mut changed = words;
            changed[at] ^= 1 << bit;
            let flipped = (RecordHasher::of(&changed) ^ original).count_ones();
            assert!((12..=52).contains(&flipped), "bit {bit} of word {at} changes {flipped} bits");
        }
    }

    /// Small numbers in several fields, as states have them, lead to no equal hashes.
    #[test]
    fn record_hashes_of_small_numbers_differ() {
        let signs = [0.0, -0.0, 1.0, -1.0, 100.0, -100.0];
        let numbers = (0..24u64).flat_map(|one| (0..24u64).map(move |other| (one, other)));
        let numbers = numbers.map(|pair| RecordHasher::of(&pair));
        let pairs =
            signs.iter().flat_map(|one| signs.iter().map(move |other| RecordHasher::of(&(*one, *other))));
        let mut hashes: Vec<u64> = numbers.chain(pairs).collect();
        let count = hashes.len();
        hashes.sort_unstable();
        hashes.dedup();
        // A pair of positive zeros is the same words as a pair of integers.
        assert_eq!(hashes.len(), count - 1);
    }

    #[test]
    fn length_prefix_separates_adjacent_strings() {
        assert_ne!(StateHasher::of(&("ab", "c")), StateHasher::of(&("a", "bc")));
        assert_ne!(RecordHasher::of(&("ab", "c")), RecordHasher::of(&("a", "bc")));
        assert_ne!(RecordHasher::of("a"), RecordHasher::of("a\0"));
        assert_ne!(StateHasher::of(&vec![vec![1u8], vec![]]), StateHasher::of(&vec![vec![], vec![1u8]]));
        assert_ne!(RecordHasher::of(&vec![vec![1u8], vec![]]), RecordHasher::of(&vec![vec![], vec![1u8]]));
    }
}
