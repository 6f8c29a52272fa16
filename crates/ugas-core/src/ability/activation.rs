//! Activations: one run of an ability, with everything that its tasks remember (A5).

use std::sync::Arc;

use smallvec::SmallVec;

use super::gameplay_event::GameplayEvent;
use super::granted::Parameters;
use super::stamp::Aim;
use crate::codec::{plain_enum, plain_struct};
use crate::effect::PredictionKey;
use crate::handle::{AbilityHandle, ActiveEffectId, ControllerId, TaskId};
use crate::id::{AbilityId, TagId};
use crate::targeting::TargetData;
use crate::time::{Span, Time};

/// Why an activation ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EndReason {
    /// Its last task was done, or one said so.
    Completed,
    /// It was activated again, and begins anew.
    Retriggered,
    /// One of its tasks said so.
    CancelledByTask,
    /// A call cancelled it.
    Cancelled,
    /// An ability that was activated cancels abilities with its tags (A4).
    CancelledByAbility(AbilityHandle),
    /// An effect cancels abilities with its tags, or granted a tag that this one is cancelled by (A4).
    CancelledByTag(TagId),
    /// The tag that keeps it active is gone (A7).
    TriggerGone(TagId),
    /// The owner died (§8.6).
    OwnerDied,
    /// It could not commit.
    CommitFailed,
    /// A task could not be carried out.
    TaskFailed,
    /// The player or the host declined.
    Declined,
    /// The ability was taken away, or its owner ceased to exist.
    Revoked,
    /// The owner has another avatar, and what the ability requires no longer holds (§4.3).
    PossessionChanged,
    /// Its tasks went on without end (E12).
    OutOfBudget,
    /// The rules were reloaded, and its tasks are others now.
    Reloaded,
}

impl EndReason {
    /// Whether the ability was cancelled, rather than done.
    pub fn is_cancel(self) -> bool {
        !matches!(self, Self::Completed | Self::Retriggered)
    }
}

/// A branch of a running program: where it is, and what it waits for.
#[derive(PartialEq, Debug)]
pub(crate) struct Thread {
    pub(crate) id: u32,
    /// The branch that waits for it.
    pub(crate) parent: Option<u32>,
    /// The step it is at.
    pub(crate) step: u32,
    pub(crate) status: ThreadStatus,
    /// Rounds of the loops it is in, the innermost last: step, round, beginning of the round.
    pub(crate) rounds: SmallVec<[Round; 1]>,
    /// Set while it reacts to a tag, so that a cancellation by that tag lets it finish first.
    pub(crate) reacting: bool,
    /// The event and targets that this branch received last, if another branch may have received others since (A10).
    pub(crate) context: Option<Arc<BranchContext>>,
}

/// The event and targets that the tasks of a branch act on.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct BranchContext {
    pub(crate) event: Option<GameplayEvent>,
    pub(crate) targets: TargetData,
    pub(crate) chosen: bool,
}

impl Thread {
    pub(crate) fn new(id: u32, parent: Option<u32>, step: u32) -> Self {
        let rounds = SmallVec::new();
        let status = ThreadStatus::Running;
        Self { id, parent, step, status, rounds, reacting: false, context: None }
    }

