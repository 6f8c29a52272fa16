//! UG050: circular attribute sets.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG050",
    title: "circular attribute sets",
    severity: Severity::Error,
    what: "Attribute sets need each other in a circle.",
    why: "None of them could be registered first (§6.4).",
    example: "Name: A\nDependencies: [B]   # and B needs A",
    mend: "Remove one of the dependencies.",
};

/// The cycle, its first name repeated at the end.
pub(crate) fn circular(span: Span, cycle: &[String]) -> Diagnostic {
    DOC.report(span, format!("attribute sets need each other: {}", cycle.join(" -> ")))
        .help("remove one of the dependencies")
}
