//! UG020: duplicate name.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Spanned;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG020",
    title: "duplicate name",
    severity: Severity::Error,
    what: "Two definitions of the same kind have the same name.",
    why: "A reference to the name could mean either.",
    example: "Name: GE_Hit   # in two files",
    mend: "Rename one of them, or remove it.",
};

/// The second definition of a name.
pub(crate) fn duplicate_name(name: &Spanned<String>, kind: &str, first: &str) -> Diagnostic {
    DOC.report(name.span, format!("there is another {kind} called `{}`", name.value))
        .help(format!("rename one of them; the other is at {first}"))
}
