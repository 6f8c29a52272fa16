//! UG150: unknown parameter.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::{Span, Spanned};

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG150",
    title: "unknown parameter",
    severity: Severity::Error,
    what: "`ParamTag` asks for a parameter that the ability does not have, or stands outside of an ability.",
    why: "Only the parameters of the ability itself hold tags, and a name that none of them has would never be a tag (A18).",
    example: "Tasks: [ { Type: ExecuteCue, Params: { Cue: 'ParamTag(\"Impcat\")' } } ]",
    mend: "Correct the name, or add the parameter to `Parameters` of the ability.",
};

/// A parameter that the ability does not have.
pub(crate) fn unknown(name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
    DOC.unknown("parameter", name, nearest)
}

/// A place that has no parameters.
pub(crate) fn outside(span: Span) -> Diagnostic {
    DOC.report(span, "`ParamTag` is not available here: only abilities have parameters")
        .help("write the tag itself")
}
