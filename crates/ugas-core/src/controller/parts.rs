//! Parts of a controller that not every controller has, each allocated at its first write.

use smallvec::SmallVec;

use super::index::{AbilityKey, ActivationKey, EffectKey};
use super::summon::Summon;
use crate::codec::FieldClone;
use crate::effect::WatchSubject;
use crate::gap_vec::GapVec;
use crate::handle::{ActivationId, ActiveEffectId, GrantedAbilityId, TaskId};
use crate::id::{AbilityId, EffectId, TagId};
use crate::lazy_box::EmptyValue;
use crate::simulation::InputState;
use crate::targeting::{Placement, Team};
use crate::task::Subject;

/// Relations with other controllers, the position, and counters of dice.
#[derive(PartialEq, Debug, Default, FieldClone)]
pub(crate) struct Interactions {
    /// The effects that are looked up by key; sorted. Derived from the effects.
    pub(crate) effect_index: GapVec<(EffectKey, u64, ActiveEffectId)>,
    /// Sequence numbers and handles of effects on other controllers whose source this is, sorted.
    pub(crate) outgoing: GapVec<(u64, ActiveEffectId)>,
    /// Active effects, here or on other controllers, that watch this controller; sorted.
    pub(crate) watchers: GapVec<(WatchSubject, u64, ActiveEffectId)>,
    /// Number of active effects that show each cue (E11); sorted by tag.
    pub(crate) cues: SmallVec<[(TagId, u32); 2]>,
    /// Number of effects that block abilities with each tag; sorted. Derived from the effects.
    pub(crate) ability_blocks: SmallVec<[(TagId, u32); 1]>,
    /// Position and orientation; `None` if it is nowhere.
    pub(crate) placement: Option<Placement>,
    /// Team; `None` without one.
    pub(crate) team: Option<Team>,
    /// How often each effect that uses random numbers was applied here (V5); sorted.
    pub(crate) rolls: SmallVec<[(EffectId, u32); 2]>,
    /// Origin and lifetime of a summoned controller (A17).
    pub(crate) summon: Option<Box<Summon>>,
}

/// Abilities, activations and inputs.
#[derive(PartialEq, Debug, Default, FieldClone)]
pub(crate) struct AbilityData {
    /// Granted abilities, in grant order.
    pub(crate) abilities: GapVec<GrantedAbilityId>,
    /// The abilities by trigger, cooldown and input; sorted. Derived from the abilities.
    pub(crate) ability_index: GapVec<(AbilityKey, u64, GrantedAbilityId)>,
    /// Activations, in the order in which they began.
    pub(crate) activations: GapVec<ActivationId>,
    /// The activations that tags cancel or that block abilities; sorted. Derived from the activations.
    pub(crate) run_index: GapVec<(ActivationKey, u64, ActivationId)>,
    /// Tasks that wait for something about this controller; sorted. Derived from the tasks.
    pub(crate) subscriptions: GapVec<(Subject, u64, TaskId)>,
    /// How often each ability was activated (V5); sorted.
    pub(crate) runs: SmallVec<[(AbilityId, u32); 2]>,
    /// States of its inputs, in the order of their first press.
    pub(crate) inputs: Vec<InputState>,
}

impl EmptyValue for Interactions {
    const EMPTY: &'static Self = &Self {
        effect_index: GapVec::new(),
        outgoing: GapVec::new(),
        watchers: GapVec::new(),
        cues: SmallVec::new_const(),
        ability_blocks: SmallVec::new_const(),
        placement: None,
        team: None,
        rolls: SmallVec::new_const(),
        summon: None,
    };
}

impl EmptyValue for AbilityData {
    const EMPTY: &'static Self = &Self {
        abilities: GapVec::new(),
        ability_index: GapVec::new(),
        activations: GapVec::new(),
        run_index: GapVec::new(),
        subscriptions: GapVec::new(),
        runs: SmallVec::new_const(),
        inputs: Vec::new(),
    };
}
