//! Canonical YAML writer: block style, two spaces, quotes only where they are needed, block texts as blocks.

use super::{Node, Style, Value, yaml::plain};

/// Renders a document, ending with a line break.
pub fn to_yaml(node: &Node) -> String {
    let mut out = String::new();
    match &node.value {
        Value::Map(entries) if !entries.is_empty() => map(&mut out, node, 0, BlockStart::Line),
        Value::List(items) if !items.is_empty() => list(&mut out, node, 0, BlockStart::Line),
        _ => {
            scalar(&mut out, &node.value);
            out.push('\n');
        }
    }
    out
}

/// Position at which a block begins.
#[derive(Clone, Copy, PartialEq)]
enum BlockStart {
    /// On a line of its own.
    Line,
    /// After the dash of a list item.
    AfterDash,
}

/// Writes two spaces for each level.
fn indent(out: &mut String, depth: usize) {
    for _ in 0..depth {
        out.push_str("  ");
    }
}

/// Writes the entries of a mapping, each on its own line.
fn map(out: &mut String, node: &Node, depth: usize, start: BlockStart) {
    for (at, entry) in node.entries().iter().enumerate() {
        if at > 0 || start == BlockStart::Line {
            indent(out, depth);
        }
        text(out, &entry.key.value);
        out.push(':');
        child(out, &entry.value, depth + 1);
    }
}

/// Writes the items of a list, each after a dash. Nested mappings and lists begin on the line of the dash.
fn list(out: &mut String, node: &Node, depth: usize, start: BlockStart) {
    for (at, item) in node.items().iter().enumerate() {
        if at > 0 || start == BlockStart::Line {
            indent(out, depth);
        }
        out.push('-');
        match &item.value {
            Value::Map(entries) if !entries.is_empty() => {
                out.push(' ');
                map(out, item, depth + 1, BlockStart::AfterDash);
            }
            Value::List(items) if !items.is_empty() => {
                out.push(' ');
                list(out, item, depth + 1, BlockStart::AfterDash);
            }
            value => {
                out.push(' ');
                scalar(out, value);
                out.push('\n');
            }
        }
    }
}

/// Writes the value of a key, after its colon: on the same line, or as a nested block.
fn child(out: &mut String, node: &Node, depth: usize) {
    match &node.value {
        Value::Map(entries) if !entries.is_empty() => {
            out.push('\n');
            map(out, node, depth, BlockStart::Line);
        }
        Value::List(items) if !items.is_empty() => {
            out.push('\n');
            list(out, node, depth, BlockStart::Line);
        }
        Value::Text(text) if node.style == Style::Block && is_block(text) => block(out, text, depth),
        value => {
            out.push(' ');
            scalar(out, value);
            out.push('\n');
        }
    }
}

/// Writes a text of several lines as a literal block.
fn block(out: &mut String, text: &str, depth: usize) {
    out.push_str(" |\n");
    for line in text.lines() {
        if !line.is_empty() {
            indent(out, depth);
        }
        out.push_str(line);
        out.push('\n');
    }
}

/// Whether a literal block represents exactly this text: it ends with one line break, its first line shows
/// the indentation, and no character needs an escape.
fn is_block(text: &str) -> bool {
    let is_plain =
        |c: char| c == '\n' || (!c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}'));
    let ends_once = text.ends_with('\n') && !text.ends_with("\n\n");
    ends_once && !text.starts_with([' ', '\n']) && text.chars().all(is_plain)
}

/// Writes a single value, or an empty list or mapping.
fn scalar(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => out.push_str(&number_text(*number)),
        Value::Text(value) => text(out, value),
        Value::List(_) => out.push_str("[]"),
        Value::Map(_) => out.push_str("{}"),
    }
}

/// Shortest text that parses as exactly this number.
fn number_text(number: f64) -> String {
    if number.is_nan() {
        ".nan".to_owned()
    } else if number.is_infinite() {
        if number > 0.0 { ".inf" } else { "-.inf" }.to_owned()
    } else if number == 0.0 || (1e-5..1e17).contains(&number.abs()) {
        format!("{number}")
    } else {
        format!("{number:e}")
    }
}

