//! Visual smoothing: corrections that fade, and interpolation between samples.
//!
//! A correction changes the state at once (§13.5, 3: blend visually). Nothing here is state, is hashed or is
//! sent: it is for presentation only.

use std::collections::VecDeque;

use ugas_core::effect::Vector3;
use ugas_core::time::{Span, Time};

/// Most samples that [`Interpolated`] keeps: at 60 a second half a second, and a delay that needs more is not played
/// with.
pub const MAX_SAMPLES: usize = 32;
/// The half-life of corrections is never shorter: below, they are seen as jumps.
const SHORTEST_HALF_LIFE: Span = Span::millis(30);
/// Nor longer: beyond, what is drawn is wrong for too long.
const LONGEST_HALF_LIFE: Span = Span::millis(120);

/// A value that can be interpolated: a number, or a position.
pub trait Visual: Copy {
    /// Zero.
    const ZERO: Self;

    /// `self + other × share`: a share of -1 subtracts, one from 0 to 1 interpolates.
    #[must_use]
    fn plus(self, other: Self, share: f64) -> Self;

    /// Distance from zero, never negative. Infinite or NaN marks a value that cannot be drawn.
    fn length(self) -> f64;
}

impl Visual for f64 {
    const ZERO: Self = 0.0;

    fn plus(self, other: Self, share: f64) -> Self {
        self + other * share
    }

    fn length(self) -> f64 {
        self.abs()
    }
}

impl Visual for Vector3 {
    const ZERO: Self = [0.0; 3];

    fn plus(self, other: Self, share: f64) -> Self {
        [0, 1, 2].map(|axis: usize| self[axis] + other[axis] * share)
    }

    fn length(self) -> f64 {
        let [x, y, z] = self;
        (x * x + y * y + z * z).sqrt()
    }
}

/// A value that is corrected now and then, drawn without a jump: the difference fades by half in every half-life.
///
/// ```
/// use ugas_core::time::{Span, Time};
/// use ugas_net::smoothing::Smoothed;
///
/// let mut health = Smoothed::new(Span::millis(100), 1_000.0);
/// health.corrected(Time::ZERO, 80.0, 60.0); // predicted 80, and it is 60
/// assert_eq!(health.shown(Time::ZERO, 60.0), 80.0);
/// assert_eq!(health.shown(Time::from_micros(100_000), 60.0), 70.0);
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Smoothed<T> {
    half_life: Span,
    largest: f64,
    /// Offset that is added to the value at `since`.
    difference: T,
    since: Time,
}

impl<T: Visual> Smoothed<T> {
    /// Creates a value whose corrections fade with this half-life; corrections beyond `largest` are shown at
    /// once, like a teleport.
    pub const fn new(half_life: Span, largest: f64) -> Self {
        Self { half_life, largest, difference: T::ZERO, since: Time::ZERO }
    }

    /// Changes the half-life from now on, without a jump; [`half_life`] has one for a round trip.
    pub fn set_half_life(&mut self, now: Time, half_life: Span) {
        self.difference = self.difference_at(now);
        self.since = now;
        self.half_life = half_life;
    }

    /// Corrects the value from `from` to `to`: the shown value stays, and moves there. If it is then further
    /// off than `largest`, it jumps to `to`.
    pub fn corrected(&mut self, now: Time, from: T, to: T) {
        let difference = self.difference_at(now).plus(from, 1.0).plus(to, -1.0);
        // NaN is not within bounds either.
        let within = difference.length() <= self.largest;
        self.difference = if within { difference } else { T::ZERO };
        self.since = now;
    }

    /// Value to draw for the current value.
    pub fn shown(&self, now: Time, value: T) -> T {
        value.plus(self.difference_at(now), 1.0)
    }

    /// Offset that is left at a time.
    fn difference_at(&self, now: Time) -> T {
        T::ZERO.plus(self.difference, faded(now.since(self.since), self.half_life))
    }
}

/// The half-life that suits a round trip: half of it, from 30 to 120 ms. Over a slow link corrections are larger and
/// rarer, and take longer to be gone.
pub fn half_life(round_trip: Span) -> Span {
    Span::from_micros(round_trip.micros() / 2).clamp(SHORTEST_HALF_LIFE, LONGEST_HALF_LIFE)
}

/// A value that is received now and then, drawn with a delay between two samples (§13.6).
///
/// ```
/// use ugas_core::time::{Span, Time};
/// use ugas_net::smoothing::Interpolated;
///
/// let mut x = Interpolated::new(Span::millis(100));
/// x.push(Time::from_micros(0), 1.0);
/// x.push(Time::from_micros(50_000), 3.0);
/// assert_eq!(x.shown(Time::from_micros(125_000)), Some(2.0)); // as it was at 25 ms
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Interpolated<T> {
    delay: Span,
    beyond: Span,
    /// By rising time, each once.
    samples: VecDeque<(Time, T)>,
}

impl<T: Visual> Interpolated<T> {
    /// Creates a buffer with a delay. A good delay is two update intervals and their jitter: then one update
    /// may be lost.
    pub const fn new(delay: Span) -> Self {
        Self { delay, beyond: Span::ZERO, samples: VecDeque::new() }
    }

