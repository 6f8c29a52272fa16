//! Gameplay controllers (§4): who has attributes, tags, effects and abilities.

mod codec;
pub(crate) mod index;
pub(crate) mod parts;
pub(crate) mod summon;

use self::parts::{Extras, Skills};
pub use self::summon::{Summon, SummonName};
use crate::attribute::Metadata;
use crate::attribute::slot_bits::SlotBits;
use crate::codec::{cloned_struct, plain_enum, plain_struct};
use crate::effect::AbilityGrantDef;
use crate::handle::{AbilityHandle, ActivationId, ActiveEffectId, ControllerId};
use crate::id::{AbilityId, ActorId, TagId, TemplateId};
use crate::input::InputBuffer;
use crate::modifier::aggregate::ModifierEntry;
use crate::row::Row;
use crate::seldom::Seldom;
use crate::tag::TagContainer;
use crate::targeting::{Placement, Team};
use crate::time::Span;

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
    /// Effects that are on it from the start, as a controller document lists them (K1).
    pub active_effects: Vec<TemplateEffectDef>,
    /// Whether it is inactive: activations, input, events and applications are refused while its clocks run on (K1).
    pub inactive: bool,
    /// How it is replicated.
    pub replication: ReplicationMode,
    /// Text for people.
    pub metadata: Metadata,
}

/// An effect that is on a controller from the start (K1). It is put in place as it is: no requirement, immunity or chance
/// refuses it, and nothing follows from its application.
#[derive(Clone, PartialEq, Debug)]
pub struct TemplateEffectDef {
    /// Name of the effect.
    pub effect: String,
    /// Its level.
    pub level: f64,
    /// Its stacks; an effect without stacking has one.
    pub stacks: u32,
    /// Time left; `None` is the duration of the definition.
    pub remaining: Option<Span>,
    /// Name of the controller that caused it, as [`Spawn::instigator`](crate::simulation::Spawn::instigator) gives it. An
    /// unknown name is nobody; `None` is the controller itself.
    pub instigator: Option<String>,
    /// Numbers of the caller by tag.
    pub set_by_caller: Vec<(String, f64)>,
}

impl TemplateEffectDef {
    /// An effect at level 1 with one stack and the duration of its definition, caused by the controller itself.
    pub fn new(effect: impl Into<String>) -> Self {
        Self {
            effect: effect.into(),
            level: 1.0,
            stacks: 1,
            remaining: None,
            instigator: None,
            set_by_caller: Vec::new(),
        }
    }
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

    /// Puts an effect on it from the start (K1).
    #[must_use]
    pub fn with_active_effect(mut self, effect: TemplateEffectDef) -> Self {
        self.active_effects.push(effect);
        self
    }

    /// Makes it inactive (K1).
    #[must_use]
    pub fn inactive(mut self) -> Self {
        self.inactive = true;
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
pub struct Controller {
    /// Never reused, unlike the handle's index: seeds random streams (V5).
    pub(crate) ordinal: u64,
    pub(crate) template: Option<TemplateId>,
    pub(crate) owner: Option<ActorId>,
    pub(crate) avatar: Option<ActorId>,
    pub(crate) replication: ReplicationMode,
    /// Whether activations, input, events and applications are refused (K1).
    pub(crate) inactive: bool,
    /// Position among the simulation's layouts; what counts for the hash is the sets themselves.
    pub(crate) layout: u32,
    /// Of each slot of the layout.
    pub(crate) values: Vec<Value>,
    /// Sorted by slot, sequence and index.
    pub(crate) modifiers: Row<ModifierEntry>,
    pub(crate) tags: TagContainer,
    /// In application order, queued ones included.
    pub(crate) effects: Row<ActiveEffectId>,
    /// Inputs that came too early (§11.3).
    pub(crate) buffer: InputBuffer,
    pub(crate) extras: Seldom<Extras>,
    pub(crate) skills: Seldom<Skills>,
    /// Slots to be re-evaluated, and slots whose first old value is on record; empty between calls.
    pub(crate) pending: PendingSlots,
}

/// The two values of an attribute (§5.1), side by side, since they are looked at together.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Value {
    pub(crate) base: f64,
    pub(crate) current: f64,
}

impl Value {
    /// A value that nothing modifies.
    pub(crate) const fn unmodified(base: f64) -> Self {
        Self { base, current: base }
    }

