//! UG160: unknown template to spawn.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Spanned;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG160",
    title: "unknown template to spawn",
    severity: Severity::Error,
    what: "A `SpawnController` task names a controller template that the pack does not have.",
    why: "The task could spawn nothing.",
    example: "- { Type: SpawnController, Params: { Template: Wlof } }",
    mend: "Correct the name, or add the controller document to the pack. Of a single file, what it cannot resolve by itself is only a note.",
};

/// A template that the pack does not have.
pub(crate) fn unknown(name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
    DOC.unknown("controller template", name, nearest)
}
