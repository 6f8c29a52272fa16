//! Rules about single documents beyond the types of their fields.

use ugas_core::ability::NetExecution;
use ugas_core::attribute::{AttributeCategory, Quantize};
use ugas_core::catalog::DEFAULT_DEATH_ATTRIBUTE;
use ugas_core::effect::{AUTHORITATIVE_ONLY, ExecutionPolicy};
use ugas_core::modifier::Operation;

use super::{Index, Scope, ignored, targeting};
use crate::decode::Word;
use crate::diagnostics::{Sink, codes};
use crate::model::ability::AbilityDoc;
use crate::model::attribute::{AttributeDoc, BoundDoc};
use crate::model::effect::{AreaShape, DurationPolicy, EffectDoc};
use crate::model::input::InputMappingDoc;
use crate::model::magnitude::{MagnitudeDoc, MagnitudeType, Reading};
use crate::model::pack::GlobalsDoc;
use crate::model::scene::{RegionDoc, RegionShape};
use crate::model::{DeathAttributeName, Document, Model};
use crate::source::Span;

/// Checks each document against the rules that need no other document, or only a look into the index.
/// Scenarios, references and cycles are checked elsewhere.
pub(super) fn check(documents: &[Document], index: &Index<'_>, scope: Scope, sink: &mut Sink) {
    for document in documents {
        match &document.model {
            Model::Attribute(doc) => attribute(doc, sink),
            Model::AttributeSet(doc) => {
                for doc in doc.attributes.iter().flat_map(|attributes| attributes.iter()) {
                    attribute(doc, sink);
                }
            }
            Model::Effect(doc) => effect(doc, sink),
            Model::Ability(doc) => ability(doc, index, sink),
            Model::InputMapping(doc) => mapping(doc, documents, sink),
            Model::Library(doc) => {
                let targetings = doc.containers.iter().filter_map(|container| container.targeting.as_ref());
                targetings.for_each(|doc| targeting::check(doc, sink));
                for set in doc.ability_sets.iter() {
                    ignored::repeated_sets(set.sets.iter().map(|name| (&**name, false)), sink);
                }
            }
            Model::Pack(doc) => {
                if let Some(globals) = &doc.globals {
                    death(globals, index, scope, sink);
                }
            }
            Model::Scene(doc) => doc.regions.iter().for_each(|doc| region(doc, sink)),
            _ => {}
        }
    }
}

/// Reports a death threshold without a death attribute (A4). A single file may have the attribute elsewhere.
fn death(doc: &GlobalsDoc, index: &Index<'_>, scope: Scope, sink: &mut Sink) {
    let Some(threshold) = &doc.death_threshold else { return };
    let because = match doc.death_attribute.as_ref().map(DeathAttributeName::attribute) {
        Some(Some(_)) => return,
        Some(None) => "`DeathAttribute` is `None`, which turns death off",
        None if scope == Scope::SingleFile || index.attributes.contains_key(DEFAULT_DEATH_ATTRIBUTE) => {
            return;
        }
        None => "there is no `DeathAttribute`, and no attribute is called `Health`",
    };
    sink.push(codes::no_effect::death_threshold(threshold.0.span, because));
}

/// Reports `DrainInto` of an attribute that is not Meta, contradictory bounds, unusable quantisation, and a
/// prediction floor below the minimum.
fn attribute(doc: &AttributeDoc, sink: &mut Sink) {
    let category = doc.category.as_ref().map(|category| category.0.value).unwrap_or_default();
    if let Some(span) = doc.drain_into.span
        && category != AttributeCategory::Meta
    {
        sink.push(codes::no_effect::drain_into(span));
    }
    if let Some(clamping) = &doc.clamping
        && let (Some(BoundDoc::Number(min)), Some(BoundDoc::Number(max))) = (&clamping.min, &clamping.max)
        && min.0.value > max.0.value
    {
        sink.push(codes::value_range::min_above_max(max.0.span, min.0.value, max.0.value));
    }
    if let Some(quantize) = &doc.quantize
        && let (Some(min), Some(max), Some(bits)) = (&quantize.min, &quantize.max, &quantize.bits)
    {
        let (from, to) = (min.0.value, max.0.value);
        let bits = u8::try_from(bits.0.value).unwrap_or(u8::MAX);
        if from >= to {
            sink.push(codes::value_range::quantize_range_empty(max.0.span, from, to));
        } else if !(Quantize { min: from, max: to, bits }).is_usable() {
            sink.push(codes::value_range::quantize_steps_unusable(quantize.span, from, to, bits));
        }
    }
    if let Some(floor) = &doc.prediction_floor
        && let Some(BoundDoc::Number(min)) = doc.clamping.as_ref().and_then(|clamping| clamping.min.as_ref())
        && floor.0.value <= min.0.value
    {
        let because = format!("the value is never below its `Min` of {} anyway", min.0.value);
        sink.push(codes::no_effect::prediction(floor.0.span, "PredictionFloor", &because));
    }
}

