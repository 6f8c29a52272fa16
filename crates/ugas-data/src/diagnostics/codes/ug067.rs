//! UG067: stacking on an Instant effect.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG067",
    title: "stacking on an Instant effect",
    severity: Severity::Error,
    what: "An Instant effect has stacking rules.",
    why: "It leaves nothing behind that could stack.",
    example: "DurationPolicy: Instant\nStacking: { Type: AggregateByTarget }",
    mend: "Give it a duration or make it Infinite, or remove the stacking.",
};

/// Stacks of nothing.
pub(crate) fn on_instant(span: Span) -> Diagnostic {
    DOC.report(span, "an Instant effect cannot stack")
        .help("use `HasDuration` or `Infinite`, or remove `Stacking`")
}
