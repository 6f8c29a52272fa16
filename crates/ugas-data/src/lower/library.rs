//! Curves and calculations.

use ugas_core::curve::CurveDef;
use ugas_core::effect::calculation::{CalculationDef, CaptureDef, ContextTagDef, OutputDef};

use super::magnitude::operation;
use super::text;
use crate::decode::Formula;
use crate::model::library::{CalculationDoc, CurveDoc};

/// Curve definition with its points.
pub(super) fn curve(doc: &CurveDoc) -> CurveDef {
    let points = doc.points.iter().flat_map(|points| points.iter());
    CurveDef {
        name: text(&doc.name),
        points: points.map(|point| (point.0.value[0], point.0.value[1])).collect(),
        interpolation: doc.interpolation.as_ref().map(|choice| choice.0.value).unwrap_or_default(),
    }
}

/// Calculation definition; its expressions are compiled by the core.
pub(super) fn calculation(doc: &CalculationDoc) -> CalculationDef {
    let formula = |formula: &Formula| formula.text.value.clone();
    CalculationDef {
        name: text(&doc.name),
        captures: doc
            .captures
            .iter()
            .map(|capture| CaptureDef {
                attribute: text(&capture.attribute),
                from: capture.from.as_ref().map(|choice| choice.0.value).unwrap_or_default(),
                time: capture.capture.as_ref().map(|choice| choice.0.value).unwrap_or_default(),
            })
            .collect(),
        lets: doc
            .lets
            .iter()
            .flat_map(|lets| &lets.0)
            .map(|(name, text)| (name.value.clone(), formula(text)))
            .collect(),
        outputs: doc
            .outputs
            .iter()
            .map(|output| OutputDef {
                attribute: text(&output.attribute),
                operation: operation(&output.operation),
                magnitude: output.magnitude.as_ref().map(formula).unwrap_or_default(),
                to: output.to.as_ref().map(|choice| choice.0.value).unwrap_or_default(),
            })
            .collect(),
        result: doc.result.as_ref().map(formula),
        tags: doc
            .tags
            .iter()
            .map(|mark| ContextTagDef { tag: text(&mark.tag), when: mark.when.as_ref().map(formula) })
            .collect(),
    }
}