    /// Extrapolates for up to `beyond` when nothing new comes (dead reckoning, §13.6).
    #[must_use]
    pub const fn reckoning(mut self, beyond: Span) -> Self {
        self.beyond = beyond;
        self
    }

    /// Changes the delay from now on; what is drawn jumps by the difference.
    pub const fn set_delay(&mut self, delay: Span) {
        self.delay = delay;
    }

    /// Adds a sample. Samples may come in any order; the second for a time replaces the first. One that is
    /// older than all of a full buffer, or not finite, is ignored.
    pub fn push(&mut self, at: Time, value: T) {
        if !value.length().is_finite() {
            return;
        }
        let place = self.samples.partition_point(|&(time, _)| time < at);
        if let Some(same) = self.samples.get_mut(place).filter(|sample| sample.0 == at) {
            same.1 = value;
        } else if self.samples.len() < MAX_SAMPLES {
            self.samples.insert(place, (at, value));
        } else if place > 0 {
            self.samples.pop_front();
            self.samples.insert(place - 1, (at, value));
        }
    }

    /// Drops all samples, as after a teleport.
    pub fn clear(&mut self) {
        self.samples.clear();
    }

    /// Value to draw now, as it was a delay ago; `None` without samples. Before the first sample it is the
    /// first; after the last it is the last, or [extrapolated](Self::reckoning).
    pub fn shown(&self, now: Time) -> Option<T> {
        let then = now + -self.delay;
        let next = self.samples.partition_point(|&(time, _)| time <= then);
        let Some(&(from_time, from)) = next.checked_sub(1).and_then(|before| self.samples.get(before)) else {
            return self.samples.front().map(|&(_, value)| value);
        };
        match self.samples.get(next) {
            Some(&(to_time, to)) => {
                let share = then.since(from_time).as_seconds() / to_time.since(from_time).as_seconds();
                Some(between(from, to, share))
            }
            None => {
                let before = next.checked_sub(2).and_then(|before| self.samples.get(before));
                let Some(&(before_time, before)) = before else { return Some(from) };
                let further = then.since(from_time).min(self.beyond.max(Span::ZERO));
                let share = further.as_seconds() / from_time.since(before_time).as_seconds();
                Some(between(before, from, 1.0 + share))
            }
        }
    }
}

/// Linear interpolation; extrapolates if `share` is above 1.
fn between<T: Visual>(from: T, to: T, share: f64) -> T {
    T::ZERO.plus(from, 1.0 - share).plus(to, share)
}

