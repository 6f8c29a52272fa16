//! Translation of unpolled events and waiting effect queues to the new catalog. An id of a removed definition
//! becomes one that names nothing.

use std::sync::Arc;

use super::Reload;
use crate::ability::{ActivationReason, EndReason, RefusedActivation};
use crate::effect::calculation::CalculationError;
use crate::event::{CueDetails, Event, EventKind};
use crate::expr::EvalError;
use crate::refusal::{Refusal, RefusalReason};
use crate::reload::Renumbering;
use crate::tag::TagBits;

impl Reload<'_> {
    /// Translates the events that have not been polled yet.
    pub(super) fn translate_events(&mut self) {
        self.next.events.clear();
        self.next.events.extend(self.old.events.iter().map(|event| self.ids.event(event.to_owned())));
    }

    /// Translates the effect queues that an exhausted cascade left waiting; they keep waiting for the next
    /// operation.
    pub(super) fn translate_waiting(&mut self) {
        for &(effect, target) in &self.old.scratch.cascade.begins {
            if let Some(effect) = self.ids.effect(effect) {
                self.next.scratch.cascade.begins.push_back((effect, target));
            }
        }
    }
}

impl Renumbering {
    /// Translates the ids in an event and its cause.
    fn event(&self, mut event: Event) -> Event {
        event.cause.effect = event.cause.effect.map(|effect| self.effect_or_unknown(effect));
        self.event_kind(&mut event.kind);
        event
    }

    /// Translates the ids in the data of an event.
    fn event_kind(&self, kind: &mut EventKind) {
        match kind {
            EventKind::ControllerSpawned { .. }
            | EventKind::ControllerDespawned { .. }
            | EventKind::OwnerChanged { .. }
            | EventKind::AvatarChanged { .. }
            | EventKind::AbilityLevelChanged { .. }
            | EventKind::CooldownBegan { .. }
            | EventKind::CooldownEnded { .. }
            | EventKind::ChargesChanged { .. }
            | EventKind::InputPressed { .. }
            | EventKind::InputReleased { .. }
            | EventKind::InputBuffered { .. }
            | EventKind::Confirmed { .. }
            | EventKind::Declined { .. }
            | EventKind::HostTaskCancelled { .. }
            | EventKind::TaskTriggered { .. }
            | EventKind::TargetingBegan { .. }
            | EventKind::TargetingEnded { .. }
            | EventKind::OwnerDied { .. }
            | EventKind::LogicError { .. } => {}
            EventKind::AttributeSetAdded { set, .. } | EventKind::AttributeSetRemoved { set, .. } => {
                *set = self.set_or_unknown(*set);
            }
            EventKind::AttributeChanged { attribute, .. }
            | EventKind::EvaluationFailed { attribute, .. }
            | EventKind::DivisorIgnored { attribute, .. } => {
                *attribute = self.attribute_or_unknown(*attribute);
            }
            EventKind::TagAdded { tag, .. }
            | EventKind::TagRemoved { tag, .. }
            | EventKind::TagCountChanged { tag, .. } => {
                *tag = self.tag_or_unknown(*tag);
            }
            EventKind::CueRemoved { cue, .. } => *cue = self.tag_or_unknown(*cue),
            EventKind::CueAdded { cue, parameters, .. } | EventKind::CueExecuted { cue, parameters, .. } => {
                *cue = self.tag_or_unknown(*cue);
                if let Some(details) = &mut parameters.details {
                    self.cue_details(Arc::make_mut(details));
                }
            }
            EventKind::BeforeEffectApplied { effect, values, .. } => {
                *effect = self.effect_or_unknown(*effect);
                for (attribute, ..) in values {
                    *attribute = self.attribute_or_unknown(*attribute);
                }
            }
            EventKind::ModifierInert { effect, attribute, .. } => {
                *effect = self.effect_or_unknown(*effect);
                *attribute = self.attribute_or_unknown(*attribute);
            }
            EventKind::EffectApplied { effect, context_tags, .. }
            | EventKind::EffectExecuted { effect, context_tags, .. } => {
                *effect = self.effect_or_unknown(*effect);
                *context_tags = context_tags.iter().map(|tag| self.tag_or_unknown(tag)).collect();
            }
            EventKind::EffectMerged { effect, .. }
            | EventKind::EffectQueued { effect, .. }
            | EventKind::EffectRemoved { effect, .. }
            | EventKind::EffectStackChanged { effect, .. }
            | EventKind::EffectDurationChanged { effect, .. }
            | EventKind::EffectInhibited { effect, .. }
            | EventKind::EffectResumed { effect, .. }
            | EventKind::EffectBlockedByImmunity { effect, .. } => {
                *effect = self.effect_or_unknown(*effect);
            }
            EventKind::EffectRefused(refusal) => self.refusal(Arc::make_mut(refusal)),
            EventKind::AbilityGranted { ability, .. }
            | EventKind::AbilityRevoked { ability, .. }
            | EventKind::AbilityActivated { ability, .. }
            | EventKind::AbilityCommitted { ability, .. }
            | EventKind::HostTaskRequested { ability, .. }
            | EventKind::OccurrenceLimit { ability, .. }
            | EventKind::NoTarget { ability, .. } => *ability = self.ability_or_unknown(*ability),
            EventKind::AbilityEnded { ability, reason, .. }
            | EventKind::AbilityCancelled { ability, reason, .. } => {
                *ability = self.ability_or_unknown(*ability);
                if let EndReason::CancelledByTag(tag) | EndReason::TriggerGone(tag) = reason {
                    *tag = self.tag_or_unknown(*tag);
                }
            }
            EventKind::TaskFailed { ability, reason, .. } => {
                *ability = self.ability_or_unknown(*ability);
                self.reason(reason);
            }
            EventKind::AbilityRefused(refusal) => self.activation_refusal(Arc::make_mut(&mut refusal.0)),
            EventKind::GameplayEvent { event, .. } => {
                event.tag = self.tag_or_unknown(event.tag);
                if let Some(details) = &mut event.details {
                    for tag in &mut Arc::make_mut(details).context_tags {
                        *tag = self.tag_or_unknown(*tag);
                    }
                }
            }
            EventKind::CascadeLimit { chain, .. } => {
                for effect in chain {
                    *effect = self.effect_or_unknown(*effect);
                }
            }
        }
    }

