//! UG028: unknown input action.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Spanned;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG028",
    title: "unknown input action",
    severity: Severity::Error,
    what: "A name that should be an input action of the pack is none.",
    why: "Nothing would ever trigger it. Checked once the pack has input actions.",
    example: "InputID: IA_Jmup",
    mend: "Correct the name, or add the input action to the pack. Of a single file, what it cannot resolve by itself is only a note.",
};

/// A name that nothing has.
pub(crate) fn unknown(name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
    DOC.unknown("input action", name, nearest)
}
