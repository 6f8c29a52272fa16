//! Categories of events, for filters and logs.

use super::EventKind;

/// Category of an event.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum Category {
    /// Spawned, despawned and changed controllers.
    Controller,
    /// Attribute values.
    Attribute,
    /// Tags.
    Tag,
    /// Effects.
    Effect,
    /// Abilities and their triggers.
    Ability,
    /// Tasks, host tasks and targeting.
    Task,
    /// Inputs.
    Input,
    /// Cues.
    Cue,
    /// Errors and violated limits.
    Error,
}

impl EventKind {
    /// Whether it is one of the frequent events, and owns no memory.
    #[inline]
    pub(crate) fn owns_nothing(&self) -> bool {
        match self {
            Self::AttributeChanged { .. }
            | Self::TagAdded { .. }
            | Self::TagRemoved { .. }
            | Self::EffectRemoved { .. }
            | Self::AbilityActivated { .. }
            | Self::AbilityCommitted { .. }
            | Self::CooldownBegan { .. }
            | Self::CooldownEnded { .. } => true,
            Self::EffectApplied { context_tags, .. } | Self::EffectExecuted { context_tags, .. } => {
                context_tags.is_empty()
            }
            _ => false,
        }
    }

    /// The category of the event.
    pub fn category(&self) -> Category {
        match self {
            Self::ControllerSpawned { .. }
            | Self::ControllerDespawned { .. }
            | Self::OwnerChanged { .. }
            | Self::AvatarChanged { .. }
            | Self::AttributeSetAdded { .. }
            | Self::AttributeSetRemoved { .. } => Category::Controller,
            Self::AttributeChanged { .. } => Category::Attribute,
            Self::TagAdded { .. } | Self::TagRemoved { .. } | Self::TagCountChanged { .. } => Category::Tag,
            Self::BeforeEffectApplied { .. }
            | Self::EffectApplied { .. }
            | Self::EffectMerged { .. }
            | Self::EffectQueued { .. }
            | Self::EffectExecuted { .. }
            | Self::EffectRemoved { .. }
            | Self::EffectStackChanged { .. }
            | Self::EffectDurationChanged { .. }
            | Self::EffectInhibited { .. }
            | Self::EffectResumed { .. }
            | Self::EffectRefused(_)
            | Self::EffectBlockedByImmunity { .. }
            | Self::ModifierInert { .. } => Category::Effect,
            Self::AbilityGranted { .. }
            | Self::AbilityRevoked { .. }
            | Self::AbilityLevelChanged { .. }
            | Self::AbilityActivated { .. }
            | Self::AbilityRefused(_)
            | Self::AbilityCommitted { .. }
            | Self::AbilityEnded { .. }
            | Self::AbilityCancelled { .. }
            | Self::CooldownBegan { .. }
            | Self::CooldownEnded { .. }
            | Self::ChargesChanged { .. }
            | Self::GameplayEvent { .. }
            | Self::OwnerDied { .. } => Category::Ability,
            Self::HostTaskRequested { .. }
            | Self::HostTaskCancelled { .. }
            | Self::TaskTriggered { .. }
            | Self::TaskFailed { .. }
            | Self::NoTarget { .. }
            | Self::TargetingBegan { .. }
            | Self::TargetingEnded { .. } => Category::Task,
            Self::InputPressed { .. }
            | Self::InputReleased { .. }
            | Self::InputBuffered { .. }
            | Self::Confirmed { .. }
            | Self::Declined { .. } => Category::Input,
            Self::CueAdded { .. } | Self::CueRemoved { .. } | Self::CueExecuted { .. } => Category::Cue,
            Self::EvaluationFailed { .. }
            | Self::DivisorIgnored { .. }
            | Self::CascadeLimit { .. }
            | Self::OccurrenceLimit { .. }
            | Self::LogicError { .. } => Category::Error,
        }
    }
}
