//! UG098: definition from code.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG098",
    title: "definition from code",
    severity: Severity::Error,
    what: "A definition that the host adds in Rust, beside the files, is wrong.",
    why: "The catalog cannot be built with it.",
    example: "builder.native(\"MMC_Damage\", …)   // which reads an attribute that the pack lacks",
    mend: "Correct the definition, or add what it needs to the pack.",
};

/// What the core says of it.
pub(crate) fn from_code(span: Span, message: String) -> Diagnostic {
    DOC.report(span, message)
        .help("correct the definition that the host adds, or add what it needs to the pack")
}
