//! UG042: reserved tag prefix.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Spanned;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG042",
    title: "reserved tag prefix",
    severity: Severity::Warning,
    what: "A tag under a reserved prefix (`GameplayCue`, `Cooldown`, `State`, `Ability`, `DamageType`) is used for something else, or a cue is not under `GameplayCue` (§7.1).",
    why: "Cue managers listen to `GameplayCue.*` only, and other tools rely on the prefixes in the same way.",
    example: "GameplayCues: [Impact.Fire]",
    mend: "Use a tag under the prefix that fits.",
};

/// A tag under the wrong prefix.
pub(crate) fn misused(tag: &Spanned<String>, rule: &str, help: &str) -> Diagnostic {
    DOC.report(tag.span, format!("`{}` {rule}", tag.value)).help(help.to_owned())
}
