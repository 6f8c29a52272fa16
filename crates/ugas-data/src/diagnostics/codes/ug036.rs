//! UG036: unknown controller template.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Spanned;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG036",
    title: "unknown controller template",
    severity: Severity::Warning,
    what: "A name that should be a controller template of the pack is none.",
    why: "The placement would put nothing into the world. It is only a warning, for a host may have templates of its own; in a scenario, which has no host, it is an error.",
    example: "Controller: Wlof",
    mend: "Correct the name, or add the controller template to the pack. Of a single file, what it cannot resolve by itself is only a note.",
};

/// A name that nothing has.
pub(crate) fn unknown(name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
    DOC.unknown("controller template", name, nearest)
}
