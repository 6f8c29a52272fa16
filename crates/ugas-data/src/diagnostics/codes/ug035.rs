//! UG035: action not in the set.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Spanned;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG035",
    title: "action not in the set",
    severity: Severity::Error,
    what: "An input mapping binds an action that its action set does not list.",
    why: "The binding would never be active.",
    example: "ActionSet: Gameplay\nBindings: [ { Action: IA_Pause } ]",
    mend: "Add the action to the set, or bind it in a mapping of the set that has it.",
};

/// A binding of an action that the set lacks.
pub(crate) fn not_in_set(action: &Spanned<String>, set: &str) -> Diagnostic {
    DOC.report(action.span, format!("the action set `{set}` does not have the action `{}`", action.value))
        .help(format!("add it to the `Actions` of `{set}`, or move the binding"))
}
