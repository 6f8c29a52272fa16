//! Conversion of core events to their C form.

use ugas_core::ability::EndReason;
use ugas_core::effect::ContextTags;
use ugas_core::event::{Category, CueParameters, Event, EventKind, RemovalReason};
use ugas_core::handle::{ActivationId, ActiveEffectId, ControllerId, GrantedAbilityId, TaskId};
use ugas_core::id::{AbilityId, ActorId, EffectId, TagId};
use ugas_core::targeting::Confirmation;
use ugas_core::time::{Span, Time};

use super::body::{
    ugas_event_ability, ugas_event_actor, ugas_event_attribute, ugas_event_body, ugas_event_cue,
    ugas_event_effect, ugas_event_gameplay, ugas_event_input, ugas_event_limit, ugas_event_tag_count,
    ugas_event_task,
};
use super::kind::{ugas_category, ugas_end_reason, ugas_event_kind, ugas_removal_reason};
use super::{ugas_cause, ugas_event};
use crate::context::UGAS_NO_ID;
use crate::memory::ugas_str;
use crate::world::Lent;

/// Converts an event to its C form. The texts point into `event`, which must be kept: shared texts stay in
/// place when it is moved.
pub(crate) fn to_c(event: &Event, index: usize, lent: &mut Lent) -> ugas_event {
    let (kind, body) = convert(&event.kind, lent);
    let cause = &event.cause;
    ugas_event {
        kind: kind as u32,
        category: category(event.kind.category()) as u32,
        sequence: event.sequence,
        time: event.time.micros(),
        controller: event.kind.subject().map_or(0, bits),
        cause: ugas_cause {
            operation: cause.operation,
            active_effect: cause.active.map_or(0, |active| active.to_bits().get()),
            source: cause.source.map_or(0, bits),
            granted_ability: cause.ability.map_or(0, |ability| ability.to_bits().get()),
            effect: cause.effect.map_or(UGAS_NO_ID, EffectId::index),
            reserved: 0,
        },
        prediction: event.prediction.map_or(0, |key| key.0),
        has_prediction: u32::from(event.prediction.is_some()),
        index: u32::try_from(index).unwrap_or(u32::MAX),
        body,
    }
}

/// Converts the kind of an event alone: its sequence, cause and prediction are zero.
pub(crate) fn kind_to_c(kind: &EventKind, time: Time, lent: &mut Lent) -> ugas_event {
    let (number, body) = convert(kind, lent);
    ugas_event {
        kind: number as u32,
        category: category(kind.category()) as u32,
        time: time.micros(),
        controller: kind.subject().map_or(0, bits),
        body,
        ..nothing()
    }
}

/// An all-zero event, for rows without one.
pub(crate) fn nothing() -> ugas_event {
    ugas_event {
        kind: 0,
        category: 0,
        sequence: 0,
        time: 0,
        controller: 0,
        cause: ugas_cause {
            operation: 0,
            active_effect: 0,
            source: 0,
            granted_ability: 0,
            effect: 0,
            reserved: 0,
        },
        prediction: 0,
        has_prediction: 0,
        index: 0,
        body: ugas_event_body { raw: [0; 12] },
    }
}

type Converted = (ugas_event_kind, ugas_event_body);

