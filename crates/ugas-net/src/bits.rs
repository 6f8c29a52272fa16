//! Bit streams: the primitives of the [`wire`](crate::wire) format.
//!
//! The first bit is the lowest of the first byte, and numbers are written lowest bit first. A byte that is not full at
//! the end is filled with zeros. Every value has one way to be written, so that two messages are equal if their bytes
//! are, and nobody can hide anything in the choice.
//!
//! | What | Bits |
//! |------|------|
//! | `bits(v, n)` | the low `n` bits of `v`, 1 to 64 of them |
//! | `varint(v, g)` | groups of `g` bits and one that says whether another follows. What follows stands for one more than it says, since zero would not need it: with groups of 2, 0 to 3 take 3 bits and 4 to 19 take 6 |
//! | `gamma(v)` | `v + 1` by its bits: as many ones as it has after the highest, a zero, and these. 0 takes one bit, 1 and 2 three, 3 to 6 five |
//! | `signed(v, g)` | 0, -1, 1, -2, … as `varint` of 0, 1, 2, 3, … |
//! | `number(v)` | an `f64`: `0` and a whole number below 2³¹ as `signed` with groups of 6; `10` and thousandths below 2²⁴ likewise; `110` and 32 bits if it is an `f32`; `111` and 64 bits. The first that fits |
//! | `single(v)` | an `f32`: its 32 bits |
//! | `bytes(b, g)` | how many as `varint`, then 8 bits each |

mod error;
mod reader;
mod writer;

pub use error::{WireError, WireErrorKind};
pub use reader::BitReader;
pub use writer::{BitWriter, Mark};

/// Whole numbers below this, on both sides of zero, are written as such.
const WHOLE: f64 = 2_147_483_648.0;
/// Thousandths below this, on both sides of zero, are written as such.
const THOUSANDTHS: f64 = 16_777_216.0;
/// Group size of both.
const NUMBER_GROUP: u32 = 6;

/// How an `f64` is written.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Number {
    Whole(i64),
    Thousandths(i64),
    Single(f32),
    Double(f64),
}

impl Number {
    /// The shortest form that gives the value back to the last bit.
    fn of(value: f64) -> Self {
        // A cast saturates, and beyond the limit nothing is whole; the sign of a zero gets lost and is noticed here.
        let exact = |other: f64| other.to_bits() == value.to_bits();
        let whole = value as i64;
        if value.abs() < WHOLE && exact(whole as f64) {
            return Self::Whole(whole);
        }
        let thousandths = (value * 1_000.0).round();
        let short = Self::Thousandths(thousandths as i64);
        if thousandths.abs() < THOUSANDTHS && exact(short.value()) {
            return short;
        }
        let single = value as f32;
        if exact(f64::from(single)) { Self::Single(single) } else { Self::Double(value) }
    }

    /// The value that the form stands for.
    fn value(self) -> f64 {
        match self {
            Self::Whole(whole) => whole as f64,
            Self::Thousandths(thousandths) => thousandths as f64 / 1_000.0,
            Self::Single(single) => f64::from(single),
            Self::Double(double) => double,
        }
    }
}

/// Maps 0, -1, 1, -2, … to 0, 1, 2, 3, …, so that numbers near zero are short as `varint`.
pub(crate) fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63) as u64
}

/// The inverse of [`zigzag`].
pub(crate) fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

/// Mask of the low `count` bits; all bits from 64 on, where a shift would overflow.
const fn low(count: u32) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}

/// Bits that distinguish `things` values; 0 for one.
pub const fn width(things: u32) -> u32 {
    if things <= 1 { 0 } else { 32 - (things - 1).leading_zeros() }
}

/// Number of bits that [`BitWriter::varint`] writes.
pub fn varint_bits(mut value: u64, group: u32) -> u64 {
    let group = group.clamp(1, 32);
    let mut bits = 0;
    loop {
        bits += u64::from(group) + 1;
        value >>= group;
        if value == 0 {
            return bits;
        }
        value -= 1;
    }
}

#[cfg(test)]
mod tests;
