//! Encoding of numbers, texts, lists and other standard types.

use std::collections::VecDeque;
use std::sync::Arc;

use smallvec::{Array, SmallVec};

use super::decoder::{Decode, Decoder};
use super::encoder::{Encode, Encoder};
use super::error::{DecodeError, DecodeErrorKind};
use crate::time::{Span, Time};

macro_rules! unsigned {
    ($($number:ty),*) => {$(
        impl Encode for $number {
            fn encode(&self, encoder: &mut Encoder) {
                encoder.unsigned(u64::from(*self));
            }
        }

        impl Decode for $number {
            fn decode(decoder: &mut Decoder<'_>) -> Result<Self, DecodeError> {
                decoder.small()
            }
        }
    )*};
}
unsigned!(u16, u32, u64);

impl Encode for u8 {
    /// Not LEB128, so that byte lists stay bytes.
    fn encode(&self, encoder: &mut Encoder) {
        encoder.byte(*self);
    }
}

impl Decode for u8 {
    fn decode(decoder: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        decoder.byte()
    }
}

impl Encode for i32 {
    fn encode(&self, encoder: &mut Encoder) {
        encoder.signed(i64::from(*self));
    }
}

impl Decode for i32 {
    fn decode(decoder: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        Self::try_from(decoder.signed()?).map_err(|_| decoder.error(DecodeErrorKind::TooLarge))
    }
}

impl Encode for i64 {
    fn encode(&self, encoder: &mut Encoder) {
        encoder.signed(*self);
    }
}

impl Decode for i64 {
    fn decode(decoder: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        decoder.signed()
    }
}

impl Encode for f64 {
    fn encode(&self, encoder: &mut Encoder) {
        encoder.unsigned(self.to_bits().swap_bytes());
    }
}

impl Decode for f64 {
    fn decode(decoder: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        Ok(Self::from_bits(decoder.unsigned()?.swap_bytes()))
    }
}

impl Encode for bool {
    fn encode(&self, encoder: &mut Encoder) {
        encoder.byte(u8::from(*self));
    }
}

impl Decode for bool {
    fn decode(decoder: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        let at = decoder.position() as u64;
        match decoder.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(DecodeError { at, kind: DecodeErrorKind::NotABool(other) }),
        }
    }
}

impl Encode for str {
    fn encode(&self, encoder: &mut Encoder) {
        encoder.length(self.len());
        encoder.raw(self.as_bytes());
    }
}

impl Encode for String {
    fn encode(&self, encoder: &mut Encoder) {
        self.as_str().encode(encoder);
    }
}

/// Decodes a string without copying it; bytes that are not UTF-8 are an error.
fn text<'a>(decoder: &mut Decoder<'a>) -> Result<&'a str, DecodeError> {
    let length = decoder.length()?;
    let at = decoder.position() as u64;
    let bytes = decoder.raw(length)?;
    core::str::from_utf8(bytes).map_err(|_| DecodeError { at, kind: DecodeErrorKind::NotText })
}

impl Decode for String {
    fn decode(decoder: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        text(decoder).map(str::to_owned)
    }
}

impl Decode for Arc<str> {
    fn decode(decoder: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        text(decoder).map(Self::from)
    }
}

impl<T: Encode> Encode for [T] {
    fn encode(&self, encoder: &mut Encoder) {
        encoder.list(self.iter());
    }
}

impl<T: Encode> Encode for Vec<T> {
    fn encode(&self, encoder: &mut Encoder) {
        self.as_slice().encode(encoder);
    }
}

impl<T: Decode> Decode for Vec<T> {
    fn decode(decoder: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        decoder.list(Self::with_capacity, Self::push)
    }
}

impl<T: Decode> Decode for Box<[T]> {
    fn decode(decoder: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        Vec::decode(decoder).map(Vec::into_boxed_slice)
    }
}

impl<A: Array<Item: Encode>> Encode for SmallVec<A> {
    fn encode(&self, encoder: &mut Encoder) {
        self.as_slice().encode(encoder);
    }
}

impl<A: Array<Item: Decode>> Decode for SmallVec<A> {
    fn decode(decoder: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        decoder.list(Self::with_capacity, Self::push)
    }
}

impl<T: Encode> Encode for VecDeque<T> {
    fn encode(&self, encoder: &mut Encoder) {
        encoder.list(self.iter());
    }
}

impl<T: Decode> Decode for VecDeque<T> {
    fn decode(decoder: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        decoder.list(Self::with_capacity, Self::push_back)
    }
}

impl<T: Encode, const N: usize> Encode for [T; N] {
    fn encode(&self, encoder: &mut Encoder) {
        for item in self {
            item.encode(encoder);
        }
    }
}

impl<T: Decode + Copy + Default, const N: usize> Decode for [T; N] {
    fn decode(decoder: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        let mut items = [T::default(); N];
        for item in &mut items {
            *item = T::decode(decoder)?;
        }
        Ok(items)
    }
}

impl<T: Encode> Encode for Option<T> {
    fn encode(&self, encoder: &mut Encoder) {
        self.is_some().encode(encoder);
        if let Some(value) = self {
            value.encode(encoder);
        }
    }
}

impl<T: Decode> Decode for Option<T> {
    fn decode(decoder: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        Ok(if bool::decode(decoder)? { Some(T::decode(decoder)?) } else { None })
    }
}

impl<T: Encode + ?Sized> Encode for &T {
    fn encode(&self, encoder: &mut Encoder) {
        (**self).encode(encoder);
    }
}

