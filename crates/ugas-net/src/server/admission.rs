//! Who is in: the handshake, and how sessions end.

use ugas_core::handle::ControllerId;

use super::session::Session;
use super::{Host, PeerId, Server, ServerEvent};
use crate::limits::MAX_REASON;
use crate::message::{ByeReason, ClientId, Hello, PROTOCOL, Refused, RefusedReason, ToClient, Welcome};

/// Sessions that are over and remembered, so that a late greeting does not begin them again.
const MOST_OVER: usize = 256;

impl<H: Host> Server<H> {
    /// Sends a client away.
    pub fn kick(&mut self, client: ClientId) {
        if let Some(peer) = self.peer_of(client) {
            self.end_session(peer, Some(ByeReason::Kicked));
        }
    }

    /// Ends all sessions.
    pub fn shut_down(&mut self) {
        let peers: Vec<PeerId> = self.sessions.keys().copied().collect();
        for peer in peers {
            self.end_session(peer, Some(ByeReason::Shutdown));
        }
    }

    /// The transport lost a connection.
    pub fn disconnected(&mut self, peer: PeerId) {
        if self.sessions.contains_key(&peer) {
            self.end_session(peer, None);
        }
    }

    pub(super) fn welcome(&mut self, peer: PeerId, hello: Hello) {
        if self.over.contains(&(peer, hello.nonce)) {
            // The network held it back: its session is over.
            self.statistics.dropped += 1;
            return;
        }
        let known = self.sessions.get(&peer).map(|session| session.nonce);
        if known != Some(hello.nonce) && !self.doorsteps.admits_session(self.now, peer) {
            self.statistics.dropped += 1;
            return;
        }
        if known.is_some_and(|nonce| nonce != hello.nonce) {
            // The same connection begins anew: it has forgotten its session.
            self.end_session(peer, None);
        }
        if known != Some(hello.nonce)
            && let Err(reason) = self.admit(peer, &hello)
        {
            self.send(peer, &ToClient::Refused(Refused { nonce: hello.nonce, reason: reason.clone() }));
            self.events.push_back(ServerEvent::Refused { peer, reason });
            return;
        }
        let Some(session) = self.sessions.get(&peer) else { return };
        let welcome = Welcome {
            nonce: hello.nonce,
            client: session.client,
            tick: self.tick,
            length: self.config.length,
            prediction_seed: self.simulation.config().prediction_seed,
            max_lead: self.config.max_lead,
        };
        self.send(peer, &ToClient::Welcome(welcome));
    }

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
        if self.sessions.len() >= self.config.max_clients as usize {
            return Err(RefusedReason::Full);
        }
        self.host.admit(peer, &hello.credential).map_err(|why| RefusedReason::Denied(shorten(why)))?;
        let client = ClientId(self.next_client);
        self.next_client = self.next_client.wrapping_add(1);
        self.sessions.insert(peer, Session::new(peer, client, hello.nonce, self.now, &self.config));
        self.events.push_back(ServerEvent::Joined { client, peer, credential: hello.credential.clone() });
        if self.config.show_everything {
            let controllers: Vec<ControllerId> = self.simulation.controllers().map(|(id, _)| id).collect();
            for controller in controllers {
                self.look_again(peer, controller);
            }
        }
        Ok(())
    }

    pub(super) fn end_session(&mut self, peer: PeerId, reason: Option<ByeReason>) {
        if let Some(reason) = reason {
            self.send(peer, &ToClient::Bye(reason));
        }
        let Some(session) = self.sessions.remove(&peer) else { return };
        // One that timed out may never have heard that it is in, and ask on.
        if reason != Some(ByeReason::TimedOut) {
            if self.over.len() >= MOST_OVER {
                self.over.pop_front();
            }
            self.over.push_back((peer, session.nonce));
        }
        for (controller, view) in session.views {
            self.leave_audience(controller, view.lens, peer);
        }
        for controller in session.owned {
            self.owners.remove(&controller);
            self.deserted.insert(controller);
        }
        self.events.push_back(ServerEvent::Left { client: session.client, reason });
    }

    pub(super) fn drop_the_silent(&mut self) {
        let (now, limit) = (self.now, self.config.timeout);
        let reason = |session: &Session| match session.misbehaved {
            true => Some(ByeReason::Misbehaved),
            false => (now.since(session.last_heard) > limit).then_some(ByeReason::TimedOut),
        };
        let over = self.sessions.iter().filter_map(|(peer, session)| Some((*peer, reason(session)?)));
        let over: Vec<_> = over.collect();
        for (peer, reason) in over {
            self.end_session(peer, Some(reason));
        }
    }
}

/// A text that fits into a datagram.
fn shorten(mut text: String) -> String {
    let mut end = MAX_REASON.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text
}
