//! UG029: unknown input action set.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Spanned;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG029",
    title: "unknown input action set",
    severity: Severity::Error,
    what: "A name that should be an input action set of the pack is none.",
    why: "The mapping would belong to nothing.",
    example: "ActionSet: Gameply",
    mend: "Correct the name, or add the input action set to the pack. Of a single file, what it cannot resolve by itself is only a note.",
};

/// A name that nothing has.
pub(crate) fn unknown(name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
    DOC.unknown("input action set", name, nearest)
}
