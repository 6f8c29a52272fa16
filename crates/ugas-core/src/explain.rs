//! Explanations: where a value comes from, term by term, and why a modifier does not count (UEM, "Why This
//! Matters for Debugging").
//!
//! An explanation is data for tools, with names filled in; its `Display` is a tree for people.

mod text;

use crate::attribute::layout::{Bound, Slot};
use crate::controller::Controller;
use crate::effect::{ActiveEffect, Effect, EffectStatus};
use crate::handle::{ActiveEffectId, ControllerId};
use crate::id::{AttributeId, EffectId};
use crate::modifier::aggregate::{LayerOutcome, ModifierEntry};
use crate::modifier::{MAX_LAYER, Operation};
use crate::refusal::Party;
use crate::simulation::{EvalInput, EvaluationParameters, Qualification, Simulation, State};
use crate::time::Time;

/// Where an attribute's value comes from.
#[derive(Clone, PartialEq, Debug)]
pub struct Explanation {
    /// The controller.
    pub controller: ControllerId,
    /// The attribute.
    pub attribute: AttributeId,
    /// Name of the attribute.
    pub name: String,
    /// Simulation time of the explanation.
    pub time: Time,
    /// Whether there is a value. Without one, the controller lacks the attribute and the terms are modifiers that wait
    /// for it (M6), or the value is [not replicated](Self::not_replicated).
    pub present: bool,
    /// Whether the controller has the attribute and the server withholds its value from this client (N1). There are
    /// no terms then.
    pub not_replicated: bool,
    /// The base value.
    pub base: f64,
    /// The expression of the base value of a derived attribute (B2).
    pub derived_from: Option<String>,
    /// The current value, or the value that the evaluation parameters give.
    pub current: f64,
    /// The layers with modifiers, in order.
    pub layers: Vec<LayerExplanation>,
    /// The effect of the bounds.
    pub clamp: ClampExplanation,
    /// The value that a `pre_change` hook returned, if it changed the clamped value (B4).
    pub adjusted_by_hook: Option<f64>,
    /// Whether changes are pending until the end of a batch, so that `current` is out of date (UEM, "Why This
    /// Matters for Debugging").
    pub stale: bool,
}

/// The effect of one layer.
#[derive(Clone, PartialEq, Debug)]
pub struct LayerExplanation {
    /// Its number, 0 to 9.
    pub index: u8,
    /// Value before the layer.
    pub input: f64,
    /// Its modifiers in application order.
    pub terms: Vec<Term>,
    /// Value after the layer.
    pub output: f64,
}

/// One modifier of a layer.
#[derive(Clone, PartialEq, Debug)]
pub struct Term {
    /// Its operation.
    pub operation: Operation,
    /// Its multiplier channel.
    pub channel: Option<String>,
    /// Its magnitude, for one stack.
    pub magnitude: f64,
    /// Number of stacks that are factored in (M8).
    pub stacks: u32,
    /// Priority of the effect among overrides.
    pub priority: i32,
    /// The effect definition.
    pub effect: EffectId,
    /// Name of the effect.
    pub effect_name: String,
    /// Handle of the active effect.
    pub active: ActiveEffectId,
    /// The controller that caused the effect.
    pub source: Option<ControllerId>,
    /// Whether it counts.
    pub qualifies: bool,
    /// Why it does not count, or is hidden by another modifier.
    pub reason: Option<Reason>,
}

