//! What effects, abilities and runs of a controller are looked up by, so that nobody looks through all of them.
//!
//! Each index is a row of key, order of beginning and handle, sorted: what is about one key stands together, in the
//! order in which it began. Indexes are derived: a change of what they are about changes them, a reload and a snapshot
//! that is read build them anew, and [`inconsistencies`](crate::simulation::Simulation::inconsistencies) compares.

use crate::ability::{Ability, TriggerOn};
use crate::effect::{Effect, ExecutionPolicy, StackingType};
use crate::handle::ControllerId;
use crate::hash::StateHasher;
use crate::id::{EffectId, TagId};
use crate::input::InputId;

/// What an effect on a controller is looked up by.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum EffectKey {
    /// It makes its target immune to others.
    Immunity,
    /// It blocks abilities with a tag.
    Blocks(TagId),
    /// It is an instance that later applications of the same effect meet: they stack, merge or wait (E4, E5).
    Instance(EffectId),
    /// The same, where only applications by the same source meet it.
    InstanceFrom(EffectId, ControllerId),
}

/// What a granted ability is looked up by.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum AbilityKey {
    /// An event with a tag triggers it (A7).
    Event(TagId),
    /// A tag of its owner triggers it (A7).
    Tag(TagId),
    /// It cools down while its owner has a tag.
    Cooldown(TagId),
    /// An input is bound to it (§11.2): the hash of its name, so that keys are plain numbers.
    Input(u64),
}

/// What a run of an ability is looked up by.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum RunKey {
    /// A tag that an effect grants, or one below it, cancels it (A4).
    CancelledBy(TagId),
    /// It lasts as long as its owner has a tag (A7).
    KeptBy(TagId),
    /// It blocks abilities with a tag.
    Blocks(TagId),
}

impl EffectKey {
    pub(crate) fn of(
        effect: &Effect,
        id: EffectId,
        source: Option<ControllerId>,
    ) -> impl Iterator<Item = Self> + '_ {
        let by_source = effect.stacking.as_ref().map(|stacking| stacking.kind);
        let by_source = by_source == Some(StackingType::AggregateBySource);
        let own = effect.gives_immunity().then_some(Self::Immunity);
        let own = own.into_iter().chain(effect.meets_others().then_some(Self::Instance(id)));
        let own = own.chain(source.filter(|_| by_source).map(|source| Self::InstanceFrom(id, source)));
        own.chain(effect.block_abilities.iter().map(Self::Blocks))
    }
}

impl AbilityKey {
    pub(crate) fn of<'a>(
        ability: &'a Ability,
        input: Option<&InputId>,
    ) -> impl Iterator<Item = Self> + use<'a> {
        let triggers = ability.triggers.iter().map(|&(on, tag)| match on {
            TriggerOn::Event => Self::Event(tag),
            TriggerOn::TagAdded | TriggerOn::TagPresent => Self::Tag(tag),
        });
        let cooldowns = ability.cooldown_tags.iter().map(Self::Cooldown);
        triggers.chain(cooldowns).chain(input.map(Self::input))
    }

    pub(crate) fn input(input: &InputId) -> Self {
        Self::Input(StateHasher::of(input.as_str()))
    }
}

impl RunKey {
    pub(crate) fn of(ability: &Ability, while_tag: Option<TagId>) -> impl Iterator<Item = Self> + '_ {
        let cancelled = ability.cancel_with.iter().map(Self::CancelledBy);
        let blocks = ability.block_abilities.iter().map(Self::Blocks);
        cancelled.chain(while_tag.map(Self::KeptBy)).chain(blocks)
    }
}

impl Effect {
    /// Whether it makes its target immune to others.
    pub(crate) fn gives_immunity(&self) -> bool {
        !self.immunity.is_empty() || !self.immunity_query.is_empty()
    }

    /// Whether an application looks for instances that are there already.
    pub(crate) fn meets_others(&self) -> bool {
        self.stacking.is_some() || self.def.policy != ExecutionPolicy::RunInParallel
    }
}
