//! Scenes: prepared simulations with one operation, shared by the lines of the table and the instruction
//! counts. Each checks its results when it is created.

mod abilities;
mod area;
mod auras;
mod damage;
mod hash;
mod record;
mod rollback;

pub(crate) use abilities::{Answer, COST, MANA, Questions, Refused};
pub(crate) use area::Area;
pub(crate) use auras::{Auras, LEAD, POWER as FOLLOWER_POWER, SHARE};
pub(crate) use damage::{AMOUNT, ARMOR, Damage, Formula, HEALTH, POWER};
pub(crate) use hash::Hashed;
pub(crate) use record::{KEY_EVERY, Match, recorded_match};
pub(crate) use rollback::Rollback;
