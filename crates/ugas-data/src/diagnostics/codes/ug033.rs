//! UG033: unknown effect container.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Spanned;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG033",
    title: "unknown effect container",
    severity: Severity::Error,
    what: "A name that should be an effect container of the pack is none.",
    why: "There would be nothing to apply.",
    example: "Container: FireballContainr",
    mend: "Correct the name, or add the effect container to the pack. Of a single file, what it cannot resolve by itself is only a note.",
};

/// A name that nothing has.
pub(crate) fn unknown(name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
    DOC.unknown("effect container", name, nearest)
}
