//! UG093: execution that never runs.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG093",
    title: "execution that never runs",
    severity: Severity::Warning,
    what: "An effect that lasts has `Executions` and no `Period`.",
    why: "Calculations are executed when an Instant effect is applied and when a periodic one ticks (§9.5). This effect does neither.",
    example: "DurationPolicy: Infinite\nExecutions: [ { CalculatorClass: ExecCalc_Damage } ]",
    mend: "Add a `Period`, or make the effect Instant.",
};

/// An execution without an occasion.
pub(crate) fn never(span: Span) -> Diagnostic {
    DOC.report(span, "these executions never run: the effect lasts and has no period")
        .help("add `Period: { Period: 1 }`, or use `DurationPolicy: Instant`")
}
