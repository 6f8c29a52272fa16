//! Whom an event is about.

use ugas_core::event::{Event, EventKind};
use ugas_core::handle::ControllerId;

/// The controllers that an event is about: the one it happened to first, then who caused it.
pub(crate) fn concerned(event: &Event) -> Vec<ControllerId> {
    let mut concerned: Vec<ControllerId> = primary(&event.kind).into_iter().collect();
    let others = match &event.kind {
        EventKind::GameplayEvent { event, .. } => [event.instigator, event.target],
        _ => [event.cause.source, None],
    };
    for other in others.into_iter().flatten() {
        if !concerned.contains(&other) {
            concerned.push(other);
        }
    }
    concerned
}

fn primary(kind: &EventKind) -> Option<ControllerId> {
    Some(match kind {
        EventKind::ControllerSpawned { controller }
        | EventKind::ControllerDespawned { controller }
        | EventKind::OwnerChanged { controller, .. }
        | EventKind::AvatarChanged { controller, .. }
        | EventKind::AttributeSetAdded { controller, .. }
        | EventKind::AttributeSetRemoved { controller, .. }
        | EventKind::AttributeChanged { controller, .. }
        | EventKind::TagAdded { controller, .. }
        | EventKind::TagRemoved { controller, .. }
        | EventKind::EvaluationFailed { controller, .. }
        | EventKind::DivisorIgnored { controller, .. }
        | EventKind::AbilityGranted { controller, .. }
        | EventKind::AbilityRevoked { controller, .. }
        | EventKind::AbilityLevelChanged { controller, .. }
        | EventKind::AbilityActivated { controller, .. }
        | EventKind::AbilityCommitted { controller, .. }
        | EventKind::AbilityEnded { controller, .. }
        | EventKind::AbilityCancelled { controller, .. }
        | EventKind::CooldownBegan { controller, .. }
        | EventKind::CooldownEnded { controller, .. }
        | EventKind::ChargesChanged { controller, .. }
        | EventKind::GameplayEvent { controller, .. }
        | EventKind::InputPressed { controller, .. }
        | EventKind::InputReleased { controller, .. }
        | EventKind::InputBuffered { controller, .. }
        | EventKind::Confirmed { controller }
        | EventKind::Declined { controller }
        | EventKind::HostTaskRequested { controller, .. }
        | EventKind::HostTaskCancelled { controller, .. }
        | EventKind::TaskTriggered { controller, .. }
        | EventKind::TaskFailed { controller, .. }
        | EventKind::NoTarget { controller, .. }
        | EventKind::TargetingBegan { controller, .. }
        | EventKind::TargetingEnded { controller, .. }
        | EventKind::OwnerDied { controller }
        | EventKind::CueAdded { controller, .. }
        | EventKind::CueRemoved { controller, .. }
        | EventKind::CueExecuted { controller, .. }
        | EventKind::LogicError { controller, .. } => *controller,
        EventKind::BeforeEffectApplied { target, .. }
        | EventKind::EffectApplied { target, .. }
        | EventKind::EffectMerged { target, .. }
        | EventKind::EffectQueued { target, .. }
        | EventKind::EffectExecuted { target, .. }
        | EventKind::EffectRemoved { target, .. }
        | EventKind::EffectStackChanged { target, .. }
        | EventKind::EffectDurationChanged { target, .. }
        | EventKind::EffectInhibited { target, .. }
        | EventKind::EffectResumed { target, .. }
        | EventKind::EffectBlockedByImmunity { target, .. }
        | EventKind::ModifierInert { target, .. } => *target,
        EventKind::EffectRefused(refusal) => refusal.target,
        EventKind::AbilityRefused(refusal) => return refusal.controller,
        _ => return None,
    })
}
