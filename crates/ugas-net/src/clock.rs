//! The client's clock: which tick it is for a player.
//!
//! A client is ahead of the server, by so much that what it does at a tick reaches the server before the server comes
//! to that tick. How much that is, is not computed from the round trip but measured: the server says how long before
//! its time each frame arrived ([`Feedback`]). The clock then runs a little faster or slower, as Overwatch's does, so
//! that nothing jumps.
//!
//! # How it works
//!
//! The clock is local time plus an offset. A frame that was sent under the offset `o` and arrived `m` ticks early
//! would have arrived just in time under `o - m` ticks: that is a sample of the *latest* offset. It does not depend on
//! what the clock did since the frame was sent, which is why a long round trip does not make the clock swing. Their
//! mean, twice their deviation and [`SPARE_TICKS`] make the offset that the clock heads for. The deviation grows
//! quickly and shrinks slowly: a late frame costs a player more than a frame that waits.
//!
//! All of it is integer arithmetic in nanoseconds: a rate in thousandths times microseconds is exact.

use std::collections::VecDeque;

use ugas_core::time::{Span, Time};

use crate::message::Feedback;
use crate::tick::{Tick, TickLength};

/// How many ticks early frames shall arrive beyond what jitter demands. With two, a frame that is lost still comes in
/// time with the next datagram.
pub const SPARE_TICKS: u32 = 2;
/// Most ticks that one call of [`Clock::tick_at`] advances by, so that a client that was held up catches up over
/// several frames instead of being held up again by catching up.
pub const MAX_STEP: u32 = 8;

/// The clock never runs slower or faster than these thousandths of the local one.
const SLOWEST: i64 = 900;
const FASTEST: i64 = 1_100;
/// An error is to be gone after about this long, within the limits of the rate.
const SETTLE_NANOS: i64 = 250_000_000;
/// From this error on the clock jumps: at the fastest rate it would take two and a half seconds.
const JUMP_NANOS: i64 = 250_000_000;
/// From so many ticks on they are skipped rather than caught up with: all that was predicted is void anyway.
const SKIP_TICKS: u32 = 120;
/// After so many samples in a row that are nowhere near the others, these are the ones to believe.
const OUTLIERS: u8 = 3;
/// For how many ticks the clock remembers under which offset they began. At 60 Hz four seconds, more than any round
/// trip that can be played with.
const REMEMBERED: usize = 256;
/// No time and no offset is beyond this, some 18 years, so that no sum of a few of them overflows.
const LIMIT: i64 = i64::MAX / 16;

/// Says which tick it is for a client.
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
/// // What is sent now is there in 50 ms, and what came now was sent 50 ms ago: 5 ticks in all, and 2 to spare.
/// assert_eq!(clock.tick_at(Time::ZERO), Tick(1_007));
/// ```
#[derive(Clone, Debug)]
pub struct Clock {
    length: TickLength,
    /// Frames are not to arrive earlier than this on average, in nanoseconds.
    widest: i64,
    round_trip: Option<RoundTrip>,
    /// The newest local time that was seen.
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
    /// Where the clock is, in nanoseconds of the server's time.
    position: i64,
    rate: i64,
    /// What [`Clock::tick_at`] said last; `None` before it was asked.
    shown: Option<Tick>,
    /// The offset under which ticks began, by rising tick.
    began: VecDeque<(Tick, i64)>,
    /// The frame that feedback was last about.
    heard: Tick,
    latest: Latest,
}

/// What is known about the latest offset, under which frames arrive just in time.
#[derive(Clone, Copy, Debug)]
struct Latest {
    mean: i64,
    deviation: i64,
    /// How many samples in a row were so far off that they are not jitter.
    outliers: u8,
    measured: Measured,
}

/// How samples came about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Measured {
    /// From round trips, while nothing better is known.
    Guessed,
    /// From feedback.
    Told,
}

impl Clock {
    /// A clock that stands at tick 0 until the first update.
    pub const fn new(length: TickLength) -> Self {
        Self { length, widest: LIMIT, round_trip: None, now: Time::ZERO, running: None, jumps: 0 }
    }