/// Reports contradictions of an effect: duration and policy, grants of an instant effect, prediction of an
/// authoritative effect, chance, cone, channels and magnitudes.
fn effect(doc: &EffectDoc, sink: &mut Sink) {
    if let Some(policy) = &doc.duration_policy {
        match (policy.0.value, &doc.duration) {
            (DurationPolicy::HasDuration, None) if !doc.has("Duration") => {
                sink.push(codes::effect::missing_duration(policy.0.span));
            }
            (DurationPolicy::HasDuration, _) | (_, None) => {}
            (other, Some(duration)) => sink.push(codes::no_effect::duration(duration.span, other.word())),
        }
        if let Some(execution) = &doc.policy
            && policy.0.value == DurationPolicy::Instant
            && execution.0.value != ExecutionPolicy::RunInParallel
        {
            let field = format!("`ExecutionPolicy: {}`", execution.0.value.word());
            let because = "an Instant effect has no instances that could meet";
            let help = "remove it, or use another `DurationPolicy`";
            sink.push(codes::no_effect::field(execution.0.span, &field, because, help));
        }
        if policy.0.value == DurationPolicy::Instant {
            for (span, field) in [
                (doc.granted_tags.span.filter(|_| !doc.granted_tags.is_empty()), "GrantedTags"),
                (
                    doc.granted_abilities.span.filter(|_| !doc.granted_abilities.is_empty()),
                    "GrantedAbilities",
                ),
            ] {
                if let Some(span) = span {
                    sink.push(codes::effect::grants_on_instant(span, field));
                }
            }
        }
    }
    lasting(doc, sink);
    let asset = doc.asset_tags.iter().map(|tag| &tag.value);
    let mut tags = asset.chain(doc.granted_tags.iter().map(|tag| &tag.value));
    if let Some(prediction) = &doc.prediction
        && tags.any(|tag| tag == AUTHORITATIVE_ONLY)
    {
        let because = format!("no client applies an effect with the tag `{AUTHORITATIVE_ONLY}`");
        sink.push(codes::no_effect::prediction(prediction.0.span, "Prediction", &because));
    }
    if let Some(chance) = &doc.chance
        && let (Some(value), None) = (&chance.value, &chance.curve)
        && !(0.0..=1.0).contains(&value.0.value)
    {
        sink.push(codes::value_range::chance_out_of_range(value.0.span, value.0.value));
    }
    if let Some(area) = &doc.area
        && let Some(shape) = &area.shape
        && shape.0.value == AreaShape::Cone
        && !area.has("HalfAngleDeg")
    {
        sink.push(codes::effect::shape_without_size(shape.0.span, "Cone", "HalfAngleDeg"));
    }
    for modifier in doc.modifiers.iter() {
        if let (Some(channel), Some(operation)) = (&modifier.channel, &modifier.operation)
            && operation.0.value.operation != Operation::Multiply
        {
            sink.push(codes::no_effect::channel(channel.0.span, operation.0.value.word()));
        }
    }
    let modifiers = doc.modifiers.iter().filter_map(|modifier| modifier.magnitude.as_ref());
    let scoped = doc.executions.iter().flat_map(|execution| execution.modifiers.iter());
    for scoped in scoped.clone() {
        if !scoped.has("Attribute") && !scoped.has("Variable") {
            let about = "the captured attribute that it changes; or `Variable`";
            sink.push(codes::field::missing(scoped.span, "scoped modifier", "Attribute", about));
        }
    }
    let scoped = scoped.filter_map(|scoped| scoped.magnitude.as_ref());
    let area = doc.area.iter().filter_map(|area| area.radius.as_ref());
    for magnitude in modifiers.chain(scoped).chain(area).chain(&doc.duration).chain(&doc.chance) {
        self::magnitude(magnitude, sink);
    }
}

/// Reports a magnitude without the field that its type reads.
fn magnitude(doc: &MagnitudeDoc, sink: &mut Sink) {
    let Some(kind) = &doc.kind else { return };
    let needs: &[&str] = match kind.0.value {
        MagnitudeType::ScalableFloat => &["Value", "Curve"],
        MagnitudeType::AttributeBased => &["BackingAttribute"],
        MagnitudeType::CustomCalculation => &["CalculatorClass"],
        MagnitudeType::SetByCaller => &["DataTag"],
        MagnitudeType::Expression => &["Expression"],
    };
    if !needs.iter().any(|field| doc.has(field)) {
        let fields = format!("`{}`", needs.join("` or `"));
        sink.push(codes::effect::magnitude_without_field(kind.0.span, kind.0.value.word(), &fields));
    }
    let up_to = doc.reading.as_ref().filter(|reading| reading.0.value == Reading::UpToChannel);
    if let Some(reading) = up_to.filter(|_| !doc.has("UpToChannel")) {
        sink.push(codes::effect::magnitude_without_field(reading.0.span, "AttributeBased", "`UpToChannel`"));
    }
}

