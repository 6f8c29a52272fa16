//! UG014: placeholder.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG014",
    title: "placeholder",
    severity: Severity::Error,
    what: "The value is the name of a type (`string`, `float`, `number`, `enum`, `boolean`, `object`), as the specification's listings print it.",
    why: "It was copied from a listing and never filled in.",
    example: "DefaultBaseValue: float",
    mend: "Write the real value.",
};

/// A value that stands for a value.
pub(crate) fn placeholder(span: Span, found: &str) -> Diagnostic {
    DOC.report(span, format!("`{found}` is a placeholder, not a value")).help("write the value itself")
}
