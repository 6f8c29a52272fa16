//! `tracing` output: events as structured records, one target per category: `ugas::effect`, `ugas::ability`,
//! …
//!
//! Compiled in with the feature `tracing` only. An event without a subscriber is not formatted.

use super::{Category, EventRef};
use crate::simulation::Simulation;

/// Emits an event as a `tracing` record.
pub(crate) fn log(event: EventRef<'_>, simulation: &Simulation) {
    macro_rules! record {
        ($level:ident, $target:literal) => {
            if tracing::enabled!(target: $target, tracing::Level::$level) {
                tracing::event!(
                    target: $target,
                    tracing::Level::$level,
                    sequence = event.sequence,
                    time = event.time.as_seconds(),
                    operation = event.cause.operation,
                    kind = event.kind.name(),
                    "{}",
                    event.describe(simulation)
                );
            }
        };
    }
    match event.kind.category() {
        Category::Controller => record!(DEBUG, "ugas::controller"),
        Category::Attribute => record!(TRACE, "ugas::attribute"),
        Category::Tag => record!(TRACE, "ugas::tag"),
        Category::Effect => record!(DEBUG, "ugas::effect"),
        Category::Ability => record!(DEBUG, "ugas::ability"),
        Category::Task => record!(DEBUG, "ugas::task"),
        Category::Input => record!(TRACE, "ugas::input"),
        Category::Cue => record!(TRACE, "ugas::cue"),
        Category::Error => record!(WARN, "ugas::error"),
    }
}
