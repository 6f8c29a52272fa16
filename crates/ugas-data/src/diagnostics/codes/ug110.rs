//! UG110: recipient of an event in an ability that receives none.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG110",
    title: "ability that receives no event",
    severity: Severity::Warning,
    what: "A task acts on `EventTarget` or `EventInstigator`, and the ability has no event trigger and awaits no event.",
    why: "The task finds nobody unless the host activates the ability with an event (A11); then it is skipped with `NoTarget`.",
    example: "Tasks: [{ Type: ApplyEffectToTarget, Params: { EffectClass: GE_Hit, To: EventTarget } }]",
    mend: "Add an event to `Triggers`, await one with `WaitGameplayEvent`, or use `To: Target`.",
};

/// A recipient that only an event names.
pub(crate) fn no_event(span: Span, word: &str) -> Diagnostic {
    DOC.report(span, format!("`{word}` is nobody: the ability has no event trigger and awaits no event"))
        .help("add an event to `Triggers`, await one with `WaitGameplayEvent`, or use `To: Target`")
}
