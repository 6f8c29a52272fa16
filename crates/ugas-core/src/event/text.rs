//! Events as text, with names instead of ids.

use core::fmt;

use super::{EventKind, EventRef};
use crate::id::EffectId;
use crate::simulation::Simulation;

/// Displays an event as text.
pub(super) struct Described<'a> {
    pub(super) event: EventRef<'a>,
    pub(super) simulation: &'a Simulation,
}

impl fmt::Display for Described<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sim, catalog) = (self.simulation, self.simulation.catalog());
        let effect = |id: EffectId| sim.effect_name(id);
        let attribute = |id| catalog.attribute_name(id);
        let tag = |id| catalog.tag_name(id);
        let granted = |handle| match sim.ability(handle) {
            Some(granted) => catalog.ability_name(granted.ability()),
            None => "an ability that is gone",
        };
        let task = |ability, step| {
            let ability = catalog.ability_by_id(ability);
            ability.and_then(|ability| ability.routine().kind(step)).unwrap_or("a task")
        };
        write!(f, "{:>8.3}s  {:<24}", self.event.time.as_seconds(), self.event.kind.name())?;
        match self.event.kind {
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
            EventKind::TagCountChanged { controller, tag: id, old, new } => {
                write!(f, "{controller:?} {} {old} -> {new}", tag(*id))
            }
            EventKind::EffectApplied { effect: id, active, target, .. } => {
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
            | EventKind::AbilityActivated { controller, ability, .. }
            | EventKind::AbilityCommitted { controller, ability, .. }
            | EventKind::AbilityRevoked { controller, ability, .. } => {
                write!(f, "{controller:?} {}", catalog.ability_name(*ability))
            }
            EventKind::AbilityLevelChanged { handle, old, new, .. } => {
                write!(f, "{} {old} -> {new}", granted(*handle))
            }
            EventKind::AbilityRefused(refusal) => f.write_str(&refusal.describe(sim)),
            EventKind::AbilityEnded { controller, ability, reason, .. }
            | EventKind::AbilityCancelled { controller, ability, reason, .. } => {
                write!(f, "{controller:?} {}: {reason:?}", catalog.ability_name(*ability))
            }
            EventKind::CooldownBegan { controller, handle, duration } => match duration {
                Some(duration) => write!(f, "{controller:?} {} for {duration}", granted(*handle)),
                None => write!(f, "{controller:?} {}", granted(*handle)),
            },
            EventKind::CooldownEnded { controller, handle } => {
                write!(f, "{controller:?} {}", granted(*handle))
            }
            EventKind::ChargesChanged { controller, handle, charges } => {
                write!(f, "{controller:?} {}: {charges}", granted(*handle))
            }
            EventKind::GameplayEvent { controller, event } => {
                write!(f, "{controller:?} {} magnitude {}", tag(event.tag), event.magnitude)
            }
            EventKind::InputPressed { controller, input }
            | EventKind::InputBuffered { controller, input } => {
                write!(f, "{controller:?} {input}")
            }
            EventKind::InputReleased { controller, input, held } => {
                write!(f, "{controller:?} {input} after {held}")
            }
            EventKind::Confirmed { controller }
            | EventKind::Declined { controller }
            | EventKind::OwnerDied { controller } => write!(f, "{controller:?}"),
            EventKind::HostTaskRequested { controller, ability, task, kind, .. } => {
                write!(f, "{controller:?} {} asks for {kind} ({task:?})", catalog.ability_name(*ability))
            }
            EventKind::HostTaskCancelled { controller, task }
            | EventKind::TaskTriggered { controller, task }
            | EventKind::TargetingBegan { controller, task, .. }
            | EventKind::TargetingEnded { controller, task } => write!(f, "{controller:?} {task:?}"),
            EventKind::TaskFailed { controller, ability, step, reason } => {
                let (name, reason) = (catalog.ability_name(*ability), reason.describe(sim));
                write!(f, "{controller:?} {name}, {}: {reason}", task(*ability, *step))
            }
            EventKind::OccurrenceLimit { controller, ability, step, limit } => {
                let name = catalog.ability_name(*ability);
                write!(f, "{controller:?} {name}, {}: no more than {limit} are kept", task(*ability, *step))
            }
            EventKind::NoTarget { controller, ability, step } => {
                let name = catalog.ability_name(*ability);
                write!(f, "{controller:?} {name}, {}", task(*ability, *step))
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
