//! Networking for UGAS, without sockets and clocks: replication, prediction with replay, and authority (§13).
//!
//! - What peers say to each other: [`message`], within [`limits`]; ticks are [`Tick`]s of a [`TickLength`].
//! - What both need to talk over a network that loses things: [`packets`] (which arrived), [`rate`] (how much may go, and
//!   what first).
//! - For the client: [`clock`] (which tick it is), [`smoothing`] (what to draw).
//! - For the server: [`schedule`] (who is told how often, §13.6), [`history`] (where everybody was, §13.7).
//! - For tests and demonstrations: [`link`], a simulated network.
#![forbid(unsafe_code)]

pub mod clock;
pub mod history;
pub mod limits;
pub mod link;
pub mod message;
pub mod packets;
pub mod rate;
pub mod schedule;
pub mod smoothing;
mod tick;

pub use tick::{Tick, TickLength};
