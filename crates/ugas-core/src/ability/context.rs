//! Effect contexts of abilities (§8.4). The hit details are created once per activation and shared by its
//! effects.

use core::ops::Deref;

use super::gameplay_event::GameplayEvent;
use crate::codec::{FieldClone, plain_parts};
use crate::cow_option::CowOption;
use crate::effect::{ContextDetails, EffectContext};
use crate::handle::{ControllerId, GrantedAbilityId};
use crate::id::ActorId;
use crate::targeting::TargetData;

/// The targets of an activation, with the details of the hit among them.
#[derive(PartialEq, Default, FieldClone)]
pub(crate) struct ActivationTargets {
    targets: TargetData,
    hit: CowOption<ContextDetails>,
}

impl ActivationTargets {
    /// Replaces controllers among the targets and hits.
    pub(crate) fn rename(&mut self, rename: impl FnMut(&mut ControllerId)) {
        self.targets.rename(rename);
    }
}

impl From<TargetData> for ActivationTargets {
    fn from(targets: TargetData) -> Self {
        let details = |hit| CowOption::new(ContextDetails { hit: Some(hit), ..ContextDetails::default() });
        let hit = targets.first_hit().copied().map_or(CowOption::NONE, details);
        Self { targets, hit }
    }
}

impl Deref for ActivationTargets {
    type Target = TargetData;

    fn deref(&self) -> &TargetData {
        &self.targets
    }
}

/// The context of an effect that an ability applies: `aim` gives the origin and the hit.
pub(crate) fn context_of(
    source: ControllerId,
    ability: GrantedAbilityId,
    object: Option<ActorId>,
    aim: Option<&ActivationTargets>,
) -> EffectContext {
    let mut context = EffectContext::of(source);
    context.ability = Some(ability);
    context.set_source_object(object);
    let Some(aim) = aim else { return context };
    context.set_origin(aim.targets.first_location());
    context.with_details(&aim.hit)
}

/// Sets causer and origin to those of the event that an ability reacts to, as far as the event has them.
pub(crate) fn add_event_context(context: &mut EffectContext, event: Option<&GameplayEvent>) {
    let Some(event) = event else { return };
    if let Some(causer) = event.causer() {
        context.set_causer(Some(causer));
    }
    if let Some(origin) = event.origin() {
        context.set_origin(Some(origin));
    }
}

plain_parts!(ActivationTargets |aim, decoder| { targets: aim.targets } => { Ok(TargetData::into(targets)) });

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::HitResult;
    use crate::handle::Handle;
    use crate::targeting::Target;

    #[test]
    fn context_has_source_object_and_target_location() {
        let (source, ability) =
            (ControllerId::UNSEEN, GrantedAbilityId::from_parts(1, core::num::NonZeroU32::MIN));
        let (none, sword) = (None, Some(ActorId(7)));
        let hit = HitResult { location: [1.0, 2.0, 3.0], ..HitResult::default() };
        let aims = [TargetData::new(), TargetData::from(Target::Hit { controller: None, hit })]
            .map(ActivationTargets::from);
        for (object, aim) in [(none, 0), (sword, 0), (none, 1), (sword, 1)] {
            let context = context_of(source, ability, object, Some(&aims[aim]));
            assert_eq!((context.source, context.ability), (Some(source), Some(ability)));
            assert_eq!(context.source_object(), object);
            assert_eq!(context.hit(), Some(&hit).filter(|_| aim == 1));
            assert_eq!(context.origin(), Some(hit.location).filter(|_| aim == 1));
        }
    }
}
