//! Simulated link: one direction of a bad network, for tests, soaks and demonstrations.
//!
//! It delays, loses, duplicates, reorders, truncates and damages datagrams, all by a seed. The random numbers
//! of a datagram depend on the seed and its number alone, so that runs are reproducible to the last bit, and
//! a changed condition does not change what else happens. There are no sockets and no clock: the caller
//! passes the time.
//!
//! Each direction is a link of its own, so that a partition can be one-sided; [`Duplex`] is a pair of them.

mod conditions;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use ugas_core::random::RandomStream;
use ugas_core::time::{Span, Time};

pub use conditions::{BurstLoss, Capacity, Conditions};

/// Most datagrams under way at once; further ones are dropped as by a full queue, so that memory is bounded.
pub const MAX_UNDER_WAY: usize = 65_536;

/// Counters of a link.
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
/// use ugas_netsim::link::{Conditions, Link};
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
    /// Order of datagrams that arrive together: the one sent first comes first.
    number: u64,
    bytes: Vec<u8>,
}

impl Link {
    /// Creates a link; the same seed gives the same faults.
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

    /// Current conditions.
    pub const fn conditions(&self) -> &Conditions {
        &self.conditions
    }

    /// Sets the conditions for datagrams that are sent from now on.
    pub fn set_conditions(&mut self, conditions: Conditions) {
        self.conditions = conditions;
    }

    /// Loses everything that is sent before `end`; datagrams under way arrive. [`Time::MAX`] cuts the link
    /// for ever, and [`Time::ZERO`] restores it.
    pub fn cut_until(&mut self, end: Time) {
        self.cut_until = end;
    }

    /// Whether everything that is sent at a time is lost, by [`Self::cut_until`].
    pub fn is_cut(&self, now: Time) -> bool {
        now < self.cut_until
    }

    /// Sends a datagram: it is lost, or under way until its time of arrival, perhaps damaged or twice. Which
    /// of these is decided here, by the seed and the number of the datagram.
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

    /// Takes the next datagram that has arrived by `now`, in the order of arrival; `None` if there is none.
    pub fn receive(&mut self, now: Time) -> Option<Vec<u8>> {
        if self.next_arrival()? > now {
            return None;
        }
        let Reverse(UnderWay { bytes, .. }) = self.under_way.pop()?;
        self.counts.received += 1;
        self.counts.received_bytes += bytes.len() as u64;
        Some(bytes)
    }

    /// Time of the next arrival, to which a simulation can skip if nothing else happens before.
    pub fn next_arrival(&self) -> Option<Time> {
        self.under_way.peek().map(|Reverse(next)| next.arrival)
    }

    /// Number of datagrams that were sent and have not arrived yet, copies included.
    pub fn under_way(&self) -> usize {
        self.under_way.len()
    }

    /// Counters since the start.
    pub const fn counts(&self) -> &LinkCounts {
        &self.counts
    }

    /// Time at which a datagram has passed the queue; `None` if it is lost. Counts losses, turns bursts on
    /// and off, and occupies the queue.
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

    /// Occupies the queue with bytes that join it now, and returns the time at which they have passed it;
    /// `None` if they do not fit, or the link lets nothing through.
    fn queue(&mut self, now: Time, length: u64) -> Option<Time> {
        let Some(Capacity { bytes_per_second, queue }) = self.conditions.capacity else { return Some(now) };
        let rate = u64::from(bytes_per_second);
        if rate == 0 {
            return None;
        }
        let waits = self.busy_until.micros().saturating_sub(now.micros());
        let waiting = u128::from(waits) * u128::from(rate) / 1_000_000;
        // An empty queue accepts any length.
        if waits > 0 && waiting + u128::from(length) > u128::from(queue) {
            return None;
        }
        let takes = (length * 1_000_000).div_ceil(rate);
        self.busy_until = self.busy_until.max(now) + Span::from_micros(takes as i64);
        Some(self.busy_until)
    }

    /// Flips bits and cuts off the end, as the dice have it, and counts both.
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

    /// Sets the conditions of both directions for datagrams that are sent from now on.
    pub fn set_conditions(&mut self, conditions: Conditions) {
        self.to_server.set_conditions(conditions);
        self.to_client.set_conditions(conditions);
    }

    /// Cuts both directions until a time; see [`Link::cut_until`].
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

/// Random numbers of a datagram, all drawn at once, so that no condition shifts another's numbers.
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
    /// Draws the numbers of a datagram from the seed and its number alone, so that other datagrams do not
    /// shift them.
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

/// A random fraction of a span.
#[derive(Clone, Copy)]
struct Fraction(f64);

impl Fraction {
    /// This fraction of a span; zero of a negative one.
    fn within(self, span: Span) -> Span {
        Span::from_micros((not_negative(span).micros() as f64 * self.0) as i64)
    }
}

/// Replaces negative spans of senseless conditions by zero.
fn not_negative(span: Span) -> Span {
    span.max(Span::ZERO)
}

#[cfg(test)]
mod tests;
