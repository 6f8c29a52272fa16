//! Redacted records, for viewers who do not see every controller that a record refers to.
//!
//! A controller that is not visible is not referred to: neither as the source of an effect, with all that is
//! sent about that source, nor in the event or the targets of an activation. `UNSEEN` replaces its handle. A
//! client maps unknown handles to `UNSEEN` anyway, so that the result on the client is the same.

use std::sync::Arc;

use crate::ability::{Activation, GameplayEvent};
use crate::effect::{ActiveEffect, EffectContext};
use crate::handle::{ControllerId, GrantedAbilityId};

/// Visits the controllers that an effect refers to. `holder` finds the controller of an ability.
pub(crate) fn controllers_in_effect(
    active: &ActiveEffect,
    holder: impl FnOnce(GrantedAbilityId) -> Option<ControllerId>,
    name: &mut impl FnMut(ControllerId),
) {
    let EffectContext { source, ability, .. } = &active.spec.context;
    source.iter().for_each(|source| name(*source));
    ability.and_then(holder).iter().for_each(|holder| name(*holder));
}

/// Removes from an effect all traces of a source, or of a holder of an ability, that is not visible.
pub(crate) fn redact_effect(
    active: &mut ActiveEffect,
    holder: impl FnOnce(GrantedAbilityId) -> Option<ControllerId>,
    sees: impl Fn(ControllerId) -> bool,
) {
    let context = &mut active.spec.context;
    if context.ability.and_then(holder).is_some_and(|holder| !sees(holder)) {
        context.ability = Some(GrantedAbilityId::UNSEEN);
    }
    if context.source.is_some_and(|source| !sees(source)) {
        let ability = context.ability.map(|_| GrantedAbilityId::UNSEEN);
        *context = EffectContext::of(ControllerId::UNSEEN);
        context.ability = ability;
        // The last readings stand, as if the source were gone (M5): whether it is gone, is not sent.
        active.parts.make_mut().last_source = Some(Box::default());
    }
}

/// Visits the controllers that [`redact_activation`] may hide: of events and targets, also of single branches.
pub(crate) fn controllers_in_activation(run: &Activation, name: &mut impl FnMut(ControllerId)) {
    controllers_in_event(run.event.as_ref(), name);
    run.targets.controllers().for_each(&mut *name);
    run.first_targets.iter().flat_map(|targets| targets.controllers()).for_each(&mut *name);
    for context in run.branches.iter().filter_map(|branch| branch.context.as_ref()) {
        controllers_in_event(context.event.as_ref(), name);
        context.targets.controllers().for_each(&mut *name);
    }
}

fn controllers_in_event(event: Option<&GameplayEvent>, name: &mut impl FnMut(ControllerId)) {
    let Some(event) = event else { return };
    event.instigator.into_iter().chain(event.target).for_each(&mut *name);
    event.details.iter().flat_map(|details| details.target_data.controllers()).for_each(name);
}

/// Replaces controllers that are not visible by the unseen handle: in the event, the current and the first
/// targets, and in the contexts of branches.
pub(crate) fn redact_activation(run: &mut Activation, sees: impl Fn(ControllerId) -> bool) {
    let redact = |named: &mut ControllerId| {
        if !sees(*named) {
            *named = ControllerId::UNSEEN;
        }
    };
    redact_event(run.event.as_mut(), &redact);
    run.targets.rename(redact);
    if let Some(targets) = &mut run.first_targets {
        Arc::make_mut(targets).rename(redact);
    }
    for context in run.branches.iter_mut().filter_map(|branch| branch.context.as_mut()) {
        let context = Arc::make_mut(context);
        redact_event(context.event.as_mut(), &redact);
        context.targets.rename(redact);
    }
}

fn redact_event(event: Option<&mut GameplayEvent>, redact: &impl Fn(&mut ControllerId)) {
    let Some(event) = event else { return };
    event.instigator.iter_mut().chain(&mut event.target).for_each(redact);
    if let Some(details) = event.details.as_mut().filter(|details| !details.target_data.is_empty()) {
        Arc::make_mut(details).target_data.rename(redact);
    }
}
