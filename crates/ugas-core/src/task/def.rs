//! Task definitions (§10): the program of an ability.
//!
//! A program is a list of tasks that run one after the other. `Race` and `All` run lists side by side,
//! `Repeat` and `If` control the flow, waits pause, actions act (A5).

use super::summon::{DespawnDef, SpawnDef};
use crate::codec::StateRecord;
use crate::effect::TagQueryDef;
use crate::targeting::{Confirmation, TargetingDef};

/// A number of a task: fixed, or an expression that is evaluated when the task begins.
///
/// Expressions read the owner's attributes by name, those of the activation's target with `Target.`, the
/// ability's `Level`, its parameters with `Param("Name")`, and draw from the activation's own stream with
/// `rand()` (V5).
#[derive(Clone, PartialEq, Debug, StateRecord)]
pub enum NumberDef {
    /// A fixed number.
    Value(f64),
    /// An expression.
    Expression(String),
}

impl From<f64> for NumberDef {
    fn from(value: f64) -> Self {
        Self::Value(value)
    }
}

impl From<&str> for NumberDef {
    fn from(text: &str) -> Self {
        Self::Expression(text.to_owned())
    }
}

/// Comparison of an attribute with a threshold (§10.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug, StateRecord)]
pub enum Comparison {
    /// Less than the threshold.
    LessThan,
    /// Less than or equal to the threshold.
    LessEqual,
    /// Greater than the threshold.
    Greater,
    /// Greater than or equal to the threshold.
    GreaterEqual,
}

impl Comparison {
    /// Whether the comparison of `value` with `threshold` holds.
    pub fn holds(self, value: f64, threshold: f64) -> bool {
        match self {
            Self::LessThan => value < threshold,
            Self::LessEqual => value <= threshold,
            Self::Greater => value > threshold,
            Self::GreaterEqual => value >= threshold,
        }
    }
}

/// Filter of the effects of a wait. Without effect and tags it matches all.
#[derive(Clone, PartialEq, Debug, Default, StateRecord)]
pub struct EffectFilterDef {
    /// The effect of this name.
    pub effect: Option<String>,
    /// Effects with one of these asset or granted tags.
    pub tags: Vec<String>,
}

/// Condition or occurrence that a task waits for.
#[derive(Clone, PartialEq, Debug, StateRecord)]
#[non_exhaustive]
pub enum WaitDef {
    /// A number of seconds.
    Delay(NumberDef),
    /// A time of the simulation's clock in seconds.
    GameTime(NumberDef),
    /// A gameplay event on the owner. Its magnitude is `Param("Event.Magnitude")` afterwards.
    Event {
        /// Its tag.
        tag: String,
        /// Whether events with descendant tags are ignored.
        exact: bool,
        /// Whether the first event ends the wait; otherwise each is handled, and the wait continues.
        once: bool,
    },
    /// An input is pressed; `None` for the one that the ability is bound to.
    InputPressed(Option<String>),
    /// An input is released; `None` for the one that the ability is bound to. Done at once if it is not held.
    /// The time for which it was held is `Param("Input.HeldTime")` afterwards.
    InputReleased(Option<String>),
    /// The owner has a tag.
    TagAdded(String),
    /// The owner does not have a tag.
    TagRemoved(String),
    /// A tag is added to or removed from the owner.
    TagChanged(String),
    /// The explicit count of a tag of the owner changes (T6).
    #[state(tag = 40)]
    TagCountChanged(String),
    /// A query holds over the owner's tags.
    #[state(tag = 8)]
    TagQuery(TagQueryDef),
    /// An attribute of the owner changes.
    AttributeChange(String),
    /// An attribute of the owner reaches a threshold (§10.4).
    AttributeThreshold {
        /// The attribute.
        attribute: String,
        /// The comparison.
        comparison: Comparison,
        /// The threshold.
        threshold: NumberDef,
        /// Attribute whose ratio to the first one is compared; `None` to compare the value itself.
        ratio_to: Option<String>,
    },
    /// An effect is applied to the owner.
    EffectApplied(EffectFilterDef),
    /// An effect on the owner ends.
    EffectRemoved(EffectFilterDef),
    /// An immunity of the owner refuses an effect.
    EffectBlocked(EffectFilterDef),
    /// The stack count of an effect on the owner changes.
    EffectStackChange(EffectFilterDef),
    /// The owner activates an ability with one of these tags; without tags, any other.
    AbilityActivate(Vec<String>),
    /// The owner commits an ability with one of these tags; without tags, any other.
    AbilityCommit(Vec<String>),
    /// An ability of the owner with one of these tags ends; without tags, any other.
    AbilityEnd(Vec<String>),
    /// The player confirms; a cancel cancels the ability.
    ConfirmCancel,
    /// Targets are chosen; they become the activation's.
    TargetData {
        /// Targeting that selects the targets.
        targeting: TargetingDef,
        /// Confirmation of the targets.
        confirmation: Confirmation,
        /// Longest wait in seconds, after which the ability is cancelled.
        max_delay: Option<NumberDef>,
    },
    /// Synchronisation of client and server. Done at once, with a network and without: both share their ticks
    /// and get here in the same one, so neither waits for a message of the other.
    NetSync {
        /// Longest wait in seconds.
        max_delay: Option<NumberDef>,
    },
}

