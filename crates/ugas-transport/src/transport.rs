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

    fn wait(&self, timeout: Duration) -> io::Result<bool> {
        Self::wait(self, timeout)
    }
}
