//! UG162: despawn of a name that nothing has.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Spanned;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG162",
    title: "despawn of a name that nothing has",
    severity: Severity::Warning,
    what: "A `DespawnController` task names controllers that no `SpawnController` task of the pack names with `As`.",
    why: "The task would find nobody.",
    example: "- { Type: DespawnController, Params: { As: totme } }",
    mend: "Correct the name, or give it with `As` where the controllers are spawned.",
};

/// A name that no task gives.
pub(crate) fn unknown(name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
    DOC.unknown("name of spawned controllers", name, nearest)
}