fn convert(kind: &EventKind, lent: &mut Lent) -> Converted {
    use ugas_event_kind as K;
    let nothing = ugas_event_body { raw: [0; 12] };
    match kind {
        EventKind::ControllerSpawned { .. } => (K::ControllerSpawned, nothing),
        EventKind::ControllerDespawned { .. } => (K::ControllerDespawned, nothing),
        EventKind::OwnerChanged { old, new, .. } => (K::OwnerChanged, actor(*old, *new)),
        EventKind::AvatarChanged { old, new, .. } => (K::AvatarChanged, actor(*old, *new)),
        EventKind::AttributeSetAdded { set, .. } => {
            (K::AttributeSetAdded, filled(|body| body.attribute_set = set.index()))
        }
        EventKind::AttributeSetRemoved { set, .. } => {
            (K::AttributeSetRemoved, filled(|body| body.attribute_set = set.index()))
        }
        EventKind::AttributeChanged { attribute, old_base, new_base, old, new, .. } => {
            let values = [*old_base, *new_base, *old, *new];
            (K::AttributeChanged, value(attribute.index(), values))
        }
        EventKind::EvaluationFailed { attribute, .. } => {
            (K::EvaluationFailed, value(attribute.index(), [0.0; 4]))
        }
        EventKind::DivisorIgnored { attribute, .. } => {
            (K::DivisorIgnored, value(attribute.index(), [0.0; 4]))
        }
        EventKind::TagAdded { tag, .. } => (K::TagAdded, tagged(*tag)),
        EventKind::TagRemoved { tag, .. } => (K::TagRemoved, tagged(*tag)),
        EventKind::TagCountChanged { tag, old, new, .. } => {
            let changed =
                ugas_event_tag_count { tag: tag.index(), old_count: *old, count: *new, reserved: 0 };
            (K::TagCountChanged, filled(|body| body.tag_count = changed))
        }
        EventKind::GameplayEvent { event, .. } => {
            let details = event.details.as_deref();
            let numbers = details.map(|details| details.payload.as_slice()).unwrap_or_default();
            let (context_tags, context_tag_count) = lent.tags(event.context_tags().iter().copied());
            let (targets, target_count) =
                event.target_data().map_or((core::ptr::null(), 0), |targets| lent.targets(targets));
            let (payload, payload_count) =
                lent.numbers(numbers.iter().map(|(name, value)| (&**name, *value)));
            let gameplay = ugas_event_gameplay {
                magnitude: event.magnitude,
                instigator: event.instigator.map_or(0, bits),
                target: event.target.map_or(0, bits),
                tag: event.tag.index(),
                reserved: 0,
                context_tags,
                context_tag_count,
                targets,
                target_count,
                payload,
                payload_count,
            };
            (K::GameplayEvent, filled(|body| body.gameplay = gameplay))
        }
        EventKind::InputPressed { input, .. } => (K::InputPressed, pressed(input.as_str(), Span::ZERO)),
        EventKind::InputReleased { input, held, .. } => (K::InputReleased, pressed(input.as_str(), *held)),
        EventKind::InputBuffered { input, .. } => (K::InputBuffered, pressed(input.as_str(), Span::ZERO)),
        EventKind::Confirmed { .. } => (K::Confirmed, nothing),
        EventKind::Declined { .. } => (K::Declined, nothing),
        EventKind::OwnerDied { .. } => (K::OwnerDied, nothing),
        EventKind::CueAdded { cue, parameters, .. } => (K::CueAdded, shown(*cue, parameters, lent)),
        EventKind::CueRemoved { cue, .. } => (K::CueRemoved, shown(*cue, &CueParameters::default(), lent)),
        EventKind::CueExecuted { cue, parameters, .. } => (K::CueExecuted, shown(*cue, parameters, lent)),
        EventKind::CascadeLimit { dropped, .. } => {
            let limit = ugas_event_limit { dropped: *dropped, reserved: 0 };
            (K::CascadeLimit, filled(|body| body.limit = limit))
        }
        EventKind::LogicError { what, .. } => {
            (K::LogicError, filled(|body| body.message = ugas_str::from(*what)))
        }
        other => effect_event(other, lent)
            .or_else(|| ability_event(other))
            .or_else(|| task_event(other))
            .unwrap_or((K::Other, nothing)),
    }
}