    fn refusal(&self, refusal: &mut Refusal) {
        refusal.effect = self.effect_or_unknown(refusal.effect);
        for reason in refusal.reasons.iter_mut() {
            self.reason(reason);
        }
    }

    fn activation_refusal(&self, refusal: &mut RefusedActivation) {
        refusal.ability = refusal.ability.map(|ability| self.ability_or_unknown(ability));
        for reason in &mut refusal.reasons {
            match reason {
                ActivationReason::UnknownController(_)
                | ActivationReason::NotGranted
                | ActivationReason::AlreadyActive
                | ActivationReason::NoAvatar
                | ActivationReason::ControllerInactive(_)
                | ActivationReason::NoCharges
                | ActivationReason::OutOfRange
                | ActivationReason::NotAuthorised
                | ActivationReason::NotPredicted
                | ActivationReason::ClientOnly
                | ActivationReason::LimitReached(_) => {}
                ActivationReason::UnknownAbility(ability) => *ability = self.ability_or_unknown(*ability),
                ActivationReason::BlockedByAbility { tag, .. }
                | ActivationReason::MissingTag { tag, .. }
                | ActivationReason::BlockedTag { tag, .. }
                | ActivationReason::OnCooldown { tag, .. } => *tag = self.tag_or_unknown(*tag),
                ActivationReason::CannotAfford { attribute, .. } => {
                    *attribute = self.attribute_or_unknown(*attribute);
                }
                ActivationReason::EffectRefused(reason) => self.reason(reason),
            }
        }
    }

