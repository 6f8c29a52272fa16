//! The transport traits of servers and clients, so that the same loop runs over the network and in memory.

use std::io;
use std::time::{Duration, Instant};

use crate::client::ClientSocket;
use crate::event::{ClientState, SendError, ServerEvent};
use crate::server::ServerSocket;

/// A server's transport: poll it with the time, take the events, send.
pub trait ServerTransport {
    /// Receives, and handles timeouts.
    ///
    /// # Errors
    ///
    /// If the transport itself fails.
    fn poll(&mut self, now: Instant) -> io::Result<()>;

    /// Takes the oldest queued event; `None` if there is none. Call it until then after each poll.
    fn next_event(&mut self) -> Option<ServerEvent<'_>>;

    /// Sends a datagram, which may be lost.
    ///
    /// # Errors
    ///
    /// [`SendError`].
    fn send(&mut self, peer: u64, bytes: &[u8]) -> Result<(), SendError>;

    /// Disconnects a peer. No event is emitted, and its queued events are dropped.
    fn disconnect(&mut self, peer: u64);

    /// Marks a peer as joined; see [`ServerSocket::joined`]. Transports whose peers join by connecting do
    /// nothing.
    fn joined(&mut self, _peer: u64) {}

    /// Lets a peer return with a secret; see [`ServerSocket::let_return`]. Transports without secrets do
    /// nothing.
    fn let_return(&mut self, _peer: u64, _secret: [u8; 32]) {}

    /// Ends the right of a peer to return; see [`ServerSocket::forbid_return`].
    fn forbid_return(&mut self, _peer: u64) {}

    /// Waits until something arrives or the timeout passes; returns whether there is something to poll.
    ///
    /// # Errors
    ///
    /// If the transport itself fails.
    fn wait(&self, timeout: Duration) -> io::Result<bool>;
}

/// A client's transport: poll it with the time, take the datagrams, send.
pub trait ClientTransport {
    /// Receives, and handles timeouts.
    ///
    /// # Errors
    ///
    /// If the transport itself fails.
    fn poll(&mut self, now: Instant) -> io::Result<()>;

    /// Takes the oldest queued datagram; `None` if there is none. Call it until then after each poll.
    fn next_datagram(&mut self) -> Option<&[u8]>;

    /// Sends a datagram, which may be lost.
    ///
    /// # Errors
    ///
    /// [`SendError`].
    fn send(&mut self, bytes: &[u8]) -> Result<(), SendError>;

    /// The state of the connection, with the reason once it is refused or has ended.
    fn state(&self) -> ClientState;

    /// Ends the connection and informs the server. Nothing happens if it has ended.
    fn disconnect(&mut self);

    /// Opens a new connection of the same peer in place of this one, which ends without informing the server.
    /// `secret` is the peer's right to [return](ServerSocket::let_return); without it the client connects as
    /// it did first. By default the transport cannot do that.
    ///
    /// # Errors
    ///
    /// If no connection can be opened.
    fn reconnect(&mut self, secret: Option<[u8; 32]>) -> io::Result<()> {
        let _ = secret;
        Err(io::Error::new(io::ErrorKind::Unsupported, "this transport cannot connect again"))
    }

    /// Waits until something arrives or the timeout passes; returns whether there is something to poll.
    ///
    /// # Errors
    ///
    /// If the transport itself fails.
    fn wait(&self, timeout: Duration) -> io::Result<bool>;
}

impl ServerTransport for ServerSocket {
    fn poll(&mut self, now: Instant) -> io::Result<()> {
        Self::poll(self, now)
    }

    fn next_event(&mut self) -> Option<ServerEvent<'_>> {
        Self::next_event(self)
    }

    fn send(&mut self, peer: u64, bytes: &[u8]) -> Result<(), SendError> {
        Self::send(self, peer, bytes)
    }

    fn disconnect(&mut self, peer: u64) {
        Self::disconnect(self, peer);
    }

    fn joined(&mut self, peer: u64) {
        Self::joined(self, peer);
    }

    fn let_return(&mut self, peer: u64, secret: [u8; 32]) {
        Self::let_return(self, peer, secret);
    }

    fn forbid_return(&mut self, peer: u64) {
        Self::forbid_return(self, peer);
    }

    fn wait(&self, timeout: Duration) -> io::Result<bool> {
        Self::wait(self, timeout)
    }
}

impl ClientTransport for ClientSocket {
    fn poll(&mut self, now: Instant) -> io::Result<()> {
        Self::poll(self, now)
    }

    fn next_datagram(&mut self) -> Option<&[u8]> {
        Self::next_datagram(self)
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), SendError> {
        Self::send(self, bytes)
    }

    fn state(&self) -> ClientState {
        Self::state(self)
    }

    fn disconnect(&mut self) {
        Self::disconnect(self);
    }

    fn reconnect(&mut self, secret: Option<[u8; 32]>) -> io::Result<()> {
        Self::reconnect(self, secret)
    }

    fn wait(&self, timeout: Duration) -> io::Result<bool> {
        Self::wait(self, timeout)
    }
}