/// Share of a correction that is left after a span: 2 to the power of -(span / half-life). From a series,
/// since the platform's function may differ; the error is below 2/100,000. 1 for a span that is not positive,
/// 0 after 60 half-lives or if the half-life is not positive.
fn faded(span: Span, half_life: Span) -> f64 {
    if span <= Span::ZERO {
        return 1.0;
    }
    if half_life <= Span::ZERO {
        return 0.0;
    }
    let halves = span.micros() / half_life.micros();
    if halves >= 60 {
        return 0.0;
    }
    let part = (span.micros() % half_life.micros()) as f64 / half_life.micros() as f64;
    let x = -part * core::f64::consts::LN_2;
    let exponential =
        1.0 + x * (1.0 + x / 2.0 * (1.0 + x / 3.0 * (1.0 + x / 4.0 * (1.0 + x / 5.0 * (1.0 + x / 6.0)))));
    exponential / (1u64 << halves) as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn millis(millis: u64) -> Time {
        Time::from_micros(millis * 1_000)
    }

    #[test]
    fn a_correction_fades_by_half_in_every_half_life() {
        let mut smoothed = Smoothed::new(Span::millis(100), 100.0);
        smoothed.corrected(millis(1_000), 18.0, 10.0);
        let shown = [900, 1_000, 1_100, 1_200, 1_300].map(|at| smoothed.shown(millis(at), 10.0));
        assert_eq!(shown, [18.0, 18.0, 14.0, 12.0, 11.0]);
        let half_way = smoothed.shown(millis(1_050), 10.0);
        assert!((half_way - (10.0 + 8.0 * core::f64::consts::FRAC_1_SQRT_2)).abs() < 1e-4, "{half_way}"); // 2^-½
        assert_eq!(smoothed.shown(millis(100_000), 10.0), 10.0);
        assert_eq!(smoothed.shown(millis(1_100), 50.0), 54.0); // the value itself goes on meanwhile
    }

    #[test]
    fn corrections_add_up_and_the_largest_is_shown_at_once() {
        let mut smoothed = Smoothed::new(Span::millis(100), 10.0);
        smoothed.corrected(millis(0), 8.0, 0.0);
        smoothed.corrected(millis(100), 0.0, 2.0); // shown is 4, and is to stay there: 2 more than the value
        assert_eq!(smoothed.shown(millis(100), 2.0), 4.0);
        assert_eq!(smoothed.shown(millis(200), 2.0), 3.0);
        smoothed.corrected(millis(200), 2.0, 100.0);
        assert_eq!(smoothed.shown(millis(200), 100.0), 100.0);
        smoothed.corrected(millis(200), f64::NAN, 100.0);
        assert_eq!(smoothed.shown(millis(200), 100.0), 100.0);
    }

    #[test]
    fn places_are_smoothed_too_and_a_new_half_life_makes_no_jump() {
        let mut smoothed = Smoothed::new(Span::millis(100), 10.0);
        smoothed.corrected(millis(0), [4.0, 0.0, -4.0], [0.0; 3]);
        assert_eq!(smoothed.shown(millis(100), [0.0; 3]), [2.0, 0.0, -2.0]);
        smoothed.set_half_life(millis(100), Span::millis(50));
        assert_eq!(smoothed.shown(millis(100), [0.0; 3]), [2.0, 0.0, -2.0]);
        assert_eq!(smoothed.shown(millis(150), [0.0; 3]), [1.0, 0.0, -1.0]);
        smoothed.set_half_life(millis(150), Span::ZERO);
        assert_eq!(smoothed.shown(millis(151), [0.0; 3]), [0.0; 3]);
    }

    #[test]
    fn the_half_life_is_half_a_round_trip_within_bounds() {
        let of = |round_trip| half_life(Span::millis(round_trip));
        assert_eq!([of(0), of(100), of(1_000)], [30, 50, 120].map(Span::millis));
    }

    /// A buffer with a delay of 100 ms, and samples at times in milliseconds.
    fn samples(samples: &[(u64, f64)]) -> Interpolated<f64> {
        let mut interpolated = Interpolated::new(Span::millis(100));
        for &(at, value) in samples {
            interpolated.push(millis(at), value);
        }
        interpolated
    }

    #[test]
    fn values_are_drawn_late_and_between_samples() {
        let buffer = samples(&[(100, 10.0), (300, 30.0), (200, 40.0)]); // one came late
        let shown = [0, 150, 200, 250, 300, 375, 400, 999].map(|at| buffer.shown(millis(at)).unwrap());
        // As it was 100 ms before: the first until 100, 25 at 150, 40 at 200, 32.5 at 275, and 30 from 300 on.
        assert_eq!(shown, [10.0, 10.0, 10.0, 25.0, 40.0, 32.5, 30.0, 30.0]);
        assert_eq!(Interpolated::<f64>::new(Span::ZERO).shown(millis(0)), None);
    }

    #[test]
    fn reckoning_goes_on_for_a_while() {
        let buffer = samples(&[(0, 0.0), (100, 10.0)]).reckoning(Span::millis(50));
        assert_eq!(
            [200, 230, 250, 900].map(|at| buffer.shown(millis(at))),
            [10.0, 13.0, 15.0, 15.0].map(Some)
        );
        assert_eq!(samples(&[(0, 7.0)]).reckoning(Span::millis(50)).shown(millis(900)), Some(7.0));
    }

    #[test]
    fn the_buffer_is_bounded_and_keeps_the_newest() {
        let mut buffer = samples(&[]);
        for at in 0..100 {
            buffer.push(millis(at), at as f64);
        }
        assert_eq!(buffer.samples.len(), MAX_SAMPLES);
        assert_eq!(buffer.shown(millis(0)), Some(68.0)); // 100 - 32
        buffer.push(millis(5), 5.0);
        buffer.push(millis(99), 1_000.0);
        buffer.push(millis(98), f64::INFINITY);
        assert_eq!(buffer.shown(millis(0)), Some(68.0));
        assert_eq!(buffer.shown(millis(500)), Some(1_000.0));
        buffer.clear();
        assert_eq!(buffer.shown(millis(500)), None);
    }

    proptest! {
        /// The shown value lies between the value and the previously shown one, and never turns back.
        #[test]
        fn fading_only_fades(half_life in 1i64..500_000, steps in proptest::collection::vec(0u64..100_000, 1..50)) {
            let mut smoothed = Smoothed::new(Span::from_micros(half_life), 100.0);
            smoothed.corrected(Time::ZERO, 1.0, 0.0);
            let (mut now, mut before) = (0, 1.0);
            for step in steps {
                now += step;
                let shown = smoothed.shown(Time::from_micros(now), 0.0);
                // The series ends a hundred-thousandth too high or low.
                prop_assert!(shown >= 0.0 && shown <= before + 1e-5, "{} after {}", shown, before);
                before = shown;
            }
        }

        /// Between two samples nothing is drawn outside them.
        #[test]
        fn interpolation_stays_inside(values in proptest::collection::vec((0u64..1_000, -1e6..1e6f64), 1..60), at in 0u64..2_000) {
            let mut buffer = Interpolated::new(Span::millis(100));
            for &(at, value) in &values {
                buffer.push(millis(at), value);
            }
            let shown = buffer.shown(millis(at)).unwrap();
            let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(low, high), &(_, v)| (low.min(v), high.max(v)));
            prop_assert!((low - 1e-6..=high + 1e-6).contains(&shown));
        }
    }
}
