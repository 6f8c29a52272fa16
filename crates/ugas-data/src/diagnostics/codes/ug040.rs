//! UG040: tag name.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;
use ugas_core::tag::TagNameError;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG040",
    title: "tag name",
    severity: Severity::Error,
    what: "The tag breaks the naming rules: segments in PascalCase, letters and digits, separated by dots (§7.1).",
    why: "Tags are compared by name and hierarchy; a stray character makes another tag.",
    example: "GrantedTags: [state.stunned]",
    mend: "Correct it as the message says.",
};

/// A name that is no tag, pointed at from its first wrong byte.
pub(crate) fn bad_name(span: Span, error: &TagNameError) -> Diagnostic {
    let message = error.problem.to_string();
    let (what, help) =
        message.split_once("; ").unwrap_or((&message, "use PascalCase segments with dots between them"));
    DOC.report(span, format!("`{}` is not a tag: {what}", error.name)).help(help.to_owned())
}
