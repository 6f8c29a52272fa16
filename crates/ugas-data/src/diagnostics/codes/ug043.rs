//! UG043: tags without a registry.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG043",
    title: "tags without a registry",
    severity: Severity::Lint,
    what: "The pack uses tags, and no document lists them.",
    why: "Without a registry the tags are collected from use (T1), and a misspelt one is not noticed.",
    example: "GrantedTags: [State.Stunned]   # and no gameplay_tag document",
    mend: "Add a document of type gameplay_tag that lists the tags.",
};

/// The first tag of a pack that has no registry.
pub(crate) fn no_registry(span: Span, count: usize) -> Diagnostic {
    DOC.report(
        span,
        format!("the pack uses {count} tags and has no tag registry, so misspelt ones go unnoticed"),
    )
    .help("add a gameplay_tag document that lists them under `Tags`")
}
