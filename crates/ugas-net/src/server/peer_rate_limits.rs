//! Rate limits of each connection, with or without a session: ending a session and beginning another does not
//! reset them.

use ugas_core::time::{Span, Time};

use super::kick::Forgeries;
use super::{PeerId, ServerConfig};
use crate::rate::TokenBucket;

/// Most sessions that one connection may begin at once, and per second.
const SESSIONS_AT_ONCE: u32 = 5;
const SESSIONS_PER_SECOND: u32 = 1;
/// Most connections without a session that are tracked. Beyond that, the one whose budget is full soonest is
/// forgotten for each new one.
const MAX_UNKNOWN_PEERS: usize = 1_024;

/// Limits on the commands of a connection. Its session has them while there is one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CommandBudget {
    pub(super) commands: TokenBucket,
    pub(super) forgeries: Forgeries,
}

impl CommandBudget {
    /// A second's worth of commands, and no forged one.
    pub(super) fn new(config: &ServerConfig) -> Self {
        let rate = config.commands_per_second;
        Self { commands: TokenBucket::new(rate, rate), forgeries: Forgeries::default() }
    }
}

/// Remaining budget of one connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PeerRateLimit {
    datagrams: TokenBucket,
    sessions: TokenBucket,
    /// Limits on commands that the last session left.
    pub(super) commands: CommandBudget,
}

impl PeerRateLimit {
    /// Full buckets: a new connection may send a second's worth of datagrams at once.
    fn new(config: &ServerConfig) -> Self {
        let rate = config.datagrams_per_second;
        Self {
            datagrams: TokenBucket::new(rate, rate),
            sessions: TokenBucket::new(SESSIONS_AT_ONCE, SESSIONS_PER_SECOND),
            commands: CommandBudget::new(config),
        }
    }

    /// Time from `now` until the budget is full again, so that the entry can be dropped.
    fn idle_in(&mut self, now: Time) -> Span {
        let buckets = self.datagrams.full_in(now).max(self.sessions.full_in(now));
        let commands = self.commands.commands.full_in(now).max(self.commands.forgeries.forgiven_in(now));
        buckets.max(commands)
    }
}

/// Rate limits of all connections that sent something lately, sorted by connection. A sorted vector keeps its memory
/// when entries come and go.
#[derive(Debug, Default)]
pub(super) struct PeerRateLimits(Vec<(PeerId, PeerRateLimit)>);

impl PeerRateLimits {
    /// Takes one datagram from the budget of a connection; false if it is over the limit. `has_session` tells which
    /// connections have one.
    pub(super) fn admits_datagram(
        &mut self,
        now: Time,
        peer: PeerId,
        config: &ServerConfig,
        has_session: impl Fn(PeerId) -> bool,
    ) -> bool {
        self.entry(now, peer, config, has_session).datagrams.take(now, 1)
    }

    /// Budget of a connection, which is tracked from now on. If too many are, another one without a session is
    /// forgotten: the one whose budget is full soonest. Connections with a session are never forgotten so.
    pub(super) fn entry(
        &mut self,
        now: Time,
        peer: PeerId,
        config: &ServerConfig,
        has_session: impl Fn(PeerId) -> bool,
    ) -> &mut PeerRateLimit {
        let most = MAX_UNKNOWN_PEERS.saturating_add(config.max_clients as usize);
        if self.find(peer).is_err() && self.0.len() >= most {
            let others = self.0.iter_mut().enumerate().filter(|(_, (known, _))| !has_session(*known));
            let soonest = others.map(|(at, (_, limit))| (limit.idle_in(now), at)).min();
            if let Some((_, at)) = soonest {
                self.0.remove(at);
            }
        }
        let at = self.find(peer).unwrap_or_else(|at| {
            self.0.insert(at, (peer, PeerRateLimit::new(config)));
            at
        });
        &mut self.0[at].1
    }

    /// Limits on commands that earlier sessions of a connection left.
    pub(super) fn command_budget(&self, peer: PeerId, config: &ServerConfig) -> CommandBudget {
        let known = self.find(peer).ok().and_then(|at| self.0.get(at));
        known.map_or_else(|| CommandBudget::new(config), |(_, limit)| limit.commands)
    }

    /// Takes one session from the budget of a connection; false if it is over the limit, or the connection
    /// is not tracked: [`Self::admits_datagram`] comes first.
    pub(super) fn admits_session(&mut self, now: Time, peer: PeerId) -> bool {
        let known = self.find(peer).ok().and_then(|at| self.0.get_mut(at));
        known.is_some_and(|(_, limit)| limit.sessions.take(now, 1))
    }

    /// Drops entries whose budget is full again.
    pub(super) fn forget_idle(&mut self, now: Time) {
        self.0.retain_mut(|(_, limit)| limit.idle_in(now).is_positive());
    }

    /// Position of a connection, or the one where it belongs.
    fn find(&self, peer: PeerId) -> Result<usize, usize> {
        self.0.binary_search_by_key(&peer, |(known, _)| *known)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}
