//! UG039: pack of a scenario.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG039",
    title: "pack of a scenario",
    severity: Severity::Error,
    what: "The `Pack` of a scenario is not there, or has errors of its own in files that were not checked along with the scenario.",
    why: "The scenario cannot run, and its names cannot be checked.",
    example: "Pack: ../packs/apgr",
    mend: "Correct the path, which is relative to the scenario's file, or mend the pack.",
};

/// A path that leads nowhere.
pub(crate) fn not_there(span: Span, path: &str) -> Diagnostic {
    DOC.report(span, format!("there is no pack `{path}`")).help("write a path relative to this file")
}

/// A pack that does not load.
pub(crate) fn broken(span: Span, path: &str, errors: usize) -> Diagnostic {
    let noun = if errors == 1 { "error" } else { "errors" };
    DOC.report(span, format!("the pack `{path}` has {errors} {noun}"))
        .help("check the pack by itself to see them")
}
