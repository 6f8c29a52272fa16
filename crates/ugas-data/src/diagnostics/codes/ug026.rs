//! UG026: unknown curve.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Spanned;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG026",
    title: "unknown curve",
    severity: Severity::Warning,
    what: "A name that should be a curve of the pack is none.",
    why: "An application that needs it is refused with `MissingCurve`, unless the host provides it.",
    example: "Curve: DamageCurv",
    mend: "Correct the name, add the curve under `Curves`, or list it under `HostCurves` in `pack.yaml` if the host provides it.",
};

/// A name that nothing has.
pub(crate) fn unknown(name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
    DOC.unknown("curve", name, nearest)
}