fn effect_event(kind: &EventKind, lent: &mut Lent) -> Option<Converted> {
    use ugas_event_kind as K;
    let plain = |effect: &EffectId, active: Option<ActiveEffectId>| ugas_event_effect {
        active: active.map_or(0, |active| active.to_bits().get()),
        by: 0,
        remaining: 0,
        effect: effect.index(),
        reason: 0,
        old_stacks: 0,
        stacks: 0,
        reason_count: 0,
        attribute: UGAS_NO_ID,
        modifier: 0,
        reserved: 0,
        context_tags: core::ptr::null(),
        context_tag_count: 0,
    };
    let mut tagged = |tags: &ContextTags, effect: ugas_event_effect| {
        let (context_tags, context_tag_count) = lent.tags(tags.iter());
        ugas_event_effect { context_tags, context_tag_count, ..effect }
    };
    let (kind, effect) = match kind {
        EventKind::BeforeEffectApplied { effect, .. } => (K::BeforeEffectApplied, plain(effect, None)),
        EventKind::EffectApplied { effect, active, context_tags, .. } => {
            (K::EffectApplied, tagged(context_tags, plain(effect, Some(*active))))
        }
        EventKind::EffectMerged { effect, active, .. } => (K::EffectMerged, plain(effect, Some(*active))),
        EventKind::EffectQueued { effect, active, .. } => (K::EffectQueued, plain(effect, Some(*active))),
        EventKind::EffectExecuted { effect, active, context_tags, .. } => {
            (K::EffectExecuted, tagged(context_tags, plain(effect, *active)))
        }
        EventKind::EffectRemoved { effect, active, stacks, reason, .. } => {
            let effect = plain(effect, Some(*active));
            let reason = removal_reason(*reason) as u32;
            (K::EffectRemoved, ugas_event_effect { stacks: *stacks, reason, ..effect })
        }
        EventKind::EffectStackChanged { effect, active, old, new, .. } => {
            let effect = plain(effect, Some(*active));
            let changed = ugas_event_effect { old_stacks: *old, stacks: *new, ..effect };
            (K::EffectStackChanged, changed)
        }
        EventKind::EffectDurationChanged { effect, active, remaining, .. } => {
            let remaining = remaining.map_or(-1, Span::micros);
            let changed = ugas_event_effect { remaining, ..plain(effect, Some(*active)) };
            (K::EffectDurationChanged, changed)
        }
        EventKind::EffectInhibited { effect, active, .. } => {
            (K::EffectInhibited, plain(effect, Some(*active)))
        }
        EventKind::EffectResumed { effect, active, .. } => (K::EffectResumed, plain(effect, Some(*active))),
        EventKind::EffectRefused(refusal) => {
            let reason_count = count(refusal.reasons.len());
            let effect = ugas_event_effect { reason_count, ..plain(&refusal.effect, None) };
            (K::EffectRefused, effect)
        }
        EventKind::EffectBlockedByImmunity { effect, by, .. } => {
            let blocked = ugas_event_effect { by: by.to_bits().get(), ..plain(effect, None) };
            (K::EffectBlockedByImmunity, blocked)
        }
        EventKind::ModifierInert { effect, modifier, attribute, .. } => {
            let (attribute, modifier) = (attribute.index(), u32::from(*modifier));
            (K::ModifierInert, ugas_event_effect { attribute, modifier, ..plain(effect, None) })
        }
        _ => return None,
    };
    Some((kind, filled(|body| body.effect = effect)))
}

