//! UG009: unknown `$schema`.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;
use crate::source::Spanned;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG009",
    title: "unknown `$schema`",
    severity: Severity::Error,
    what: "The `$schema` does not end in `/schemas/` and a document type that exists.",
    why: "Host and version do not matter, the type does: it decides which fields the document may have.",
    example: "$schema: https://example.org/schemas/gameplay_efect.json",
    mend: "Correct the type; the help lists them.",
};

/// A `$schema` whose type nobody knows.
pub(crate) fn unknown_schema(schema: &Spanned<String>, nearest: Option<&str>, kinds: &str) -> Diagnostic {
    let help = match nearest {
        Some(name) => format!("did you mean `{name}`? The types are {kinds}"),
        None => format!("end it in `/schemas/TYPE.json`; the types are {kinds}"),
    };
    DOC.report(schema.span, format!("`{}` is not the `$schema` of a known document type", schema.value))
        .help(help)
}

/// A `$schema` that is not a text.
pub(crate) fn schema_not_text(span: Span) -> Diagnostic {
    DOC.report(span, "`$schema` must be a text").help("write the address of the document type's schema")
}
