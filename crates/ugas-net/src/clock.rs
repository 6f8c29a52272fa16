//! The client's clock: which tick it is for a player.
//!
//! A client runs ahead of the server, so that its commands for a tick reach the server before the server
//! comes to that tick. The lead is not computed from the round trip but measured: the server reports how
//! early each frame arrived ([`Feedback`]). The clock then runs a little faster or slower, as Overwatch's
//! does, so that nothing jumps.
//!
//! # How it works
//!
//! The clock is local time plus an offset. A frame that was sent under the offset `o` and arrived `m` ticks early
//! would have arrived just in time under `o - m` ticks: that is a sample of the *latest* offset. It does not depend on
//! what the clock did since the frame was sent, which is why a long round trip does not make the clock swing. A machine
//! that draws seldom plays several ticks at once: then it is the first of them that has to arrive in time. Their
//! mean, twice their deviation and [`SPARE_TICKS`] make the offset that the clock heads for; before the first sample the
//! deviation is an eighth of the round trip, so that the first command is not too late (N4). The deviation grows
//! quickly and shrinks slowly: a late frame costs a player more than a frame that waits.
//!
//! All of it is integer arithmetic in nanoseconds: a rate in thousandths times microseconds is exact.

use std::collections::VecDeque;

use ugas_core::time::{Span, Time};

use crate::message::Feedback;
use crate::round_trip::BestRoundTrip;
use crate::tick::{Tick, TickLength};

/// Ticks that frames shall arrive early beyond the allowance for jitter. With two, a lost frame still comes
/// in time with the next datagram.
pub const SPARE_TICKS: u32 = 2;
/// Most ticks that one call of [`Clock::tick_at`] advances by, so that a client that was held up catches up over
/// several frames instead of being held up again by catching up.
pub const MAX_STEP: u32 = 8;

/// Bounds of the clock's rate, in thousandths of the local one.
const SLOWEST: i64 = 900;
const FASTEST: i64 = 1_100;
/// Time after which an error is corrected, within the bounds of the rate.
const SETTLE_NANOS: i64 = 250_000_000;
/// Error from which on the clock jumps: at the fastest rate it would take two and a half seconds.
const JUMP_NANOS: i64 = 250_000_000;
/// Ticks behind from which on they are skipped rather than caught up with: all predictions are void anyway.
const SKIP_TICKS: u32 = 120;
/// Consecutive outliers after which they replace the earlier samples.
const OUTLIERS: u8 = 3;
/// Assumed deviation before the first measurement, as a fraction of the round trip.
const GUESSED_JITTER: i64 = 8;
/// Ticks for which their offset is remembered. At 60 Hz four seconds, more than any playable round trip.
const REMEMBERED: usize = 256;
/// Bound of times and offsets, some 18 years, so that no sum of a few of them overflows.
const LIMIT: i64 = i64::MAX / 16;

/// Clock of a client: gives its current tick.
///
/// ```
/// use ugas_core::time::{Span, Time};
/// use ugas_net::clock::Clock;
/// use ugas_net::message::Feedback;
/// use ugas_net::{Tick, TickLength};
///
/// let mut clock = Clock::new(TickLength::hertz(50));
/// assert_eq!(clock.tick_at(Time::ZERO), Tick(0));
/// clock.on_round_trip(Time::ZERO, Span::millis(100));
/// clock.on_update(Time::ZERO, Tick(1_000), Feedback::default());
/// // A datagram takes 50 ms each way: 5 ticks in all, 2 to spare, and a quarter of
/// // the round trip for jitter as long as nothing was measured.
/// assert_eq!(clock.tick_at(Time::ZERO), Tick(1_008));
/// ```
#[derive(Clone, Debug)]
pub struct Clock {
    length: TickLength,
    /// Largest average lead of frames, in nanoseconds.
    widest: i64,
    round_trip: Option<RoundTrip>,
    best_round_trip: BestRoundTrip,
    /// The newest local time.
    now: Time,
    running: Option<Running>,
    jumps: u32,
}

#[derive(Clone, Copy, Debug)]
struct RoundTrip {
    mean: i64,
    deviation: i64,
}

#[derive(Clone, Debug)]
struct Running {
    /// Position of the clock, in nanoseconds of the server's time.
    position: i64,
    rate: i64,
    /// The last result of [`Clock::tick_at`]; `None` before the first call.
    shown: Option<Tick>,
    poll: Poll,
    /// Offset at which ticks began, by rising tick. If several began at once, it is increased by the time
    /// from the first to the last of them.
    began: VecDeque<(Tick, i64)>,
    /// The newest frame that feedback was about.
    newest_feedback: Tick,
    latest: Latest,
}

