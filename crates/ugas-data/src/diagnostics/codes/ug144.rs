//! UG144: wrong merge key.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::node::Node;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG144",
    title: "wrong merge key",
    severity: Severity::Error,
    what: "The value of a merge key (`<<`) is not a mapping and not a list of mappings.",
    why: "Only mappings have keys that can be taken over.",
    example: "Modifiers:\n  - <<: 5",
    mend: "Give it a mapping, usually an alias such as `*base`, or a list of them.",
};

/// A value that has no keys.
pub(crate) fn not_a_mapping(value: &Node) -> Diagnostic {
    let found = value.describe();
    DOC.report(value.span, format!("a merge key takes a mapping or a list of mappings, and this is {found}"))
        .help("write an alias of a mapping, such as `<<: *base`, or a list of aliases")
}
