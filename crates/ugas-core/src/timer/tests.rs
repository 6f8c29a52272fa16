//! Tests of the timing wheel, in a file of their own because they are as long as the wheel.

use super::*;
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::BTreeSet;

const fn at(micros: u64) -> Time {
    Time::from_micros(micros)
}

fn drain(wheel: &mut TimerWheel<u32>, until: u64) -> Vec<(u64, u32)> {
    core::iter::from_fn(|| wheel.pop_due(at(until))).map(|(time, payload)| (time.micros(), payload)).collect()
}

#[test]
fn every_bit_of_time_maps_to_a_slot() {
    assert_eq!(place_of(5, 5), 5);
    assert_eq!(place_of(64, 63), 64 + 1);
    assert_eq!(place_of(64 * 64, 0), 2 * 64 + 1);
    // Level 10 distinguishes the upper four bits.
    assert_eq!(place_of(u64::MAX, 0), 10 * 64 + 15);
}

#[test]
fn timers_of_one_instant_fire_in_payload_order() {
    let mut wheel = TimerWheel::new(Time::ZERO);
    for payload in [5, 1, 9] {
        wheel.schedule(at(100), payload);
    }
    assert_eq!(wheel.pop_due(at(100)), Some((at(100), 1)));
    wheel.schedule(at(100), 7);
    wheel.schedule(at(0), 3);
    assert_eq!(wheel.next_time(), Some(at(100)));
    assert_eq!(drain(&mut wheel, 100), [(100, 3), (100, 5), (100, 7), (100, 9)]);
}

#[test]
fn timer_cancelled_while_its_instant_is_drained_does_not_fire() {
    let mut wheel = TimerWheel::new(Time::ZERO);
    let keys = [1, 2, 3].map(|payload| wheel.schedule(at(100), payload));
    assert_eq!(wheel.pop_due(at(100)), Some((at(100), 1)));
    assert_eq!(keys.map(|key| wheel.cancel(key)), [false, true, true]);
    assert_eq!((wheel.len(), wheel.next_time()), (0, None));
    wheel.schedule(at(101), 4);
    assert_eq!(drain(&mut wheel, 200), [(101, 4)]);
}

#[test]
fn wheel_clock_stops_at_every_timer_and_never_goes_back() {
    let mut wheel = TimerWheel::new(at(10));
    wheel.schedule(at(20), 0);
    assert_eq!((wheel.pop_due(at(15)), wheel.now()), (None, at(15)));
    assert_eq!((wheel.pop_due(at(5)), wheel.now()), (None, at(15)));
    assert_eq!((wheel.pop_due(at(50)), wheel.now()), (Some((at(20), 0)), at(20)));
    assert_eq!((wheel.pop_due(at(50)), wheel.now()), (None, at(50)));
    wheel.schedule(at(30), 1);
    assert_eq!((wheel.pop_due(at(49)), wheel.next_time()), (None, Some(at(50))));
    assert_eq!(wheel.pop_due(at(50)), Some((at(50), 1)));
}

#[test]
fn timer_at_the_maximum_time_fires() {
    let mut wheel = TimerWheel::new(Time::ZERO);
    wheel.schedule(Time::MAX, 2);
    wheel.schedule(at(u64::MAX - 1), 1);
    assert_eq!(wheel.next_time(), Some(at(u64::MAX - 1)));
    assert_eq!(drain(&mut wheel, u64::MAX), [(u64::MAX - 1, 1), (u64::MAX, 2)]);
    wheel.schedule(Time::ZERO, 3);
    assert_eq!(drain(&mut wheel, u64::MAX), [(u64::MAX, 3)]);
}

#[test]
fn ten_thousand_timers_of_one_instant_fire_sorted() {
    let mut wheel = TimerWheel::new(Time::ZERO);
    // 7919 is prime, so this visits every number below 10,000 once.
    for step in 0..10_000 {
        wheel.schedule(at(123_456_789), step * 7_919 % 10_000);
    }
    assert_eq!(drain(&mut wheel, 123_456_788), []);
    let drained = drain(&mut wheel, 123_456_789);
    assert!(drained.into_iter().map(|(_, payload)| payload).eq(0..10_000));
}

#[test]
fn next_time_is_exact_after_the_first_timer_was_cancelled() {
    let mut wheel = TimerWheel::new(Time::ZERO);
    // All in one slot of level 2, which begins at 4096.
    let keys = [4_097, 4_097, 4_200, 5_000].map(|time| wheel.schedule(at(time), 0));
    let expected = [4_097, 4_200, 5_000];
    for (key, next) in keys.into_iter().zip(expected) {
        assert!(wheel.cancel(key));
        assert_eq!(wheel.next_time(), Some(at(next)));
    }
    assert_eq!((wheel.pop_due(at(4_500)), wheel.next_time()), (None, Some(at(5_000))));
}

#[test]
fn warm_wheel_does_not_grow() {
    let mut wheel = TimerWheel::new(Time::ZERO);
    for round in 0..1_000 {
        let key = wheel.schedule(at(round * 70), 0);
        wheel.schedule(at(round * 70 + 5), 1);
        wheel.cancel(key);
        drain(&mut wheel, round * 70 + 10);
    }
    assert_eq!((wheel.nodes.len(), wheel.len()), (2, 0));
}

