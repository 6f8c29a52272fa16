//! Encoding of values that several messages share: handles, tags, ticks, keys, numbers, texts.

use core::num::NonZeroU32;

use ugas_core::effect::{PredictionKey, Vector3};
use ugas_core::handle::Handle;
use ugas_core::id::TagId;

use super::dictionary::Dictionary;
use super::error::EncodeError;
use super::group;
use crate::bits::{BitReader, BitWriter, WireError, WireErrorKind};
use crate::tick::Tick;

/// Encodes a message.
pub(super) struct Encoder<'a> {
    pub(super) bits: &'a mut BitWriter,
    pub(super) dictionary: &'a Dictionary,
}

impl Encoder<'_> {
    /// Writes a bit that says whether there is a value, and the value by `write` if there is.
    pub(super) fn option<T>(
        &mut self,
        value: Option<T>,
        write: impl FnOnce(&mut Self, T) -> Result<(), EncodeError>,
    ) -> Result<(), EncodeError> {
        self.bits.bool(value.is_some());
        value.map_or(Ok(()), |value| write(self, value))
    }

    /// Writes a handle: its index, and its generation less one.
    pub(super) fn handle<H: Handle>(&mut self, handle: H) {
        self.bits.varint(u64::from(handle.index()), group::INDEX);
        self.bits.varint(u64::from(handle.generation().get() - 1), group::GENERATION);
    }

    /// Writes a handle above the previous one, by the gap; the first, without a previous one, in full.
    /// [`EncodeError::Unsorted`], with the name `what`, if it is not above.
    pub(super) fn next_handle<H: Handle>(
        &mut self,
        what: &'static str,
        previous: Option<H>,
        handle: H,
    ) -> Result<(), EncodeError> {
        let Some(previous) = previous else {
            self.handle(handle);
            return Ok(());
        };
        if handle <= previous {
            return Err(EncodeError::Unsorted(what));
        }
        let gap = handle.index() - previous.index();
        // With the same index only later generations can follow.
        let least = if gap == 0 { previous.generation().get() + 1 } else { 1 };
        self.bits.varint(u64::from(gap), group::INDEX_GAP);
        self.bits.varint(u64::from(handle.generation().get() - least), group::GENERATION);
        Ok(())
    }

    /// Writes a tag by its index; an error if the dictionary does not have it.
    pub(super) fn tag(&mut self, tag: TagId) -> Result<(), EncodeError> {
        if !self.dictionary.has_tag(tag) {
            let known = self.dictionary.tags();
            return Err(EncodeError::UnknownId { what: "tag", index: tag.index(), known });
        }
        self.bits.bits(u64::from(tag.index()), self.dictionary.tag_bits());
        Ok(())
    }

    /// Writes a tick in full, not relative to another one.
    pub(super) fn tick(&mut self, tick: Tick) {
        self.bits.varint(u64::from(tick.0), group::TICK);
    }

    /// Writes a tick, before or after a nearby one, by the difference.
    pub(super) fn tick_near(&mut self, near: Tick, tick: Tick) {
        self.bits.signed(near.since(tick), group::TICK_NEAR);
    }

    /// Writes a prediction key, with its tick relative to a nearby one.
    pub(super) fn key(&mut self, near: Tick, key: PredictionKey) {
        let Key { tick, sequence, dependent } = Key::of(key);
        self.tick_near(near, tick);
        self.bits.varint(u64::from(sequence), group::SEQUENCE);
        self.bits.varint(u64::from(dependent), group::SEQUENCE);
    }

    /// Writes a number exactly; an error, with the name `what`, if it is not finite.
    pub(super) fn number(&mut self, what: &'static str, value: f64) -> Result<(), EncodeError> {
        if !value.is_finite() {
            return Err(EncodeError::NotFinite(what));
        }
        self.bits.number(value);
        Ok(())
    }

    /// Writes a number rounded to single precision; an error, with the name `what`, if it is not finite.
    pub(super) fn coarse(&mut self, what: &'static str, value: f64) -> Result<(), EncodeError> {
        self.bits.single(narrowed(value).ok_or(EncodeError::NotFinite(what))?);
        Ok(())
    }

    /// Writes a vector in single precision; an error, with the name `what`, if a coordinate is not finite.
    pub(super) fn vector(&mut self, what: &'static str, vector: Vector3) -> Result<(), EncodeError> {
        vector.into_iter().try_for_each(|value| self.coarse(what, value))
    }

    /// Writes the number of bytes and the bytes; an error if there are more than `most`.
    pub(super) fn bytes(&mut self, what: &'static str, bytes: &[u8], most: usize) -> Result<(), EncodeError> {
        at_most(what, bytes.len(), most)?;
        self.bits.bytes(bytes, group::LENGTH);
        Ok(())
    }
}

/// Decodes a message.
pub(super) struct Decoder<'a> {
    pub(super) bits: BitReader<'a>,
    pub(super) dictionary: &'a Dictionary,
}

