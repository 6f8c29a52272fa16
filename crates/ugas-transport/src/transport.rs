//! What servers and clients need of a transport, so that the same loop runs over the network and in memory.

use std::io;
use std::time::{Duration, Instant};

use crate::client::ClientSocket;
use crate::event::{ClientState, SendError, ServerEvent};
use crate::server::ServerSocket;

/// A server's end: poll it with the time, take what happened, send.
pub trait ServerTransport {
    /// Receives, and does what time asks for.
    ///
    /// # Errors
    ///
    /// If the transport itself fails.
    fn poll(&mut self, now: Instant) -> io::Result<()>;

    /// The oldest event that has not been taken.
    fn next_event(&mut self) -> Option<ServerEvent<'_>>;

    /// Sends a datagram, which may be lost.
    ///
    /// # Errors
    ///
    /// [`SendError`].
    fn send(&mut self, peer: u64, bytes: &[u8]) -> Result<(), SendError>;

    /// Ends a connection. There is no event of it, and what waits of the peer is forgotten.
    fn disconnect(&mut self, peer: u64);

    /// Waits until something comes or the time is over. Says whether polling is worth while.
    ///
    /// # Errors
    ///
    /// If the transport itself fails.
    fn wait(&self, timeout: Duration) -> io::Result<bool>;
}

/// A client's end: poll it with the time, take what came, send.
pub trait ClientTransport {
    /// Receives, and does what time asks for.
    ///
    /// # Errors
    ///
    /// If the transport itself fails.
    fn poll(&mut self, now: Instant) -> io::Result<()>;

    /// The oldest datagram that has not been taken.
    fn next_datagram(&mut self) -> Option<&[u8]>;

    /// Sends a datagram, which may be lost.
    ///
    /// # Errors
    ///
    /// [`SendError`].
    fn send(&mut self, bytes: &[u8]) -> Result<(), SendError>;

    /// How far it is.
    fn state(&self) -> ClientState;

    /// Says goodbye.
    fn disconnect(&mut self);

    /// Waits until something comes or the time is over. Says whether polling is worth while.
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
