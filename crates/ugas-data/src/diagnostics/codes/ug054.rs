//! UG054: circular scenes.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG054",
    title: "circular scenes",
    severity: Severity::Error,
    what: "Scenes extend each other in a circle.",
    why: "None of them could be loaded first.",
    example: "Name: Arena\nExtends: [Arena]",
    mend: "Remove one of the `Extends`.",
};

/// The cycle, its first name repeated at the end.
pub(crate) fn circular(span: Span, cycle: &[String]) -> Diagnostic {
    DOC.report(span, format!("scenes extend each other: {}", cycle.join(" -> ")))
        .help("remove one of the `Extends`")
}