    /// Whether it goes on by itself.
    pub(crate) fn is_busy(&self) -> bool {
        matches!(self.status, ThreadStatus::Running | ThreadStatus::Yielding)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ThreadStatus {
    /// It goes on as soon as it can.
    Running,
    /// It goes on after all that its last step led to.
    Yielding,
    /// A task of its own holds it.
    Waiting(TaskId),
    /// So many branches hold it.
    Joining(u32),
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Round {
    pub(crate) step: u32,
    pub(crate) left: Option<u32>,
    pub(crate) interval: Span,
    pub(crate) began: Time,
}

/// One run of an ability.
#[derive(PartialEq, Debug)]
pub struct Activation {
    pub(crate) granted: AbilityHandle,
    pub(crate) ability: AbilityId,
    pub(crate) controller: ControllerId,
    pub(crate) level: u32,
    /// Order of its beginning.
    pub(crate) sequence: u64,
    pub(crate) started: Time,
    pub(crate) targets: Aim,
    /// The targets that it began with, if a task or an event has replaced them (A11).
    pub(crate) first_targets: Option<Arc<TargetData>>,
    /// Whether a task has chosen the targets: then nobody is nobody, and not "whoever is nearest".
    pub(crate) chosen: bool,
    /// The event that triggered it, or that a task awaited last (A11).
    pub(crate) event: Option<GameplayEvent>,
    /// The branch whose context `event`, `targets` and `chosen` are, if it has one of its own.
    pub(crate) context_of: Option<u32>,
    /// The tag whose presence keeps it active (A7).
    pub(crate) while_tag: Option<TagId>,
    pub(crate) prediction: Option<PredictionKey>,
    pub(crate) paid: bool,
    pub(crate) cooling: bool,
    /// The cooldown that it began last (A12). Not hashed: states of older versions do not have it.
    pub(crate) cooldown: Option<ActiveEffectId>,
    pub(crate) ending: bool,
    /// The effect that grants the owned tags (§8.4).
    pub(crate) owned_tags: Option<ActiveEffectId>,
    /// What its tasks left for later ones.
    pub(crate) parameters: Parameters,
    /// Effects that its tasks applied under a name, by the position of the name.
    pub(crate) applied: SmallVec<[(u16, ActiveEffectId); 1]>,
    /// Cues of its owner that its tasks added.
    pub(crate) cues: SmallVec<[TagId; 1]>,
    /// Internal effects that hold cues of others, which its tasks added.
    pub(crate) placed_cues: SmallVec<[ActiveEffectId; 1]>,
    /// Key of its random stream (V5), and how much was drawn.
    pub(crate) stream: u64,
    pub(crate) draws: u64,
    /// Room for a race of three without allocating.
    pub(crate) threads: SmallVec<[Thread; 4]>,
    pub(crate) next_thread: u32,
    /// Waits whose branches carry out what follows them: those of loops (A9) and those that happen again (A10).
    pub(crate) standing: SmallVec<[TaskId; 1]>,
}

impl Activation {
    /// The granted ability.
    pub fn granted(&self) -> AbilityHandle {
        self.granted
    }

    /// Its definition.
    pub fn ability(&self) -> AbilityId {
        self.ability
    }

    /// Whose it is.
    pub fn controller(&self) -> ControllerId {
        self.controller
    }

    /// The level it runs at: the one that the ability had when it was activated.
    pub fn level(&self) -> u32 {
        self.level
    }

    /// When it began.
    pub fn started(&self) -> Time {
        self.started
    }

    /// Its targets.
    pub fn targets(&self) -> &TargetData {
        &self.targets
    }

    /// The targets that it began with.
    pub fn first_targets(&self) -> &TargetData {
        self.first_targets.as_deref().unwrap_or(&self.targets)
    }

    /// Replaces its targets, and keeps those that it began with.
    pub(crate) fn replace_targets(&mut self, targets: TargetData) {
        if self.first_targets.is_none() {
            self.first_targets = Some(Arc::new(TargetData::clone(&self.targets)));
        }
        self.targets = targets.into();
    }

    /// The event that triggered it, or that a task of it awaited last.
    pub fn event(&self) -> Option<&GameplayEvent> {
        self.event.as_ref()
    }

    /// Whether it has committed, at least in part.
    pub fn is_committed(&self) -> bool {
        self.paid || self.cooling
    }

    /// The effect that grants the owned tags.
    pub fn owned_tags(&self) -> Option<ActiveEffectId> {
        self.owned_tags
    }

    /// The prediction it belongs to.
    pub fn prediction(&self) -> Option<PredictionKey> {
        self.prediction
    }

    /// Looping cues of its owner that its tasks added.
    pub fn cues(&self) -> &[TagId] {
        &self.cues
    }

    /// The tasks that it waits for.
    pub fn tasks(&self) -> impl Iterator<Item = TaskId> + '_ {
        self.threads.iter().filter_map(|thread| match thread.status {
            ThreadStatus::Waiting(task) => Some(task),
            ThreadStatus::Running | ThreadStatus::Yielding | ThreadStatus::Joining(_) => None,
        })
    }

    /// Every task of the run, standing waits included.
    pub(crate) fn all_tasks(&self) -> impl Iterator<Item = TaskId> + '_ {
        self.tasks().chain(self.standing.iter().copied())
    }

    pub(crate) fn thread(&self, id: u32) -> Option<&Thread> {
        self.threads.iter().find(|thread| thread.id == id)
    }

    pub(crate) fn thread_mut(&mut self, id: u32) -> Option<&mut Thread> {
        self.threads.iter_mut().find(|thread| thread.id == id)
    }
}

plain_enum!(ThreadStatus { 0 => Running, 1 => Waiting(task), 2 => Joining(branches), 3 => Yielding });
plain_struct!(Round { step, left, interval, began });
plain_struct!(BranchContext { event, targets, chosen });
plain_struct!(cloned Thread { id, parent, step, status, rounds, reacting, context: since 4 });
plain_struct!(cloned Activation {
    granted,
    ability,
    controller,
    level,
    sequence,
    started,
    targets,
    first_targets: since 4,
    chosen,
    event,
    context_of: since 4,
    while_tag,
    prediction,
    paid,
    cooling,
    cooldown: unhashed_since 4,
    ending,
    owned_tags,
    parameters,
    applied,
    cues,
    placed_cues: since 4,
    stream,
    draws,
    threads,
    next_thread,
    standing: since 4,
});
