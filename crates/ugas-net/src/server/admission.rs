//! Admission: the handshake, and how sessions end.

use ugas_core::handle::ControllerId;

use super::session::Session;
use super::{Host, KickReason, PeerId, Server, ServerEvent};
use crate::fault_points::{FaultPoint, fails};
use crate::limits::MAX_REASON;
use crate::message::{
    ByeReason, ClientId, Hello, PROTOCOL, Refused, RefusedReason, ResumeSecret, SESSION_MASK, ToClient,
    Welcome,
};

/// Most ended sessions that are remembered, so that a late hello does not begin them again.
const MAX_ENDED_SESSIONS: usize = 256;

/// Most sessions of one connection from whose numbers the next one differs: fewer than there are numbers.
const MAX_NUMBERS: usize = 8;

/// A session that has ended, so that a late hello does not begin it again, and late updates are not taken for those
/// of the next one.
#[derive(Clone, Copy, Debug)]
pub(super) struct EndedSession {
    peer: PeerId,
    nonce: u64,
    /// Number of the session, or of its last connection.
    number: u8,
    pub(super) client: ClientId,
    pub(super) secret: Option<ResumeSecret>,
    /// Reason that the client was told; `None` if it left, or its connection was lost.
    pub(super) reason: Option<ByeReason>,
}

impl EndedSession {
    /// Whether the client was silent for too long: then it may begin or be refused as if it was never known.
    pub(super) fn has_timed_out(&self) -> bool {
        self.reason == Some(ByeReason::TimedOut)
    }
}

impl<H: Host> Server<H> {
    /// Ends all sessions with [`ByeReason::Shutdown`]. The byes wait in [`Server::poll_transmit`]: send them
    /// before the socket is closed.
    pub fn shut_down(&mut self) {
        let peers: Vec<PeerId> = self.sessions.keys().copied().collect();
        for peer in peers {
            self.end_session(peer, Some(ByeReason::Shutdown));
        }
    }

    /// Answers a hello with a welcome or a refusal. A repeated hello of the present session gets its welcome
    /// again; one with another nonce ends that session and begins a new one. Hellos of ended
    /// sessions are answered with the reason of the end; those over the rate limit are dropped.
    pub(super) fn handle_hello(&mut self, peer: PeerId, hello: Hello) {
        let ended = self.ended_sessions.iter().find(|ended| (ended.peer, ended.nonce) == (peer, hello.nonce));
        // A client that timed out may never have received its welcome, and may still send the same hello.
        if let Some(EndedSession { reason, .. }) = ended.filter(|ended| !ended.has_timed_out()) {
            // A delayed hello, or a client that never received its welcome: it shall know why it is not admitted.
            if let Some(reason) = reason.map(RefusedReason::Ended) {
                self.send(peer, &ToClient::Refused(Refused { nonce: hello.nonce, reason }));
            }
            self.statistics.dropped += 1;
            return;
        }
        if self.sessions.get(&peer).is_some_and(|session| session.past_nonces.contains(&hello.nonce)) {
            // The session has been resumed since.
            self.statistics.dropped += 1;
            return;
        }
        let is_lost = |session: &Session| session.nonce == hello.nonce && session.interrupted_at.is_some();
        if self.sessions.get(&peer).is_some_and(is_lost) {
            // Its client never received the welcome, and still asks for a session.
            self.end_session(peer, Some(ByeReason::TimedOut));
        }
        let known = self.sessions.get(&peer).map(|session| session.nonce);
        if known != Some(hello.nonce) && !self.rate_limits.admits_session(self.now, peer) {
            self.statistics.dropped += 1;
            return;
        }
        if known.is_some_and(|nonce| nonce != hello.nonce) {
            // The same connection starts a new session: the client has lost the old one.
            self.end_session(peer, None);
        }
        if known != Some(hello.nonce)
            && let Err(reason) = self.admit(peer, &hello)
        {
            self.send(peer, &ToClient::Refused(Refused { nonce: hello.nonce, reason: reason.clone() }));
            self.events.push_back(ServerEvent::Refused { peer, reason });
            return;
        }
        self.welcome(peer);
    }

    /// Sends the welcome of a connection's session, which answers its last hello or resume.
    pub(super) fn welcome(&mut self, peer: PeerId) {
        let Some(session) = self.sessions.get(&peer) else { return };
        let welcome = Welcome {
            nonce: session.nonce,
            client: session.client,
            session: session.number,
            tick: self.tick,
            length: self.config.length,
            prediction_seed: self.simulation.config().prediction_seed,
            max_lead: self.config.max_lead,
            secret: session.secret,
            resumed: session.resumed_after,
        };
        self.send(peer, &ToClient::Welcome(welcome));
    }

    /// Number of the next session of a connection, or of the next connection of a session that was on
    /// `former`. The bits of it that updates carry differ from those of the sessions that both had lately.
    pub(super) fn next_session_number(&mut self, peer: PeerId, former: PeerId) -> u8 {
        let is_of = |known: PeerId| known == peer || known == former;
        let present = self.sessions.values().filter(|session| is_of(session.peer));
        let ended = self.ended_sessions.iter().rev().filter(|ended| is_of(ended.peer));
        let numbers = present.map(|session| session.number).chain(ended.map(|ended| ended.number));
        let used = numbers.take(MAX_NUMBERS).fold(0u32, |used, number| used | 1 << (number & SESSION_MASK));
        loop {
            let number = self.next_session;
            self.next_session = number.wrapping_add(1);
            if used >> (number & SESSION_MASK) & 1 == 0 {
                return number;
            }
        }
    }

