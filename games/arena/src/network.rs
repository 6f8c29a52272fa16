//! The game with others: one process decides, the others are windows on it.
//!
//! A host is a server without a picture in a thread of its own, and a guest of it: everybody plays over the network, so what
//! is felt by one is felt by all. The way to the server can be made worse on purpose.

mod bad_way;
mod guest;
mod host;

pub use bad_way::BadWay;
pub use guest::{GuestPlugin, guest, let_bots_play};
pub use host::{HostPlugin, PlayedBy, Serving, serve};

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};
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
    /// There is no such machine.
    #[error("{0} is no address that is known here: {1}")]
    Address(String, std::io::Error),
    /// The server does not get its address.
    #[error("the server cannot listen on {0}: {1}")]
    Listen(SocketAddr, std::io::Error),
}

/// The address that is meant by an address, a name, or one of them with a port: `192.168.0.7`, `localhost:9000`.
///
/// # Errors
/// If nobody knows the name.
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
    // Hosts listen on addresses of the older kind unless they are told otherwise.
    let preferred = addresses.iter().find(|address| address.is_ipv4()).or(addresses.first());
    let nobody = || failed(std::io::Error::new(std::io::ErrorKind::NotFound, "it has no address"));
    preferred.copied().ok_or_else(nobody)
}

/// A connection to an open server that plays by the same rules.
///
/// # Errors
/// If there can be none.
pub fn connect(pack: &Arc<Pack>, server: SocketAddr, peer: u64) -> Result<ClientSocket, NetworkError> {
    // A host that listens on all addresses is reached on this machine by the one that every machine has.
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
    fn addresses_and_names_are_understood() {
        let resolved = |text: &str| resolve(text).unwrap().to_string();
        assert_eq!(resolved("192.168.0.7:9000"), "192.168.0.7:9000");
        assert_eq!(resolved("192.168.0.7"), format!("192.168.0.7:{PORT}"));
        assert_eq!(resolved("[::1]:9000"), "[::1]:9000");
        assert_eq!(resolved("::1"), format!("[::1]:{PORT}"));
        assert_eq!(resolved("localhost:9000"), "127.0.0.1:9000");
        assert_eq!(resolved("localhost"), format!("127.0.0.1:{PORT}"));
        let told = resolve("no such machine").unwrap_err().to_string();
        assert!(told.starts_with("no such machine is no address that is known here"), "{told}");
        assert!(resolve("").is_err() && resolve("localhost:many").is_err());
    }
}
