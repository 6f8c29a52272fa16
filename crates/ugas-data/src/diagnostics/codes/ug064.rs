//! UG064: cooldown without a tag.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Spanned;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG064",
    title: "cooldown without a tag",
    severity: Severity::Error,
    what: "The effect that an ability names as its cooldown grants no tag, or is Instant.",
    why: "An ability is on cooldown while one of these tags is present (A2); without any it never is.",
    example: "Cooldown: GE_Dash_Cooldown   # which has no GrantedTags",
    mend: "Give the effect a duration and a `Cooldown.*` tag under `GrantedTags`.",
};

/// A cooldown that blocks nothing.
pub(crate) fn no_tag(effect: &Spanned<String>) -> Diagnostic {
    DOC.report(
        effect.span,
        format!("the cooldown effect `{}` grants no tag, so it never blocks", effect.value),
    )
    .help("add a tag such as `Cooldown.Ability.Dash` to its `GrantedTags`")
}

/// A cooldown that is over at once.
pub(crate) fn instant(effect: &Spanned<String>) -> Diagnostic {
    DOC.report(effect.span, format!("the cooldown effect `{}` is Instant, so it never blocks", effect.value))
        .help("use `DurationPolicy: HasDuration` with a `Duration`")
}
