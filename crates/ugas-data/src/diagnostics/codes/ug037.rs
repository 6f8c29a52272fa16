//! UG037: unknown controller of a scenario.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Spanned;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG037",
    title: "unknown controller of a scenario",
    severity: Severity::Error,
    what: "A step names a controller that the scenario does not have.",
    why: "The step could not be carried out, or the expectation never be met.",
    example: "Controllers: { wolf: { Template: Wolf } }\nSteps:\n  - Apply: { Effect: GE_Poison, Target: wlof }",
    mend: "Correct the name, or add the controller under `Controllers`.",
};

/// A name that no controller of the scenario has.
pub(crate) fn unknown(name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
    let help = match nearest {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => "add it under `Controllers`".to_owned(),
    };
    DOC.report(name.span, format!("the scenario has no controller `{}`", name.value)).help(help)
}
