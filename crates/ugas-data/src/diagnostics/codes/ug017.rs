//! UG017: wrong number of items.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG017",
    title: "wrong number of items",
    severity: Severity::Error,
    what: "The list has fewer or more items than the field takes.",
    why: "A position needs three numbers, an action set at least one action.",
    example: "Position: [1, 2]",
    mend: "Add or remove items.",
};

/// A list of another length.
pub(crate) fn wrong_length(span: Span, found: usize, expected: &str) -> Diagnostic {
    DOC.report(span, format!("expected {expected}, found {found}")).help(format!("write {expected}"))
}

/// Steps of a scenario that is not meant to load.
pub(crate) fn steps_that_never_run(span: Span) -> Diagnostic {
    DOC.report(span, "no step runs where `ExpectLoad` has errors")
        .help("leave `Steps: []`, or expect no errors")
}
