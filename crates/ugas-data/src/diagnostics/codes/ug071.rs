//! UG071: expression error.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG071",
    title: "expression error",
    severity: Severity::Error,
    what: "An expression cannot be compiled. The caret stands in it where the fault is.",
    why: "The number that it should give would not exist.",
    example: "Expression: \"Health * (1 + Defense / 100\"",
    mend: "Mend it as the message says; the book's chapter on packs lists what expressions can say.",
};

/// A fault inside an expression.
pub(crate) fn fault(span: Span, message: String) -> Diagnostic {
    let (what, help) = match message.split_once("; ") {
        Some((what, help)) => (what.to_owned(), help.to_owned()),
        None => (message, "correct the expression here".to_owned()),
    };
    DOC.report(span, format!("in this expression: {what}")).help(help)
}