impl Decoder<'_> {
    /// Reads a bit that says whether there is a value, and the value by `read` if there is.
    pub(super) fn option<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, WireError>,
    ) -> Result<Option<T>, WireError> {
        if self.bits.bool()? { read(self).map(Some) } else { Ok(None) }
    }

    /// An error at an earlier bit, for values that turn out invalid after they were read.
    pub(super) fn error_at<T>(&self, at: u64, kind: WireErrorKind) -> Result<T, WireError> {
        Err(WireError { at, kind })
    }

    /// Reads a handle. Whether there is such an object is not checked.
    pub(super) fn handle<H: Handle>(&mut self) -> Result<H, WireError> {
        let index = self.bits.small(group::INDEX)?;
        self.generation(index, 1)
    }

    /// Reads a handle above the previous one, by the gap; a handle on its own if there is none.
    pub(super) fn next_handle<H: Handle>(&mut self, previous: Option<H>) -> Result<H, WireError> {
        let Some(previous) = previous else { return self.handle() };
        let too_large = self.bits.error(WireErrorKind::TooLarge);
        let gap: u32 = self.bits.small(group::INDEX_GAP)?;
        let index = previous.index().checked_add(gap).ok_or(too_large)?;
        let least = if gap == 0 { u64::from(previous.generation().get()) + 1 } else { 1 };
        self.generation(index, least)
    }

    /// Reads the generation of a handle, which is at least `least`, and returns the handle with this index.
    fn generation<H: Handle>(&mut self, index: u32, least: u64) -> Result<H, WireError> {
        let too_large = self.bits.error(WireErrorKind::TooLarge);
        let generation = self.bits.varint(group::GENERATION)?.checked_add(least);
        let generation = generation.and_then(|generation| u32::try_from(generation).ok());
        let generation = generation.and_then(NonZeroU32::new).ok_or(too_large)?;
        Ok(H::from_parts(index, generation))
    }

    /// Reads a tag; an error if the dictionary does not have it.
    pub(super) fn tag(&mut self) -> Result<TagId, WireError> {
        let too_large = self.bits.error(WireErrorKind::TooLarge);
        let tag = TagId::from_index(self.bits.bits(self.dictionary.tag_bits())? as u32);
        if self.dictionary.has_tag(tag) { Ok(tag) } else { Err(too_large) }
    }

    pub(super) fn tick(&mut self) -> Result<Tick, WireError> {
        self.bits.small(group::TICK).map(Tick)
    }

    /// Reads a tick relative to a nearby one.
    pub(super) fn tick_near(&mut self, near: Tick) -> Result<Tick, WireError> {
        let too_large = self.bits.error(WireErrorKind::TooLarge);
        let tick = i64::from(near.0).checked_sub(self.bits.signed(group::TICK_NEAR)?);
        tick.and_then(|tick| u32::try_from(tick).ok()).map(Tick).ok_or(too_large)
    }

    /// Reads a prediction key, with its tick relative to a nearby one.
    pub(super) fn key(&mut self, near: Tick) -> Result<PredictionKey, WireError> {
        let tick = self.tick_near(near)?;
        let sequence = self.bits.small(group::SEQUENCE)?;
        let dependent = self.bits.small(group::SEQUENCE)?;
        Ok(Key { tick, sequence, dependent }.into_key())
    }

    pub(super) fn number(&mut self) -> Result<f64, WireError> {
        self.bits.number()
    }

    /// Reads a vector in single precision, whose numbers are finite.
    pub(super) fn vector(&mut self) -> Result<Vector3, WireError> {
        let mut vector = [0.0; 3];
        for value in &mut vector {
            *value = f64::from(self.bits.single()?);
        }
        Ok(vector)
    }

    /// Reads bytes with their number; more than `most` is an error that names `what`.
    pub(super) fn bytes(&mut self, what: &'static str, most: usize) -> Result<Vec<u8>, WireError> {
        self.bits.bytes(what, group::LENGTH, most)
    }

    /// Reads UTF-8 text with its number of bytes; more than `most` is an error that names `what`.
    pub(super) fn text(&mut self, what: &'static str, most: usize) -> Result<String, WireError> {
        self.bits.text(what, group::LENGTH, most)
    }
}

/// Parts of a prediction key, which are small numbers on their own.
struct Key {
    tick: Tick,
    sequence: u16,
    dependent: u16,
}

impl Key {
    /// Splits a key: from the top, 32 bits of tick, 16 of sequence and 16 of dependent number.
    fn of(key: PredictionKey) -> Self {
        Self { tick: Tick((key.0 >> 32) as u32), sequence: (key.0 >> 16) as u16, dependent: key.0 as u16 }
    }

    /// Joins the parts again; the inverse of [`Self::of`].
    fn into_key(self) -> PredictionKey {
        let Self { tick, sequence, dependent } = self;
        PredictionKey(u64::from(tick.0) << 32 | u64::from(sequence) << 16 | u64::from(dependent))
    }
}

/// Rounds to single precision. Too large numbers become the largest; `None` if it is not finite.
pub(super) fn narrowed(value: f64) -> Option<f32> {
    value.is_finite().then(|| (value as f32).clamp(f32::MIN, f32::MAX))
}

/// [`EncodeError::TooMany`] if there are more than `most` items; `what` names them.
pub(super) fn at_most(what: &'static str, found: usize, most: usize) -> Result<(), EncodeError> {
    if found > most { Err(EncodeError::TooMany { what, found, most }) } else { Ok(()) }
}
