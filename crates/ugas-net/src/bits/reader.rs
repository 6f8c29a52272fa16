//! Bit reader.

use super::{NUMBER_GROUP, Number, WireError, WireErrorKind, low, unzigzag};

/// Reads values from bits. Whatever the bits are, reading gives a value or an error.
#[derive(Clone, Debug)]
pub struct BitReader<'a> {
    bytes: &'a [u8],
    /// The next bit.
    at: u64,
}

impl<'a> BitReader<'a> {
    /// Creates a reader at the first bit.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Number of bits that were read.
    pub fn position(&self) -> u64 {
        self.at
    }

    /// Number of bits that are left.
    pub fn left(&self) -> u64 {
        self.bytes.len() as u64 * 8 - self.at
    }

    /// An error at the current bit.
    pub fn error(&self, kind: WireErrorKind) -> WireError {
        WireError { at: self.at, kind }
    }

    /// `count` bits as a number, at most 64.
    ///
    /// # Errors
    /// If fewer are left.
    pub fn bits(&mut self, count: u32) -> Result<u64, WireError> {
        let count = count.min(64);
        if u64::from(count) > self.left() {
            return Err(self.error(WireErrorKind::Ends { needed: u64::from(count) }));
        }
        let (first, skip) = ((self.at / 8) as usize, (self.at % 8) as u32);
        let rest = self.bytes.get(first..).unwrap_or_default();
        let mut value = word(rest) >> skip;
        if skip + count > 64 {
            let ninth = rest.get(8).copied().unwrap_or_default();
            value |= u64::from(ninth) << (64 - skip);
        }
        self.at += u64::from(count);
        Ok(value & low(count))
    }

    /// One bit.
    ///
    /// # Errors
    /// If none is left.
    pub fn bool(&mut self) -> Result<bool, WireError> {
        Ok(self.bits(1)? == 1)
    }

    /// An unsigned integer below 2⁶², as [`BitWriter::gamma`](super::BitWriter::gamma) writes it.
    ///
    /// # Errors
    /// If it is cut off or larger.
    pub fn gamma(&mut self) -> Result<u64, WireError> {
        let begin = self.at;
        let mut count = 0;
        while self.bool()? {
            count += 1;
            if count >= 62 {
                return Err(WireError { at: begin, kind: WireErrorKind::TooLarge });
            }
        }
        Ok((1 << count | self.bits(count)?) - 1)
    }

    /// An unsigned integer in groups of `group` bits, 1 to 32 of them.
    ///
    /// # Errors
    /// If it is cut off or has more than 64 bits.
    pub fn varint(&mut self, group: u32) -> Result<u64, WireError> {
        let group = group.clamp(1, 32);
        let begin = self.at;
        let too_large = WireError { at: begin, kind: WireErrorKind::TooLarge };
        let (mut value, mut shift) = (0u64, 0);
        loop {
            let bits = self.bits(group + 1)?;
            // Whatever follows stands for one more than it says.
            let part = (bits & low(group)) + u64::from(shift > 0);
            let shifted = part.checked_shl(shift).filter(|shifted| shifted >> shift == part);
            value = shifted.and_then(|shifted| value.checked_add(shifted)).ok_or(too_large)?;
            if bits >> group == 0 {
                return Ok(value);
            }
            shift += group;
        }
    }

    /// An unsigned integer of a smaller type in groups of `group` bits.
    ///
    /// # Errors
    /// As [`Self::varint`], or if it does not fit.
    pub fn small<T: TryFrom<u64>>(&mut self, group: u32) -> Result<T, WireError> {
        let begin = self.at;
        let value = self.varint(group)?;
        T::try_from(value).map_err(|_| WireError { at: begin, kind: WireErrorKind::TooLarge })
    }

    /// A signed integer in groups of `group` bits, 1 to 32 of them.
    ///
    /// # Errors
    /// As [`Self::varint`].
    pub fn signed(&mut self, group: u32) -> Result<i64, WireError> {
        self.varint(group).map(unzigzag)
    }

