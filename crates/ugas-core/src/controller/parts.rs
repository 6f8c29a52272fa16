//! What not every controller has, each part in a box of its own that is there from its first use on.

use smallvec::SmallVec;

use super::index::{AbilityKey, EffectKey, RunKey};
use super::summon::Summon;
use crate::codec::cloned_struct;
use crate::effect::WatchSubject;
use crate::handle::{AbilityHandle, ActivationId, ActiveEffectId, TaskId};
use crate::id::{AbilityId, EffectId, TagId};
use crate::row::Row;
use crate::seldom::Nothing;
use crate::simulation::InputState;
use crate::targeting::{Placement, Team};
use crate::task::Subject;

/// What those have that have to do with others, or are somewhere.
#[derive(PartialEq, Debug, Default)]
pub(crate) struct Extras {
    /// Those of its effects that somebody looks for; sorted. Derived from the effects.
    pub(crate) effect_index: Row<(EffectKey, u64, ActiveEffectId)>,
    /// Effects on other controllers whose source this is, with their sequence numbers, in that order.
    pub(crate) outgoing: Row<(u64, ActiveEffectId)>,
    /// Active effects, here or elsewhere, that follow something of this controller; sorted.
    pub(crate) watchers: Row<(WatchSubject, u64, ActiveEffectId)>,
    /// How many active effects show each cue (E11); sorted.
    pub(crate) cues: SmallVec<[(TagId, u32); 2]>,
    /// How many effects block abilities with each tag; sorted. Derived from the effects.
    pub(crate) ability_blocks: SmallVec<[(TagId, u32); 1]>,
    /// Where it is.
    pub(crate) placement: Option<Placement>,
    /// On whose side it is.
    pub(crate) team: Option<Team>,
    /// How often each effect that rolls dice was applied here (V5); sorted.
    pub(crate) rolls: SmallVec<[(EffectId, u32); 2]>,
    /// Origin and departure of a summoned controller (A17).
    pub(crate) summon: Option<Box<Summon>>,
}

/// What those have that have abilities, or somebody who presses keys.
#[derive(PartialEq, Debug, Default)]
pub(crate) struct Skills {
    /// Its abilities, in the order of their grants.
    pub(crate) abilities: Row<AbilityHandle>,
    /// What leads to which of them; sorted. Derived from the abilities.
    pub(crate) ability_index: Row<(AbilityKey, u64, AbilityHandle)>,
    /// Runs of its abilities, in the order of their beginning.
    pub(crate) activations: Row<ActivationId>,
    /// Those of them that tags end or that block others; sorted. Derived from the runs.
    pub(crate) run_index: Row<(RunKey, u64, ActivationId)>,
    /// Tasks that wait to be told of something about it; sorted. Derived from the tasks.
    pub(crate) subscriptions: Row<(Subject, u64, TaskId)>,
    /// How often each ability was activated (V5); sorted.
    pub(crate) runs: SmallVec<[(AbilityId, u32); 2]>,
    /// Its inputs, in the order of their first press.
    pub(crate) inputs: Vec<InputState>,
}

impl Nothing for Extras {
    const NOTHING: &'static Self = &Self {
        effect_index: Row::new(),
        outgoing: Row::new(),
        watchers: Row::new(),
        cues: SmallVec::new_const(),
        ability_blocks: SmallVec::new_const(),
        placement: None,
        team: None,
        rolls: SmallVec::new_const(),
        summon: None,
    };
}

impl Nothing for Skills {
    const NOTHING: &'static Self = &Self {
        abilities: Row::new(),
        ability_index: Row::new(),
        activations: Row::new(),
        run_index: Row::new(),
        subscriptions: Row::new(),
        runs: SmallVec::new_const(),
        inputs: Vec::new(),
    };
}

cloned_struct!(Extras {
    effect_index,
    outgoing,
    watchers,
    cues,
    ability_blocks,
    placement,
    team,
    rolls,
    summon
});
cloned_struct!(Skills { abilities, ability_index, activations, run_index, subscriptions, runs, inputs });
