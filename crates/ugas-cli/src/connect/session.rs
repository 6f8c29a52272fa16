//! [`Session`]: a client on a socket, which reconnects, optionally with simulated latency and loss.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ugas_core::catalog::Catalog;
use ugas_core::time::{Span, Time};
use ugas_net::message::ByeReason;
use ugas_net::reconnect::{
    ConnectionState, LinkState, ReconnectAction, ReconnectConfig, ReconnectFailure, Reconnector,
};
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
    reconnector: Reconnector,
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
        reconnect: Duration,
        conditions: Option<Conditions>,
    ) -> anyhow::Result<Self> {
        let deadline = Span::seconds(reconnect.as_secs_f64());
        let config =
            ClientConfig { credential: request.to_bytes(), resume_time: deadline, ..ClientConfig::default() };
        let usual = ReconnectConfig::default();
        let attempts = if reconnect.is_zero() { 0 } else { usual.attempts };
        let nonce = online::random_number();
        Ok(Self {
            client: Client::new(catalog, config, nonce),
            access,
            socket: ClientSocket::connect(token)?,
            reconnector: Reconnector::new(ReconnectConfig { attempts, deadline, ..usual }, nonce),
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

    /// State of the connection.
    pub(super) fn connection(&self) -> &ConnectionState {
        self.reconnector.state()
    }

    /// Time until the next attempt to reconnect; zero while one is made.
    pub(super) fn until(&self, next_try: Time) -> Span {
        next_try.since(self.now()).max(Span::ZERO)
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
        self.reconnect(now)?;
        if self.socket.state() == ClientState::Connected {
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
        Ok(events)
    }

    /// Opens another connection if the present one is lost and it is time to. Notes the end of the session if
    /// there is no hope.
    fn reconnect(&mut self, now: Time) -> anyhow::Result<()> {
        let state = self.socket.state();
        let why = match state {
            ClientState::Connecting | ClientState::Connected => String::new(),
            ClientState::Refused(refusal) => self.access.refused(refusal),
            ClientState::Disconnected(ending) => self.access.ended(ending),
        };
        let link = match state {
            ClientState::Connecting => LinkState::Connecting,
            ClientState::Connected => LinkState::Connected,
            ClientState::Refused(refusal) if refusal.is_temporary() => LinkState::Busy(&why),
            ClientState::Refused(_) => LinkState::Refused(&why),
            ClientState::Disconnected(_) => LinkState::Lost(&why),
        };
        if let Some(ReconnectAction::Open { with_secret }) =
            self.reconnector.poll(now, link, &mut self.client)
        {
            let secret = self.client.resume_secret().filter(|_| with_secret);
            self.socket.reconnect(secret.map(|secret| secret.0))?;
        }
        if let ConnectionState::Failed(failure) = self.reconnector.state() {
            let end = match (failure, state) {
                (ReconnectFailure::Lost(_), ClientState::Refused(_)) => End::Refused(why),
                (ReconnectFailure::Lost(_), ClientState::Disconnected(Ending::ClosedByServer)) => {
                    End::Closed(why)
                }
                (ReconnectFailure::Lost(why), _) => End::Lost(why.clone()),
                (failure, _) => End::Lost(failure.to_string()),
            };
            self.finish(end);
        }
        Ok(())
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
