//! UG063: granted tags or abilities on an Instant effect.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG063",
    title: "granted tags or abilities on an Instant effect",
    severity: Severity::Warning,
    what: "An Instant effect grants tags or abilities.",
    why: "They would be gone in the same instant, so they do nothing (E2).",
    example: "DurationPolicy: Instant\nGrantedTags: [State.Damaged]",
    mend: "Give the effect a short duration, or describe it with `AssetTags`.",
};

/// Grants that do nothing.
pub(crate) fn on_instant(span: Span, field: &str) -> Diagnostic {
    DOC.report(span, format!("`{field}` of an Instant effect do nothing"))
        .help("give the effect a duration, or describe it with `AssetTags`")
}
