//! Gameplay controllers (§4): owners of attributes, tags, effects and abilities.

mod codec;
pub(crate) mod index;
pub(crate) mod parts;
pub(crate) mod summon;

use self::parts::{AbilityData, Interactions};
pub use self::summon::{Summon, SummonName};
use crate::attribute::Metadata;
use crate::attribute::slot_bits::SlotBits;
use crate::codec::{FieldClone, StateRecord};
use crate::effect::AbilityGrantDef;
use crate::gap_vec::GapVec;
use crate::handle::{ActivationId, ActiveEffectId, ControllerId, GrantedAbilityId};
use crate::id::{AbilityId, ActorId, TagId, TemplateId};
use crate::input::InputBuffer;
use crate::lazy_box::LazyBox;
use crate::modifier::aggregate::ModifierEntry;
use crate::stamped::Stamped;
use crate::tag::TagContainer;
use crate::targeting::{Placement, Team};
use crate::time::Span;

/// How much of a controller is replicated, and to whom (§13.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StateRecord)]
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

/// A controller template (§4.3): the initial content of a spawned controller, from a file or from code.
#[derive(Clone, PartialEq, Debug, Default, StateRecord)]
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
    #[state(since = 4)]
    pub active_effects: Vec<TemplateEffectDef>,
    /// Whether it is inactive: activations, input, events and applications are refused while its clocks run on (K1).
    #[state(since = 4)]
    pub inactive: bool,
    /// How it is replicated.
    pub replication: ReplicationMode,
    /// Text for people; no rule reads it.
    pub metadata: Metadata,
}

/// An active effect that a controller has from the start (K1). It is put in place as it is: no requirement,
/// immunity or chance refuses it, and its application has no consequences.
#[derive(Clone, PartialEq, Debug, StateRecord)]
pub struct TemplateEffectDef {
    /// Name of the effect.
    pub effect: String,
    /// Its level.
    pub level: f64,
    /// Its stacks; an effect without stacking has one.
    pub stacks: u32,
    /// Time left; `None` for the duration of the definition.
    pub remaining: Option<Span>,
    /// Name of the controller that caused it, as given by
    /// [`Spawn::instigator`](crate::simulation::Spawn::instigator). An unknown name means no instigator;
    /// `None` means the controller itself.
    pub instigator: Option<String>,
    /// Set-by-caller magnitudes by tag.
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

    /// Adds an active effect that it has from the start (K1).
    #[must_use]
    pub fn with_active_effect(mut self, effect: TemplateEffectDef) -> Self {
        self.active_effects.push(effect);
        self
    }

    /// Sets it to start inactive (K1).
    #[must_use]
    pub fn inactive(mut self) -> Self {
        self.inactive = true;
        self
    }

    /// Adds an effect that is applied to itself at the start.
    #[must_use]
    pub fn with_effect(mut self, effect: impl Into<String>, level: f64) -> Self {
        self.effects.push((effect.into(), level));
        self
    }
}

/// The state of one controller.
#[derive(FieldClone)]
pub struct Controller {
    /// Never reused, unlike the handle's index: seeds random streams (V5).
    pub(crate) ordinal: u64,
    pub(crate) template: Option<TemplateId>,
    pub(crate) owner: Option<ActorId>,
    pub(crate) avatar: Option<ActorId>,
    pub(crate) replication: ReplicationMode,
    /// Whether activations, input, events and applications are refused (K1).
    pub(crate) inactive: bool,
    /// Index among the simulation's layouts. The state hash covers the sets themselves instead.
    pub(crate) layout: u32,
    /// Base and current value of each slot of the layout.
    pub(crate) values: Vec<Value>,
    /// Modifiers, sorted by slot, sequence number and index.
    pub(crate) modifiers: Stamped<GapVec<ModifierEntry>>,
    pub(crate) tags: TagContainer,
    /// Active effects in application order, queued ones included.
    pub(crate) effects: Stamped<GapVec<ActiveEffectId>>,
    /// Inputs pressed too early, kept for a while (§11.3).
    pub(crate) buffer: InputBuffer,
    pub(crate) interactions: Stamped<LazyBox<Interactions>>,
    pub(crate) ability_data: Stamped<LazyBox<AbilityData>>,
    /// Slots to re-evaluate, and slots whose old value was recorded; empty between calls.
    pub(crate) pending: PendingSlots,
}

/// The base and the current value of an attribute (§5.1), adjacent because they are read together.
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

/// The slots that the running operation has touched. Empty between calls, except in a batch.
#[derive(Debug, Default, FieldClone, StateRecord)]
pub(crate) struct PendingSlots {
    pub(crate) listed: bool,
    pub(crate) dirty: SlotBits,
    #[state(index)]
    pub(crate) recorded: SlotBits,
    pub(crate) written: SlotBits,
}