/// A time at which the client polled the clock and played the ticks that were due. Commands since the poll
/// before belong to the first of them.
#[derive(Clone, Copy, Debug)]
struct Poll {
    /// Local time.
    at: i64,
    /// Time since the poll before.
    after: i64,
    first: Option<Tick>,
}

impl Poll {
    /// Time from the first to the last of the ticks that one poll plays at once. The offset of the poll is
    /// raised by it, because the first of them has to reach the server in time. At most the time since the
    /// poll before: more ticks are due only because the clock was set, which does not recur.
    fn at_once(self, last: Tick, length: i64) -> i64 {
        let others = self.first.map_or(0, |first| last.since(first));
        others.clamp(0, self.after / length) * length
    }
}

/// Estimate of the latest offset, at which frames arrive just in time.
#[derive(Clone, Copy, Debug)]
struct Latest {
    mean: i64,
    deviation: i64,
    /// Number of consecutive samples that were too far off to be jitter.
    outliers: u8,
    measured: Measured,
}

/// Origin of the samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Measured {
    /// Guessed from round trips, before the first feedback.
    Guessed,
    /// Reported by feedback.
    Reported,
}

impl Clock {
    /// A clock that stands at tick 0 until the first update.
    pub const fn new(length: TickLength) -> Self {
        let best_round_trip = BestRoundTrip::new();
        let now = Time::ZERO;
        Self { length, widest: LIMIT, round_trip: None, best_round_trip, now, running: None, jumps: 0 }
    }

    /// Sets the limit beyond which the server rejects early frames
    /// ([`Welcome::max_lead`](crate::message::Welcome)): the clock aims at no more than half of it, however bad the
    /// jitter, since some frames arrive earlier than others.
    pub fn set_max_lead(&mut self, ticks: u32) {
        self.widest = bounded(i64::from(ticks).saturating_mul(self.tick_nanos()) / 2);
    }

    /// Handles an update with the state of `server_tick` and feedback on the client's frames. Feedback with
    /// tick 0 means that there is none. Call it for the welcome too.
    pub fn on_update(&mut self, now: Time, server_tick: Tick, feedback: Feedback) {
        self.pass(now);
        let guess = self.guess(server_tick);
        let round_trip = self.round_trip.map_or(0, |round_trip| round_trip.mean);
        let (length, local) = (self.tick_nanos(), self.local());
        match &mut self.running {
            None => {
                let latest = Latest::guessed(guess, round_trip);
                let position = bounded(local + latest.goal(length, self.widest));
                self.running = Some(Running::new(position, local, latest));
            }
            Some(running) => {
                running.add_feedback(feedback, (guess, round_trip), length);
                let goal = running.latest.goal(length, self.widest);
                self.jumps = self.jumps.saturating_add(running.steer(goal, local));
            }
        }
    }

    /// Adds the round trip of a frame that the server reported as late, as [`Self::on_round_trip`] does. Late
    /// frames mean that the way got longer: shorter round trips of before count no more, so that
    /// [`Self::best_round_trip`] rises at once.
    pub fn on_late_round_trip(&mut self, now: Time, span: Span) {
        self.best_round_trip = BestRoundTrip::new();
        self.on_round_trip(now, span);
    }

    /// Adds a sample of the round trip.
    pub fn on_round_trip(&mut self, now: Time, span: Span) {
        self.pass(now);
        self.best_round_trip.add(self.now, span.max(Span::ZERO));
        let sample = nanos(span.max(Span::ZERO));
        // The weights of RFC 6298: an eighth for the mean, a quarter for the deviation.
        self.round_trip = Some(match self.round_trip {
            None => RoundTrip { mean: sample, deviation: sample / 2 },
            Some(RoundTrip { mean, deviation }) => RoundTrip {
                mean: mean + (sample - mean) / 8,
                deviation: deviation + ((sample - mean).abs() - deviation) / 4,
            },
        });
    }

    /// The client's current tick. Never earlier than before, and at most [`MAX_STEP`] later, unless
    /// [`Clock::jumps`] rises: then the ticks between are to be skipped. Call it when the due ticks are
    /// played: it records the offset at which they began, by which feedback is evaluated.
    pub fn tick_at(&mut self, now: Time) -> Tick {
        self.tick_until(now, Tick(u32::MAX))
    }

