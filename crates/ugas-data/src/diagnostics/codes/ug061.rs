//! UG061: period not positive.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG061",
    title: "period not positive",
    severity: Severity::Error,
    what: "The period is zero or negative.",
    why: "The effect would tick without end in one instant.",
    example: "Period: { Period: 0 }",
    mend: "Use a period longer than 0 s.",
};

/// A period that time cannot pass.
pub(crate) fn not_positive(span: Span) -> Diagnostic {
    DOC.report(span, "the period must be longer than 0 s")
        .help("write a positive number of seconds, or remove `Period`")
}
