//! UG132: negative time left.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG132",
    title: "negative time left",
    severity: Severity::Error,
    what: "The `RemainingDuration` or `Duration` of an active effect is negative and not -1.",
    why: "-1 stands for the duration of the definition (K1); other negative times mean nothing.",
    example: "ActiveEffects: [ { Handle: a, EffectClass: GE_Poison, RemainingDuration: -5 } ]",
    mend: "Write the seconds that are left, or -1 for the duration of the definition.",
};

/// A time left that means nothing.
pub(crate) fn negative(span: Span, seconds: f64) -> Diagnostic {
    DOC.report(span, format!("expected the seconds that are left, or -1, found {seconds}"))
        .help("write the seconds that are left, or -1 for the duration of the definition")
}
