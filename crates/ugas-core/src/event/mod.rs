//! Events (I7): one ordered stream of everything that happened, polled by the host.

mod arc_pool;
mod category;
mod cue;
mod filter;
#[cfg(feature = "tracing")]
mod log;
mod queue;
mod rollback;
mod subject;
mod text;

use core::fmt;
use std::sync::Arc;

pub(crate) use arc_pool::ArcPool;
pub use category::Category;
pub use cue::{CueDetails, CueParameters};
pub use filter::{EventFilter, EventType};
#[cfg(feature = "tracing")]
pub(crate) use log::log;
pub(crate) use queue::{EventQueue, Origin};
pub use rollback::{OneShotKey, OneShotSubject, RollbackChange, RollbackEvents};

use crate::ability::{ActivationRefusal, EndReason, GameplayEvent};
use crate::effect::{ContextTags, PredictionKey};
use crate::handle::{ActivationId, ActiveEffectId, ControllerId, GrantedAbilityId, TaskId};
use crate::id::{AbilityId, ActorId, AttributeId, AttributeSetId, EffectId, TagId};
use crate::input::InputId;
use crate::refusal::{Refusal, RefusalReason};
use crate::simulation::Simulation;
use crate::targeting::Confirmation;
use crate::time::{Span, Time};

/// The cause of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cause {
    /// Number of the call or timer that started the cascade.
    pub operation: u64,
    /// The effect that caused it.
    pub effect: Option<EffectId>,
    /// Handle of the active effect, if there is one.
    pub active: Option<ActiveEffectId>,
    /// The source of the effect.
    pub source: Option<ControllerId>,
    /// The ability that caused it or applied the effect.
    pub ability: Option<GrantedAbilityId>,
}

/// An event: something that happened.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    /// Sequence number in the stream.
    pub sequence: u64,
    /// Simulation time.
    pub time: Time,
    /// The cause.
    pub cause: Cause,
    /// Key of the prediction it belongs to.
    pub prediction: Option<PredictionKey>,
    /// The kind of event, with its data.
    pub kind: EventKind,
}

/// An event in the queue of a simulation, by reference: see
/// [`Simulation::visit_events`](crate::simulation::Simulation::visit_events).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EventRef<'a> {
    /// Sequence number in the stream.
    pub sequence: u64,
    /// Simulation time.
    pub time: Time,
    /// The cause.
    pub cause: &'a Cause,
    /// Key of the prediction it belongs to.
    pub prediction: Option<PredictionKey>,
    /// The kind of event, with its data.
    pub kind: &'a EventKind,
}

/// Why an active effect was removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RemovalReason {
    /// Its duration ended.
    Expired,
    /// It was removed early: by a call, a query or another effect.
    Removed,
    /// The target got a tag that removes it.
    RemovedByTag,
    /// Its stack overflowed and was cleared (E5).
    Overflowed,
    /// Its target was despawned.
    TargetGone,
    /// A reload removed its definition, or changed it so that the effect cannot continue (R5).
    Reloaded,
}

