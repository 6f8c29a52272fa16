//! UG147: impossible spawn.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::{Span, Spanned};

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG147",
    title: "impossible spawn",
    severity: Severity::Error,
    what: "A `Spawn` step uses the name of a controller that exists, or a `Handle`.",
    why: "Names of controllers are unique, and a handle belongs to a controller of the `State`.",
    example: "Controllers: { wolf: {} }\nSteps:\n  - Spawn: { wolf: {} }",
    mend: "Use another name, or despawn the controller first.",
};

/// A name that is in use.
pub(crate) fn second_controller(name: &Spanned<String>) -> Diagnostic {
    DOC.report(name.span, format!("there is a controller `{}` already", name.value))
        .help("use another name, or despawn it first")
}

/// A handle where a new controller is described.
pub(crate) fn handle_in_spawn(span: Span) -> Diagnostic {
    DOC.report(span, "a `Handle` names a controller of the `State`, and this one is new")
        .help("remove `Handle`, or name the controller under `Controllers`")
}
