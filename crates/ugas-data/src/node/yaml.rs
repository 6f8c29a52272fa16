//! Parser for YAML: builds a tree from parser events, within the limits.

use std::collections::{BTreeMap, BTreeSet};

use saphyr_parser::{Event, Parser, ScalarStyle, Tag};

use super::{Entry, Node, Style, Value, unique_keys};
use crate::diagnostics::{Sink, codes};
use crate::source::{FileId, Limits, Span, Spanned};

/// Parses all documents of a text. The first syntax error or exceeded limit is reported and ends it;
/// documents before it are kept.
pub(super) fn parse(text: &str, file: FileId, limits: &Limits, sink: &mut Sink) -> Vec<Node> {
    let mut builder = Builder {
        bytes: ByteIndex::new(text),
        file,
        limits: *limits,
        open: Vec::new(),
        anchors: BTreeMap::new(),
        weight: 0,
        expanded: 0,
        documents: Vec::new(),
        sink,
    };
    if let Some(at) = long_flow(text) {
        builder.sink.push(codes::pack::flow_too_long(Span::new(file, at, at + 1), MAX_FLOW_VALUES));
        return Vec::new();
    }
    for event in Parser::new_from_str(text) {
        let (event, span) = match event {
            Ok(event) => event,
            Err(error) => {
                let at = builder.bytes.byte(error.marker().index());
                let span = Span::new(file, at, at);
                // The parser has its own recursion limit, which it may reach before its events reach ours.
                builder.sink.push(match error.info() {
                    "recursion limit exceeded" => codes::pack::nested_too_deeply(span, limits.depth),
                    message => match tab_near(text, at).filter(|_| message.contains("tab")) {
                        Some(tab) => codes::format::tab_indentation(Span::new(file, tab, tab + 1)),
                        None => codes::format::syntax_error(span, message),
                    },
                });
                break;
            }
        };
        let (start, end) = (builder.bytes.byte(span.start.index()), builder.bytes.byte(span.end.index()));
        if builder.event(event, Span::new(file, start, end.max(start))).is_err() {
            break;
        }
    }
    builder.documents
}

/// Maximum number of values in one outermost list or mapping in brackets. The parser keeps all of its tokens,
/// some 400 bytes each, until it ends, because it may turn out to be a key.
const MAX_FLOW_VALUES: usize = 250_000;

/// Position of the first bracket of a list or mapping that is too long. Quotes and comments are not told from
/// values, so an open bracket in a text counts too; only a file with very many commas is affected.
fn long_flow(text: &str) -> Option<usize> {
    let (mut depth, mut start, mut values) = (0_usize, 0, 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' | b'{' => {
                if depth == 0 {
                    (start, values) = (at, 0);
                }
                depth += 1;
                values += 1;
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            b',' | b':' if depth > 0 => values += 1,
            _ => {}
        }
        if values > MAX_FLOW_VALUES {
            return Some(start);
        }
    }
    None
}

/// Position of the tab that caused a parser error: the error is right after it, or at the start of the token
/// before it.
fn tab_near(text: &str, at: usize) -> Option<usize> {
    let (before, after) = (text.get(..at)?, text.get(at..)?);
    if before.ends_with('\t') { at.checked_sub(1) } else { Some(at + after.find('\t')?) }
}

/// Share of the value limit that aliases may use (one in `ALIAS_SHARE`). A few lines of aliases could
/// otherwise exhaust it.
const ALIAS_SHARE: u32 = 20;

/// Exceeded limit that is already in the sink.
struct AlreadyReported;

struct Builder<'a> {
    bytes: ByteIndex<'a>,
    file: FileId,
    limits: Limits,
    open: Vec<Open>,
    anchors: BTreeMap<usize, Anchored>,
    weight: u64,
    /// Part of the weight that comes from aliases.
    expanded: u64,
    documents: Vec<Node>,
    sink: &'a mut Sink,
}

/// Value with an anchor, kept for its aliases.
struct Anchored {
    node: Node,
    weight: u64,
    /// Nesting depth of its lists and mappings.
    depth: usize,
}

/// List or mapping whose end has not been parsed yet.
struct Open {
    span: Span,
    anchor: usize,
    weight_before: u64,
    content: Content,
}

enum Content {
    List(Vec<Node>),
    Map {
        entries: Vec<Entry>,
        key: Option<Key>,
        /// Value of the merge key, if the mapping has one.
        merged: Option<Node>,
    },
}

enum Key {
    Text(Spanned<String>),
    /// A merge key (`<<` without quotes).
    Merge(Spanned<String>),
    /// A list or mapping as a key; its value is dropped.
    Refused,
}

