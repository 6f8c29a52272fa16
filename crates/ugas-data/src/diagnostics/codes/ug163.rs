//! UG163: field of a chain on another targeting.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG163",
    title: "field of a chain on another targeting",
    severity: Severity::Warning,
    what: "A targeting has `Jumps` or `Repeat`, and its `Method` is not `Chain`.",
    why: "Only a chain jumps from target to target; elsewhere the field has no effect.",
    example: "Targeting: { Method: Radius, Radius: 5, Jumps: 3 }",
    mend: "Write `Method: Chain`, or remove the field.",
};

/// A field that the method does not use.
pub(crate) fn only_of_chains(span: Span, method: &str, field: &str) -> Diagnostic {
    DOC.report(span, format!("`{field}` has no effect on a targeting with `Method: {method}`"))
        .help(format!("write `Method: Chain`, or remove `{field}`"))
}
