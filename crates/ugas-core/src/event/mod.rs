//! Events (I7): one ordered stream of everything that happened, polled by the host.

mod category;
mod cue;
#[cfg(feature = "tracing")]
mod log;
mod queue;
mod shared;
mod subject;
mod text;

use core::fmt;
use std::sync::Arc;

pub use category::Category;
pub use cue::{CueDetails, CueParameters};
#[cfg(feature = "tracing")]
pub(crate) use log::log;
pub(crate) use queue::{EventQueue, Origin};
pub(crate) use shared::Shared;

use crate::ability::{ActivationRefusal, EndReason, GameplayEvent};
use crate::effect::{ContextTags, PredictionKey};
use crate::handle::{AbilityHandle, ActivationId, ActiveEffectId, ControllerId, TaskId};
use crate::id::{AbilityId, ActorId, AttributeId, AttributeSetId, EffectId, TagId};
use crate::input::InputId;
use crate::refusal::{Refusal, RefusalReason};
use crate::simulation::Simulation;
use crate::targeting::Confirmation;
use crate::time::{Span, Time};

/// What led to an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cause {
    /// Number of the call or timer that everything goes back to.
    pub operation: u64,
    /// The effect that did it.
    pub effect: Option<EffectId>,
    /// Its active instance, if it has one.
    pub active: Option<ActiveEffectId>,
    /// The controller that caused the effect.
    pub source: Option<ControllerId>,
    /// The ability that did it or applied the effect.
    pub ability: Option<AbilityHandle>,
}

/// Something that happened.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    /// Position in the stream.
    pub sequence: u64,
    /// When.
    pub time: Time,
    /// What led to it.
    pub cause: Cause,
    /// The prediction it belongs to.
    pub prediction: Option<PredictionKey>,
    /// What happened.
    pub kind: EventKind,
}

/// Why an active effect is gone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RemovalReason {
    /// Its time was up.
    Expired,
    /// It was removed before: by a call, a query, another effect.
    Removed,
    /// The target got a tag that removes it.
    RemovedByTag,
    /// Its stack overflowed and was cleared (E5).
    Overflowed,
    /// Its target ceased to exist.
    TargetGone,
    /// A reload took its definition away, or changed it so that it cannot go on (R5).
    Reloaded,
}

