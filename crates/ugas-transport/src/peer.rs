//! [`Peer`]: a server's state of a connected peer.

use std::net::SocketAddr;
use std::time::Duration;

use crate::crypto::{self, SessionKey};
use crate::packet::{self, Kind};
use crate::protocol::ProtocolId;
use crate::rate::RateLimiter;
use crate::replay_window::ReplayWindow;
use crate::request::Token;

/// Interval of keep-alive packets to a peer that gets nothing else.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_millis(250);

/// A connected peer.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) address: SocketAddr,
    to_server: SessionKey,
    to_client: SessionKey,
    pub(crate) timeout: Duration,
    /// User data of its token.
    pub(crate) user_data: Box<[u8]>,
    /// Sequence number of the next packet to it.
    next_sequence: u64,
    received: ReplayWindow,
    last_received: Duration,
    last_sent: Duration,
    /// When it connected.
    pub(crate) since: Duration,
    /// Whether it has joined, and takes a place of a player.
    pub(crate) has_joined: bool,
    /// Limits the authentic datagrams that it may send.
    pub(crate) limiter: RateLimiter,
}

impl Peer {
    /// A peer that has answered its challenge.
    pub(crate) fn new(address: SocketAddr, token: &Token, has_joined: bool, now: Duration) -> Self {
        Self {
            address,
            to_server: token.to_server,
            to_client: token.to_client,
            timeout: token.timeout,
            user_data: token.user_data.clone(),
            // Packets without a body need a sequence number of at least one byte.
            next_sequence: 1,
            received: ReplayWindow::default(),
            last_received: now,
            last_sent: now,
            since: now,
            has_joined,
            limiter: RateLimiter::default(),
        }
    }

    /// Seals a packet to the peer into `out`.
    pub(crate) fn seal(
        &mut self,
        out: &mut Vec<u8>,
        protocol: ProtocolId,
        kind: Kind,
        body: &[u8],
        now: Duration,
    ) {
        crypto::seal(out, protocol, kind, self.next_sequence, &self.to_client, body);
        self.next_sequence += 1;
        self.last_sent = now;
    }

    /// Body of an authentic packet of the peer, which counts as a sign of life; `None` if it is forged,
    /// damaged or repeated.
    pub(crate) fn open<'a>(
        &mut self,
        packet: &'a mut [u8],
        protocol: ProtocolId,
        now: Duration,
    ) -> Option<&'a [u8]> {
        let sequence = packet::sequence(packet);
        if !self.received.is_new(sequence) {
            return None;
        }
        let body = crypto::open(packet, protocol, &self.to_server)?;
        self.received.receive(sequence);
        self.last_received = now;
        Some(body)
    }

    /// Whether the peer has been silent for too long.
    pub(crate) fn is_silent(&self, now: Duration) -> bool {
        now > self.last_received.saturating_add(self.timeout)
    }

    /// Whether a keep-alive packet is due.
    pub(crate) fn needs_keep_alive(&self, now: Duration) -> bool {
        now >= self.last_sent + KEEP_ALIVE_INTERVAL
    }
}
