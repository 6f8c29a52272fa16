//! UG065: cost that is not Instant.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Spanned;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG065",
    title: "cost that is not Instant",
    severity: Severity::Error,
    what: "The effect that an ability names as its cost is not Instant.",
    why: "A cost is paid by changing base values (§8.5, A2); a temporary effect gives everything back.",
    example: "Cost: GE_Slow   # which has a duration",
    mend: "Make the effect Instant.",
};

/// A cost that is given back.
pub(crate) fn not_instant(effect: &Spanned<String>) -> Diagnostic {
    DOC.report(effect.span, format!("the cost effect `{}` is not Instant, so nothing is paid", effect.value))
        .help("use `DurationPolicy: Instant` for it")
}
