//! UG030: unknown input modifier.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Spanned;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG030",
    title: "unknown input modifier",
    severity: Severity::Error,
    what: "A name that should be an input modifier of the pack is none.",
    why: "The binding's value would pass unchanged.",
    example: "Modifiers: [DeadZoneStik]",
    mend: "Correct the name, or add the input modifier to the pack. Of a single file, what it cannot resolve by itself is only a note.",
};

/// A name that nothing has.
pub(crate) fn unknown(name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
    DOC.unknown("input modifier", name, nearest)
}
