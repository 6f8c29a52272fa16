//! UG052: circular ability grants.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG052",
    title: "circular ability grants",
    severity: Severity::Warning,
    what: "An effect grants an ability that applies the effect again.",
    why: "Each round grants once more; if the ability starts by itself it only stops at the cascade limit (E12).",
    example: "GE_Rage grants GA_Rage, whose task applies GE_Rage",
    mend: "Let one of them stop granting or applying the other.",
};

/// The cycle, its first name repeated at the end.
pub(crate) fn circular(span: Span, cycle: &[String]) -> Diagnostic {
    DOC.report(span, format!("effects and abilities grant each other: {}", cycle.join(" -> ")))
        .help("let one of them stop granting or applying the other")
}
