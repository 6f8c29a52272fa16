//! UG080: task without a parameter.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Spanned;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG080",
    title: "task without a parameter",
    severity: Severity::Error,
    what: "A task lacks a parameter that it cannot do without.",
    why: "A wait that does not say for how long, or an application that does not say of what, would do nothing.",
    example: "- Type: WaitDelay",
    mend: "Add the parameter under `Params`.",
};

/// A task that does not say enough.
pub(crate) fn missing(task: &Spanned<String>, parameters: &[&str]) -> Diagnostic {
    let names = format!("`{}`", parameters.join("` or `"));
    DOC.report(task.span, format!("the task `{}` needs {names}", task.value))
        .help(format!("add {names} to its `Params`"))
}
