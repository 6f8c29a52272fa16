//! Running tasks: waits and their subscriptions (§10.2).

use smallvec::SmallVec;

use crate::ability::GameplayEvent;
use crate::codec::{FieldClone, StateRecord};
use crate::handle::{ActivationId, ControllerId};
use crate::id::{AttributeId, TagId};
use crate::targeting::TargetData;
use crate::time::Time;
use crate::timer::TimerKey;

/// Subject of a subscription to a controller. The controller has an index from subjects to tasks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, StateRecord)]
pub enum Subject {
    /// An attribute changes.
    Attribute(AttributeId),
    /// A tag is added or removed.
    Tag(TagId),
    /// The explicit count of a tag changes.
    #[state(tag = 40)]
    TagCount(TagId),
    /// A gameplay event with this tag or a descendant is received.
    #[state(tag = 2)]
    Event(TagId),
    /// An input is pressed.
    InputPressed,
    /// An input is released.
    InputReleased,
    /// An effect is applied.
    EffectApplied,
    /// An effect ends.
    EffectRemoved,
    /// An immunity refuses an effect.
    EffectBlocked,
    /// A stack count changes.
    EffectStackChanged,
    /// An ability is activated.
    AbilityActivated,
    /// An ability commits.
    AbilityCommitted,
    /// An ability ends.
    AbilityEnded,
    /// The player confirms or declines.
    Confirmation,
}

/// Outcome of a task of the host (A6).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StateRecord)]
pub enum TaskOutcome {
    /// It is done: the ability continues.
    #[default]
    Completed,
    /// It was interrupted: the ability is cancelled.
    Interrupted,
    /// It was cancelled: the ability is cancelled too.
    Cancelled,
    /// It failed: the ability is cancelled.
    Failed,
}

/// An occurrence that a task waited for, with the data that later tasks read.
#[derive(Clone, PartialEq, Debug, StateRecord)]
pub(crate) enum Occurrence {
    /// An occurrence without data.
    Plain,
    /// An attribute changed to this value.
    Attribute(f64),
    /// An input was released after this number of seconds.
    Released(f64),
    /// A gameplay event.
    Event(GameplayEvent),
    /// Targets that the host provided.
    Targets(TargetData),
}

impl Occurrence {
    /// Whether all of its numbers are finite (V2).
    pub(crate) fn is_finite(&self) -> bool {
        match self {
            Self::Plain => true,
            Self::Attribute(value) | Self::Released(value) => value.is_finite(),
            Self::Event(event) => event.is_finite(),
            Self::Targets(targets) => targets.check().is_ok(),
        }
    }
}

/// A wait in progress (§10.2, Active).
#[derive(Debug, FieldClone, StateRecord)]
pub struct RunningTask {
    pub(crate) activation: ActivationId,
    /// The owner of the ability.
    pub(crate) controller: ControllerId,
    pub(crate) branch: u32,
    pub(crate) step: u32,
    /// Order of creation; orders wake-ups and timers (V4).
    pub(crate) sequence: u64,
    pub(crate) started: Time,
    /// Time at which it ends or gives up; `None` without a limit.
    pub(crate) deadline: Option<Time>,
    /// Numeric state: a threshold, the memory of a custom task.
    pub(crate) memory: SmallVec<[f64; 2]>,
    /// Its subscriptions to its controller.
    pub(crate) subjects: SmallVec<[Subject; 2]>,
    /// Its subscriptions to other controllers, sorted.
    #[state(since = 6)]
    pub(crate) watched: SmallVec<[(ControllerId, Subject); 1]>,
    /// Occurrences that its branch has not handled yet, the oldest first (A9, A10).
    #[state(since = 4)]
    pub(crate) queue: SmallVec<[Occurrence; 1]>,
    /// Whether an occurrence was dropped since the queue was empty: the limit is reported once.
    #[state(since = 4)]
    pub(crate) overflowed: bool,
    /// Derived from `deadline`.
    #[state(index)]
    pub(crate) timer: Option<TimerKey>,
}

impl RunningTask {
    /// The activation that it belongs to.
    pub fn activation(&self) -> ActivationId {
        self.activation
    }

    /// The owner of the ability.
    pub fn controller(&self) -> ControllerId {
        self.controller
    }

    /// The branch of the activation that waits for it.
    pub fn branch(&self) -> u32 {
        self.branch
    }

    /// Its step in the ability's [routine](super::Routine).
    pub fn step(&self) -> u32 {
        self.step
    }

    /// Its subscriptions to a controller.
    pub(crate) fn subscriptions_to(&self, controller: ControllerId) -> impl Iterator<Item = Subject> + '_ {
        let own = if controller == self.controller { &self.subjects[..] } else { &[] };
        let watched = self.watched.iter().filter(move |(known, _)| *known == controller);
        own.iter().copied().chain(watched.map(|&(_, subject)| subject))
    }

    /// Time at which it began.
    pub fn started(&self) -> Time {
        self.started
    }

    /// Time at which it ends or gives up; `None` without a limit.
    pub fn deadline(&self) -> Option<Time> {
        self.deadline
    }

    /// Number of occurrences that its branch has not handled yet (A9, A10).
    pub fn queued(&self) -> usize {
        self.queue.len()
    }

    /// Its subscriptions to other controllers than its own.
    pub fn watched(&self) -> &[(ControllerId, Subject)] {
        &self.watched
    }

    /// Its subscriptions to its own controller.
    pub fn subjects(&self) -> &[Subject] {
        &self.subjects
    }
}
