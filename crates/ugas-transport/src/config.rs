//! [`ServerConfig`] and its parts.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use crate::key::ServerKey;
use crate::protocol::ProtocolId;
use crate::rate::Rate;

/// Maximum number of peers of a server.
pub const MAX_CLIENTS: u16 = 1024;

/// Maximum number of sockets of a server.
pub const MAX_SOCKETS: u16 = 32;

/// Which clients a server accepts.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Access {
    /// Clients with a token that was issued with this key. More keys can be added by
    /// [`ServerSocket::set_keys`](crate::ServerSocket::set_keys).
    Keyed(ServerKey),
    /// Everybody on this machine, without secrets: for local play, tests and bots. A client may claim to be
    /// any peer.
    OpenOnLoopback,
    /// Everybody who can reach the server, without secrets: an eavesdropper can read and forge everything.
    OpenToNetwork,
}

/// Sizes of the system's buffers of a socket, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffers {
    /// Datagrams that were received and not read. At 60 polls a second, 512 clients fill about 1 MB between two
    /// polls, with the system's own data.
    pub receive: usize,
    /// Datagrams that were sent and are not on their way.
    pub send: usize,
}

impl Default for Buffers {
    fn default() -> Self {
        Self { receive: 4 << 20, send: 4 << 20 }
    }
}

/// A server's address, protocol, access and limits.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServerConfig {
    /// Address to listen at; port 0 takes any free port.
    pub listen: SocketAddr,
    /// The protocol that clients must use.
    pub protocol: ProtocolId,
    /// Which clients are accepted.
    pub access: Access,
    /// Addresses by which clients reach the server, if they differ from `listen`: tokens must name one of
    /// them. Needed if `listen` is the unspecified address, or behind NAT.
    pub public_addresses: Vec<SocketAddr>,
    /// Maximum number of joined peers, at most [`MAX_CLIENTS`].
    pub max_clients: u16,
    /// Time in which a connected peer must join; `None` if peers join by connecting.
    pub join_timeout: Option<Duration>,
    /// Rate and queue limits.
    pub limits: Limits,
    /// Sizes to ask the system for.
    pub buffers: Buffers,
    /// Number of sockets, at most [`MAX_SOCKETS`].
    pub sockets: u16,
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
            join_timeout: None,
            limits: Limits::default(),
            buffers: Buffers::default(),
            sockets: 1,
        }
    }

    /// Sets the maximum number of peers at a time; [`bind`](crate::ServerSocket::bind) refuses 0 and more
    /// than netcode allows.
    #[must_use]
    pub fn max_clients(mut self, max_clients: u16) -> Self {
        self.max_clients = max_clients;
        self
    }

    /// Lets connected peers join within a time: the game says who has joined, by
    /// [`ServerSocket::joined`](crate::ServerSocket::joined). Others are disconnected after the time, take no
    /// place of players, and make room for newcomers if there are more than
    /// [`Limits::waiting_peers`] of them.
    #[must_use]
    pub fn join_within(mut self, time: Duration) -> Self {
        self.join_timeout = Some(time);
        self
    }

    /// Adds an address by which clients reach the server.
    #[must_use]
    pub fn reached_at(mut self, address: SocketAddr) -> Self {
        self.public_addresses.push(address);
        self
    }

    /// Sets the limits on requests and datagrams, which protect from floods.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the sizes of the system's buffers. [`ServerSocket::buffers`](crate::ServerSocket::buffers) says what
    /// the system allowed.
    #[must_use]
    pub fn buffers(mut self, buffers: Buffers) -> Self {
        self.buffers = buffers;
        self
    }

    /// Sets the number of sockets of [`ServerSocket`](crate::ServerSocket). Each of several has its own
    /// buffers, a thread that receives and one that sends, so that the system's work for datagrams is done on
    /// other cores than the game. Only on Unix (`SO_REUSEPORT`). Use it if a server with many clients has free
    /// cores and the thread of the game is busy; with few clients, it costs more than it saves.
    #[must_use]
    pub fn sockets(mut self, sockets: u16) -> Self {
        self.sockets = sockets;
        self
    }

    /// Checks the settings before the socket is opened. Without secrets a server must be on loopback or
    /// explicitly open; with a key it must know its public address.
    pub(crate) fn check(&self) -> Result<(), BindError> {
        if !(1..=MAX_CLIENTS).contains(&self.max_clients) {
            return Err(BindError::MaxClients(self.max_clients));
        }
        if !(1..=MAX_SOCKETS).contains(&self.sockets) {
            return Err(BindError::Sockets(self.sockets));
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

/// Limits beyond which a server drops datagrams unread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connection requests of one address (IPv6: of one /64 network). A client sends four a second. Requests
    /// with and without a cookie count separately; requests over the limit are answered with a cookie, which
    /// costs no decryption and no memory.
    pub requests_per_address: Rate,
    /// Connection requests of all addresses; each costs the server some microseconds. Requests with and
    /// without a cookie count separately, so that forged addresses cannot lock out newcomers.
    pub requests_in_all: Rate,
    /// Cookies sent to all addresses.
    pub cookies_in_all: Rate,
    /// Maximum number of handshakes of one address that have not been completed. They end after 5 seconds.
    /// Clients on this machine are exempt.
    pub handshakes_per_address: u16,
    /// Maximum number of handshakes that have not been completed; half of them are for requests with a cookie.
    pub handshakes_in_all: u16,
    /// Maximum number of connections of one address. Clients on this machine are exempt.
    pub peers_per_address: u16,
    /// Maximum number of connected peers that have not joined ([`ServerConfig::join_within`]); beyond it the
    /// oldest is disconnected.
    pub waiting_peers: u16,
    /// Datagrams of one connected peer. Only authentic ones count: forged ones cost the peer nothing.
    pub datagrams_per_peer: Rate,
    /// Maximum number of datagrams read in one poll, so that a flood cannot stall the game.
    pub datagrams_per_poll: u32,
    /// Maximum number of queued datagrams; more stay in the system's buffer, which drops the excess.
    pub waiting_datagrams: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            requests_per_address: Rate::new(64, 128),
            requests_in_all: Rate::new(2000, 2000),
            cookies_in_all: Rate::new(20_000, 5_000),
            handshakes_per_address: 16,
            handshakes_in_all: 4096,
            peers_per_address: 16,
            waiting_peers: 64,
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
    /// Binding the address failed.
    #[error("cannot listen on {address}")]
    Io {
        /// The requested address.
        address: SocketAddr,
        /// The system's error.
        source: io::Error,
    },
    /// A server without secrets must listen on loopback, unless [`Access::OpenToNetwork`] is chosen.
    #[error(
        "{0} is reachable from other machines: a server without a key must listen on 127.0.0.1 or [::1]; give it a key"
    )]
    NotLoopback(SocketAddr),
    /// Tokens name servers by address, and the server has no public address.
    #[error(
        "{0} stands for every address of this machine: name the public address by which clients reach the server"
    )]
    NoPublicAddress(SocketAddr),
    /// The maximum number of peers is out of range.
    #[error("the number of clients must be from 1 to {MAX_CLIENTS}, not {0}")]
    MaxClients(u16),
    /// The number of sockets is out of range.
    #[error("the number of sockets must be from 1 to {MAX_SOCKETS}, not {0}")]
    Sockets(u16),
}