    /// Like [`Self::tick_at`], but at most `limit`: while a server stands still, the clock waits with the
    /// client, so that it need not be set back by the whole time afterwards.
    pub fn tick_until(&mut self, now: Time, limit: Tick) -> Tick {
        self.pass(now);
        let (length, local) = (self.tick_nanos(), self.local());
        let Some(running) = &mut self.running else { return Tick(0) };
        running.note_poll(local);
        let tick = self.length.tick_at_nanos(running.position);
        let shown = match running.shown {
            None => tick,
            Some(shown) if tick.min(limit).since(shown) > i64::from(SKIP_TICKS) => {
                self.jumps = self.jumps.saturating_add(1);
                tick.min(limit)
            }
            Some(shown) => tick.min(limit).clamp(shown, shown.after(MAX_STEP)),
        };
        if running.shown.is_none_or(|before| before < shown) {
            let at_once = running.poll.at_once(shown, length).min(self.widest);
            running.shown = Some(shown);
            if running.began.len() == REMEMBERED {
                running.began.pop_front();
            }
            // While it catches up, a tick begins later than the clock would have had it: so much less is its offset.
            let behind = tick.since(shown) * length;
            running.began.push_back((shown, running.position - behind + at_once - local));
        }
        shown
    }

    /// Whether the clock was set back: its time is before a tick that was played, and it stands.
    pub fn is_behind(&self, played: Tick) -> bool {
        let position = self.running.as_ref().map(|running| running.position);
        position.is_some_and(|position| self.length.tick_at_nanos(position) < played)
    }

    /// Whether an update was received; before that there is no tick to show.
    pub const fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Smoothed round trip; zero before the first measurement.
    pub fn round_trip(&self) -> Span {
        span(self.round_trip.map_or(0, |round_trip| round_trip.mean))
    }

    /// Shortest round trip of the last seconds, or since a late frame; zero before the first measurement.
    pub fn best_round_trip(&self) -> Span {
        self.best_round_trip.span().unwrap_or(Span::ZERO)
    }

    /// Smoothed deviation of round trips from their mean; zero before the first measurement.
    pub fn round_trip_deviation(&self) -> Span {
        span(self.round_trip.map_or(0, |round_trip| round_trip.deviation))
    }

    /// Rate relative to local time: 0.9 to 1.1, and 1 before the first update. It differs from 1 while the
    /// clock approaches its target.
    pub fn rate(&self) -> f64 {
        self.running.as_ref().map_or(1.0, |running| running.rate as f64 / 1_000.0)
    }

    /// Average lead at which frames shall arrive, so that they come in time despite jitter.
    pub fn target_margin(&self) -> Span {
        let latest =
            self.running.as_ref().map_or(Latest::first(0, Measured::Guessed), |running| running.latest);
        span(latest.margin(self.tick_nanos(), self.widest))
    }

    /// Number of times that the clock skipped ticks or was set back. Set back, it stands until its time has
    /// come again.
    pub const fn jumps(&self) -> u32 {
        self.jumps
    }

    /// Advances to `now`; time that goes backwards does nothing.
    fn pass(&mut self, now: Time) {
        let micros = now.since(self.now).micros().max(0);
        self.now = self.now.max(now);
        if let Some(running) = &mut self.running {
            // Microseconds times thousandths are nanoseconds.
            running.position = bounded(running.position.saturating_add(micros.saturating_mul(running.rate)));
        }
    }

    /// The latest offset, by what is known without feedback: an update came from half a round trip ago, and frames
    /// take another half.
    fn guess(&self, server_tick: Tick) -> i64 {
        let tick = bounded(self.length.nanos_at(server_tick));
        tick + self.round_trip.map_or(0, |round_trip| round_trip.mean) - self.local()
    }

    /// Newest local time, in nanoseconds, within [`LIMIT`].
    fn local(&self) -> i64 {
        bounded(i64::try_from(self.now.micros()).unwrap_or(i64::MAX).saturating_mul(1_000))
    }

    /// Length of a tick in nanoseconds.
    fn tick_nanos(&self) -> i64 {
        self.length.nanos()
    }
}

impl Running {
    /// A clock at a position, running at the local rate, that was not polled yet.
    fn new(position: i64, local: i64, latest: Latest) -> Self {
        let began = VecDeque::with_capacity(REMEMBERED);
        let poll = Poll { at: local, after: 0, first: None };
        Self { position, rate: 1_000, shown: None, poll, began, newest_feedback: Tick(0), latest }
    }

    /// Records that the clock is polled. Several calls at the same local time are one poll.
    fn note_poll(&mut self, local: i64) {
        if local != self.poll.at {
            let (after, first) = (local - self.poll.at, self.shown.map(Tick::next));
            self.poll = Poll { at: local, after, first };
        }
    }

    /// Adds a sample from feedback, or a guess as long as there was none.
    fn add_feedback(&mut self, feedback: Feedback, (guess, round_trip): (i64, i64), length: i64) {
        let Some(offset) = self.offset_of(feedback.newest) else {
            if self.latest.measured == Measured::Guessed {
                self.latest = Latest::guessed(guess, round_trip);
            }
            return;
        };
        self.newest_feedback = feedback.newest;
        let sample = offset - i64::from(feedback.margin) * length;
        match self.latest.measured {
            Measured::Guessed => self.latest = Latest::first(sample, Measured::Reported),
            Measured::Reported => self.latest.add(sample),
        }
    }

