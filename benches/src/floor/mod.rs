//! Floors: each rule hand-written for one case, without any generality, as the best that a machine can do.
//! Plain floors raise fewer events than the rules ask for; semantic floors raise the same as ours.

mod combat;
pub(crate) mod events;
mod memory;
mod modifiers;
pub(crate) mod roster;
pub(crate) mod semantic;
mod wheel;

pub(crate) use combat::{Buffs, Combat};
pub(crate) use memory::{Copies, live_bytes};
pub(crate) use modifiers::{Derived, Modifiers};
pub(crate) use wheel::Wheel;