    /// The server refuses frames that arrive more than so many ticks early
    /// ([`Welcome::max_lead`](crate::message::Welcome)): the clock aims at no more than half of it, however bad the
    /// jitter, since some frames arrive earlier than others.
    pub fn set_max_lead(&mut self, ticks: u32) {
        self.widest = bounded(i64::from(ticks).saturating_mul(self.tick_nanos()) / 2);
    }

    /// The server's word arrived: the state of `server_tick`, and how the client's frames came. Feedback with tick 0
    /// says that none came yet. Call it for the first word of the server too, the welcome.
    pub fn on_update(&mut self, now: Time, server_tick: Tick, feedback: Feedback) {
        self.pass(now);
        let guess = self.guess(server_tick);
        let (length, local) = (self.tick_nanos(), self.local());
        match &mut self.running {
            None => {
                let latest = Latest::first(guess, Measured::Guessed);
                self.running = Some(Running::new(bounded(local + latest.goal(length, self.widest)), latest));
            }
            Some(running) => {
                running.listen(feedback, guess, length);
                let goal = running.latest.goal(length, self.widest);
                self.jumps = self.jumps.saturating_add(running.steer(goal, local));
            }
        }
    }

    /// A datagram was acknowledged so long after it was sent.
    pub fn on_round_trip(&mut self, now: Time, span: Span) {
        self.pass(now);
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

    /// Which tick it is now for the client. Never earlier than it said before, and at most [`MAX_STEP`] later, unless
    /// [`Clock::jumps`] rises: then the ticks between are to be skipped.
    pub fn tick_at(&mut self, now: Time) -> Tick {
        self.pass(now);
        let (length, local) = (self.tick_nanos(), self.local());
        let Some(running) = &mut self.running else { return Tick(0) };
        let tick = Tick(u32::try_from(running.position.max(0) / length).unwrap_or(u32::MAX));
        let shown = match running.shown {
            None => tick,
            Some(shown) if tick.since(shown) > i64::from(SKIP_TICKS) => {
                self.jumps = self.jumps.saturating_add(1);
                tick
            }
            Some(shown) => tick.clamp(shown, shown.after(MAX_STEP)),
        };
        if running.shown.is_none_or(|before| before < shown) {
            running.shown = Some(shown);
            if running.began.len() == REMEMBERED {
                running.began.pop_front();
            }
            // While it catches up, a tick begins later than the clock would have had it: so much less is its offset.
            let behind = tick.since(shown) * length;
            running.began.push_back((shown, running.position - behind - local));
        }
        shown
    }

    /// Whether the server was heard of.
    pub const fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// The round trip of datagrams, smoothed; nothing before the first was measured.
    pub fn round_trip(&self) -> Span {
        span(self.round_trip.map_or(0, |round_trip| round_trip.mean))
    }

    /// How much round trips differ from each other.
    pub fn round_trip_deviation(&self) -> Span {
        span(self.round_trip.map_or(0, |round_trip| round_trip.deviation))
    }

    /// How fast it runs, compared to local time: 0.9 to 1.1.
    pub fn rate(&self) -> f64 {
        self.running.as_ref().map_or(1.0, |running| running.rate as f64 / 1_000.0)
    }

    /// How long before their time frames shall arrive on average.
    pub fn target_margin(&self) -> Span {
        let latest =
            self.running.as_ref().map_or(Latest::first(0, Measured::Guessed), |running| running.latest);
        span(latest.margin(self.tick_nanos(), self.widest))
    }

    /// How often the clock was so far off that it skipped ticks or was set back. Set back, it stands until its time
    /// has come again.
    pub const fn jumps(&self) -> u32 {
        self.jumps
    }

    /// Lets time pass up to now; time that goes backwards does nothing.
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
        let tick = bounded(i64::from(server_tick.0) * self.tick_nanos());
        tick + self.round_trip.map_or(0, |round_trip| round_trip.mean) - self.local()
    }

    fn local(&self) -> i64 {
        bounded(i64::try_from(self.now.micros()).unwrap_or(i64::MAX).saturating_mul(1_000))
    }

    fn tick_nanos(&self) -> i64 {
        i64::from(self.length.micros()) * 1_000
    }
}

