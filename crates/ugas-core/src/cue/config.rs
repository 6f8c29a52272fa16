//! Configuration and counters of a cue manager.

use crate::time::Span;

/// Limits of a [`CueManager`](super::CueManager).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CueConfig {
    /// Maximum number of instances of all classes at the same time; 0 for no limit.
    pub max_active: u32,
    /// Maximum number of bursts that wait for their classes to load; more are dropped as late.
    pub max_waiting: u32,
    /// Maximum age of a cue when its class is loaded. An older burst is dropped; an older looping cue begins
    /// as for a late joiner.
    pub patience: Span,
    /// Maximum number of local executions remembered until the authority's own arrive; the oldest are
    /// forgotten first.
    pub max_predicted: u32,
}

impl Default for CueConfig {
    fn default() -> Self {
        Self { max_active: 256, max_waiting: 64, patience: Span::millis(500), max_predicted: 256 }
    }
}

/// Counters of a [`CueManager`](super::CueManager) since it was created.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CueCounts {
    /// Triggers that were not suppressed, with or without a class.
    pub triggers: u64,
    /// Instances that began to play.
    pub played: u64,
    /// Triggers for which no class is registered.
    pub unmatched: u64,
    /// Triggers that were suppressed.
    pub suppressed: u64,
    /// Duplicate triggers: predicted before, or added twice.
    pub doubled: u64,
    /// Executions that were merged into another of the same batch.
    pub merged: u64,
    /// Cues that were refused because the budget was used up.
    pub refused: u64,
    /// Instances that were evicted for a more important cue.
    pub evicted: u64,
    /// Bursts that were dropped because their class was loaded too late.
    pub late: u64,
    /// Cues whose class or instance was unavailable.
    pub unavailable: u64,
}
