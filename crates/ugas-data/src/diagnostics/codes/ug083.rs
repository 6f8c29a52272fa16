//! UG083: native code that is not registered.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Spanned;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG083",
    title: "native filter that is not registered",
    severity: Severity::Warning,
    what: "Targeting names a `CustomFilter` that no native code is registered for.",
    why: "Without its code nobody passes the filter, so nobody is found.",
    example: "Targeting: { Method: Radius, Range: 5, CustomFilter: IsWounded }",
    mend: "Register it with `Loader::target_filter`, or correct the name.",
};

/// A filter that nobody passes.
pub(crate) fn unregistered(name: &Spanned<String>) -> Diagnostic {
    DOC.report(name.span, format!("no native code is registered for the target filter `{}`", name.value))
        .help("register it with `Loader::target_filter`; until then nobody passes it")
}
