//! UG031: unknown scene.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Spanned;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG031",
    title: "unknown scene",
    severity: Severity::Error,
    what: "A name that should be a scene of the pack is none.",
    why: "What it should add to this one would be missing.",
    example: "Extends: [BaseArena]",
    mend: "Correct the name, or add the scene to the pack. Of a single file, what it cannot resolve by itself is only a note.",
};

/// A name that nothing has.
pub(crate) fn unknown(name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
    DOC.unknown("scene", name, nearest)
}
