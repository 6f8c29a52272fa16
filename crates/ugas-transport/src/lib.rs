//! Encrypted datagrams over UDP between a server and the peers it lets in.
//!
//! Datagrams of at most [`MAX_DATAGRAM_BYTES`] go both ways; they may be lost and overtake each other, but nobody can read or
//! forge them, and none comes twice. Order, repetition and acknowledgement are the business of whoever uses it. The protocol is
//! [netcode 1.02](https://github.com/mas-bandwidth/netcode) of the crate `renetcode`.
//!
//! - A server refuses strangers: a peer shows a [`ConnectToken`] that was issued with the server's [`ServerKey`] by a
//!   [`TokenIssuer`], on the server or elsewhere. It names the peer, the servers, when it expires, and carries data of the game.
//!   It is one line of text, for command lines and messages, and lets in once.
//! - Other versions stay outside: a [`ProtocolId`] is made of the number of the wire format and the hash of the catalog.
//! - Whoever is not let in learns why ([`Refusal`]), and so does the operator ([`Statistics`]).
//! - Floods cost little: what is no packet of the protocol is dropped unread, requests are limited by address and in all
//!   ([`Limits`]), and no sender can make memory grow.
//! - Goodbyes are said several times, and again to whoever has not heard them.
//! - For local play there is a way without secrets, which has to be asked for by name ([`Access::OpenOnLoopback`]) and listens
//!   only on this machine.
//!
//! Sockets never block and have no threads: poll them with the time, take what happened, send. [`ServerTransport`] and
//! [`ClientTransport`] are all that a game needs of them; [`memory`] is the same without a network.
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
//! // Whoever has the key lets Ada in as peer 7, and sends her a line of text.
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
//! | what | bytes |
//! |---|---|
//! | packets | those of netcode 1.02; a datagram costs at most 25 bytes more than it holds |
//! | notice of refusal | `0f`, `UGAS`, the number of the [`Refusal`], the 24 bytes of nonce of the request that is refused |
//! | token | `01`, the public token of netcode with the peer's number before it, XXH3 (64 bits) of all that, little-endian |
//! | token as text | `ugas-token-1.` and the token in base64 for addresses (RFC 4648, section 5), without padding |
//! | user data in a token | length (1 byte), the peer (8 bytes, little-endian), the data, zeros up to 256 bytes |
//! | key as text | `ugas-key-1.` and 32 bytes in the same base64 |
//! | [`ProtocolId`] | XXH3 (64 bits) of `ugas`, the protocol (4 bytes), the catalog's hash (8 bytes), little-endian |
//!
//! # Limits
//!
//! What it does not do: it does not hide who talks to whom, when and how much; whoever holds a token is its peer; and a server
//! that starts again does not remember which tokens were used before, so let them expire soon.
#![forbid(unsafe_code)]

mod client;
mod clock;
mod config;
mod event;
mod farewell;
mod inbox;
mod key;
mod ledger;
pub mod memory;
mod packet;
mod peer;
mod protocol;
mod rate;
mod refusal;
mod seal;
mod server;
mod statistics;
mod text;
mod token;
mod transport;
mod wire;

pub use client::ClientSocket;
pub use config::{Access, BindError, Limits, MAX_CLIENTS, ServerConfig};
pub use event::{ClientState, Departure, Ending, SendError, ServerEvent};
pub use key::{KeyError, ServerKey};
pub use protocol::ProtocolId;
pub use rate::Rate;
pub use refusal::Refusal;
pub use server::ServerSocket;
pub use statistics::Statistics;
pub use token::{
    Admission, ConnectToken, MAX_LIFE, MAX_SERVERS, MAX_TIMEOUT, MAX_USER_DATA_BYTES, TokenError, TokenIssuer,
};
pub use transport::{ClientTransport, ServerTransport};

/// What a datagram may hold. With all headers it fits into the 1,280 bytes that every network of version 6 carries whole.
pub const MAX_DATAGRAM_BYTES: usize = 1200;
