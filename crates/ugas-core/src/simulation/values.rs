//! Attribute evaluation: qualification of modifiers, aggregation and bounds (§5.3, §5.4, M1–M10, B0, B1).

use smallvec::SmallVec;

use super::{Simulation, State};
use crate::attribute::Evaluation;
use crate::attribute::layout::{Bound, Layout, Slot};
use crate::catalog::{Catalog, PreChange, QualifierTerm};
use crate::controller::Controller;
use crate::effect::{ActiveEffect, Effect, EffectContext};
use crate::expr::{Environment, EvalError, Side};
use crate::handle::{ActiveEffectId, ControllerId};
use crate::id::{AttributeId, CurveId, TagId};
use crate::modifier::MAX_LAYER;
use crate::modifier::aggregate::{
    Aggregated, LayerOutcome, ModifierEntry, aggregate, aggregate_plain, penalty,
};
use crate::number::finite;
use crate::refusal::Party;
use crate::tag::{TagBits, TagRequirement, TagSet, TagView};

/// Parameters of an evaluation that differs from the current value (UEM, "FAggregatorEvaluateParameters").
#[derive(Clone, PartialEq, Debug)]
pub struct EvaluationParameters {
    /// Tags that count as if the source of each modifier had them too, with their ancestors.
    pub extra_source_tags: TagBits,
    /// Tags that count as if the target had them too, with their ancestors.
    pub extra_target_tags: TagBits,
    /// Effects whose modifiers do not count.
    pub ignored_effects: Vec<ActiveEffectId>,
    /// Tags that the effect of a modifier or its source must all have for the modifier to count.
    pub source_tag_filter: TagSet,
    /// Tags that the target must all have for a modifier to count.
    pub target_tag_filter: TagSet,
    /// Whether modifiers that belong to a prediction count.
    pub include_predicted: bool,
    /// The last layer that is evaluated.
    pub up_to_layer: u8,
}

impl Default for EvaluationParameters {
    fn default() -> Self {
        Self {
            extra_source_tags: TagBits::default(),
            extra_target_tags: TagBits::default(),
            ignored_effects: Vec::new(),
            source_tag_filter: TagSet::default(),
            target_tag_filter: TagSet::default(),
            include_predicted: true,
            up_to_layer: MAX_LAYER,
        }
    }
}

/// Whether a modifier counts, and if not, the reason (UEM, "Why This Matters for Debugging").
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Qualification {
    Counts,
    /// The ongoing requirements of its effect fail (E7).
    Inhibited,
    /// A required tag is missing.
    MissingTag(Party, TagId),
    /// An ignored tag is present.
    BlockedTag(Party, TagId),
    /// Its layer is beyond the last one to evaluate.
    LayerNotEvaluated,
    /// It belongs to a prediction, and predictions are excluded.
    PredictedOnly,
    /// The caller excluded its effect.
    IgnoredEffect,
    /// A tag filter excludes it.
    TagFilter(TagId),
    /// A stronger negative modifier counts instead (M7).
    NotMostNegative,
    /// A native qualifier excluded it (M7).
    Qualifier,
    /// Its effect is gone, and with it the tag requirements to check.
    EffectGone,
}

/// Source tags of an effect: the union of the source's tags and of the tags of the effect's ability (E13).
pub(crate) struct SourceTags<'a> {
    /// Tags of the source: the last known ones if they were kept (M5), else its current ones; `None` without
    /// either.
    own: Option<&'a TagBits>,
    /// Tags of the ability that the effect comes from (E13).
    ability: Option<&'a TagBits>,
}

impl<'a> SourceTags<'a> {
    pub(crate) fn of(state: &'a State, active: &'a ActiveEffect) -> Self {
        let last = active.parts.last_source.as_ref().map(|last| &last.tags);
        Self::from_parts(state, &active.spec.context, last)
    }

