//! Rate limits, bandwidth and priorities.

use ugas_core::time::{Span, Time};

use crate::limits::MAX_DATAGRAM;

/// A millionth of a token, so that a rate in tokens a second is one in parts a microsecond, without rounding.
const PARTS: u64 = 1_000_000;
/// Overhead of a datagram in bytes: the headers of IPv4 and UDP.
pub const DATAGRAM_OVERHEAD: u32 = 28;

/// Token bucket: allows an average rate and a burst, against floods of commands, datagrams and resends.
///
/// It reads no clock, and time that goes backwards adds nothing.
///
/// ```
/// use ugas_core::time::Time;
/// use ugas_net::rate::TokenBucket;
///
/// let mut bucket = TokenBucket::new(2, 10);
/// let start = Time::ZERO;
/// assert!(bucket.take(start, 2) && !bucket.take(start, 1));
/// assert!(bucket.take(Time::from_micros(100_000), 1)); // ten a second: one in a tenth
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TokenBucket {
    parts: u64,
    capacity: u32,
    per_second: u32,
    filled: Time,
}

impl TokenBucket {
    /// Creates a full bucket of `capacity` tokens that refills at `per_second`.
    pub const fn new(capacity: u32, per_second: u32) -> Self {
        Self { parts: capacity as u64 * PARTS, capacity, per_second, filled: Time::ZERO }
    }

    /// Takes tokens if enough are available; otherwise false.
    #[must_use]
    pub fn take(&mut self, now: Time, tokens: u32) -> bool {
        self.fill(now);
        match self.parts.checked_sub(u64::from(tokens) * PARTS) {
            Some(rest) => {
                self.parts = rest;
                true
            }
            None => false,
        }
    }

    /// Number of whole tokens available at `now`, without taking any.
    pub fn available(&mut self, now: Time) -> u32 {
        self.fill(now);
        (self.parts / PARTS) as u32
    }

    /// Time from `now` until the bucket is full; endless if it does not refill.
    pub(crate) fn full_in(&mut self, now: Time) -> Span {
        self.fill(now);
        let missing = u64::from(self.capacity) * PARTS - self.parts;
        let micros = if missing == 0 { Some(0) } else { missing.checked_div(u64::from(self.per_second)) };
        Span::from_micros(micros.and_then(|micros| i64::try_from(micros).ok()).unwrap_or(i64::MAX))
    }

    /// Changes the rate from now on; tokens beyond the capacity are lost.
    pub fn set_rate(&mut self, now: Time, capacity: u32, per_second: u32) {
        self.fill(now);
        self.capacity = capacity;
        self.per_second = per_second;
        self.fill(now);
    }

    /// Adds the tokens since the last call, up to the capacity. Called before every use.
    fn fill(&mut self, now: Time) {
        let passed = now.micros().saturating_sub(self.filled.micros());
        self.filled = self.filled.max(now);
        let gained = passed.saturating_mul(u64::from(self.per_second));
        self.parts = self.parts.saturating_add(gained).min(u64::from(self.capacity) * PARTS);
    }
}

/// Bandwidth limit of a peer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bandwidth {
    bytes: TokenBucket,
}

impl Bandwidth {
    /// Creates a limit in bytes per second, headers included, with a burst of at least one datagram.
    pub fn new(bytes_per_second: u32, burst: u32) -> Self {
        Self { bytes: TokenBucket::new(burst.max(MAX_DATAGRAM as u32 + DATAGRAM_OVERHEAD), bytes_per_second) }
    }

    /// Most bytes of the next datagram; 0 if none may be sent.
    pub fn room(&mut self, now: Time) -> usize {
        let content = self.bytes.available(now).saturating_sub(DATAGRAM_OVERHEAD);
        (content as usize).min(MAX_DATAGRAM)
    }

    /// Bytes available in all, headers included, over any number of datagrams.
    pub fn available(&mut self, now: Time) -> usize {
        self.bytes.available(now) as usize
    }