/// What happened.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum EventKind {
    /// A controller came into being.
    ControllerSpawned {
        /// Which.
        controller: ControllerId,
    },
    /// A controller ceased to exist.
    ControllerDespawned {
        /// Which.
        controller: ControllerId,
    },
    /// A controller was given another owner, or none (§4.2).
    OwnerChanged {
        /// Which controller.
        controller: ControllerId,
        /// Owner before.
        old: Option<ActorId>,
        /// Owner now.
        new: Option<ActorId>,
    },
    /// A controller was given another avatar, or none (§4.3).
    AvatarChanged {
        /// Which controller.
        controller: ControllerId,
        /// Avatar before.
        old: Option<ActorId>,
        /// Avatar now.
        new: Option<ActorId>,
    },
    /// An attribute set was registered.
    AttributeSetAdded {
        /// With whom.
        controller: ControllerId,
        /// Which set.
        set: AttributeSetId,
    },
    /// An attribute set was taken away.
    AttributeSetRemoved {
        /// From whom.
        controller: ControllerId,
        /// Which set.
        set: AttributeSetId,
    },
    /// A base or current value changed (§5.6, B5).
    AttributeChanged {
        /// Whose.
        controller: ControllerId,
        /// Which.
        attribute: AttributeId,
        /// Base before.
        old_base: f64,
        /// Base now.
        new_base: f64,
        /// Current value before.
        old: f64,
        /// Current value now.
        new: f64,
    },
    /// A tag's cumulative count left zero (§7.2).
    TagAdded {
        /// Whose.
        controller: ControllerId,
        /// Which.
        tag: TagId,
    },
    /// A tag's cumulative count reached zero (§7.2).
    TagRemoved {
        /// Whose.
        controller: ControllerId,
        /// Which.
        tag: TagId,
    },
    /// The explicit count of a tag changed (T6); raised when [`Config::tag_counts`](crate::simulation::Config::tag_counts)
    /// asks for it. It has the number of the event that follows it: asking for it changes no state.
    TagCountChanged {
        /// The controller that has the tag.
        controller: ControllerId,
        /// The tag.
        tag: TagId,
        /// Explicit count before.
        old: u32,
        /// Explicit count now.
        new: u32,
    },
    /// An effect is about to be applied (E1, §15.4); raised when the configuration asks for an audit.
    BeforeEffectApplied {
        /// Which.
        effect: EffectId,
        /// To whom.
        target: ControllerId,
        /// Base and current values of the attributes that it is known to change; see
        /// [`Effect::written_attributes`](crate::effect::Effect::written_attributes).
        values: Vec<(AttributeId, f64, f64)>,
    },
    /// An effect became active, or a queued one began (§9.2, E4).
    EffectApplied {
        /// Which.
        effect: EffectId,
        /// Its instance.
        active: ActiveEffectId,
        /// On whom.
        target: ControllerId,
        /// Context tags of the application (E14).
        context_tags: ContextTags,
    },
    /// An effect was merged into the instance that is there (E4).
    EffectMerged {
        /// Which.
        effect: EffectId,
        /// The instance.
        active: ActiveEffectId,
        /// On whom.
        target: ControllerId,
    },
    /// An effect waits for its turn (E4).
    EffectQueued {
        /// Which.
        effect: EffectId,
        /// Its instance.
        active: ActiveEffectId,
        /// On whom.
        target: ControllerId,
    },
    /// An effect wrote base values: an instant one, or a tick of a periodic one.
    EffectExecuted {
        /// Which.
        effect: EffectId,
        /// Its instance, if it is periodic.
        active: Option<ActiveEffectId>,
        /// On whom.
        target: ControllerId,
        /// Context tags of the execution: those of its spec, and those that its calculations marked (E14).
        context_tags: ContextTags,
    },
    /// An active effect is gone.
    EffectRemoved {
        /// Which.
        effect: EffectId,
        /// Its instance.
        active: ActiveEffectId,
        /// From whom.
        target: ControllerId,
        /// Stacks it had.
        stacks: u32,
        /// Why.
        reason: RemovalReason,
    },
    /// A stack count changed.
    EffectStackChanged {
        /// Which.
        effect: EffectId,
        /// The instance.
        active: ActiveEffectId,
        /// On whom.
        target: ControllerId,
        /// Count before.
        old: u32,
        /// Count now.
        new: u32,
    },
    /// The time left of an active effect was changed.
    EffectDurationChanged {
        /// Which.
        effect: EffectId,
        /// The instance.
        active: ActiveEffectId,
        /// On whom.
        target: ControllerId,
        /// Time left now; `None` is for ever.
        remaining: Option<Span>,
    },
    /// The ongoing requirements of an active effect fail now (E7).
    EffectInhibited {
        /// Which.
        effect: EffectId,
        /// The instance.
        active: ActiveEffectId,
        /// On whom.
        target: ControllerId,
    },
    /// The ongoing requirements of an active effect hold again (E7).
    EffectResumed {
        /// Which.
        effect: EffectId,
        /// The instance.
        active: ActiveEffectId,
        /// On whom.
        target: ControllerId,
    },
    /// An application was refused; nothing changed (E1).
    EffectRefused(Arc<Refusal>),
    /// An application was refused because of an immunity.
    EffectBlockedByImmunity {
        /// Which.
        effect: EffectId,
        /// Who is immune.
        target: ControllerId,
        /// The effect that makes it so.
        by: ActiveEffectId,
    },
    /// A modifier has nothing to act on: the target lacks the attribute, or it is derived (M6).
    ModifierInert {
        /// The effect.
        effect: EffectId,
        /// Position of the modifier in it.
        modifier: u16,
        /// The attribute.
        attribute: AttributeId,
        /// On whom.
        target: ControllerId,
    },
    /// A value could not be evaluated and stays what it was (V2).
    EvaluationFailed {
        /// Whose.
        controller: ControllerId,
        /// Which attribute.
        attribute: AttributeId,
    },
    /// A divisor was so near to zero that it counted as 1 (M3).
    DivisorIgnored {
        /// Whose attribute.
        controller: ControllerId,
        /// Which.
        attribute: AttributeId,
    },
    /// An ability was granted (§9.8).
    AbilityGranted {
        /// To whom.
        controller: ControllerId,
        /// The grant.
        handle: AbilityHandle,
        /// The ability.
        ability: AbilityId,
    },
    /// An ability was taken away.
    AbilityRevoked {
        /// From whom.
        controller: ControllerId,
        /// The grant.
        handle: AbilityHandle,
        /// The ability.
        ability: AbilityId,
    },
    /// An ability has another level.
    AbilityLevelChanged {
        /// Whose.
        controller: ControllerId,
        /// The grant.
        handle: AbilityHandle,
        /// Level before.
        old: u32,
        /// Level now.
        new: u32,
    },
    /// An ability was activated (§8.2).
    AbilityActivated {
        /// Whose.
        controller: ControllerId,
        /// The grant.
        handle: AbilityHandle,
        /// The ability.
        ability: AbilityId,
        /// The run.
        activation: ActivationId,
    },
    /// An ability could not be activated or committed; nothing changed (A1).
    AbilityRefused(Arc<ActivationRefusal>),
    /// An ability committed: cost, cooldown and owned tags, as far as it asked for them (§8.4).
    AbilityCommitted {
        /// Whose.
        controller: ControllerId,
        /// The grant.
        handle: AbilityHandle,
        /// The ability.
        ability: AbilityId,
        /// The run.
        activation: ActivationId,
    },
    /// An ability is done (§8.2).
    AbilityEnded {
        /// Whose.
        controller: ControllerId,
        /// The grant.
        handle: AbilityHandle,
        /// The ability.
        ability: AbilityId,
        /// The run.
        activation: ActivationId,
        /// Why.
        reason: EndReason,
    },
    /// An ability was cancelled (§8.6).
    AbilityCancelled {
        /// Whose.
        controller: ControllerId,
        /// The grant.
        handle: AbilityHandle,
        /// The ability.
        ability: AbilityId,
        /// The run.
        activation: ActivationId,
        /// Why.
        reason: EndReason,
    },
    /// An ability begins to cool down.
    CooldownBegan {
        /// Whose.
        controller: ControllerId,
        /// The grant.
        handle: AbilityHandle,
        /// How long it will; `None` is not known.
        duration: Option<Span>,
    },
    /// An ability has cooled down.
    CooldownEnded {
        /// Whose.
        controller: ControllerId,
        /// The grant.
        handle: AbilityHandle,
    },
    /// An ability has more or fewer charges.
    ChargesChanged {
        /// Whose.
        controller: ControllerId,
        /// The grant.
        handle: AbilityHandle,
        /// Charges now.
        charges: u32,
    },
    /// A gameplay event came (§10.3).
    GameplayEvent {
        /// To whom.
        controller: ControllerId,
        /// What.
        event: GameplayEvent,
    },
    /// An input was pressed (§11).
    InputPressed {
        /// By whom.
        controller: ControllerId,
        /// Which.
        input: InputId,
    },
    /// An input was released (§11).
    InputReleased {
        /// By whom.
        controller: ControllerId,
        /// Which.
        input: InputId,
        /// How long it was held.
        held: Span,
    },
    /// An input came too early and is kept for a moment (§11.3).
    InputBuffered {
        /// Whose.
        controller: ControllerId,
        /// Which.
        input: InputId,
    },
    /// The player confirmed what waits for it.
    Confirmed {
        /// Whose.
        controller: ControllerId,
    },
    /// The player declined what waits for a confirmation.
    Declined {
        /// Whose.
        controller: ControllerId,
    },
    /// The host is asked to carry out a task (A6); see
    /// [`Routine::host_parameters`](crate::task::Routine::host_parameters) for what with.
    HostTaskRequested {
        /// Whose ability asks.
        controller: ControllerId,
        /// The ability.
        ability: AbilityId,
        /// The task, to be completed.
        task: TaskId,
        /// What kind of task.
        kind: Arc<str>,
        /// Its place in the ability's routine.
        step: u32,
    },
    /// The host need not carry out a task any more.
    HostTaskCancelled {
        /// Whose ability asked.
        controller: ControllerId,
        /// The task.
        task: TaskId,
    },
    /// An occurrence of a wait that goes on: the tasks after it run once for it (A10).
    TaskTriggered {
        /// Whose ability waits.
        controller: ControllerId,
        /// The wait.
        task: TaskId,
    },
    /// A wait keeps no more occurrences, and later ones are dropped (A9). Raised once until its queue is empty again.
    OccurrenceLimit {
        /// Whose ability waits.
        controller: ControllerId,
        /// The ability.
        ability: AbilityId,
        /// Place of the wait in the ability's routine.
        step: u32,
        /// How many occurrences it keeps.
        limit: u32,
    },
    /// A task could not be carried out; its ability is cancelled.
    TaskFailed {
        /// Whose ability it is of.
        controller: ControllerId,
        /// The ability.
        ability: AbilityId,
        /// Its place in the ability's routine.
        step: u32,
        /// Why.
        reason: RefusalReason,
    },
    /// A task found nobody to act on, and the ability went on.
    NoTarget {
        /// Whose ability it is of.
        controller: ControllerId,
        /// The ability.
        ability: AbilityId,
        /// Its place in the ability's routine.
        step: u32,
    },
    /// Targets are to be chosen: a reticle can be shown.
    TargetingBegan {
        /// Who chooses.
        controller: ControllerId,
        /// The wait.
        task: TaskId,
        /// Who decides when.
        confirmation: Confirmation,
    },
    /// No target is to be chosen any more.
    TargetingEnded {
        /// Who chose.
        controller: ControllerId,
        /// The wait.
        task: TaskId,
    },
    /// The attribute whose fall is death has fallen (§8.6).
    OwnerDied {
        /// Who.
        controller: ControllerId,
    },
    /// A cue begins (E11).
    CueAdded {
        /// On whom.
        controller: ControllerId,
        /// Which.
        cue: TagId,
        /// With what.
        parameters: CueParameters,
    },
    /// A cue ends (E11).
    CueRemoved {
        /// On whom.
        controller: ControllerId,
        /// Which.
        cue: TagId,
    },
    /// A cue happens once (E11).
    CueExecuted {
        /// On whom.
        controller: ControllerId,
        /// Which.
        cue: TagId,
        /// With what.
        parameters: CueParameters,
    },
    /// Effects kept causing effects; the rest of the chain was dropped (E12).
    CascadeLimit {
        /// The last effects of the chain, the oldest first.
        chain: Vec<EffectId>,
        /// How many pending operations were dropped.
        dropped: u32,
    },
    /// The simulation found itself in a state that its rules exclude. Reported, and the operation skipped (§7.2).
    LogicError {
        /// What was found.
        what: &'static str,
        /// With whom.
        controller: ControllerId,
    },
}

