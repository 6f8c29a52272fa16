//! Bit set of slots.

use smallvec::SmallVec;

use crate::codec::{Decode, DecodeError, Decoder, Encode, Encoder, FieldClone};
use crate::hash::{HashSink, StateHash};
use crate::lazy_box::LazyBox;

/// A set of slots. The first 64, which are enough for most controllers, take one `u64`.
#[derive(Debug, Default, FieldClone)]
pub(crate) struct SlotBits {
    first: u64,
    /// Bits of the slots from 64 on.
    rest: LazyBox<Vec<u64>>,
}

impl SlotBits {
    /// Adds a slot; returns whether it is new.
    #[inline]
    pub(crate) fn insert(&mut self, slot: u16) -> bool {
        let bit = 1u64 << (slot % 64);
        let word = if slot < 64 { &mut self.first } else { self.word_of(slot) };
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Whether the slot is in the set; `false` for slots beyond the stored words.
    #[inline]
    pub(crate) fn contains(&self, slot: u16) -> bool {
        let word = match usize::from(slot / 64).checked_sub(1) {
            None => self.first,
            Some(at) => self.rest.get(at).copied().unwrap_or_default(),
        };
        word & (1 << (slot % 64)) != 0
    }

    /// Removes a slot.
    #[inline]
    pub(crate) fn remove(&mut self, slot: u16) {
        let word = match usize::from(slot / 64).checked_sub(1) {
            None => Some(&mut self.first),
            Some(at) => self.rest.get_mut().and_then(|rest| rest.get_mut(at)),
        };
        if let Some(word) = word {
            *word &= !(1 << (slot % 64));
        }
    }

    /// Removes and returns the lowest slot.
    #[inline]
    pub(crate) fn pop_first(&mut self) -> Option<u16> {
        if self.first != 0 {
            let slot = self.first.trailing_zeros();
            self.first &= self.first - 1;
            return Some(slot as u16);
        }
        let rest = self.rest.get_mut()?;
        let at = rest.iter().position(|&word| word != 0)?;
        let slot = (at as u32 + 1) * 64 + rest[at].trailing_zeros();
        rest[at] &= rest[at] - 1;
        Some(slot as u16)
    }

    /// Whether the set is not empty.
    pub(crate) fn has_any(&self) -> bool {
        self.first != 0 || self.rest.iter().any(|&word| word != 0)
    }

    /// Whether all slots are below `count`.
    pub(crate) fn fits(&self, count: usize) -> bool {
        let words = self.words();
        let Some(last) = words.last() else { return true };
        words.len() * 64 - last.leading_zeros() as usize <= count
    }

    /// The `u64` with the bit of a slot from 64 on; grows the list if necessary.
    fn word_of(&mut self, slot: u16) -> &mut u64 {
        let at = usize::from(slot / 64).saturating_sub(1);
        let rest = self.rest.make_mut();
        if rest.len() <= at {
            rest.resize(at + 1, 0);
        }
        &mut rest[at]
    }

    /// The `u64`s up to the last that is not zero.
    fn words(&self) -> SmallVec<[u64; 4]> {
        let mut words: SmallVec<[u64; 4]> =
            core::iter::once(self.first).chain(self.rest.iter().copied()).collect();
        while words.last() == Some(&0) {
            words.pop();
        }
        words
    }
}

impl StateHash for SlotBits {
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        self.words().state_hash(hasher);
    }
}

impl Encode for SlotBits {
    fn encode(&self, encoder: &mut Encoder) {
        self.words().encode(encoder);
    }
}

impl Decode for SlotBits {
    fn decode(decoder: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        let words = Vec::<u64>::decode(decoder)?;
        if words.last() == Some(&0) {
            return Err(decoder.invalid("a set of slots has trailing zeros"));
        }
        let mut words = words.into_iter();
        Ok(Self { first: words.next().unwrap_or_default(), rest: words.collect::<Vec<_>>().into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pop_first_returns_each_slot_once_in_order() {
        let mut slots = SlotBits::default();
        for slot in [200, 3, 64, 63, 3, 65_534] {
            slots.insert(slot);
        }
        assert!(!slots.insert(64));
        assert!(slots.contains(200) && !slots.contains(201) && slots.contains(3));
        slots.remove(200);
        slots.remove(1_000);
        assert!(slots.fits(65_535) && !slots.fits(65_534));
        let drained: Vec<u16> = core::iter::from_fn(|| slots.pop_first()).collect();
        assert_eq!(drained, [3, 63, 64, 65_534]);
        assert!(slots.fits(0));
    }
}
