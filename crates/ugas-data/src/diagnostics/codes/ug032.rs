//! UG032: unknown task type.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Spanned;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG032",
    title: "unknown task type",
    severity: Severity::Error,
    what: "The task is neither one of the built-in ones nor a host task that the pack declares.",
    why: "An undeclared type would wait for a host that does not know it (A6). Of a single file, without its \
          `pack.yaml`, a type that resembles no other is only a note.",
    example: "Type: WaitDelya",
    mend: "Correct the type, or list it under `HostTasks` in `pack.yaml`.",
};

/// A task that is completed from outside although it ends by itself.
pub(crate) fn not_of_the_host(name: &Spanned<String>) -> Diagnostic {
    let message = format!("`{}` is no task of the host, and cannot be completed", name.value);
    DOC.report(name.span, message)
        .help("leave the step out: the task ends by itself when what it waits for comes")
}

/// A task that nobody carries out.
pub(crate) fn unknown_task(name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
    let help = match nearest {
        Some(nearest) => {
            format!("did you mean `{nearest}`? A task of the host goes under `HostTasks` in pack.yaml")
        }
        None => "list it under `HostTasks` in pack.yaml if the host carries it out".to_owned(),
    };
    DOC.report(name.span, format!("there is no task type `{}`", name.value)).help(help)
}
