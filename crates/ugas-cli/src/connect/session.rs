//! [`Session`]: a client on a socket, optionally with simulated latency and loss.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ugas_core::catalog::Catalog;
use ugas_core::time::Time;
use ugas_net::message::ByeReason;
use ugas_net::{Client, ClientConfig, ClientEvent};
use ugas_netsim::link::{Conditions, Duplex};
use ugas_transport::{ClientSocket, ClientState, ConnectToken, Ending, Refusal};

use crate::names;
use crate::online::{self, JoinRequest};

/// How a session ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// The player left.
    Left,
    /// The server refused the player.
    Refused(String),
    /// The server closed it.
    Closed(String),
    /// The connection was lost or never established.
    Lost(String),
}

/// How a player was admitted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AccessKind {
    /// With an issued token.
    Token,
    /// By address alone, at a server without secrets.
    Open,
}

impl AccessKind {
    /// Message of a refusal. Without a token of the server, advice about tokens is left out.
    fn refused(self, refusal: Refusal) -> String {
        match self {
            Self::Token => refusal.to_string(),
            Self::Open => refusal.without_token().into_owned(),
        }
    }

    /// Message of the end of a connection. A token that the client issued itself expires when the server
    /// never answers, so that is what it says.
    fn ended(self, ending: Ending) -> String {
        match (self, ending) {
            // The self-issued token expired because the server never answered.
            (Self::Open, Ending::TokenExpired) => Ending::NoAnswer.to_string(),
            _ => ending.to_string(),
        }
    }
}

/// A client on a socket.
pub(super) struct Session {
    pub(super) client: Client,
    access: AccessKind,
    socket: ClientSocket,
    /// Simulated network conditions.
    link: Option<Duplex>,
    start: Instant,
    end: Option<End>,
}

impl Session {
    /// Begins to connect.
    ///
    /// # Errors
    /// If no socket can be bound.
    pub(super) fn begin(
        token: ConnectToken,
        access: AccessKind,
        catalog: Arc<Catalog>,
        request: &JoinRequest,
        conditions: Option<Conditions>,
    ) -> anyhow::Result<Self> {
        let config = ClientConfig { credential: request.to_bytes(), ..ClientConfig::default() };
        let nonce = online::random_number();
        Ok(Self {
            client: Client::new(catalog, config, nonce),
            access,
            socket: ClientSocket::connect(token)?,
            link: conditions.map(|conditions| Duplex::new(nonce, conditions)),
            start: Instant::now(),
            end: None,
        })
    }

    /// Time since the session began to connect.
    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Address of the server.
    pub(super) fn server(&self) -> String {
        self.socket.server_addr().to_string()
    }

    /// How the session ended; `None` while it lasts.
    pub(super) fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// Waits for datagrams, receives them, advances time, sends, and returns the events.
    ///
    /// # Errors
    /// If the socket fails.
    pub(super) fn pump(&mut self, wait: Duration) -> anyhow::Result<Vec<ClientEvent>> {
        if self.end.is_some() {
            return Ok(Vec::new());
        }
        self.socket.wait(wait)?;
        self.socket.poll(Instant::now())?;
        let now = self.now();
        self.receive(now);
        let state = self.socket.state();
        if state == ClientState::Connected {
            self.client.update(now);
            self.send(now);
        }
        let mut events = Vec::new();
        while let Some(event) = self.client.poll_event() {
            match &event {
                ClientEvent::Refused(reason) => self.finish(End::Refused(names::shown(&reason.to_string()))),
                ClientEvent::Disconnected(Some(ByeReason::TimedOut)) => {
                    self.finish(End::Lost(Ending::TimedOut.to_string()));
                }
                ClientEvent::Disconnected(Some(reason)) => self.finish(End::Closed(reason.to_string())),
                _ => {}
            }
            events.push(event);
        }
        match state {
            ClientState::Connecting | ClientState::Connected => {}
            ClientState::Refused(refusal) => self.finish(End::Refused(self.access.refused(refusal))),
            ClientState::Disconnected(Ending::ClosedByServer) => {
                self.finish(End::Closed(Ending::ClosedByServer.to_string()));
            }
            ClientState::Disconnected(ending) => self.finish(End::Lost(self.access.ended(ending))),
        }
        Ok(events)
    }

    /// Leaves, if the session has not ended.
    pub(super) fn leave(&mut self) {
        if self.end.is_some() {
            return;
        }
        self.client.leave();
        while let Some(bytes) = self.client.poll_transmit() {
            let _ = self.socket.send(&bytes);
        }
        self.socket.disconnect();
        self.finish(End::Left);
    }

    /// Notes how the session ended; the first reason counts.
    fn finish(&mut self, end: End) {
        self.end.get_or_insert(end);
    }

    /// Time since the session began, for client and link.
    fn now(&self) -> Time {
        online::time_since(self.start)
    }

    /// Delivers arrived datagrams to the client, through the simulated link if there is one.
    fn receive(&mut self, now: Time) {
        let Self { socket, link, client, .. } = self;
        while let Some(bytes) = socket.next_datagram() {
            match link {
                Some(link) => link.to_client.send(now, bytes),
                None => client.handle(now, bytes),
            }
        }
        // Once disconnected, the server's last messages are delivered without simulated delay.
        let is_connected = socket.state() == ClientState::Connected;
        let until = if is_connected { now } else { Time::MAX };
        while let Some(bytes) = link.as_mut().and_then(|link| link.to_client.receive(until)) {
            client.handle(now, &bytes);
        }
    }

    /// Sends what the client has queued, through the simulated link if there is one.
    fn send(&mut self, now: Time) {
        while let Some(bytes) = self.client.poll_transmit() {
            match &mut self.link {
                Some(link) => link.to_server.send(now, &bytes),
                // A datagram that cannot be sent counts as lost.
                None => drop(self.socket.send(&bytes)),
            }
        }
        while let Some(bytes) = self.link.as_mut().and_then(|link| link.to_server.receive(now)) {
            let _ = self.socket.send(&bytes);
        }
    }
}
