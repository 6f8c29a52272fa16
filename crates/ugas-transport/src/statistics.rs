//! [`Statistics`] of a socket.

use std::net::SocketAddr;

use crate::refusal::Refusal;

/// Counters since the socket was opened, and the last refused address per reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// Established connections.
    pub connected: u64,
    /// Ended connections, for any reason.
    pub disconnected: u64,
    /// Datagrams received from peers.
    pub datagrams_received: u64,
    /// Datagrams sent to peers.
    pub datagrams_sent: u64,
    /// Bytes received, including dropped ones, without UDP and IP headers.
    pub bytes_received: u64,
    /// Bytes sent, without UDP and IP headers.
    pub bytes_sent: u64,
    /// Dropped: not a packet of the protocol.
    pub malformed: u64,
    /// Dropped: from an address that is not connected, and not a connection request.
    pub strangers: u64,
    /// Dropped: over a rate limit.
    pub limited: u64,
    /// Cookies sent, because requests were over their limits.
    pub cookies: u64,
    /// Handshakes that are not completed now; not a total.
    pub handshakes: u64,
    /// Handshakes that ended because the client did not answer the challenge in time.
    pub abandoned: u64,
    /// Peers that were disconnected because they did not join in time.
    pub never_joined: u64,
    /// Dropped: forged, damaged or repeated.
    pub unauthentic: u64,
    /// Not sent: the system did not accept it. For peers, such a datagram is lost.
    pub unsent: u64,
    refusals: [u64; Refusal::ALL.len()],
    refused_last: [Option<SocketAddr>; Refusal::ALL.len()],
}

impl Statistics {
    /// The number of connection requests that were refused for a reason.
    #[must_use]
    pub fn refused(&self, reason: Refusal) -> u64 {
        self.refusals[reason.index()]
    }

    /// The address that was last refused for a reason.
    #[must_use]
    pub fn refused_last(&self, reason: Refusal) -> Option<SocketAddr> {
        self.refused_last[reason.index()]
    }

    /// The reasons of refused requests, with their counts.
    pub fn refusals(&self) -> impl Iterator<Item = (Refusal, u64)> + '_ {
        let all = Refusal::ALL.into_iter().map(|reason| (reason, self.refused(reason)));
        all.filter(|(_, count)| *count > 0)
    }

    /// The number of received datagrams that were dropped, without refused requests.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.malformed + self.strangers + self.limited + self.unauthentic
    }

    /// Counts a refusal by its reason, and keeps the last address for messages.
    pub(crate) fn count_refusal(&mut self, reason: Refusal, from: SocketAddr) {
        self.refusals[reason.index()] += 1;
        self.refused_last[reason.index()] = Some(from);
    }
}
