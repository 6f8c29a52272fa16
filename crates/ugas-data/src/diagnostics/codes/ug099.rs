//! UG099: too many diagnostics.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG099",
    title: "too many diagnostics",
    severity: Severity::Note,
    what: "There are more diagnostics than are kept.",
    why: "A hostile file could ask for gigabytes of messages.",
    example: "a file of a million mistakes",
    mend: "Mend the first ones and load again.",
};

/// The rest is dropped.
pub(crate) fn truncated(span: Span, kept: usize) -> Diagnostic {
    DOC.report(span, format!("only {kept} diagnostics are kept, errors before others"))
        .help("mend these and check again")
}
