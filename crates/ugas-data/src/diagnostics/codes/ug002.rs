//! UG002: file is not UTF-8.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG002",
    title: "file is not UTF-8",
    severity: Severity::Error,
    what: "The file contains bytes that are not UTF-8 text.",
    why: "YAML and JSON packs are UTF-8; guessing another encoding would change names silently.",
    example: "Name: caf\\xe9",
    mend: "Save the file as UTF-8 in your editor.",
};

/// A file that begins with the mark of another encoding.
pub(crate) fn utf16(span: Span) -> Diagnostic {
    DOC.report(span, "the file is UTF-16, not UTF-8").help("save the file as UTF-8")
}

/// Bytes that are no text, after the last good one.
pub(crate) fn not_utf8(span: Span) -> Diagnostic {
    DOC.report(span, "the file is not UTF-8 text from here on").help("save the file as UTF-8")
}
