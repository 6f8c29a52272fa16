//! UG152: fixed parameter.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Spanned;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG152",
    title: "fixed parameter",
    severity: Severity::Error,
    what: "A `SetParameter` task writes a parameter that holds a tag or a text.",
    why: "Tags and texts are fixed by the definition: they are resolved when the pack is loaded. Only numbers and booleans change (A18).",
    example: "Parameters: { Element: Damage.Fire }\nTasks: [ { Type: SetParameter, Params: { Name: Element, Value: 1 } } ]",
    mend: "Write a parameter that is a number, or make a variant of the ability with `Extends`.",
};

/// A parameter that does not change.
pub(crate) fn fixed(name: &Spanned<String>, found: &str) -> Diagnostic {
    DOC.report(
        name.span,
        format!("the parameter `{}` is {found}, which is fixed by the definition", name.value),
    )
    .help("write a parameter that is a number, or make a variant with `Extends`")
}