    /// A finite number.
    ///
    /// # Errors
    /// If it is cut off, not finite, or not in its shortest form.
    pub fn number(&mut self) -> Result<f64, WireError> {
        let begin = self.at;
        let number = if !self.bool()? {
            Number::Whole(self.signed(NUMBER_GROUP)?)
        } else if !self.bool()? {
            Number::Thousandths(self.signed(NUMBER_GROUP)?)
        } else if !self.bool()? {
            Number::Single(self.single()?)
        } else {
            Number::Double(f64::from_bits(self.bits(64)?))
        };
        let value = number.value();
        if !value.is_finite() {
            return Err(WireError { at: begin, kind: WireErrorKind::NotFinite });
        }
        if Number::of(value) != number {
            return Err(WireError { at: begin, kind: WireErrorKind::NotCanonical("a number") });
        }
        Ok(value)
    }

    /// A finite number of single precision.
    ///
    /// # Errors
    /// If it is cut off or not finite.
    pub fn single(&mut self) -> Result<f32, WireError> {
        let begin = self.at;
        let value = f32::from_bits(self.bits(32)? as u32);
        if value.is_finite() {
            Ok(value)
        } else {
            Err(WireError { at: begin, kind: WireErrorKind::NotFinite })
        }
    }

    /// Number of items that follow, in groups of `group` bits. Checked before allocation.
    ///
    /// # Errors
    /// If these are more than `most`, or more than there are bits left with `bits_each` for one.
    pub fn count(
        &mut self,
        what: &'static str,
        group: u32,
        most: usize,
        bits_each: u64,
    ) -> Result<usize, WireError> {
        self.count_from(0, what, group, most, bits_each)
    }

    /// Number of items that follow, at least one: less one in groups of `group` bits.
    ///
    /// # Errors
    /// As [`Self::count`].
    pub fn count_some(
        &mut self,
        what: &'static str,
        group: u32,
        most: usize,
        bits_each: u64,
    ) -> Result<usize, WireError> {
        self.count_from(1, what, group, most, bits_each)
    }

    /// Reads a count that is written less `least`, for [`Self::count`] and [`Self::count_some`].
    fn count_from(
        &mut self,
        least: u64,
        what: &'static str,
        group: u32,
        most: usize,
        bits_each: u64,
    ) -> Result<usize, WireError> {
        let begin = self.at;
        let found = self.varint(group)?.saturating_add(least);
        let most = (most as u64).min(self.left() / bits_each.max(1));
        if found > most {
            return Err(WireError { at: begin, kind: WireErrorKind::TooMany { what, found, most } });
        }
        Ok(found as usize)
    }

    /// Bytes with their number in groups of `group` bits.
    ///
    /// # Errors
    /// If they are more than `most`, or cut off.
    pub fn bytes(&mut self, what: &'static str, group: u32, most: usize) -> Result<Vec<u8>, WireError> {
        let count = self.count(what, group, most, 8)?;
        let mut bytes = Vec::with_capacity(count);
        for _ in 0..count {
            bytes.push(self.bits(8)? as u8);
        }
        Ok(bytes)
    }

    /// A text with the number of its bytes in groups of `group` bits.
    ///
    /// # Errors
    /// If it has more than `most` bytes, is cut off, or is not UTF-8.
    pub fn text(&mut self, what: &'static str, group: u32, most: usize) -> Result<String, WireError> {
        let begin = self.at;
        let bytes = self.bytes(what, group, most)?;
        String::from_utf8(bytes).map_err(|_| WireError { at: begin, kind: WireErrorKind::NotText })
    }

    /// Checks that nothing follows but zero bits that fill the byte.
    ///
    /// # Errors
    /// If anything else follows.
    pub fn finish(mut self) -> Result<(), WireError> {
        let left = self.left();
        if left >= 8 {
            return Err(self.error(WireErrorKind::Trailing { bits: left }));
        }
        match self.bits(left as u32)? {
            0 => Ok(()),
            _ => Err(self.error(WireErrorKind::Padding)),
        }
    }
}

/// The first eight bytes, with zeros after the last.
fn word(bytes: &[u8]) -> u64 {
    if let Some(chunk) = bytes.first_chunk() {
        return u64::from_le_bytes(*chunk);
    }
    let mut padded = [0; 8];
    padded.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    u64::from_le_bytes(padded)
}
