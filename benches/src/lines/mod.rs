//! The lines of the table, one module per subject.

mod ability;
mod auras;
mod check;
mod damage;
mod dependencies;
mod effects;
mod files;
mod load;
mod modifiers;
mod network;
mod population;
mod questions;
mod record;
mod rollback;
mod state;
mod sweep;
mod tags;

pub(crate) use dependencies::{Shape, shapes};
#[cfg(feature = "peers")]
pub(crate) use network::Change;
pub(crate) use network::Trace;
pub(crate) use state::crowd;

use crate::line::Line;
use crate::measure::Effort;

/// A group of lines, and how to measure them.
pub(crate) type Group = (&'static str, fn(Effort) -> Vec<Line>);

/// Every group, in the order of the table of goals.
pub(crate) const GROUPS: [Group; 28] = [
    ("modifiers", modifiers::measure),
    ("dependencies", dependencies::measure),
    ("auras", auras::measure),
    ("instant", effects::instant),
    ("damage", damage::computed),
    ("hit", damage::conditions),
    ("area", damage::area),
    ("duration", effects::duration),
    ("periodic", effects::periodic),
    ("idle", population::idle),
    ("tags", tags::measure),
    ("ability", ability::measure),
    ("ready", questions::ready),
    ("refused", questions::refused),
    ("spawn", population::spawn),
    ("snapshot", state::snapshot),
    ("memory", state::memory),
    ("encode", network::encode),
    ("bytes-moba", network::moba),
    ("bytes-players", network::players),
    ("bytes-raid", network::raid),
    ("server", network::server),
    ("rollback", rollback::measure),
    ("record", record::measure),
    ("check", check::measure),
    ("load", load::measure),
    ("parallel", population::parallel),
    ("sweep", sweep::measure),
];
