//! UG153: target without a press.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG153",
    title: "target without a press",
    severity: Severity::Error,
    what: "An `Input` step has a `Target` and presses nothing.",
    why: "Only a press activates abilities, which are aimed at the target.",
    example: "Input: { Controller: hero, Release: Fire, Target: wolf }",
    mend: "Add `Press`, or remove `Target`.",
};

/// A target that nothing is aimed at.
pub(crate) fn without_press(span: Span) -> Diagnostic {
    DOC.report(span, "`Target` belongs to `Press`, which is missing").help("add `Press`, or remove `Target`")
}
