//! What a machine can do at best: each rule written by hand for one case, with no generality at all.

mod combat;
mod memory;
mod modifiers;
mod wheel;

pub(crate) use combat::{Buffs, Combat};
pub(crate) use memory::{Copies, live_bytes};
pub(crate) use modifiers::{Derived, Modifiers};
pub(crate) use wheel::Wheel;
