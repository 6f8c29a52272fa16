//! How a server is set up.

use std::io;
use std::net::SocketAddr;

use crate::key::ServerKey;
use crate::protocol::ProtocolId;
use crate::rate::Rate;

/// Places that a server can have.
pub const MAX_CLIENTS: u16 = 1024;

/// Whom a server lets in.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Access {
    /// Who shows a token that was issued with this key.
    Keyed(ServerKey),
    /// Everybody on this machine, without secrets: for local play, tests and bots. Anybody may say to be any peer.
    OpenOnLoopback,
    /// Everybody who can reach the server, without secrets: whoever listens can read and forge everything.
    OpenToNetwork,
}

/// A server's address, protocol, places and limits.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServerConfig {
    /// Where to listen; port 0 takes any that is free.
    pub listen: SocketAddr,
    /// What clients must speak.
    pub protocol: ProtocolId,
    /// Whom to let in.
    pub access: Access,
    /// Addresses by which clients reach the server, if they differ from `listen`: tokens must name one of them. Needed where
    /// `listen` is every address of the machine, or a router translates.
    pub public_addresses: Vec<SocketAddr>,
    /// Peers at a time, at most [`MAX_CLIENTS`].
    pub max_clients: u16,
    /// What is put up with.
    pub limits: Limits,
}

impl ServerConfig {
    /// A server for 64 peers with the usual limits.
    #[must_use]
    pub fn new(listen: SocketAddr, protocol: ProtocolId, access: Access) -> Self {
        Self {
            listen,
            protocol,
            access,
            public_addresses: Vec::new(),
            max_clients: 64,
            limits: Limits::default(),
        }
    }

    /// With other places.
    #[must_use]
    pub fn max_clients(mut self, max_clients: u16) -> Self {
        self.max_clients = max_clients;
        self
    }

    /// With one more address by which clients reach the server.
    #[must_use]
    pub fn reached_at(mut self, address: SocketAddr) -> Self {
        self.public_addresses.push(address);
        self
    }

    /// With other limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    pub(crate) fn check(&self) -> Result<(), BindError> {
        if !(1..=MAX_CLIENTS).contains(&self.max_clients) {
            return Err(BindError::MaxClients(self.max_clients));
        }
        match self.access {
            Access::OpenOnLoopback if !self.listen.ip().is_loopback() => {
                Err(BindError::NotLoopback(self.listen))
            }
            Access::Keyed(_) if self.listen.ip().is_unspecified() && self.public_addresses.is_empty() => {
                Err(BindError::NoPublicAddress(self.listen))
            }
            _ => Ok(()),
        }
    }
}

/// What a server puts up with before it drops datagrams unread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Attempts to connect from one address (of version 6: from one network of 64 bits). A client asks four times a second.
    pub requests_per_address: Rate,
    /// Attempts to connect in all; each costs the server some microseconds.
    pub requests_in_all: Rate,
    /// Datagrams of one connected peer.
    pub datagrams_per_peer: Rate,
    /// Datagrams read in one poll, so that a flood cannot hold up the game.
    pub datagrams_per_poll: u32,
    /// Datagrams that wait to be asked for; the rest waits in the system, which drops what is too much.
    pub waiting_datagrams: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            requests_per_address: Rate::new(64, 128),
            requests_in_all: Rate::new(2000, 2000),
            datagrams_per_peer: Rate::new(500, 500),
            datagrams_per_poll: 8192,
            waiting_datagrams: 8192,
        }
    }
}

/// Why a server cannot listen.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BindError {
    /// The system does not give the address.
    #[error("cannot listen on {address}")]
    Io {
        /// Where to listen.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
    /// A server without secrets is only for this machine, unless one asks for more by name.
    #[error(
        "{0} can be reached from elsewhere: a server without secrets listens on 127.0.0.1 or [::1]; give it a key"
    )]
    NotLoopback(SocketAddr),
    /// Tokens name servers by address, and this one has not said which are its own.
    #[error("{0} is every address of this machine: say by which of them clients reach the server")]
    NoPublicAddress(SocketAddr),
    /// No places, or too many.
    #[error("a server has 1 to {MAX_CLIENTS} places, not {0}")]
    MaxClients(u16),
}
