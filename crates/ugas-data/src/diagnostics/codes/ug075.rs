//! UG075: duration that is ignored.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG075",
    title: "duration that is ignored",
    severity: Severity::Warning,
    what: "The effect gives a `Duration`, and its policy is not HasDuration.",
    why: "The duration is ignored.",
    example: "DurationPolicy: Infinite\nDuration: { Type: ScalableFloat, Value: 5 }",
    mend: "Use HasDuration, or remove the duration.",
};

/// A duration that nobody reads.
pub(crate) fn ignored(span: Span, policy: &str) -> Diagnostic {
    DOC.report(span, format!("the duration of an effect with `DurationPolicy: {policy}` is ignored"))
        .help("use `DurationPolicy: HasDuration`, or remove `Duration`")
}
