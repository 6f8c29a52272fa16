//! UG151: parameter of the wrong type.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Spanned;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG151",
    title: "parameter of the wrong type",
    severity: Severity::Error,
    what: "A parameter is used as something that it is not: a number where a tag is asked with `ParamTag`, or a tag or a text in an expression.",
    why: "Expressions read numbers and booleans; a tag is a text that is the name of a tag of the pack; other texts are for the host only (A18).",
    example: "Parameters: { Element: Damage.Fire }\nTasks: [ { Type: WaitDelay, Params: { Duration: 'Param(\"Element\")' } } ]",
    mend: "Use a parameter of the right type, or give the parameter another value.",
};

/// A parameter that holds something else.
pub(crate) fn wrong(name: &Spanned<String>, found: &str, expected: &str) -> Diagnostic {
    DOC.report(name.span, format!("the parameter `{}` is {found}, not {expected}", name.value))
        .help("use a parameter of the right type")
}
