//! UG015: number out of range.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG015",
    title: "number out of range",
    severity: Severity::Error,
    what: "The number is smaller or larger than the field allows, or has a fraction where a whole number belongs. A minimum above its maximum is only a warning: it is legal, and the minimum wins (B0).",
    why: "Rounding or clamping it silently would change the game's rules.",
    example: "EvaluationChannel: 12",
    mend: "Use a number in the range that the message names.",
};

/// A number that the field does not take.
pub(crate) fn out_of_range(span: Span, found: f64, expected: &str) -> Diagnostic {
    DOC.report(span, format!("expected {expected}, found {found}")).help(format!("write {expected}"))
}

/// A range that is upside down. It has a meaning (B0), though hardly the one that was meant.
pub(crate) fn empty_range(span: Span, min: f64, max: f64) -> Diagnostic {
    let message = format!("the minimum {min} is greater than the maximum {max}, and wins");
    DOC.report(span, message).help("swap them").severity(Severity::Warning)
}
