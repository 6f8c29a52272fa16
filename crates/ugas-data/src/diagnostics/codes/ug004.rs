//! UG004: syntax error.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG004",
    title: "syntax error",
    severity: Severity::Error,
    what: "The text is not YAML (or, in a `.json` file, not JSON).",
    why: "Nothing after the fault can be read with confidence. Documents before it are still checked.",
    example: "Modifiers: [ { Attribute: Health",
    mend: "Mend the text at the caret: usually a bracket or quote that is not closed, a colon without a space after it, a tab used for indentation, or a line indented differently from its neighbours.",
};

/// The parser's complaint.
pub(crate) fn syntax(span: Span, message: &str) -> Diagnostic {
    DOC.report(span, format!("syntax error: {message}"))
        .help("look here and just above for an open bracket or quote, a colon without a space after it, a tab, or a line that is indented differently")
}

/// A tab where YAML wants spaces.
pub(crate) fn tab(span: Span) -> Diagnostic {
    DOC.report(span, "syntax error: a tab cannot indent YAML")
        .help("indent with spaces; most editors can convert tabs")
}

/// A list or mapping where a name must be.
pub(crate) fn key_not_text(span: Span) -> Diagnostic {
    DOC.report(span, "a list or mapping cannot be a key").help("use a name as the key")
}