impl Running {
    fn new(position: i64, latest: Latest) -> Self {
        let began = VecDeque::with_capacity(REMEMBERED);
        Self { position, rate: 1_000, shown: None, began, heard: Tick(0), latest }
    }

    /// Takes in how a frame came, or what can be guessed as long as none did.
    fn listen(&mut self, feedback: Feedback, guess: i64, length: i64) {
        let Some(offset) = self.offset_of(feedback.newest) else {
            if self.latest.measured == Measured::Guessed {
                self.latest = Latest::first(guess, Measured::Guessed);
            }
            return;
        };
        self.heard = feedback.newest;
        let sample = offset - i64::from(feedback.margin) * length;
        match self.latest.measured {
            Measured::Guessed => self.latest = Latest::first(sample, Measured::Told),
            Measured::Told => self.latest.add(sample),
        }
    }

    /// Under which offset a frame was sent; `None` if that is old news, or unknown.
    fn offset_of(&self, tick: Tick) -> Option<i64> {
        // A call that advances by several ticks is remembered under the last of them. The first that is remembered
        // has no call before it, so nothing below it can be told.
        let at = self.began.partition_point(|&(began, _)| began < tick);
        let (began, offset) = *self.began.get(at)?;
        (tick > self.heard && (at > 0 || began == tick)).then_some(offset)
    }

    /// Heads for an offset or jumps to it; gives how often it jumped back.
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
    const fn first(sample: i64, measured: Measured) -> Self {
        Self { mean: sample, deviation: 0, outliers: 0, measured }
    }

    /// The offset to head for.
    fn goal(&self, length: i64, widest: i64) -> i64 {
        self.mean + self.margin(length, widest)
    }

