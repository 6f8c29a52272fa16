//! UG060: HasDuration without Duration.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG060",
    title: "HasDuration without Duration",
    severity: Severity::Error,
    what: "The effect says that it has a duration and does not give one.",
    why: "It would never end, or end at once (§9.2).",
    example: "DurationPolicy: HasDuration",
    mend: "Add `Duration`, or make the effect `Infinite`.",
};

/// No duration where the policy asks for one.
pub(crate) fn no_duration(span: Span) -> Diagnostic {
    DOC.report(span, "the effect has `DurationPolicy: HasDuration` and no `Duration`")
        .help("add `Duration: { Type: ScalableFloat, Value: 5 }`, or make it `Infinite`")
}
