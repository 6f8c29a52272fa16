//! UG034: empty name.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG034",
    title: "empty name",
    severity: Severity::Error,
    what: "A definition has an empty name.",
    why: "Nothing could refer to it.",
    example: "Name: \"\"",
    mend: "Give it a name.",
};

/// A name without letters.
pub(crate) fn empty_name(span: Span) -> Diagnostic {
    DOC.report(span, "the name is empty").help("give it a name")
}
