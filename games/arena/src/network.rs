//! Multiplayer: one process is the server, the others are its clients.
//!
//! A host runs a server without rendering in a thread, and joins it as a client: all players use the network,
//! so all have the same experience. Latency and loss can be simulated.

mod guest;
mod host;
mod simulated_link;

pub use guest::{GuestPlugin, guest, let_bots_play};
pub use host::{HostPlugin, PlayedBy, ServerThread, serve};
pub use simulated_link::SimulatedLink;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;

use bevy_ugas::data::Pack;
use bevy_ugas::net::protocol::message::PROTOCOL;
use bevy_ugas::net::transport::{Admission, ClientSocket, ConnectToken, ProtocolId};

/// Default port of a host.
pub const PORT: u16 = 8428;

/// Error of hosting or joining a match.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// No connect token could be created.
    #[error("cannot create a connect token for {0}: {1}")]
    Token(SocketAddr, String),
    /// No socket could be opened.
    #[error("cannot open a socket to {0}: {1}")]
    Socket(SocketAddr, std::io::Error),
    /// A name could not be resolved.
    #[error("cannot resolve {0}: {1}")]
    Address(String, std::io::Error),
    /// The server could not bind its address.
    #[error("the server cannot listen on {0}: {1}")]
    Listen(SocketAddr, std::io::Error),
}

/// Resolves an address or a name, with an optional port: `192.168.0.7`, `localhost:9000`.
///
/// # Errors
/// If the name cannot be resolved.
pub fn resolve(text: &str) -> Result<SocketAddr, NetworkError> {
    if let Ok(address) = text.parse::<SocketAddr>() {
        return Ok(address);
    }
    if let Ok(address) = text.parse::<IpAddr>() {
        return Ok(SocketAddr::new(address, PORT));
    }
    let found = match text.contains(':') {
        true => text.to_socket_addrs(),
        false => (text, PORT).to_socket_addrs(),
    };
    let failed = |error| NetworkError::Address(text.to_owned(), error);
    let addresses: Vec<SocketAddr> = found.map_err(failed)?.collect();
    // Hosts listen on IPv4 by default.
    let preferred = addresses.iter().find(|address| address.is_ipv4()).or(addresses.first());
    let not_found = || failed(std::io::Error::new(std::io::ErrorKind::NotFound, "it has no address"));
    preferred.copied().ok_or_else(not_found)
}

/// Connects to an open server with the same rules.
///
/// # Errors
/// If the connection cannot be created.
pub fn connect(pack: &Arc<Pack>, server: SocketAddr, peer: u64) -> Result<ClientSocket, NetworkError> {
    // A host that listens on all addresses is reached on this machine by the loopback address.
    let ip = match server.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    let server = SocketAddr::new(ip, server.port());
    let protocol = ProtocolId::of(PROTOCOL, pack.catalog.hash());
    let token = ConnectToken::without_secrets(protocol, &Admission::new(peer, server));
    let token = token.map_err(|error| NetworkError::Token(server, error.to_string()))?;
    ClientSocket::connect(token).map_err(|error| NetworkError::Socket(server, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolve_accepts_addresses_and_names_with_optional_port() {
        let resolved = |text: &str| resolve(text).unwrap().to_string();
        assert_eq!(resolved("192.168.0.7:9000"), "192.168.0.7:9000");
        assert_eq!(resolved("192.168.0.7"), format!("192.168.0.7:{PORT}"));
        assert_eq!(resolved("[::1]:9000"), "[::1]:9000");
        assert_eq!(resolved("::1"), format!("[::1]:{PORT}"));
        assert_eq!(resolved("localhost:9000"), "127.0.0.1:9000");
        assert_eq!(resolved("localhost"), format!("127.0.0.1:{PORT}"));
        let error = resolve("no such machine").unwrap_err().to_string();
        assert!(error.starts_with("cannot resolve no such machine"), "{error}");
        assert!(resolve("").is_err() && resolve("localhost:many").is_err());
    }
}