/// Reports executions of a lasting effect that never run, a negative duration, and a period that is longer
/// than the duration.
fn lasting(doc: &EffectDoc, sink: &mut Sink) {
    let policy = doc.duration_policy.as_ref().map(|policy| policy.0.value);
    let is_lasting = policy.is_some_and(|policy| policy != DurationPolicy::Instant);
    if is_lasting && !doc.has("Period") && !doc.executions.is_empty() {
        sink.push(codes::no_effect::executions(doc.executions.span.unwrap_or(doc.span)));
    }
    let duration = doc.duration.as_ref().filter(|duration| duration.curve.is_none());
    if policy == Some(DurationPolicy::HasDuration)
        && let Some(duration) = duration
        && duration.kind.as_ref().is_some_and(|kind| kind.0.value == MagnitudeType::ScalableFloat)
        && let Some(value) = duration.value.as_ref().filter(|value| value.0.value < 0.0)
    {
        sink.push(codes::no_effect::negative_duration(value.0.span, value.0.value));
    }
    if policy == Some(DurationPolicy::HasDuration)
        && let Some(duration) = duration.and_then(|duration| duration.value.as_ref())
        && let Some(period) = doc.period.as_ref().and_then(|period| period.period.as_ref())
        && duration.0.value > 0.0
        && period.0.value > duration.0.value
    {
        sink.push(codes::lint::period_longer_than_duration(period.0.span, period.0.value, duration.0.value));
    }
}

/// Reports wrong targeting, prediction settings that are never used, a cost effect that is not Instant, and a
/// cooldown effect that is Instant or grants no tag.
fn ability(doc: &AbilityDoc, index: &Index<'_>, sink: &mut Sink) {
    doc.targeting.iter().for_each(|doc| targeting::check(doc, sink));
    if let Some(execution) = &doc.net_execution
        && execution.0.value != NetExecution::LocalPredicted
    {
        let because =
            format!("an ability with `NetExecution: {}` is not predicted", execution.0.value.word());
        if let Some(prediction) = &doc.prediction {
            sink.push(codes::no_effect::prediction(prediction.0.span, "Prediction", &because));
        }
        if let Some(randomness) = &doc.randomness {
            sink.push(codes::no_effect::prediction(randomness.0.span, "Randomness", &because));
        }
    }
    let policy = |effect: &EffectDoc| effect.duration_policy.as_ref().map(|policy| policy.0.value);
    if let Some(cost) = &doc.cost
        && let Some(effect) = index.effect_docs.get(cost.value.as_str())
        && policy(effect).is_some_and(|policy| policy != DurationPolicy::Instant)
    {
        sink.push(codes::effect::cost_not_instant(cost));
    }
    if let Some(cooldown) = &doc.cooldown
        && let Some(effect) = index.effect_docs.get(cooldown.value.as_str())
    {
        if policy(effect) == Some(DurationPolicy::Instant) {
            sink.push(codes::effect::instant_cooldown(cooldown));
        } else if effect.granted_tags.is_empty() && doc.cooldown_tags.is_empty() {
            sink.push(codes::effect::cooldown_without_tag(cooldown));
        }
    }
}

/// Reports bindings to actions that the mapping's action set does not have. A set that is unknown here is
/// reported elsewhere.
fn mapping(doc: &InputMappingDoc, documents: &[Document], sink: &mut Sink) {
    let Some(set_name) = &doc.action_set else { return };
    let set = documents.iter().find_map(|document| match &document.model {
        Model::InputActionSet(set) if set.name.as_ref().is_some_and(|name| name.value == set_name.value) => {
            Some(set)
        }
        _ => None,
    });
    let Some(actions) = set.and_then(|set| set.actions.as_ref()) else { return };
    for binding in doc.bindings.iter().flat_map(|bindings| bindings.iter()) {
        if let Some(action) = &binding.action
            && !actions.iter().any(|known| known.value == action.value)
        {
            sink.push(codes::ability::action_not_in_set(action, &set_name.value));
        }
    }
}

/// Reports a region of a scene without the measures that its shape needs.
fn region(doc: &RegionDoc, sink: &mut Sink) {
    let Some(shape) = &doc.shape else { return };
    let span: Span = shape.0.span;
    let radius =
        ("Radius", doc.has("Radius") && doc.radius.as_ref().is_none_or(|radius| radius.0.value > 0.0));
    let needs: &[(&str, bool)] = match shape.0.value {
        RegionShape::Sphere => &[radius],
        RegionShape::Box => &[("HalfExtents", doc.has("HalfExtents"))],
        RegionShape::Capsule => &[("P0", doc.has("P0")), ("P1", doc.has("P1")), radius],
    };
    for (field, _) in needs.iter().filter(|(_, there)| !there) {
        sink.push(codes::effect::shape_without_size(span, shape.0.value.word(), field));
    }
}
