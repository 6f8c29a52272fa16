//! A simulated link: one direction of a bad network, for tests, soaks and demonstrations.
//!
//! It delays, loses, repeats, overtakes, cuts and damages datagrams, all by a seed. The dice of a datagram depend on
//! the seed and its number alone, so that the same run comes again to the last bit, and a changed condition does not
//! change what else happens. There are no sockets and no clock: whoever runs it says what time it is, and can let
//! hours pass in a moment.
//!
//! Each direction is a link of its own, so that a partition can be one-sided; [`Duplex`] is a pair of them.

mod conditions;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use ugas_core::random::RandomStream;
use ugas_core::time::{Span, Time};

pub use conditions::{BurstLoss, Capacity, Conditions};

/// Most datagrams under way at once; what is sent beyond is dropped as by a full queue, so that no condition makes
/// memory grow without end.
pub const MAX_UNDER_WAY: usize = 65_536;

/// What a link did so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LinkCounts {
    /// Datagrams that were sent.
    pub sent: u64,
    /// Their bytes.
    pub sent_bytes: u64,
    /// Datagrams that arrived and were received, copies included.
    pub received: u64,
    /// Their bytes.
    pub received_bytes: u64,
    /// Lost, each by itself.
    pub lost: u64,
    /// Lost in a burst.
    pub lost_in_burst: u64,
    /// Lost because the link was cut.
    pub cut: u64,
    /// Dropped because too much was waiting.
    pub dropped: u64,
    /// Sent twice.
    pub duplicated: u64,
    /// Held back.
    pub held: u64,
    /// Damaged by flipped bits.
    pub corrupted: u64,
    /// Cut short.
    pub truncated: u64,
}

/// One direction of a simulated network.
///
/// ```
/// use ugas_core::time::{Span, Time};
/// use ugas_net::link::{Conditions, Link};
///
/// let mut link = Link::new(7, Conditions { delay: Span::millis(30), ..Conditions::perfect() });
/// link.send(Time::ZERO, b"hello");
/// assert_eq!(link.receive(Time::from_micros(29_999)), None);
/// assert_eq!(link.receive(Time::from_micros(30_000)).as_deref(), Some(&b"hello"[..]));
/// ```
#[derive(Clone, Debug)]
pub struct Link {
    seed: u64,
    conditions: Conditions,
    cut_until: Time,
    in_burst: bool,
    /// When the last byte of the queue is through.
    busy_until: Time,
    /// Nothing that keeps order arrives before this.
    last_arrival: Time,
    under_way: BinaryHeap<Reverse<UnderWay>>,
    counts: LinkCounts,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct UnderWay {
    arrival: Time,
    /// Settles who is first of those that arrive together: the one sent first.
    number: u64,
    bytes: Vec<u8>,
}

impl Link {
    /// A link that is good or bad in the same way for the same seed.
    pub fn new(seed: u64, conditions: Conditions) -> Self {
        Self {
            seed,
            conditions,
            cut_until: Time::ZERO,
            in_burst: false,
            busy_until: Time::ZERO,
            last_arrival: Time::ZERO,
            under_way: BinaryHeap::new(),
            counts: LinkCounts::default(),
        }
    }

    /// How it is.
    pub const fn conditions(&self) -> &Conditions {
        &self.conditions
    }

    /// Changes how it is, for what is sent from now on.
    pub fn set_conditions(&mut self, conditions: Conditions) {
        self.conditions = conditions;
    }

    /// Loses everything that is sent before `end`; what is under way arrives. [`Time::MAX`] is for ever, and
    /// [`Time::ZERO`] mends the link.
    pub fn cut_until(&mut self, end: Time) {
        self.cut_until = end;
    }