impl<T: Encode + ?Sized> Encode for Box<T> {
    fn encode(&self, encoder: &mut Encoder) {
        (**self).encode(encoder);
    }
}

impl<T: Decode> Decode for Box<T> {
    fn decode(decoder: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        decoder.nested(T::decode).map(Self::new)
    }
}

impl<T: Encode + ?Sized> Encode for Arc<T> {
    fn encode(&self, encoder: &mut Encoder) {
        (**self).encode(encoder);
    }
}

impl<T: Decode> Decode for Arc<T> {
    fn decode(decoder: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        decoder.nested(T::decode).map(Self::new)
    }
}

impl<A: Encode, B: Encode> Encode for (A, B) {
    fn encode(&self, encoder: &mut Encoder) {
        self.0.encode(encoder);
        self.1.encode(encoder);
    }
}

impl<A: Decode, B: Decode> Decode for (A, B) {
    fn decode(decoder: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        Ok((A::decode(decoder)?, B::decode(decoder)?))
    }
}

impl<A: Encode, B: Encode, C: Encode> Encode for (A, B, C) {
    fn encode(&self, encoder: &mut Encoder) {
        self.0.encode(encoder);
        self.1.encode(encoder);
        self.2.encode(encoder);
    }
}

impl<A: Decode, B: Decode, C: Decode> Decode for (A, B, C) {
    fn decode(decoder: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        Ok((A::decode(decoder)?, B::decode(decoder)?, C::decode(decoder)?))
    }
}

impl Encode for Time {
    fn encode(&self, encoder: &mut Encoder) {
        encoder.unsigned(self.micros());
    }
}

impl Decode for Time {
    fn decode(decoder: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        decoder.unsigned().map(Self::from_micros)
    }
}

impl Encode for Span {
    fn encode(&self, encoder: &mut Encoder) {
        encoder.signed(self.micros());
    }
}

impl Decode for Span {
    fn decode(decoder: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        decoder.signed().map(Self::from_micros)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{from_bytes, to_bytes};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn encoding_matches_the_format_table() {
        assert_eq!(to_bytes(&0u32), [0]);
        assert_eq!(to_bytes(&127u32), [127]);
        // 300 = 2 * 128 + 44.
        assert_eq!(to_bytes(&300u32), [44 | 0x80, 2]);
        assert_eq!(to_bytes(&-1i32), [1]);
        assert_eq!(to_bytes(&64i64), [0x80, 1]);
        // 1.0 is 0x3FF0_0000_0000_0000, reversed 0xF03F = 0b11_1100000_0111111.
        assert_eq!(to_bytes(&1.0), [0xBF, 0xE0, 3]);
        assert_eq!(to_bytes(&0.0), [0]);
        assert_eq!(to_bytes("hé"), [3, b'h', 0xC3, 0xA9]);
        assert_eq!(to_bytes(&Some((true, 7u8))), [1, 1, 7]);
        assert_eq!(to_bytes(&vec![1u16, 2]), [2, 1, 2]);
        assert_eq!(to_bytes(&Time::from_micros(5)), [5]);
        assert_eq!(to_bytes(&Span::from_micros(5)), [10]);
    }

    #[test]
    fn decode_error_has_offset_and_kind() {
        fn check<T: Decode + core::fmt::Debug>(bytes: &[u8], at: u64, kind: DecodeErrorKind) {
            assert_eq!(from_bytes::<T>(bytes).unwrap_err(), DecodeError { at, kind });
        }
        check::<u32>(&[0x80], 1, DecodeErrorKind::Ends { needed: 1 });
        check::<u32>(&[0x80, 0], 0, DecodeErrorKind::NotShortest);
        check::<u16>(&[0x80, 0x80, 4], 0, DecodeErrorKind::TooLarge);
        check::<u64>(
            &[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2],
            0,
            DecodeErrorKind::TooLarge,
        );
        check::<bool>(&[2], 0, DecodeErrorKind::NotABool(2));
        check::<String>(&[1, 0xFF], 1, DecodeErrorKind::NotText);
        check::<Vec<u8>>(&[9, 1], 0, DecodeErrorKind::TooLong { length: 9, left: 1 });
        check::<u8>(&[1, 2], 1, DecodeErrorKind::Trailing { left: 1 });
        let (at, kind) = (4, DecodeErrorKind::Ends { needed: 1 });
        check::<(u8, Vec<(u8, u8)>)>(&[0, 2, 1, 1], at, kind);
    }

    proptest! {
        #[test]
        fn numbers_and_lists_round_trip(
            unsigned: u64,
            signed: i64,
            bits: u64,
            words in prop::collection::vec(".*", 0..4),
            option: Option<u16>,
        ) {
            let number = f64::from_bits(bits);
            let value = ((unsigned, signed), (number, words), option);
            let ((u, s), (n, w), o) = from_bytes::<((u64, i64), (f64, Vec<String>), Option<u16>)>(&to_bytes(&value)).unwrap();
            prop_assert_eq!((u, s, n.to_bits(), w, o), (unsigned, signed, bits, value.1.1, option));
        }

        #[test]
        fn decoded_bytes_encode_to_the_same_bytes(bytes in prop::collection::vec(any::<u8>(), 0..24)) {
            if let Ok(value) = from_bytes::<Vec<(i64, Option<u32>)>>(&bytes) {
                prop_assert_eq!(to_bytes(&value), bytes);
            }
        }
    }
}
