//! UG068: magnitude without its field.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG068",
    title: "magnitude without its field",
    severity: Severity::Error,
    what: "A magnitude lacks the field that its type reads: `Value` or `Curve` for ScalableFloat, `BackingAttribute` for AttributeBased, `CalculatorClass` for CustomCalculation, `DataTag` for SetByCaller, `Expression` for Expression.",
    why: "There would be no number.",
    example: "Magnitude: { Type: ScalableFloat }",
    mend: "Add the field.",
};

/// A magnitude that reads nothing.
pub(crate) fn lacks(span: Span, kind: &str, field: &str) -> Diagnostic {
    DOC.report(span, format!("a magnitude of type {kind} needs {field}")).help(format!("add {field}"))
}
