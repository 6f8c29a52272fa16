//! UG069: channel on another operation.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG069",
    title: "channel on another operation",
    severity: Severity::Warning,
    what: "A modifier that is not a Multiply has a channel.",
    why: "Channels are for Multiply only and ignored elsewhere (§9.4.1).",
    example: "Operation: Add\nChannel: DamageBonuses",
    mend: "Remove the channel, or use Multiply.",
};

/// A channel that is ignored.
pub(crate) fn ignored(span: Span, operation: &str) -> Diagnostic {
    DOC.report(span, format!("a channel is ignored on `{operation}`"))
        .help("remove it, or use `Operation: Multiply`")
}
