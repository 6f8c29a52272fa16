//! UG102: sets that disagree about quantisation.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG102",
    title: "sets that disagree about quantisation",
    severity: Severity::Warning,
    what: "Two attribute sets have an attribute of the same name, with a different `Quantize`.",
    why: "Each value is rounded as the set says that the controller has, but the wire has one width a name: such an \
          attribute is sent with full precision, so that `Bits` saves nothing.",
    example: "Name: HeroStats\nAttributes: [ { Name: Health, DefaultBaseValue: 100, Quantize: { Min: 0, Max: 255, Bits: 8 } } ]\n\
              ---\nName: BossStats\nAttributes: [ { Name: Health, DefaultBaseValue: 9000 } ]",
    mend: "Give both the same `Quantize`, or give one of the attributes another name.",
};

/// An attribute with another quantisation than that of the same name in an earlier set.
pub(crate) fn disagrees(span: Span, attribute: &str, set: &str, other_set: &str) -> Diagnostic {
    let message = format!(
        "`{attribute}` has another Quantize in the set `{set}` than in `{other_set}`: `Bits` has no effect"
    );
    DOC.report(span, message).help("write the same `Quantize` in both sets, or rename one of the attributes")
}
