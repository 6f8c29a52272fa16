//! UG055: sets that do not go together.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG055",
    title: "sets that do not go together",
    severity: Severity::Error,
    what: "A controller has attribute sets that need another set, have an attribute in common, or read an attribute that none of them has.",
    why: "It could not be spawned (§6.4).",
    example: "AttributeSets: [ { Name: DerivedStatsSet } ]   # which needs CombatAttributeSet",
    mend: "Add the missing set, or remove one of the two.",
};

/// Why the sets cannot be together.
pub(crate) fn incompatible(span: Span, message: String) -> Diagnostic {
    DOC.report(span, message)
        .help("add the missing set to the controller's `AttributeSets`, or remove the one that clashes")
}