    /// How early frames shall arrive.
    fn margin(&self, length: i64, widest: i64) -> i64 {
        (2 * self.deviation + i64::from(SPARE_TICKS) * length).min(widest)
    }

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

fn nanos(span: Span) -> i64 {
    bounded(span.micros().saturating_mul(1_000))
}

const fn bounded(nanos: i64) -> i64 {
    if nanos > LIMIT {
        LIMIT
    } else if nanos < -LIMIT {
        -LIMIT
    } else {
        nanos
    }
}

fn span(nanos: i64) -> Span {
    Span::from_micros(nanos / 1_000)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::link::{Conditions, Link};

    const LENGTH: TickLength = TickLength::hertz(50); // 20 ms

    /// A server and a client on a simulated link.
    struct Scene {
        conditions: Conditions,
        /// How long a tick of the server takes on the client's clock, in microseconds.
        server_tick: u64,
        /// How often the client draws, in microseconds.
        frame: u64,
        seconds: u64,
        /// From when on late frames count, in seconds.
        settled: u64,
        /// Another network, from this second on.
        then: Option<(u64, Conditions)>,
        /// The server stands still from this second on for so many.
        stall: Option<(u64, u64)>,
    }

    #[derive(Debug, Default)]
    struct Outcome {
        frames: u32,
        late: u32,
        /// Margins of frames that arrived in the last second, in ticks.
        margins: Vec<i64>,
        rate: f64,
        jumps: u32,
    }

    impl Outcome {
        fn late_share(&self) -> f64 {
            f64::from(self.late) / f64::from(self.frames)
        }
    }

    impl Scene {
        fn over(conditions: Conditions) -> Self {
            Self {
                conditions,
                server_tick: 20_000,
                frame: 16_000,
                seconds: 30,
                settled: 5,
                then: None,
                stall: None,
            }
        }

        fn run(&self, seed: u64) -> Outcome {
            let mut outcome = Outcome::default();
            let mut clock = Clock::new(LENGTH);
            let (mut up, mut down) = (Link::new(seed, self.conditions), Link::new(!seed, self.conditions));
            let mut server = 5_000u32; // the tick that runs next
            let (mut newest, mut margin, mut sent_at) = (0u32, 0i16, 0u64);
            let (mut told, mut shown) = (0u32, Tick(0));
            let end = self.seconds * 1_000_000;
            for now in (0..end).step_by(1_000) {
                let time = Time::from_micros(now);
                if let Some((_, conditions)) = self.then.filter(|&(second, _)| now == second * 1_000_000) {
                    up.set_conditions(conditions);
                    down.set_conditions(conditions);
                }
                while let Some(frame) = up.receive(time) {
                    let tick = u32::from_le_bytes(frame[..4].try_into().unwrap());
                    if tick > newest {
                        if now >= self.settled * 1_000_000 {
                            // Every datagram holds all frames that may be missing.
                            outcome.frames += tick - newest;
                            outcome.late += server.saturating_sub(newest + 1).min(tick - newest);
                        }
                        newest = tick;
                        margin = i64::from(tick).saturating_sub(i64::from(server)) as i16;
                        if now >= end - 1_000_000 {
                            outcome.margins.push(i64::from(margin));
                        }
                        sent_at = u64::from_le_bytes(frame[4..].try_into().unwrap());
                    }
                }
                let stalls = |(from, long): (u64, u64)| (from..from + long).contains(&(now / 1_000_000));
                if now % self.server_tick < 1_000 && !self.stall.is_some_and(stalls) {
                    let mut update = [0; 18];
                    update[..4].copy_from_slice(&server.to_le_bytes());
                    update[4..8].copy_from_slice(&newest.to_le_bytes());
                    update[8..10].copy_from_slice(&margin.to_le_bytes());
                    update[10..].copy_from_slice(&sent_at.to_le_bytes());
                    down.send(time, &update);
                    server += 1;
                }
                while let Some(update) = down.receive(time) {
                    let number = |at: usize| u32::from_le_bytes(update[at..at + 4].try_into().unwrap());
                    let sent_at = u64::from_le_bytes(update[10..].try_into().unwrap());
                    let feedback = Feedback {
                        newest: Tick(number(4)),
                        margin: i16::from_le_bytes([update[8], update[9]]),
                    };
                    if feedback.newest.0 > told {
                        told = feedback.newest.0;
                        clock.on_round_trip(time, time.since(Time::from_micros(sent_at)));
                    }
                    clock.on_update(time, Tick(number(0)), feedback);
                }
                if now % self.frame < 1_000 && clock.is_running() {
                    let jumps = clock.jumps();
                    let tick = clock.tick_at(time);
                    assert!(tick >= shown, "{tick} after {shown}");
                    assert!(
                        shown == Tick(0) || clock.jumps() > jumps || tick.since(shown) <= i64::from(MAX_STEP)
                    );
                    assert!((0.9..=1.1).contains(&clock.rate()));
                    if tick > shown {
                        shown = tick;
                        let mut frame = [0; 12];
                        frame[..4].copy_from_slice(&tick.0.to_le_bytes());
                        frame[4..].copy_from_slice(&now.to_le_bytes());
                        up.send(time, &frame);
                    }
                }
            }
            outcome.rate = clock.rate();
            outcome.jumps = clock.jumps();
            outcome
        }
    }

    fn constant(delay: i64) -> Conditions {
        Conditions { delay: Span::millis(delay), ..Conditions::perfect() }
    }

    #[test]
    fn under_constant_latency_frames_arrive_two_to_three_ticks_early() {
        for delay in [0, 10, 50, 120, 250] {
            let outcome = Scene::over(constant(delay)).run(1);
            assert_eq!((outcome.late, outcome.jumps), (0, 0), "{delay} ms");
            // Two are asked for. Drawing every 16 ms, and not every 20, makes a frame up to one tick later or earlier.
            assert!(outcome.margins.iter().all(|margin| (2..=3).contains(margin)), "{delay} ms: {outcome:?}");
            assert!((0.97..1.03).contains(&outcome.rate), "{delay} ms: {outcome:?}");
        }
    }

    #[test]
    fn a_clock_that_runs_wrong_is_followed() {
        for server_tick in [19_000, 21_000] {
            let outcome = Scene { server_tick, ..Scene::over(constant(50)) }.run(1);
            assert_eq!((outcome.late, outcome.jumps), (0, 0), "{outcome:?}");
            let needed = 20_000.0 / server_tick as f64; // 1.053 and 0.952
            assert!((outcome.rate - needed).abs() < 0.03, "{outcome:?}");
        }
    }

    #[test]
    fn drawing_slowly_makes_no_frame_late() {
        let outcome = Scene { frame: 33_000, ..Scene::over(constant(50)) }.run(1);
        assert_eq!(outcome.late, 0, "{outcome:?}");
    }

    #[test]
    fn single_losses_make_no_frame_late() {
        let outcome = Scene::over(Conditions { loss: 0.05, ..constant(50) }).run(1);
        // It takes three losses in a row: 1,250 × 0.05³ is 0.16 frames.
        assert!(outcome.late_share() < 0.005, "{outcome:?}");
    }

    #[test]
    fn another_network_is_got_used_to() {
        for (before, after) in [(20, 150), (20, 400), (150, 20)] {
            let then = Some((8, constant(after)));
            let outcome = Scene { then, settled: 13, ..Scene::over(constant(before)) }.run(1);
            assert_eq!(outcome.late, 0, "{before} to {after}: {outcome:?}");
            // What widened the margin is forgotten by and by.
            assert!(
                outcome.margins.iter().all(|margin| (2..=4).contains(margin)),
                "{before} to {after}: {outcome:?}"
            );
        }
    }

    #[test]
    fn a_server_that_stood_still_is_waited_for() {
        let outcome = Scene { stall: Some((8, 2)), settled: 11, ..Scene::over(constant(50)) }.run(1);
        assert_eq!((outcome.late, outcome.jumps), (0, 1), "{outcome:?}");
        assert!(outcome.margins.iter().all(|margin| (2..=4).contains(margin)), "{outcome:?}");
    }

    #[test]
    fn the_margin_has_a_bound() {
        let mut clock = at_1002();
        assert_eq!(clock.target_margin(), Span::millis(40));
        clock.set_max_lead(3);
        assert_eq!(clock.target_margin(), Span::millis(30)); // half of 60
        clock.set_max_lead(u32::MAX);
        assert_eq!(clock.target_margin(), Span::millis(40));
    }

    /// A clock at tick 1,002 at time 0, two ticks ahead of a server that is no round trip away.
    fn at_1002() -> Clock {
        let mut clock = Clock::new(LENGTH);
        clock.on_update(Time::ZERO, Tick(1_000), Feedback::default());
        assert_eq!(clock.tick_at(Time::ZERO), Tick(1_002));
        clock
    }

    fn millis(millis: u64) -> Time {
        Time::from_micros(millis * 1_000)
    }

    fn told(newest: u32, margin: i16) -> Feedback {
        Feedback { newest: Tick(newest), margin }
    }

    #[test]
    fn too_late_runs_faster_and_too_early_slower() {
        // One tick off is 20 ms: to be gone in 250 ms, 8 % faster. Two ticks would take 16 %: the bound.
        for (margin, rate) in [(2, 1.0), (1, 1.08), (3, 0.92), (0, 1.1), (-3, 1.1), (4, 0.9)] {
            let mut clock = at_1002();
            clock.on_update(Time::ZERO, Tick(1_000), told(1_002, margin));
            assert_eq!(clock.rate(), rate, "margin {margin}");
        }
        let mut clock = at_1002();
        clock.on_update(Time::ZERO, Tick(1_000), told(1_002, 0)); // 10 % faster
        assert_eq!(clock.tick_at(millis(18)), Tick(1_002)); // 19.8 ms
        assert_eq!(clock.tick_at(millis(19)), Tick(1_003)); // 20.9 ms
    }

    #[test]
    fn old_and_impossible_feedback_is_ignored() {
        let mut clock = at_1002();
        clock.on_update(Time::ZERO, Tick(1_000), told(1_002, 2));
        clock.on_update(Time::ZERO, Tick(1_000), told(1_002, -5)); // again
        clock.on_update(Time::ZERO, Tick(1_000), told(9_999, -5)); // never shown
        assert_eq!(clock.rate(), 1.0);
    }

    #[test]
    fn what_is_far_off_jumps_and_is_caught_up_with_in_steps() {
        let mut clock = at_1002();
        clock.on_update(Time::ZERO, Tick(1_000), told(1_002, -18)); // 20 ticks too late: 400 ms
        assert_eq!((clock.tick_at(Time::ZERO), clock.jumps()), (Tick(1_010), 0));
        assert_eq!(clock.tick_at(Time::ZERO), Tick(1_018));
        assert_eq!(clock.tick_at(Time::ZERO), Tick(1_022));
        assert_eq!(clock.tick_at(Time::ZERO), Tick(1_022));
    }

    #[test]
    fn a_long_stall_is_skipped() {
        let mut clock = at_1002();
        assert_eq!((clock.tick_at(millis(2_400)), clock.jumps()), (Tick(1_010), 0)); // 120 ticks
        let mut clock = at_1002();
        assert_eq!((clock.tick_at(millis(2_420)), clock.jumps()), (Tick(1_123), 1)); // 121
    }

    #[test]
    fn set_back_it_stands_until_its_time_has_come() {
        let mut clock = at_1002();
        clock.on_update(Time::ZERO, Tick(1_000), told(1_002, 22)); // 20 ticks too early
        assert_eq!((clock.tick_at(Time::ZERO), clock.jumps()), (Tick(1_002), 1));
        assert_eq!(clock.tick_at(millis(400)), Tick(1_002));
        assert_eq!(clock.tick_at(millis(420)), Tick(1_003));
    }

    #[test]
    fn round_trips_are_smoothed() {
        let mut clock = Clock::new(LENGTH);
        assert_eq!(clock.round_trip(), Span::ZERO);
        clock.on_round_trip(Time::ZERO, Span::millis(100));
        assert_eq!(clock.round_trip_deviation(), Span::millis(50));
        clock.on_round_trip(Time::ZERO, Span::millis(180));
        assert_eq!(clock.round_trip(), Span::millis(110)); // 100 + 80 / 8
        assert_eq!(clock.round_trip_deviation(), Span::from_micros(57_500)); // 50 + (80 - 50) / 4
    }

    #[test]
    fn jitter_widens_the_margin_quickly_and_calm_narrows_it_slowly() {
        let mut latest = Latest::first(0, Measured::Told);
        latest.add(16_000_000);
        assert_eq!((latest.mean, latest.deviation), (1_000_000, 2_000_000)); // 16 / 16, 16 / 8
        latest.add(1_000_000);
        assert_eq!((latest.mean, latest.deviation), (1_000_000, 1_984_375)); // 2,000,000 - 2,000,000 / 128
    }

    #[test]
    fn one_outlier_is_nothing_and_three_are_the_truth() {
        let mut latest = Latest::first(0, Measured::Told);
        for sample in [600_000_000, 600_000_000, 0, 600_000_000, 610_000_000] {
            latest.add(sample);
            assert_eq!((latest.mean, latest.deviation), (0, 0));
        }
        latest.add(620_000_000);
        assert_eq!((latest.mean, latest.deviation), (620_000_000, 0));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// Once settled, nearly every frame is in time, whatever the delay and the jitter.
        #[test]
        fn under_jitter_nearly_all_frames_are_in_time(seed: u64, delay in 0i64..250, jitter in 0i64..100) {
            let conditions = Conditions { jitter: Span::millis(jitter), ..constant(delay) };
            let outcome = Scene { seconds: 15, ..Scene::over(conditions) }.run(seed);
            prop_assert!(outcome.frames > 450, "{:?}", outcome); // ten seconds of 50, and the clock may not be there yet
            prop_assert!(outcome.late_share() < 0.01, "{:?}", outcome);
        }
    }

    proptest! {
        /// Nothing that a server says makes it panic or go backwards.
        #[test]
        fn any_input_does_no_harm(
            steps in proptest::collection::vec((any::<u64>(), any::<u32>(), any::<i16>(), any::<i64>(), 0..4u8), 1..60),
        ) {
            let mut clock = Clock::new(LENGTH);
            let mut shown = Tick(0);
            for (time, tick, margin, span, what) in steps {
                let now = Time::from_micros(time >> (what * 16));
                match what {
                    0 => clock.on_update(now, Tick(tick), told(shown.0, margin)),
                    1 => clock.on_update(now, Tick(tick), told(tick, margin)),
                    2 => clock.on_round_trip(now, Span::from_micros(span)),
                    _ => {
                        let tick = clock.tick_at(now);
                        prop_assert!(tick >= shown);
                        shown = tick;
                    }
                }
                prop_assert!((0.9..=1.1).contains(&clock.rate()));
            }
        }
    }
}
