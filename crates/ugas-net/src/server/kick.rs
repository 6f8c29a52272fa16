//! Kicks: commands that only a modified client sends, the budget of them, and the end of the session.

use ugas_core::time::{Span, Time};

use super::{Host, PeerId, Server, ServerEvent};
use crate::message::{ByeReason, ClientId, Rejection};

/// Time after which one forged command is forgiven.
const FORGIVEN_AFTER: Span = Span::millis(10_000);
/// Time for which commands about a controller that the client does not own may be under way.
const OWNERSHIP_GRACE: Span = Span::millis(5_000);

/// Reason for which the server kicked a client.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KickReason {
    /// The host decided it.
    #[error("{0}")]
    Host(String),
    /// The host decided it when a command was rejected ([`Host::rejected`]).
    #[error("{count} commands were rejected: {rejection}")]
    Rejected {
        /// Reason of the last rejection.
        rejection: Rejection,
        /// Number of commands that were rejected for this reason.
        count: u32,
    },
    /// More forged commands than [`ServerConfig::forged_commands`](super::ServerConfig::forged_commands).
    #[error("it sent {count} commands that only a modified client sends; the last was rejected: {rejection}")]
    Forged {
        /// Reason of the last rejection.
        rejection: Rejection,
        /// Number of forged commands of the connection, in this session and in those shortly before.
        count: u32,
    },
    /// It acknowledged datagrams that were never sent.
    #[error("it acknowledged datagrams that were never sent")]
    ForgedAcknowledgement,
}

impl KickReason {
    /// The reason that the client is told.
    pub const fn bye(&self) -> ByeReason {
        match self {
            Self::Host(_) | Self::Rejected { .. } => ByeReason::Kicked,
            Self::Forged { .. } | Self::ForgedAcknowledgement => ByeReason::Misbehaved,
        }
    }
}

/// A command that does not run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Denied {
    pub(super) rejection: Rejection,
    /// Whether only a modified client can have sent it.
    pub(super) is_forged: bool,
}

impl Denied {
    /// A command that an unmodified client refuses to send.
    pub(super) const fn forged(rejection: Rejection) -> Self {
        Self { rejection, is_forged: true }
    }
}

impl From<Rejection> for Denied {
    /// A command that an honest client may have sent, because it did not know better.
    fn from(rejection: Rejection) -> Self {
        Self { rejection, is_forged: rejection == Rejection::Malformed }
    }
}

/// Forged commands of one client.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Forgeries {
    /// Number over all sessions of the connection, until it is forgotten.
    count: u32,
    /// Number that is not forgiven yet.
    held: u32,
    /// Time from which on the next one is forgiven.
    since: Time,
}

impl Forgeries {
    /// Time from `now` until all are forgiven.
    pub(super) fn forgiven_in(&self, now: Time) -> Span {
        let all = FORGIVEN_AFTER.micros().saturating_mul(i64::from(self.held));
        Span::from_micros(all.saturating_sub(now.since(self.since).micros()).max(0))
    }

    /// Counts a forged command. Returns the number so far if more than `most` are not forgiven.
    pub(super) fn add(&mut self, now: Time, most: u32) -> Option<u32> {
        let forgiven = now.since(self.since).micros() / FORGIVEN_AFTER.micros();
        let forgiven = u32::try_from(forgiven).unwrap_or(u32::MAX);
        if forgiven >= self.held {
            (self.held, self.since) = (0, now);
        } else {
            self.held -= forgiven;
            self.since += Span::from_micros(FORGIVEN_AFTER.micros().saturating_mul(i64::from(forgiven)));
        }
        self.count = self.count.saturating_add(1);
        self.held += 1;
        (self.held > most).then_some(self.count)
    }
}

impl<H: Host> Server<H> {
    /// Ends the session of a client with [`ByeReason::Kicked`]. Does nothing if it has none.
    pub fn kick(&mut self, client: ClientId) {
        self.kick_because(client, KickReason::Host("the host kicked it".into()));
    }

    /// Ends the session of a client for a reason: calls [`Host::kicked`], emits [`ServerEvent::Kicked`], and
    /// sends [`KickReason::bye`]. Does nothing if the client has no session.
    pub fn kick_because(&mut self, client: ClientId, reason: KickReason) {
        if let Some(peer) = self.peer_of(client) {
            self.kick_peer(peer, reason);
        }
    }

    /// Kicks the client of a connection; does nothing if it has no session.
    pub(super) fn kick_peer(&mut self, peer: PeerId, reason: KickReason) {
        let Some(client) = self.sessions.get(&peer).map(|session| session.client) else { return };
        self.statistics.kicked += 1;
        self.host.kicked(peer, client, &reason);
        let bye = reason.bye();
        self.events.push_back(ServerEvent::Kicked { client, peer, reason });
        self.end_session(peer, Some(bye));
    }

    /// Counts a forged command of a client, and kicks the client if it sent too many.
    pub(super) fn note_forged(&mut self, peer: PeerId, rejection: Rejection) {
        let Some(session) = self.sessions.get_mut(&peer) else { return };
        self.statistics.forged += 1;
        let Some(most) = self.config.forged_commands else { return };
        if let Some(count) = session.inbound.budget.forgeries.add(self.now, most) {
            self.kick_peer(peer, KickReason::Forged { rejection, count });
        }
    }

    /// Denies a command about something of a controller that the client does not own. It is forged unless the
    /// client's controllers have changed lately.
    pub(super) fn denied_foreign(&self, peer: PeerId, rejection: Rejection) -> Denied {
        let session = self.sessions.get(&peer);
        let is_settled =
            session.is_some_and(|session| self.now.since(session.owned_since) >= OWNERSHIP_GRACE);
        Denied { rejection, is_forged: is_settled }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forged_commands_are_forgiven_one_by_one() {
        let at = |seconds: u64| Time::from_micros(seconds * 1_000_000);
        let mut forgeries = Forgeries::default();
        let kicks: Vec<_> = (0..4).map(|_| forgeries.add(at(100), 3)).collect();
        assert_eq!(kicks, [None, None, None, Some(4)]);
        // Two of four are forgiven after 25 s, so that one more makes three; ten seconds count from 120 s on.
        assert_eq!(forgeries.add(at(125), 3), None);
        assert_eq!(forgeries.add(at(129), 3), Some(6));
        assert_eq!(forgeries.add(at(130), 3), Some(7)); // four, one is forgiven, and this one
        assert_eq!(forgeries.add(at(1_000), 0), Some(8));
    }
}
