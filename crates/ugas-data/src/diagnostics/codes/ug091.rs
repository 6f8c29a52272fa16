//! UG091: ability that nothing blocks.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG091",
    title: "ability that nothing blocks",
    severity: Severity::Lint,
    what: "The ability has neither `ActivationBlockedTags` nor `BlockedByTags`.",
    why: "It can be used while dead, stunned or silenced. That may be meant.",
    example: "Name: GA_Dash\nTags: { AbilityTags: [Ability.Dash] }",
    mend: "Add `ActivationBlockedTags`, such as `State.Dead`, or silence this lint.",
};

/// An ability that works while dead.
pub(crate) fn never_blocked(span: Span, name: &str) -> Diagnostic {
    DOC.report(span, format!("no tag blocks the ability `{name}`, so it works even while dead or stunned"))
        .help("add `ActivationBlockedTags` to its `Tags`")
}
