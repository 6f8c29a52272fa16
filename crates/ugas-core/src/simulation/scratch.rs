//! Working memory of operations: what runs now and what is pending, empty between calls, and memory for reuse (I6).

use super::calculate::Marks;
use super::cascade::Cascade;
use super::dependencies::SearchMemory;
use super::flush::PendingValues;
use super::op::{Current, Op};
use super::propose::Proposal;
use crate::ability::RefusedActivation;
use crate::event::{ArcPool, CueDetails};
use crate::id::TagId;
use crate::refusal::Refusal;
use crate::targeting::SelectionBuffers;

/// Working memory of the running operation.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    pub(super) current: Current,
    pub(super) cascade: Cascade,
    pub(super) pending: PendingValues,
    pub(super) buffers: Buffers,
    pub(super) shared: SharedPayloads,
}

/// Buffers of single steps.
#[derive(Clone, Debug, Default)]
pub(super) struct Buffers {
    /// Writes of the running execution.
    pub(super) proposal: Proposal,
    /// Context tags that the first tick of the instance being applied marked (E14).
    pub(super) marks: Marks,
    /// Tags that a change of counts added or removed.
    pub(super) crossed: Vec<TagId>,
    /// Memory of target selections.
    pub(super) selection: SelectionBuffers,
    /// Memory of the search for cycles of live magnitudes (B6).
    pub(super) search: SearchMemory,
}

/// Contents of recent events, shared between equal ones.
#[derive(Clone, Debug, Default)]
pub(super) struct SharedPayloads {
    pub(super) refused_effects: ArcPool<Refusal>,
    pub(super) refused_abilities: ArcPool<RefusedActivation>,
    /// Contexts of cue events.
    pub(super) cue_details: ArcPool<CueDetails>,
}

impl Scratch {
    /// Whether no event is pending and no queued instance waits for its turn.
    #[inline]
    pub(super) fn has_nothing_queued(&self) -> bool {
        let Self { pending, cascade, .. } = self;
        (pending.changes.len() | pending.cues.len() | cascade.begins.len()) == 0
    }

    /// Whether consequences, values or events are pending.
    #[inline]
    pub(super) fn has_work(&self) -> bool {
        let PendingValues { dirty, refresh, changes, cues, .. } = &self.pending;
        (dirty.len() | refresh.len() | changes.len() | cues.len()) != 0 || !self.cascade.is_empty()
    }

    /// Forgets the step that runs now: its origin, its execution and the context tags of its first tick.
    pub(super) fn end_step(&mut self) {
        self.current.set_op(Op::default());
        self.buffers.clear();
    }

    /// Clears everything and keeps the allocated memory (I6), when another state is restored or installed.
    pub(super) fn reset(&mut self) {
        let Self { current, cascade, pending, buffers, shared: _ } = self;
        current.reset();
        cascade.clear();
        pending.clear();
        buffers.clear();
    }
}

impl Buffers {
    fn clear(&mut self) {
        self.proposal.clear();
        self.marks.clear();
        self.crossed.clear();
    }
}
