use proptest::prelude::*;

use super::*;

/// A writer after `write` has written to it.
fn written(write: impl FnOnce(&mut BitWriter)) -> BitWriter {
    let mut writer = BitWriter::new();
    write(&mut writer);
    writer
}

#[test]
fn the_first_bit_is_the_lowest_of_the_first_byte() {
    let writer = written(|writer| {
        writer.bool(true);
        writer.bits(0b10, 2);
        writer.bits(0xABC, 12);
    });
    assert_eq!((writer.bit_len(), writer.byte_len()), (15, 2));
    // 1, then 0 1, then 0xABC = 1010_1011_1100 lowest first: byte 0 is 11100 10 1, byte 1 is 0 1010101.
    assert_eq!(writer.into_bytes(), [0b1110_0101, 0b0101_0101]);
}

#[test]
fn small_integers_are_short() {
    // Groups of 2: 0 to 3 in one, then 4 to 4 + 15 in two, since the second group counts from 1.
    for (value, bits) in [(0, 3), (3, 3), (4, 6), (19, 6), (20, 9), (83, 9), (84, 12)] {
        assert_eq!(written(|writer| writer.varint(value, 2)).bit_len(), bits, "{value}");
        assert_eq!(varint_bits(value, 2), bits, "{value}");
    }
    // 4 is 00 with another group (bit 2 set), which says 0 and means 1: bits 001 000 as read, lowest first.
    assert_eq!(written(|writer| writer.varint(4, 2)).into_bytes(), [0b00_0100]);
    // 20 = 0 + 4 × (1 + 0 + 4 × (1 + 0)): three groups of zeros, two of which say that another follows.
    assert_eq!(written(|writer| writer.varint(20, 2)).into_bytes(), [0b0010_0100, 0]);
}

#[test]
fn gamma_takes_twice_the_bits_of_one_more() {
    for (value, bits) in [(0, 1), (1, 3), (2, 3), (3, 5), (6, 5), (7, 7), (254, 15), (255, 17)] {
        let writer = written(|writer| writer.gamma(value));
        assert_eq!(writer.bit_len(), bits, "{value}");
        assert_eq!(BitReader::new(&writer.into_bytes()).gamma(), Ok(value));
    }
    // 4 + 1 is 101: two bits after the highest, so 1 1 0 and 01, lowest first.
    assert_eq!(written(|writer| writer.gamma(4)).into_bytes(), [0b0_1011]);
    assert_eq!(BitReader::new(&[0xFF; 16]).gamma().unwrap_err().kind, WireErrorKind::TooLarge);
}

#[test]
fn whole_numbers_take_a_byte_or_two() {
    let bits = |value| written(|writer| writer.number(value)).bit_len();
    // One bit says whole, and groups of 6 hold 64 values: -32 to 31; the next group 64 × 64 more: -2,080 to 2,079.
    assert_eq!([bits(0.0), bits(31.0), bits(-32.0)], [8; 3]);
    assert_eq!([bits(32.0), bits(100.0), bits(2_079.0), bits(-2_080.0)], [15; 4]);
    // Three groups: half of 64³ = 131,072 more.
    assert_eq!([bits(2_080.0), bits(133_151.0)], [22; 2]);
    // Two bits say thousandths: 500 and 12,250 of them.
    assert_eq!([bits(0.5), bits(12.25)], [2 + 14, 2 + 21]);
    assert_eq!([bits(-0.0), bits(f64::from(0.1_f32)), bits(4e9)], [35; 3]);
    assert_eq!([bits(1.0 / 3.0), bits(1e300)], [67; 2]);
}

#[test]
fn numbers_that_are_none_are_refused() {
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let bytes = written(|writer| writer.number(value)).into_bytes();
        assert_eq!(BitReader::new(&bytes).number().unwrap_err().kind, WireErrorKind::NotFinite);
        let bytes = written(|writer| writer.single(value as f32)).into_bytes();
        assert_eq!(BitReader::new(&bytes).single().unwrap_err().kind, WireErrorKind::NotFinite);
    }
}

#[test]
fn a_number_is_written_in_one_way() {
    let longer = [
        written(|writer| {
            writer.bits(0b01, 2);
            writer.signed(3_000, NUMBER_GROUP); // 3 as thousandths
        }),
        written(|writer| {
            writer.bits(0b011, 3);
            writer.single(0.5);
        }),
        written(|writer| {
            writer.bits(0b111, 3);
            writer.bits(f64::from(0.1_f32).to_bits(), 64);
        }),
        written(|writer| {
            writer.bits(0b0, 1);
            writer.signed(1 << 40, NUMBER_GROUP); // too large to be whole
        }),
    ];
    for writer in longer {
        let error = BitReader::new(&writer.into_bytes()).number().unwrap_err();
        assert_eq!(error, WireError { at: 0, kind: WireErrorKind::NotCanonical("a number") });
    }
}

#[test]
fn integers_of_more_than_64_bits_are_refused() {
    for group in [1, 2, 3, 7, 31, 32] {
        let endless = [0xFF; 40];
        assert_eq!(
            BitReader::new(&endless).varint(group).unwrap_err().kind,
            WireErrorKind::TooLarge,
            "{group}"
        );
    }
    let bytes = written(|writer| writer.varint(256, 4)).into_bytes();
    assert_eq!(BitReader::new(&bytes).small::<u8>(4).unwrap_err().kind, WireErrorKind::TooLarge);
}

