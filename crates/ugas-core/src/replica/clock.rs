//! Effect clocks: the part that is sent, and the part that the client derives. A piece of an effect that only
//! ticks on stays the same.

use crate::effect::{ActiveEffect, EffectStatus};
use crate::time::{Span, Time};

/// State of an effect's clock at an instant, derived from its start, duration and period.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ClockState {
    pub(super) expires: Option<Time>,
    pub(super) next_tick: Option<Time>,
    pub(super) phase: Time,
    pub(super) ticks: u32,
}

/// Offset of the ticks from the start of the effect: less than a period, and the same after each tick.
pub(super) fn offset(active: &ActiveEffect) -> Span {
    let Some(period) = active.period().filter(|period| period.is_positive()) else { return Span::ZERO };
    let apart = active.clock.phase.since(active.started());
    Span::from_micros(apart.micros().rem_euclid(period.micros()))
}

/// State of an effect's clock at `now`. Ticks are counted as if none had been skipped.
pub(super) fn state_at(active: &ActiveEffect, offset: Span, expires: Option<Time>, now: Time) -> ClockState {
    let started = active.started();
    if active.status == EffectStatus::Queued {
        return ClockState { expires: None, next_tick: None, phase: started, ticks: 0 };
    }
    let end = active.duration().map(|duration| started + duration.max(Span::ZERO));
    let expires = expires.or(end);
    let Some(period) = active.period().filter(|period| period.is_positive()) else {
        return ClockState { expires, next_tick: None, phase: started, ticks: 0 };
    };
    let next = next_after(started + offset, period, now);
    let before = next.micros().checked_sub(period.micros().unsigned_abs()).map(Time::from_micros);
    let next_tick = (next > now && expires.is_none_or(|end| next <= end)).then_some(next);
    let first = started + if offset.is_positive() { offset } else { period };
    let ticks = if now < first { 0 } else { (now.since(first).micros() / period.micros()).saturating_add(1) };
    ClockState {
        expires,
        next_tick,
        // A last tick before time zero cannot be expressed; the next tick stands in.
        phase: before.unwrap_or(next),
        ticks: u32::try_from(ticks).unwrap_or(u32::MAX),
    }
}

/// The first instant after `now` that is whole periods from `tick`.
fn next_after(tick: Time, period: Span, now: Time) -> Time {
    let period = period.micros();
    let whole = |periods: i64| Span::from_micros(period.saturating_mul(periods));
    if tick > now {
        let ahead = tick.since(now).micros();
        tick + -whole((ahead - 1) / period)
    } else {
        let missed = now.since(tick).micros() / period;
        tick + whole(missed.saturating_add(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_tick_is_the_first_after_now() {
        let check = |tick, now, expected| {
            let next = next_after(Time::from_micros(tick), Span::from_micros(10), Time::from_micros(now));
            assert_eq!(next, Time::from_micros(expected), "{tick} {now}");
        };
        check(5, 5, 15);
        check(5, 14, 15);
        check(5, 15, 25);
        check(35, 5, 15);
        check(35, 14, 15);
        check(15, 5, 15);
        check(15, 4, 5);
    }
}
