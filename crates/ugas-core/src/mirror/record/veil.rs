//! Records for viewers who do not see everybody that is in them.
//!
//! Who is not seen is not named: neither as the source of an effect, with all that is told of that source, nor in what a run
//! began with or aims at. In the place of a name stands `UNSEEN`, which is what a client makes of names that it does not
//! know, so that what follows on the client is the same.

use crate::ability::Activation;
use crate::effect::{ActiveEffect, EffectContext};
use crate::handle::{AbilityHandle, ControllerId};

/// Whom an effect names. `holder` knows whose an ability is.
pub(crate) fn named_in_effect(
    active: &ActiveEffect,
    holder: impl FnOnce(AbilityHandle) -> Option<ControllerId>,
    name: &mut impl FnMut(ControllerId),
) {
    let EffectContext { source, ability, .. } = &active.spec.context;
    source.iter().for_each(|source| name(*source));
    ability.and_then(holder).iter().for_each(|holder| name(*holder));
}

/// Takes out of an effect what would tell of a source, or of the holder of an ability, that is not seen.
pub(crate) fn veil_effect(
    active: &mut ActiveEffect,
    holder: impl FnOnce(AbilityHandle) -> Option<ControllerId>,
    sees: impl Fn(ControllerId) -> bool,
) {
    let context = &mut active.spec.context;
    if context.ability.and_then(holder).is_some_and(|holder| !sees(holder)) {
        context.ability = Some(AbilityHandle::UNSEEN);
    }
    if context.source.is_some_and(|source| !sees(source)) {
        let ability = context.ability.map(|_| AbilityHandle::UNSEEN);
        *context = EffectContext::of(ControllerId::UNSEEN);
        context.ability = ability;
        // What was read of it last stands, as if it were gone (M5): whether it is, is not told.
        active.last_source = Some(Box::default());
    }
}

/// Whom a run names.
pub(crate) fn named_in_run(run: &Activation, name: &mut impl FnMut(ControllerId)) {
    let event = run.event.iter().flat_map(|event| [event.instigator, event.target]).flatten();
    event.chain(run.targets.controllers()).for_each(name);
}

/// Takes out of a run whom it names and who is not seen.
pub(crate) fn veil_run(run: &mut Activation, sees: impl Fn(ControllerId) -> bool) {
    let veil = |named: &mut ControllerId| {
        if !sees(*named) {
            *named = ControllerId::UNSEEN;
        }
    };
    if let Some(event) = &mut run.event {
        event.instigator.iter_mut().chain(&mut event.target).for_each(veil);
    }
    run.targets.rename(veil);
}
