//! UG081: ability that cannot work.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG081",
    title: "ability that cannot work",
    severity: Severity::Error,
    what: "The parts of an ability contradict each other: it waits although it has no instances, or its charges never come back.",
    why: "An ability with `Instancing: None` is over as soon as it begins, so nothing could go on after a wait (A7).",
    example: "Instancing: None\nTasks: [ { Type: WaitDelay, Params: { Duration: 1 } } ]",
    mend: "Use `PerActor` or `PerExecution`, or leave out the waits; give charges a time to recharge.",
};

/// What the core says of it.
pub(crate) fn contradictory(span: Span, message: &str) -> Diagnostic {
    let (what, help) = message.split_once(": ").unwrap_or((message, DOC.mend));
    DOC.report(span, what).help(help)
}
