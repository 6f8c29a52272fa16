//! Networking for UGAS, without sockets and clocks: replication, prediction with replay, and authority (§13).
#![forbid(unsafe_code)]

pub mod bits;
pub mod limits;
pub mod message;
pub mod quantise;
mod tick;
pub mod wire;

pub use tick::{Tick, TickLength};
