//! Resolved tasks in a flat layout: each step has its parent and its successor.

use std::sync::Arc;

use super::def::{Comparison, HostValue, OnFail, Recipient};
use super::summon::{DespawnTask, SpawnTask};
use crate::expr::Program;
use crate::id::{AbilityId, AttributeId, EffectId, TagId};
use crate::input::InputId;
use crate::tag::{TagQuery, TagSet};
use crate::targeting::{Confirmation, Targeting};

/// A resolved number of a task.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Number {
    Constant(f64),
    Program(Box<Program>),
}

/// The resolved program of an ability.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Routine {
    pub(crate) steps: Box<[Step]>,
    /// First step; `None` if there are no tasks.
    pub(crate) first: Option<u32>,
    /// Whether a task of its own commits, at least in part (A3).
    pub(crate) commits: bool,
    /// Whether it waits for anything.
    pub(crate) waits: bool,
    /// Names that tasks give to the effects that they apply.
    pub(crate) names: Box<[Box<str>]>,
}

impl Routine {
    /// Number of steps, nested ones included.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// True if there are no tasks.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The kind of a step, by its name in files.
    pub fn kind(&self, step: u32) -> Option<&str> {
        self.steps.get(step as usize).map(|step| step.task.kind())
    }

    /// The parameters of a step that the host carries out.
    pub fn host_parameters(&self, step: u32) -> Option<&[(String, HostValue)]> {
        match &self.steps.get(step as usize)?.task {
            Task::Wait(Wait::Host(host)) => Some(&host.params),
            _ => None,
        }
    }

    /// Names that its tasks give to the controllers they spawn (A17).
    pub fn summon_names(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().filter_map(|step| match &step.task {
            Task::Act(Action::SpawnController(spawn)) => spawn.name.as_deref(),
            _ => None,
        })
    }

    /// Effects that its tasks apply.
    pub(crate) fn effects(&self) -> impl Iterator<Item = EffectId> + '_ {
        self.steps.iter().filter_map(|step| match &step.task {
            Task::Act(
                Action::ApplyToOwner(apply) | Action::ApplyToTarget(apply) | Action::ApplyInRadius(apply),
            ) => Some(apply.effect),
            _ => None,
        })
    }

    /// Containers that its tasks apply.
    pub(crate) fn containers(&self) -> impl Iterator<Item = u32> + '_ {
        self.steps.iter().filter_map(|step| match &step.task {
            Task::Act(Action::ApplyContainer { container, .. }) => Some(*container),
            _ => None,
        })
    }

    /// Repetition of the wait at a step.
    pub(crate) fn repetition(&self, step: u32) -> Repetition {
        match self.step(step).map(|step| &step.task) {
            Some(Task::Wait(wait)) if wait.is_multi() => Repetition::Multi,
            Some(Task::Wait(wait)) if wait.is_occurrence() && self.loops_around(step).next().is_some() => {
                Repetition::Loop
            }
            _ => Repetition::Once,
        }
    }

    /// Whether two steps share one queue of occurrences (A9): they are the same step, or waits with equal
    /// parameters in one list inside a loop. Each occurrence then counts once.
    pub(crate) fn shares_occurrences(&self, one: u32, other: u32) -> bool {
        let next = |step: &u32| self.step(*step)?.next;
        let (first, last) = (one.min(other), one.max(other));
        one == other
            || (self.repetition(one) == Repetition::Loop
                && self.repetition(other) == Repetition::Loop
                && self.step(one).map(|step| &step.task) == self.step(other).map(|step| &step.task)
                && core::iter::successors(Some(first), next).any(|step| step == last))
    }

    /// The loops that contain a step, the innermost first.
    pub(crate) fn loops_around(&self, step: u32) -> impl Iterator<Item = u32> + '_ {
        let parent = |step: &u32| self.step(*step)?.parent;
        let is_loop =
            |step: &u32| matches!(self.step(*step).map(|step| &step.task), Some(Task::Repeat { .. }));
        core::iter::successors(parent(&step), parent).filter(is_loop)
    }

    pub(crate) fn step(&self, step: u32) -> Option<&Step> {
        self.steps.get(step as usize)
    }
}

/// A task and its position in the program.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Step {
    pub(crate) task: Task,
    /// The step that contains it.
    pub(crate) parent: Option<u32>,
    /// The step after it in the same list.
    pub(crate) next: Option<u32>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Task {
    Sequence { first: Option<u32> },
    Race { branches: Box<[Option<u32>]> },
    All { branches: Box<[Option<u32>]> },
    Repeat { count: Option<Number>, interval: Option<Number>, first: Option<u32> },
    If { condition: Number, then: Option<u32>, otherwise: Option<u32> },
    EndAbility,
    CancelAbility,
    Wait(Wait),
    Act(Action),
}

