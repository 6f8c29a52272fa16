//! UG143: nothing can be appended.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Spanned;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG143",
    title: "nothing can be appended",
    severity: Severity::Error,
    what: "`Append` names a field that is not a list, or gives something that is not a list of items.",
    why: "Only lists have an end that items can be added to.",
    example: "Extends: GE_Base\nAppend: { Priority: [1] }",
    mend: "Append a list to a list; write other fields directly, which replaces the inherited value.",
};

/// A field that is not a list.
pub(crate) fn not_a_list(key: &Spanned<String>, found: &str) -> Diagnostic {
    DOC.report(key.span, format!("nothing can be appended to `{}`: it is {found}, not a list", key.value))
        .help(format!("write `{}` beside `Extends`, which replaces the inherited value", key.value))
}

/// A value that is not a list of items.
pub(crate) fn not_items(key: &Spanned<String>) -> Diagnostic {
    DOC.report(key.span, format!("what is appended to `{}` is not a list", key.value))
        .help(format!("write a list of items: `{}: [ … ]`", key.value))
}
