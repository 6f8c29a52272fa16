//! Repeated disconnect packets: if the only one were lost, the other side would wait until it times out.

use std::net::SocketAddr;
use std::time::Duration;

/// Delays of the copies of a disconnect packet, from the first packet on.
pub(crate) const RESEND_DELAYS: [Duration; 3] =
    [Duration::from_millis(20), Duration::from_millis(60), Duration::from_millis(140)];
/// How long packets of the other side are answered with another copy.
const MEMORY: Duration = Duration::from_secs(5);
/// Minimum interval of these answers.
const ANSWER_INTERVAL: Duration = Duration::from_millis(20);
/// Maximum number of entries, more than a server has peers; beyond it the oldest are dropped.
const MAX_PENDING: usize = 2048;

/// Disconnect packets that are being repeated.
#[derive(Debug, Default)]
pub(crate) struct PendingDisconnects(Vec<PendingDisconnect>);

#[derive(Debug)]
struct PendingDisconnect {
    address: SocketAddr,
    packet: Box<[u8]>,
    /// When the first packet was sent.
    began: Duration,
    /// Number of copies sent.
    sent: usize,
    /// When the last copy was sent.
    last: Duration,
}

impl PendingDisconnects {
    /// Adds a disconnect packet that has just been sent.
    pub(crate) fn add(&mut self, address: SocketAddr, packet: &[u8], now: Duration) {
        self.0.retain(|disconnect| disconnect.address != address);
        if self.0.len() >= MAX_PENDING {
            self.0.remove(0);
        }
        self.0.push(PendingDisconnect { address, packet: packet.into(), began: now, sent: 0, last: now });
    }

    /// Stops repeating: the address is connected again.
    pub(crate) fn cancel(&mut self, address: SocketAddr) {
        self.0.retain(|disconnect| disconnect.address != address);
    }

    /// Sends the copies that are due, and forgets disconnects after a while. Copies are sent because a lost
    /// one would leave the other side waiting for its timeout.
    pub(crate) fn send_due(&mut self, now: Duration, mut send: impl FnMut(SocketAddr, &[u8])) {
        for disconnect in &mut self.0 {
            while RESEND_DELAYS.get(disconnect.sent).is_some_and(|pause| disconnect.began + *pause <= now) {
                disconnect.sent += 1;
                disconnect.last = now;
                send(disconnect.address, &disconnect.packet);
            }
        }
        self.0.retain(|disconnect| now < disconnect.began + MEMORY);
    }

    /// The packet to repeat to an address that still sends.
    pub(crate) fn answer(&mut self, address: SocketAddr, now: Duration) -> Option<&[u8]> {
        let disconnect = self.0.iter_mut().find(|disconnect| disconnect.address == address)?;
        if now < disconnect.last + ANSWER_INTERVAL {
            return None;
        }
        disconnect.last = now;
        Some(&disconnect.packet)
    }

    /// The time at which the next copy is due.
    pub(crate) fn next_due(&self) -> Option<Duration> {
        let due = |disconnect: &PendingDisconnect| {
            RESEND_DELAYS.get(disconnect.sent).map(|pause| disconnect.began + *pause)
        };
        self.0.iter().filter_map(due).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(disconnects: &mut PendingDisconnects, milliseconds: u64) -> usize {
        let mut count = 0;
        disconnects.send_due(Duration::from_millis(milliseconds), |_, _| count += 1);
        count
    }

    #[test]
    fn copies_are_spread_and_repeated_on_demand() {
        let address = SocketAddr::from(([127, 0, 0, 1], 1));
        let mut disconnects = PendingDisconnects::default();
        disconnects.add(address, b"bye", Duration::ZERO);
        assert_eq!([19, 20, 30, 140, 200].map(|time| said(&mut disconnects, time)), [0, 1, 0, 2, 0]);
        assert_eq!(disconnects.next_due(), None);
        assert_eq!(disconnects.answer(address, Duration::from_millis(150)), None);
        assert_eq!(disconnects.answer(address, Duration::from_millis(200)), Some(&b"bye"[..]));
        assert_eq!(disconnects.answer(address, Duration::from_millis(200)), None);
        assert_eq!(said(&mut disconnects, 5000), 0);
        assert_eq!(disconnects.answer(address, Duration::from_secs(6)), None);
    }
}
