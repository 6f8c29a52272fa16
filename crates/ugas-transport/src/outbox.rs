//! [`Outbox`]: packets that wait to be sent, without allocation once it has grown.

use std::net::SocketAddr;
use std::ops::Range;

/// Packets in the order of their queueing, with their bytes in one buffer.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    entries: Vec<(SocketAddr, Range<usize>)>,
    bytes: Vec<u8>,
}

impl Outbox {
    /// Queues a packet.
    pub(crate) fn push(&mut self, to: SocketAddr, packet: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(packet);
        self.entries.push((to, start..self.bytes.len()));
    }

    /// Passes all packets to `send`, and empties the queue.
    pub(crate) fn drain(&mut self, mut send: impl FnMut(SocketAddr, &[u8])) {
        for (to, range) in self.entries.drain(..) {
            send(to, self.bytes.get(range).unwrap_or_default());
        }
        self.bytes.clear();
    }
}
