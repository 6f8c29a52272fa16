//! Networking for UGAS, without sockets and clocks: replication, prediction with replay, and authority (§13).
//!
//! - Messages: [`message`], within [`limits`]; ticks are [`Tick`]s of a [`TickLength`].
//! - Both sides: [`packets`] (acknowledgements), [`rate`] (rate limits, bandwidth and priorities).
//! - Client: [`clock`] (which tick it is), [`smoothing`] (values to draw).
//! - Server: [`schedule`] (update frequencies, §13.6), [`history`] (past positions for lag compensation,
//!   §13.7).
//!
//! The crate `ugas-netsim` has simulated links and whole matches under faults and cheats, for tests.
#![forbid(unsafe_code)]

pub mod bits;
mod client;
pub mod clock;
#[cfg(feature = "fault-points")]
pub mod fault_points;
#[cfg(not(feature = "fault-points"))]
mod fault_points;
pub mod history;
pub mod limits;
pub mod message;
pub mod packets;
pub mod quantise;
pub mod rate;
pub mod reconnect;
mod round_trip;
pub mod schedule;
mod server;
pub mod smoothing;
mod sorted_set;
mod tick;
mod versioned_view;
mod visibility;
pub mod wire;

pub use client::{ActError, Client, ClientConfig, ClientEvent, ClientStatistics, Prediction};
pub use server::{
    AfterDeadline, AfterRejection, Defaults, Host, KickReason, PeerId, Reach, Server, ServerConfig,
    ServerEvent, ServerStatistics, Transmit, within_range,
};
pub use tick::{Tick, TickLength};
pub use visibility::{AttributeRule, Ownership, TagRule, Visibility, VisibilityId};