/// Application of an effect by a task.
#[derive(Clone, PartialEq, Debug, StateRecord)]
pub struct ApplyDef {
    /// The effect.
    pub effect: String,
    /// Its level; `None` for the ability's.
    pub level: Option<NumberDef>,
    /// Set-by-caller magnitudes by tag.
    pub set_by_caller: Vec<(String, NumberDef)>,
    /// Name under which later tasks of the activation refer to it.
    pub name: Option<String>,
    /// Largest distance of a target.
    pub max_range: Option<NumberDef>,
    /// Radius of an area around the owner.
    pub radius: Option<NumberDef>,
    /// A tag that targets must have.
    pub require_tag: Option<String>,
    /// A tag that targets must not have.
    pub ignore_tag: Option<String>,
    /// More tags of which targets must have none.
    #[state(since = 4)]
    pub ignore_tags: Vec<String>,
    /// Recipient of the effect; `None` for the activation's targets (A11).
    #[state(since = 4)]
    pub to: Option<Recipient>,
    /// Fallback targeting if there is no target (A16): the ability's.
    #[state(since = 4)]
    pub targeting: Option<TargetingDef>,
}

impl ApplyDef {
    /// Applies this effect at the ability's level.
    pub fn new(effect: impl Into<String>) -> Self {
        Self {
            effect: effect.into(),
            level: None,
            set_by_caller: Vec::new(),
            name: None,
            max_range: None,
            radius: None,
            require_tag: None,
            ignore_tag: None,
            ignore_tags: Vec::new(),
            to: None,
            targeting: None,
        }
    }
}

/// Removal of effects by a task.
#[derive(Clone, PartialEq, Debug, Default, StateRecord)]
pub struct RemoveDef {
    /// The effect of this name.
    pub effect: Option<String>,
    /// The effect that an earlier task of the activation applied under this name.
    pub name: Option<String>,
    /// Effects with one of these asset or granted tags.
    pub tags: Vec<String>,
    /// Number of stacks to remove of each; `None` for all.
    pub stacks: Option<NumberDef>,
    /// Controllers that lose the effects; `None` for the activation's targets (A11).
    #[state(since = 4)]
    pub to: Option<Recipient>,
}

/// Recipient of a task's action.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StateRecord)]
pub enum Recipient {
    /// The ability's owner.
    #[default]
    Owner,
    /// The current targets: the activation's, or those of the event or task that named others since (A11).
    Target,
    /// The targets that the last event names.
    EventTarget,
    /// The instigator of the last event.
    EventInstigator,
    /// The targets that the activation began with.
    Activation,
}

/// Policy for an ability whose commit cannot be paid (A12).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StateRecord)]
pub enum OnFail {
    /// The ability is cancelled.
    #[default]
    Cancel,
    /// The ability continues without it.
    Continue,
}

/// Parameters of a commit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StateRecord)]
pub struct CommitDef {
    /// Consequence of a commit that cannot be paid.
    #[state(since = 4)]
    pub on_fail: OnFail,
}

/// Application of an effect container by a task.
#[derive(Clone, PartialEq, Debug, Default, StateRecord)]
pub struct ContainerUseDef {
    /// Name of the container.
    pub container: String,
    /// Recipient that its targeting starts from; `None` for the one that the container names (A11).
    #[state(since = 4)]
    pub to: Option<Recipient>,
}

impl From<&str> for ContainerUseDef {
    fn from(container: &str) -> Self {
        Self { container: container.to_owned(), to: None }
    }
}

/// Cue that a task executes, adds or removes.
#[derive(Clone, PartialEq, Debug, Default, StateRecord)]
pub struct CueTaskDef {
    /// Tag of the cue.
    pub cue: String,
    /// Recipient that shows the cue (A11).
    #[state(since = 4)]
    pub to: Recipient,
}

impl CueTaskDef {
    /// A cue of a recipient.
    pub fn on(cue: impl Into<String>, to: Recipient) -> Self {
        Self { cue: cue.into(), to }
    }
}

impl From<&str> for CueTaskDef {
    /// A cue of the ability's owner.
    fn from(cue: &str) -> Self {
        Self::on(cue, Recipient::Owner)
    }
}

/// A gameplay event that a task sends.
#[derive(Clone, PartialEq, Debug, Default, StateRecord)]
pub struct SendEventDef {
    /// Its tag.
    pub tag: String,
    /// Recipient of the event.
    pub to: Recipient,
    /// Its magnitude; `None` for 0.
    pub magnitude: Option<NumberDef>,
    /// The target that it names; `None` for the current target.
    #[state(since = 4)]
    pub target: Option<Recipient>,
    /// Numbers of its payload by name.
    #[state(since = 4)]
    pub payload: Vec<(String, NumberDef)>,
    /// Its context tags.
    #[state(since = 4)]
    pub context_tags: Vec<String>,
}

