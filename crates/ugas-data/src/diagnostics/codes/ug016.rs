//! UG016: number is not finite.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG016",
    title: "number is not finite",
    severity: Severity::Error,
    what: "The number is infinite, not a number, or too large for a 64-bit float.",
    why: "A non-finite value never enters the state (V2).",
    example: "DefaultBaseValue: .inf",
    mend: "Write a finite number. A bound that should not exist is left out.",
};

/// An infinite number or none at all.
pub(crate) fn not_finite(span: Span) -> Diagnostic {
    DOC.report(span, "the number is not finite")
        .help("write a finite number; leave out a bound that should not exist")
}