impl EventKind {
    /// The kind's name, as scenarios count events by it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::ControllerSpawned { .. } => "ControllerSpawned",
            Self::ControllerDespawned { .. } => "ControllerDespawned",
            Self::OwnerChanged { .. } => "OwnerChanged",
            Self::AvatarChanged { .. } => "AvatarChanged",
            Self::AttributeSetAdded { .. } => "AttributeSetAdded",
            Self::AttributeSetRemoved { .. } => "AttributeSetRemoved",
            Self::AttributeChanged { .. } => "AttributeChanged",
            Self::TagAdded { .. } => "TagAdded",
            Self::TagCountChanged { .. } => "TagCountChanged",
            Self::TagRemoved { .. } => "TagRemoved",
            Self::BeforeEffectApplied { .. } => "BeforeEffectApplied",
            Self::EffectApplied { .. } => "EffectApplied",
            Self::EffectMerged { .. } => "EffectMerged",
            Self::EffectQueued { .. } => "EffectQueued",
            Self::EffectExecuted { .. } => "EffectExecuted",
            Self::EffectRemoved { .. } => "EffectRemoved",
            Self::EffectStackChanged { .. } => "EffectStackChanged",
            Self::EffectDurationChanged { .. } => "EffectDurationChanged",
            Self::EffectInhibited { .. } => "EffectInhibited",
            Self::EffectResumed { .. } => "EffectResumed",
            Self::EffectRefused(_) => "EffectRefused",
            Self::EffectBlockedByImmunity { .. } => "EffectBlockedByImmunity",
            Self::ModifierInert { .. } => "ModifierInert",
            Self::EvaluationFailed { .. } => "EvaluationFailed",
            Self::DivisorIgnored { .. } => "DivisorIgnored",
            Self::AbilityGranted { .. } => "AbilityGranted",
            Self::AbilityRevoked { .. } => "AbilityRevoked",
            Self::AbilityLevelChanged { .. } => "AbilityLevelChanged",
            Self::AbilityActivated { .. } => "AbilityActivated",
            Self::AbilityRefused(_) => "AbilityRefused",
            Self::AbilityCommitted { .. } => "AbilityCommitted",
            Self::AbilityEnded { .. } => "AbilityEnded",
            Self::AbilityCancelled { .. } => "AbilityCancelled",
            Self::CooldownBegan { .. } => "CooldownBegan",
            Self::CooldownEnded { .. } => "CooldownEnded",
            Self::ChargesChanged { .. } => "ChargesChanged",
            Self::GameplayEvent { .. } => "GameplayEvent",
            Self::InputPressed { .. } => "InputPressed",
            Self::InputReleased { .. } => "InputReleased",
            Self::InputBuffered { .. } => "InputBuffered",
            Self::Confirmed { .. } => "Confirmed",
            Self::Declined { .. } => "Declined",
            Self::HostTaskRequested { .. } => "HostTaskRequested",
            Self::HostTaskCancelled { .. } => "HostTaskCancelled",
            Self::TaskTriggered { .. } => "TaskTriggered",
            Self::OccurrenceLimit { .. } => "OccurrenceLimit",
            Self::TaskFailed { .. } => "TaskFailed",
            Self::NoTarget { .. } => "NoTarget",
            Self::TargetingBegan { .. } => "TargetingBegan",
            Self::TargetingEnded { .. } => "TargetingEnded",
            Self::OwnerDied { .. } => "OwnerDied",
            Self::CueAdded { .. } => "CueAdded",
            Self::CueRemoved { .. } => "CueRemoved",
            Self::CueExecuted { .. } => "CueExecuted",
            Self::CascadeLimit { .. } => "CascadeLimit",
            Self::LogicError { .. } => "LogicError",
        }
    }
}

impl Event {
    /// The event in words, with names instead of ids.
    pub fn describe<'a>(&'a self, simulation: &'a Simulation) -> impl fmt::Display + 'a {
        text::Described { event: self, simulation }
    }
}
