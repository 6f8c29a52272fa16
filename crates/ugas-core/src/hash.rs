//! Stable hash of plain data: 64-bit XXH3 over little-endian bytes.
//!
//! Peers compare these hashes over the network and across releases, so nothing here may depend on `std`'s
//! `Hasher`, on pointer width or on memory layout. Sequences are preceded by their length, enums and options by a
//! discriminant byte, so that different structures never feed the same bytes.

use std::collections::VecDeque;

use smallvec::{Array, SmallVec};
use xxhash_rust::xxh3::Xxh3;

/// Collects bytes into a 64-bit hash.
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

/// A value that has a stable hash.
pub trait StateHash {
    /// Feeds the value to `hasher`.
    fn state_hash(&self, hasher: &mut StateHasher);
}

macro_rules! hash_numbers {
    ($($number:ty),*) => {$(
        impl StateHash for $number {
            fn state_hash(&self, hasher: &mut StateHasher) {
                hasher.bytes(&self.to_le_bytes());
            }
        }
    )*};
}
hash_numbers!(u8, u16, u32, u64, i32, i64);

impl StateHash for f64 {
    /// Hashed by bits: states that differ in the sign of a zero may diverge.
    fn state_hash(&self, hasher: &mut StateHasher) {
        self.to_bits().state_hash(hasher);
    }
}

impl StateHash for bool {
    fn state_hash(&self, hasher: &mut StateHasher) {
        u8::from(*self).state_hash(hasher);
    }
}

impl StateHash for str {
    fn state_hash(&self, hasher: &mut StateHasher) {
        (self.len() as u64).state_hash(hasher);
        hasher.bytes(self.as_bytes());
    }
}

impl StateHash for String {
    fn state_hash(&self, hasher: &mut StateHasher) {
        self.as_str().state_hash(hasher);
    }
}

impl<T: StateHash> StateHash for [T] {
    fn state_hash(&self, hasher: &mut StateHasher) {
        (self.len() as u64).state_hash(hasher);
        for item in self {
            item.state_hash(hasher);
        }
    }
}

impl<T: StateHash> StateHash for Vec<T> {
    fn state_hash(&self, hasher: &mut StateHasher) {
        self.as_slice().state_hash(hasher);
    }
}

impl<T: StateHash> StateHash for VecDeque<T> {
    fn state_hash(&self, hasher: &mut StateHasher) {
        (self.len() as u64).state_hash(hasher);
        for item in self {
            item.state_hash(hasher);
        }
    }
}

impl<A: Array<Item: StateHash>> StateHash for SmallVec<A> {
    fn state_hash(&self, hasher: &mut StateHasher) {
        self.as_slice().state_hash(hasher);
    }
}

impl<T: StateHash, const N: usize> StateHash for [T; N] {
    fn state_hash(&self, hasher: &mut StateHasher) {
        for item in self {
            item.state_hash(hasher);
        }
    }
}

impl<T: StateHash> StateHash for Option<T> {
    fn state_hash(&self, hasher: &mut StateHasher) {
        self.is_some().state_hash(hasher);
        if let Some(value) = self {
            value.state_hash(hasher);
        }
    }
}

impl<T: StateHash + ?Sized> StateHash for &T {
    fn state_hash(&self, hasher: &mut StateHasher) {
        (**self).state_hash(hasher);
    }
}

impl<T: StateHash + ?Sized> StateHash for Box<T> {
    fn state_hash(&self, hasher: &mut StateHasher) {
        (**self).state_hash(hasher);
    }
}

impl<T: StateHash + ?Sized> StateHash for std::sync::Arc<T> {
    fn state_hash(&self, hasher: &mut StateHasher) {
        (**self).state_hash(hasher);
    }
}

impl<A: StateHash, B: StateHash> StateHash for (A, B) {
    fn state_hash(&self, hasher: &mut StateHasher) {
        self.0.state_hash(hasher);
        self.1.state_hash(hasher);
    }
}

impl<A: StateHash, B: StateHash, C: StateHash> StateHash for (A, B, C) {
    fn state_hash(&self, hasher: &mut StateHasher) {
        self.0.state_hash(hasher);
        self.1.state_hash(hasher);
        self.2.state_hash(hasher);
    }
}

impl StateHash for crate::time::Time {
    fn state_hash(&self, hasher: &mut StateHasher) {
        self.micros().state_hash(hasher);
    }
}

impl StateHash for crate::time::Span {
    fn state_hash(&self, hasher: &mut StateHasher) {
        self.micros().state_hash(hasher);
    }
}

/// Implements [`StateHash`] for a struct, field by field. The field list must be complete: the pattern has no `..`,
/// so a field that is added and forgotten here does not compile.
macro_rules! state_hash_struct {
    ($name:ident { $($field:ident),* $(,)? }) => {
        impl $crate::hash::StateHash for $name {
            fn state_hash(&self, hasher: &mut $crate::hash::StateHasher) {
                let Self { $($field),* } = self;
                $($crate::hash::StateHash::state_hash($field, hasher);)*
            }
        }
    };
}
pub(crate) use state_hash_struct;

/// Implements [`StateHash`] for an enum: the variant's position, then its fields.
macro_rules! state_hash_enum {
    ($name:ident { $($index:literal => $variant:ident $(($($item:ident),*))? $({$($field:ident),* $(,)?})?),* $(,)? }) => {
        impl $crate::hash::StateHash for $name {
            fn state_hash(&self, hasher: &mut $crate::hash::StateHasher) {
                match self {
                    $(Self::$variant $(($($item),*))? $({$($field),*})? => {
                        hasher.bytes(&[$index]);
                        $($($crate::hash::StateHash::state_hash($item, hasher);)*)?
                        $($($crate::hash::StateHash::state_hash($field, hasher);)*)?
                    })*
                }
            }
        }
    };
}
pub(crate) use state_hash_enum;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_matches_published_xxh3() {
        // XXH3-64 of the empty input with seed 0, from the algorithm's specification.
        assert_eq!(StateHasher::new().finish(), 0x2D06_8005_38D3_94C2);
    }

    #[test]
    fn length_prefix_separates_adjacent_strings() {
        assert_ne!(StateHasher::of(&("ab", "c")), StateHasher::of(&("a", "bc")));
        assert_ne!(StateHasher::of(&vec![vec![1u8], vec![]]), StateHasher::of(&vec![vec![], vec![1u8]]));
    }
}
