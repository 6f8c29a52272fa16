//! Clock of an active effect: start, expiry and ticks (E3, E6).

use crate::codec::plain_parts;
use crate::cow_option::optional_numbers;
use crate::time::{Span, Time};

/// The clock of an active effect.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Clock {
    pub(crate) started: Time,
    /// Instant that the next tick is counted from; if it lies in the future, it is the next tick itself.
    pub(crate) phase: Time,
    duration: Span,
    expires: Time,
    period: Span,
    next_tick: Time,
    pub(crate) ticks: u32,
    known: u8,
}

const DURATION: u8 = 1;
const EXPIRES: u8 = 1 << 1;
const PERIOD: u8 = 1 << 2;
const NEXT_TICK: u8 = 1 << 3;

impl Clock {
    /// A clock that starts at `started`; the expiry is not computed yet.
    pub(crate) fn new(started: Time, duration: Option<Span>, period: Option<Span>) -> Self {
        let (zero, none) = (Time::ZERO, Span::ZERO);
        let mut clock = Self {
            started,
            phase: started,
            duration: none,
            expires: zero,
            period: none,
            next_tick: zero,
            ticks: 0,
            known: 0,
        };
        clock.set_duration(duration);
        clock.set_period(period);
        clock
    }

    optional_numbers! {
        pub(crate) duration, set_duration: DURATION, Span = Span::ZERO;
        pub(crate) expires, set_expires: EXPIRES, Time = Time::ZERO;
        pub(crate) period, set_period: PERIOD, Span = Span::ZERO;
        pub(crate) next_tick, set_next_tick: NEXT_TICK, Time = Time::ZERO;
    }

    /// Starts it at `now`.
    pub(crate) fn start(&mut self, now: Time) {
        self.started = now;
        self.set_expires(self.duration().map(|duration| now + duration.max(Span::ZERO)));
        self.count_from(now);
    }

    /// Schedules the next tick one period after `from`.
    pub(crate) fn count_from(&mut self, from: Time) {
        self.phase = from;
        self.set_next_tick(self.next_tick_after(from));
    }

    /// The first tick after `now` in the current phase, even if the effect expires before.
    pub(crate) fn tick_after(&self, now: Time) -> Option<Time> {
        let period = self.period()?;
        if self.phase > now {
            return Some(self.phase);
        }
        let missed = now.since(self.phase).micros() / period.micros().max(1);
        Some(self.phase + Span::from_micros(period.micros().saturating_mul(missed.saturating_add(1))))
    }

    /// The tick one period after `from`, unless the effect expires before.
    fn next_tick_after(&self, from: Time) -> Option<Time> {
        let next = from + self.period()?;
        // Time saturates at its end.
        if next <= from {
            return None;
        }
        self.is_alive_at(next).then_some(next)
    }

    /// Whether an expiry or a tick is due at some time.
    pub(crate) fn is_running(&self) -> bool {
        self.known & (EXPIRES | NEXT_TICK) != 0
    }

    /// Whether an instant is not after the expiry.
    pub(crate) fn is_alive_at(&self, at: Time) -> bool {
        self.expires().is_none_or(|end| at <= end)
    }
}

plain_parts!(Clock |clock, decoder| {
    started: clock.started,
    duration: clock.duration(),
    expires: clock.expires(),
    period: clock.period(),
    phase: clock.phase,
    next_tick: clock.next_tick(),
    ticks: clock.ticks,
} => {
    let mut clock = Clock { phase, ticks, ..Clock::new(started, duration, period) };
    clock.set_expires(expires);
    clock.set_next_tick(next_tick);
    Ok(clock)
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{from_bytes, to_bytes};
    use crate::hash::StateHasher;

    #[test]
    fn absent_time_differs_from_every_time() {
        let none = Clock::new(Time::ZERO, None, None);
        for (duration, expires) in [(Span::ZERO, Time::ZERO), (Span::MAX, Time::MAX), (-Span::MAX, Time::MAX)]
        {
            let mut clock = Clock::new(Time::ZERO, Some(duration), Some(duration));
            clock.set_expires(Some(expires));
            clock.set_next_tick(Some(expires));
            assert_eq!((clock.duration(), clock.expires()), (Some(duration), Some(expires)));
            assert_eq!((clock.period(), clock.next_tick()), (Some(duration), Some(expires)));
            assert_eq!(from_bytes::<Clock>(&to_bytes(&clock)).unwrap(), clock);
            assert_ne!(StateHasher::of(&clock), StateHasher::of(&none));
            clock.set_duration(None);
            clock.set_period(None);
            clock.set_expires(None);
            clock.set_next_tick(None);
            assert_eq!(clock, none);
        }
    }
}
