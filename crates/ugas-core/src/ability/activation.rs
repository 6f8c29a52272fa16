//! Activations: one run of a granted ability, with the state of its tasks (A5).

use std::sync::Arc;

use smallvec::SmallVec;

use super::context::ActivationTargets;
use super::gameplay_event::GameplayEvent;
use super::granted::{Parameters, parameter};
use crate::codec::{FieldClone, StateRecord};
use crate::effect::PredictionKey;
use crate::expr::names::{EVENT_MAGNITUDE, EVENT_PAYLOAD};
use crate::handle::{ActiveEffectId, ControllerId, GrantedAbilityId, TaskId};
use crate::id::{AbilityId, TagId};
use crate::targeting::TargetData;
use crate::time::{Span, Time};

/// Why an activation ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EndReason {
    /// Its last task finished, or a task ended it.
    Completed,
    /// It was activated again and restarts.
    Retriggered,
    /// One of its tasks cancelled it.
    CancelledByTask,
    /// A call cancelled it.
    Cancelled,
    /// An activated ability cancels abilities with one of its tags (A4).
    CancelledByAbility(GrantedAbilityId),
    /// An effect cancels abilities with one of its tags, or grants a tag that cancels it (A4).
    CancelledByTag(TagId),
    /// The tag that keeps it active is gone (A7).
    TriggerGone(TagId),
    /// The owner died (§8.6).
    OwnerDied,
    /// It could not commit.
    CommitFailed,
    /// A task could not be executed.
    TaskFailed,
    /// The player or the host declined.
    Declined,
    /// The ability was revoked, or its owner despawned.
    Revoked,
    /// The owner got another avatar, and the requirements of the ability no longer hold (§4.3).
    PossessionChanged,
    /// Its tasks exceeded the cascade limit (E12).
    OutOfBudget,
    /// A reload changed its tasks.
    Reloaded,
}

impl EndReason {
    /// Whether the ability was cancelled rather than completed.
    pub fn is_cancel(self) -> bool {
        !matches!(self, Self::Completed | Self::Retriggered)
    }
}

/// A branch of a running program: its step and what it waits for.
#[derive(PartialEq, Debug, FieldClone, StateRecord)]
pub(crate) struct Branch {
    pub(crate) id: u32,
    /// The branch that waits for this one.
    pub(crate) parent: Option<u32>,
    /// Index of the current step.
    pub(crate) step: u32,
    pub(crate) status: BranchStatus,
    /// Rounds of the enclosing loops, the innermost last.
    pub(crate) rounds: SmallVec<[Round; 1]>,
    /// Set while it reacts to a tag, so that a cancellation by that tag lets it finish first.
    pub(crate) reacting: bool,
    /// The event and targets that this branch received last, if another branch may have received others since (A10).
    #[state(since = 4)]
    pub(crate) context: Option<Arc<BranchContext>>,
}

/// The event and targets that the tasks of a branch act on.
#[derive(Clone, PartialEq, Debug, Default, StateRecord)]
pub(crate) struct BranchContext {
    pub(crate) event: Option<GameplayEvent>,
    pub(crate) targets: TargetData,
    pub(crate) chosen: bool,
}

impl Branch {
    /// A running branch at `step`, without rounds of loops and without its own context.
    pub(crate) fn new(id: u32, parent: Option<u32>, step: u32) -> Self {
        let rounds = SmallVec::new();
        let status = BranchStatus::Running;
        Self { id, parent, step, status, rounds, reacting: false, context: None }
    }

    /// Whether it continues without waiting for a task or a branch.
    pub(crate) fn is_busy(&self) -> bool {
        matches!(self.status, BranchStatus::Running | BranchStatus::Yielding)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, StateRecord)]
pub(crate) enum BranchStatus {
    /// It continues as soon as it can.
    Running,
    /// It continues after the consequences of its last step.
    #[state(tag = 3)]
    Yielding,
    /// It waits for one of its own tasks.
    #[state(tag = 1)]
    Waiting(TaskId),
    /// It waits for this number of branches.
    Joining(u32),
}

#[derive(Clone, Copy, PartialEq, Debug, StateRecord)]
pub(crate) struct Round {
    pub(crate) step: u32,
    pub(crate) left: Option<u32>,
    pub(crate) interval: Span,
    pub(crate) began: Time,
}