impl PendingSlots {
    /// Whether all slots are below `count`.
    pub(crate) fn fits(&self, count: usize) -> bool {
        self.dirty.fits(count) && self.written.fits(count)
    }
}

impl Controller {
    /// An empty controller without an owner.
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
            modifiers: Stamped::new(GapVec::new()),
            tags: TagContainer::default(),
            effects: Stamped::new(GapVec::new()),
            buffer,
            interactions: Stamped::new(LazyBox::new()),
            ability_data: Stamped::new(LazyBox::new()),
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

    /// The granted abilities, in grant order.
    pub fn abilities(&self) -> &[GrantedAbilityId] {
        &self.ability_data.abilities
    }

    /// The activations of its abilities, in the order in which they began.
    pub fn activations(&self) -> &[ActivationId] {
        &self.ability_data.activations
    }

    /// Position and orientation; `None` unless the host has set it.
    pub fn placement(&self) -> Option<Placement> {
        self.interactions.placement
    }

    /// The team; `None` without one.
    pub fn team(&self) -> Option<&Team> {
        self.interactions.team.as_ref()
    }

    /// Origin and lifetime, if a `SpawnController` task created it (A17).
    pub fn summon(&self) -> Option<&Summon> {
        self.interactions.summon.as_deref()
    }

    /// The controller whose ability summoned it (A17). The handle may be dead.
    pub fn instigator(&self) -> Option<ControllerId> {
        self.summon().map(Summon::instigator)
    }

    /// The inputs that were pressed too early and are kept for a while (§11.3).
    pub fn input_buffer(&self) -> &InputBuffer {
        &self.buffer
    }

    /// Number of subscriptions of its tasks.
    pub fn subscription_count(&self) -> usize {
        self.ability_data.subscriptions.len()
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

    /// Whether it is active: an inactive controller refuses activations, input, events and applications (K1).
    pub fn is_active(&self) -> bool {
        !self.inactive
    }

    /// How it is replicated.
    pub fn replication(&self) -> ReplicationMode {
        self.replication
    }

    /// The cues shown on it, with the number of effects that show each.
    pub fn cues(&self) -> &[(TagId, u32)] {
        &self.interactions.cues
    }

    /// Serial number, unique among all controllers that the simulation ever had.
    pub fn ordinal(&self) -> u64 {
        self.ordinal
    }

    /// Counts one more activation of an ability, under any grant, and returns the number before. The number
    /// derives the random stream of the activation (V5).
    pub(crate) fn count_run(&mut self, ability: AbilityId) -> u32 {
        let runs = &mut self.ability_data.make_mut().runs;
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

    /// Sets its position and orientation.
    pub(crate) fn set_placement(&mut self, placement: Option<Placement>) {
        if self.interactions.placement != placement {
            self.interactions.make_mut().placement = placement;
        }
    }

    /// Sets its team.
    pub(crate) fn set_team(&mut self, team: Option<&Team>) {
        if self.interactions.team.as_ref() != team {
            self.interactions.make_mut().team = team.cloned();
        }
    }

    /// Sets its origin, as replicated to a client (A17).
    pub(crate) fn set_summon(&mut self, summon: Option<Summon>) {
        if self.summon() != summon.as_ref() {
            self.interactions.make_mut().summon = summon.map(Box::new);
        }
    }

    /// Whether a slot has modifiers.
    #[inline(always)]
    pub(crate) fn has_modifiers(&self, slot: u16) -> bool {
        !self.modifiers.is_empty() && !self.modifiers_of(slot).is_empty()
    }

    /// The modifiers of one slot, in application order.
    #[inline(always)]
    pub(crate) fn modifiers_of(&self, slot: u16) -> &[ModifierEntry] {
        let (Some(first), Some(last)) = (self.modifiers.first(), self.modifiers.last()) else { return &[] };
        // Often all modifiers are of one slot: nothing to search.
        if (first.slot, last.slot) == (slot, slot) {
            return &self.modifiers;
        }
        if slot < first.slot || last.slot < slot {
            return &[];
        }
        self.search_modifiers(slot)
    }

    /// Binary search behind `modifiers_of`, kept apart from its fast path.
    fn search_modifiers(&self, slot: u16) -> &[ModifierEntry] {
        let start = self.modifiers.partition_point(|entry| entry.slot < slot);
        let end = start + self.modifiers[start..].partition_point(|entry| entry.slot == slot);
        &self.modifiers[start..end]
    }
}

// Recorded slots are cleared when a snapshot is restored.

#[cfg(test)]
mod tests {
    use super::*;

    /// There are many controllers, and a snapshot copies all of them: anything that not every controller has
    /// belongs in one of its [parts](parts).
    #[test]
    #[cfg(target_pointer_width = "64")]
    fn controller_size_is_pinned() {
        assert_eq!(size_of::<Controller>(), 336);
    }
}
