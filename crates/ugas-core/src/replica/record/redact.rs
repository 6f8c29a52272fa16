//! Redacted records, for viewers who do not see every controller that a record refers to.
//!
//! A controller that is not visible is not referred to: neither as the source of an effect, with all that is
//! sent about that source, nor in the event or the targets of an activation. `UNSEEN` replaces its handle. A
//! client maps unknown handles to `UNSEEN` anyway, so that the result on the client is the same.

use crate::ability::Activation;
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
        active.last_source = Some(Box::default());
    }
}

/// Visits the controllers that an activation refers to.
pub(crate) fn controllers_in_activation(run: &Activation, name: &mut impl FnMut(ControllerId)) {
    let event = run.event.iter().flat_map(|event| [event.instigator, event.target]).flatten();
    event.chain(run.targets.controllers()).for_each(name);
}

/// Removes from an activation all references to controllers that are not visible.
pub(crate) fn redact_activation(run: &mut Activation, sees: impl Fn(ControllerId) -> bool) {
    let redact = |named: &mut ControllerId| {
        if !sees(*named) {
            *named = ControllerId::UNSEEN;
        }
    };
    if let Some(event) = &mut run.event {
        event.instigator.iter_mut().chain(&mut event.target).for_each(redact);
    }
    run.targets.rename(redact);
}
