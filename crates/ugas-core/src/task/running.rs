//! Tasks that are under way: waits with what they are subscribed to (§10.2).

use smallvec::SmallVec;

use crate::ability::GameplayEvent;
use crate::codec::{plain_enum, plain_struct};
use crate::handle::{ActivationId, ControllerId};
use crate::id::{AttributeId, TagId};
use crate::targeting::TargetData;
use crate::time::Time;
use crate::timer::TimerKey;

/// Something about a controller that a task can be told of. The controller keeps an index of who wants to know what.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Subject {
    /// An attribute changes.
    Attribute(AttributeId),
    /// A tag appears or goes.
    Tag(TagId),
    /// The explicit count of a tag changes.
    TagCount(TagId),
    /// A gameplay event comes, with this tag or one below it.
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

/// How a task that the host carries out went (A6).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TaskOutcome {
    /// As it should: the ability goes on.
    #[default]
    Completed,
    /// Something came in between: the ability is cancelled.
    Interrupted,
    /// It was called off: the ability is cancelled.
    Cancelled,
    /// It could not be done: the ability is cancelled.
    Failed,
}

/// Something that a task waited for, with the data that later tasks read.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Occurrence {
    /// It happened; there is nothing more to say.
    Plain,
    /// An attribute changed to this value.
    Attribute(f64),
    /// An input was released after so many seconds.
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

/// A wait that is under way (§10.2, Active).
#[derive(Debug)]
pub struct RunningTask {
    pub(crate) activation: ActivationId,
    /// Whose ability it is of.
    pub(crate) controller: ControllerId,
    pub(crate) thread: u32,
    pub(crate) step: u32,
    /// Order of its beginning; orders wake-ups and timers (V4).
    pub(crate) sequence: u64,
    pub(crate) started: Time,
    /// When it ends by itself or gives up.
    pub(crate) deadline: Option<Time>,
    /// Numbers that it keeps: a threshold, the state of a custom task.
    pub(crate) memory: SmallVec<[f64; 2]>,
    /// What it is subscribed to, on its controller.
    pub(crate) subjects: SmallVec<[Subject; 2]>,
    /// Occurrences that its branch has not taken up yet, the oldest first (A9, A10).
    pub(crate) queue: SmallVec<[Occurrence; 1]>,
    /// Whether an occurrence was dropped since the queue was empty: the limit is reported once.
    pub(crate) overflowed: bool,
    /// Derived from `deadline`.
    pub(crate) timer: Option<TimerKey>,
}

impl RunningTask {
    /// The activation it is of.
    pub fn activation(&self) -> ActivationId {
        self.activation
    }

    /// Whose ability it is of.
    pub fn controller(&self) -> ControllerId {
        self.controller
    }

    /// Which branch of the run waits for it.
    pub fn thread(&self) -> u32 {
        self.thread
    }

    /// Its place in the ability's [routine](super::Routine).
    pub fn step(&self) -> u32 {
        self.step
    }

    /// When it began.
    pub fn started(&self) -> Time {
        self.started
    }

    /// When it ends by itself or gives up.
    pub fn deadline(&self) -> Option<Time> {
        self.deadline
    }

    /// How many occurrences its branch has not taken up yet (A9, A10).
    pub fn queued(&self) -> usize {
        self.queue.len()
    }

    /// What it waits to be told of.
    pub fn subjects(&self) -> &[Subject] {
        &self.subjects
    }
}

plain_struct!(cloned RunningTask {
    activation,
    controller,
    thread,
    step,
    sequence,
    started,
    deadline,
    memory,
    subjects,
    queue: since 4,
    overflowed: since 4,
    timer: index,
});

plain_enum!(Occurrence {
    0 => Plain,
    1 => Attribute(value),
    2 => Released(seconds),
    3 => Event(event),
    4 => Targets(targets),
});
plain_enum!(TaskOutcome { 0 => Completed, 1 => Interrupted, 2 => Cancelled, 3 => Failed });
plain_enum!(Subject {
    0 => Attribute(attribute),
    1 => Tag(tag),
    2 => Event(tag),
    3 => InputPressed,
    4 => InputReleased,
    5 => EffectApplied,
    6 => EffectRemoved,
    7 => EffectBlocked,
    8 => EffectStackChanged,
    9 => AbilityActivated,
    10 => AbilityCommitted,
    11 => AbilityEnded,
    12 => Confirmation,
    40 => TagCount(tag),
});
