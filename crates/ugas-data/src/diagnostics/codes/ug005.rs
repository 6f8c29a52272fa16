//! UG005: duplicate key.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Spanned;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG005",
    title: "duplicate key",
    severity: Severity::Error,
    what: "A mapping has the same key twice.",
    why: "Only one of the two values can count, and which one is not for a parser to choose.",
    example: "Name: GE_Hit\nName: GE_Hurt",
    mend: "Remove one, or rename it; between two documents of a file there must be a line `---`.",
};

/// The second use of a key.
pub(crate) fn duplicate_key(key: &Spanned<String>) -> Diagnostic {
    let help = match key.value.as_str() {
        "$schema" => "put a line `---` before it if another document begins here, or remove one of them",
        _ => "remove one of them",
    };
    DOC.report(key.span, format!("the key `{}` is here twice", key.value)).help(help)
}
