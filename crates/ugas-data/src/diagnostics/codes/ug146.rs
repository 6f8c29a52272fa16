//! UG146: condition that decides nothing.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG146",
    title: "condition that decides nothing",
    severity: Severity::Error,
    what: "The conditions on an expected number name none of `AtLeast`, `AtMost` and `Near`, a `Tolerance` without `Near`, or a range without a number.",
    why: "The expectation would hold, or fail, whatever the number is.",
    example: "Expect: { wolf: { Health: { Tolerance: 0.1 } } }",
    mend: "Give `AtLeast`, `AtMost` or `Near`, the smaller bound first.",
};

/// A mapping without a condition.
pub(crate) fn no_condition(span: Span) -> Diagnostic {
    DOC.report(span, "the conditions on the number are empty").help("give `AtLeast`, `AtMost` or `Near`")
}

/// A tolerance of nothing.
pub(crate) fn tolerance_alone(span: Span) -> Diagnostic {
    DOC.report(span, "`Tolerance` belongs to `Near`, which is missing")
        .help("add `Near`, or remove `Tolerance`")
}

/// A range without a number.
pub(crate) fn empty_range(span: Span, least: f64, most: f64) -> Diagnostic {
    DOC.report(span, format!("no number is at least {least} and at most {most}")).help("swap them")
}
