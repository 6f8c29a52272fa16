//! UG010: missing field.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG010",
    title: "missing field",
    severity: Severity::Error,
    what: "A field that must be there is not.",
    why: "There is no sensible default for it.",
    example: "$schema: …/schemas/gameplay_effect.json\nName: GE_Hit",
    mend: "Add the field.",
};

/// A required field is absent.
pub(crate) fn missing_field(span: Span, record: &str, field: &str, about: &str) -> Diagnostic {
    DOC.report(span, format!("the {record} has no `{field}`")).help(format!("add `{field}`: {about}"))
}