impl Task {
    /// Name of the task type, as in files and debug output.
    pub(crate) fn kind(&self) -> &str {
        match self {
            Self::Sequence { .. } => "Sequence",
            Self::Race { .. } => "Race",
            Self::All { .. } => "All",
            Self::Repeat { .. } => "Repeat",
            Self::If { .. } => "If",
            Self::EndAbility => "EndAbility",
            Self::CancelAbility => "CancelAbility",
            Self::Wait(wait) => wait.kind(),
            Self::Act(action) => action.kind(),
        }
    }
}

#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct EffectFilter {
    pub(crate) effect: Option<EffectId>,
    pub(crate) tags: TagSet,
}

/// A task that the host carries out (A6).
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct HostTask {
    pub(crate) kind: Arc<str>,
    pub(crate) params: Box<[(String, HostValue)]>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Wait {
    Delay(Number),
    GameTime(Number),
    Event {
        tag: TagId,
        exact: bool,
        once: bool,
    },
    InputPressed(Option<InputId>),
    InputReleased(Option<InputId>),
    TagAdded(TagId),
    TagRemoved(TagId),
    TagChanged(TagId),
    TagCountChanged(TagId),
    TagQuery(TagQuery),
    AttributeChange(AttributeId),
    AttributeThreshold {
        attribute: AttributeId,
        comparison: Comparison,
        threshold: Number,
        ratio_to: Option<AttributeId>,
    },
    EffectApplied(EffectFilter),
    EffectRemoved(EffectFilter),
    EffectBlocked(EffectFilter),
    EffectStackChange(EffectFilter),
    AbilityActivate(TagSet),
    AbilityCommit(TagSet),
    AbilityEnd(TagSet),
    ConfirmCancel,
    TargetData {
        targeting: Box<Targeting>,
        confirmation: Confirmation,
        max_delay: Option<Number>,
    },
    NetSync {
        max_delay: Option<Number>,
    },
    Host(HostTask),
    Custom {
        task: u32,
        params: Box<[(Box<str>, Number)]>,
    },
}

/// Repetition of a wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Repetition {
    /// The first occurrence ends the wait; or it waits for a condition, which is tested when it begins.
    Once,
    /// One occurrence ends the wait in each round of the loops around it (A9).
    Loop,
    /// Every occurrence ends the wait: the tasks after it in its list run once for each (A10).
    Multi,
}

impl Wait {
    /// Whether it waits for an occurrence, rather than for a condition.
    fn is_occurrence(&self) -> bool {
        match self {
            Self::Event { .. }
            | Self::InputPressed(_)
            | Self::TagChanged(_)
            | Self::TagCountChanged(_)
            | Self::AttributeChange(_)
            | Self::EffectApplied(_)
            | Self::EffectRemoved(_)
            | Self::EffectBlocked(_)
            | Self::EffectStackChange(_)
            | Self::AbilityActivate(_)
            | Self::AbilityCommit(_)
            | Self::AbilityEnd(_) => true,
            Self::Delay(_)
            | Self::GameTime(_)
            | Self::InputReleased(_)
            | Self::TagAdded(_)
            | Self::TagRemoved(_)
            | Self::TagQuery(_)
            | Self::AttributeThreshold { .. }
            | Self::ConfirmCancel
            | Self::TargetData { .. }
            | Self::NetSync { .. }
            | Self::Host(_)
            | Self::Custom { .. } => false,
        }
    }

    /// Whether it continues after each occurrence (A10).
    pub(crate) fn is_multi(&self) -> bool {
        match self {
            Self::Event { once, .. } => !once,
            Self::TargetData { confirmation, .. } => *confirmation == Confirmation::CustomMulti,
            _ => false,
        }
    }

