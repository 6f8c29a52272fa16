//! UG111: task that is never reached.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Spanned;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG111",
    title: "task that is never reached",
    severity: Severity::Warning,
    what: "A task stands after a block with a wait that happens again: `OnlyTriggerOnce: false`, or `Confirmation: CustomMulti`.",
    why: "The tasks after such a wait in its own list run once for each event, and the block around it never ends (A10).",
    example: "- { Type: Sequence, Params: { Tasks: [{ Type: WaitGameplayEvent, Params: { EventTag: Event.Hit, OnlyTriggerOnce: false } }] } }\n- { Type: EndAbility }   # never reached",
    mend: "Move the task into the list of the wait, or into another branch of a `Race` or an `All`.",
};

/// A task after one that never ends.
pub(crate) fn unreachable(kind: &Spanned<String>) -> Diagnostic {
    DOC.report(
        kind.span,
        format!("`{}` is never reached: the task before it waits again and again", kind.value),
    )
    .help("move it into the list of the wait, or into another branch of a `Race` or an `All`")
}
