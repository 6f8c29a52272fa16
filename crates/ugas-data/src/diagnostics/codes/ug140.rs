//! UG140: unknown parent.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Spanned;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG140",
    title: "unknown parent",
    severity: Severity::Error,
    what: "`Extends` names a document that is not there.",
    why: "Nothing can be inherited from it.",
    example: "Name: GE_Burn\nExtends: GE_Dot   # there is no effect of this name",
    mend: "Correct the name, or add the document.",
};

/// A parent that no document is.
pub(crate) fn unknown_parent(name: &Spanned<String>, kind: &str, nearest: Option<&str>) -> Diagnostic {
    let found = DOC.report(name.span, format!("there is no {kind} `{}` to extend", name.value));
    match nearest {
        Some(nearest) => found.help(format!("did you mean `{nearest}`?")),
        None => found.help(format!("correct the name, or add a {kind} of this name")),
    }
}