    /// Books a datagram that was sent regardless of the limit. A deficit is not carried over, but leaves
    /// nothing for others.
    pub fn owe(&mut self, now: Time, length: usize) {
        let length = u32::try_from(length).unwrap_or(u32::MAX).saturating_add(DATAGRAM_OVERHEAD);
        let there = self.bytes.available(now);
        let _ = self.bytes.take(now, length.min(there));
    }

    /// Books a datagram of `length` bytes; false, without booking, if there is no [`Bandwidth::room`] for it.
    #[must_use]
    pub fn spend(&mut self, now: Time, length: usize) -> bool {
        let length = u32::try_from(length).unwrap_or(u32::MAX);
        self.bytes.take(now, length.saturating_add(DATAGRAM_OVERHEAD))
    }
}

/// Accumulated priorities: every waiting item gains its weight each tick, so that important items go often
/// and nothing starves.
///
/// ```
/// use ugas_net::rate::Priorities;
///
/// let mut waiting = Priorities::new();
/// let mut first = |waiting: &mut Priorities<char>| {
///     waiting.wait('a', 3);
///     waiting.wait('b', 1);
///     let first = waiting.largest_first()[0];
///     waiting.sent(first);
///     first
/// };
/// // b waits until its 1 a tick exceeds the 3 that a has every time.
/// assert_eq!([(); 5].map(|()| first(&mut waiting)), ['a', 'a', 'a', 'b', 'a']);
/// ```
#[derive(Clone, Debug)]
pub struct Priorities<K> {
    /// By rising key.
    waiting: Vec<(K, u64)>,
    order: Vec<K>,
    scratch: Vec<(u64, K)>,
}

impl<K> Default for Priorities<K> {
    fn default() -> Self {
        Self { waiting: Vec::new(), order: Vec::new(), scratch: Vec::new() }
    }
}

impl<K: Copy + Ord> Priorities<K> {
    /// Creates an empty queue.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the weight of a waiting item. Call it once a tick for every item that has something to send; an
    /// item of weight 0 waits behind everything else.
    pub fn wait(&mut self, key: K, weight: u32) {
        match self.waiting.binary_search_by_key(&key, |&(key, _)| key) {
            Ok(at) => self.waiting[at].1 = self.waiting[at].1.saturating_add(u64::from(weight)),
            Err(at) => self.waiting.insert(at, (key, u64::from(weight))),
        }
    }

    /// Waiting items by falling priority, equal ones by rising key. They stay in the queue until
    /// [`Self::sent`].
    pub fn largest_first(&mut self) -> &[K] {
        self.scratch.clear();
        self.scratch.extend(self.waiting.iter().map(|&(key, gained)| (u64::MAX - gained, key)));
        self.scratch.sort_unstable();
        self.order.clear();
        self.order.extend(self.scratch.iter().map(|&(_, key)| key));
        &self.order
    }

    /// Removes an item that was sent or is gone; its priority starts at 0 again.
    pub fn sent(&mut self, key: K) {
        if let Ok(at) = self.waiting.binary_search_by_key(&key, |&(key, _)| key) {
            self.waiting.remove(at);
        }
    }

    /// Accumulated priority of an item; 0 if it does not wait.
    pub fn gained(&self, key: K) -> u64 {
        self.waiting.binary_search_by_key(&key, |&(key, _)| key).map_or(0, |at| self.waiting[at].1)
    }