/// Why a modifier does not show in the result.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Reason {
    /// Tag filtering: a tag that it requires is missing (M5).
    MissingTag {
        /// The party that lacks it.
        party: Party,
        /// The tag's name.
        tag: String,
    },
    /// Tag filtering: a tag that it excludes is there (M5).
    BlockedTag {
        /// The party that has it.
        party: Party,
        /// The tag's name.
        tag: String,
    },
    /// Tag filtering: the evaluation asked for modifiers that carry a tag.
    TagFilter {
        /// The tag's name.
        tag: String,
    },
    /// Its effect is inhibited (E7).
    Inhibited,
    /// Wrong channel: it is in a layer that was not evaluated.
    LayerNotEvaluated,
    /// Wrong channel: an override in a later layer replaces what it contributed to.
    HiddenByLayer {
        /// The later layer.
        layer: u8,
        /// The effect with the override.
        effect: String,
    },
    /// An override in its own layer replaces the result (M4).
    Overridden {
        /// The effect with the override.
        effect: String,
    },
    /// It is an override itself, and another one won (M4).
    OverrideLost {
        /// The effect with the winning override.
        effect: String,
    },
    /// Predicted only: it belongs to a prediction, and those were not asked for.
    PredictedOnly,
    /// Ignored handle: the evaluation asked for its effect not to count.
    IgnoredEffect,
    /// Custom qualifier: a stronger negative modifier counts instead (M7).
    NotMostNegative,
    /// Custom qualifier: native code excluded it (M7).
    Qualifier,
    /// Its effect is gone.
    EffectGone,
    /// The controller lacks the attribute (M6).
    MissingAttribute,
    /// Its effect waits for its turn (E4).
    Queued,
}

/// One bound of the clamp.
#[derive(Clone, PartialEq, Debug)]
pub struct BoundExplanation {
    /// Value of the bound.
    pub value: f64,
    /// Name of the attribute that the bound follows; `None` for a constant.
    pub attribute: Option<String>,
}

/// The effect of the bounds (B0).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ClampExplanation {
    /// Lower bound.
    pub min: Option<BoundExplanation>,
    /// Upper bound.
    pub max: Option<BoundExplanation>,
    /// Whether the bounds changed the value.
    pub applied: bool,
}

impl Simulation {
    /// Explains an attribute's current value. `None` if the controller does not exist.
    pub fn explain(&self, controller: ControllerId, attribute: AttributeId) -> Option<Explanation> {
        self.explain_evaluation(controller, attribute, None)
    }

    /// Explains what [`evaluate`](Self::evaluate) gives with these parameters. `None` if the controller does not exist.
    pub fn explain_with(
        &self,
        controller: ControllerId,
        attribute: AttributeId,
        parameters: &EvaluationParameters,
    ) -> Option<Explanation> {
        self.explain_evaluation(controller, attribute, Some(parameters))
    }

    /// Explains the current value, or with `parameters` an evaluation under other conditions. `None` if the
    /// controller does not exist. For an attribute that it does not have, lists the modifiers that have no
    /// effect.
    fn explain_evaluation(
        &self,
        id: ControllerId,
        attribute: AttributeId,
        parameters: Option<&EvaluationParameters>,
    ) -> Option<Explanation> {
        let controller = self.controller(id)?;
        let mut explanation = Explanation {
            controller: id,
            attribute,
            name: self.catalog().attribute_name(attribute).to_owned(),
            time: self.now(),
            present: false,
            not_replicated: false,
            base: 0.0,
            derived_from: None,
            current: 0.0,
            layers: Vec::new(),
            clamp: ClampExplanation::default(),
            adjusted_by_hook: None,
            stale: self.is_stale(controller),
        };
        let layout = self.state().layout(controller);
        match layout.slot_of(attribute) {
            Some(_) if self.is_withheld(id, attribute) => explanation.not_replicated = true,
            Some(slot) => {
                let place = &layout.slots[usize::from(slot)];
                self.explain_slot(&mut explanation, controller, slot, place, parameters);
            }
            None => explanation.layers = self.inert_layers(controller, attribute),
        }
        Some(explanation)
    }

