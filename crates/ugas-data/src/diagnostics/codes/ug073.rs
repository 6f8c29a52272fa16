//! UG073: calculation used wrongly.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG073",
    title: "calculation used wrongly",
    severity: Severity::Error,
    what: "A calculation has neither outputs nor a result, is used where it has nothing to give, or is given a variable that it does not read.",
    why: "The number that it should give would not exist.",
    example: "Executions: [ { CalculatorClass: MMC_Damage } ]   # which has only a Result",
    mend: "Add `Outputs` for an execution, `Result` for a magnitude or a requirement.",
};

/// What is wrong with it.
pub(crate) fn wrong(span: Span, message: &str) -> Diagnostic {
    DOC.report(span, message.to_owned())
        .help("an execution needs `Outputs`, a magnitude or a requirement needs `Result`")
}