    pub(crate) fn from_parts(
        state: &'a State,
        context: &'a EffectContext,
        last: Option<&'a TagBits>,
    ) -> Self {
        // The remembered tags take precedence: a source that is being destroyed loses its own tags first.
        let live = || {
            context.source.and_then(|source| state.controllers.get(source)).map(|source| source.tags.bits())
        };
        Self { own: last.or_else(live), ability: context.ability_tags() }
    }
}

impl<'a> SourceTags<'a> {
    /// The tag sets that it is the union of.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &'a TagBits> + use<'a> {
        [self.own, self.ability].into_iter().flatten()
    }
}

impl TagView for SourceTags<'_> {
    /// 64 tag bits of the union of both sets.
    fn word(&self, index: usize) -> u64 {
        let word = |bits: Option<&TagBits>| bits.map_or(0, |bits| bits.word(index));
        word(self.own) | word(self.ability)
    }
}

/// Union of two tag views.
struct Both<'a, A: ?Sized, B: ?Sized>(&'a A, &'a B);

impl<A: TagView + ?Sized, B: TagView + ?Sized> TagView for Both<'_, A, B> {
    fn word(&self, index: usize) -> u64 {
        self.0.word(index) | self.1.word(index)
    }
}

/// Modifiers of an attribute, frozen at one moment for later evaluation (UEM, "Aggregator Snapshots").
///
/// Tag requirements are checked at evaluation; the modifiers themselves are frozen. A modifier whose effect
/// is gone does not count if it had requirements.
#[derive(Clone, PartialEq, Debug)]
pub struct AggregatorSnapshot {
    controller: ControllerId,
    attribute: AttributeId,
    base: f64,
    entries: Vec<ModifierEntry>,
}

impl AggregatorSnapshot {
    /// Base value at the moment of the capture.
    pub fn base(&self) -> f64 {
        self.base
    }

    /// Attribute that was captured.
    pub fn attribute(&self) -> AttributeId {
        self.attribute
    }
}

/// Inputs of one attribute evaluation: current or frozen modifiers, and the evaluation parameters.
#[derive(Clone, Copy)]
pub(crate) struct EvalInput<'a> {
    pub(crate) controller: &'a Controller,
    pub(crate) slot: &'a Slot,
    pub(crate) base: f64,
    pub(crate) entries: &'a [ModifierEntry],
    pub(crate) parameters: Option<&'a EvaluationParameters>,
}

/// Result of an aggregation, before bounds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Evaluated {
    pub(crate) value: f64,
    pub(crate) divisor_ignored: bool,
}

impl State {
    /// Qualifies each entry of a slot. `None` means that all count, and is found without allocating.
    pub(crate) fn qualifications(
        &self,
        catalog: &Catalog,
        input: &EvalInput<'_>,
    ) -> Option<SmallVec<[Qualification; 16]>> {
        let &EvalInput { controller, slot, base, entries, parameters } = input;
        let qualifier = catalog.hooks(slot.attribute.id).and_then(|hooks| hooks.qualifier.as_ref());
        let plain = parameters.is_none()
            && !slot.has_qualifier
            && entries.iter().all(|entry| !entry.conditions.can_fail());
        if plain {
            return None;
        }
        let mut qualifications: SmallVec<[Qualification; 16]> =
            entries.iter().map(|entry| self.qualify(catalog, controller, entry, parameters)).collect();
        if slot.attribute.def.evaluation == Evaluation::MostNegativeOnly {
            keep_most_negative(base, entries, &mut qualifications);
        }
        if let Some(qualifier) = qualifier {
            let mut terms: SmallVec<[QualifierTerm; 16]> = entries
                .iter()
                .zip(&qualifications)
                .map(|(entry, qualification)| QualifierTerm {
                    effect: entry.effect,
                    operation: entry.operation,
                    layer: entry.layer,
                    amount: entry.amount,
                    counts: *qualification == Qualification::Counts,
                })
                .collect();
            qualifier(&mut terms);
            for (term, qualification) in terms.iter().zip(&mut qualifications) {
                if *qualification == Qualification::Counts && !term.counts {
                    *qualification = Qualification::Qualifier;
                }
            }
        }
        Some(qualifications)
    }

