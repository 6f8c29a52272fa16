//! Events, states and errors of sockets.

use crate::MAX_DATAGRAM_BYTES;
use crate::refusal::Refusal;

/// An event of a server's transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerEvent<'a> {
    /// A peer connected.
    Connected {
        /// The peer's number.
        peer: u64,
        /// The user data of its token.
        user_data: &'a [u8],
    },
    /// A datagram arrived. Datagrams may be lost or reordered, but are never forged or duplicated.
    Datagram {
        /// The sender.
        peer: u64,
        /// The content.
        bytes: &'a [u8],
    },
    /// A peer disconnected.
    Disconnected {
        /// The peer's number.
        peer: u64,
        /// Why it disconnected.
        reason: Departure,
    },
}

/// Why a peer disconnected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Departure {
    /// It closed the connection.
    Left,
    /// It sent nothing for too long.
    TimedOut,
    /// It connected again with another token; its new connection follows.
    Replaced,
    /// Another peer connected from its address and port; that peer's connection follows.
    AddressTaken,
    /// It did not join in time, or another took its place before it had joined
    /// ([`ServerConfig::join_within`](crate::ServerConfig::join_within)).
    NeverJoined,
}

/// Why a datagram was not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SendError {
    /// The peer is not connected.
    #[error("the peer is not connected")]
    NotConnected,
    /// The datagram has more than [`MAX_DATAGRAM_BYTES`].
    #[error("a datagram has at most {MAX_DATAGRAM_BYTES} bytes, not {0}: split it")]
    TooLong(usize),
}

/// The state of a client's connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientState {
    /// The server has not accepted it yet.
    Connecting,
    /// It can send and receive.
    Connected,
    /// The server refused it. Trying again needs a new socket, and in most cases a new token.
    Refused(Refusal),
    /// The connection ended.
    Disconnected(Ending),
}

/// How a client's connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Ending {
    /// The client closed it.
    #[error("the connection was closed")]
    Closed,
    /// The server closed it.
    #[error("the server closed the connection")]
    ClosedByServer,
    /// The server sent nothing for too long.
    #[error("the connection was lost: the server was silent for too long")]
    TimedOut,
    /// No server answered.
    #[error("the server does not answer: check the address, and that it is running")]
    NoAnswer,
    /// The token expired before a server accepted the client.
    #[error("the token expired before the server answered: ask for a new one")]
    TokenExpired,
}

/// A queued event of a server; its bytes are stored beside it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum QueuedEvent {
    Connected(u64),
    Datagram(u64),
    Disconnected(u64, Departure),
}

impl QueuedEvent {
    pub(crate) fn peer(self) -> u64 {
        match self {
            Self::Connected(peer) | Self::Datagram(peer) | Self::Disconnected(peer, _) => peer,
        }
    }

    /// Event for the caller, with the bytes that were queued with it.
    pub(crate) fn event(self, bytes: &[u8]) -> ServerEvent<'_> {
        match self {
            Self::Connected(peer) => ServerEvent::Connected { peer, user_data: bytes },
            Self::Datagram(peer) => ServerEvent::Datagram { peer, bytes },
            Self::Disconnected(peer, reason) => ServerEvent::Disconnected { peer, reason },
        }
    }
}
