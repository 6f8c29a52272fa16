//! Limits of a cue manager, and what it counts.

use crate::time::Span;

/// Limits and patience of a [`CueManager`](super::CueManager).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CueConfig {
    /// The most instances at the same time, of all classes together; 0 is no limit.
    pub max_active: u32,
    /// The most bursts that wait for their classes to be loaded; those beyond are dropped as late.
    pub max_waiting: u32,
    /// How old a cue may be when its class is loaded at last. An older burst is dropped, and an older looping cue begins
    /// as for somebody who joins late.
    pub patience: Span,
    /// The most local executions remembered until the authority's own arrive; the oldest are forgotten first.
    pub max_predicted: u32,
}

impl Default for CueConfig {
    fn default() -> Self {
        Self { max_active: 256, max_waiting: 64, patience: Span::millis(500), max_predicted: 256 }
    }
}

/// What a [`CueManager`](super::CueManager) did and did not do, since it was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CueCounts {
    /// Triggers that were let through, with or without a class for them.
    pub triggers: u64,
    /// Instances that began to play.
    pub played: u64,
    /// Triggers for which no class is registered.
    pub unmatched: u64,
    /// Triggers that were suppressed.
    pub suppressed: u64,
    /// Triggers that were there already: predicted before, or added twice.
    pub doubled: u64,
    /// Executions that were merged into another of the same batch.
    pub merged: u64,
    /// Cues that found no place in the budget.
    pub refused: u64,
    /// Instances that gave way to something more important.
    pub evicted: u64,
    /// Bursts that were dropped because their class was loaded too late.
    pub late: u64,
    /// Cues whose class or instance could not be had.
    pub unavailable: u64,
}
