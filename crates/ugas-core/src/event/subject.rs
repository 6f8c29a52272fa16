//! Subjects of events.

use super::EventKind;
use crate::handle::ControllerId;

impl EventKind {
    /// The controller that the event happened to: the target of an effect, the owner of an ability. Its cause
    /// is in [`Cause`](super::Cause).
    pub fn subject(&self) -> Option<ControllerId> {
        Some(match self {
            Self::ControllerSpawned { controller }
            | Self::ControllerDespawned { controller }
            | Self::OwnerChanged { controller, .. }
            | Self::AvatarChanged { controller, .. }
            | Self::AttributeSetAdded { controller, .. }
            | Self::AttributeSetRemoved { controller, .. }
            | Self::AttributeChanged { controller, .. }
            | Self::TagAdded { controller, .. }
            | Self::TagRemoved { controller, .. }
            | Self::TagCountChanged { controller, .. }
            | Self::EvaluationFailed { controller, .. }
            | Self::DivisorIgnored { controller, .. }
            | Self::AbilityGranted { controller, .. }
            | Self::AbilityRevoked { controller, .. }
            | Self::AbilityLevelChanged { controller, .. }
            | Self::AbilityActivated { controller, .. }
            | Self::AbilityCommitted { controller, .. }
            | Self::AbilityEnded { controller, .. }
            | Self::AbilityCancelled { controller, .. }
            | Self::CooldownBegan { controller, .. }
            | Self::CooldownEnded { controller, .. }
            | Self::ChargesChanged { controller, .. }
            | Self::GameplayEvent { controller, .. }
            | Self::InputPressed { controller, .. }
            | Self::InputReleased { controller, .. }
            | Self::InputBuffered { controller, .. }
            | Self::Confirmed { controller }
            | Self::Declined { controller }
            | Self::HostTaskRequested { controller, .. }
            | Self::HostTaskCancelled { controller, .. }
            | Self::TaskTriggered { controller, .. }
            | Self::OccurrenceLimit { controller, .. }
            | Self::TaskFailed { controller, .. }
            | Self::NoTarget { controller, .. }
            | Self::TargetingBegan { controller, .. }
            | Self::TargetingEnded { controller, .. }
            | Self::OwnerDied { controller }
            | Self::CueAdded { controller, .. }
            | Self::CueRemoved { controller, .. }
            | Self::CueExecuted { controller, .. }
            | Self::LogicError { controller, .. } => *controller,
            Self::BeforeEffectApplied { target, .. }
            | Self::EffectApplied { target, .. }
            | Self::EffectMerged { target, .. }
            | Self::EffectQueued { target, .. }
            | Self::EffectExecuted { target, .. }
            | Self::EffectRemoved { target, .. }
            | Self::EffectStackChanged { target, .. }
            | Self::EffectDurationChanged { target, .. }
            | Self::EffectInhibited { target, .. }
            | Self::EffectResumed { target, .. }
            | Self::EffectBlockedByImmunity { target, .. }
            | Self::ModifierInert { target, .. } => *target,
            Self::EffectRefused(refusal) => refusal.target,
            Self::AbilityRefused(refusal) => refusal.controller?,
            Self::CascadeLimit { .. } => return None,
        })
    }
}