    /// Fills in layers, bounds and hook for an attribute that the controller has. The aggregation runs again,
    /// so that the explanation follows the real computation.
    fn explain_slot(
        &self,
        explanation: &mut Explanation,
        controller: &Controller,
        slot: u16,
        place: &Slot,
        parameters: Option<&EvaluationParameters>,
    ) {
        let (state, catalog) = (self.state(), self.catalog());
        let base = controller.values[usize::from(slot)].base;
        let entries = controller.modifiers_of(slot);
        let input = EvalInput { controller, slot: place, base, entries, parameters };
        let qualifications = state.qualifications(catalog, &input);
        let mut outcomes = Vec::new();
        let on_layer = |outcome| outcomes.push(outcome);
        let value = state.aggregate_slot(catalog, &input, on_layer).value;
        let qualification = |at: usize| {
            qualifications.as_ref().map_or(Qualification::Counts, |qualifications| qualifications[at])
        };
        let terms = entries.iter().enumerate().map(|(at, entry)| self.term(entry, qualification(at)));
        explanation.layers = layers(base, entries, terms.collect(), &outcomes);
        explanation.present = true;
        explanation.base = base;
        explanation.derived_from =
            place.attribute.derived.as_ref().map(|program| program.source().to_owned());
        let (min, max) = State::bounds(controller, place);
        let clamped = crate::simulation::clamp(value, min, max);
        let id = explanation.controller;
        // A client does not know the value of a bound that is not replicated to it (N1).
        let is_replicated = |bound: Option<Bound<u16>>| {
            let layout = state.layout(controller);
            let is_withheld = match bound {
                Some(Bound::Attribute(slot)) => self.is_withheld(id, layout.attribute_at(slot)),
                Some(Bound::Constant(_)) | None => false,
            };
            move |_: &f64| !is_withheld
        };
        let all_layers = parameters.is_none_or(|parameters| parameters.up_to_layer >= MAX_LAYER);
        explanation.clamp = ClampExplanation {
            min: min.filter(is_replicated(place.min)).map(|value| self.bound(value, place.min, controller)),
            max: max.filter(is_replicated(place.max)).map(|value| self.bound(value, place.max, controller)),
            applied: all_layers && clamped != value,
        };
        explanation.current = match parameters {
            Some(parameters) => {
                self.evaluate(explanation.controller, explanation.attribute, parameters).unwrap_or(clamped)
            }
            None => controller.values[usize::from(slot)].current,
        };
        let hooked = catalog.hooks(place.attribute.id).is_some_and(|hooks| hooks.pre_change.is_some());
        if hooked && parameters.is_none() && !explanation.stale && explanation.current != clamped {
            explanation.adjusted_by_hook = Some(explanation.current);
        }
    }

    /// A bound with the name of the attribute that it comes from, if it is not a constant.
    fn bound(&self, value: f64, bound: Option<Bound<u16>>, controller: &Controller) -> BoundExplanation {
        let attribute = match bound {
            Some(Bound::Attribute(slot)) => {
                let attribute = self.state().layout(controller).attribute_at(slot);
                Some(self.catalog().attribute_name(attribute).to_owned())
            }
            Some(Bound::Constant(_)) | None => None,
        };
        BoundExplanation { value, attribute }
    }

    /// Explains a modifier of a slot: magnitude, stacks, effect, and why it does not count. An effect that is
    /// gone shows as `<gone>`.
    fn term(&self, entry: &ModifierEntry, qualification: Qualification) -> Term {
        let catalog = self.catalog();
        let tag = |tag| catalog.tag_name(tag).to_owned();
        let reason = match qualification {
            Qualification::Counts => None,
            Qualification::Inhibited => Some(Reason::Inhibited),
            Qualification::MissingTag(party, id) => Some(Reason::MissingTag { party, tag: tag(id) }),
            Qualification::BlockedTag(party, id) => Some(Reason::BlockedTag { party, tag: tag(id) }),
            Qualification::LayerNotEvaluated => Some(Reason::LayerNotEvaluated),
            Qualification::PredictedOnly => Some(Reason::PredictedOnly),
            Qualification::IgnoredEffect => Some(Reason::IgnoredEffect),
            Qualification::TagFilter(id) => Some(Reason::TagFilter { tag: tag(id) }),
            Qualification::NotMostNegative => Some(Reason::NotMostNegative),
            Qualification::Qualifier => Some(Reason::Qualifier),
            Qualification::EffectGone => Some(Reason::EffectGone),
        };
        let found = self.state().effect_of(catalog, entry.effect);
        let modifier = found.and_then(|(_, effect)| effect.modifiers.get(usize::from(entry.index)));
        let factored = modifier.is_some_and(|modifier| modifier.factor_in_stacks);
        let active = found.map(|(active, _)| active);
        Term {
            operation: entry.operation,
            channel: entry.channel.map(|channel| catalog.channel_name(channel).to_owned()),
            magnitude: active
                .and_then(|active| active.magnitudes.get(usize::from(entry.index)).copied())
                .unwrap_or(entry.amount),
            stacks: active.filter(|_| factored).map_or(1, ActiveEffect::stacks),
            priority: entry.priority,
            effect: active.map_or(EffectId::from_index(u32::MAX), ActiveEffect::effect),
            effect_name: found.map_or_else(|| "<gone>".to_owned(), |(_, effect)| effect.name().to_owned()),
            active: entry.effect,
            source: active.and_then(ActiveEffect::source),
            qualifies: qualification == Qualification::Counts,
            reason,
        }
    }

