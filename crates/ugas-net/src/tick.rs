//! Ticks: the clock that server and clients share.

use core::fmt;

use ugas_core::time::{Span, Time};

/// A step of the server's clock, counted from its start. Two years at 60 Hz; the last one is never left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Tick(pub u32);

impl Tick {
    /// The one after it.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// So many ticks later.
    #[must_use]
    pub const fn after(self, ticks: u32) -> Self {
        Self(self.0.saturating_add(ticks))
    }

    /// So many ticks earlier; none before the first.
    #[must_use]
    pub const fn before(self, ticks: u32) -> Self {
        Self(self.0.saturating_sub(ticks))
    }

    /// How many ticks it is later than `earlier`; negative if it is earlier.
    pub const fn since(self, earlier: Self) -> i64 {
        self.0 as i64 - earlier.0 as i64
    }
}

impl fmt::Display for Tick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tick {}", self.0)
    }
}

/// How long a tick is: what turns ticks into the simulation's time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TickLength(u32);

impl TickLength {
    /// The tick length for a rate in ticks a second, from 1 to 1,000.
    pub const fn hertz(rate: u32) -> Self {
        let rate = if rate == 0 {
            1
        } else if rate > 1_000 {
            1_000
        } else {
            rate
        };
        Self(1_000_000 / rate)
    }

    /// The tick length in microseconds; `None` unless it is from a millisecond to a second.
    pub const fn from_micros(micros: u32) -> Option<Self> {
        if micros >= 1_000 && micros <= 1_000_000 { Some(Self(micros)) } else { None }
    }

    /// In microseconds.
    pub const fn micros(self) -> u32 {
        self.0
    }

    /// As a span of the simulation's time.
    pub const fn span(self) -> Span {
        Span::from_micros(self.0 as i64)
    }

    /// When a tick is over: the state *of* a tick is the state after its commands ran and its time passed.
    pub const fn end_of(self, tick: Tick) -> Time {
        Time::from_micros(tick.0 as u64 * self.0 as u64)
    }

    /// How many ticks fit into a span, rounded up.
    pub const fn ticks_in(self, span: Span) -> u32 {
        let micros = if span.micros() < 0 { 0 } else { span.micros() as u64 };
        let ticks = micros.div_ceil(self.0 as u64);
        if ticks > u32::MAX as u64 { u32::MAX } else { ticks as u32 }
    }
}

impl Default for TickLength {
    /// 60 Hz.
    fn default() -> Self {
        Self::hertz(60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tick_is_a_whole_number_of_microseconds() {
        assert_eq!(TickLength::default().micros(), 16_666); // 1,000,000 / 60, rounded down
        assert_eq!(TickLength::hertz(60).end_of(Tick(60)), Time::from_micros(999_960)); // 60 × 16,666
        assert_eq!(TickLength::hertz(0), TickLength::hertz(1));
        assert_eq!(TickLength::from_micros(999), None);
    }

    #[test]
    fn spans_are_counted_in_begun_ticks() {
        let length = TickLength::hertz(50);
        assert_eq!(length.ticks_in(Span::millis(0)), 0);
        assert_eq!(length.ticks_in(Span::millis(1)), 1);
        assert_eq!(length.ticks_in(Span::millis(40)), 2); // 2 × 20 ms
        assert_eq!(length.ticks_in(Span::millis(-5)), 0);
    }
}
