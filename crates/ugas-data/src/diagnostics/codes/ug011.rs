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
        (Value::Text(text), _) if expected.contains("number") => number_in(text, expected),
        (Value::Null, _) => format!("write {expected}, or remove the key"),
        _ if expected.starts_with("a list") => {
            format!("write {expected}: `[ … ]`, or one item a line after `- `")
        }
        _ => format!("write {expected}"),
    };
    DOC.report(node.head(), format!("expected {expected}, found {}", node.describe())).help(help)
}

/// Bytes that are none of what they should be.
pub(crate) fn not_readable(span: crate::source::Span, expected: &str, error: &str) -> Diagnostic {
    DOC.report(span, format!("expected {expected}: {error}")).help("leave out the field, or save again")
}

/// A single value or a list where fields must be. Help shows the value where it probably belongs.
pub(crate) fn no_mapping(node: &Node, title: &str, required: &[&str], fields: &[&str]) -> Diagnostic {
    let value = match &node.value {
        Value::Number(number) => Some(format!("{number}")),
        Value::Text(text) if text.chars().count() <= LONGEST_SHOWN && !text.contains('\n') => {
            let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_'));
            Some(if plain { text.clone() } else { format!("{text:?}") })
        }
        _ => None,
    };
    let help = match (value, required) {
        _ if node.value == Value::Null => "write its fields, or remove the key".to_owned(),
        (Some(value), ["Type"]) if title == "magnitude" => match node.value {
            Value::Number(_) => format!("write `{{ Type: ScalableFloat, Value: {value} }}`"),
            _ => format!("write `{{ Type: Expression, Expression: {value} }}`"),
        },
        (Some(value), [only]) => format!("write `{{ {only}: {value} }}`"),
        (_, []) if fields.len() <= MOST_FIELDS => format!("write its fields: {}", fields.join(", ")),
        (_, []) => "write its fields; `ugas schema` lists them".to_owned(),
        (_, required) => format!("write its fields: `{{ {}: … }}`", required.join(": …, ")),
    };
    DOC.report(node.head(), format!("expected a mapping ({title}), found {}", node.describe())).help(help)
}

/// Characters of a text that help repeats.
const LONGEST_SHOWN: usize = 60;
/// Fields that help lists.
const MOST_FIELDS: usize = 12;

/// What to do about a text where a number belongs: quotes and units are the usual reasons.
fn number_in(text: &str, expected: &str) -> String {
    let text = text.trim();
    if text.parse::<f64>().is_ok() {
        return "remove the quotes".to_owned();
    }
    let digits = text.trim_end_matches(|c: char| c.is_alphabetic() || c == '%' || c == ' ');
    match (digits.parse::<f64>(), text.strip_prefix(digits).map(str::trim)) {
        (Ok(number), Some("%")) => format!("write {expected} without a unit: {}", number / 100.0),
        (Ok(number), Some("ms")) => {
            format!("write {expected} without a unit; times are in seconds: {}", number / 1000.0)
        }
        (Ok(number), Some("s" | "sec" | "seconds")) => {
            format!("write {expected} without a unit; times are in seconds: {number}")
        }
        (Ok(number), Some(_)) => format!("write {expected} without a unit: {number}"),
        _ => format!("write {expected}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_about_a_unit_gives_the_number_without_it() {
        let help = |text| number_in(text, "a number");
        assert_eq!(help("3"), "remove the quotes");
        assert_eq!(help("3000ms"), "write a number without a unit; times are in seconds: 3");
        assert_eq!(help("2.5 s"), "write a number without a unit; times are in seconds: 2.5");
        assert_eq!(help("25%"), "write a number without a unit: 0.25");
        assert_eq!(help("5m"), "write a number without a unit: 5");
        assert_eq!(help("fast"), "write a number");
        assert_eq!(help(""), "write a number");
    }

    #[test]
    fn help_about_a_mapping_puts_the_value_where_it_belongs() {
        let help = |value, title, required: &[&str]| {
            no_mapping(&Node::synthetic(value), title, required, &["Min", "Max"]).help
        };
        let text = |text: &str| Value::Text(text.to_owned());
        assert_eq!(help(Value::Number(5.0), "period", &["Period"]), "write `{ Period: 5 }`");
        assert_eq!(help(text("State.A"), "tag definition", &["Tag"]), "write `{ Tag: State.A }`");
        assert_eq!(
            help(Value::Number(-0.2), "magnitude", &["Type"]),
            "write `{ Type: ScalableFloat, Value: -0.2 }`"
        );
        assert_eq!(
            help(text("Level * 2"), "magnitude", &["Type"]),
            "write `{ Type: Expression, Expression: \"Level * 2\" }`"
        );
        assert_eq!(help(Value::Number(5.0), "modifier", &["A", "B"]), "write its fields: `{ A: …, B: … }`");
        assert_eq!(help(Value::Number(5.0), "clamping", &[]), "write its fields: Min, Max");
        assert_eq!(help(Value::Null, "period", &["Period"]), "write its fields, or remove the key");
    }
}
