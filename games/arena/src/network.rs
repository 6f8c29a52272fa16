//! The game with others: one process decides, the others are windows on it.
//!
//! A host is a server without a picture in a thread of its own, and a guest of it: everybody plays over the network, so what
//! is felt by one is felt by all. The way to the server can be made worse on purpose.

mod bad_way;
mod guest;
mod host;

pub use bad_way::BadWay;
pub use guest::GuestPlugin;
pub use host::{HostPlugin, PlayedBy, Serving, serve};

use std::net::SocketAddr;
use std::sync::Arc;

use bevy_ugas::data::Pack;
use bevy_ugas::net::protocol::message::PROTOCOL;
use bevy_ugas::net::transport::{Admission, ClientSocket, ConnectToken, ProtocolId};

/// Where a host listens unless it is told otherwise.
pub const PORT: u16 = 8428;

/// Why there is no game with others.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// No token could be made.
    #[error("no way to {0}: {1}")]
    Token(SocketAddr, String),
    /// The system gives no socket.
    #[error("no socket to {0}: {1}")]
    Socket(SocketAddr, std::io::Error),
    /// The server does not listen.
    #[error("the server does not listen on {0}: another one may")]
    Listen(SocketAddr),
}

/// A connection to an open server that plays by the same rules.
///
/// # Errors
/// If there can be none.
pub fn connect(pack: &Arc<Pack>, server: SocketAddr, peer: u64) -> Result<ClientSocket, NetworkError> {
    let protocol = ProtocolId::of(PROTOCOL, pack.catalog.hash());
    let token = ConnectToken::without_secrets(protocol, &Admission::new(peer, server));
    let token = token.map_err(|error| NetworkError::Token(server, error.to_string()))?;
    ClientSocket::connect(token).map_err(|error| NetworkError::Socket(server, error))
}
