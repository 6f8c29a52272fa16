//! What a server keeps of a connected peer beside what the protocol keeps.

use std::net::SocketAddr;

use renetcode::NetcodeServer;

use crate::rate::Gate;

/// A connected peer.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) address: SocketAddr,
    /// How much it may send.
    pub(crate) gate: Gate,
    /// What its next packet from us is numbered.
    pub(crate) next_sequence: u64,
    /// Numbers under which packets were encrypted for it before it was connected.
    pub(crate) used_numbers: Vec<u64>,
}

impl Peer {
    /// Lets the connection's counter pass over numbers that answers to its requests were encrypted with.
    ///
    /// The library counts these answers for all clients together and the packets of each connection by themselves, but encrypts
    /// both with the connection's key; two packets with the same key and number would give each other away. A number is passed
    /// over by having a packet made with it that is never sent.
    pub(crate) fn skip_used_numbers(&mut self, netcode: &mut NetcodeServer, name: u64) {
        while self.used_numbers.contains(&self.next_sequence) {
            let next = self.next_sequence;
            self.used_numbers.retain(|number| *number > next);
            if netcode.generate_payload_packet(name, &[]).is_err() {
                return;
            }
            self.next_sequence += 1;
        }
    }
}