    /// Judges one entry by its conditions and the parameters; returns the first reason against it. The
    /// attribute's own rules (M7) are judged afterwards, over all entries.
    fn qualify(
        &self,
        catalog: &Catalog,
        controller: &Controller,
        entry: &ModifierEntry,
        parameters: Option<&EvaluationParameters>,
    ) -> Qualification {
        if entry.conditions.inhibited {
            return Qualification::Inhibited;
        }
        if let Some(parameters) = parameters {
            if parameters.ignored_effects.contains(&entry.effect) {
                return Qualification::IgnoredEffect;
            }
            if entry.conditions.predicted && !parameters.include_predicted {
                return Qualification::PredictedOnly;
            }
            if entry.layer > parameters.up_to_layer {
                return Qualification::LayerNotEvaluated;
            }
        }
        let found = self.effect_of(catalog, entry.effect);
        if entry.conditions.tags && found.is_none() {
            return Qualification::EffectGone;
        }
        let needs_effect = entry.conditions.tags
            || parameters.is_some_and(|parameters| !parameters.source_tag_filter.is_empty());
        if needs_effect && let Some((active, effect)) = found {
            let source = SourceTags::of(self, active);
            let none = TagBits::default();
            let extra = parameters.map_or((&none, &none), |parameters| {
                (&parameters.extra_source_tags, &parameters.extra_target_tags)
            });
            if let Some(parameters) = parameters {
                let mut added = TagBits::default();
                for &tag in active.spec.granted_tags().iter().chain(active.spec.asset_tags()) {
                    added.insert_closed(catalog.tags(), tag);
                }
                let own = Both(&effect.own_tags, &added);
                let carried = Both(&own, &source);
                if let Some(tag) = parameters.source_tag_filter.missing_from(&carried).next() {
                    return Qualification::TagFilter(tag);
                }
            }
            if let Some(modifier) = effect.modifiers.get(usize::from(entry.index)) {
                let target = Both(&controller.tags, extra.1);
                let source = Both(&source, extra.0);
                let qualification = require(&modifier.source_tags, &source, Party::Source)
                    .or_else(|| require(&modifier.target_tags, &target, Party::Target));
                if let Some(qualification) = qualification {
                    return qualification;
                }
            }
        }
        if let Some(parameters) = parameters
            && let Some(tag) = parameters.target_tag_filter.missing_from(&controller.tags).next()
        {
            return Qualification::TagFilter(tag);
        }
        Qualification::Counts
    }