impl SendEventDef {
    /// An event to the owner, without a magnitude.
    pub fn new(tag: impl Into<String>) -> Self {
        Self { tag: tag.into(), ..Self::default() }
    }
}

/// An action, which a task performs at once.
#[derive(Clone, PartialEq, Debug, StateRecord)]
#[non_exhaustive]
pub enum ActionDef {
    /// Pays the cost, starts the cooldown and grants the owned tags (A2, A3).
    Commit(CommitDef),
    /// Pays the cost only.
    CommitCost(CommitDef),
    /// Starts the cooldown only.
    CommitCooldown(CommitDef),
    /// Applies an effect to the owner.
    ApplyToOwner(ApplyDef),
    /// Applies an effect to the activation's targets; without any, to the nearest that is allowed (A16).
    ApplyToTarget(ApplyDef),
    /// Applies an effect to all that fit in a radius around the owner.
    ApplyInRadius(ApplyDef),
    /// Applies the effects of a container to the targets that it finds.
    ApplyContainer(ContainerUseDef),
    /// Removes effects from the owner.
    RemoveFromOwner(RemoveDef),
    /// Removes effects from the activation's targets.
    RemoveFromTarget(RemoveDef),
    /// Sends a gameplay event.
    SendEvent(SendEventDef),
    /// Shows a cue once.
    ExecuteCue(CueTaskDef),
    /// Shows a cue until it is removed or the ability ends.
    AddCue(CueTaskDef),
    /// Ends a cue that the ability added.
    RemoveCue(CueTaskDef),
    /// Writes a parameter of the granted ability.
    SetParameter {
        /// Its name.
        name: String,
        /// Its value.
        value: NumberDef,
    },
    /// Activates another ability of the owner by name; a refusal is an event.
    ActivateAbility(String),
    /// Activates the owner's abilities that have all of these tags.
    ActivateAbilitiesWithTags(Vec<String>),
    /// Spawns controllers from a template (A17).
    SpawnController(SpawnDef),
    /// Despawns summoned controllers or a recipient (A17).
    DespawnController(DespawnDef),
}

/// A parameter of a task that the host carries out: plain data, opaque to the simulation.
#[derive(Clone, PartialEq, Debug, StateRecord)]
pub enum HostValue {
    /// True or false.
    Flag(bool),
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Self>),
    /// A map.
    Map(Vec<(String, Self)>),
}

/// A task of an ability (§10, A5).
#[derive(Clone, PartialEq, Debug, StateRecord)]
#[non_exhaustive]
pub enum TaskDef {
    /// Runs tasks one after the other.
    Sequence(Vec<Self>),
    /// Runs lists side by side; the first that is done cancels the others.
    Race(Vec<Vec<Self>>),
    /// Runs lists side by side until all are done.
    All(Vec<Vec<Self>>),
    /// Repeats a list.
    Repeat {
        /// Number of rounds; `None` for until the ability ends.
        count: Option<NumberDef>,
        /// Seconds from the start of a round to the next. A round that takes longer delays the next one.
        interval: Option<NumberDef>,
        /// The repeated tasks.
        tasks: Vec<Self>,
    },
    /// Runs one of two lists.
    If {
        /// The condition; every number but 0 is true.
        condition: NumberDef,
        /// Tasks if the condition is true.
        then: Vec<Self>,
        /// Tasks if the condition is false.
        otherwise: Vec<Self>,
    },
    /// Ends the ability.
    EndAbility,
    /// Cancels the ability.
    CancelAbility,
    /// Waits.
    Wait(WaitDef),
    /// Performs an action.
    Act(ActionDef),
    /// Requests a task of the host, and waits for its outcome (A6).
    Host {
        /// Kind of the host's task.
        kind: String,
        /// Its parameters.
        params: Vec<(String, HostValue)>,
    },
    /// Runs a task written in Rust; see [`CustomTask`](crate::task::CustomTask).
    Custom {
        /// The name it was registered under.
        name: String,
        /// Its parameters.
        params: Vec<(String, NumberDef)>,
    },
}

impl TaskDef {
    /// Waits for a number of seconds.
    pub fn wait(seconds: impl Into<NumberDef>) -> Self {
        Self::Wait(WaitDef::Delay(seconds.into()))
    }

    /// Waits for a gameplay event.
    pub fn wait_event(tag: impl Into<String>) -> Self {
        Self::Wait(WaitDef::Event { tag: tag.into(), exact: false, once: true })
    }

    /// Applies an effect to the owner.
    pub fn apply_to_owner(effect: impl Into<String>) -> Self {
        Self::Act(ActionDef::ApplyToOwner(ApplyDef::new(effect)))
    }

    /// Applies an effect to the activation's targets.
    pub fn apply_to_target(effect: impl Into<String>) -> Self {
        Self::Act(ActionDef::ApplyToTarget(ApplyDef::new(effect)))
    }

    /// Pays the cost, starts the cooldown and grants the owned tags.
    pub fn commit() -> Self {
        Self::Act(ActionDef::Commit(CommitDef::default()))
    }

    /// Requests a task of the host.
    pub fn host(kind: impl Into<String>) -> Self {
        Self::Host { kind: kind.into(), params: Vec::new() }
    }
}
