//! UG145: field that is not carried out.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG145",
    title: "field that is not carried out",
    severity: Severity::Warning,
    what: "A field of a public schema is read and checked, and nothing acts on it. The message says what happens instead.",
    why: "A pack that relies on the field behaves differently from its description.",
    example: "AsyncValidation: { Required: true }",
    mend: "Remove the field, or do what the help says. `Silence: [UG145]` in `pack.yaml` accepts it; `check --deny-warnings` refuses it.",
};

/// A field, the effect of ignoring it, and what to do.
pub(crate) fn ignored(span: Span, field: &str, effect: &str, help: &str) -> Diagnostic {
    DOC.report(span, format!("`{field}` is not carried out: {effect}")).help(help)
}
