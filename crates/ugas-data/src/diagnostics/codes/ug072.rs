//! UG072: faulty curve.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG072",
    title: "faulty curve",
    severity: Severity::Error,
    what: "A curve has no points, or points that are not in order.",
    why: "It would have no value, or two, somewhere.",
    example: "Points: [[2, 10], [1, 5]]",
    mend: "Give it points with increasing x, each x once.",
};

/// Why it is no curve.
pub(crate) fn faulty(span: Span, message: &str) -> Diagnostic {
    DOC.report(span, message.to_owned()).help("list points `[x, y]` by increasing x, each x once")
}
