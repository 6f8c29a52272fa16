//! UG007: document without `$schema`.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG007",
    title: "document without `$schema`",
    severity: Severity::Warning,
    what: "The document has no `$schema`; what it is was guessed from its keys.",
    why: "A typing mistake in a decisive key would make it something else. Appendix B asks for a `$schema`.",
    example: "Name: GE_Hit\nDurationPolicy: Instant",
    mend: "Add the line that the help gives.",
};

/// A document whose shape told what it is.
pub(crate) fn missing_schema(span: Span, kind: &str) -> Diagnostic {
    let article = if kind.starts_with(['a', 'i']) { "an" } else { "a" };
    DOC.report(span, format!("the document has no `$schema`; by its keys it is taken for {article} {kind}"))
        .help(format!(
            "add `$schema: https://raw.githubusercontent.com/jbltx/ugas/v1.0.0-draft.1/schemas/{kind}.json`"
        ))
}
