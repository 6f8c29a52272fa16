//! UG023: unknown effect.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Spanned;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG023",
    title: "unknown effect",
    severity: Severity::Error,
    what: "A name that should be an effect of the pack is none.",
    why: "Applying it would fail when the game runs.",
    example: "Cost: GE_Fireball_Cots",
    mend: "Correct the name, or add the effect to the pack. Of a single file, what it cannot resolve by itself is only a note.",
};

/// A name that nothing has.
pub(crate) fn unknown(name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
    DOC.unknown("effect", name, nearest)
}
