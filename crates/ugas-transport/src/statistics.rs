//! What came to a socket, and what became of it.

use std::net::SocketAddr;

use crate::refusal::Refusal;

/// Counts since the socket was opened, which only grow, and who was refused last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// Connections made.
    pub connected: u64,
    /// Connections ended, for whatever reason.
    pub disconnected: u64,
    /// Datagrams of peers handed on.
    pub datagrams_received: u64,
    /// Datagrams to peers given to the system.
    pub datagrams_sent: u64,
    /// Bytes that came in, whatever they were, without the headers of UDP and IP.
    pub bytes_received: u64,
    /// Bytes that went out, without the headers of UDP and IP.
    pub bytes_sent: u64,
    /// Dropped: no packet of the protocol.
    pub malformed: u64,
    /// Dropped: from an address that is not connected, and not a request to connect.
    pub strangers: u64,
    /// Dropped: more than its address may send.
    pub limited: u64,
    /// Dropped: forged, damaged or repeated.
    pub unauthentic: u64,
    /// Not sent: the system did not take it. To peers, that is a lost datagram like any other.
    pub unsent: u64,
    refusals: [u64; Refusal::ALL.len()],
    refused_last: [Option<SocketAddr>; Refusal::ALL.len()],
}

impl Statistics {
    /// How many requests to connect were refused for a reason.
    #[must_use]
    pub fn refused(&self, reason: Refusal) -> u64 {
        self.refusals[reason.place()]
    }

    /// Who was refused last for a reason, as far as an address says who somebody is.
    #[must_use]
    pub fn refused_last(&self, reason: Refusal) -> Option<SocketAddr> {
        self.refused_last[reason.place()]
    }

    /// The reasons for which requests were refused, with how many.
    pub fn refusals(&self) -> impl Iterator<Item = (Refusal, u64)> + '_ {
        let all = Refusal::ALL.into_iter().map(|reason| (reason, self.refused(reason)));
        all.filter(|(_, count)| *count > 0)
    }

    /// Datagrams that came in and were dropped, refused requests aside.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.malformed + self.strangers + self.limited + self.unauthentic
    }

    pub(crate) fn count_refusal(&mut self, reason: Refusal, from: SocketAddr) {
        self.refusals[reason.place()] += 1;
        self.refused_last[reason.place()] = Some(from);
    }
}
