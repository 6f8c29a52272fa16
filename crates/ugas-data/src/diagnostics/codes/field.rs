//! Fields of a record: presence, type, allowed words, number of items.

use ugas_core::nearest::nearest;

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::node::{Node, Value};
use crate::source::{Span, Spanned};

/// UG010: missing field.
pub(crate) const UG010: CodeDoc = CodeDoc {
    code: "UG010",
    title: "missing field",
    severity: Severity::Error,
    what: "A required field is missing.",
    why: "The field has no sensible default.",
    example: "$schema: …/schemas/gameplay_effect.json\nName: GE_Hit",
    fix: "Add the field.",
};

/// Required field that is absent. `about` describes the field.
pub(crate) fn missing(span: Span, record: &str, field: &str, about: &str) -> Diagnostic {
    UG010.report(span, format!("the {record} has no `{field}`")).help(format!("add `{field}`: {about}"))
}

/// UG011: wrong type.
pub(crate) const UG011: CodeDoc = CodeDoc {
    code: "UG011",
    title: "wrong type",
    severity: Severity::Error,
    what: "The value is of another kind than the field takes: a text where a number belongs, a single value where a list does.",
    why: "Converting silently would hide mistakes such as a number in quotes.",
    example: "Priority: high",
    fix: "Write a value of the kind that the message names.",
};

/// Value of another type than `expected`, with help for the usual reasons.
pub(crate) fn wrong_type(node: &Node, expected: &str) -> Diagnostic {
    let help = match (&node.value, expected) {
        (Value::Text(text), _) if expected.contains("number") => number_in(text, expected),
        (Value::Null, _) => format!("write {expected}, or remove the key"),
        _ if expected.starts_with("a list") => {
            format!("write {expected}: `[ … ]`, or one item a line after `- `")
        }
        _ => format!("write {expected}"),
    };
    UG011.report(node.head(), format!("expected {expected}, found {}", node.describe())).help(help)
}

/// Encoded bytes that cannot be decoded as `expected`.
pub(crate) fn undecodable(span: Span, expected: &str, error: &str) -> Diagnostic {
    UG011.report(span, format!("expected {expected}: {error}")).help("leave out the field, or save again")
}

/// Single value or list where a record is expected. The help shows the value in the field where it probably
/// belongs.
pub(crate) fn expected_mapping(node: &Node, title: &str, required: &[&str], fields: &[&str]) -> Diagnostic {
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
    UG011.report(node.head(), format!("expected a mapping ({title}), found {}", node.describe())).help(help)
}

/// Longest text, in characters, that the help repeats.
const LONGEST_SHOWN: usize = 60;
/// Most fields that the help lists.
const MOST_FIELDS: usize = 12;

/// Help about a text where a number is expected. Quotes and units are the usual reasons.
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

/// UG012: unknown value.
pub(crate) const UG012: CodeDoc = CodeDoc {
    code: "UG012",
    title: "unknown value",
    severity: Severity::Error,
    what: "The field takes one of a fixed list of words, and this is none of them. An unknown outcome or kind of event in a scenario is a warning.",
    why: "A misspelt word must not become a default.",
    example: "DurationPolicy: Forever",
    fix: "Use one of the words in the help.",
};

/// Outcome or kind of event that does not exist. The list is too long for a message, so the help has the
/// nearest one, or `examples`.
pub(crate) fn unknown_code(
    found: &Spanned<String>,
    what: &str,
    nearest: Option<&str>,
    examples: &str,
) -> Diagnostic {
    let report = UG012.report(found.span, format!("there is no {what} `{}`", found.value));
    report.severity(Severity::Warning).suggest(nearest, format!("write {examples}"))
}

/// Word that is not in the fixed list of a field.
pub(crate) fn unknown_word(span: Span, found: &str, allowed: &[&str]) -> Diagnostic {
    let nearest = nearest(found, allowed.iter().copied());
    let list = allowed.join(", ");
    let help = match nearest {
        Some(name) => format!("did you mean `{name}`? Allowed are {list}"),
        None => format!("allowed are {list}"),
    };
    UG012.report(span, format!("`{found}` is not allowed here")).help(help)
}

/// UG013: unknown field.
pub(crate) const UG013: CodeDoc = CodeDoc {
    code: "UG013",
    title: "unknown field",
    severity: Severity::Error,
    what: "The record, or the task, has no field of this name. Keys that begin with `x-`, everything below `Metadata` and the parameters of host tasks are free. `check --allow-unknown` lowers it to a warning.",
    why: "Nothing reads the field, so it would have no effect.",
    example: "DurationPolcy: Instant",
    fix: "Correct the name, remove the field, or let it begin with `x-` if it belongs to another tool.",
};

/// Key that is not a field of the record.
pub(crate) fn unknown(key: &Spanned<String>, record: &str, known: &[&str]) -> Diagnostic {
    let article = if record.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
    let diagnostic = UG013.report(key.span, format!("{article} {record} has no field `{}`", key.value));
    let otherwise = match known.len() {
        _ if key.value == "<<" => "JSON has no merge keys; write the fields out".to_owned(),
        0..=24 => format!("its fields are {}", known.join(", ")),
        _ => "remove it, or see `ugas schema` for the fields that there are; keys of other tools begin with `x-`".to_owned(),
    };
    diagnostic.suggest(nearest(&key.value, known.iter().copied()), otherwise)
}

/// UG014: placeholder.
pub(crate) const UG014: CodeDoc = CodeDoc {
    code: "UG014",
    title: "placeholder",
    severity: Severity::Error,
    what: "The value is the name of a type (`string`, `float`, `number`, `enum`, `boolean`, `object`), as the specification's listings print it.",
    why: "It was copied from a listing and not replaced by a value.",
    example: "DefaultBaseValue: float",
    fix: "Write the real value.",
};

/// Name of a type in place of a value.
pub(crate) fn placeholder(span: Span, found: &str) -> Diagnostic {
    UG014.report(span, format!("`{found}` is a placeholder, not a value")).help("write the value itself")
}

/// UG017: wrong number of items.
pub(crate) const UG017: CodeDoc = CodeDoc {
    code: "UG017",
    title: "wrong number of items",
    severity: Severity::Error,
    what: "The list has fewer or more items than the field takes.",
    why: "A position needs three numbers, an action set at least one action.",
    example: "Position: [1, 2]",
    fix: "Add or remove items.",
};

/// List whose number of items is not the `expected` one.
pub(crate) fn wrong_length(span: Span, found: usize, expected: &str) -> Diagnostic {
    UG017.report(span, format!("expected {expected}, found {found}")).help(format!("write {expected}"))
}

/// Steps of a scenario whose `ExpectLoad` lists errors.
pub(crate) fn steps_that_never_run(span: Span) -> Diagnostic {
    UG017
        .report(span, "no step runs because `ExpectLoad` lists errors")
        .help("write `Steps: []`, or remove the errors from `ExpectLoad`")
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
            expected_mapping(&Node::synthetic(value), title, required, &["Min", "Max"]).help
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
