//! UG024: unknown ability.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Spanned;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG024",
    title: "unknown ability",
    severity: Severity::Error,
    what: "A name that should be an ability of the pack is none.",
    why: "Granting it would fail when the game runs.",
    example: "AbilityClass: GA_Fierball",
    mend: "Correct the name, or add the ability to the pack. Of a single file, what it cannot resolve by itself is only a note.",
};

/// A name that nothing has.
pub(crate) fn unknown(name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
    DOC.unknown("ability", name, nearest)
}
