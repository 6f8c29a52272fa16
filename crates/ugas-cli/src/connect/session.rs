//! A client on a socket, perhaps with a worse network in between than there is.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ugas_core::catalog::Catalog;
use ugas_core::time::Time;
use ugas_net::link::{Conditions, Duplex};
use ugas_net::message::ByeReason;
use ugas_net::{Client, ClientConfig, ClientEvent};
use ugas_transport::{ClientSocket, ClientState, ConnectToken, Ending, Refusal};

use crate::online::{self, Introduction};

/// How a session ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// The player left.
    Left,
    /// The server did not let the player in.
    Refused(String),
    /// The server ended it.
    Closed(String),
    /// The connection broke, or never was.
    Lost(String),
}

/// By what right a player comes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Entry {
    /// With a token that somebody issued.
    Token,
    /// By an address alone, as to a server without secrets.
    Openly,
}

impl Entry {
    /// Why somebody is refused who came like this.
    fn refused(self, refusal: Refusal) -> String {
        match self {
            Self::Token => refusal.to_string(),
            Self::Openly => refusal.without_token().into_owned(),
        }
    }

    fn ended(self, ending: Ending) -> String {
        match (self, ending) {
            // There was no token to expire: all the time that there is went by.
            (Self::Openly, Ending::TokenExpired) => Ending::NoAnswer.to_string(),
            _ => ending.to_string(),
        }
    }
}

/// A client on a socket.
pub(super) struct Session {
    pub(super) client: Client,
    entry: Entry,
    socket: ClientSocket,
    /// The simulated part of the way.
    link: Option<Duplex>,
    start: Instant,
    end: Option<End>,
}

impl Session {
    /// Begins to connect.
    ///
    /// # Errors
    /// If the system gives no socket.
    pub(super) fn begin(
        token: ConnectToken,
        entry: Entry,
        catalog: Arc<Catalog>,
        introduction: &Introduction,
        conditions: Option<Conditions>,
    ) -> anyhow::Result<Self> {
        let config = ClientConfig { credential: introduction.to_bytes(), ..ClientConfig::default() };
        let nonce = online::drawn_number();
        Ok(Self {
            client: Client::new(catalog, config, nonce),
            entry,
            socket: ClientSocket::connect(token)?,
            link: conditions.map(|conditions| Duplex::new(nonce, conditions)),
            start: Instant::now(),
            end: None,
        })
    }

    /// Since when it tries or plays.
    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// The server.
    pub(super) fn server(&self) -> String {
        self.socket.server_addr().to_string()
    }

    /// How it ended, if it did.
    pub(super) fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// Waits for datagrams for a moment, takes them, lets time pass, sends, and hands on what happened.
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
                ClientEvent::Refused(reason) => self.finish(End::Refused(reason.to_string())),
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
            ClientState::Refused(refusal) => self.finish(End::Refused(self.entry.refused(refusal))),
            ClientState::Disconnected(Ending::ClosedByServer) => {
                self.finish(End::Closed(Ending::ClosedByServer.to_string()));
            }
            ClientState::Disconnected(ending) => self.finish(End::Lost(self.entry.ended(ending))),
        }
        Ok(events)
    }

    /// Leaves, if there is anything to leave.
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

    fn finish(&mut self, end: End) {
        self.end.get_or_insert(end);
    }

    fn now(&self) -> Time {
        online::time_since(self.start)
    }

    fn receive(&mut self, now: Time) {
        let Self { socket, link, client, .. } = self;
        while let Some(bytes) = socket.next_datagram() {
            match link {
                Some(link) => link.to_client.send(now, bytes),
                None => client.handle(now, bytes),
            }
        }
        // What a server says last is not worth waiting for once it is gone.
        let is_connected = socket.state() == ClientState::Connected;
        let until = if is_connected { now } else { Time::MAX };
        while let Some(bytes) = link.as_mut().and_then(|link| link.to_client.receive(until)) {
            client.handle(now, &bytes);
        }
    }

    fn send(&mut self, now: Time) {
        while let Some(bytes) = self.client.poll_transmit() {
            match &mut self.link {
                Some(link) => link.to_server.send(now, &bytes),
                // What is not sent is lost, as on any network.
                None => drop(self.socket.send(&bytes)),
            }
        }
        while let Some(bytes) = self.link.as_mut().and_then(|link| link.to_server.receive(now)) {
            let _ = self.socket.send(&bytes);
        }
    }
}
