//! Encrypted datagrams over UDP between a server and authenticated peers.
//!
//! Datagrams of at most [`MAX_DATAGRAM_BYTES`] go both ways. They may be lost or reordered, but are
//! encrypted, signed and never duplicated. Ordering, retransmission and acknowledgement are left to the layer
//! above. The protocol is [netcode 1.02](https://github.com/mas-bandwidth/netcode): clients are those of the crate
//! `renetcode`, the server's side is our own, because its handshakes must be bounded in number and time.
//!
//! - A peer connects with a [`ConnectToken`], which a [`TokenIssuer`] issues with the server's [`ServerKey`], on the server
//!   or elsewhere. It names the peer, the servers and its expiry, and carries user data. It is one line of text, for
//!   command lines and messages, and is accepted once.
//! - Other versions are refused: a [`ProtocolId`] combines the number of the wire format and the hash of the catalog.
//! - A refused client learns the reason ([`Refusal`]), and so does the operator ([`Statistics`]).
//! - Floods cost little: invalid packets are dropped unread, requests are rate-limited per address and in total
//!   ([`Limits`]), and no sender can make memory grow. Half-open handshakes end after seconds. Beyond its limits a
//!   server asks for a stateless cookie, so that forged source addresses do not lock out newcomers; and forged
//!   datagrams with the address of a peer cost that peer nothing.
//! - Keys can be rotated, peers and addresses banned, and used tokens remembered across restarts.
//! - A peer that lost its connection [returns](ServerSocket::let_return) with a secret that the server gave to it, also
//!   from another address and while its old connection is alive.
//! - Disconnect packets are sent several times, and again to peers that keep sending.
//! - Local play can do without secrets, if [`Access::OpenOnLoopback`] is chosen, which listens only on this machine.
//!
//! Sockets never block and have no threads: poll them with the time, take the events, send.
//! [`ServerTransport`] and [`ClientTransport`] are the interface that a game needs; [`memory`] implements it
//! without a network. [`ServerEndpoint`] and [`ClientEndpoint`] are the protocol without sockets and clocks, for simulated
//! networks and other sockets.
//!
//! ```
//! use std::time::{Duration, Instant};
//!
//! use ugas_transport::{
//!     Access, Admission, ClientSocket, ClientState, ConnectToken, ProtocolId, ServerConfig, ServerEvent, ServerKey,
//!     ServerSocket, TokenIssuer,
//! };
//!
//! // The number of the wire format and the hash of the rules.
//! let protocol = ProtocolId::of(1, 0x5eed);
//! let key = ServerKey::generate();
//! let listen = "127.0.0.1:0".parse()?;
//! let mut server = ServerSocket::bind(ServerConfig::new(listen, protocol, Access::Keyed(key.clone())))?;
//!
//! // The owner of the key issues a token for Ada, who is peer 7, and sends her a line of text.
//! let issuer = TokenIssuer::new(key, protocol);
//! let line = issuer.issue(&Admission::new(7, server.local_addr()).user_data("Ada"))?.to_text();
//!
//! let mut client = ClientSocket::connect(ConnectToken::from_text(&line)?)?;
//! let mut greeted = false;
//! let mut heard = None;
//! while heard.is_none() {
//!     client.poll(Instant::now())?;
//!     if client.state() == ClientState::Connected && !greeted {
//!         client.send(b"hello")?;
//!         greeted = true;
//!     }
//!     server.wait(Duration::from_millis(5))?;
//!     server.poll(Instant::now())?;
//!     while let Some(event) = server.next_event() {
//!         match event {
//!             ServerEvent::Connected { peer, user_data } => assert_eq!((peer, user_data), (7, &b"Ada"[..])),
//!             ServerEvent::Datagram { peer: 7, bytes } => heard = Some(bytes.to_vec()),
//!             _ => {}
//!         }
//!     }
//! }
//! assert_eq!(heard.unwrap(), b"hello");
//! let statistics = server.shut_down();
//! assert_eq!(statistics.connected, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Formats
//!
//! | item | bytes |
//! |---|---|
//! | packets | those of netcode 1.02; a datagram has an overhead of at most 25 bytes |
//! | notice of refusal | `0f`, `UGAS`, the number of the [`Refusal`], the 24 bytes of nonce of the request that is refused |
//! | cookie | `0f`, `UGAS`, `00`, the nonce of the request, 16 bytes, which the client appends to its request |
//! | token | `01`, the public token of netcode with the peer's number before it, XXH3 (64 bits) of all that, little-endian |
//! | token as text | `ugas-token-1.` and the token in base64 for addresses (RFC 4648, section 5), without padding |
//! | user data in a token | length (1 byte), the peer (8 bytes, little-endian), the data, zeros up to 256 bytes |
//! | key as text | `ugas-key-1.` and 32 bytes in the same base64 |
//! | returning token | a token whose nonce begins with the peer (8 bytes, little-endian), sealed with the peer's secret |
//! | [`ProtocolId`] | XXH3 (64 bits) of `ugas`, the protocol (4 bytes), the catalog's hash (8 bytes), little-endian |
//!
//! # Limits
//!
//! The transport does not hide who talks to whom, when and how much. Every holder of a token can connect as
//! its peer. A restarted server remembers used tokens only if its owner stores them
//! ([`ServerSocket::take_used_tokens`]).
#![forbid(unsafe_code)]

mod bans;
mod client;
mod client_endpoint;
mod clock;
mod config;
mod cookie;
mod crypto;
mod disconnects;
mod endpoint;
mod event;
mod handshake;
mod inbox;
mod key;
pub mod memory;
mod outbox;
mod packet;
mod peer;
mod protocol;
mod rate;
mod refusal;
mod replay_window;
mod request;
mod returns;
mod server;
mod sockets;
mod statistics;
mod text;
mod token;
mod transport;
mod used_tokens;
mod wire;

pub use bans::{BanList, BannedNetwork, NotANetwork};
pub use client::ClientSocket;
pub use client_endpoint::ClientEndpoint;
pub use config::{Access, BindError, Buffers, Limits, MAX_CLIENTS, MAX_SOCKETS, ServerConfig};
pub use endpoint::ServerEndpoint;
pub use event::{ClientState, Departure, Ending, SendError, ServerEvent};
pub use key::{KeyError, ServerKey};
pub use protocol::ProtocolId;
pub use rate::{Network, Rate};
pub use refusal::Refusal;
pub use server::ServerSocket;
pub use statistics::Statistics;
pub use token::{
    Admission, ConnectToken, MAX_LIFE, MAX_SERVERS, MAX_TIMEOUT, MAX_USER_DATA_BYTES, TokenError, TokenIssuer,
};
pub use transport::{ClientTransport, ServerTransport};
pub use used_tokens::UsedToken;

/// 32 unpredictable bytes from the system's random source, for secrets.
#[must_use]
pub fn random_bytes() -> [u8; 32] {
    renetcode::generate_random_bytes()
}

/// Maximum length of a datagram in bytes. With all headers it fits into the minimum MTU of IPv6, 1,280 bytes.
pub const MAX_DATAGRAM_BYTES: usize = 1200;
