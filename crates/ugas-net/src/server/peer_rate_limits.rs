//! Rate limits of each connection, with or without a session: ending a session and beginning another does not
//! reset them.

use ugas_core::time::Time;

use super::{PeerId, ServerConfig};
use crate::rate::TokenBucket;

/// Most sessions that one connection may begin at once, and per second.
const SESSIONS_AT_ONCE: u32 = 5;
const SESSIONS_PER_SECOND: u32 = 1;
/// Most connections without a session that are tracked. Beyond that, datagrams of new connections are dropped
/// until some entries expire.
const MAX_UNKNOWN_PEERS: usize = 1_024;

/// Remaining budget of one connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PeerRateLimit {
    datagrams: TokenBucket,
    sessions: TokenBucket,
}

impl PeerRateLimit {
    /// Full buckets: a new connection may send a second's worth of datagrams at once.
    fn new(config: &ServerConfig) -> Self {
        let rate = config.datagrams_per_second;
        Self {
            datagrams: TokenBucket::new(rate, rate),
            sessions: TokenBucket::new(SESSIONS_AT_ONCE, SESSIONS_PER_SECOND),
        }
    }

    /// Whether the budget is full again, so that the entry can be dropped.
    fn is_idle(&mut self, now: Time, config: &ServerConfig) -> bool {
        self.datagrams.available(now) >= config.datagrams_per_second
            && self.sessions.available(now) >= SESSIONS_AT_ONCE
    }
}

/// Rate limits of all connections that sent something lately, sorted by connection. A sorted vector keeps its memory
/// when entries come and go.
#[derive(Debug, Default)]
pub(super) struct PeerRateLimits(Vec<(PeerId, PeerRateLimit)>);

impl PeerRateLimits {
    /// Takes one datagram from the budget of a connection; false if it is over the limit, or the connection
    /// is new and too many are tracked.
    pub(super) fn admits_datagram(&mut self, now: Time, peer: PeerId, config: &ServerConfig) -> bool {
        let most = MAX_UNKNOWN_PEERS.saturating_add(config.max_clients as usize);
        let at = match self.find(peer) {
            Ok(at) => at,
            Err(_) if self.0.len() >= most => return false,
            Err(at) => {
                self.0.insert(at, (peer, PeerRateLimit::new(config)));
                at
            }
        };
        self.0.get_mut(at).is_some_and(|(_, limit)| limit.datagrams.take(now, 1))
    }

    /// Takes one session from the budget of a connection; false if it is over the limit, or the connection
    /// is not tracked: [`Self::admits_datagram`] comes first.
    pub(super) fn admits_session(&mut self, now: Time, peer: PeerId) -> bool {
        let known = self.find(peer).ok().and_then(|at| self.0.get_mut(at));
        known.is_some_and(|(_, limit)| limit.sessions.take(now, 1))
    }

    /// Drops entries whose budget is full again.
    pub(super) fn forget_idle(&mut self, now: Time, config: &ServerConfig) {
        self.0.retain_mut(|(_, limit)| !limit.is_idle(now, config));
    }

    /// Position of a connection, or the one where it belongs.
    fn find(&self, peer: PeerId) -> Result<usize, usize> {
        self.0.binary_search_by_key(&peer, |(known, _)| *known)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}