    /// The modifiers of an attribute that the controller does not have (M6), as one group; empty if there are
    /// none.
    fn inert_layers(&self, controller: &Controller, attribute: AttributeId) -> Vec<LayerExplanation> {
        let mut terms = Vec::new();
        for &id in controller.effects() {
            let Some((active, effect)) = self.state().effect_of(self.catalog(), id) else { continue };
            for (index, modifier) in effect.modifiers.iter().enumerate() {
                if modifier.attribute == attribute {
                    terms.push(self.inert_term(id, active, effect, index));
                }
            }
        }
        if terms.is_empty() {
            return Vec::new();
        }
        vec![LayerExplanation { index: 0, input: 0.0, terms, output: 0.0 }]
    }

    /// Explains a modifier without a slot to act on: its effect is queued, or the attribute is missing.
    fn inert_term(&self, id: ActiveEffectId, active: &ActiveEffect, effect: &Effect, index: usize) -> Term {
        let modifier = &effect.modifiers[index];
        let queued = active.status() == EffectStatus::Queued;
        Term {
            operation: modifier.operation,
            channel: modifier.channel.map(|channel| self.catalog().channel_name(channel).to_owned()),
            magnitude: active.magnitudes.get(index).copied().unwrap_or_default(),
            stacks: if modifier.factor_in_stacks { active.stacks() } else { 1 },
            priority: effect.def().priority,
            effect: active.effect(),
            effect_name: effect.name().to_owned(),
            active: id,
            source: active.source(),
            qualifies: false,
            reason: Some(if queued { Reason::Queued } else { Reason::MissingAttribute }),
        }
    }
}

/// Groups terms by layer and marks those that an override hides.
fn layers(
    base: f64,
    entries: &[ModifierEntry],
    mut terms: Vec<Term>,
    outcomes: &[LayerOutcome],
) -> Vec<LayerExplanation> {
    // The last layer with an override hides everything before it.
    let hiding = outcomes.iter().rev().find_map(|outcome| Some((outcome.layer, outcome.winner?)));
    for outcome in outcomes {
        let Some(winner) = outcome.winner else { continue };
        let effect = terms[winner].effect_name.clone();
        for (at, entry) in entries.iter().enumerate() {
            if entry.layer != outcome.layer || at == winner || terms[at].reason.is_some() {
                continue;
            }
            terms[at].qualifies = false;
            terms[at].reason = Some(match entry.operation {
                Operation::Override => Reason::OverrideLost { effect: effect.clone() },
                _ => Reason::Overridden { effect: effect.clone() },
            });
        }
    }
    if let Some((layer, winner)) = hiding {
        let effect = terms[winner].effect_name.clone();
        for (entry, term) in entries.iter().zip(&mut terms) {
            if entry.layer < layer && term.reason.is_none() {
                term.reason = Some(Reason::HiddenByLayer { layer, effect: effect.clone() });
            }
        }
    }
    let mut value = base;
    let mut layers: Vec<LayerExplanation> = Vec::new();
    let mut present: Vec<u8> = entries.iter().map(|entry| entry.layer).collect();
    present.sort_unstable();
    present.dedup();
    for index in present {
        let of_layer = entries.iter().zip(&terms).filter(|(entry, _)| entry.layer == index);
        let terms = of_layer.map(|(_, term)| term.clone()).collect();
        let outcome = outcomes.iter().find(|outcome| outcome.layer == index);
        let output = outcome.map_or(value, |outcome| outcome.output);
        layers.push(LayerExplanation { index, input: value, terms, output });
        value = output;
    }
    layers
}
