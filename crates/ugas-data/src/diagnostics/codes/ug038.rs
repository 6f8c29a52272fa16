//! UG038: unknown name in a scenario.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Spanned;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG038",
    title: "unknown name in a scenario",
    severity: Severity::Error,
    what: "A step names something that no step before it has called so by `As`, and that the pack does not have either.",
    why: "There would be nothing to remove, revoke or cancel.",
    example: "Steps:\n  - Apply: { Effect: GE_Poison, Target: wolf, As: poison }\n  - Remove: { Effect: posion }",
    mend: "Correct the name, or give it with `As` in the step that makes the thing.",
};

/// A name that nothing before it was given. `other` is what else it could have been, such as "an effect".
pub(crate) fn unknown(name: &Spanned<String>, other: &str, nearest: Option<&str>) -> Diagnostic {
    let help = match nearest {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => "give the name with `As` in the step that makes it".to_owned(),
    };
    let name_text = &name.value;
    let message = format!("no step before this one calls something `{name_text}`, nor is it {other}");
    DOC.report(name.span, message).help(help)
}