#[test]
fn node_out_of_generations_is_retired() {
    let mut wheel = TimerWheel::new(Time::ZERO);
    wheel.schedule(at(1), 0);
    wheel.nodes[0].generation = NonZeroU32::MAX;
    let last = TimerKey { index: 0, generation: NonZeroU32::MAX };
    assert_eq!([wheel.cancel(last), wheel.cancel(last)], [true, false]);
    assert_eq!(wheel.schedule(at(1), 0).index, 1);
    assert!(!wheel.cancel(TimerKey { index: 9, generation: NonZeroU32::MIN }));
}

#[derive(Clone, Debug)]
enum Step {
    /// Offset from now in microseconds, possibly negative.
    Schedule(i64, u8),
    /// The timer that was scheduled at this position, modulo their number.
    Cancel(usize),
    Advance(u64),
    PopOne(u64),
    /// Continues with a copy.
    Copy,
}

/// Durations of every order of magnitude.
fn length() -> impl Strategy<Value = u64> {
    (0u32..63, any::<u64>()).prop_map(|(bits, random)| random & ((1 << bits) - 1))
}

fn near_length() -> impl Strategy<Value = u64> {
    prop_oneof![4 => 0u64..8, 4 => 0u64..10_000, 1 => length()]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let later = (near_length(), any::<u8>()).prop_map(|(span, payload)| Step::Schedule(span as i64, payload));
    let step = prop_oneof![
        8 => later,
        1 => (-9i64..0, any::<u8>()).prop_map(|(span, payload)| Step::Schedule(span, payload)),
        4 => any::<usize>().prop_map(Step::Cancel),
        2 => near_length().prop_map(Step::Advance),
        4 => near_length().prop_map(Step::PopOne),
        1 => Just(Step::Copy),
    ];
    vec(step, 0..150)
}

/// The second number distinguishes equal timers.
type Payload = (u8, u32);
type Entry = (u64, Payload);

/// A wheel and its model, a sorted set.
struct Pair {
    wheel: TimerWheel<Payload>,
    model: BTreeSet<Entry>,
    model_now: u64,
    keys: Vec<(TimerKey, Entry)>,
}

impl Pair {
    fn pop(&mut self, until: u64) -> Result<bool, TestCaseError> {
        let expected = self.model.first().copied().filter(|&(time, _)| time <= until);
        self.model_now = expected.map_or(self.model_now.max(until), |(time, _)| time);
        expected.map(|entry| self.model.remove(&entry));
        let popped = self.wheel.pop_due(at(until));
        prop_assert_eq!(popped.map(|(time, payload)| (time.micros(), payload)), expected);
        Ok(popped.is_some())
    }

    fn step(&mut self, step: &Step, spare: &mut TimerWheel<Payload>) -> Result<(), TestCaseError> {
        match *step {
            Step::Schedule(span, payload) => {
                let time = self.model_now.saturating_add_signed(span);
                let payload = (payload, self.keys.len() as u32);
                let entry = (time.max(self.model_now), payload);
                self.model.insert(entry);
                self.keys.push((self.wheel.schedule(at(time), payload), entry));
            }
            Step::Cancel(nth) if !self.keys.is_empty() => {
                let (key, entry) = self.keys[nth % self.keys.len()];
                prop_assert_eq!(self.wheel.cancel(key), self.model.remove(&entry));
            }
            Step::Cancel(_) => {}
            Step::Advance(span) => {
                let until = self.model_now.saturating_add(span);
                while self.pop(until)? {}
            }
            Step::PopOne(span) => {
                self.pop(self.model_now.saturating_add(span))?;
            }
            // The former wheel is reused as the memory of the next copy.
            Step::Copy => {
                spare.clone_from(&self.wheel);
                core::mem::swap(spare, &mut self.wheel);
            }
        }
        prop_assert_eq!(self.wheel.now().micros(), self.model_now);
        prop_assert_eq!(self.wheel.len(), self.model.len());
        prop_assert_eq!(self.wheel.next_time().map(Time::micros), self.model.first().map(|&(time, _)| time));
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn wheel_agrees_with_a_sorted_set(start in length(), steps in steps()) {
        let wheel = TimerWheel::new(at(start));
        let mut spare = wheel.clone();
        let mut pair = Pair { wheel, model: BTreeSet::new(), model_now: start, keys: Vec::new() };
        for step in &steps {
            pair.step(step, &mut spare)?;
        }
        while pair.pop(u64::MAX)? {}
    }

    #[test]
    fn result_does_not_depend_on_step_size(timers in vec((0u64..5_000, any::<u32>()), 0..50), step in 1u64..700) {
        let filled = || {
            let mut wheel = TimerWheel::new(Time::ZERO);
            for &(time, payload) in &timers {
                wheel.schedule(at(time), payload);
            }
            wheel
        };
        let in_one = drain(&mut filled(), 5_000);
        let mut wheel = filled();
        let in_many: Vec<_> = (0..=5_000).step_by(step as usize).chain([5_000])
            .flat_map(|until| drain(&mut wheel, until)).collect();
        prop_assert_eq!(in_one, in_many);
    }
}
