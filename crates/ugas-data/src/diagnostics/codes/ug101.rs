//! UG101: impossible quantisation.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG101",
    title: "impossible quantisation",
    severity: Severity::Error,
    what: "`Quantize` of an attribute has a `Min` that is not below its `Max`, or a range that is too wide or too narrow for \
           its `Bits`.",
    why: "The wire could not carry the attribute's values.",
    example: "Quantize: { Min: 100, Max: 0, Bits: 8 }",
    mend: "Give a `Min` below `Max`, and from 1 to 32 `Bits`.",
};

/// A range without room.
pub(crate) fn empty(span: Span, min: f64, max: f64) -> Diagnostic {
    DOC.report(span, format!("`Quantize` needs a Min below its Max, and {min} is not below {max}"))
        .help("swap them, or widen the range")
}

/// A range whose steps are not numbers apart.
pub(crate) fn unusable(span: Span, min: f64, max: f64, bits: u8) -> Diagnostic {
    let message = format!("{bits} bits from {min} to {max} have steps that numbers cannot keep apart");
    DOC.report(span, message).help("use fewer bits, or a range of ordinary size")
}
