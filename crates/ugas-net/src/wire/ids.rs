//! Encoding of id sets: a subset of `known` ids.
//!
//! Of two forms the shorter is written: a mask with a bit for each id, or the gaps between the members as
//! Golomb–Rice codes: the quotient in unary, then the low bits, whose number follows from the average gap.
//! That is close to the least number of bits for such a subset.

use super::error::EncodeError;
use crate::bits::{BitReader, BitWriter, WireError, WireErrorKind, varint_bits};

/// Group size of the number of ids, less one: up to four take three bits.
const COUNT_GROUP: u32 = 2;

/// Writes a set of at least one id below `known`, in rising order. Nothing is written if an id is unknown or
/// out of order; `what` names the ids in errors.
pub(super) fn write(
    writer: &mut BitWriter,
    what: &'static str,
    known: u32,
    ids: impl Iterator<Item = u32> + Clone,
) -> Result<(), EncodeError> {
    let mut next = 0;
    let mut count = 0;
    for id in ids.clone() {
        if id >= known {
            return Err(EncodeError::UnknownId { what, index: id, known });
        }
        if id < next {
            return Err(EncodeError::Unsorted(what));
        }
        next = id + 1;
        count += 1;
    }
    let is_mask = mask_is_shorter(known, count, ids.clone());
    writer.bool(is_mask);
    if is_mask {
        write_mask(writer, known, ids);
        return Ok(());
    }
    writer.varint(u64::from(count.saturating_sub(1)), COUNT_GROUP);
    let low = low_bits(known, count);
    for gap in gaps(ids) {
        let mut high = gap >> low;
        while high >= 63 {
            writer.bits(u64::MAX, 63);
            high -= 63;
        }
        // The quotient in unary.
        writer.bits((1 << high) - 1, high + 1);
        writer.bits(u64::from(gap), low);
    }
    Ok(())
}

/// Reads a set of at least one id below `known`, in rising order. An empty set and the longer form are not
/// canonical.
pub(super) fn read(
    reader: &mut BitReader<'_>,
    what: &'static str,
    known: u32,
) -> Result<Vec<u32>, WireError> {
    let begin = reader.position();
    let is_mask = reader.bool()?;
    let ids = if is_mask { read_mask(reader, known)? } else { read_gaps(reader, what, known)? };
    let count = ids.len() as u32;
    if ids.is_empty() || is_mask != mask_is_shorter(known, count, ids.iter().copied()) {
        return Err(WireError { at: begin, kind: WireErrorKind::NotCanonical(what) });
    }
    Ok(ids)
}

/// Reads a mask of `known` bits; an error if fewer are left, before anything is allocated.
fn read_mask(reader: &mut BitReader<'_>, known: u32) -> Result<Vec<u32>, WireError> {
    if u64::from(known) > reader.left() {
        return Err(reader.error(WireErrorKind::Ends { needed: u64::from(known) }));
    }
    let mut ids = Vec::new();
    let mut at = 0;
    while at < known {
        let bits = (known - at).min(64);
        let mut word = reader.bits(bits)?;
        while word != 0 {
            ids.push(at + word.trailing_zeros());
            word &= word - 1;
        }
        at += bits;
    }
    Ok(ids)
}

/// Reads the number of ids, then the gap before each; an error if one is not below `known`.
fn read_gaps(reader: &mut BitReader<'_>, what: &'static str, known: u32) -> Result<Vec<u32>, WireError> {
    let count = reader.count_some(what, COUNT_GROUP, known as usize, 1)? as u32;
    let low = low_bits(known, count);
    let mut ids = Vec::with_capacity(count as usize);
    let mut next = 0u32;
    for _ in 0..count {
        let begin = reader.position();
        let too_large = WireError { at: begin, kind: WireErrorKind::TooLarge };
        let mut high = 0u32;
        while reader.bool()? {
            high += 1;
        }
        let gap = u64::from(high) << low | reader.bits(low)?;
        let id = u64::from(next).checked_add(gap).filter(|id| *id < u64::from(known)).ok_or(too_large)?;
        ids.push(id as u32);
        next = id as u32 + 1;
    }
    Ok(ids)
}

/// Writes a mask of `known` bits, in words of 64. The ids must be sorted and below `known`.
fn write_mask(writer: &mut BitWriter, known: u32, ids: impl Iterator<Item = u32>) {
    let (mut word, mut begin) = (0u64, 0);
    for id in ids {
        while id - begin >= 64 {
            writer.bits(word, 64);
            (word, begin) = (0, begin + 64);
        }
        word |= 1 << (id - begin);
    }
    while known > begin {
        writer.bits(word, known - begin);
        (word, begin) = (0, begin.saturating_add(64));
    }
}

