//! The client's clock against a server on a simulated link.

use proptest::prelude::*;

use ugas_core::time::{Span, Time};
use ugas_net::clock::*;
use ugas_net::message::Feedback;
use ugas_net::{Tick, TickLength};
use ugas_netsim::link::{Conditions, Link};

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
        let (mut reported, mut shown) = (0u32, Tick(0));
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
                let feedback =
                    Feedback { newest: Tick(number(4)), margin: i16::from_le_bytes([update[8], update[9]]) };
                if feedback.newest.0 > reported {
                    reported = feedback.newest.0;
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
    for frame in [33_000, 70_000, 130_000] {
        let outcome = Scene { frame, ..Scene::over(constant(50)) }.run(1);
        assert_eq!(outcome.late, 0, "{frame} µs: {outcome:?}");
    }
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
        // The wider margin shrinks again over time.
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

fn feedback_for(newest: u32, margin: i16) -> Feedback {
    Feedback { newest: Tick(newest), margin }
}

#[test]
fn too_late_runs_faster_and_too_early_slower() {
    // One tick off is 20 ms: to be gone in 250 ms, 8 % faster. Two ticks would take 16 %: the bound.
    for (margin, rate) in [(2, 1.0), (1, 1.08), (3, 0.92), (0, 1.1), (-3, 1.1), (4, 0.9)] {
        let mut clock = at_1002();
        clock.on_update(Time::ZERO, Tick(1_000), feedback_for(1_002, margin));
        assert_eq!(clock.rate(), rate, "margin {margin}");
    }
    let mut clock = at_1002();
    clock.on_update(Time::ZERO, Tick(1_000), feedback_for(1_002, 0)); // 10 % faster
    assert_eq!(clock.tick_at(millis(18)), Tick(1_002)); // 19.8 ms
    assert_eq!(clock.tick_at(millis(19)), Tick(1_003)); // 20.9 ms
}

#[test]
fn old_and_impossible_feedback_is_ignored() {
    let mut clock = at_1002();
    clock.on_update(Time::ZERO, Tick(1_000), feedback_for(1_002, 2));
    clock.on_update(Time::ZERO, Tick(1_000), feedback_for(1_002, -5)); // again
    clock.on_update(Time::ZERO, Tick(1_000), feedback_for(9_999, -5)); // never shown
    assert_eq!(clock.rate(), 1.0);
}

#[test]
fn what_is_far_off_jumps_and_is_caught_up_with_in_steps() {
    let mut clock = at_1002();
    clock.on_update(Time::ZERO, Tick(1_000), feedback_for(1_002, -18)); // 20 ticks too late: 400 ms
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
    clock.on_update(Time::ZERO, Tick(1_000), feedback_for(1_002, 22)); // 20 ticks too early
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
                0 => clock.on_update(now, Tick(tick), feedback_for(shown.0, margin)),
                1 => clock.on_update(now, Tick(tick), feedback_for(tick, margin)),
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