fn ability_event(kind: &EventKind) -> Option<Converted> {
    use ugas_event_kind as K;
    let plain = |handle: Option<GrantedAbilityId>, ability: Option<AbilityId>| ugas_event_ability {
        granted: handle.map_or(0, |handle| handle.to_bits().get()),
        activation: 0,
        by: 0,
        cooldown: 0,
        ability: ability.map_or(UGAS_NO_ID, AbilityId::index),
        reason: 0,
        tag: UGAS_NO_ID,
        old_level: 0,
        level: 0,
        charges: 0,
        reason_count: 0,
        reserved: 0,
    };
    let running = |handle, ability, activation: &ActivationId| ugas_event_ability {
        activation: activation.to_bits().get(),
        ..plain(Some(handle), Some(ability))
    };
    let ended = |handle, ability, activation: &ActivationId, reason: &EndReason| {
        let (reason, by, tag) = end_reason(*reason);
        let by = by.map_or(0, |by| by.to_bits().get());
        let tag = tag.map_or(UGAS_NO_ID, TagId::index);
        ugas_event_ability { reason: reason as u32, by, tag, ..running(handle, ability, activation) }
    };
    let (kind, ability) = match kind {
        EventKind::AbilityGranted { handle, ability, .. } => {
            (K::AbilityGranted, plain(Some(*handle), Some(*ability)))
        }
        EventKind::AbilityRevoked { handle, ability, .. } => {
            (K::AbilityRevoked, plain(Some(*handle), Some(*ability)))
        }
        EventKind::AbilityLevelChanged { handle, old, new, .. } => {
            let ability = ugas_event_ability { old_level: *old, level: *new, ..plain(Some(*handle), None) };
            (K::AbilityLevelChanged, ability)
        }
        EventKind::AbilityActivated { handle, ability, activation, .. } => {
            (K::AbilityActivated, running(*handle, *ability, activation))
        }
        EventKind::AbilityRefused(refusal) => {
            let reason_count = count(refusal.reasons.len());
            let ability = ugas_event_ability { reason_count, ..plain(None, refusal.ability) };
            (K::AbilityRefused, ability)
        }
        EventKind::AbilityCommitted { handle, ability, activation, .. } => {
            (K::AbilityCommitted, running(*handle, *ability, activation))
        }
        EventKind::AbilityEnded { handle, ability, activation, reason, .. } => {
            (K::AbilityEnded, ended(*handle, *ability, activation, reason))
        }
        EventKind::AbilityCancelled { handle, ability, activation, reason, .. } => {
            (K::AbilityCancelled, ended(*handle, *ability, activation, reason))
        }
        EventKind::CooldownBegan { handle, duration, .. } => {
            let cooldown = duration.map_or(-1, Span::micros);
            let ability = ugas_event_ability { cooldown, ..plain(Some(*handle), None) };
            (K::CooldownBegan, ability)
        }
        EventKind::CooldownEnded { handle, .. } => (K::CooldownEnded, plain(Some(*handle), None)),
        EventKind::ChargesChanged { handle, charges, .. } => {
            let ability = ugas_event_ability { charges: *charges, ..plain(Some(*handle), None) };
            (K::ChargesChanged, ability)
        }
        _ => return None,
    };
    Some((kind, filled(|body| body.ability = ability)))
}

fn task_event(kind: &EventKind) -> Option<Converted> {
    use ugas_event_kind as K;
    let plain = |task: Option<&TaskId>| ugas_event_task {
        kind: ugas_str::EMPTY,
        task: task.map_or(0, |task| task.to_bits().get()),
        ability: UGAS_NO_ID,
        step: 0,
        confirmation: 0,
        reason_count: 0,
    };
    let at = |ability: &AbilityId, step: &u32| ugas_event_task {
        ability: ability.index(),
        step: *step,
        ..plain(None)
    };
    let (kind, task) = match kind {
        EventKind::HostTaskRequested { ability, task, kind, step, .. } => {
            let task = task.to_bits().get();
            let requested = ugas_event_task { task, kind: ugas_str::from(&**kind), ..at(ability, step) };
            (K::HostTaskRequested, requested)
        }
        EventKind::HostTaskCancelled { task, .. } => (K::HostTaskCancelled, plain(Some(task))),
        EventKind::TaskTriggered { task, .. } => (K::TaskTriggered, plain(Some(task))),
        EventKind::TaskFailed { ability, step, .. } => {
            (K::TaskFailed, ugas_event_task { reason_count: 1, ..at(ability, step) })
        }
        EventKind::OccurrenceLimit { ability, step, .. } => (K::OccurrenceLimit, at(ability, step)),
        EventKind::NoTarget { ability, step, .. } => (K::NoTarget, at(ability, step)),
        EventKind::TargetingBegan { task, confirmation, .. } => {
            let confirmation = match confirmation {
                Confirmation::Instant => 0,
                Confirmation::UserConfirmed => 1,
                Confirmation::Custom => 2,
                Confirmation::CustomMulti => 3,
            };
            (K::TargetingBegan, ugas_event_task { confirmation, ..plain(Some(task)) })
        }
        EventKind::TargetingEnded { task, .. } => (K::TargetingEnded, plain(Some(task))),
        _ => return None,
    };
    Some((kind, filled(|body| body.task = task)))
}

/// A body with one member set and zeros in the remaining bytes.
fn filled(fill: impl FnOnce(&mut ugas_event_body)) -> ugas_event_body {
    let mut body = ugas_event_body { raw: [0; 12] };
    fill(&mut body);
    body
}

