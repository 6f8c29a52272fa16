//! The catalog: every definition of a game, resolved, checked and immutable.
//!
//! [`CatalogBuilder`] takes definitions by name and reports all errors in them. Ids are positions among the
//! sorted names (I3), and equal [hashes](Catalog::hash) mean equal rules on two machines. Native code lives
//! here too (I1): state refers to it by id only.

mod assemble;
mod builder;
mod calculations;
mod compile;
mod contents;
mod cycles;
mod death;
mod definitions;
mod error;
mod hooks;
mod names;
mod reads;
mod routines;
mod standin;

use std::sync::Arc;

pub use builder::CatalogBuilder;
pub(crate) use compile::Compiler;
pub(crate) use contents::Contents;
pub use death::{DEFAULT_DEATH_ATTRIBUTE, Death};
pub use definitions::{Definitions, RebuildError};
pub use error::{CatalogErrors, DefinitionError, DefinitionKind, Problem};
pub(crate) use hooks::{AttributeHooks, BeforeApplyHook};
pub use hooks::{PreChange, QualifierTerm};
pub(crate) use names::NameTable;
pub(crate) use reads::{ReadLevel, live_reads, plain_reading};
pub(crate) use routines::EffectContainer;

use crate::ability::Ability;
use crate::attribute::layout::Attribute;
use crate::attribute::{AttributeDef, AttributeReplication};
use crate::controller::ControllerDef;
use crate::curve::Curve;
use crate::effect::calculation::CompiledCalculation;
use crate::effect::{AbilityGrant, Effect};
use crate::id::{
    AbilityId, AttributeId, AttributeSetId, CalculationId, ChannelId, CurveId, EffectId, TagId, TemplateId,
};
use crate::input::InputBufferConfig;
use crate::tag::{TagBits, TagRegistry};
use crate::targeting::{AttitudeRule, SharedSpace, Space, TargetFilter};
use crate::task::CustomTask;

/// A name that the catalog does not have.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no {kind} `{name}` in the catalog{}", .nearest.as_ref().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default())]
pub struct UnknownName {
    /// Expected kind of definition.
    pub kind: DefinitionKind,
    /// The unknown name.
    pub name: String,
    /// A similar known name.
    pub nearest: Option<String>,
}

/// All definitions, resolved. Immutable and shared by every simulation that runs them.
#[derive(Clone)]
pub struct Catalog {
    pub(crate) tables: Tables,
    sets: Box<[CompiledSet]>,
    effects: Box<[Arc<Effect>]>,
    abilities: Box<[Ability]>,
    curves: Box<[Option<Curve>]>,
    calculations: Box<[CompiledCalculation]>,
    templates: Box<[Template]>,
    ability_sets: Box<[Template]>,
    containers: Box<[EffectContainer]>,
    customs: Box<[Arc<dyn CustomTask>]>,
    filters: Box<[Arc<TargetFilter>]>,
    pub(crate) attitude: Arc<AttitudeRule>,
    pub(crate) space: SharedSpace,
    /// Attribute and threshold of death (A4).
    pub(crate) death: Option<Death>,
    /// Threshold of death, if it is the same number on all controllers at any time.
    pub(crate) death_threshold: Option<f64>,
    pub(crate) input_buffer: InputBufferConfig,
    /// The attribute whose current value is the window of the buffer, in seconds.
    pub(crate) input_buffer_window: Option<AttributeId>,
    /// The narrowest replication that any set gives each attribute, by id (N1).
    pub(crate) narrowest_replication: Box<[AttributeReplication]>,
    /// Tags that the cooldown of any ability grants.
    pub(crate) cooldown_tags: TagBits,
    /// Tags whose addition triggers any ability (A7).
    pub(crate) trigger_tags: TagBits,
    hooks: Box<[AttributeHooks]>,
    pub(crate) before_apply: Box<[BeforeApplyHook]>,
    pub(crate) internal: InternalEffects,
    contents: Contents,
    definitions: Definitions,
    hash: u64,
}

