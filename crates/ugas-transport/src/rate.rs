//! How much is let through a second, with no memory that a sender could make grow.

use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::time::Duration;

/// How often something may happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// In the long run. Zero counts as one.
    pub per_second: u32,
    /// At once, after a pause. Zero counts as one.
    pub burst: u32,
}

impl Rate {
    /// So many a second, and so many at once.
    #[must_use]
    pub const fn new(per_second: u32, burst: u32) -> Self {
        Self { per_second, burst }
    }

    fn interval(self) -> Duration {
        Duration::from_secs(1) / self.per_second.max(1)
    }
}

/// Lets through what keeps to a rate. All it remembers is when it will be as empty as after a long pause.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Gate {
    empty_at: Duration,
}

impl Gate {
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

/// A gate for every address, in constant memory: addresses share a fixed number of gates by a hash that nobody outside can
/// foresee, so whoever floods closes the gate for itself and for few others.
#[derive(Debug)]
pub(crate) struct AddressGates {
    hasher: RandomState,
    gates: Box<[Gate]>,
}

const GATES: usize = 4096;

impl AddressGates {
    pub(crate) fn new() -> Self {
        Self { hasher: RandomState::new(), gates: vec![Gate::default(); GATES].into_boxed_slice() }
    }

    pub(crate) fn admits(&mut self, address: IpAddr, rate: Rate, now: Duration) -> bool {
        // Who has one address of version 6 has the 2^64 of its network.
        let network = match address.to_canonical() {
            IpAddr::V4(address) => (4, u64::from(address.to_bits())),
            IpAddr::V6(address) => (6, (address.to_bits() >> 64) as u64),
        };
        let place = self.hasher.hash_one(network) % GATES as u64;
        self.gates[place as usize].admits(rate, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admitted(gate: &mut Gate, rate: Rate, now: Duration, tries: u32) -> usize {
        (0..tries).filter(|_| gate.admits(rate, now)).count()
    }

    #[test]
    fn a_burst_then_the_rate() {
        let rate = Rate::new(10, 3);
        let mut gate = Gate::default();
        let start = Duration::from_secs(5);
        assert_eq!(admitted(&mut gate, rate, start, 9), 3);
        // 10 a second: one every 100 ms.
        assert_eq!(admitted(&mut gate, rate, start + Duration::from_millis(99), 9), 0);
        assert_eq!(admitted(&mut gate, rate, start + Duration::from_millis(100), 9), 1);
        // After a pause of 900 ms it is a burst again, not nine.
        assert_eq!(admitted(&mut gate, rate, start + Duration::from_secs(1), 9), 3);
    }

    #[test]
    fn zero_is_one() {
        let mut gate = Gate::default();
        let rate = Rate::new(0, 0);
        assert_eq!(admitted(&mut gate, rate, Duration::ZERO, 5), 1);
        assert_eq!(admitted(&mut gate, rate, Duration::from_secs(1), 5), 1);
    }

    #[test]
    fn a_network_of_version_6_is_one_address() {
        let mut gates = AddressGates::new();
        let rate = Rate::new(1, 1);
        let mut admits = |address: &str| gates.admits(address.parse().unwrap(), rate, Duration::ZERO);
        assert!(admits("2001:db8::1"));
        assert!(!admits("2001:db8::2"));
        assert!(admits("192.0.2.1"));
    }
}
