//! What a connection has sent lately, whether or not it has a session: who ends one and begins another gains nothing by it.

use std::collections::BTreeMap;

use ugas_core::time::Time;

use super::{PeerId, ServerConfig};
use crate::rate::TokenBucket;

/// Most sessions that one connection begins at once, and in a second.
const SESSIONS_AT_ONCE: u32 = 5;
const SESSIONS_PER_SECOND: u32 = 1;
/// Most connections without a session that are remembered. Beyond it, strangers are not heard until some are forgotten.
const MOST_STRANGERS: usize = 1_024;

/// What one connection may still send.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Doorstep {
    datagrams: TokenBucket,
    sessions: TokenBucket,
}

impl Doorstep {
    fn new(config: &ServerConfig) -> Self {
        let rate = config.datagrams_per_second;
        Self {
            datagrams: TokenBucket::new(rate, rate),
            sessions: TokenBucket::new(SESSIONS_AT_ONCE, SESSIONS_PER_SECOND),
        }
    }

    /// Whether it has been quiet for so long that nothing is to be remembered.
    fn is_rested(&mut self, now: Time, config: &ServerConfig) -> bool {
        self.datagrams.available(now) >= config.datagrams_per_second
            && self.sessions.available(now) >= SESSIONS_AT_ONCE
    }
}

/// All connections of which something is to be remembered.
#[derive(Debug, Default)]
pub(super) struct Doorsteps(BTreeMap<PeerId, Doorstep>);

impl Doorsteps {
    /// Whether one more datagram of a connection is taken.
    pub(super) fn admits_datagram(&mut self, now: Time, peer: PeerId, config: &ServerConfig) -> bool {
        let most = MOST_STRANGERS.saturating_add(config.max_clients as usize);
        if self.0.len() >= most && !self.0.contains_key(&peer) {
            return false;
        }
        self.0.entry(peer).or_insert_with(|| Doorstep::new(config)).datagrams.take(now, 1)
    }

    /// Whether a connection may begin one more session.
    pub(super) fn admits_session(&mut self, now: Time, peer: PeerId) -> bool {
        self.0.get_mut(&peer).is_some_and(|doorstep| doorstep.sessions.take(now, 1))
    }

    /// Forgets those who have been quiet.
    pub(super) fn forget_the_rested(&mut self, now: Time, config: &ServerConfig) {
        self.0.retain(|_, doorstep| !doorstep.is_rested(now, config));
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}