/// One run of a granted ability.
#[derive(PartialEq, Debug, FieldClone, StateRecord)]
pub struct Activation {
    pub(crate) granted: GrantedAbilityId,
    pub(crate) ability: AbilityId,
    pub(crate) controller: ControllerId,
    pub(crate) level: u32,
    /// Sequence number: the order in which activations began.
    pub(crate) sequence: u64,
    pub(crate) started: Time,
    pub(crate) targets: ActivationTargets,
    /// The targets that it began with; `None` unless a task or an event has replaced them (A11).
    #[state(since = 4)]
    pub(crate) first_targets: Option<Arc<TargetData>>,
    /// Whether a task has chosen the targets: then an empty choice is empty, and does not fall back to the
    /// nearest.
    pub(crate) chosen: bool,
    /// The event that triggered it, or that a task awaited last (A11).
    pub(crate) event: Option<GameplayEvent>,
    /// The branch that `event`, `targets` and `chosen` belong to, if it has its own context.
    #[state(since = 4)]
    pub(crate) context_of: Option<u32>,
    /// The tag whose presence keeps it active (A7).
    pub(crate) while_tag: Option<TagId>,
    pub(crate) prediction: Option<PredictionKey>,
    pub(crate) paid: bool,
    pub(crate) cooling: bool,
    /// The cooldown effect that it applied last (A12). Not hashed: states of older versions do not have it.
    #[state(unhashed, since = 4)]
    pub(crate) cooldown: Option<ActiveEffectId>,
    pub(crate) ending: bool,
    /// The effect that grants the owned tags (§8.4).
    pub(crate) owned_tags: Option<ActiveEffectId>,
    /// Parameters that its tasks wrote.
    pub(crate) parameters: Parameters,
    /// Effects that its tasks applied under a name, by index of the name.
    pub(crate) applied: SmallVec<[(u16, ActiveEffectId); 1]>,
    /// Cues that its tasks added to its owner.
    pub(crate) cues: SmallVec<[TagId; 1]>,
    /// Internal effects that hold the cues that its tasks added to others.
    #[state(since = 4)]
    pub(crate) placed_cues: SmallVec<[ActiveEffectId; 1]>,
    /// Key of its random stream (V5); `draws` is the number of draws.
    pub(crate) stream: u64,
    pub(crate) draws: u64,
    /// Inline room for a race of three.
    pub(crate) branches: SmallVec<[Branch; 4]>,
    pub(crate) next_branch: u32,
    /// Waits that start a branch for each occurrence: those of loops (A9) and repeating ones (A10).
    #[state(since = 4)]
    pub(crate) standing: SmallVec<[TaskId; 1]>,
}

impl Activation {
    /// Number that `Param` reads: of the event that triggered it or was awaited last (A11), or left by its
    /// tasks. `None` if there is none of that name.
    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        if let Some(event) = &self.event {
            if name == EVENT_MAGNITUDE {
                return Some(event.magnitude);
            }
            if let Some(name) = name.strip_prefix(EVENT_PAYLOAD) {
                return event.payload(name);
            }
        }
        parameter(&self.parameters, name)
    }

    /// Numbers that expressions read with `Param` beside the parameters of the grant (A18), by name: those of
    /// the event (A11), and those that waits and tasks left.
    pub fn numbers(&self) -> Vec<(String, f64)> {
        let mut names: Vec<String> = self.parameters.iter().map(|(name, _)| name.to_string()).collect();
        if let Some(event) = &self.event {
            names.push(EVENT_MAGNITUDE.to_owned());
            let payload = event.details.iter().flat_map(|details| &details.payload);
            names.extend(payload.map(|(name, _)| format!("{EVENT_PAYLOAD}{name}")));
        }
        names.sort();
        names.dedup();
        names.into_iter().filter_map(|name| self.number(&name).map(|value| (name, value))).collect()
    }

    /// The granted ability.
    pub fn granted(&self) -> GrantedAbilityId {
        self.granted
    }

    /// The ability definition.
    pub fn ability(&self) -> AbilityId {
        self.ability
    }

    /// The owner.
    pub fn controller(&self) -> ControllerId {
        self.controller
    }

    /// Its level: that of the ability when it was activated.
    pub fn level(&self) -> u32 {
        self.level
    }

    /// Time at which it began.
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

    /// Replaces its targets; the first call keeps those that it began with.
    pub(crate) fn replace_targets(&mut self, targets: TargetData) {
        if self.first_targets.is_none() {
            self.first_targets = Some(Arc::new(TargetData::clone(&self.targets)));
        }
        self.targets = targets.into();
    }

    /// The event that triggered it, or that one of its tasks awaited last.
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

    /// Key of the prediction it belongs to.
    pub fn prediction(&self) -> Option<PredictionKey> {
        self.prediction
    }

    /// Looping cues of its owner that its tasks added.
    pub fn cues(&self) -> &[TagId] {
        &self.cues
    }

    /// The tasks that its branches wait for.
    pub fn tasks(&self) -> impl Iterator<Item = TaskId> + '_ {
        self.branches.iter().filter_map(|branch| match branch.status {
            BranchStatus::Waiting(task) => Some(task),
            BranchStatus::Running | BranchStatus::Yielding | BranchStatus::Joining(_) => None,
        })
    }

    /// All of its tasks, standing waits included.
    pub(crate) fn all_tasks(&self) -> impl Iterator<Item = TaskId> + '_ {
        self.tasks().chain(self.standing.iter().copied())
    }

    /// The branch with this id; `None` once it has ended.
    pub(crate) fn branch(&self, id: u32) -> Option<&Branch> {
        self.branches.iter().find(|branch| branch.id == id)
    }

    pub(crate) fn branch_mut(&mut self, id: u32) -> Option<&mut Branch> {
        self.branches.iter_mut().find(|branch| branch.id == id)
    }
}
