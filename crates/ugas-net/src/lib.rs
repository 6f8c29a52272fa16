//! Networking for UGAS, without sockets and clocks: replication, prediction with replay, and authority (§13).
#![forbid(unsafe_code)]

pub mod limits;
pub mod clock;
pub mod link;
pub mod message;
pub mod packets;
pub mod rate;
mod tick;

pub use tick::{Tick, TickLength};
