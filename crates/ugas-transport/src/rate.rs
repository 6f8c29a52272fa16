//! Rate limits, in memory of constant size.

use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::time::Duration;

/// A rate limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// Average number per second. Zero counts as one.
    pub per_second: u32,
    /// Maximum number at once, after a pause. Zero counts as one.
    pub burst: u32,
}

impl Rate {
    /// A limit of `per_second` on average and `burst` at once.
    #[must_use]
    pub const fn new(per_second: u32, burst: u32) -> Self {
        Self { per_second, burst }
    }

    /// Time between two at the sustained rate; a rate of 0 counts as 1.
    fn interval(self) -> Duration {
        Duration::from_secs(1) / self.per_second.max(1)
    }
}

/// A rate limiter (generic cell rate algorithm).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RateLimiter {
    /// The time at which the full burst is available again.
    empty_at: Duration,
}

impl RateLimiter {
    /// Whether one more is within the rate at `now`; if so, it is counted.
    pub(crate) fn admits(&mut self, rate: Rate, now: Duration) -> bool {
        let interval = rate.interval();
        let empty_at = self.empty_at.max(now);
        let admits = empty_at - now <= interval.saturating_mul(rate.burst.max(1) - 1);
        if admits {
            self.empty_at = empty_at.saturating_add(interval);
        }
        admits
    }
}

/// The unit by which addresses are limited: an IPv4 address, or an IPv6 network of 64 bits, which usually has
/// one owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Network {
    /// An IPv4 address.
    V4(u32),
    /// The first 64 bits of an IPv6 address.
    V6(u64),
}

impl Network {
    /// The network of an address. IPv4 addresses in IPv6 form count as IPv4.
    pub fn of(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V4(address) => Self::V4(address.to_bits()),
            IpAddr::V6(address) => Self::V6((address.to_bits() >> 64) as u64),
        }
    }

    /// The network of an address whose number of clients is limited; `None` for this machine, where all
    /// clients share an address.
    pub fn limited(address: IpAddr) -> Option<Self> {
        (!address.to_canonical().is_loopback()).then(|| Self::of(address))
    }
}

/// Rate limiters per address, in constant memory: addresses share a fixed number of limiters by a hash with a
/// random seed, so that a flood affects only its sender and few others.
#[derive(Debug)]
pub(crate) struct AddressLimiters {
    hasher: RandomState,
    limiters: Box<[RateLimiter]>,
}

const LIMITERS: usize = 4096;

impl AddressLimiters {
    pub(crate) fn new() -> Self {
        Self {
            hasher: RandomState::new(),
            limiters: vec![RateLimiter::default(); LIMITERS].into_boxed_slice(),
        }
    }

    /// Whether one more of this address is within the rate; if so, it is counted. Addresses share limiters by
    /// a random hash, so that memory is bounded; an IPv6 network of 64 bits counts as one address.
    pub(crate) fn admits(&mut self, address: IpAddr, rate: Rate, now: Duration) -> bool {
        let place = self.hasher.hash_one(Network::of(address)) % LIMITERS as u64;
        self.limiters[place as usize].admits(rate, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admitted(limiter: &mut RateLimiter, rate: Rate, now: Duration, tries: u32) -> usize {
        (0..tries).filter(|_| limiter.admits(rate, now)).count()
    }

    #[test]
    fn burst_is_followed_by_the_rate() {
        let rate = Rate::new(10, 3);
        let mut limiter = RateLimiter::default();
        let start = Duration::from_secs(5);
        assert_eq!(admitted(&mut limiter, rate, start, 9), 3);
        // 10 a second: one every 100 ms.
        assert_eq!(admitted(&mut limiter, rate, start + Duration::from_millis(99), 9), 0);
        assert_eq!(admitted(&mut limiter, rate, start + Duration::from_millis(100), 9), 1);
        // After a pause of 900 ms it is a burst again, not nine.
        assert_eq!(admitted(&mut limiter, rate, start + Duration::from_secs(1), 9), 3);
    }

    #[test]
    fn rate_of_zero_counts_as_one() {
        let mut limiter = RateLimiter::default();
        let rate = Rate::new(0, 0);
        assert_eq!(admitted(&mut limiter, rate, Duration::ZERO, 5), 1);
        assert_eq!(admitted(&mut limiter, rate, Duration::from_secs(1), 5), 1);
    }

    #[test]
    fn ipv6_network_counts_as_one_address() {
        let mut limiters = AddressLimiters::new();
        let rate = Rate::new(1, 1);
        let mut admits = |address: &str| limiters.admits(address.parse().unwrap(), rate, Duration::ZERO);
        assert!(admits("2001:db8::1"));
        assert!(!admits("2001:db8::2"));
        assert!(admits("192.0.2.1"));
    }
}
