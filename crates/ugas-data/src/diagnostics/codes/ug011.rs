//! UG011: wrong type.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::node::{Node, Value};

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG011",
    title: "wrong type",
    severity: Severity::Error,
    what: "The value is of another kind than the field takes: a text where a number belongs, a single value where a list does.",
    why: "Converting silently would hide mistakes such as a number in quotes.",
    example: "Priority: high",
    mend: "Write a value of the kind that the message names.",
};

/// A value of another kind.
pub(crate) fn wrong_type(node: &Node, expected: &str) -> Diagnostic {
    let help = match (&node.value, expected) {
        (Value::Text(text), _) if expected.contains("number") && text.trim().parse::<f64>().is_ok() => {
            "remove the quotes".to_owned()
        }
        (Value::Null, _) => format!("write {expected}, or remove the key"),
        _ if expected.starts_with("a list") => {
            format!("write {expected}: `[ … ]`, or one item a line after `- `")
        }
        _ => format!("write {expected}"),
    };
    DOC.report(node.head(), format!("expected {expected}, found {}", node.describe())).help(help)
}