    /// Sends a datagram.
    pub fn send(&mut self, now: Time, bytes: &[u8]) {
        let number = self.counts.sent;
        self.counts.sent += 1;
        self.counts.sent_bytes += bytes.len() as u64;
        let dice = Dice::throw(self.seed, number);
        if let Some(through) = self.pass(now, bytes.len(), &dice) {
            let jitter = dice.jitter.within(self.conditions.jitter);
            let mut arrival = through + not_negative(self.conditions.delay) + jitter;
            if dice.reorder < self.conditions.reorder {
                self.counts.held += 1;
                arrival += not_negative(self.conditions.hold);
            } else {
                arrival = arrival.max(self.last_arrival);
                self.last_arrival = arrival;
            }
            let mut copy = bytes.to_vec();
            self.damage(&mut copy, &dice);
            if dice.duplicate < self.conditions.duplicate {
                self.counts.duplicated += 1;
                // Copies come by another way, which may be slower, and are damaged alike.
                let again = arrival + dice.copy.within(self.conditions.jitter + self.conditions.hold);
                self.under_way.push(Reverse(UnderWay { arrival: again, number, bytes: copy.clone() }));
            }
            self.under_way.push(Reverse(UnderWay { arrival, number, bytes: copy }));
        }
    }

    /// The next datagram that has arrived, in the order of arrival.
    pub fn receive(&mut self, now: Time) -> Option<Vec<u8>> {
        if self.next_arrival()? > now {
            return None;
        }
        let Reverse(UnderWay { bytes, .. }) = self.under_way.pop()?;
        self.counts.received += 1;
        self.counts.received_bytes += bytes.len() as u64;
        Some(bytes)
    }

    /// When the next datagram arrives: where a simulation can go at once if nothing else happens before.
    pub fn next_arrival(&self) -> Option<Time> {
        self.under_way.peek().map(|Reverse(next)| next.arrival)
    }

    /// How many datagrams are under way.
    pub fn under_way(&self) -> usize {
        self.under_way.len()
    }

    /// What it did so far.
    pub const fn counts(&self) -> &LinkCounts {
        &self.counts
    }

    /// When a datagram is through the queue, if it is not lost.
    fn pass(&mut self, now: Time, length: usize, dice: &Dice) -> Option<Time> {
        // A burst goes on whether or not the datagram is lost otherwise.
        match self.conditions.burst {
            Some(burst) => {
                self.in_burst = dice.turn < if self.in_burst { 1.0 - burst.end } else { burst.begin }
            }
            None => self.in_burst = false,
        }
        if now < self.cut_until {
            self.counts.cut += 1;
            return None;
        }
        if dice.loss < self.conditions.loss {
            self.counts.lost += 1;
            return None;
        }
        if self.in_burst && self.conditions.burst.is_some_and(|burst| dice.burst < burst.loss) {
            self.counts.lost_in_burst += 1;
            return None;
        }
        let through = self.queue(now, length as u64);
        if through.is_none() || self.under_way.len() >= MAX_UNDER_WAY {
            self.counts.dropped += 1;
            return None;
        }
        through
    }

    /// When so many bytes that join the queue now are through; `None` if they do not fit.
    fn queue(&mut self, now: Time, length: u64) -> Option<Time> {
        let Some(Capacity { bytes_per_second, queue }) = self.conditions.capacity else { return Some(now) };
        let rate = u64::from(bytes_per_second);
        if rate == 0 {
            return None;
        }
        let waits = self.busy_until.micros().saturating_sub(now.micros());
        let waiting = u128::from(waits) * u128::from(rate) / 1_000_000;
        // What is alone always fits, whatever its length.
        if waits > 0 && waiting + u128::from(length) > u128::from(queue) {
            return None;
        }
        let takes = (length * 1_000_000).div_ceil(rate);
        self.busy_until = self.busy_until.max(now) + Span::from_micros(takes as i64);
        Some(self.busy_until)
    }