    /// Begins a session, emits [`ServerEvent::Joined`], and begins the client's views if it sees everything;
    /// or returns the reason of the refusal. The host is asked last.
    fn admit(&mut self, peer: PeerId, hello: &Hello) -> Result<(), RefusedReason> {
        if hello.protocol != PROTOCOL {
            return Err(RefusedReason::Protocol { server: PROTOCOL, client: hello.protocol });
        }
        let (catalog, dictionary) = (self.catalog().hash(), self.dictionary.hash());
        if hello.catalog != catalog {
            return Err(RefusedReason::Catalog { server: catalog, client: hello.catalog });
        }
        if hello.dictionary != dictionary {
            return Err(RefusedReason::Dictionary { server: dictionary, client: hello.dictionary });
        }
        if self.sessions.len() >= self.config.max_clients as usize || fails(FaultPoint::NewSession) {
            return Err(RefusedReason::Full);
        }
        self.host.admit(peer, &hello.credential).map_err(|why| RefusedReason::Denied(shorten(why)))?;
        let client = ClientId(self.next_client);
        self.next_client = self.next_client.wrapping_add(1);
        let secrets = self.config.secrets.filter(|_| self.config.resume_time.is_positive());
        let budget = self.rate_limits.command_budget(peer, &self.config);
        let mut session = Session::new(peer, client, hello.nonce, (self.now, budget), &self.config);
        session.number = self.next_session_number(peer, peer);
        // A source that fails gives zeros.
        session.secret = secrets.map(|source| source()).filter(|secret| *secret != [0; 32]).map(ResumeSecret);
        self.sessions.insert(peer, session);
        self.events.push_back(ServerEvent::Joined { client, peer, credential: hello.credential.clone() });
        if self.config.show_everything {
            let controllers: Vec<ControllerId> = self.simulation.controllers().map(|(id, _)| id).collect();
            for controller in controllers {
                self.update_view(peer, controller);
            }
        }
        Ok(())
    }

    /// Ends a session: sends a bye if there is a reason, removes the client from all audiences, leaves its
    /// controllers without an owner, and emits [`ServerEvent::Left`]. Its nonce is remembered, so that a late
    /// hello does not begin it again unless it timed out, and its number.
    pub(super) fn end_session(&mut self, peer: PeerId, reason: Option<ByeReason>) {
        let Some(session) = self.sessions.remove(&peer) else { return };
        if let Some(reason) = reason.filter(|_| session.interrupted_at.is_none()) {
            self.send(peer, &ToClient::Bye(reason));
        }
        if self.ended_sessions.len() >= MAX_ENDED_SESSIONS {
            self.ended_sessions.pop_front();
        }
        // The next session of the connection continues with what is left of the limits on commands.
        let sessions = &self.sessions;
        let limits =
            self.rate_limits.entry(self.now, peer, &self.config, |peer| sessions.contains_key(&peer));
        limits.commands = session.inbound.budget;
        let Session { nonce, number, client, secret, .. } = session;
        self.ended_sessions.push_back(EndedSession { peer, nonce, number, client, secret, reason });
        for (controller, view) in session.outbound.views {
            self.leave_audience(controller, view.visibility, peer);
        }
        for controller in session.owned {
            self.owners.remove(&controller);
            self.orphaned.insert(controller);
        }
        self.events.push_back(ServerEvent::Left { client: session.client, reason });
    }

    /// Ends sessions of clients that misbehaved. Ends or keeps those of clients that were silent for longer
    /// than the timeout. Called at the start of every tick.
    pub(super) fn end_dead_sessions(&mut self) {
        let (now, limit) = (self.now, self.config.timeout);
        let is_silent = |session: &&Session| {
            session.interrupted_at.is_none() && now.since(session.inbound.last_heard) > limit
        };
        let misbehaved = self.sessions.values().filter(|session| session.inbound.misbehaved);
        let misbehaved: Vec<PeerId> = misbehaved.map(|session| session.peer).collect();
        for peer in misbehaved {
            self.kick_peer(peer, KickReason::ForgedAcknowledgement);
        }
        let silent: Vec<PeerId> =
            self.sessions.values().filter(is_silent).map(|session| session.peer).collect();
        for peer in silent {
            if self.sessions.get(&peer).is_some_and(|session| session.secret.is_some()) {
                self.send(peer, &ToClient::Bye(ByeReason::TimedOut));
                self.interrupt(peer);
            } else {
                self.end_session(peer, Some(ByeReason::TimedOut));
            }
        }
    }

    /// Ends sessions of clients that acknowledge no removals, with [`ByeReason::TimedOut`]: what is remembered for
    /// one client is bounded. Called at the start of every tick.
    pub(super) fn end_unacknowledging_sessions(&mut self) {
        let behind = self.sessions.values().filter(|session| session.outbound.has_too_many_leaving());
        let behind: Vec<PeerId> = behind.map(|session| session.peer).collect();
        for peer in behind {
            self.end_session(peer, Some(ByeReason::TimedOut));
        }
    }
}

/// Shortens a text to at most [`MAX_REASON`] bytes, at a character boundary.
pub(super) fn shorten(mut text: String) -> String {
    let mut end = MAX_REASON.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text
}
