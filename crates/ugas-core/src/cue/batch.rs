//! Batches of executed cues (GASD §4.8.7): the eight pellets of a shotgun merge into one impact.

use super::context::CueContext;

/// Executions waiting for the end of a batch.
#[derive(Default)]
pub(super) struct Batch {
    /// Nesting depth; only the outermost batch counts.
    depth: u32,
    /// Collected executions, in the order in which each was first executed.
    waiting: Vec<CueContext>,
}

impl Batch {
    pub(super) fn is_open(&self) -> bool {
        self.depth > 0
    }

    /// Opens a batch inside any that is open.
    pub(super) fn begin(&mut self) {
        self.depth = self.depth.saturating_add(1);
    }

    /// Ends a batch; returns whether it was the outermost.
    pub(super) fn end(&mut self) -> bool {
        let was_open = self.is_open();
        self.depth = self.depth.saturating_sub(1);
        was_open && !self.is_open()
    }

    /// Collects an execution; returns whether it was merged into one of the same cue, target and source.
    pub(super) fn collect(&mut self, context: CueContext) -> bool {
        let same = |other: &&mut CueContext| {
            (other.target, other.cue, other.source()) == (context.target, context.cue, context.source())
        };
        match self.waiting.iter_mut().find(same) {
            Some(first) => {
                first.count = first.count.saturating_add(context.count);
                first.magnitude += context.magnitude;
                true
            }
            None => {
                self.waiting.push(context);
                false
            }
        }
    }

    /// Removes and returns the first waiting execution that `wanted` accepts.
    pub(super) fn take(&mut self, wanted: impl Fn(&CueContext) -> bool) -> Option<CueContext> {
        let at = self.waiting.iter().position(wanted)?;
        Some(self.waiting.remove(at))
    }

    /// Removes and returns all executions.
    pub(super) fn take_all(&mut self) -> Vec<CueContext> {
        core::mem::take(&mut self.waiting)
    }
}