fn bits(controller: ControllerId) -> u64 {
    controller.to_bits().get()
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

fn actor(old: Option<ActorId>, new: Option<ActorId>) -> ugas_event_body {
    let actor = ugas_event_actor {
        before: old.map_or(0, |actor| actor.0),
        now: new.map_or(0, |actor| actor.0),
        has_before: u32::from(old.is_some()),
        has_now: u32::from(new.is_some()),
    };
    filled(|body| body.actor = actor)
}

fn value(attribute: u32, [old_base, new_base, old_value, new_value]: [f64; 4]) -> ugas_event_body {
    let changed = ugas_event_attribute { old_base, new_base, old_value, new_value, attribute, reserved: 0 };
    filled(|body| body.attribute = changed)
}

fn tagged(tag: TagId) -> ugas_event_body {
    filled(|body| body.tag = tag.index())
}

fn pressed(input: &str, held: Span) -> ugas_event_body {
    let input = ugas_event_input { input: ugas_str::from(input), held: held.micros() };
    filled(|body| body.input = input)
}

fn shown(cue: TagId, parameters: &CueParameters, lent: &mut Lent) -> ugas_event_body {
    let cue = ugas_event_cue {
        magnitude: parameters.magnitude,
        level: parameters.level,
        location: parameters.location().unwrap_or_default(),
        cue: cue.index(),
        has_location: u32::from(parameters.location().is_some()),
        details: lent.cue(parameters.details.as_deref()),
    };
    filled(|body| body.cue = cue)
}

fn category(category: Category) -> ugas_category {
    match category {
        Category::Controller => ugas_category::Controller,
        Category::Attribute => ugas_category::Attribute,
        Category::Tag => ugas_category::Tag,
        Category::Effect => ugas_category::Effect,
        Category::Ability => ugas_category::Ability,
        Category::Task => ugas_category::Task,
        Category::Input => ugas_category::Input,
        Category::Cue => ugas_category::Cue,
        Category::Error => ugas_category::Error,
        _ => ugas_category::Other,
    }
}

fn removal_reason(reason: RemovalReason) -> ugas_removal_reason {
    match reason {
        RemovalReason::Expired => ugas_removal_reason::Expired,
        RemovalReason::Removed => ugas_removal_reason::Removed,
        RemovalReason::RemovedByTag => ugas_removal_reason::RemovedByTag,
        RemovalReason::Overflowed => ugas_removal_reason::Overflowed,
        RemovalReason::TargetGone => ugas_removal_reason::TargetGone,
        RemovalReason::Reloaded => ugas_removal_reason::Reloaded,
    }
}

fn end_reason(reason: EndReason) -> (ugas_end_reason, Option<GrantedAbilityId>, Option<TagId>) {
    let plain = match reason {
        EndReason::CancelledByAbility(by) => return (ugas_end_reason::CancelledByAbility, Some(by), None),
        EndReason::CancelledByTag(tag) => return (ugas_end_reason::CancelledByTag, None, Some(tag)),
        EndReason::TriggerGone(tag) => return (ugas_end_reason::TriggerGone, None, Some(tag)),
        EndReason::Completed => ugas_end_reason::Completed,
        EndReason::Retriggered => ugas_end_reason::Retriggered,
        EndReason::CancelledByTask => ugas_end_reason::CancelledByTask,
        EndReason::Cancelled => ugas_end_reason::Cancelled,
        EndReason::OwnerDied => ugas_end_reason::OwnerDied,
        EndReason::CommitFailed => ugas_end_reason::CommitFailed,
        EndReason::TaskFailed => ugas_end_reason::TaskFailed,
        EndReason::Declined => ugas_end_reason::Declined,
        EndReason::Revoked => ugas_end_reason::Revoked,
        EndReason::PossessionChanged => ugas_end_reason::PossessionChanged,
        EndReason::OutOfBudget => ugas_end_reason::OutOfBudget,
        EndReason::Reloaded => ugas_end_reason::Reloaded,
    };
    (plain, None, None)
}
