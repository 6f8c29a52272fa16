//! Index keys of effects, abilities and activations of a controller.
//!
//! Each index is a sorted list of key, sequence number and handle: the entries of one key are adjacent, in
//! the order in which they began. Indexes are derived: changes maintain them, a reload and a decoded snapshot
//! rebuild them, and [`inconsistencies`](crate::simulation::Simulation::inconsistencies) checks them.

use crate::ability::{Ability, TriggerOn};
use crate::effect::{Effect, ExecutionPolicy, StackingType};
use crate::handle::ControllerId;
use crate::hash::StateHasher;
use crate::id::{EffectId, TagId};
use crate::input::InputId;

/// Index keys of an active effect.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum EffectKey {
    /// The effect makes its target immune to others.
    Immunity,
    /// The effect blocks abilities with a tag.
    Blocks(TagId),
    /// The effect is an instance that later applications stack with, merge with or wait for (E4, E5).
    Instance(EffectId),
    /// As `Instance`, for stacking by source.
    InstanceFrom(EffectId, ControllerId),
}

/// Index keys of a granted ability.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum AbilityKey {
    /// An event with a tag triggers it (A7).
    Event(TagId),
    /// A tag of its owner triggers it (A7).
    Tag(TagId),
    /// It is on cooldown while its owner has a tag.
    Cooldown(TagId),
    /// An input is bound to it (§11.2), as the hash of the input's name: keys are plain numbers.
    Input(u64),
}

/// Index keys of an activation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum ActivationKey {
    /// A granted tag, or one below it, cancels it (A4).
    CancelledBy(TagId),
    /// It lasts as long as its owner has a tag (A7).
    KeptBy(TagId),
    /// It blocks abilities with a tag.
    Blocks(TagId),
}

impl EffectKey {
    /// The keys under which an active effect of this definition and source is indexed; most effects have
    /// none.
    pub(crate) fn of(
        effect: &Effect,
        id: EffectId,
        source: Option<ControllerId>,
    ) -> impl Iterator<Item = Self> + '_ {
        let by_source = effect.stacking.as_ref().map(|stacking| stacking.kind);
        let by_source = by_source == Some(StackingType::AggregateBySource);
        let own = effect.gives_immunity().then_some(Self::Immunity);
        let own = own.into_iter().chain(effect.tracks_instances().then_some(Self::Instance(id)));
        let own = own.chain(source.filter(|_| by_source).map(|source| Self::InstanceFrom(id, source)));
        own.chain(effect.block_abilities.iter().map(Self::Blocks))
    }
}

impl AbilityKey {
    /// The keys under which a granted ability is indexed: its triggers, its cooldown tags, and its input.
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

    /// The key of an input. Different inputs may share one, so users compare the input itself.
    pub(crate) fn input(input: &InputId) -> Self {
        Self::Input(StateHasher::of(input.as_str()))
    }
}

impl ActivationKey {
    /// The keys under which an activation is indexed. `while_tag` is the tag whose removal ends it.
    pub(crate) fn of(ability: &Ability, while_tag: Option<TagId>) -> impl Iterator<Item = Self> + '_ {
        let cancelled = ability.cancel_with.iter().map(Self::CancelledBy);
        let blocks = ability.block_abilities.iter().map(Self::Blocks);
        cancelled.chain(while_tag.map(Self::KeptBy)).chain(blocks)
    }
}

impl Effect {
    /// Whether the effect makes its target immune to others.
    pub(crate) fn gives_immunity(&self) -> bool {
        !self.immunity.is_empty() || !self.immunity_query.is_empty()
    }

    /// Whether an application looks for existing instances of the effect.
    pub(crate) fn tracks_instances(&self) -> bool {
        self.stacking.is_some() || self.def.policy != ExecutionPolicy::RunInParallel
    }
}
