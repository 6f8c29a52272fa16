//! [`Peer`]: a server's state of a connected peer, in addition to `renetcode`'s.

use std::net::SocketAddr;

use renetcode::NetcodeServer;

use crate::rate::RateLimiter;

/// A connected peer.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) address: SocketAddr,
    /// Limits the datagrams that it may send.
    pub(crate) limiter: RateLimiter,
    /// Sequence number of the next packet to it.
    pub(crate) next_sequence: u64,
    /// Sequence numbers of packets that were encrypted for it before it was connected.
    pub(crate) used_sequences: Vec<u64>,
}

impl Peer {
    /// Skips sequence numbers that were used to encrypt answers to its requests.
    ///
    /// `renetcode` counts these answers for all clients together and the packets of each connection
    /// separately, but encrypts both with the connection's key. Two packets with the same key and number
    /// would break the encryption. A number is skipped by generating a packet that is never sent.
    pub(crate) fn skip_used_sequences(&mut self, netcode: &mut NetcodeServer, name: u64) {
        while self.used_sequences.contains(&self.next_sequence) {
            let next = self.next_sequence;
            self.used_sequences.retain(|number| *number > next);
            if netcode.generate_payload_packet(name, &[]).is_err() {
                return;
            }
            self.next_sequence += 1;
        }
    }
}
