//! UG100: sets that disagree about replication.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG100",
    title: "sets that disagree about replication",
    severity: Severity::Warning,
    what: "Two attribute sets have an attribute of the same name, with a different `ReplicationMode`.",
    why: "Each controller goes by the set that it has: an attribute that one template hides is shown by another. That is \
          legal, and easily a leak that nobody meant.",
    example: "Name: OpenStats\nAttributes: [ { Name: Luck, DefaultBaseValue: 1 } ]\n---\nName: HiddenStats\n\
              Attributes: [ { Name: Luck, DefaultBaseValue: 1, ReplicationMode: None } ]",
    mend: "Give both the same `ReplicationMode`, or give one of the attributes another name.",
};

/// An attribute with another mode than that of the same name in an earlier set.
pub(crate) fn disagrees(
    span: Span,
    attribute: &str,
    (set, mode): (&str, &str),
    (other_set, other_mode): (&str, &str),
) -> Diagnostic {
    DOC.report(
        span,
        format!(
            "`{attribute}` has the ReplicationMode {mode} in the set `{set}`, and {other_mode} in `{other_set}`"
        ),
    )
    .help(format!("write `ReplicationMode: {other_mode}` here too, or rename one of the attributes"))
}
