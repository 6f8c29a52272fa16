//! UG051: circular attributes.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG051",
    title: "circular attributes",
    severity: Severity::Error,
    what: "An attribute's bound or expression, or an effect's live magnitude, depends on itself.",
    why: "Its value would not be defined (§5.4, §6.4, B2).",
    example: "Clamping: { Max: MaxHealth }   # and MaxHealth is bounded by Health",
    mend: "Break the circle: freeze a magnitude with `Capture: OnApplication`, read the base, or drop a bound.",
};

/// The cycle, its first name repeated at the end.
pub(crate) fn circular(span: Span, cycle: &[String]) -> Diagnostic {
    DOC.report(span, format!("this depends on itself: {}", cycle.join(" -> "))).help(
        "break the circle: freeze a magnitude with `Capture: OnApplication`, read the base, or drop a bound",
    )
}
