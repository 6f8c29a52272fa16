//! Clocks of restored effects (P4).

use crate::character::{CharacterEffect, Lifetime};
use crate::effect::{Clock, Effect, EffectStatus};
use crate::time::{Span, Time};

/// Clock of a restored effect, with its remaining time and its phase counted from now. A queued effect gets a
/// stopped clock; a duration that is not saved stays infinite until it is evaluated.
pub(super) fn clock_of(saved: &CharacterEffect, effect: &Effect, now: Time) -> Clock {
    let running = saved.status == EffectStatus::Running;
    let (duration, left) = match saved.lifetime {
        // Evaluated once the values are restored.
        Lifetime::Whole | Lifetime::Endless => (None, None),
        Lifetime::Lasting { total, left } => (Some(total), Some(left.max(Span::ZERO))),
    };
    let expires = left.filter(|_| running).map(|left| now + left);
    let started = match (expires, duration) {
        (Some(end), Some(total)) => (end + -total).min(now),
        _ => now,
    };
    let known = saved.phase.and_then(|phase| phase.period).or(saved.own_period);
    let known = known.filter(|period| period.is_positive());
    let period = effect.period.map(|period| known.unwrap_or(period.period));
    let mut clock = Clock::new(started, duration, period);
    clock.set_expires(expires);
    clock.phase = now;
    clock.ticks = saved.phase.map_or(0, |phase| phase.ticks);
    if let Some(period) = period.filter(|_| running) {
        let elapsed = saved.phase.map_or(Span::ZERO, |phase| phase.elapsed).max(Span::ZERO);
        let elapsed = Span::from_micros(elapsed.micros() % period.micros().max(1));
        let next = now + (period - elapsed);
        clock.phase = if now.micros() >= elapsed.micros().unsigned_abs() { now + -elapsed } else { next };
        clock.set_next_tick(clock.is_alive_at(next).then_some(next));
    }
    clock
}