/// Writes a text, in double quotes with escapes unless it can be plain.
fn text(out: &mut String, value: &str) {
    if is_plain(value) {
        out.push_str(value);
        return;
    }
    out.push('"');
    for character in value.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            character if (character as u32) < 0x20 || (0x7f..0xa0).contains(&(character as u32)) => {
                out.push_str(&format!("\\x{:02x}", character as u32));
            }
            '\u{2028}' | '\u{2029}' | '\u{feff}' => {
                out.push_str(&format!("\\u{:04x}", character as u32));
            }
            character => out.push(character),
        }
    }
    out.push('"');
}

/// Whether an unquoted text parses as itself, also for parsers of YAML 1.1. It is stricter than YAML needs.
fn is_plain(value: &str) -> bool {
    let starts = value.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '$');
    let safe = |c: char| c.is_ascii_alphanumeric() || "_.$/()+* -%<>=^".contains(c);
    starts
        && !value.ends_with(' ')
        && value.chars().all(|c| safe(c) || c == ':')
        && !value.contains(": ")
        && !value.ends_with(':')
        && matches!(plain(value), Value::Text(_))
        && !matches!(value, "yes" | "no" | "on" | "off" | "y" | "n" | "Yes" | "No" | "On" | "Off")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::Sink;
    use crate::source::{Limits, SourceMap};
    use proptest::prelude::*;

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            any::<f64>().prop_filter("nan is not equal to itself", |n| !n.is_nan()).prop_map(Value::Number),
            ".{0,12}".prop_map(Value::Text),
            "[ -~]{0,8}".prop_map(Value::Text),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4)
                    .prop_map(|items| Value::List(items.into_iter().map(Node::synthetic).collect())),
                prop::collection::btree_map("[ -~]{0,6}", inner, 0..4).prop_map(|map| {
                    let entry = |(key, value)| super::super::Entry {
                        key: crate::source::Spanned { value: key, ..Default::default() },
                        value: Node::synthetic(value),
                    };
                    Value::Map(map.into_iter().map(entry).collect())
                }),
            ]
        })
    }

    proptest! {
        #[test]
        fn a_block_reads_back(text in "([ -~é]{0,9}\n){0,4}") {
            let key = crate::source::Spanned { value: "a".to_owned(), ..Default::default() };
            let value = Node { style: Style::Block, ..Node::synthetic(Value::Text(text)) };
            let inner = Node::synthetic(Value::Map(vec![super::super::Entry { key: key.clone(), value }]));
            let node = Node::synthetic(Value::Map(vec![super::super::Entry { key, value: inner }]));
            let written = to_yaml(&node);
            let mut map = SourceMap::new();
            let file = map.add("a.yaml", written.as_str());
            let mut sink = Sink::default();
            let documents = super::super::parse(&map, file, &Limits::default(), &mut sink);
            prop_assert!(sink.is_empty(), "{written}");
            prop_assert!(same(&documents[0], &node), "{}", written);
        }
    }

    #[test]
    fn a_block_stays_a_block() {
        let text = "Name: many lines\nText: |\n  one\n    two\n\n  three # and no comment\n";
        let mut map = SourceMap::new();
        let file = map.add("a.yaml", text);
        let documents = super::super::parse(&map, file, &Limits::default(), &mut Sink::default());
        assert_eq!(to_yaml(&documents[0]), text);
    }

    fn same(left: &Node, right: &Node) -> bool {
        match (&left.value, &right.value) {
            (Value::List(a), Value::List(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
            }
            (Value::Map(a), Value::Map(b)) => {
                a.len() == b.len()
                    && a.iter().zip(b).all(|(a, b)| a.key.value == b.key.value && same(&a.value, &b.value))
            }
            (Value::Number(a), Value::Number(b)) => a.to_bits() == b.to_bits(),
            (a, b) => a == b,
        }
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(value in values()) {
            let node = Node::synthetic(value);
            let text = to_yaml(&node);
            let mut map = SourceMap::new();
            let file = map.add("a.yaml", text.as_str());
            let mut sink = Sink::default();
            let documents = super::super::parse(&map, file, &Limits::default(), &mut sink);
            prop_assert!(sink.is_empty(), "{text}");
            prop_assert_eq!(documents.len(), 1);
            prop_assert!(same(&documents[0], &node), "{}", text);
        }
    }
}