    fn damage(&mut self, bytes: &mut Vec<u8>, dice: &Dice) {
        let mut stream = dice.damage;
        if dice.corrupt < self.conditions.corrupt && !bytes.is_empty() {
            self.counts.corrupted += 1;
            for _ in 0..1 + stream.below(8) {
                let bit = stream.below(bytes.len() as u64 * 8);
                bytes[(bit / 8) as usize] ^= 1 << (bit % 8);
            }
        }
        if dice.truncate < self.conditions.truncate && !bytes.is_empty() {
            self.counts.truncated += 1;
            bytes.truncate(stream.below(bytes.len() as u64) as usize);
        }
    }
}

/// Both directions between a client and a server.
#[derive(Clone, Debug)]
pub struct Duplex {
    /// From the client to the server.
    pub to_server: Link,
    /// From the server to the client.
    pub to_client: Link,
}

impl Duplex {
    /// Both directions under the same conditions, each with dice of its own.
    pub fn new(seed: u64, conditions: Conditions) -> Self {
        let direction = |number| Link::new(RandomStream::derive(seed, &[number]).key(), conditions);
        Self { to_server: direction(0), to_client: direction(1) }
    }

    /// Changes how both are.
    pub fn set_conditions(&mut self, conditions: Conditions) {
        self.to_server.set_conditions(conditions);
        self.to_client.set_conditions(conditions);
    }

    /// Cuts both; see [`Link::cut_until`].
    pub fn cut_until(&mut self, end: Time) {
        self.to_server.cut_until(end);
        self.to_client.cut_until(end);
    }

