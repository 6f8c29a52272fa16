//! UG094: period longer than the duration.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG094",
    title: "period longer than the duration",
    severity: Severity::Lint,
    what: "The period of an effect is longer than its duration, both being plain numbers.",
    why: "The first tick would come after the end (E3), so it never ticks, except at once with `ExecuteOnApplication`.",
    example: "Duration: { Type: ScalableFloat, Value: 5 }\nPeriod: { Period: 10 }",
    mend: "Shorten the period or lengthen the duration.",
};

/// A tick that the end forestalls.
pub(crate) fn too_long(span: Span, period: f64, duration: f64) -> Diagnostic {
    DOC.report(
        span,
        format!("the period of {period} s is longer than the duration of {duration} s: no tick comes"),
    )
    .help("shorten the period, or lengthen the duration")
}
