//! Networking for UGAS, without sockets and clocks: replication, prediction with replay, and authority (§13).
//!
//! - What peers say to each other: [`message`], within [`limits`]; ticks are [`Tick`]s of a [`TickLength`].
//! - What both need to talk over a network that loses things: [`packets`] (which arrived), [`rate`] (how much may go, and
//!   what first).
//! - For the client: [`clock`] (which tick it is), [`smoothing`] (what to draw).
//! - For the server: [`schedule`] (who is told how often, §13.6), [`history`] (where everybody was, §13.7).
//! - For tests and demonstrations: [`link`], a simulated network; [`soak`], whole matches under faults and cheats.
#![forbid(unsafe_code)]

pub mod bits;
mod client;
pub mod clock;
pub mod history;
mod lens;
pub mod limits;
pub mod link;
pub mod message;
pub mod packets;
pub mod quantise;
pub mod rate;
mod replica;
mod rig;
pub mod schedule;
mod server;
pub mod smoothing;
pub mod soak;
mod tick;
pub mod wire;

pub use client::{ActError, Client, ClientConfig, ClientEvent, ClientStatistics, Prediction};
pub use lens::{AttributeRule, Lens, LensId, Own, TagRule};
pub use rig::{Rig, Seat};
pub use server::{
    AfterDeadline, AfterRejection, Defaults, Host, PeerId, Reach, Server, ServerConfig, ServerEvent,
    ServerStatistics, Transmit, within_range,
};
pub use tick::{Tick, TickLength};
