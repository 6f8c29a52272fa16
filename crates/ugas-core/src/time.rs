//! Simulation time as an integer count of microseconds (V3).
//!
//! Integers make step invariance (V4) possible: ten steps of 0.1 s end exactly where one step of 1 s does.
//! Nothing in this crate reads a wall clock.

use core::fmt;
use core::ops::{Add, AddAssign, Neg, Sub};

const MICROS_PER_SECOND: f64 = 1_000_000.0;

/// An instant of the simulation: microseconds since it began.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(u64);

impl Time {
    /// The start of every simulation.
    pub const ZERO: Self = Self(0);
    /// The last representable instant, some 584,000 years after the start.
    pub const MAX: Self = Self(u64::MAX);

    /// The instant `micros` microseconds after the start.
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros)
    }

    /// The instant `seconds` after the start, rounded to the nearest microsecond; negative and non-finite
    /// input count as zero.
    pub fn from_seconds(seconds: f64) -> Self {
        Self::ZERO + Span::seconds(seconds)
    }

    /// Microseconds since the start.
    pub const fn micros(self) -> u64 {
        self.0
    }

    /// Seconds since the start, for display and curves. Do not compare times with it.
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / MICROS_PER_SECOND
    }

    /// The time from `earlier` to `self`, negative if `earlier` is the later one; saturates.
    pub fn since(self, earlier: Self) -> Span {
        let difference = i128::from(self.0) - i128::from(earlier.0);
        Span(difference.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64)
    }
}

/// A length of time in microseconds. May be negative, so that computed durations can be (E6).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span(i64);

impl Span {
    /// The empty span.
    pub const ZERO: Self = Self(0);
    /// The longest span, some 292,000 years.
    pub const MAX: Self = Self(i64::MAX);

    /// A span of `micros` microseconds.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// A span of `seconds`, rounded to the nearest microsecond (V3). Values beyond the range saturate; NaN is zero.
    pub fn seconds(seconds: f64) -> Self {
        // A float-to-integer `as` cast saturates and turns NaN into zero, as needed here.
        Self((seconds * MICROS_PER_SECOND).round() as i64)
    }

    /// A span of whole milliseconds; saturates.
    pub const fn millis(millis: i64) -> Self {
        Self(millis.saturating_mul(1_000))
    }

    /// Length in microseconds.
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// Length in seconds, for display and formulas.
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / MICROS_PER_SECOND
    }

    /// Whether the span is greater than zero.
    pub const fn is_positive(self) -> bool {
        self.0 > 0
    }
}

impl Add<Span> for Time {
    type Output = Self;

    /// Saturates at both ends: an instant before the start is the start.
    fn add(self, span: Span) -> Self {
        Self(self.0.saturating_add_signed(span.0))
    }
}

impl AddAssign<Span> for Time {
    fn add_assign(&mut self, span: Span) {
        *self = *self + span;
    }
}

impl Add for Span {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Span {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Neg for Span {
    type Output = Self;

    fn neg(self) -> Self {
        Self(self.0.saturating_neg())
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}s", self.as_seconds())
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}s", self.as_seconds())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_round_to_the_nearest_microsecond() {
        assert_eq!(Span::seconds(0.000_001_4).micros(), 1);
        assert_eq!(Span::seconds(0.000_001_6).micros(), 2);
        assert_eq!(Span::seconds(-0.1).micros(), -100_000);
    }

    #[test]
    fn conversions_saturate_instead_of_wrapping() {
        assert_eq!(Span::seconds(f64::INFINITY), Span::MAX);
        assert_eq!(Span::seconds(f64::NAN), Span::ZERO);
        assert_eq!(Time::ZERO + Span::seconds(-1.0), Time::ZERO);
        assert_eq!(Time::MAX + Span::MAX, Time::MAX);
        assert_eq!(Time::ZERO.since(Time::MAX), Span::from_micros(i64::MIN));
    }
}
