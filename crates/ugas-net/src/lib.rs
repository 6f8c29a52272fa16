//! Networking for UGAS, without sockets and clocks: replication, prediction with replay, and authority (§13).
//!
//! - Messages: [`message`], within [`limits`]; ticks are [`Tick`]s of a [`TickLength`].
//! - Both sides: [`packets`] (acknowledgements), [`rate`] (rate limits, bandwidth and priorities).
//! - Client: [`clock`] (which tick it is), [`smoothing`] (values to draw).
//! - Server: [`schedule`] (update frequencies, §13.6), [`history`] (past positions for lag compensation,
//!   §13.7).
//! - Tests and demonstrations: [`link`], a simulated network; [`soak`], whole matches under faults and
//!   cheats.
#![forbid(unsafe_code)]

pub mod bits;
mod client;
pub mod clock;
pub mod history;
pub mod limits;
pub mod link;
pub mod message;
pub mod packets;
pub mod quantise;
pub mod rate;
mod rig;
pub mod schedule;
mod server;
pub mod smoothing;
pub mod soak;
mod tick;
mod versioned_view;
mod visibility;
pub mod wire;

pub use client::{ActError, Client, ClientConfig, ClientEvent, ClientStatistics, Prediction};
pub use rig::{Rig, Seat};
pub use server::{
    AfterDeadline, AfterRejection, Defaults, Host, PeerId, Reach, Server, ServerConfig, ServerEvent,
    ServerStatistics, Transmit, within_range,
};
pub use tick::{Tick, TickLength};
pub use visibility::{AttributeRule, Ownership, TagRule, Visibility, VisibilityId};
