//! YAML and JSON as one tree in which every value and every key knows where it is written.

mod json;
mod offset;
mod path;
mod yaml;
mod yaml_text;

use crate::diagnostics::Sink;
use crate::source::{FileId, Limits, SourceMap, Span, Spanned};

pub use offset::byte_in_file;
pub use yaml_text::to_yaml;

/// A value of a file.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Node {
    /// Where it is written; of a list or mapping, from the first item to the last.
    pub span: Span,
    /// What it is.
    pub value: Value,
    /// How a text is written.
    pub style: Style,
}

/// What a [`Node`] is.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum Value {
    /// Nothing.
    #[default]
    Null,
    /// True or false.
    Bool(bool),
    /// A number; `.inf`, `.nan` and what overflows come through, so that a diagnostic can point at them.
    Number(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A mapping in the order of the file, each key once.
    Map(Vec<Entry>),
}

/// How a text is written, which decides where its bytes are in the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Style {
    /// Without quotes.
    #[default]
    Plain,
    /// In single quotes.
    Single,
    /// In double quotes with YAML's or JSON's escapes.
    Double,
    /// A block (`|` or `>`).
    Block,
}

/// One key of a mapping with its value.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    /// The key.
    pub key: Spanned<String>,
    /// The value.
    pub value: Node,
}

impl Node {
    /// A value that is not from a file.
    pub fn synthetic(value: Value) -> Self {
        Self { span: Span::default(), value, style: Style::Plain }
    }

    /// How many values it is made of, keys excepted.
    pub(crate) fn count(&self) -> u64 {
        let inside: u64 = match &self.value {
            Value::List(items) => items.iter().map(Self::count).sum(),
            Value::Map(entries) => entries.iter().map(|entry| entry.value.count()).sum(),
            _ => 0,
        };
        inside.saturating_add(1)
    }

    /// Lists and mappings inside each other, itself included; 0 for a single value.
    pub(crate) fn depth(&self) -> usize {
        match &self.value {
            Value::List(items) => 1 + items.iter().map(Self::depth).max().unwrap_or(0),
            Value::Map(entries) => 1 + entries.iter().map(|entry| entry.value.depth()).max().unwrap_or(0),
            _ => 0,
        }
    }

    /// A short span that stands for the whole value: the first key or item of what spans many lines. A mapping whose
    /// keys are all inherited is represented by its own span.
    pub fn head(&self) -> Span {
        match &self.value {
            Value::Map(entries) => {
                let first = entries.first().map(|entry| entry.key.span);
                first.filter(|key| self.span.contains(*key)).unwrap_or(self.span)
            }
            Value::List(items) => items.first().map_or(self.span, Self::head),
            _ => self.span,
        }
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// A key with its value.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().find(|entry| entry.key.value == key)
    }

    /// The entries of a mapping; none of anything else.
    pub fn entries(&self) -> &[Entry] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The items of a list; none of anything else.
    pub fn items(&self) -> &[Self] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self.value {
            Value::Number(number) => Some(number),
            _ => None,
        }
    }

    /// What it is, in words for messages.
    pub fn describe(&self) -> String {
        match &self.value {
            Value::Null => "nothing".to_owned(),
            Value::Bool(value) => format!("`{value}`"),
            Value::Number(value) => format!("the number {value}"),
            Value::Text(text) if text.chars().count() <= 40 => {
                format!("the text \"{}\"", text.escape_debug())
            }
            Value::Text(_) => "a text".to_owned(),
            Value::List(_) => "a list".to_owned(),
            Value::Map(_) => "a mapping".to_owned(),
        }
    }
}

/// Parses all documents of a file. Syntax errors are reported; what stands before them is kept.
pub fn parse(map: &SourceMap, file: FileId, limits: &Limits, sink: &mut Sink) -> Vec<Node> {
    let Some(source) = map.file(file) else { return Vec::new() };
    if source.text().len() as u64 > limits.file_bytes.min(u64::from(u32::MAX - 1)) {
        sink.push(crate::diagnostics::codes::ug003::file_too_large(file, limits.file_bytes));
        return Vec::new();
    }
    let is_json = source.path().extension().is_some_and(|extension| extension == "json");
    if is_json {
        json::parse(source.text(), file, limits, sink).into_iter().collect()
    } else {
        yaml::parse(source.text(), file, limits, sink)
    }
}

/// Keeps the first of each key and reports the others.
fn unique_keys(entries: Vec<Entry>, sink: &mut Sink) -> Vec<Entry> {
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by(|&a, &b| entries[a].key.value.cmp(&entries[b].key.value).then(a.cmp(&b)));
    let mut double = vec![false; entries.len()];
    for pair in order.windows(2) {
        if entries[pair[0]].key.value == entries[pair[1]].key.value {
            double[pair[1]] = true;
        }
    }
    if !double.contains(&true) {
        return entries;
    }
    let mut kept: Vec<Entry> = Vec::new();
    for (entry, double) in entries.into_iter().zip(double) {
        if double {
            sink.push(crate::diagnostics::codes::ug005::duplicate_key(&entry.key));
        } else {
            kept.push(entry);
        }
    }
    kept
}