    /// Name of the task type, as in files and debug output; that of the host for a host task.
    pub(crate) fn kind(&self) -> &str {
        match self {
            Self::Delay(_) => "WaitDelay",
            Self::GameTime(_) => "WaitGameTime",
            Self::Event { .. } => "WaitGameplayEvent",
            Self::InputPressed(_) => "WaitInputPressed",
            Self::InputReleased(_) => "WaitInputRelease",
            Self::TagAdded(_) => "WaitTagAdded",
            Self::TagRemoved(_) => "WaitTagRemoved",
            Self::TagChanged(_) | Self::TagCountChanged(_) => "WaitTagChanged",
            Self::TagQuery(_) => "WaitTagQuery",
            Self::AttributeChange(_) => "WaitAttributeChange",
            Self::AttributeThreshold { .. } => "WaitAttributeThreshold",
            Self::EffectApplied(_) => "WaitEffectApplied",
            Self::EffectRemoved(_) => "WaitEffectRemoved",
            Self::EffectBlocked(_) => "WaitEffectBlocked",
            Self::EffectStackChange(_) => "WaitEffectStackChange",
            Self::AbilityActivate(_) => "WaitAbilityActivate",
            Self::AbilityCommit(_) => "WaitAbilityCommit",
            Self::AbilityEnd(_) => "WaitAbilityEnd",
            Self::ConfirmCancel => "WaitConfirmCancel",
            Self::TargetData { .. } => "WaitTargetData",
            Self::NetSync { .. } => "WaitNetSync",
            Self::Host(host) => &host.kind,
            Self::Custom { .. } => "Custom",
        }
    }
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Apply {
    pub(crate) effect: EffectId,
    pub(crate) level: Option<Number>,
    pub(crate) set_by_caller: Box<[(TagId, Number)]>,
    /// Index into [`Routine::names`].
    pub(crate) name: Option<u16>,
    pub(crate) max_range: Option<Number>,
    pub(crate) radius: Option<Number>,
    pub(crate) require: TagSet,
    pub(crate) ignore: TagSet,
    pub(crate) to: Recipient,
    /// Fallback targeting if there is no target (A16).
    pub(crate) targeting: Option<Box<Targeting>>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Remove {
    pub(crate) effect: Option<EffectId>,
    pub(crate) name: Option<u16>,
    pub(crate) tags: TagQuery,
    pub(crate) stacks: Option<Number>,
    pub(crate) to: Recipient,
}

/// A gameplay event that a task sends.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct SendEvent {
    pub(crate) tag: TagId,
    pub(crate) to: Recipient,
    pub(crate) magnitude: Option<Number>,
    pub(crate) target: Recipient,
    pub(crate) payload: Box<[(Arc<str>, Number)]>,
    pub(crate) context_tags: Box<[TagId]>,
}

/// Cue that a task executes, adds or removes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct CueTask {
    pub(crate) cue: TagId,
    pub(crate) to: Recipient,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Action {
    Commit(OnFail),
    CommitCost(OnFail),
    CommitCooldown(OnFail),
    ApplyToOwner(Apply),
    ApplyToTarget(Apply),
    ApplyInRadius(Apply),
    ApplyContainer { container: u32, to: Option<Recipient> },
    RemoveFromOwner(Remove),
    RemoveFromTarget(Remove),
    SendEvent(Box<SendEvent>),
    ExecuteCue(CueTask),
    AddCue(CueTask),
    RemoveCue(CueTask),
    SetParameter { name: Arc<str>, value: Number },
    ActivateAbility(AbilityId),
    ActivateAbilitiesWithTags(TagSet),
    SpawnController(Box<SpawnTask>),
    DespawnController(DespawnTask),
}

impl Action {
    /// Name of the task type, as in files and debug output.
    fn kind(&self) -> &'static str {
        match self {
            Self::Commit(_) => "Commit",
            Self::CommitCost(_) => "CommitCost",
            Self::CommitCooldown(_) => "CommitCooldown",
            Self::ApplyToOwner(_) => "ApplyEffectToOwner",
            Self::ApplyToTarget(_) => "ApplyEffectToTarget",
            Self::ApplyInRadius(_) => "ApplyEffectToActorsInRadius",
            Self::ApplyContainer { .. } => "ApplyContainer",
            Self::RemoveFromOwner(_) => "RemoveEffectFromOwner",
            Self::RemoveFromTarget(_) => "RemoveEffectFromTarget",
            Self::SendEvent(_) => "SendEvent",
            Self::ExecuteCue(_) => "ExecuteCue",
            Self::AddCue(_) => "AddCue",
            Self::RemoveCue(_) => "RemoveCue",
            Self::SetParameter { .. } => "SetParameter",
            Self::ActivateAbility(_) | Self::ActivateAbilitiesWithTags(_) => "ActivateAbility",
            Self::SpawnController(_) => "SpawnController",
            Self::DespawnController(_) => "DespawnController",
        }
    }
}
