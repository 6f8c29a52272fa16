//! UG161: spawn without a result.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::node::Node;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG161",
    title: "spawn without a result",
    severity: Severity::Warning,
    what: "A `SpawnController` task has a `Count` below 1 or above the limit of one operation, or a `Lifetime` of 0 or less.",
    why: "It would spawn nothing, be refused every time, or spawn controllers that leave at the same instant.",
    example: "- { Type: SpawnController, Params: { Template: Wolf, Lifetime: 0 } }",
    mend: "Give a `Count` from 1 to 1024 and a positive `Lifetime`; leave `Lifetime` out for controllers that stay.",
};

/// A number with which nothing stays.
pub(crate) fn spawns_nothing(node: &Node, field: &str) -> Diagnostic {
    let number = node.number().unwrap_or_default();
    let fix = match field {
        "Count" => "give a `Count` from 1 to 1024",
        _ => "give a positive `Lifetime`, or leave it out",
    };
    DOC.report(node.span, format!("with `{field}: {number}` the task spawns nothing that stays")).help(fix)
}