/// The name tables of all kinds of definitions.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Tables {
    pub(crate) tags: TagRegistry,
    pub(crate) attributes: NameTable,
    pub(crate) sets: NameTable,
    pub(crate) effects: NameTable,
    pub(crate) abilities: NameTable,
    pub(crate) channels: NameTable,
    pub(crate) curves: NameTable,
    pub(crate) calculations: NameTable,
    pub(crate) templates: NameTable,
    pub(crate) ability_sets: NameTable,
    pub(crate) containers: NameTable,
    pub(crate) customs: NameTable,
    /// Whether each custom task waits.
    pub(crate) custom_waits: Box<[bool]>,
    pub(crate) filters: NameTable,
}

/// A resolved attribute set.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct CompiledSet {
    pub(crate) name: Arc<str>,
    pub(crate) dependencies: Box<[AttributeSetId]>,
    pub(crate) attributes: Box<[Arc<Attribute>]>,
}

/// A resolved controller template.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Template {
    pub(crate) def: Arc<ControllerDef>,
    pub(crate) sets: Box<[AttributeSetId]>,
    pub(crate) base: Box<[(AttributeId, f64)]>,
    pub(crate) tags: Box<[TagId]>,
    pub(crate) abilities: Box<[AbilityGrant]>,
    pub(crate) effects: Box<[(EffectId, f64)]>,
    pub(crate) active_effects: Box<[TemplateEffect]>,
}

impl Template {
    /// Whether the tags of the template include all owned tags of an ability (K1).
    pub(crate) fn owns_tags_of(&self, catalog: &Catalog, grant: &AbilityGrant) -> bool {
        let ability = catalog.ability_by_id(grant.ability);
        ability.is_some_and(|ability| {
            !ability.owned_tags.is_empty() && ability.owned_tags.iter().all(|tag| self.tags.contains(&tag))
        })
    }
}

/// An active effect that a controller has from the start (K1).
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct TemplateEffect {
    pub(crate) effect: EffectId,
    /// Index in the template's definition.
    pub(crate) at: usize,
    pub(crate) set_by_caller: Box<[(TagId, f64)]>,
}

/// Effects that the simulation itself applies, so that every change has an effect behind it (§3.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct InternalEffects {
    /// Grants the initial tags of a controller (T3).
    pub(crate) tags: EffectId,
    /// Adjusts a base when a bound changes (B1).
    pub(crate) bound_change: EffectId,
    /// Grants the owned tags of a committed ability (§8.4).
    pub(crate) owned_tags: EffectId,
}

/// Root of the tags that are cues wherever they are granted (C2).
const CUE_ROOT: &str = "GameplayCue";

/// Whether a tag is below `GameplayCue` (C2).
pub(crate) fn is_cue(tags: &TagRegistry, tag: TagId) -> bool {
    tags.id(CUE_ROOT).is_some_and(|root| tag != root && tags.is_within(tag, root))
}

impl Catalog {
    /// The engine's answers to line-of-sight and area queries, for simulations without a world of their own.
    pub fn space(&self) -> &dyn Space {
        &*self.space
    }

    /// Whether a tag is a cue wherever it is granted: one below `GameplayCue` (C2).
    pub fn is_cue(&self, tag: TagId) -> bool {
        is_cue(self.tags(), tag)
    }

    /// Name of the internal effect that grants the initial tags of a controller.
    pub const TAGS_EFFECT: &str = "Internal.Tags";
    /// Name of the internal effect that adjusts a base when a bound changes (B1).
    pub const BOUND_CHANGE_EFFECT: &str = "Internal.BoundChange";

    /// Name of the internal effect that grants the owned tags of a committed ability (§8.4).
    pub const OWNED_TAGS_EFFECT: &str = "Internal.OwnedTags";

    const INTERNAL_EFFECTS: [&str; 3] =
        [Self::TAGS_EFFECT, Self::BOUND_CHANGE_EFFECT, Self::OWNED_TAGS_EFFECT];

