//! UG078: chance outside 0 to 1.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG078",
    title: "chance outside 0 to 1",
    severity: Severity::Warning,
    what: "`ChanceToApply` is a constant below 0 or above 1.",
    why: "It is a probability; 5 for five percent means always.",
    example: "ChanceToApply: { Type: ScalableFloat, Value: 25 }",
    mend: "Write 0.25 for 25 %.",
};

/// A probability that is none.
pub(crate) fn outside(span: Span, value: f64) -> Diagnostic {
    DOC.report(span, format!("the chance {value} is not between 0 and 1")).help("write 0.25 for 25 %")
}