/// The kind of an event, with its data.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum EventKind {
    /// A controller was spawned.
    ControllerSpawned {
        /// The controller.
        controller: ControllerId,
    },
    /// A controller was despawned.
    ControllerDespawned {
        /// The controller.
        controller: ControllerId,
    },
    /// A controller got another owner, or none (§4.2).
    OwnerChanged {
        /// The controller.
        controller: ControllerId,
        /// Owner before.
        old: Option<ActorId>,
        /// Owner now.
        new: Option<ActorId>,
    },
    /// A controller got another avatar, or none (§4.3).
    AvatarChanged {
        /// The controller.
        controller: ControllerId,
        /// Avatar before.
        old: Option<ActorId>,
        /// Avatar now.
        new: Option<ActorId>,
    },
    /// An attribute set was registered.
    AttributeSetAdded {
        /// The controller.
        controller: ControllerId,
        /// The attribute set.
        set: AttributeSetId,
    },
    /// An attribute set was unregistered.
    AttributeSetRemoved {
        /// The controller.
        controller: ControllerId,
        /// The attribute set.
        set: AttributeSetId,
    },
    /// A base or current value changed (§5.6, B5).
    AttributeChanged {
        /// The controller.
        controller: ControllerId,
        /// The attribute.
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
        /// The controller.
        controller: ControllerId,
        /// The tag.
        tag: TagId,
    },
    /// A tag's cumulative count reached zero (§7.2).
    TagRemoved {
        /// The controller.
        controller: ControllerId,
        /// The tag.
        tag: TagId,
    },
    /// The explicit count of a tag changed (T6). Only emitted with
    /// [`Config::tag_counts`](crate::simulation::Config::tag_counts). It has the sequence number of the event
    /// that follows it, so the setting changes no state.
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
    /// An effect is about to be applied (E1, §15.4). Only emitted if the configuration asks for an audit.
    BeforeEffectApplied {
        /// The effect definition.
        effect: EffectId,
        /// The target of the effect.
        target: ControllerId,
        /// Base and current values of the attributes that it is known to change; see
        /// [`Effect::written_attributes`](crate::effect::Effect::written_attributes).
        values: Vec<(AttributeId, f64, f64)>,
    },
    /// An effect became active, or a queued one began (§9.2, E4).
    EffectApplied {
        /// The effect definition.
        effect: EffectId,
        /// Handle of the active effect.
        active: ActiveEffectId,
        /// The target of the effect.
        target: ControllerId,
        /// Context tags of the application (E14).
        context_tags: ContextTags,
    },
    /// An application was merged into an existing instance (E4).
    EffectMerged {
        /// The effect definition.
        effect: EffectId,
        /// Handle of the active effect.
        active: ActiveEffectId,
        /// The target of the effect.
        target: ControllerId,
    },
    /// An effect was queued (E4).
    EffectQueued {
        /// The effect definition.
        effect: EffectId,
        /// Handle of the active effect.
        active: ActiveEffectId,
        /// The target of the effect.
        target: ControllerId,
    },
    /// An effect wrote base values: an instant effect, or a tick of a periodic one.
    EffectExecuted {
        /// The effect definition.
        effect: EffectId,
        /// Handle of the active effect, if it is periodic.
        active: Option<ActiveEffectId>,
        /// The target of the effect.
        target: ControllerId,
        /// Context tags of the execution: those of its spec, and those that its calculations marked (E14).
        context_tags: ContextTags,
    },
    /// An active effect was removed.
    EffectRemoved {
        /// The effect definition.
        effect: EffectId,
        /// Handle of the active effect.
        active: ActiveEffectId,
        /// The target of the effect.
        target: ControllerId,
        /// Stacks that it had.
        stacks: u32,
        /// The reason.
        reason: RemovalReason,
    },
    /// A stack count changed.
    EffectStackChanged {
        /// The effect definition.
        effect: EffectId,
        /// Handle of the active effect.
        active: ActiveEffectId,
        /// The target of the effect.
        target: ControllerId,
        /// Count before.
        old: u32,
        /// Count now.
        new: u32,
    },
    /// The time left of an active effect was changed.
    EffectDurationChanged {
        /// The effect definition.
        effect: EffectId,
        /// Handle of the active effect.
        active: ActiveEffectId,
        /// The target of the effect.
        target: ControllerId,
        /// Time left now; `None` if it is infinite.
        remaining: Option<Span>,
    },
    /// The ongoing requirements of an active effect no longer hold (E7).
    EffectInhibited {
        /// The effect definition.
        effect: EffectId,
        /// Handle of the active effect.
        active: ActiveEffectId,
        /// The target of the effect.
        target: ControllerId,
    },
    /// The ongoing requirements of an active effect hold again (E7).
    EffectResumed {
        /// The effect definition.
        effect: EffectId,
        /// Handle of the active effect.
        active: ActiveEffectId,
        /// The target of the effect.
        target: ControllerId,
    },
    /// An application was refused; nothing changed (E1).
    EffectRefused(Arc<Refusal>),
    /// An application was refused because of an immunity.
    EffectBlockedByImmunity {
        /// The effect definition.
        effect: EffectId,
        /// The immune target.
        target: ControllerId,
        /// The effect that grants the immunity.
        by: ActiveEffectId,
    },
    /// A modifier has no effect: the target lacks the attribute, or it is derived (M6).
    ModifierInert {
        /// The effect definition.
        effect: EffectId,
        /// Index of the modifier in the effect.
        modifier: u16,
        /// The attribute.
        attribute: AttributeId,
        /// The target of the effect.
        target: ControllerId,
    },
    /// A value could not be evaluated and is unchanged (V2).
    EvaluationFailed {
        /// The controller.
        controller: ControllerId,
        /// The attribute.
        attribute: AttributeId,
    },
    /// A divisor was close to zero and counted as 1 (M3).
    DivisorIgnored {
        /// The controller.
        controller: ControllerId,
        /// The attribute.
        attribute: AttributeId,
    },
    /// An ability was granted (§9.8).
    AbilityGranted {
        /// The controller.
        controller: ControllerId,
        /// Handle of the granted ability.
        handle: GrantedAbilityId,
        /// The ability definition.
        ability: AbilityId,
    },
    /// An ability was revoked.
    AbilityRevoked {
        /// The controller.
        controller: ControllerId,
        /// Handle of the granted ability.
        handle: GrantedAbilityId,
        /// The ability definition.
        ability: AbilityId,
    },
    /// The level of an ability changed.
    AbilityLevelChanged {
        /// The controller.
        controller: ControllerId,
        /// Handle of the granted ability.
        handle: GrantedAbilityId,
        /// Level before.
        old: u32,
        /// Level now.
        new: u32,
    },
    /// An ability was activated (§8.2).
    AbilityActivated {
        /// The controller.
        controller: ControllerId,
        /// Handle of the granted ability.
        handle: GrantedAbilityId,
        /// The ability definition.
        ability: AbilityId,
        /// Handle of the activation.
        activation: ActivationId,
    },
    /// An ability could not be activated or committed; nothing changed (A1).
    AbilityRefused(ActivationRefusal),
    /// An ability committed: cost, cooldown and owned tags, as requested (§8.4).
    AbilityCommitted {
        /// The controller.
        controller: ControllerId,
        /// Handle of the granted ability.
        handle: GrantedAbilityId,
        /// The ability definition.
        ability: AbilityId,
        /// Handle of the activation.
        activation: ActivationId,
    },
    /// An ability ended (§8.2).
    AbilityEnded {
        /// The controller.
        controller: ControllerId,
        /// Handle of the granted ability.
        handle: GrantedAbilityId,
        /// The ability definition.
        ability: AbilityId,
        /// Handle of the activation.
        activation: ActivationId,
        /// The reason.
        reason: EndReason,
    },
    /// An ability was cancelled (§8.6).
    AbilityCancelled {
        /// The controller.
        controller: ControllerId,
        /// Handle of the granted ability.
        handle: GrantedAbilityId,
        /// The ability definition.
        ability: AbilityId,
        /// Handle of the activation.
        activation: ActivationId,
        /// The reason.
        reason: EndReason,
    },
    /// The cooldown of an ability began.
    CooldownBegan {
        /// The controller.
        controller: ControllerId,
        /// Handle of the granted ability.
        handle: GrantedAbilityId,
        /// Length of the cooldown; `None` if it is not known.
        duration: Option<Span>,
    },
    /// The cooldown of an ability ended.
    CooldownEnded {
        /// The controller.
        controller: ControllerId,
        /// Handle of the granted ability.
        handle: GrantedAbilityId,
    },
    /// The charges of an ability changed.
    ChargesChanged {
        /// The controller.
        controller: ControllerId,
        /// Handle of the granted ability.
        handle: GrantedAbilityId,
        /// Charges now.
        charges: u32,
    },
    /// A gameplay event was received (§10.3).
    GameplayEvent {
        /// The controller.
        controller: ControllerId,
        /// The event.
        event: GameplayEvent,
    },
    /// An input was pressed (§11).
    InputPressed {
        /// The controller.
        controller: ControllerId,
        /// The input.
        input: InputId,
    },
    /// An input was released (§11).
    InputReleased {
        /// The controller.
        controller: ControllerId,
        /// The input.
        input: InputId,
        /// How long it was held.
        held: Span,
    },
    /// An input was pressed too early and is kept for a while (§11.3).
    InputBuffered {
        /// The controller.
        controller: ControllerId,
        /// The input.
        input: InputId,
    },
    /// The player confirmed the waiting tasks.
    Confirmed {
        /// The controller.
        controller: ControllerId,
    },
    /// The player declined the waiting tasks.
    Declined {
        /// The controller.
        controller: ControllerId,
    },
    /// The host is asked to execute a task (A6); see
    /// [`Routine::host_parameters`](crate::task::Routine::host_parameters) for its parameters.
    HostTaskRequested {
        /// The owner of the ability.
        controller: ControllerId,
        /// The ability definition.
        ability: AbilityId,
        /// The task, which the host must complete.
        task: TaskId,
        /// Kind of the task.
        kind: Arc<str>,
        /// Index of the step in the ability's program.
        step: u32,
    },
    /// The host need not execute a task any more.
    HostTaskCancelled {
        /// The owner of the ability.
        controller: ControllerId,
        /// The task.
        task: TaskId,
    },
    /// A repeating wait occurred: the tasks after it run once for it (A10).
    TaskTriggered {
        /// The owner of the ability.
        controller: ControllerId,
        /// The wait.
        task: TaskId,
    },
    /// The queue of a wait is full, and later occurrences are dropped (A9). Emitted once until the queue is
    /// empty again.
    OccurrenceLimit {
        /// The owner of the ability.
        controller: ControllerId,
        /// The ability definition.
        ability: AbilityId,
        /// Index of the wait in the ability's program.
        step: u32,
        /// Number of occurrences that it queues.
        limit: u32,
    },
    /// A task failed; its ability is cancelled.
    TaskFailed {
        /// The owner of the ability.
        controller: ControllerId,
        /// The ability definition.
        ability: AbilityId,
        /// Index of the step in the ability's program.
        step: u32,
        /// The reason.
        reason: RefusalReason,
    },
    /// A task found no target, and the ability continued.
    NoTarget {
        /// The owner of the ability.
        controller: ControllerId,
        /// The ability definition.
        ability: AbilityId,
        /// Index of the step in the ability's program.
        step: u32,
    },
    /// A task waits for targets: the host can show a reticle.
    TargetingBegan {
        /// The controller whose ability waits for targets.
        controller: ControllerId,
        /// The wait.
        task: TaskId,
        /// How the choice is confirmed.
        confirmation: Confirmation,
    },
    /// A task no longer waits for targets.
    TargetingEnded {
        /// The controller whose ability waited for targets.
        controller: ControllerId,
        /// The wait.
        task: TaskId,
    },
    /// The attribute of death fell to its threshold (§8.6).
    OwnerDied {
        /// The controller.
        controller: ControllerId,
    },
    /// A looping cue begins (E11).
    CueAdded {
        /// The controller.
        controller: ControllerId,
        /// Tag of the cue.
        cue: TagId,
        /// Parameters of the cue.
        parameters: CueParameters,
    },
    /// A looping cue ends (E11).
    CueRemoved {
        /// The controller.
        controller: ControllerId,
        /// Tag of the cue.
        cue: TagId,
    },
    /// A cue is executed once (E11).
    CueExecuted {
        /// The controller.
        controller: ControllerId,
        /// Tag of the cue.
        cue: TagId,
        /// Parameters of the cue.
        parameters: CueParameters,
    },
    /// Effects kept causing effects; the rest of the cascade was dropped (E12).
    CascadeLimit {
        /// The last effects of the chain, the oldest first.
        chain: Vec<EffectId>,
        /// Number of pending consequences that were dropped.
        dropped: u32,
    },
    /// The simulation found an inconsistent state. The operation is skipped (§7.2).
    LogicError {
        /// Description of the inconsistency.
        what: &'static str,
        /// The controller.
        controller: ControllerId,
    },
}

impl Event {
    /// The event as text, with names instead of ids.
    pub fn describe<'a>(&'a self, simulation: &'a Simulation) -> impl fmt::Display + 'a {
        EventRef::from(self).describe(simulation)
    }
}

impl<'a> EventRef<'a> {
    /// The event as text, with names instead of ids.
    pub fn describe(self, simulation: &'a Simulation) -> impl fmt::Display + 'a {
        text::Described { event: self, simulation }
    }

    /// Copies the event.
    pub fn to_owned(self) -> Event {
        let Self { sequence, time, cause, prediction, kind } = self;
        Event { sequence, time, cause: *cause, prediction, kind: kind.clone() }
    }
}

impl From<EventRef<'_>> for Event {
    fn from(event: EventRef<'_>) -> Self {
        event.to_owned()
    }
}

impl<'a> From<&'a Event> for EventRef<'a> {
    fn from(event: &'a Event) -> Self {
        let Event { sequence, time, cause, prediction, kind } = event;
        Self { sequence: *sequence, time: *time, cause, prediction: *prediction, kind }
    }
}
