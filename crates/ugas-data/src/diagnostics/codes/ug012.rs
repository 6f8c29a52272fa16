//! UG012: unknown value.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;
use ugas_core::nearest::nearest;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG012",
    title: "unknown value",
    severity: Severity::Error,
    what: "The field takes one of a fixed list of words, and this is none of them. Outcomes and kinds of events in scenarios are only questioned, with a warning, where they look misspelt.",
    why: "A misspelt word must not become a default.",
    example: "DurationPolicy: Forever",
    mend: "Use one of the words in the help.",
};

/// A word that looks misspelt, in a list that a host may lengthen.
pub(crate) fn misspelt(span: Span, found: &str, nearest: &str) -> Diagnostic {
    DOC.report(span, format!("`{found}` is not known here"))
        .severity(Severity::Warning)
        .help(format!("did you mean `{nearest}`?"))
}

/// A word that is not in the list.
pub(crate) fn unknown_value(span: Span, found: &str, allowed: &[&str]) -> Diagnostic {
    let nearest = nearest(found, allowed.iter().copied());
    let list = allowed.join(", ");
    let help = match nearest {
        Some(name) => format!("did you mean `{name}`? Allowed are {list}"),
        None => format!("allowed are {list}"),
    };
    DOC.report(span, format!("`{found}` is not allowed here")).help(help)
}
