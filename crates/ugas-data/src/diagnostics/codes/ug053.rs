//! UG053: circular effects.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG053",
    title: "circular effects",
    severity: Severity::Warning,
    what: "Effects apply each other in a circle at once, through AdditionalEffects or OverflowEffects.",
    why: "The chain only stops at the cascade limit (E12).",
    example: "AdditionalEffects: [ { Effect: GE_Self } ]",
    mend: "Remove one link, or give it tag conditions that end the chain.",
};

/// The cycle, its first name repeated at the end.
pub(crate) fn circular(span: Span, cycle: &[String]) -> Diagnostic {
    DOC.report(span, format!("effects apply each other: {}", cycle.join(" -> ")))
        .help("remove one link, or give it tag conditions that end the chain")
}