    /// When the next datagram arrives at either end.
    pub fn next_arrival(&self) -> Option<Time> {
        let arrivals = [self.to_server.next_arrival(), self.to_client.next_arrival()];
        arrivals.into_iter().flatten().min()
    }
}

/// All that chance decides about a datagram, thrown before anyone asks, so that no condition shifts another's dice.
struct Dice {
    loss: f64,
    turn: f64,
    burst: f64,
    jitter: Fraction,
    reorder: f64,
    duplicate: f64,
    copy: Fraction,
    corrupt: f64,
    truncate: f64,
    damage: RandomStream,
}

impl Dice {
    fn throw(seed: u64, number: u64) -> Self {
        let mut stream = RandomStream::derive(seed, &[number]);
        let mut next = || stream.next_f64();
        Self {
            loss: next(),
            turn: next(),
            burst: next(),
            jitter: Fraction(next()),
            reorder: next(),
            duplicate: next(),
            copy: Fraction(next()),
            corrupt: next(),
            truncate: next(),
            damage: RandomStream::derive(seed, &[number, 1]),
        }
    }
}

/// A die that says how much of a span.
#[derive(Clone, Copy)]
struct Fraction(f64);

impl Fraction {
    fn within(self, span: Span) -> Span {
        Span::from_micros((not_negative(span).micros() as f64 * self.0) as i64)
    }
}

fn not_negative(span: Span) -> Span {
    span.max(Span::ZERO)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn millis(millis: u64) -> Time {
        Time::from_micros(millis * 1_000)
    }

    /// Sends `number` datagrams of ten bytes, one a millisecond, and gives what arrived, with when.
    fn run(link: &mut Link, number: u32) -> Vec<(u64, Vec<u8>)> {
        let mut arrived = Vec::new();
        for n in 0..number {
            let mut bytes = [0; 10];
            bytes[..4].copy_from_slice(&n.to_le_bytes());
            link.send(millis(u64::from(n)), &bytes);
        }
        while let Some(at) = link.next_arrival() {
            arrived.push((at.micros(), link.receive(at).unwrap()));
        }
        arrived
    }

    fn numbers(arrived: &[(u64, Vec<u8>)]) -> Vec<u32> {
        arrived.iter().map(|(_, bytes)| u32::from_le_bytes(bytes[..4].try_into().unwrap())).collect()
    }

    fn over(conditions: Conditions) -> Link {
        Link::new(1, conditions)
    }

    #[test]
    fn a_perfect_link_delivers_at_once_and_in_order() {
        let mut link = over(Conditions::perfect());
        let arrived = run(&mut link, 100);
        assert_eq!(numbers(&arrived), (0..100).collect::<Vec<_>>());
        assert!(arrived.iter().zip(0..).all(|((at, _), n)| *at == n * 1_000));
        let counts = LinkCounts {
            sent: 100,
            sent_bytes: 1_000,
            received: 100,
            received_bytes: 1_000,
            ..Default::default()
        };
        assert_eq!(*link.counts(), counts);
    }

    #[test]
    fn jitter_stays_in_its_span_and_keeps_order() {
        let mut link =
            over(Conditions { delay: Span::millis(20), jitter: Span::millis(10), ..Conditions::perfect() });
        let arrived = run(&mut link, 1_000);
        assert_eq!(numbers(&arrived), (0..1_000).collect::<Vec<_>>());
        let late = |at: u64, n: u64| at - n * 1_000;
        assert!(arrived.iter().zip(0..).all(|((at, _), n)| (20_000..30_000).contains(&late(*at, n))));
        assert!(arrived.iter().zip(0..).any(|((at, _), n)| late(*at, n) > 29_000));
    }

    #[test]
    fn losses_come_about_as_often_as_said() {
        let mut link = over(Conditions { loss: 0.25, ..Conditions::perfect() });
        run(&mut link, 10_000);
        // 2,500, with a standard deviation of sqrt(10,000 × 0.25 × 0.75) = 43; six of them either way.
        assert!((2_240..=2_760).contains(&link.counts().lost), "{:?}", link.counts());
    }

    #[test]
    fn bursts_lose_groups() {
        let burst = BurstLoss { begin: 0.01, end: 0.1, loss: 1.0 };
        let mut link = over(Conditions { burst: Some(burst), ..Conditions::perfect() });
        let arrived = numbers(&run(&mut link, 20_000));
        // Bad for 0.01 / (0.01 + 0.1) = 1/11 of the time: 1,818 of 20,000; in groups of ten: about 182 gaps.
        let lost = link.counts().lost_in_burst;
        assert!((1_200..2_400).contains(&lost), "{lost}");
        let gaps = arrived.windows(2).filter(|pair| pair[1] != pair[0] + 1).count();
        assert!((120..250).contains(&gaps), "{gaps}");
    }

    #[test]
    fn the_held_are_overtaken() {
        let mut link = over(Conditions { reorder: 0.1, hold: Span::millis(5), ..Conditions::perfect() });
        let arrived = run(&mut link, 1_000);
        let held = link.counts().held as usize;
        assert!((40..160).contains(&held), "{held}");
        let late =
            arrived.iter().zip(numbers(&arrived)).filter(|((at, _), n)| *at == (u64::from(*n) + 5) * 1_000);
        assert_eq!(late.count(), held);
        assert_eq!(arrived.len(), 1_000);
    }

    #[test]
    fn copies_are_told_apart_by_nothing() {
        let mut link = over(Conditions { duplicate: 1.0, ..Conditions::perfect() });
        assert_eq!(numbers(&run(&mut link, 3)), [0, 0, 1, 1, 2, 2]);
        assert_eq!(link.counts().duplicated, 3);
    }

    #[test]
    fn a_narrow_link_makes_wait_and_then_drops() {
        let capacity = Some(Capacity { bytes_per_second: 1_000, queue: 25 });
        let mut link = over(Conditions { capacity, ..Conditions::perfect() });
        for n in 0..4u8 {
            link.send(millis(0), &[n; 10]); // 10 ms each; the queue has 0, 10, 20 bytes before them: the third is full
        }
        assert_eq!(link.counts().dropped, 2);
        assert_eq!(link.receive(millis(9)), None);
        assert_eq!(link.receive(millis(10)), Some(vec![0; 10]));
        assert_eq!(link.receive(millis(20)), Some(vec![1; 10]));
        link.send(millis(100), &[9; 1_000]); // alone, and so longer than the queue
        assert_eq!(link.next_arrival(), Some(millis(1_100)));
        link.set_conditions(Conditions {
            capacity: Some(Capacity { bytes_per_second: 0, queue: 25 }),
            ..Conditions::perfect()
        });
        link.send(millis(2_000), &[]);
        assert_eq!(link.counts().dropped, 3);
    }

    #[test]
    fn a_cut_is_one_sided_and_ends() {
        let mut duplex = Duplex::new(1, Conditions { delay: Span::millis(10), ..Conditions::perfect() });
        duplex.to_server.send(millis(0), b"before");
        duplex.to_server.cut_until(millis(5));
        duplex.to_server.send(millis(4), b"during");
        duplex.to_client.send(millis(4), b"other way");
        duplex.to_server.send(millis(5), b"after");
        assert_eq!(duplex.to_server.receive(millis(10)).as_deref(), Some(&b"before"[..]));
        assert_eq!(duplex.next_arrival(), Some(millis(14)));
        assert_eq!(duplex.to_client.receive(millis(14)).as_deref(), Some(&b"other way"[..]));
        assert_eq!(duplex.to_server.receive(millis(99)).as_deref(), Some(&b"after"[..]));
        assert_eq!(duplex.to_server.counts().cut, 1);
    }

    #[test]
    fn damage_flips_few_bits_or_cuts_off_the_end() {
        let mut link = over(Conditions { corrupt: 1.0, ..Conditions::perfect() });
        for (_, bytes) in run(&mut link, 100).iter().skip(1) {
            assert_eq!(bytes.len(), 10);
        }
        link.send(millis(1_000), &[0; 100]);
        let flipped: u32 = link.receive(millis(1_000)).unwrap().iter().map(|byte| byte.count_ones()).sum();
        assert!(flipped <= 8);
        link.set_conditions(Conditions { truncate: 1.0, ..Conditions::perfect() });
        link.send(millis(1_000), &[7; 100]);
        let rest = link.receive(millis(1_000)).unwrap();
        assert!(rest.len() < 100 && rest.iter().all(|&byte| byte == 7));
        link.send(millis(1_000), &[]);
        assert_eq!((link.counts().corrupted, link.counts().truncated), (101, 1));
    }

    #[test]
    fn the_same_seed_gives_the_same_run_and_another_another() {
        let runs = [5, 5, 6].map(|seed| run(&mut Link::new(seed, Conditions::terrible()), 500));
        assert_eq!(runs[0], runs[1]);
        assert_ne!(runs[0], runs[2]);
    }

    #[test]
    fn one_condition_does_not_shift_the_dice_of_another() {
        let lossy = Conditions { loss: 0.3, ..Conditions::perfect() };
        let plain = numbers(&run(&mut over(lossy), 300));
        let jittery = Conditions { jitter: Span::millis(50), corrupt: 0.0, truncate: 0.0, ..lossy };
        assert_eq!(numbers(&run(&mut over(jittery), 300)), plain);
    }

    proptest! {
        /// Nothing appears from nowhere, nothing is unaccounted for, and senseless conditions do no harm.
        #[test]
        fn every_datagram_is_accounted_for(
            seed: u64,
            loss in -0.5..1.5f64,
            duplicate in 0.0..1.0f64,
            delay in -5_000i64..5_000,
            capacity in proptest::option::of((0u32..20_000, 0u32..200)),
            truncate in proptest::sample::select(vec![0.0, 0.5, f64::NAN]),
        ) {
            let capacity = capacity.map(|(bytes_per_second, queue)| Capacity { bytes_per_second, queue });
            let delay = Span::from_micros(delay);
            let conditions =
                Conditions { delay, jitter: delay, hold: delay, loss, duplicate, reorder: 0.2, capacity, truncate, ..Conditions::mobile() };
            let mut link = Link::new(seed, conditions);
            link.cut_until(millis(10));
            let arrived = run(&mut link, 100);
            let counts = *link.counts();
            let through = counts.sent - counts.lost - counts.lost_in_burst - counts.cut - counts.dropped;
            prop_assert_eq!(arrived.len() as u64, through + counts.duplicated);
            prop_assert_eq!(counts.received, arrived.len() as u64);
            prop_assert!(arrived.is_sorted_by_key(|(at, _)| *at));
        }
    }
}
