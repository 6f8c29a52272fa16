//! UG025: unknown tag.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Spanned;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG025",
    title: "unknown tag",
    severity: Severity::Error,
    what: "A name that should be a tag of the pack is none.",
    why: "The pack has a tag registry, and once there is one, every tag must be in it or be the parent of one that is (T1). A misspelt tag never matches anything.",
    example: "GrantedTags: [State.Debuff.Stuned]",
    mend: "Correct the tag, or add it to the registry. Of a single file, what it cannot resolve by itself is only a note.",
};

/// A name that nothing has.
pub(crate) fn unknown(name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
    DOC.unknown("tag", name, nearest)
}
