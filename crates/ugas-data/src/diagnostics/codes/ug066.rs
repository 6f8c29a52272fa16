//! UG066: stacking with sequence or merge.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG066",
    title: "stacking with sequence or merge",
    severity: Severity::Error,
    what: "`Stacking` is combined with `RunInSequence` or `RunInMerge`.",
    why: "Both say what a second application does (E5).",
    example: "ExecutionPolicy: RunInMerge\nStacking: { Type: AggregateByTarget }",
    mend: "Use one or the other.",
};

/// Two rules for one thing.
pub(crate) fn with_policy(span: Span) -> Diagnostic {
    DOC.report(span, "stacking cannot be combined with RunInSequence or RunInMerge")
        .help("remove `Stacking` or `ExecutionPolicy`")
}
