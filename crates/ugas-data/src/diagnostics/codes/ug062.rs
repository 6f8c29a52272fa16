//! UG062: period on an Instant effect.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG062",
    title: "period on an Instant effect",
    severity: Severity::Error,
    what: "An Instant effect has a period.",
    why: "It is gone at once and never ticks (§9.3).",
    example: "DurationPolicy: Instant\nPeriod: { Period: 1 }",
    mend: "Give it a duration or make it Infinite, or remove the period.",
};

/// A period on what is gone at once.
pub(crate) fn on_instant(span: Span) -> Diagnostic {
    DOC.report(span, "an Instant effect cannot have a period")
        .help("use `HasDuration` or `Infinite`, or remove `Period`")
}
