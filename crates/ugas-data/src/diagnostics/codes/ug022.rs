//! UG022: unknown attribute set.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Spanned;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG022",
    title: "unknown attribute set",
    severity: Severity::Error,
    what: "A name that should be an attribute set of the pack is none.",
    why: "A controller or a set that needs it could not be built.",
    example: "Dependencies: [CombatSet]",
    mend: "Correct the name, or add the attribute set to the pack. Of a single file, what it cannot resolve by itself is only a note.",
};

/// A name that nothing has.
pub(crate) fn unknown(name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
    DOC.unknown("attribute set", name, nearest)
}
