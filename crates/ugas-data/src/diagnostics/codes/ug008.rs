//! UG008: document of unknown kind.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG008",
    title: "document of unknown kind",
    severity: Severity::Error,
    what: "The document has no `$schema`, and its keys do not tell what it is.",
    why: "It would be ignored silently, and what it defines would be missing.",
    example: "Nmae: GE_Hit\nValue: 3",
    mend: "Add a `$schema` that ends in `/schemas/` and the name of a document type.",
};

/// A document that nothing identifies.
pub(crate) fn unknown_document(span: Span, kinds: &str) -> Diagnostic {
    DOC.report(span, "the document has no `$schema`, and its keys do not tell what it is")
        .help(format!("add a `$schema` that ends in `/schemas/TYPE.json`; the types are {kinds}"))
}

/// A file that is to be a character, and has none.
pub(crate) fn no_character(span: Span) -> Diagnostic {
    DOC.report(span, "there is no character: none of the documents is a gameplay controller").help(
        "give a file that `ugas save` wrote, or one with `$schema: .../schemas/gameplay_controller.json`",
    )
}
