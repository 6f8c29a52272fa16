//! What an ability says in the contexts of its effects (§8.4): made once, and shared by all of them, so that specs do not
//! allocate (I6).

use core::ops::Deref;

use crate::codec::{cloned_struct, plain_parts};
use crate::effect::{ContextDetails, EffectContext};
use crate::handle::{AbilityHandle, ControllerId};
use crate::id::ActorId;
use crate::rare::Rare;
use crate::targeting::{Target, TargetData};

/// The object that a granted ability comes from.
#[derive(PartialEq, Default)]
pub(crate) struct SourceObject(Rare<ContextDetails>);

impl SourceObject {
    pub(crate) fn get(&self) -> Option<ActorId> {
        self.0.get().and_then(|details| details.source_object)
    }
}

impl From<Option<ActorId>> for SourceObject {
    fn from(source_object: Option<ActorId>) -> Self {
        Self(Rare::new(ContextDetails { source_object, ..ContextDetails::default() }))
    }
}

/// The targets of a run, with the hit among them.
#[derive(PartialEq, Default)]
pub(crate) struct Aim {
    targets: TargetData,
    hit: Rare<ContextDetails>,
}

impl Aim {
    /// Puts other controllers in the place of those that are targets or were hit.
    pub(crate) fn rename(&mut self, mut rename: impl FnMut(&mut ControllerId)) {
        for target in &mut self.targets.0 {
            match target {
                Target::Controller(id) | Target::Hit { controller: Some(id), .. } => rename(id),
                Target::Hit { controller: None, .. } | Target::Location(_) | Target::Custom(_) => {}
            }
        }
    }
}

impl From<TargetData> for Aim {
    fn from(targets: TargetData) -> Self {
        let hit = targets.first_hit().copied();
        Self { targets, hit: Rare::new(ContextDetails { hit, ..ContextDetails::default() }) }
    }
}

impl Deref for Aim {
    type Target = TargetData;

    fn deref(&self) -> &TargetData {
        &self.targets
    }
}

/// The context of an effect of an ability.
pub(crate) fn context_of(
    source: ControllerId,
    ability: AbilityHandle,
    object: &SourceObject,
    aim: Option<&Aim>,
) -> EffectContext {
    let hit = aim.map(|aim| &aim.hit).filter(|hit| !hit.is_none());
    let details = hit.unwrap_or(&object.0).clone();
    let place = aim.and_then(|aim| aim.targets.first_location()).into();
    let mut context = EffectContext { source: Some(source), ability: Some(ability), place, details };
    if hit.is_some() {
        context.set_source_object(object.get());
    }
    context
}

cloned_struct!(Aim { targets, hit });
plain_parts!(Aim |aim, decoder| { targets: aim.targets } => { Ok(TargetData::into(targets)) });
plain_parts!(SourceObject |object, decoder| { actor: object.get() } => { Ok(Option::<ActorId>::into(actor)) });

impl Clone for SourceObject {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }

    fn clone_from(&mut self, source: &Self) {
        self.0.clone_from(&source.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::HitResult;
    use crate::handle::Handle;

    #[test]
    fn contexts_say_where_from_and_where_to() {
        let (source, ability) =
            (ControllerId::UNSEEN, AbilityHandle::from_parts(1, core::num::NonZeroU32::MIN));
        let (none, sword) = (SourceObject::default(), SourceObject::from(Some(ActorId(7))));
        let hit = HitResult { location: [1.0, 2.0, 3.0], ..HitResult::default() };
        let aims =
            [TargetData::new(), TargetData::from(Target::Hit { controller: None, hit })].map(Aim::from);
        for (object, aim) in [(&none, 0), (&sword, 0), (&none, 1), (&sword, 1)] {
            let context = context_of(source, ability, object, Some(&aims[aim]));
            assert_eq!((context.source, context.ability), (Some(source), Some(ability)));
            assert_eq!(context.source_object(), object.get());
            assert_eq!(context.hit(), Some(&hit).filter(|_| aim == 1));
            assert_eq!(context.origin(), Some(hit.location).filter(|_| aim == 1));
        }
    }
}