impl Builder<'_> {
    /// Adds a parser event to the tree. An exceeded limit is reported and stops the parser.
    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), AlreadyReported> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                self.add_weight(1 + text.len() as u64 / 32, span)?;
                let node = scalar(&text, style, tag.as_deref(), span);
                self.remember(anchor, &node, 1 + text.len() as u64 / 32);
                self.finish(node, Some(&text));
            }
            Event::SequenceStart(anchor, _) => self.begin(span, anchor, Content::List(Vec::new()))?,
            Event::MappingStart(anchor, _) => {
                self.begin(span, anchor, Content::Map { entries: Vec::new(), key: None, merged: None })?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(span),
            Event::Alias(anchor) => {
                // The value is copied only after the limits are checked.
                let (weight, depth) =
                    self.anchors.get(&anchor).map_or((1, 0), |anchored| (anchored.weight, anchored.depth));
                self.add_weight(weight, span)?;
                if self.open.len() + depth > self.limits.depth as usize {
                    self.sink.push(codes::pack::nested_too_deeply(span, self.limits.depth));
                    return Err(AlreadyReported);
                }
                self.expanded = self.expanded.saturating_add(weight);
                if self.expanded > u64::from(self.limits.nodes / ALIAS_SHARE) {
                    let most = self.limits.nodes / ALIAS_SHARE;
                    self.sink.push(codes::pack::too_many_alias_values(span, most));
                    return Err(AlreadyReported);
                }
                let node = match self.anchors.get(&anchor) {
                    Some(anchored) => anchored.node.clone(),
                    None => Node { span, ..Node::default() },
                };
                let text = node.text().map(str::to_owned);
                self.finish(node, text.as_deref());
            }
            Event::DocumentEnd => self.anchors.clear(),
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) => {}
        }
        Ok(())
    }

    /// Counts values towards the limit of the file; an exceeded limit is reported.
    fn add_weight(&mut self, weight: u64, span: Span) -> Result<(), AlreadyReported> {
        self.weight = self.weight.saturating_add(weight);
        if self.weight > u64::from(self.limits.nodes) {
            self.sink.push(codes::pack::too_many_values(span, self.limits.nodes));
            return Err(AlreadyReported);
        }
        Ok(())
    }

    /// Opens a list or mapping; an exceeded depth is reported.
    fn begin(&mut self, span: Span, anchor: usize, content: Content) -> Result<(), AlreadyReported> {
        if self.open.len() >= self.limits.depth as usize {
            self.sink.push(codes::pack::nested_too_deeply(span, self.limits.depth));
            return Err(AlreadyReported);
        }
        let weight_before = self.weight;
        self.add_weight(1, span)?;
        self.open.push(Open { span, anchor, weight_before, content });
        Ok(())
    }

    /// Closes the innermost list or mapping, resolves its merge key and drops duplicate keys, and adds it to
    /// its parent.
    fn end(&mut self, span: Span) {
        let Some(open) = self.open.pop() else { return };
        let value = match open.content {
            Content::List(items) => Value::List(items),
            Content::Map { entries, merged, .. } => {
                let entries = unique_keys(entries, self.sink);
                Value::Map(match merged {
                    Some(merged) => merge_keys(entries, merged, self.sink),
                    None => entries,
                })
            }
        };
        let end = self.bytes.trimmed(open.span.start, span.end);
        let node =
            Node { span: Span { file: self.file, start: open.span.start, end }, value, style: Style::Plain };
        self.remember(open.anchor, &node, self.weight - open.weight_before);
        self.finish(node, None);
    }

    /// Keeps a copy of a value with an anchor for its aliases; 0 is no anchor.
    fn remember(&mut self, anchor: usize, node: &Node, weight: u64) {
        if anchor > 0 {
            self.anchors.insert(anchor, Anchored { node: node.clone(), weight, depth: node.depth() });
        }
    }

    /// Adds a finished value to its parent. `text` is the raw text of a scalar. In a mapping it is by turns a
    /// key and a value; at the top level it is a document.
    fn finish(&mut self, node: Node, text: Option<&str>) {
        let Some(parent) = self.open.last_mut() else {
            self.documents.push(node);
            return;
        };
        match &mut parent.content {
            Content::List(items) => items.push(node),
            Content::Map { entries, key, merged } => match key.take() {
                Some(Key::Text(name)) => entries.push(Entry { key: name, value: node }),
                Some(Key::Merge(key)) if merged.is_some() => {
                    self.sink.push(codes::format::duplicate_key(&key));
                }
                Some(Key::Merge(_)) => *merged = Some(node),
                Some(Key::Refused) => {}
                None => {
                    *key = Some(match text {
                        Some(MERGE_KEY) if node.style == Style::Plain => {
                            Key::Merge(Spanned { value: MERGE_KEY.to_owned(), span: node.span })
                        }
                        Some(text) => Key::Text(Spanned { value: text.to_owned(), span: node.span }),
                        None => {
                            self.sink.push(codes::format::key_not_text(node.span));
                            Key::Refused
                        }
                    });
                }
            },
        }
    }
}

/// Merge key of YAML 1.1, which copies the keys of other mappings.
const MERGE_KEY: &str = "<<";

