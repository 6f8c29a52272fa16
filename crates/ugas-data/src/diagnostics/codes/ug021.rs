//! UG021: unknown attribute.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Spanned;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG021",
    title: "unknown attribute",
    severity: Severity::Error,
    what: "A name that should be an attribute of the pack is none.",
    why: "A modifier on an attribute that does not exist does nothing (M6).",
    example: "Attribute: Helth",
    mend: "Correct the name, or add the attribute to the pack. Of a single file, what it cannot resolve by itself is only a note.",
};

/// A name that nothing has.
pub(crate) fn unknown(name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
    DOC.unknown("attribute", name, nearest)
}
