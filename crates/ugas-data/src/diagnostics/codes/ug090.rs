//! UG090: attribute never used.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Spanned;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG090",
    title: "attribute never used",
    severity: Severity::Lint,
    what: "Nothing in the pack reads or changes the attribute.",
    why: "It may be left over, or a reference to it may be misspelt. Code of the host may use it all the same.",
    example: "- Name: Luck\n  DefaultBaseValue: 0",
    mend: "Remove it, or silence this lint with `Silence: [UG090]` in `pack.yaml`.",
};

/// An attribute that nothing mentions.
pub(crate) fn unused(name: &Spanned<String>) -> Diagnostic {
    DOC.report(name.span, format!("nothing in the pack uses the attribute `{}`", name.value))
        .help("remove it if the host does not use it either")
}
