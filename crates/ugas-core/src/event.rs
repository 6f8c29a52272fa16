//! Events (I7): one ordered stream of everything that happened, polled by the host.

use core::fmt;

use smallvec::SmallVec;

use crate::effect::PredictionKey;
use crate::handle::{AbilityHandle, ActiveEffectId, ControllerId};
use crate::id::{AbilityId, ActorId, AttributeId, AttributeSetId, EffectId, TagId};
use crate::refusal::Refusal;
use crate::simulation::Simulation;
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

/// What a cue is shown with (§12).
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct CueParameters {
    /// Magnitude of the modifier that the effect names, 0 without one.
    pub magnitude: f64,
    /// Level of the effect.
    pub level: f64,
    /// Where, if the effect knows.
    pub location: Option<crate::effect::Vector3>,
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
    /// An effect is about to be applied (E1, §15.4); raised when the configuration asks for an audit.
    BeforeEffectApplied {
        /// Which.
        effect: EffectId,
        /// To whom.
        target: ControllerId,
        /// Base and current values of the attributes that it is known to change; see
        /// [`Effect::written_attributes`](crate::effect::Effect::written_attributes).
        values: SmallVec<[(AttributeId, f64, f64); 2]>,
    },
    /// An effect became active, or a queued one began (§9.2, E4).
    EffectApplied {
        /// Which.
        effect: EffectId,
        /// Its instance.
        active: ActiveEffectId,
        /// On whom.
        target: ControllerId,
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
    EffectRefused(Box<Refusal>),
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
        Described { event: self, simulation }
    }
}

struct Described<'a> {
    event: &'a Event,
    simulation: &'a Simulation,
}

impl fmt::Display for Described<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sim, catalog) = (self.simulation, self.simulation.catalog());
        let effect = |id: EffectId| sim.effect_name(id);
        let attribute = |id| catalog.attribute_name(id);
        let tag = |id| catalog.tag_name(id);
        write!(f, "{:>8.3}s  {:<24}", self.event.time.as_seconds(), self.event.kind.name())?;
        match &self.event.kind {
            EventKind::ControllerSpawned { controller } | EventKind::ControllerDespawned { controller } => {
                write!(f, "{controller:?}")
            }
            EventKind::OwnerChanged { controller, old, new }
            | EventKind::AvatarChanged { controller, old, new } => {
                write!(f, "{controller:?}: {old:?} -> {new:?}")
            }
            EventKind::AttributeSetAdded { controller, set }
            | EventKind::AttributeSetRemoved { controller, set } => {
                write!(f, "{controller:?} {}", catalog.set_name(*set))
            }
            EventKind::AttributeChanged { controller, attribute: id, old_base, new_base, old, new } => {
                write!(f, "{controller:?} {} {old} -> {new}", attribute(*id))?;
                if old_base != new_base {
                    write!(f, " (base {old_base} -> {new_base})")?;
                }
                if let Some(cause) = self.event.cause.effect {
                    write!(f, " by {}", effect(cause))?;
                }
                Ok(())
            }
            EventKind::TagAdded { controller, tag: id } | EventKind::TagRemoved { controller, tag: id } => {
                write!(f, "{controller:?} {}", tag(*id))
            }
            EventKind::EffectApplied { effect: id, active, target } => {
                write!(f, "{} on {target:?} as {active:?}", effect(*id))
            }
            EventKind::EffectMerged { effect: id, active, target }
            | EventKind::EffectQueued { effect: id, active, target }
            | EventKind::EffectInhibited { effect: id, active, target }
            | EventKind::EffectResumed { effect: id, active, target } => {
                write!(f, "{} ({active:?}) on {target:?}", effect(*id))
            }
            EventKind::BeforeEffectApplied { effect: id, target, .. }
            | EventKind::EffectExecuted { effect: id, target, .. } => {
                write!(f, "{} on {target:?}", effect(*id))
            }
            EventKind::EffectRemoved { effect: id, active, target, reason, .. } => {
                write!(f, "{} ({active:?}) from {target:?}: {reason:?}", effect(*id))
            }
            EventKind::EffectStackChanged { effect: id, target, old, new, .. } => {
                write!(f, "{} on {target:?} {old} -> {new}", effect(*id))
            }
            EventKind::EffectDurationChanged { effect: id, target, remaining, .. } => match remaining {
                Some(remaining) => write!(f, "{} on {target:?} {remaining} left", effect(*id)),
                None => write!(f, "{} on {target:?} for ever", effect(*id)),
            },
            EventKind::EffectRefused(refusal) => write!(f, "{}", refusal.describe(sim)),
            EventKind::EffectBlockedByImmunity { effect: id, target, by } => {
                write!(f, "{} on {target:?} by {by:?}", effect(*id))
            }
            EventKind::ModifierInert { effect: id, modifier, attribute: on, target } => {
                write!(f, "modifier {modifier} of {} has no {} on {target:?}", effect(*id), attribute(*on))
            }
            EventKind::EvaluationFailed { controller, attribute: id }
            | EventKind::DivisorIgnored { controller, attribute: id } => {
                write!(f, "{controller:?} {}", attribute(*id))
            }
            EventKind::AbilityGranted { controller, ability, .. }
            | EventKind::AbilityRevoked { controller, ability, .. } => {
                write!(f, "{controller:?} {}", catalog.ability_name(*ability))
            }
            EventKind::CueAdded { controller, cue, parameters }
            | EventKind::CueExecuted { controller, cue, parameters } => {
                write!(f, "{controller:?} {} magnitude {}", tag(*cue), parameters.magnitude)
            }
            EventKind::CueRemoved { controller, cue } => write!(f, "{controller:?} {}", tag(*cue)),
            EventKind::CascadeLimit { chain, dropped } => {
                write!(f, "{dropped} operations dropped after")?;
                for id in chain {
                    write!(f, " {}", effect(*id))?;
                }
                Ok(())
            }
            EventKind::LogicError { what, controller } => write!(f, "{controller:?}: {what}"),
        }
    }
}
