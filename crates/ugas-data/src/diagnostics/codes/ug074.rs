//! UG074: not available in a derived attribute.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG074",
    title: "not available in a derived attribute",
    severity: Severity::Error,
    what: "The expression of a derived attribute reads something that it does not have: dice, a level, tags, or another controller.",
    why: "A derived attribute is a function of attributes of its own controller (B2).",
    example: "DerivedFrom: { Expression: \"Source.Strength * 2\" }",
    mend: "Read attributes by their plain names only.",
};

/// An input that does not exist there.
pub(crate) fn not_available(span: Span, message: &str) -> Diagnostic {
    DOC.report(span, message.to_owned()).help("read attributes of the same controller by their plain names")
}