    /// A builder without definitions.
    pub fn builder() -> CatalogBuilder {
        CatalogBuilder::default()
    }

    /// The tags.
    pub fn tags(&self) -> &TagRegistry {
        &self.tables.tags
    }

    /// These tags with their ancestors, for
    /// [`EvaluationParameters`](crate::simulation::EvaluationParameters).
    pub fn closed_tags(&self, tags: impl IntoIterator<Item = TagId>) -> TagBits {
        TagBits::closed(&self.tables.tags, tags)
    }

    /// A hash of the rules: the same for catalogs with the same definitions, on any machine. Compared when a
    /// client joins, and stored with saved data. Native code counts by name only.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// The tag with this name.
    ///
    /// # Errors
    /// If there is no such tag.
    pub fn tag(&self, name: &str) -> Result<TagId, UnknownName> {
        self.tables.tags.id(name).ok_or_else(|| UnknownName {
            kind: DefinitionKind::Tag,
            name: name.to_owned(),
            nearest: self.tables.tags.nearest(name).map(str::to_owned),
        })
    }

    /// The attribute with this name.
    ///
    /// # Errors
    /// If there is no such attribute.
    pub fn attribute(&self, name: &str) -> Result<AttributeId, UnknownName> {
        lookup(&self.tables.attributes, DefinitionKind::Attribute, name).map(AttributeId::from_index)
    }

    /// The attribute set with this name.
    ///
    /// # Errors
    /// If there is no such set.
    pub fn attribute_set(&self, name: &str) -> Result<AttributeSetId, UnknownName> {
        lookup(&self.tables.sets, DefinitionKind::AttributeSet, name).map(AttributeSetId::from_index)
    }

    /// The effect with this name.
    ///
    /// # Errors
    /// If there is no such effect.
    pub fn effect(&self, name: &str) -> Result<EffectId, UnknownName> {
        lookup(&self.tables.effects, DefinitionKind::Effect, name).map(EffectId::from_index)
    }

    /// The ability with this name.
    ///
    /// # Errors
    /// If there is no such ability.
    pub fn ability(&self, name: &str) -> Result<AbilityId, UnknownName> {
        lookup(&self.tables.abilities, DefinitionKind::Ability, name).map(AbilityId::from_index)
    }

    /// The controller template with this name.
    ///
    /// # Errors
    /// If there is no such template.
    pub fn template(&self, name: &str) -> Result<TemplateId, UnknownName> {
        lookup(&self.tables.templates, DefinitionKind::Template, name).map(TemplateId::from_index)
    }

    /// The ability set with this name.
    ///
    /// # Errors
    /// If there is no such set.
    pub(crate) fn ability_set(&self, name: &str) -> Result<&Template, UnknownName> {
        let at = lookup(&self.tables.ability_sets, DefinitionKind::AbilitySet, name)?;
        let missing =
            || UnknownName { kind: DefinitionKind::AbilitySet, name: name.to_owned(), nearest: None };
        self.ability_sets.get(at as usize).ok_or_else(missing)
    }

    /// The names of the ability sets.
    pub fn ability_sets(&self) -> impl Iterator<Item = &str> {
        self.tables.ability_sets.iter()
    }

    /// Configuration of the input buffer (§11.3).
    pub fn input_buffer(&self) -> InputBufferConfig {
        self.input_buffer
    }

    /// The attribute and the threshold of death (§8.6.4, A4); `None` if death is off.
    pub fn death(&self) -> Option<Death> {
        self.death
    }

    /// The name of an attribute.
    pub fn attribute_name(&self, id: AttributeId) -> &str {
        name_or_unknown(&self.tables.attributes, id.index())
    }

    /// The name of an attribute set.
    pub fn set_name(&self, id: AttributeSetId) -> &str {
        name_or_unknown(&self.tables.sets, id.index())
    }