/// Adds the keys of merged mappings that the mapping itself does not have. If several mappings have a key,
/// the first wins. The values were counted when their aliases were expanded. Values that are not mappings are
/// reported.
fn merge_keys(mut entries: Vec<Entry>, merged: Node, sink: &mut Sink) -> Vec<Entry> {
    let mappings = match merged.value {
        Value::List(items) => items,
        _ => vec![merged],
    };
    let mut known: BTreeSet<String> = entries.iter().map(|entry| entry.key.value.clone()).collect();
    for mapping in mappings {
        match mapping.value {
            Value::Map(inherited) => {
                entries.extend(inherited.into_iter().filter(|entry| known.insert(entry.key.value.clone())));
            }
            _ => sink.push(codes::format::merge_key_not_mapping(&mapping)),
        }
    }
    entries
}

/// Node of a scalar. A plain one is resolved to null, a boolean or a number; quoted ones, blocks and `!!str`
/// are texts.
fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>, span: Span) -> Node {
    let style = match style {
        ScalarStyle::Plain => Style::Plain,
        ScalarStyle::SingleQuoted => Style::Single,
        ScalarStyle::DoubleQuoted => Style::Double,
        ScalarStyle::Literal | ScalarStyle::Folded => Style::Block,
    };
    let as_text = tag.is_some_and(|tag| tag.is_yaml_core_schema() && tag.suffix == "str");
    let value = match style {
        Style::Plain if !as_text => plain(text),
        _ => Value::Text(text.to_owned()),
    };
    Node { span, value, style }
}

/// Value of an unquoted text in YAML's core schema.
pub(super) fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        ".nan" | ".NaN" | ".NAN" => return Value::Number(f64::NAN),
        _ => {}
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let sign = if text.starts_with('-') { -1.0 } else { 1.0 };
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return Value::Number(sign * f64::INFINITY);
    }
    for (prefix, radix) in [("0x", 16), ("0o", 8)] {
        if let Some(digits) = text.strip_prefix(prefix)
            && let Ok(number) = u64::from_str_radix(digits, radix)
            && !digits.starts_with('+')
        {
            return Value::Number(number as f64);
        }
    }
    let starts = unsigned.strip_prefix('.').unwrap_or(unsigned).starts_with(|c: char| c.is_ascii_digit());
    let number = unsigned.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    match (starts && number).then(|| text.parse::<f64>()) {
        Some(Ok(number)) => Value::Number(number),
        _ => Value::Text(text.to_owned()),
    }
}

/// Index from the parser's character positions to bytes, without rescanning the text for each.
struct ByteIndex<'a> {
    text: &'a str,
    /// Byte offset of every 64th character; empty for ASCII text.
    marks: Vec<u32>,
}

impl<'a> ByteIndex<'a> {
    /// Marks every 64th character of a text that is not ASCII.
    fn new(text: &'a str) -> Self {
        let marks = match text.is_ascii() {
            true => Vec::new(),
            false => text.char_indices().step_by(64).map(|(at, _)| at as u32).collect(),
        };
        Self { text, marks }
    }

    /// Byte of a character; the length of the text beyond its end.
    fn byte(&self, character: usize) -> usize {
        if self.marks.is_empty() {
            return character.min(self.text.len());
        }
        let Some(&from) = self.marks.get(character / 64) else { return self.text.len() };
        let rest = self.text.get(from as usize..).unwrap_or_default();
        rest.char_indices().nth(character % 64).map_or(self.text.len(), |(at, _)| from as usize + at)
    }

    /// End of a block without trailing white space.
    fn trimmed(&self, start: u32, end: u32) -> u32 {
        let text = self.text.get(start as usize..end as usize).unwrap_or_default();
        // Only the tail is looked at: a block may be as long as the file and end many times over.
        let mut length = text.len();
        while length > 0 && text.as_bytes()[length - 1].is_ascii_whitespace() {
            length -= 1;
        }
        start + length as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_scalars_follow_the_core_schema() {
        let number = |text| match plain(text) {
            Value::Number(number) => Some(number),
            _ => None,
        };
        for (text, expected) in [
            ("1", 1.0),
            ("-2.5", -2.5),
            ("+3", 3.0),
            (".5", 0.5),
            ("1e3", 1000.0),
            ("0x1F", 31.0),
            ("0o17", 15.0),
            ("-.inf", f64::NEG_INFINITY),
            ("1e999", f64::INFINITY),
        ] {
            assert_eq!(number(text), Some(expected), "{text}");
        }
        for text in ["1.2.3", "e5", "inf", "NaN", "infinity", "1_000", "-", "+", "0x", "2026-01-01", "--1"] {
            assert_eq!(number(text), None, "{text}");
        }
    }

    #[test]
    fn characters_become_bytes() {
        let text = "é".repeat(200);
        let index = ByteIndex::new(&text);
        for at in [0, 1, 63, 64, 65, 199, 200, 900] {
            assert_eq!(index.byte(at), (2 * at).min(400));
        }
    }
}
