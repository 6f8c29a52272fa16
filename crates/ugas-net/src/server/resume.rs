//! Resumption: sessions whose connection was lost are kept for a while, and their clients continue them over
//! another connection.
//!
//! The session with its controllers, its queue of commands and its results goes on; sequence numbers,
//! acknowledgements and views start anew, because nobody knows which datagrams of the old connection arrived.

use ugas_core::handle::ControllerId;

use super::admission::shorten;
use super::{Host, PeerId, Server, ServerEvent};
use crate::message::{ByeReason, ClientId, Refused, RefusedReason, Resume, ResumeSecret, ToClient};

impl<H: Host> Server<H> {
    /// Secret of a client's session: a transport may accept it as proof that a new connection belongs to the
    /// same client. `None` if the client has no session, or the server [keeps none](super::ServerConfig::secrets).
    pub fn resume_secret(&self, client: ClientId) -> Option<ResumeSecret> {
        self.session_of(client)?.secret
    }

    /// Whether a connection has a session, or had one that is kept.
    pub fn has_session(&self, peer: PeerId) -> bool {
        self.sessions.contains_key(&peer)
    }

    /// Whether the session of a client is kept without a connection, until the client resumes it or
    /// [`ServerConfig::resume_time`](super::ServerConfig::resume_time) is over.
    pub fn is_interrupted(&self, client: ClientId) -> bool {
        self.session_of(client).is_some_and(|session| session.interrupted_at.is_some())
    }

    /// Number of sessions without a connection. They count as clients.
    pub fn interrupted_sessions(&self) -> usize {
        self.sessions.values().filter(|session| session.interrupted_at.is_some()).count()
    }

    /// Notes that the transport lost a connection: its session is kept for
    /// [`ServerConfig::resume_time`](super::ServerConfig::resume_time), with its controllers. It ends at once,
    /// without a bye, if the server keeps no sessions. Does nothing if the connection has none.
    pub fn disconnected(&mut self, peer: PeerId) {
        match self.sessions.get(&peer) {
            Some(session) if session.secret.is_none() => self.end_session(peer, None),
            Some(_) => self.interrupt(peer),
            None => {}
        }
    }

    /// Ends the session of a connection that its client closed. Does nothing if it has none.
    pub fn left(&mut self, peer: PeerId) {
        if self.sessions.contains_key(&peer) {
            self.end_session(peer, None);
        }
    }

    /// Keeps a session without its connection; does nothing if it is kept already.
    pub(super) fn interrupt(&mut self, peer: PeerId) {
        let Some(session) = self.sessions.get_mut(&peer) else { return };
        if session.interrupted_at.is_none() {
            session.interrupted_at = Some(self.now);
            self.statistics.interrupted += 1;
            self.events.push_back(ServerEvent::Interrupted { client: session.client, peer });
        }
    }

    /// Ends kept sessions whose time is over. Called at the start of every tick.
    pub(super) fn end_interrupted_sessions(&mut self) {
        let (now, most) = (self.now, self.config.resume_time);
        let over = self.sessions.values().filter(|session| {
            session.interrupted_at.is_some_and(|interrupted| now.since(interrupted) > most)
        });
        let over: Vec<PeerId> = over.map(|session| session.peer).collect();
        for peer in over {
            self.statistics.expired += 1;
            self.end_session(peer, Some(ByeReason::TimedOut));
        }
    }

    /// Answers a resume with a welcome or a refusal. A repeated one gets its welcome again; one of an earlier
    /// connection is dropped. An unknown session and a wrong secret are answered in the same way.
    pub(super) fn handle_resume(&mut self, peer: PeerId, resume: Resume) {
        let session = self.session_of(resume.client);
        let session = session.filter(|session| session.secret == Some(resume.secret));
        if let Some(session) = session {
            if session.past_nonces.contains(&resume.nonce) {
                self.statistics.dropped += 1;
                return;
            }
            let is_repeated = session.peer == peer && session.nonce == resume.nonce;
            if is_repeated && session.interrupted_at.is_none() {
                self.welcome(peer);
                return;
            }
        }
        let former = session.map(|session| session.peer);
        if !self.rate_limits.admits_session(self.now, peer) {
            self.statistics.dropped += 1;
            return;
        }
        let resumed = match former {
            Some(former) => self.host.readmit(peer, former, resume.client).map_err(|why| {
                let reason = RefusedReason::Denied(shorten(why));
                self.events.push_back(ServerEvent::Refused { peer, reason: reason.clone() });
                reason
            }),
            None => Err(self.reason_of_end(resume)),
        };
        match (resumed, former) {
            (Ok(()), Some(former)) => self.resume(peer, former, resume),
            (Err(reason), _) => self.send(peer, &ToClient::Refused(Refused { nonce: resume.nonce, reason })),
            (Ok(()), None) => {}
        }
    }

    /// Continues the session of `former` over the connection `peer`, which may be the same. Another session
    /// of that connection ends.
    fn resume(&mut self, peer: PeerId, former: PeerId, resume: Resume) {
        if peer != former && self.sessions.contains_key(&peer) {
            self.end_session(peer, None);
        }
        let number = self.next_session_number(peer, former);
        let Some(mut session) = self.sessions.remove(&former) else { return };
        session.peer = peer;
        session.resume(resume.nonce, number, self.now);
        let viewed: Vec<(ControllerId, _)> = session
            .outbound
            .views
            .iter()
            .filter(|(_, view)| !view.leaving)
            .map(|(controller, view)| (*controller, view.visibility))
            .collect();
        self.sessions.insert(peer, session);
        for (controller, visibility) in viewed {
            if let Some(audience) = self.audience.get_mut(&controller).filter(|_| peer != former) {
                audience.remove(&(visibility, former));
                audience.insert((visibility, peer));
            }
        }
        self.statistics.resumed += 1;
        self.events.push_back(ServerEvent::Resumed { client: resume.client, peer, former });
        self.welcome(peer);
    }

    /// Reason for which a session cannot be resumed: that of its end, for the client that had it lately.
    fn reason_of_end(&self, resume: Resume) -> RefusedReason {
        let ended = self.ended_sessions.iter().find(|ended| {
            !ended.has_timed_out()
                && ended.client == resume.client
                && ended.secret.is_some_and(|secret| secret == resume.secret)
        });
        ended.and_then(|ended| ended.reason).map_or(RefusedReason::NoSession, RefusedReason::Ended)
    }
}
