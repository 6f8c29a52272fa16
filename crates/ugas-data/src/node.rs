//! YAML and JSON as one tree, in which every value and every key has its position in the file.

mod json;
mod offset;
mod path;
mod yaml;
mod yaml_text;

use crate::diagnostics::Sink;
use crate::source::{FileId, Limits, SourceMap, Span, Spanned};

pub use offset::byte_in_file;
pub use yaml_text::to_yaml;

/// Value of a file with its position.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Node {
    /// Position of the value; for a list or mapping, from the first item to the last.
    pub span: Span,
    /// The value itself.
    pub value: Value,
    /// Quoting style of a text.
    pub style: Style,
}

/// Value of a [`Node`].
#[derive(Clone, PartialEq, Debug, Default)]
pub enum Value {
    /// Null.
    #[default]
    Null,
    /// True or false.
    Bool(bool),
    /// A number. `.inf`, `.nan` and overflowing numbers are kept, so that a diagnostic can point at them.
    Number(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A mapping in the order of the file, each key once.
    Map(Vec<Entry>),
}

/// Quoting style of a text, which determines where its bytes are in the file.
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
    /// Creates a value that is not from a file.
    pub fn synthetic(value: Value) -> Self {
        Self { span: Span::default(), value, style: Style::Plain }
    }

    /// Number of values in the tree, without keys.
    pub(crate) fn count(&self) -> u64 {
        let inside: u64 = match &self.value {
            Value::List(items) => items.iter().map(Self::count).sum(),
            Value::Map(entries) => entries.iter().map(|entry| entry.value.count()).sum(),
            _ => 0,
        };
        inside.saturating_add(1)
    }

    /// Nesting depth of lists and mappings, itself included; 0 for a single value.
    pub(crate) fn depth(&self) -> usize {
        match &self.value {
            Value::List(items) => 1 + items.iter().map(Self::depth).max().unwrap_or(0),
            Value::Map(entries) => 1 + entries.iter().map(|entry| entry.value.depth()).max().unwrap_or(0),
            _ => 0,
        }
    }

    /// Short span that represents the whole value: of a list or mapping, the first key or item. A mapping
    /// whose keys are all inherited is represented by its own span.
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

    /// The value of a key. `None` if it is absent, or if this is not a mapping.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// A key with its value. `None` if it is absent, or if this is not a mapping.
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

    /// The text of the value; `None` for other types: a number is not converted.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number of the value; `None` for other types: a text is not converted.
    pub fn number(&self) -> Option<f64> {
        match self.value {
            Value::Number(number) => Some(number),
            _ => None,
        }
    }

    /// Description of the value for messages, such as "a list".
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

/// Parses all documents of a file. Syntax errors are reported; documents before them are kept. A name that
/// ends in `.json` is parsed as JSON, any other as YAML.
pub fn parse(map: &SourceMap, file: FileId, limits: &Limits, sink: &mut Sink) -> Vec<Node> {
    let Some(source) = map.file(file) else { return Vec::new() };
    if source.text().len() as u64 > limits.file_bytes.min(u64::from(u32::MAX - 1)) {
        sink.push(crate::diagnostics::codes::pack::file_too_large(file, limits.file_bytes));
        return Vec::new();
    }
    let is_json = source.path().extension().is_some_and(|extension| extension == "json");
    if is_json {
        json::parse(source.text(), file, limits, sink).into_iter().collect()
    } else {
        yaml::parse(source.text(), file, limits, sink)
    }
}

/// Keeps the first entry of each key and reports the others.
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
            sink.push(crate::diagnostics::codes::format::duplicate_key(&entry.key));
        } else {
            kept.push(entry);
        }
    }
    kept
}