    /// Number of waiting items.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn millis(millis: u64) -> Time {
        Time::from_micros(millis * 1_000)
    }

    #[test]
    fn tokens_come_back_with_time_and_no_more_than_fit() {
        let mut bucket = TokenBucket::new(5, 20); // one in 50 ms
        assert!(bucket.take(millis(0), 5));
        assert!(!bucket.take(millis(49), 1));
        assert!(bucket.take(millis(50), 1));
        assert_eq!(bucket.available(millis(175)), 2); // 125 ms: 2.5
        assert!(!bucket.take(millis(175), 3));
        assert!(bucket.take(millis(200), 3)); // the half was not lost: 150 ms are 3
        assert_eq!(bucket.available(millis(10_000)), 5);
    }

    #[test]
    fn time_that_goes_backwards_adds_nothing() {
        let mut bucket = TokenBucket::new(1, 1);
        assert!(bucket.take(millis(2_000), 1));
        assert!(!bucket.take(millis(1_000), 1));
        assert!(!bucket.take(millis(2_999), 1));
        assert!(bucket.take(millis(3_000), 1));
        assert!(bucket.take(Time::MAX, 1));
        assert!(!bucket.take(Time::MAX, u32::MAX));
    }

    #[test]
    fn a_changed_rate_counts_from_then_on() {
        let mut bucket = TokenBucket::new(10, 10);
        assert!(bucket.take(millis(0), 10));
        bucket.set_rate(millis(500), 3, 100); // 5 by now, of which 3 fit
        assert_eq!(bucket.available(millis(500)), 3);
        assert!(bucket.take(millis(500), 3));
        assert_eq!(bucket.available(millis(520)), 2);
    }

    #[test]
    fn headers_count() {
        let mut bandwidth = Bandwidth::new(10_000, 0); // at once: 1,200 + 28
        assert_eq!(bandwidth.room(millis(0)), 1_200);
        assert!(bandwidth.spend(millis(0), 1_000));
        assert_eq!(bandwidth.room(millis(0)), 172); // 1,228 - 1,028 - 28
        assert!(!bandwidth.spend(millis(0), 173));
        assert!(bandwidth.spend(millis(0), 172));
        assert_eq!(bandwidth.room(millis(2)), 0); // 20 bytes: less than the headers
        assert_eq!(bandwidth.room(millis(10)), 72); // 100 - 28
    }

    #[test]
    fn the_larger_goes_first_and_of_equals_the_lesser_key() {
        let mut waiting = Priorities::new();
        waiting.wait(3, 1);
        waiting.wait(1, 1);
        waiting.wait(2, 5);
        assert_eq!(waiting.largest_first(), [2, 1, 3]);
        waiting.sent(2);
        waiting.wait(3, 2);
        assert_eq!(waiting.largest_first(), [3, 1]);
        assert_eq!((waiting.gained(3), waiting.gained(2), waiting.len()), (3, 0, 2));
        waiting.sent(9);
        assert!(!waiting.is_empty());
    }

    proptest! {
        /// In any time t no more passes than the capacity and what flows in during t.
        #[test]
        fn a_bucket_keeps_its_bound(
            capacity in 1u32..50,
            per_second in 0u32..1_000,
            asks in proptest::collection::vec((0u64..50_000, 1u32..4), 1..200),
        ) {
            let mut bucket = TokenBucket::new(capacity, per_second);
            let (mut now, mut passed) = (0, 0);
            for (after, tokens) in asks {
                now += after;
                if bucket.take(Time::from_micros(now), tokens) {
                    passed += u64::from(tokens);
                }
                prop_assert!(passed * 1_000_000 <= u64::from(capacity) * 1_000_000 + u64::from(per_second) * now);
            }
        }

        /// With one place a tick, nothing waits longer than its share demands: the sum of weights over its own, and
        /// one more for each of the others.
        #[test]
        fn nothing_starves(weights in proptest::collection::vec(1u32..20, 1..12)) {
            let mut waiting = Priorities::new();
            let sum: u32 = weights.iter().sum();
            let mut since = vec![0u32; weights.len()];
            for _ in 0..500 {
                for (key, &weight) in weights.iter().enumerate() {
                    waiting.wait(key, weight);
                    since[key] += 1;
                }
                let first = waiting.largest_first()[0];
                waiting.sent(first);
                since[first] = 0;
                for (key, &weight) in weights.iter().enumerate() {
                    prop_assert!(since[key] <= sum / weight + weights.len() as u32 + 1, "{} waits", key);
                }
            }
        }
    }
}
