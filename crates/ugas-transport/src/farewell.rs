//! Goodbyes are said several times: one that is lost would leave the other side waiting until it times out.

use std::net::SocketAddr;
use std::time::Duration;

/// Copies of a goodbye and when they go out, counted from the first.
pub(crate) const PAUSES: [Duration; 3] =
    [Duration::from_millis(20), Duration::from_millis(60), Duration::from_millis(140)];
/// For this long, whoever still talks to us is told again.
const MEMORY: Duration = Duration::from_secs(5);
/// Answers to those who still talk to us keep this distance.
const ANSWER_PAUSE: Duration = Duration::from_millis(20);
/// More than there are places on a server; then the oldest are forgotten.
const MAX_FAREWELLS: usize = 2048;

/// Goodbyes that are being said.
#[derive(Debug, Default)]
pub(crate) struct Farewells(Vec<Farewell>);

#[derive(Debug)]
struct Farewell {
    address: SocketAddr,
    packet: Box<[u8]>,
    began: Duration,
    sent: usize,
    last: Duration,
}

impl Farewells {
    /// Takes over a goodbye of which the first copy has just been sent.
    pub(crate) fn add(&mut self, address: SocketAddr, packet: &[u8], now: Duration) {
        self.0.retain(|farewell| farewell.address != address);
        if self.0.len() >= MAX_FAREWELLS {
            self.0.remove(0);
        }
        self.0.push(Farewell { address, packet: packet.into(), began: now, sent: 0, last: now });
    }

    /// Somebody is at this address again.
    pub(crate) fn forget(&mut self, address: SocketAddr) {
        self.0.retain(|farewell| farewell.address != address);
    }

    /// Says what is due.
    pub(crate) fn say(&mut self, now: Duration, mut send: impl FnMut(SocketAddr, &[u8])) {
        for farewell in &mut self.0 {
            while PAUSES.get(farewell.sent).is_some_and(|pause| farewell.began + *pause <= now) {
                farewell.sent += 1;
                farewell.last = now;
                send(farewell.address, &farewell.packet);
            }
        }
        self.0.retain(|farewell| now < farewell.began + MEMORY);
    }

    /// The goodbye to repeat to an address from which somebody still talks.
    pub(crate) fn answer(&mut self, address: SocketAddr, now: Duration) -> Option<&[u8]> {
        let farewell = self.0.iter_mut().find(|farewell| farewell.address == address)?;
        if now < farewell.last + ANSWER_PAUSE {
            return None;
        }
        farewell.last = now;
        Some(&farewell.packet)
    }

    /// When the next copy is due.
    pub(crate) fn next_due(&self) -> Option<Duration> {
        let due = |farewell: &Farewell| PAUSES.get(farewell.sent).map(|pause| farewell.began + *pause);
        self.0.iter().filter_map(due).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(farewells: &mut Farewells, milliseconds: u64) -> usize {
        let mut count = 0;
        farewells.say(Duration::from_millis(milliseconds), |_, _| count += 1);
        count
    }

    #[test]
    fn copies_are_spread_and_repeated_on_demand() {
        let address = SocketAddr::from(([127, 0, 0, 1], 1));
        let mut farewells = Farewells::default();
        farewells.add(address, b"bye", Duration::ZERO);
        assert_eq!([19, 20, 30, 140, 200].map(|time| said(&mut farewells, time)), [0, 1, 0, 2, 0]);
        assert_eq!(farewells.next_due(), None);
        assert_eq!(farewells.answer(address, Duration::from_millis(150)), None);
        assert_eq!(farewells.answer(address, Duration::from_millis(200)), Some(&b"bye"[..]));
        assert_eq!(farewells.answer(address, Duration::from_millis(200)), None);
        assert_eq!(said(&mut farewells, 5000), 0);
        assert_eq!(farewells.answer(address, Duration::from_secs(6)), None);
    }
}