    /// Base and current value.
    #[inline]
    pub(crate) const fn both(self) -> (f64, f64) {
        (self.base, self.current)
    }
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
    /// One of nobody, with nothing.
    pub(crate) fn bare(buffer: InputBuffer) -> Self {
        Self {
            ordinal: 0,
            template: None,
            owner: None,
            avatar: None,
            replication: ReplicationMode::default(),
            inactive: false,
            layout: 0,
            values: Vec::new(),
            modifiers: Row::new(),
            tags: TagContainer::default(),
            effects: Row::new(),
            buffer,
            extras: Seldom::new(),
            skills: Seldom::new(),
            pending: PendingSlots::default(),
        }
    }

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
        &self.skills.abilities
    }

    /// Runs of its abilities, in the order of their beginning.
    pub fn activations(&self) -> &[ActivationId] {
        &self.skills.activations
    }

    /// Where it is, if the host said so.
    pub fn placement(&self) -> Option<Placement> {
        self.extras.placement
    }

    /// On whose side it is.
    pub fn team(&self) -> Option<&Team> {
        self.extras.team.as_ref()
    }

    /// Origin and departure, if a `SpawnController` task created it (A17).
    pub fn summon(&self) -> Option<&Summon> {
        self.extras.summon.as_deref()
    }

    /// The controller whose ability summoned it (A17). It may be gone by now.
    pub fn instigator(&self) -> Option<ControllerId> {
        self.summon().map(Summon::instigator)
    }

    /// The inputs that came too early and are kept for a moment (§11.3).
    pub fn input_buffer(&self) -> &InputBuffer {
        &self.buffer
    }

    /// How many tasks of its abilities wait to be told of something.
    pub fn subscription_count(&self) -> usize {
        self.skills.subscriptions.len()
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

    /// Whether it takes part: an inactive controller refuses activations, input, events and applications (K1).
    pub fn is_active(&self) -> bool {
        !self.inactive
    }

    /// How it is replicated.
    pub fn replication(&self) -> ReplicationMode {
        self.replication
    }

    /// The cues that are shown on it, with the number of effects that show each.
    pub fn cues(&self) -> &[(TagId, u32)] {
        &self.extras.cues
    }

    /// A number that no other controller of the simulation ever has.
    pub fn ordinal(&self) -> u64 {
        self.ordinal
    }

    /// Counts one more run of an ability; how many there were before.
    pub(crate) fn count_run(&mut self, ability: AbilityId) -> u32 {
        let runs = &mut self.skills.make_mut().runs;
        match runs.binary_search_by_key(&ability, |(known, _)| *known) {
            Ok(at) => {
                let count = runs[at].1;
                runs[at].1 = count.wrapping_add(1);
                count
            }
            Err(at) => {
                runs.insert(at, (ability, 1));
                0
            }
        }
    }

    /// Where it is from now on.
    pub(crate) fn set_placement(&mut self, placement: Option<Placement>) {
        if self.extras.placement != placement {
            self.extras.make_mut().placement = placement;
        }
    }

    /// On whose side it is from now on.
    pub(crate) fn set_team(&mut self, team: Option<&Team>) {
        if self.extras.team.as_ref() != team {
            self.extras.make_mut().team = team.cloned();
        }
    }

    /// Where it comes from, as a client is shown it (A17).
    pub(crate) fn set_summon(&mut self, summon: Option<Summon>) {
        if self.summon() != summon.as_ref() {
            self.extras.make_mut().summon = summon.map(Box::new);
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

cloned_struct!(Controller {
    ordinal,
    template,
    owner,
    avatar,
    replication,
    inactive,
    layout,
    values,
    modifiers,
    tags,
    effects,
    buffer,
    extras,
    skills,
    pending,
});

// What was recorded is forgotten when a snapshot is restored.
plain_struct!(cloned PendingSlots { listed, dirty, recorded: index, written });

plain_enum!(ReplicationMode { 0 => Minimal, 1 => Mixed, 2 => Full, 3 => None });
plain_struct!(TemplateEffectDef { effect, level, stacks, remaining, instigator, set_by_caller });
plain_struct!(ControllerDef {
    name,
    attribute_sets,
    base,
    tags,
    abilities,
    effects,
    active_effects: since 4,
    inactive: since 4,
    replication,
    metadata,
});

#[cfg(test)]
mod tests {
    use super::*;

    /// There are many, and a copy of the state copies all of them: what not every one has belongs into one of its
    /// [parts](parts).
    #[test]
    #[cfg(target_pointer_width = "64")]
    fn a_controller_is_small() {
        assert_eq!(size_of::<Controller>(), 312);
    }
}