    /// The name of a tag.
    pub fn tag_name(&self, id: TagId) -> &str {
        self.tables.tags.name(id)
    }

    /// The name of an ability.
    pub fn ability_name(&self, id: AbilityId) -> &str {
        name_or_unknown(&self.tables.abilities, id.index())
    }

    /// The name of a multiplier channel.
    pub fn channel_name(&self, id: ChannelId) -> &str {
        name_or_unknown(&self.tables.channels, id.index())
    }

    /// The name of a template.
    pub fn template_name(&self, id: TemplateId) -> &str {
        name_or_unknown(&self.tables.templates, id.index())
    }

    /// The name of a calculation.
    pub fn calculation_name(&self, id: CalculationId) -> &str {
        name_or_unknown(&self.tables.calculations, id.index())
    }

    /// The name of a curve.
    pub fn curve_name(&self, id: CurveId) -> &str {
        name_or_unknown(&self.tables.curves, id.index())
    }

    /// An effect of the catalog; those created at run time are in the simulation.
    #[inline]
    pub fn effect_by_id(&self, id: EffectId) -> Option<&Arc<Effect>> {
        self.effects.get(id.usize())
    }

    /// The effects of the catalog in id order, the internal ones included.
    pub fn effects(&self) -> impl Iterator<Item = (EffectId, &Effect)> {
        (0..).map(EffectId::from_index).zip(self.effects.iter().map(|effect| &**effect))
    }

    /// The number of effects; effects created at run time have ids from here on.
    #[inline]
    pub(crate) fn effect_count(&self) -> usize {
        self.effects.len()
    }

    /// An ability.
    #[inline]
    pub fn ability_by_id(&self, id: AbilityId) -> Option<&Ability> {
        self.abilities.get(id.usize())
    }

    /// The number of attribute names.
    pub fn attribute_count(&self) -> usize {
        self.tables.attributes.len()
    }

    /// The attribute sets, by id.
    pub fn sets(&self) -> impl ExactSizeIterator<Item = AttributeSetId> + use<> {
        (0..self.sets.len() as u32).map(AttributeSetId::from_index)
    }

    /// The attributes of a set, in the order in which it lists them.
    pub fn attributes_of(&self, set: AttributeSetId) -> impl Iterator<Item = (AttributeId, &AttributeDef)> {
        let attributes = self.sets.get(set.usize()).map(|set| &*set.attributes).unwrap_or_default();
        attributes.iter().map(|attribute| (attribute.id, &attribute.def))
    }

    /// The narrowest replication that any set gives an attribute (N1).
    pub(crate) fn narrowest_replication(&self, attribute: AttributeId) -> AttributeReplication {
        let replication = self.narrowest_replication.get(attribute.usize()).copied();
        replication.unwrap_or(AttributeReplication::None)
    }

    /// Names of calculations and curves that are used but not provided. Applications that need one are
    /// refused with `MissingCalculation` or `MissingCurve`.
    pub fn missing(&self) -> Vec<(DefinitionKind, &str)> {
        let calculations = self.calculations.iter().filter(|calculation| calculation.is_missing());
        let calculations = calculations.map(|calculation| (DefinitionKind::Calculation, &*calculation.name));
        let curves = self.tables.curves.iter().zip(&*self.curves).filter(|(_, curve)| curve.is_none());
        calculations.chain(curves.map(|(name, _)| (DefinitionKind::Curve, name))).collect()
    }

    /// The names of all definitions of a kind, sorted.
    pub fn names(&self, kind: DefinitionKind) -> impl Iterator<Item = &str> {
        self.contents_of(kind).map(|(name, _)| name)
    }

