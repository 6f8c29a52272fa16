//! Ticks: the clock that server and clients share.

use core::fmt;

use ugas_core::time::{Span, Time};

/// A step of the server's clock, counted from its start. Lasts two years at 60 Hz, and saturates.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Tick(pub u32);

impl Tick {
    /// The next tick.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// The tick `ticks` later; stays at the last tick instead of overflowing.
    #[must_use]
    pub const fn after(self, ticks: u32) -> Self {
        Self(self.0.saturating_add(ticks))
    }

    /// The tick `ticks` earlier, at least 0.
    #[must_use]
    pub const fn before(self, ticks: u32) -> Self {
        Self(self.0.saturating_sub(ticks))
    }

    /// Ticks since `earlier`; negative if this is the earlier one.
    pub const fn since(self, earlier: Self) -> i64 {
        self.0 as i64 - earlier.0 as i64
    }
}

impl fmt::Display for Tick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tick {}", self.0)
    }
}

/// Length of a tick, which converts ticks into simulation time.
///
/// Ticks are exact on average (N3): at a rate of `r` ticks a second, tick `n` ends at `⌊n · 10⁶ / r⌋` µs. At 60 Hz ticks are
/// 16,666 or 16,667 µs long, twelve of them are 0.2 s, and sixty of them a second.
///
/// ```
/// use ugas_core::time::Time;
/// use ugas_net::{Tick, TickLength};
///
/// let length = TickLength::hertz(60);
/// assert_eq!(length.end_of(Tick(1)), Time::from_micros(16_666));
/// assert_eq!(length.end_of(Tick(12)), Time::from_micros(200_000));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TickLength {
    /// Number of ticks that take `micros` microseconds.
    ticks: u32,
    /// Microseconds of `ticks` ticks; the two have no common divisor.
    micros: u32,
}

impl TickLength {
    /// The tick length for a rate in ticks a second, clamped to 1 to 1,000.
    pub const fn hertz(rate: u32) -> Self {
        let rate = if rate == 0 {
            1
        } else if rate > 1_000 {
            1_000
        } else {
            rate
        };
        Self::reduced(rate, SECOND)
    }

    /// The tick length in microseconds; `None` unless it is from a millisecond to a second. A length that is that of a
    /// whole number of ticks a second, rounded up or down, is that rate exactly: 16,666 and 16,667 are both 60 Hz.
    pub const fn from_micros(micros: u32) -> Option<Self> {
        if micros < 1_000 || micros > SECOND {
            return None;
        }
        // Lengths of different rates up to 1,000 differ, also when rounded.
        let rate = SECOND / micros;
        if SECOND / rate == micros {
            return Some(Self::hertz(rate));
        }
        let rate = SECOND.div_ceil(micros);
        if rate <= 1_000 && SECOND.div_ceil(rate) == micros {
            return Some(Self::hertz(rate));
        }
        Some(Self::reduced(1, micros))
    }

    /// Length of which `ticks` take `micros`, divided by their greatest common divisor, so that equal lengths
    /// compare equal.
    const fn reduced(ticks: u32, micros: u32) -> Self {
        let (mut divisor, mut rest) = (ticks, micros);
        while rest != 0 {
            (divisor, rest) = (rest, divisor % rest);
        }
        Self { ticks: ticks / divisor, micros: micros / divisor }
    }

    /// In microseconds, rounded down.
    pub const fn micros(self) -> u32 {
        self.micros / self.ticks
    }

    /// As a span of the simulation's time, rounded down. To add up ticks, use [`Self::end_of`] or [`Self::next_after`],
    /// which are exact.
    pub const fn span(self) -> Span {
        Span::from_micros(self.micros() as i64)
    }

    /// When a tick is over: the state *of* a tick is the state after its commands ran and its time passed.
    pub const fn end_of(self, tick: Tick) -> Time {
        Time::from_micros(tick.0 as u64 * self.micros as u64 / self.ticks as u64)
    }

    /// The newest tick that has ended at a time.
    pub const fn tick_at(self, time: Time) -> Tick {
        // The largest n with ⌊n · micros / ticks⌋ ≤ time.
        let after = time.micros().saturating_add(1) as u128 * self.ticks as u128;
        let tick = (after - 1) / self.micros as u128;
        Tick(if tick > u32::MAX as u128 { u32::MAX } else { tick as u32 })
    }

    /// The first end of a tick after a time: when a host runs the next tick.
    pub const fn next_after(self, time: Time) -> Time {
        self.end_of(self.tick_at(time).next())
    }

