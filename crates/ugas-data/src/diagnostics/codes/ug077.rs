//! UG077: shape without its size.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG077",
    title: "shape without its size",
    severity: Severity::Error,
    what: "An area or region lacks a measure that its shape needs: Radius for a sphere, Radius and HalfAngleDeg for a cone, HalfExtents for a box, P0, P1 and Radius for a capsule.",
    why: "It would have no extent.",
    example: "Shape: Cone\nRadius: { Type: ScalableFloat, Value: 5 }",
    mend: "Add the measure.",
};

/// A shape without extent.
pub(crate) fn lacks(span: Span, shape: &str, field: &str) -> Diagnostic {
    DOC.report(span, format!("the shape {shape} needs `{field}`")).help(format!("add `{field}`"))
}
