//! UG027: unknown calculation.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Spanned;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG027",
    title: "unknown calculation",
    severity: Severity::Warning,
    what: "A name that should be a calculation of the pack is none.",
    why: "An application that needs it is refused with `MissingCalculation`, unless native code provides it.",
    example: "CalculatorClass: ExecCalc_Damge",
    mend: "Correct the name, add the calculation under `Calculations`, or list it under `NativeCalculations` in `pack.yaml` if native code provides it.",
};

/// A name that nothing has.
pub(crate) fn unknown(name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
    DOC.unknown("calculation", name, nearest)
}
