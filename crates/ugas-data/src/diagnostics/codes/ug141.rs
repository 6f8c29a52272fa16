//! UG141: circular inheritance.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG141",
    title: "circular inheritance",
    severity: Severity::Error,
    what: "Documents extend one another in a cycle.",
    why: "None of them could be completed first.",
    example: "Name: GE_Burn\nExtends: GE_Burn",
    mend: "Remove one of the `Extends`.",
};

/// The cycle, its first name repeated at the end.
pub(crate) fn circular(span: Span, cycle: &[&str]) -> Diagnostic {
    DOC.report(span, format!("documents extend each other in a cycle: {}", cycle.join(" -> ")))
        .help("remove one of the `Extends`")
}
