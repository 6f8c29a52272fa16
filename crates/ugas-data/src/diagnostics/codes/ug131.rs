//! UG131: base of a derived attribute.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG131",
    title: "base of a derived attribute",
    severity: Severity::Error,
    what: "A base value is given for an attribute with `DerivedFrom`.",
    why: "Its base comes from the expression (§6.4, B7), so the value could never count.",
    example: "AttributeSets: [ { Name: Combat, Attributes: [ { Name: MaxHealth, BaseValue: 500 } ] } ]   # derived from Vigor",
    mend: "Remove the value, and set the attributes that the expression reads.",
};

/// A base value that could never count.
pub(crate) fn derived(span: Span, attribute: &str) -> Diagnostic {
    DOC.report(span, format!("`{attribute}` is derived: its base comes from its expression"))
        .help("remove the base value, and set the attributes that the expression reads")
}
