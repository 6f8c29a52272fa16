//! Gameplay controllers (§4): who has attributes, tags, effects and abilities.

pub(crate) mod index;

use smallvec::SmallVec;

use self::index::{AbilityKey, EffectKey, RunKey};
use crate::attribute::Metadata;
use crate::attribute::slot_bits::SlotBits;
use crate::codec::{plain_enum, plain_struct};
use crate::effect::{AbilityGrantDef, WatchSubject};
use crate::handle::{AbilityHandle, ActivationId, ActiveEffectId, TaskId};
use crate::id::{AbilityId, ActorId, EffectId, TagId, TemplateId};
use crate::input::InputBuffer;
use crate::modifier::aggregate::ModifierEntry;
use crate::row::Row;
use crate::simulation::InputState;
use crate::tag::TagContainer;
use crate::targeting::{Placement, Team};
use crate::task::Subject;

/// How much of a controller goes over a network to whom (§13.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ReplicationMode {
    /// Tags and cues only.
    Minimal,
    /// Everything to the owner, tags and cues to others.
    #[default]
    Mixed,
    /// Everything to everybody.
    Full,
    /// Nothing.
    None,
}

/// What a freshly spawned controller has (§4.3): a template, from a file or from code.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ControllerDef {
    /// Name, unique in the catalog. Empty for a definition that is used directly.
    pub name: String,
    /// Attribute sets, in any order.
    pub attribute_sets: Vec<String>,
    /// Base values that differ from the sets' defaults.
    pub base: Vec<(String, f64)>,
    /// Tags, granted by an internal infinite effect (T3).
    pub tags: Vec<String>,
    /// Abilities granted at the start.
    pub abilities: Vec<AbilityGrantDef>,
    /// Effects applied to itself at the start, with their levels.
    pub effects: Vec<(String, f64)>,
    /// How it is replicated.
    pub replication: ReplicationMode,
    /// Text for people.
    pub metadata: Metadata,
}

impl ControllerDef {
    /// An empty template called `name`.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Adds an attribute set.
    #[must_use]
    pub fn with_set(mut self, set: impl Into<String>) -> Self {
        self.attribute_sets.push(set.into());
        self
    }

    /// Sets a base value.
    #[must_use]
    pub fn with_base(mut self, attribute: impl Into<String>, base: f64) -> Self {
        self.base.push((attribute.into(), base));
        self
    }

    /// Adds a tag.
    #[must_use]
    pub fn with_tag(mut self, tag: impl Into<String>) -> Self {
        self.tags.push(tag.into());
        self
    }

    /// Grants an ability at the start.
    #[must_use]
    pub fn with_ability(mut self, grant: AbilityGrantDef) -> Self {
        self.abilities.push(grant);
        self
    }

    /// Applies an effect to itself at the start.
    #[must_use]
    pub fn with_effect(mut self, effect: impl Into<String>, level: f64) -> Self {
        self.effects.push((effect.into(), level));
        self
    }
}

/// The state of one controller.
#[derive(Debug)]
pub struct Controller {
    /// Never reused, unlike the handle's index: seeds random streams (V5).
    pub(crate) ordinal: u64,
    pub(crate) template: Option<TemplateId>,
    pub(crate) owner: Option<ActorId>,
    pub(crate) avatar: Option<ActorId>,
    pub(crate) replication: ReplicationMode,
    /// Position among the simulation's layouts; what counts for the hash is the sets themselves.
    pub(crate) layout: u32,
    pub(crate) base: Vec<f64>,
    pub(crate) current: Vec<f64>,
    /// Sorted by slot, sequence and index.
    pub(crate) modifiers: Row<ModifierEntry>,
    pub(crate) tags: TagContainer,
    /// In application order, queued ones included.
    pub(crate) effects: Row<ActiveEffectId>,
    /// Those of them that somebody looks for; sorted. Derived from the effects.
    pub(crate) effect_index: Row<(EffectKey, u64, ActiveEffectId)>,
    /// Effects on other controllers whose source this is, with their sequence numbers, in that order.
    pub(crate) outgoing: Row<(u64, ActiveEffectId)>,
    /// Active effects, here or elsewhere, that follow something of this controller; sorted.
    pub(crate) watchers: Row<(WatchSubject, u64, ActiveEffectId)>,
    /// How many active effects show each cue (E11); sorted.
    pub(crate) cues: SmallVec<[(TagId, u32); 2]>,
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
    /// How many effects block abilities with each tag; sorted. Derived from the effects.
    pub(crate) ability_blocks: SmallVec<[(TagId, u32); 1]>,
    /// Its inputs, in the order of their first press.
    pub(crate) inputs: Vec<InputState>,
    /// Inputs that came too early (§11.3).
    pub(crate) buffer: InputBuffer,
    /// Where it is.
    pub(crate) placement: Option<Placement>,
    /// On whose side it is.
    pub(crate) team: Option<Team>,
    /// How often each effect that rolls dice was applied here (V5); sorted.
    pub(crate) rolls: SmallVec<[(EffectId, u32); 2]>,
    /// How often each ability was activated (V5); sorted.
    pub(crate) runs: SmallVec<[(AbilityId, u32); 2]>,
    /// Slots to be re-evaluated, and slots whose first old value is on record; empty between calls.
    pub(crate) pending: PendingSlots,
}