    /// The names of all definitions of a kind, sorted, each with its content hash.
    pub(crate) fn contents_of(&self, kind: DefinitionKind) -> Box<dyn Iterator<Item = (&str, u64)> + '_> {
        let table = match kind {
            // Numbered depth-first, which is also name order.
            DefinitionKind::Tag => {
                let tags = &self.tables.tags;
                return Box::new(tags.ids().map(|id| (tags.name(id), 0)));
            }
            DefinitionKind::Attribute => &self.tables.attributes,
            DefinitionKind::AttributeSet => &self.tables.sets,
            DefinitionKind::Effect => &self.tables.effects,
            DefinitionKind::Ability => &self.tables.abilities,
            DefinitionKind::Curve => &self.tables.curves,
            DefinitionKind::Calculation => &self.tables.calculations,
            DefinitionKind::Template => &self.tables.templates,
            DefinitionKind::AbilitySet => &self.tables.ability_sets,
            DefinitionKind::Container => &self.tables.containers,
            DefinitionKind::CustomTask => &self.tables.customs,
            DefinitionKind::TargetFilter => &self.tables.filters,
        };
        Box::new((0..).zip(table.iter()).map(move |(at, name)| (name, self.contents.of(kind, at))))
    }

    /// The content hashes of all definitions.
    pub(crate) fn contents(&self) -> &Contents {
        &self.contents
    }

    pub(crate) fn set(&self, id: AttributeSetId) -> Option<&CompiledSet> {
        self.sets.get(id.usize())
    }

    /// A curve by id; `None` also for a curve that is used but not defined.
    pub(crate) fn curve(&self, id: CurveId) -> Option<&Curve> {
        self.curves.get(id.usize())?.as_ref()
    }

    pub(crate) fn calculation(&self, id: CalculationId) -> Option<&CompiledCalculation> {
        self.calculations.get(id.usize())
    }

    pub(crate) fn calculations(&self) -> &[CompiledCalculation] {
        &self.calculations
    }

    /// The definition of a controller template.
    pub fn template_def(&self, id: TemplateId) -> Option<&ControllerDef> {
        self.template_by_id(id).map(|template| &*template.def)
    }

    pub(crate) fn template_by_id(&self, id: TemplateId) -> Option<&Template> {
        self.templates.get(id.usize())
    }

    pub(crate) fn container(&self, at: u32) -> Option<&EffectContainer> {
        self.containers.get(at as usize)
    }

    pub(crate) fn custom_task(&self, at: u32) -> Option<&Arc<dyn CustomTask>> {
        self.customs.get(at as usize)
    }

    pub(crate) fn target_filter(&self, name: &str) -> Option<&Arc<TargetFilter>> {
        self.filters.get(self.tables.filters.index(name)? as usize)
    }

    /// The hooks of an attribute. A catalog without hooks has no table of them.
    pub(crate) fn hooks(&self, attribute: AttributeId) -> Option<&AttributeHooks> {
        self.hooks.get(attribute.usize())
    }

    /// Whether the presence of a tag begins or ends a cooldown, or triggers an ability.
    #[inline]
    pub(crate) fn has_reactions_to(&self, tag: TagId) -> bool {
        self.cooldown_tags.matches(tag) || self.trigger_tags.matches(tag)
    }

    /// Whether any attribute has hooks.
    #[inline]
    pub(crate) fn has_hooks(&self) -> bool {
        !self.hooks.is_empty()
    }
}

/// Index of a name, or an error with the known name that was probably meant.
fn lookup(table: &NameTable, kind: DefinitionKind, name: &str) -> Result<u32, UnknownName> {
    let unknown = || UnknownName { kind, name: name.to_owned(), nearest: table.nearest(name) };
    table.index(name).ok_or_else(unknown)
}

/// Ids of another catalog must not panic; their names are unknown here.
fn name_or_unknown(table: &NameTable, index: u32) -> &str {
    table.name(index).map_or("<unknown>", |name| name)
}

impl core::fmt::Debug for Catalog {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Catalog")
            .field("hash", &format_args!("{:016x}", self.hash))
            .field("tags", &self.tables.tags.len())
            .field("attribute sets", &self.sets.len())
            .field("effects", &self.effects.len())
            .field("abilities", &self.abilities.len())
            .finish_non_exhaustive()
    }
}