    /// An active effect together with its definition; `None` if either is gone.
    pub(crate) fn effect_of<'a>(
        &'a self,
        catalog: &'a Catalog,
        id: ActiveEffectId,
    ) -> Option<(&'a ActiveEffect, &'a Effect)> {
        let active = self.effects.get(id)?;
        Some((active, self.definition(catalog, active.effect)?))
    }

    /// Value of a slot before bounds; reports the result of each layer to `on_layer`.
    pub(crate) fn aggregate_slot(
        &self,
        catalog: &Catalog,
        input: &EvalInput<'_>,
        on_layer: impl FnMut(LayerOutcome),
    ) -> Evaluated {
        let &EvalInput { base, entries, parameters, .. } = input;
        let up_to = parameters.map_or(MAX_LAYER, |parameters| parameters.up_to_layer);
        let qualifications = self.qualifications(catalog, input);
        let result = match &qualifications {
            None => aggregate(base, entries, up_to, |_| true, on_layer),
            Some(qualifications) => {
                aggregate(base, entries, up_to, |at| qualifications[at] == Qualification::Counts, on_layer)
            }
        };
        Evaluated { value: result.value, divisor_ignored: result.divisor_ignored }
    }

    /// Value that a slot would have with another base, before bounds; for the check of a cost.
    pub(super) fn unclamped(&self, catalog: &Catalog, controller: &Controller, slot: u16, base: f64) -> f64 {
        let place = &self.layout(controller).slots[usize::from(slot)];
        let entries = controller.modifiers_of(slot);
        self.aggregate_present(catalog, controller, place, base, entries).value
    }

    /// Value of a slot before bounds, under current conditions; entries that cannot fail take a faster path.
    fn aggregate_present(
        &self,
        catalog: &Catalog,
        controller: &Controller,
        slot: &Slot,
        base: f64,
        entries: &[ModifierEntry],
    ) -> Evaluated {
        let plain = if slot.has_qualifier { None } else { aggregate_plain(base, entries) };
        if let Some(Aggregated { value, divisor_ignored }) = plain {
            return Evaluated { value, divisor_ignored };
        }
        let input = EvalInput { controller, slot, base, entries, parameters: None };
        self.aggregate_slot(catalog, &input, |_| {})
    }

    /// Current bounds of a slot, minimum first; `None` is unbounded.
    #[inline(always)]
    pub(crate) fn bounds(controller: &Controller, slot: &Slot) -> (Option<f64>, Option<f64>) {
        let bound = |bound: Option<Bound<u16>>| {
            bound.map(|bound| match bound {
                Bound::Constant(value) => value,
                Bound::Attribute(slot) => controller.values[usize::from(slot)].current,
            })
        };
        (bound(slot.min), bound(slot.max))
    }

    /// Base of a slot: the stored value, or the result of its expression (B2).
    pub(super) fn base_of(
        catalog: &Catalog,
        controller: &Controller,
        layout: &Layout,
        slot: u16,
    ) -> Result<f64, EvalError> {
        match &layout.slots[usize::from(slot)].attribute.derived {
            None => Ok(controller.values[usize::from(slot)].base),
            Some(program) => program.evaluate(&mut DerivedInputs { catalog, controller, layout }),
        }
    }

    /// Evaluates one slot: base, modifiers, bounds, hook. `None` if the result is not finite (V2).
    pub(super) fn evaluate_slot(
        &self,
        catalog: &Catalog,
        id: ControllerId,
        controller: &Controller,
        slot_index: u16,
        base: f64,
    ) -> Option<Evaluated> {
        let layout = self.layout(controller);
        let slot = &layout.slots[usize::from(slot_index)];
        let entries = controller.modifiers_of(slot_index);
        let result = self.aggregate_present(catalog, controller, slot, base, entries);
        let (min, max) = Self::bounds(controller, slot);
        let mut value = clamp(finite(result.value)?, min, max);
        if catalog.has_hooks()
            && let Some(hook) = catalog.hooks(slot.attribute.id).and_then(|hooks| hooks.pre_change.as_ref())
        {
            let old = controller.values[usize::from(slot_index)].current;
            let change = PreChange { controller: id, attribute: slot.attribute.id, base, old, new: value };
            value = finite(hook(&change)).unwrap_or(value);
        }
        // Adding zero turns a negative zero into a positive one: they are equal, and so must be their hashes.
        Some(Evaluated { value: value + 0.0, ..result })
    }
}

impl Simulation {
    /// Evaluates an attribute with other parameters than the current ones: with additional tags, without some
    /// effects, up to a layer (UEM, "Evaluation Channels"). Bounds apply only if all layers are evaluated;
    /// `pre_change` hooks do not run. `None` if the controller has no such attribute, or it is
    /// [withheld](Self::withheld) from this client.
    pub fn evaluate(
        &self,
        controller: ControllerId,
        attribute: AttributeId,
        parameters: &EvaluationParameters,
    ) -> Option<f64> {
        if self.is_withheld(controller, attribute) {
            return None;
        }
        let (controller, slot) = self.state.locate(controller, attribute)?;
        let base = controller.values[slot].base;
        self.evaluate_entries(controller, slot as u16, base, controller.modifiers_of(slot as u16), parameters)
    }

    /// Captures the modifiers of an attribute (UEM, "Aggregator Snapshots"). `None` as for
    /// [`Self::evaluate`].
    pub fn capture(&self, controller: ControllerId, attribute: AttributeId) -> Option<AggregatorSnapshot> {
        let id = controller;
        if self.is_withheld(id, attribute) {
            return None;
        }
        let (controller, slot) = self.state.locate(id, attribute)?;
        let entries = controller.modifiers_of(slot as u16).to_vec();
        Some(AggregatorSnapshot { controller: id, attribute, base: controller.values[slot].base, entries })
    }