/// Number of ids that are left out before each id.
fn gaps(ids: impl Iterator<Item = u32>) -> impl Iterator<Item = u32> {
    let mut next = 0;
    ids.map(move |id| {
        let gap = id - next;
        next = id + 1;
        gap
    })
}

/// The Rice parameter, which is the number of low bits of each gap: log2 of the average distance of the
/// members (`known / count`), rounded down.
fn low_bits(known: u32, count: u32) -> u32 {
    known.checked_div(count).and_then(u32::checked_ilog2).unwrap_or(0)
}

/// Whether the mask is shorter than the gaps; on a tie gaps are written. `count` is the number of ids.
fn mask_is_shorter(known: u32, count: u32, ids: impl Iterator<Item = u32>) -> bool {
    let low = low_bits(known, count);
    let each: u64 = gaps(ids).map(|gap| u64::from(gap >> low) + 1 + u64::from(low)).sum();
    u64::from(known) < varint_bits(u64::from(count.saturating_sub(1)), COUNT_GROUP) + each
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn written(known: u32, ids: &[u32]) -> BitWriter {
        let mut writer = BitWriter::new();
        write(&mut writer, "ids", known, ids.iter().copied()).unwrap();
        writer
    }

    fn bits(known: u32, ids: &[u32]) -> u64 {
        written(known, ids).bit_len()
    }

    #[test]
    fn the_shorter_form_is_written() {
        // Two of eight: 1 for the form and 8 for the mask; gaps would take 3 + 2 × (2 low bits and one) at least.
        assert_eq!(bits(8, &[1, 5]), 9);
        // Two of 64: 1 + 3, then 5 low bits and one each: 32 = 64 / 2 is 2⁵, and neither gap is above.
        assert_eq!(bits(64, &[10, 30]), 1 + 3 + 2 * 6);
        // One of 1,000: 512 is the power below, 9 bits; 700 is one above.
        assert_eq!(bits(1_000, &[700]), 1 + 3 + 9 + 2);
        // All of six: a mask; gaps would take 6 + 6.
        assert_eq!(bits(6, &[0, 1, 2, 3, 4, 5]), 7);
        assert_eq!(bits(1, &[0]), 2);
    }

    #[test]
    fn unknown_or_unsorted_ids_are_refused() {
        let mut writer = BitWriter::new();
        let mut write = |ids: &[u32]| write(&mut writer, "tags", 10, ids.iter().copied());
        assert_eq!(write(&[10]), Err(EncodeError::UnknownId { what: "tags", index: 10, known: 10 }));
        assert_eq!(write(&[4, 3]), Err(EncodeError::Unsorted("tags")));
        assert_eq!(write(&[4, 4]), Err(EncodeError::Unsorted("tags")));
    }

    #[test]
    fn the_longer_form_is_refused() {
        let mut writer = BitWriter::new();
        writer.bool(false); // gaps, where two of eight are a mask
        writer.varint(1, COUNT_GROUP);
        for gap in [1, 3] {
            writer.bool(false);
            writer.bits(gap, 2);
        }
        let error = read(&mut BitReader::new(&writer.into_bytes()), "ids", 8).unwrap_err();
        assert_eq!(error, WireError { at: 0, kind: WireErrorKind::NotCanonical("ids") });
        // A mask of nothing.
        assert!(read(&mut BitReader::new(&[1, 0]), "ids", 8).is_err());
        assert!(read(&mut BitReader::new(&[0, 0]), "ids", 0).is_err());
        assert!(read(&mut BitReader::new(&[1, 0]), "ids", 0).is_err());
    }

    proptest! {
        #[test]
        fn sets_survive(known in 1..400u32, seeds in prop::collection::vec(any::<u32>(), 1..60)) {
            let ids: Vec<u32> = seeds.iter().map(|seed| seed % known).collect::<BTreeSet<_>>().into_iter().collect();
            let writer = written(known, &ids);
            prop_assert!(writer.bit_len() <= u64::from(known) + 1);
            let bytes = writer.into_bytes();
            let mut reader = BitReader::new(&bytes);
            prop_assert_eq!(read(&mut reader, "ids", known), Ok(ids));
            prop_assert_eq!(reader.finish(), Ok(()));
        }

        #[test]
        fn bits_that_are_read_are_written_the_same(bytes in prop::collection::vec(any::<u8>(), 0..30), known in 0..3_000u32) {
            let mut reader = BitReader::new(&bytes);
            if let Ok(ids) = read(&mut reader, "ids", known) {
                let mut from = BitReader::new(&bytes);
                let again = written(known, &ids);
                prop_assert_eq!(again.bit_len(), reader.position());
                let mut copy = BitWriter::new();
                for _ in 0..reader.position() {
                    copy.bool(from.bool().unwrap());
                }
                prop_assert_eq!(again, copy);
            }
        }
    }
}
