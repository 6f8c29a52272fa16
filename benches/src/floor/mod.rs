//! Floors: each rule hand-written for one case, without any generality, as the best that a machine can do.

mod combat;
mod memory;
mod modifiers;
mod wheel;

pub(crate) use combat::{Buffs, Combat};
pub(crate) use memory::{Copies, live_bytes};
pub(crate) use modifiers::{Derived, Modifiers};
pub(crate) use wheel::Wheel;
