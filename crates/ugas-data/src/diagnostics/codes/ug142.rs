//! UG142: parent of another kind.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Spanned;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG142",
    title: "parent of another kind",
    severity: Severity::Error,
    what: "`Extends` names a document of another kind.",
    why: "A document inherits the fields of its own kind only.",
    example: "Name: GA_Burn          # an ability\nExtends: GE_Burn       # an effect",
    mend: "Name a document of the same kind.",
};

/// A parent that is something else.
pub(crate) fn other_kind(name: &Spanned<String>, kind: &str, other: &str) -> Diagnostic {
    DOC.report(name.span, format!("`{}` is a {other}, and a {kind} can extend only a {kind}", name.value))
        .help(format!("name a {kind}"))
}
