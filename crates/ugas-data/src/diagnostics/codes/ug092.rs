//! UG092: effect that does nothing.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG092",
    title: "effect that does nothing",
    severity: Severity::Lint,
    what: "The effect has no modifiers, executions, tags, abilities, cues or further effects.",
    why: "Applying it changes nothing.",
    example: "Name: GE_Empty\nDurationPolicy: Infinite",
    mend: "Fill it in or remove it.",
};

/// An effect without effect.
pub(crate) fn does_nothing(span: Span, name: &str) -> Diagnostic {
    DOC.report(span, format!("the effect `{name}` does nothing"))
        .help("give it modifiers, tags or cues, or remove it")
}
