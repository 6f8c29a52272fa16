//! Attributes and sets.

use ugas_core::attribute::{AttributeDef, AttributeSetDef, BoundDef, Quantize};

use super::{metadata, text, texts};
use crate::model::attribute::{AttributeDoc, AttributeSetDoc, BoundDoc};

/// Attribute set definition with its attributes.
pub(super) fn set(doc: &AttributeSetDoc) -> AttributeSetDef {
    AttributeSetDef {
        name: text(&doc.name),
        dependencies: texts(&doc.dependencies),
        attributes: doc.attributes.iter().flat_map(|list| list.iter()).map(attribute).collect(),
        metadata: metadata(&doc.metadata, &None),
    }
}

/// Attribute definition. An incomplete quantisation is left out; the checks have reported it.
pub(super) fn attribute(doc: &AttributeDoc) -> AttributeDef {
    let bound = |bound: &Option<BoundDoc>| {
        bound.as_ref().map(|bound| match bound {
            BoundDoc::Number(number) => BoundDef::Constant(number.0.value),
            BoundDoc::Attribute(name) => BoundDef::Attribute(name.value.clone()),
        })
    };
    let clamping = doc.clamping.clone().unwrap_or_default();
    let quantize = doc.quantize.as_ref().and_then(|quantize| {
        Some(Quantize {
            min: quantize.min.as_ref()?.0.value,
            max: quantize.max.as_ref()?.0.value,
            bits: u8::try_from(quantize.bits.as_ref()?.0.value).ok()?,
        })
    });
    AttributeDef {
        name: text(&doc.name),
        default_base: doc.default_base.as_ref().map(|number| number.0.value).unwrap_or_default(),
        category: doc.category.as_ref().map(|choice| choice.0.value).unwrap_or_default(),
        min: bound(&clamping.min),
        max: bound(&clamping.max),
        replication: doc.replication.as_ref().map(|choice| choice.0.value).unwrap_or_default(),
        derived: doc
            .derived_from
            .as_ref()
            .and_then(|derived| derived.expression.as_ref())
            .map(|formula| formula.text.value.clone()),
        evaluation: doc.evaluation.as_ref().map(|choice| choice.0.value).unwrap_or_default(),
        on_bound_change: doc.on_bound_change.as_ref().map(|choice| choice.0.value).unwrap_or_default(),
        drain_into: texts(&doc.drain_into),
        quantize,
        prediction_floor: doc.prediction_floor.as_ref().map(|number| number.0.value),
        metadata: metadata(&doc.metadata, &doc.description),
    }
}
