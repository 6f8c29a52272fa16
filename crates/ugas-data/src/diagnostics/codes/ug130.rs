//! UG130: death that never comes.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG130",
    title: "death that never comes",
    severity: Severity::Warning,
    what: "`DeathThreshold` is given where no attribute can fall to it: `DeathAttribute` is `None`, or there is neither a `DeathAttribute` nor an attribute `Health`.",
    why: "The threshold is ignored, and nothing dies (§8.6.4, A4).",
    example: "Globals: { DeathAttribute: None, DeathThreshold: 5 }",
    mend: "Name the attribute in `DeathAttribute`, or remove `DeathThreshold`.",
};

/// A threshold without an attribute that could fall to it.
pub(crate) fn ignored(span: Span, because: &str) -> Diagnostic {
    DOC.report(span, format!("`DeathThreshold` is ignored: {because}"))
        .help("name the attribute in `DeathAttribute`, or remove `DeathThreshold`")
}
