//! Conditions of a simulated link.

use ugas_core::time::Span;

/// Conditions of one direction of a network. Chances are from 0 to 1 and for each datagram; spans are not
/// negative.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Conditions {
    /// Delay of every datagram.
    pub delay: Span,
    /// Additional delay, uniform from zero to this. Order is kept, as queues keep it.
    pub jitter: Span,
    /// Chance of an independent loss.
    pub loss: f64,
    /// Losses that come in groups.
    pub burst: Option<BurstLoss>,
    /// The chance to arrive twice.
    pub duplicate: f64,
    /// The chance to be held back by `hold`, so that later ones overtake it.
    pub reorder: f64,
    /// Delay of a reordered datagram.
    pub hold: Span,
    /// Capacity of the link; `None` if it is unlimited.
    pub capacity: Option<Capacity>,
    /// The chance that one to eight of its bits are flipped.
    pub corrupt: f64,
    /// The chance that its end is cut off.
    pub truncate: f64,
}

/// Losses in groups, as Gilbert and Elliott describe them: the link is good or bad, and turns from one to the other.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BurstLoss {
    /// The chance, at each datagram, that a good link turns bad.
    pub begin: f64,
    /// The chance, at each datagram, that a bad link turns good: a burst lasts 1 / `end` datagrams on average.
    pub end: f64,
    /// The chance that a datagram is lost while it is bad.
    pub loss: f64,
}

/// Capacity of a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Capacity {
    /// Rate. A link with rate 0 lets nothing through.
    pub bytes_per_second: u32,
    /// Bytes that may wait; a datagram that does not fit is dropped.
    pub queue: u32,
}

impl Conditions {
    /// The names that [`Conditions::named`] knows, from best to worst.
    pub const NAMES: [&str; 6] = ["perfect", "lan", "broadband", "mobile", "bad", "terrible"];

    /// The conditions with this name, for a command line.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "perfect" => Self::perfect(),
            "lan" => Self::lan(),
            "broadband" => Self::broadband(),
            "mobile" => Self::mobile(),
            "bad" => Self::bad(),
            "terrible" => Self::terrible(),
            _ => return None,
        })
    }

    /// Every datagram arrives at once, once and unchanged.
    pub fn perfect() -> Self {
        Self::default()
    }

    /// Under one roof: a round trip of 1 to 1.4 ms.
    pub fn lan() -> Self {
        Self { delay: Span::from_micros(500), jitter: Span::from_micros(200), ..Self::default() }
    }

    /// At home, to a server of the region: a round trip of 40 to 50 ms, one loss in a thousand.
    pub fn broadband() -> Self {
        Self {
            delay: Span::millis(20),
            jitter: Span::millis(5),
            loss: 0.001,
            duplicate: 0.000_1,
            reorder: 0.001,
            hold: Span::millis(5),
            capacity: Some(Capacity { bytes_per_second: 1_250_000, queue: 125_000 }),
            ..Self::default()
        }
    }

    /// On the road: a round trip of 100 to 160 ms, 1 % loss and now and then a burst of about eight.
    pub fn mobile() -> Self {
        Self {
            delay: Span::millis(50),
            jitter: Span::millis(30),
            loss: 0.01,
            burst: Some(BurstLoss { begin: 0.002, end: 0.125, loss: 0.9 }),
            duplicate: 0.001,
            reorder: 0.01,
            hold: Span::millis(20),
            capacity: Some(Capacity { bytes_per_second: 250_000, queue: 64_000 }),
            ..Self::default()
        }
    }

    /// Another continent over a crowded net: a round trip of 200 to 240 ms, 5 % loss.
    pub fn bad() -> Self {
        Self {
            delay: Span::millis(100),
            jitter: Span::millis(20),
            loss: 0.05,
            duplicate: 0.01,
            reorder: 0.02,
            hold: Span::millis(30),
            capacity: Some(Capacity { bytes_per_second: 125_000, queue: 32_000 }),
            ..Self::default()
        }
    }

    /// Hardly a network: a round trip of 500 to 700 ms, 20 % loss and long bursts, damage, and 32 kB a
    /// second. A stress test.
    pub fn terrible() -> Self {
        Self {
            delay: Span::millis(250),
            jitter: Span::millis(100),
            loss: 0.2,
            burst: Some(BurstLoss { begin: 0.01, end: 0.05, loss: 1.0 }),
            duplicate: 0.05,
            reorder: 0.1,
            hold: Span::millis(100),
            capacity: Some(Capacity { bytes_per_second: 32_000, queue: 16_000 }),
            corrupt: 0.01,
            truncate: 0.01,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known() {
        assert!(Conditions::NAMES.iter().all(|name| Conditions::named(name).is_some()));
        assert_eq!(Conditions::named("bad"), Some(Conditions::bad()));
        assert_eq!(Conditions::named("good"), None);
    }
}
