//! Conversion of targeting: methods and measures to shapes.

use ugas_core::targeting::{HalfAngle, Shape, TargetingDef};

use super::ability::{choice, count};
use super::effect::query;
use super::magnitude::{Default as Absent, flag};
use super::texts;
use crate::model::ability::{TargetingDoc, TargetingMethod};

/// Targeting method of a document: the one it names, else the one that its measure implies.
pub(crate) fn method(doc: &TargetingDoc) -> TargetingMethod {
    match &doc.method {
        Some(method) => method.0.value,
        None if doc.half_angle.is_some() => TargetingMethod::Cone,
        None if doc.width.is_some() => TargetingMethod::Line,
        None if doc.half_extents.is_some() => TargetingMethod::Box,
        None if doc.jumps.is_some() => TargetingMethod::Chain,
        None if doc.radius.is_some() => TargetingMethod::Radius,
        None => TargetingMethod::ActivationTarget,
    }
}

/// Largest distance of a target: the range, else the radius, which for a chain is the distance of its jumps
/// and does not count. `None` if the document has neither.
pub(super) fn reach(doc: &TargetingDoc) -> Option<f64> {
    // The radius of a chain is how far it jumps.
    let radius = doc.radius.as_ref().filter(|_| method(doc) != TargetingMethod::Chain);
    doc.range.as_ref().or(radius).map(|range| range.0.value)
}

/// Targeting definition: the shape of its method with its measures. A missing measure is 0; the checks have
/// reported it.
pub(super) fn targeting(doc: &TargetingDoc) -> TargetingDef {
    let shape = match method(doc) {
        TargetingMethod::SelfOnly => Shape::SelfOnly,
        TargetingMethod::ActivationTarget => Shape::ActivationTarget,
        TargetingMethod::Nearest => Shape::Nearest,
        TargetingMethod::Radius => Shape::Radius,
        TargetingMethod::Cone => {
            let degrees = doc.half_angle.as_ref().map_or(0.0, |degrees| degrees.0.value);
            Shape::Cone(HalfAngle::from_degrees(degrees))
        }
        TargetingMethod::Line => Shape::Line { width: doc.width.as_ref().map_or(0.0, |width| width.0.value) },
        TargetingMethod::Chain => Shape::Chain {
            jumps: u16::try_from(count(&doc.jumps, 0)).unwrap_or(u16::MAX),
            radius: doc.radius.as_ref().map_or(0.0, |radius| radius.0.value),
            repeat: flag(&doc.repeat, Absent::False),
        },
        TargetingMethod::Box => {
            Shape::Box { half_extents: doc.half_extents.as_ref().map_or([0.0; 3], |half| half.0.value) }
        }
    };
    TargetingDef {
        shape,
        range: reach(doc),
        origin: choice(&doc.origin),
        require_tags: texts(&doc.require_tags),
        exclude_tags: texts(&doc.exclude_tags),
        query: query(&doc.query),
        affiliation: choice(&doc.affiliation),
        count: count(&doc.count, 0),
        line_of_sight: flag(&doc.line_of_sight, Absent::False),
        allow_unseen: flag(&doc.allow_unseen, Absent::False),
        filter: doc.filter.as_ref().map(|name| name.value.clone()),
        persistent: flag(&doc.persistent, Absent::False),
    }
}
