//! UG079: pack setting.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;
use crate::source::Spanned;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG079",
    title: "pack setting",
    severity: Severity::Error,
    what: "A setting of `pack.yaml` names a diagnostic that does not exist or that is an error, or there is more than one `pack.yaml` (a warning).",
    why: "It would have no effect, or an arbitrary one.",
    example: "Silence: [UG999]",
    mend: "Correct the code, or remove the second `pack.yaml`. Errors cannot be silenced.",
};

/// A code that does not exist.
pub(crate) fn unknown_code(code: &Spanned<String>) -> Diagnostic {
    DOC.report(code.span, format!("there is no diagnostic `{}`", code.value)).help("codes look like `UG090`")
}

/// An error cannot be silenced.
pub(crate) fn not_silenceable(code: &Spanned<String>) -> Diagnostic {
    DOC.report(code.span, format!("`{}` is an error and cannot be silenced", code.value))
        .help("mend what it complains about; warnings and lints can be silenced")
}

/// A second pack document.
pub(crate) fn second_pack(span: Span) -> Diagnostic {
    DOC.report(span, "the pack has another pack.yaml")
        .severity(Severity::Warning)
        .help("keep one; settings of all are joined")
}