    /// Translates the ids in the details of a cue. Lost source, target and ability tags are left out.
    fn cue_details(&self, details: &mut CueDetails) {
        // A set that is closed over ancestors stays closed, since tags are translated by name.
        let tags = |tags: &TagBits| TagBits::of_exactly(tags.iter().filter_map(|tag| self.tag(tag)));
        details.source_tags = tags(&details.source_tags);
        details.ability_tags = tags(&details.ability_tags);
        details.target_tags = tags(&details.target_tags);
        let context_tags = details.context_tags.iter().map(|tag| self.tag_or_unknown(tag));
        details.context_tags = context_tags.collect();
        details.ability = details.ability.map(|ability| self.ability_or_unknown(ability));
    }

    fn reason(&self, reason: &mut RefusalReason) {
        match reason {
            RefusalReason::UnknownController(_)
            | RefusalReason::ControllerInactive(_)
            | RefusalReason::UnknownGrant(_)
            | RefusalReason::UnknownHandle(_)
            | RefusalReason::StillActive(_)
            | RefusalReason::AuthoritativeOnly
            | RefusalReason::NotPredicted
            | RefusalReason::Hook(_)
            | RefusalReason::ApplicationQuery
            | RefusalReason::Immune { .. }
            | RefusalReason::ChanceFailed
            | RefusalReason::StackOverflow { .. }
            | RefusalReason::MissingParameter
            | RefusalReason::FixedParameter(_)
            | RefusalReason::InvalidPeriod(_)
            | RefusalReason::CustomTask
            | RefusalReason::LimitReached(_) => {}
            RefusalReason::UnknownEffect(effect) => *effect = self.effect_or_unknown(*effect),
            RefusalReason::UnknownAbility(ability) | RefusalReason::NotAuthorised { ability } => {
                *ability = self.ability_or_unknown(*ability)
            }
            RefusalReason::MissingTag { tag, .. }
            | RefusalReason::BlockedTag { tag, .. }
            | RefusalReason::WouldBeRemoved { tag }
            | RefusalReason::UnknownTag(tag)
            | RefusalReason::MissingSetByCaller(tag) => *tag = self.tag_or_unknown(*tag),
            RefusalReason::CircularDependency { chain } => {
                for link in chain {
                    link.attribute = self.attribute_or_unknown(link.attribute);
                    link.by = link.by.map(|effect| self.effect_or_unknown(effect));
                }
            }
            RefusalReason::RequirementFailed(calculation)
            | RefusalReason::MissingCalculation(calculation) => {
                *calculation = self.calculation_or_unknown(*calculation);
            }
            RefusalReason::MissingAttribute { attribute, .. } => {
                *attribute = self.attribute_or_unknown(*attribute);
            }
            RefusalReason::MissingCurve(curve) => *curve = self.curve_or_unknown(*curve),
            RefusalReason::CalculationFailed { calculation, error } => {
                *calculation = self.calculation_or_unknown(*calculation);
                self.calculation_error(error);
            }
            RefusalReason::NonFinite { attribute, .. } => {
                *attribute = attribute.map(|attribute| self.attribute_or_unknown(attribute));
            }
        }
    }

    fn calculation_error(&self, error: &mut CalculationError) {
        match error {
            CalculationError::UndeclaredCapture { attribute, .. }
            | CalculationError::Evaluation(EvalError::MissingAttribute { attribute, .. }) => {
                *attribute = self.attribute_or_unknown(*attribute);
            }
            CalculationError::Evaluation(EvalError::MissingSetByCaller { tag }) => {
                *tag = self.tag_or_unknown(*tag);
            }
            CalculationError::Evaluation(EvalError::MissingCurve { curve }) => {
                *curve = self.curve_or_unknown(*curve);
            }
            CalculationError::Evaluation(_) | CalculationError::Failed(_) => {}
        }
    }
}
