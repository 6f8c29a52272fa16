//! UG041: tag too deep.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Spanned;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG041",
    title: "tag too deep",
    severity: Severity::Warning,
    what: "The tag has more than five levels (§7.1).",
    why: "Deep hierarchies are hard to query and to remember.",
    example: "State.Debuff.Element.Fire.Burning.Strong",
    mend: "Merge levels.",
};

/// A tag with many levels.
pub(crate) fn too_deep(tag: &Spanned<String>, levels: usize) -> Diagnostic {
    DOC.report(
        tag.span,
        format!("the tag `{}` has {levels} levels; more than 5 are hard to work with", tag.value),
    )
    .help("merge levels")
}