#[test]
fn a_count_is_checked_against_what_is_left() {
    let bytes = written(|writer| {
        writer.varint(9, 4); // 5 bits, 11 are left in two bytes
        writer.bits(0, 11);
    })
    .into_bytes();
    let error = BitReader::new(&bytes).count("things", 4, 100, 2).unwrap_err();
    assert_eq!(error.kind, WireErrorKind::TooMany { what: "things", found: 9, most: 5 });
    assert_eq!(BitReader::new(&bytes).count("things", 4, 100, 1), Ok(9));
    assert!(BitReader::new(&bytes).count("things", 4, 8, 1).is_err());
}

#[test]
fn only_zeros_fill_the_last_byte() {
    let read = |bytes: &[u8]| {
        let mut reader = BitReader::new(bytes);
        reader.bits(5).unwrap();
        reader.finish().map_err(|error| error.kind)
    };
    assert_eq!(read(&[0b0001_0101]), Ok(()));
    assert_eq!(read(&[0b0011_0101]), Err(WireErrorKind::Padding));
    assert_eq!(read(&[0b0001_0101, 0]), Err(WireErrorKind::Trailing { bits: 11 }));
}

#[test]
fn so_many_bits_tell_so_many_things_apart() {
    assert_eq!([0, 1, 2, 3, 4, 5, 256, 257, u32::MAX].map(width), [0, 0, 1, 2, 2, 3, 8, 9, 32]);
}

/// Something to write.
#[derive(Clone, Debug)]
enum Item {
    Bits(u64, u32),
    Varint(u64, u32),
    Signed(i64, u32),
    Number(f64),
    Single(f32),
    Bytes(Vec<u8>),
}

impl Item {
    fn write(&self, writer: &mut BitWriter) {
        match self {
            Self::Bits(value, count) => writer.bits(*value, *count),
            Self::Varint(value, group) => writer.varint(*value, *group),
            Self::Signed(value, group) => writer.signed(*value, *group),
            Self::Number(value) => writer.number(*value),
            Self::Single(value) => writer.single(*value),
            Self::Bytes(bytes) => writer.bytes(bytes, 3),
        }
    }

    /// Reads the item back and compares it.
    fn check(&self, reader: &mut BitReader<'_>) {
        match self {
            Self::Bits(value, count) => assert_eq!(reader.bits(*count), Ok(value & low(*count))),
            Self::Varint(value, group) => assert_eq!(reader.varint(*group), Ok(*value)),
            Self::Signed(value, group) => assert_eq!(reader.signed(*group), Ok(*value)),
            Self::Number(value) => assert_eq!(reader.number().unwrap().to_bits(), value.to_bits()),
            Self::Single(value) => assert_eq!(reader.single().unwrap().to_bits(), value.to_bits()),
            Self::Bytes(bytes) => assert_eq!(reader.bytes("bytes", 3, 100).as_ref(), Ok(bytes)),
        }
    }
}

/// Any items of all kinds.
fn items() -> impl Strategy<Value = Vec<Item>> {
    let integer = prop_oneof![0..40u64, any::<u64>(), any::<u64>().prop_map(|value| value >> 40)];
    let finite = any::<f64>().prop_filter("finite", |value| value.is_finite());
    let number = prop_oneof![
        finite,
        (-5_000..5_000i32).prop_map(f64::from),
        (-9_000_000..9_000_000i32).prop_map(|value| f64::from(value) / 1_000.0),
        (-1e6_f32..1e6).prop_map(f64::from),
    ];
    let single = any::<f32>().prop_filter("finite", |value| value.is_finite());
    let item = prop_oneof![
        (any::<u64>(), 0..=64u32).prop_map(|(value, count)| Item::Bits(value, count)),
        (integer.clone(), 1..=32u32).prop_map(|(value, group)| Item::Varint(value, group)),
        (integer, 1..=32u32).prop_map(|(value, group)| Item::Signed(value as i64, group)),
        number.prop_map(Item::Number),
        single.prop_map(Item::Single),
        prop::collection::vec(any::<u8>(), 0..30).prop_map(Item::Bytes),
    ];
    prop::collection::vec(item, 0..20)
}

proptest! {
    #[test]
    fn what_is_written_is_read(items in items()) {
        let bytes = written(|writer| items.iter().for_each(|item| item.write(writer))).into_bytes();
        let mut reader = BitReader::new(&bytes);
        items.iter().for_each(|item| item.check(&mut reader));
        prop_assert_eq!(reader.finish(), Ok(()));
    }

    #[test]
    fn integers_take_what_is_foretold(value: u64, shift in 0..64u32, group in 1..=32u32) {
        let value = value >> shift;
        prop_assert_eq!(written(|writer| writer.varint(value, group)).bit_len(), varint_bits(value, group));
    }

    #[test]
    fn appending_is_writing_and_rewinding_is_not_having_written(one in items(), other in items()) {
        let both = written(|writer| one.iter().chain(&other).for_each(|item| item.write(writer)));
        let first = written(|writer| one.iter().for_each(|item| item.write(writer)));
        let second = written(|writer| other.iter().for_each(|item| item.write(writer)));
        let mut appended = first.clone();
        appended.append(&second);
        prop_assert_eq!(&appended, &both);
        appended.rewind(first.mark());
        prop_assert_eq!(&appended, &first);
        appended.rewind(both.mark());
        prop_assert_eq!(&appended, &first);
        let mut copied = vec![7];
        both.copy_to(&mut copied);
        prop_assert_eq!(&copied[1..], &both.into_bytes());
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..40), group in 0..40u32) {
        let mut reader = BitReader::new(&bytes);
        let _ = reader.varint(group);
        let _ = reader.number();
        let _ = reader.text("a text", 3, 20);
        let _ = reader.bits(64);
        let _ = reader.finish();
    }
}
