//! What sockets tell their owners.

use crate::MAX_DATAGRAM_BYTES;
use crate::refusal::Refusal;

/// What happened at a server's socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerEvent<'a> {
    /// A peer is connected; `user_data` are those that its token was issued with.
    Connected {
        /// Who.
        peer: u64,
        /// What its token says about it.
        user_data: &'a [u8],
    },
    /// A datagram came. Datagrams may be lost and overtake each other, but are never forged, and never come twice.
    Datagram {
        /// From whom.
        peer: u64,
        /// As it was sent.
        bytes: &'a [u8],
    },
    /// A peer is gone.
    Disconnected {
        /// Who.
        peer: u64,
        /// Why.
        reason: Departure,
    },
}

/// Why a peer is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Departure {
    /// It said goodbye.
    Left,
    /// It was silent for too long.
    TimedOut,
    /// It came again with another token, and its new connection follows.
    Replaced,
}

/// Why a datagram was not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SendError {
    /// There is nobody to send it to.
    #[error("the peer is not connected")]
    NotConnected,
    /// It has more than [`MAX_DATAGRAM_BYTES`].
    #[error("a datagram has at most {MAX_DATAGRAM_BYTES} bytes, not {0}: split it")]
    TooLong(usize),
}

/// How far a client is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientState {
    /// It has not been let in yet.
    Connecting,
    /// It can send and receive.
    Connected,
    /// It was not let in. Trying again needs a new socket, and in most cases a new token.
    Refused(Refusal),
    /// It is not connected any more.
    Disconnected(Ending),
}

/// How a client's connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Ending {
    /// The client itself said goodbye.
    #[error("the connection was closed")]
    Closed,
    /// The server said goodbye.
    #[error("the server closed the connection")]
    ClosedByServer,
    /// The server fell silent.
    #[error("the connection was lost: the server was silent for too long")]
    TimedOut,
    /// No server ever answered.
    #[error("the server does not answer: check the address, and that it is running")]
    NoAnswer,
    /// The token expired before a server let the client in.
    #[error("the token expired before the server answered: ask for a new one")]
    TokenExpired,
}

/// What is kept of an event of a server until it is asked for; bytes are kept beside it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum News {
    Connected(u64),
    Datagram(u64),
    Disconnected(u64, Departure),
}

impl News {
    pub(crate) fn peer(self) -> u64 {
        match self {
            Self::Connected(peer) | Self::Datagram(peer) | Self::Disconnected(peer, _) => peer,
        }
    }

    pub(crate) fn event(self, bytes: &[u8]) -> ServerEvent<'_> {
        match self {
            Self::Connected(peer) => ServerEvent::Connected { peer, user_data: bytes },
            Self::Datagram(peer) => ServerEvent::Datagram { peer, bytes },
            Self::Disconnected(peer, reason) => ServerEvent::Disconnected { peer, reason },
        }
    }
}