    /// Offset at which a frame was sent; `None` if the feedback is outdated, or the offset unknown.
    fn offset_of(&self, tick: Tick) -> Option<i64> {
        // A call that advances by several ticks is remembered under the last of them. The first that is remembered
        // has no call before it, so nothing below it is known.
        let at = self.began.partition_point(|&(began, _)| began < tick);
        let (began, offset) = *self.began.get(at)?;
        (tick > self.newest_feedback && (at > 0 || began == tick)).then_some(offset)
    }

    /// Adjusts the rate towards an offset, or jumps to it if the error is too large. Returns 1 if it jumped
    /// back, otherwise 0: jumps ahead are counted when [`Clock::tick_at`] skips ticks.
    fn steer(&mut self, goal: i64, local: i64) -> u32 {
        let error = goal - (self.position - local);
        if error.abs() > JUMP_NANOS {
            self.position = bounded(self.position + error);
            self.rate = 1_000;
            return u32::from(error < 0);
        }
        self.rate = (1_000 + error * 1_000 / SETTLE_NANOS).clamp(SLOWEST, FASTEST);
        0
    }
}

impl Latest {
    /// Estimate from a single sample, without deviation.
    const fn first(sample: i64, measured: Measured) -> Self {
        Self { mean: sample, deviation: 0, outliers: 0, measured }
    }

    /// Allowance before the first feedback: the first frame may take longer than the hello did (N4).
    const fn guessed(sample: i64, round_trip: i64) -> Self {
        Self { deviation: round_trip / GUESSED_JITTER, ..Self::first(sample, Measured::Guessed) }
    }

    /// Target offset from local time: the mean of the latest offset, and the margin.
    fn goal(&self, length: i64, widest: i64) -> i64 {
        self.mean + self.margin(length, widest)
    }

    /// Lead at which frames shall arrive: twice the deviation and [`SPARE_TICKS`], at most `widest`.
    fn margin(&self, length: i64, widest: i64) -> i64 {
        (2 * self.deviation + i64::from(SPARE_TICKS) * length).min(widest)
    }

    /// Sample of the latest offset (see [`Latest`]) from feedback, added to mean and deviation, which set the
    /// goal of the clock. A sample far from the mean is an outlier: ignored, until [`OUTLIERS`] in a row
    /// replace the estimate.
    fn add(&mut self, sample: i64) {
        let off = sample - self.mean;
        if off.abs() > 2 * JUMP_NANOS {
            // One is a datagram that was held up, and no reason to jump there and back. Several in a row mean that the
            // server stood still, or the local clock was set: what was known is void.
            self.outliers += 1;
            if self.outliers == OUTLIERS {
                *self = Self::first(sample, self.measured);
            }
            return;
        }
        self.outliers = 0;
        self.mean += off / 16;
        let deviation = off.abs() - self.deviation;
        self.deviation += deviation / if deviation > 0 { 8 } else { 128 };
    }
}

/// A span in nanoseconds, within [`LIMIT`].
fn nanos(span: Span) -> i64 {
    bounded(span.micros().saturating_mul(1_000))
}

/// Clamps to ±[`LIMIT`].
const fn bounded(nanos: i64) -> i64 {
    if nanos > LIMIT {
        LIMIT
    } else if nanos < -LIMIT {
        -LIMIT
    } else {
        nanos
    }
}

/// Nanoseconds as a span, rounded towards zero.
fn span(nanos: i64) -> Span {
    Span::from_micros(nanos / 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviation_rises_quickly_and_falls_slowly() {
        let mut latest = Latest::first(0, Measured::Reported);
        latest.add(16_000_000);
        assert_eq!((latest.mean, latest.deviation), (1_000_000, 2_000_000)); // 16 / 16, 16 / 8
        latest.add(1_000_000);
        assert_eq!((latest.mean, latest.deviation), (1_000_000, 1_984_375)); // 2,000,000 - 2,000,000 / 128
    }

    #[test]
    fn mean_ignores_outliers_until_three_in_a_row() {
        let mut latest = Latest::first(0, Measured::Reported);
        for sample in [600_000_000, 600_000_000, 0, 600_000_000, 610_000_000] {
            latest.add(sample);
            assert_eq!((latest.mean, latest.deviation), (0, 0));
        }
        latest.add(620_000_000);
        assert_eq!((latest.mean, latest.deviation), (620_000_000, 0));
    }
}