    /// Ticks in a span, rounded up; 0 for negative spans.
    pub const fn ticks_in(self, span: Span) -> u32 {
        let micros = if span.micros() < 0 { 0 } else { span.micros() as u128 };
        let ticks = (micros * self.ticks as u128).div_ceil(self.micros as u128);
        if ticks > u32::MAX as u128 { u32::MAX } else { ticks as u32 }
    }

    /// In nanoseconds, rounded down.
    pub(crate) const fn nanos(self) -> i64 {
        self.micros as i64 * 1_000 / self.ticks as i64
    }

    /// The beginning of a tick in nanoseconds from tick 0, rounded up: the tick of that instant is this one.
    pub(crate) const fn nanos_at(self, tick: Tick) -> i64 {
        (tick.0 as u64 * self.micros as u64 * 1_000).div_ceil(self.ticks as u64) as i64
    }

    /// The tick at a time in nanoseconds; 0 for negative times.
    pub(crate) const fn tick_at_nanos(self, nanos: i64) -> Tick {
        let nanos = if nanos < 0 { 0 } else { nanos as u128 };
        let tick = nanos * self.ticks as u128 / (self.micros as u128 * 1_000);
        Tick(if tick > u32::MAX as u128 { u32::MAX } else { tick as u32 })
    }
}

/// Microseconds of a second.
const SECOND: u32 = 1_000_000;

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
    fn ticks_of_every_rate_are_exact_on_average() {
        for rate in 1..=1_000 {
            let length = TickLength::hertz(rate);
            assert_eq!(length.micros(), 1_000_000 / rate);
            for tick in [0, 1, 2, 7, 12, rate, 60 * rate, 3_600 * rate + 1, u32::MAX] {
                let expected = u128::from(tick) * 1_000_000 / u128::from(rate);
                let end = length.end_of(Tick(tick));
                assert_eq!(u128::from(end.micros()), expected, "tick {tick} at {rate} Hz");
                assert_eq!(length.tick_at(end), Tick(tick), "{rate} Hz");
                if tick > 0 {
                    assert_eq!(length.tick_at(Time::from_micros(end.micros() - 1)), Tick(tick - 1));
                }
            }
        }
        assert_eq!(TickLength::hertz(0), TickLength::hertz(1));
        assert_eq!(TickLength::hertz(5_000), TickLength::hertz(1_000));
    }

    #[test]
    fn steps_from_end_to_end_visit_every_tick() {
        for rate in [20, 30, 60, 128, 997] {
            let length = TickLength::hertz(rate);
            let mut time = Time::ZERO;
            for tick in 1..=10 * rate {
                time = length.next_after(time);
                assert_eq!(time, length.end_of(Tick(tick)), "{rate} Hz");
            }
            assert_eq!(time, Time::from_micros(10_000_000));
        }
    }

    #[test]
    fn rounded_lengths_of_whole_rates_are_those_rates() {
        for rate in 1..=1_000 {
            assert_eq!(TickLength::from_micros(1_000_000 / rate), Some(TickLength::hertz(rate)), "{rate}");
        }
        // Of neighbours from some 700 Hz on, one rounded up is the other rounded down.
        for rate in 1..=700 {
            let up = 1_000_000_u32.div_ceil(rate);
            assert_eq!(TickLength::from_micros(up), Some(TickLength::hertz(rate)), "{rate}");
        }
        let odd = TickLength::from_micros(15_000).unwrap();
        assert_eq!((odd.micros(), odd.end_of(Tick(1_000))), (15_000, Time::from_micros(15_000_000)));
        assert_eq!([999, 1_000_001].map(TickLength::from_micros), [None; 2]);
    }

    #[test]
    fn nanoseconds_lead_to_ticks_and_back() {
        for rate in [1, 20, 30, 60, 128, 999, 1_000] {
            let length = TickLength::hertz(rate);
            for tick in [0, 1, 2, 3, 59, 60, 1_000_003] {
                let begin = length.nanos_at(Tick(tick));
                assert_eq!(length.tick_at_nanos(begin), Tick(tick), "{rate} Hz");
                if tick > 0 {
                    assert_eq!(length.tick_at_nanos(begin - 1), Tick(tick - 1), "{rate} Hz");
                }
            }
        }
    }

    #[test]
    fn spans_are_counted_in_begun_ticks() {
        let length = TickLength::hertz(50);
        assert_eq!(length.ticks_in(Span::millis(0)), 0);
        assert_eq!(length.ticks_in(Span::millis(1)), 1);
        assert_eq!(length.ticks_in(Span::millis(40)), 2); // 2 × 20 ms
        assert_eq!(length.ticks_in(Span::millis(-5)), 0);
        assert_eq!(TickLength::hertz(60).ticks_in(Span::millis(200)), 12);
        assert_eq!(TickLength::hertz(128).ticks_in(Span::millis(200)), 26); // 25.6
    }
}
