//! Simulated networks for tests and demonstrations of [`ugas_net`], without sockets and clocks.
//!
//! - [`link`]: a link between two peers with latency, jitter, loss, reordering, duplication and limited capacity.
//! - [`Rig`]: a server and its clients in one process, connected by such links.
//! - [`soak`]: whole matches of bots under faults and cheats, with the checks that every match must pass.
#![forbid(unsafe_code)]

pub mod link;
mod rig;
pub mod soak;

pub use rig::{Rig, Seat};
