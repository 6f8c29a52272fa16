//! Networking for UGAS, without sockets and clocks: replication, prediction with replay, and authority (§13).
#![forbid(unsafe_code)]

mod client;
mod lens;
pub mod limits;
pub mod message;
mod replica;
mod rig;
mod server;
mod tick;

pub use client::{ActError, Client, ClientConfig, ClientEvent, ClientStatistics, Prediction};
pub use lens::{AttributeRule, Lens, LensId, Own, TagRule};
pub use rig::{Rig, Seat};
pub use server::{
    AfterDeadline, AfterRejection, Defaults, Host, PeerId, Reach, Server, ServerConfig, ServerEvent, ServerStatistics,
    Transmit, within_range,
};
pub use tick::{Tick, TickLength};