/// Which slots a running operation has touched. Between calls there are none, but in a batch.
#[derive(Debug, Default)]
pub(crate) struct PendingSlots {
    pub(crate) listed: bool,
    pub(crate) dirty: SlotBits,
    pub(crate) recorded: SlotBits,
    pub(crate) written: SlotBits,
}

impl PendingSlots {
    /// Whether all of them are among the first `count`.
    pub(crate) fn fits(&self, count: usize) -> bool {
        self.dirty.fits(count) && self.written.fits(count)
    }
}

impl Controller {
    /// Its tags.
    pub fn tags(&self) -> &TagContainer {
        &self.tags
    }

    /// The effects on it in application order, queued ones included.
    pub fn effects(&self) -> &[ActiveEffectId] {
        &self.effects
    }

    /// The abilities it has, in the order in which they were granted.
    pub fn abilities(&self) -> &[AbilityHandle] {
        &self.abilities
    }

    /// Runs of its abilities, in the order of their beginning.
    pub fn activations(&self) -> &[ActivationId] {
        &self.activations
    }

    /// Where it is, if the host said so.
    pub fn placement(&self) -> Option<Placement> {
        self.placement
    }

    /// On whose side it is.
    pub fn team(&self) -> Option<&Team> {
        self.team.as_ref()
    }

    /// The inputs that came too early and are kept for a moment (§11.3).
    pub fn input_buffer(&self) -> &InputBuffer {
        &self.buffer
    }

    /// How many tasks of its abilities wait to be told of something.
    pub fn subscription_count(&self) -> usize {
        self.subscriptions.len()
    }

    /// The actor that owns it (§4.2).
    pub fn owner(&self) -> Option<ActorId> {
        self.owner
    }

    /// The actor that represents it in the world (§4.2).
    pub fn avatar(&self) -> Option<ActorId> {
        self.avatar
    }

    /// The template it was spawned from.
    pub fn template(&self) -> Option<TemplateId> {
        self.template
    }

    /// How it is replicated.
    pub fn replication(&self) -> ReplicationMode {
        self.replication
    }

    /// The cues that are shown on it, with the number of effects that show each.
    pub fn cues(&self) -> &[(TagId, u32)] {
        &self.cues
    }

    /// A number that no other controller of the simulation ever has.
    pub fn ordinal(&self) -> u64 {
        self.ordinal
    }

    /// Counts one more run of an ability; how many there were before.
    pub(crate) fn count_run(&mut self, ability: AbilityId) -> u32 {
        match self.runs.binary_search_by_key(&ability, |(known, _)| *known) {
            Ok(at) => {
                let count = self.runs[at].1;
                self.runs[at].1 = count.wrapping_add(1);
                count
            }
            Err(at) => {
                self.runs.insert(at, (ability, 1));
                0
            }
        }
    }

    /// The modifiers of one slot, in application order.
    #[inline]
    pub(crate) fn modifiers_of(&self, slot: u16) -> &[ModifierEntry] {
        let (Some(first), Some(last)) = (self.modifiers.first(), self.modifiers.last()) else { return &[] };
        // All of them, as often as not: nothing has to be searched.
        if (first.slot, last.slot) == (slot, slot) {
            return &self.modifiers;
        }
        self.search_modifiers(slot)
    }

    fn search_modifiers(&self, slot: u16) -> &[ModifierEntry] {
        let start = self.modifiers.partition_point(|entry| entry.slot < slot);
        let end = start + self.modifiers[start..].partition_point(|entry| entry.slot == slot);
        &self.modifiers[start..end]
    }
}

plain_struct!(cloned Controller {
    ordinal,
    template,
    owner,
    avatar,
    replication,
    // Hashed and written by the simulation, as the list of sets.
    layout: index,
    base,
    current,
    modifiers: derived,
    tags: derived,
    effects: derived,
    effect_index: index,
    outgoing: derived,
    watchers: index,
    cues: derived,
    abilities: derived,
    ability_index: index,
    activations: derived,
    run_index: index,
    subscriptions: index,
    ability_blocks: index,
    inputs,
    buffer,
    placement,
    team,
    rolls,
    runs,
    pending: unhashed,
});

// What was recorded is forgotten when a snapshot is restored.
plain_struct!(cloned PendingSlots { listed, dirty, recorded: index, written });

plain_enum!(ReplicationMode { 0 => Minimal, 1 => Mixed, 2 => Full, 3 => None });
plain_struct!(ControllerDef { name, attribute_sets, base, tags, abilities, effects, replication, metadata });