    /// Evaluates captured modifiers with the captured base, within the current bounds. `None` if the
    /// controller is gone or lacks the attribute now, or the result is not finite.
    pub fn evaluate_capture(
        &self,
        capture: &AggregatorSnapshot,
        parameters: &EvaluationParameters,
    ) -> Option<f64> {
        let (controller, slot) = self.state.locate(capture.controller, capture.attribute)?;
        self.evaluate_entries(controller, slot as u16, capture.base, &capture.entries, parameters)
    }

    /// Aggregates entries under parameters. Bounds apply only if all layers are evaluated. `None` if the
    /// result is not finite.
    fn evaluate_entries(
        &self,
        controller: &Controller,
        slot_index: u16,
        base: f64,
        entries: &[ModifierEntry],
        parameters: &EvaluationParameters,
    ) -> Option<f64> {
        let slot = &self.state.layout(controller).slots[usize::from(slot_index)];
        let input = EvalInput { controller, slot, base, entries, parameters: Some(parameters) };
        let result = self.state.aggregate_slot(&self.catalog, &input, |_| {});
        let value = finite(result.value)?;
        if parameters.up_to_layer < MAX_LAYER {
            return Some(value);
        }
        let (min, max) = State::bounds(controller, slot);
        Some(clamp(value, min, max))
    }
}

/// B0: `max(Min, min(Max, x))`, so that Min wins.
#[inline]
pub(crate) fn clamp(value: f64, min: Option<f64>, max: Option<f64>) -> f64 {
    let mut value = value;
    if let Some(max) = max
        && value > max
    {
        value = max;
    }
    if let Some(min) = min
        && value < min
    {
        value = min;
    }
    value
}

/// Reason for which a tag requirement fails: the first missing tag, else the first ignored one; `None` if it
/// is met.
fn require(requirement: &TagRequirement, tags: &impl TagView, party: Party) -> Option<Qualification> {
    if requirement.is_met_by(tags) {
        return None;
    }
    let missing =
        requirement.require.missing_from(tags).next().map(|tag| Qualification::MissingTag(party, tag));
    missing.or_else(|| {
        requirement.ignore.present_in(tags).next().map(|tag| Qualification::BlockedTag(party, tag))
    })
}

/// M7: of the negative modifiers that count, only the strongest keeps counting; on a tie the first applied.
fn keep_most_negative(base: f64, entries: &[ModifierEntry], qualifications: &mut [Qualification]) {
    let counting = |qualifications: &[Qualification], at: usize| qualifications[at] == Qualification::Counts;
    let mut worst: Option<(usize, f64)> = None;
    for (at, entry) in entries.iter().enumerate() {
        if counting(qualifications, at)
            && let Some(loss) = penalty(base, entry)
            && worst.is_none_or(|(_, most)| loss < most)
        {
            worst = Some((at, loss));
        }
    }
    let Some((worst, _)) = worst else { return };
    for (at, entry) in entries.iter().enumerate() {
        if at != worst && counting(qualifications, at) && penalty(base, entry).is_some() {
            qualifications[at] = Qualification::NotMostNegative;
        }
    }
}

/// Inputs of a derived attribute: current values of its own controller.
struct DerivedInputs<'a> {
    catalog: &'a Catalog,
    controller: &'a Controller,
    layout: &'a Layout,
}

impl Environment for DerivedInputs<'_> {
    fn attribute(&mut self, side: Side, attribute: AttributeId) -> Result<f64, EvalError> {
        let slot = self.layout.slot_of(attribute).ok_or(EvalError::MissingAttribute { side, attribute })?;
        Ok(self.controller.values[usize::from(slot)].current)
    }

    fn curve(&self, curve: CurveId, x: f64) -> Result<f64, EvalError> {
        let found = self.catalog.curve(curve).ok_or(EvalError::MissingCurve { curve })?;
        Ok(found.value_at(x))
    }
}
