//! UG076: drain on an attribute that is not Meta.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG076",
    title: "drain on an attribute that is not Meta",
    severity: Severity::Warning,
    what: "`DrainInto` stands on an attribute that is not of category Meta.",
    why: "Only what is written to a meta attribute is passed on (B3).",
    example: "Category: Resource\nDrainInto: [Health]",
    mend: "Use `Category: Meta`, or remove `DrainInto`.",
};

/// A drain that takes nothing.
pub(crate) fn not_meta(span: Span) -> Diagnostic {
    DOC.report(span, "`DrainInto` is for attributes of category Meta")
        .help("add `Category: Meta`, or remove it")
}
