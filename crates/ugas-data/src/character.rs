//! Characters as files: YAML and JSON in the specification's form of a gameplay controller (§4, and §14 of
//! the later drafts).
//!
//! State for which the form has a field is written there, so that other tools can read it; the rest is in
//! `Saved` blocks. Files of both drafts are read, also those of other tools; missing fields get the defaults
//! of the rules ([`ugas_core::character`], P4, P6). A character survives a round trip unchanged, as long as
//! its numbers are finite and its times are shorter than 70 years. A character without attribute sets is
//! written with an empty list, which is accepted here although the specification's schema requires at least
//! one.
//!
//! ```
//! use ugas_core::character::{Character, CharacterAttribute, CharacterSet};
//! use ugas_data::character::{from_text, to_yaml};
//!
//! let health = CharacterAttribute { name: "Health".to_owned(), base: 85.0, current: None };
//! let set = CharacterSet { name: "Combat".to_owned(), attributes: vec![health] };
//! let character = Character { name: "Ada".to_owned(), sets: vec![set], own_tags: Some(Vec::new()), ..Character::default() };
//! let text = to_yaml(&character);
//! assert_eq!(from_text("ada.yaml", text)?, character);
//! # Ok::<(), ugas_data::LoadError>(())
//! ```

mod read;
mod write;

use std::path::PathBuf;

use serde_json::Value as Json;
use ugas_core::character::Character;

use crate::decode::{Field, push_entry};
use crate::diagnostics::{Diagnostic, Report, Sink, codes};
use crate::loader::LoadError;
use crate::model::controller::ControllerDoc;
use crate::model::{DocumentKind, Model, recognise};
use crate::node::{self, Node, Value};
use crate::source::{Limits, SourceMap, Span};

/// Renders the character as a YAML document, with everything that [`from_text`] reads back.
pub fn to_yaml(character: &Character) -> String {
    node::to_yaml(&tree(character))
}

/// First line of a character's file, which says how the file ends.
const FILE_HEAD: &str = "# A saved character, complete if the last line is `...`.\n";
/// Last line of a character's file: the end of a YAML document.
const FILE_END: &str = "...\n";

/// Renders the character as a YAML file: [`to_yaml`], with a first line that announces the last one, so that
/// [`from_text`] notices a file that was cut.
pub fn to_yaml_file(character: &Character) -> String {
    format!("{FILE_HEAD}{}{FILE_END}", to_yaml(character))
}

/// Whether a text is the beginning of a file of [`to_yaml_file`], without its end.
fn is_cut(text: &str) -> bool {
    text.starts_with(FILE_HEAD.trim_end()) && !text.trim_end().ends_with("\n...")
}

/// Renders the character as JSON. Whole numbers are written without a decimal point, and the text ends with a
/// line break.
pub fn to_json(character: &Character) -> String {
    let mut text = serde_json::to_string_pretty(&json(&tree(character))).unwrap_or_default();
    text.push('\n');
    text
}

/// Reads a character from a text, as if it were a file of this name; a name that ends in `.json` makes it
/// JSON. If there are several documents, the first gameplay controller is used.
///
/// # Errors
/// All problems with their positions. Names are not checked here; they are resolved when the character is
/// restored (P1).
pub fn from_text(name: impl Into<PathBuf>, text: impl Into<String>) -> Result<Character, LoadError> {
    let (mut map, mut sink, limits) = (SourceMap::new(), Sink::default(), Limits::default());
    let text = text.into();
    let is_cut = is_cut(&text);
    let end = text.len();
    let file = map.add(name, text);
    if is_cut {
        sink.push(codes::format::cut_file(Span::new(file, end, end)));
    }
    let nodes = node::parse(&map, file, &limits, &mut sink);
    let mut documents = nodes.into_iter().filter_map(|node| {
        let no_sets = node.get("AttributeSets").filter(|sets| is_empty_list(sets)).map(|sets| sets.span);
        let mut found = Sink::default();
        let document = recognise(&map, file, node, &mut found);
        let is_wrong = |found: &Diagnostic| found.code != "UG017" || Some(found.span) != no_sets;
        found.into_diagnostics().into_iter().filter(is_wrong).for_each(|wrong| sink.push(wrong));
        document
    });
    let doc = documents.find_map(|document| match document.model {
        Model::Controller(doc) => Some(doc),
        _ => None,
    });
    let character = match doc {
        Some(doc) => Some(read::character(&doc, &mut sink)),
        None => {
            if sink.errors() == 0 {
                sink.push(codes::format::no_character(Span::start_of(file)));
            }
            None
        }
    };
    match character.filter(|_| sink.errors() == 0) {
        Some(character) => Ok(character),
        None => Err(LoadError { report: Report::new(map, sink, &Default::default()) }),
    }
}

/// Character of an inline document in a scenario, or the message of its first diagnostic. Any diagnostic
/// counts as an error.
pub(crate) fn of_document(doc: &ControllerDoc) -> Result<Character, String> {
    let mut sink = Sink::default();
    let character = read::character(doc, &mut sink);
    match sink.into_diagnostics().into_iter().next() {
        Some(wrong) => Err(wrong.message),
        None => Ok(character),
    }
}

/// Document of the character, with its `$schema`.
fn tree(character: &Character) -> Node {
    let mut entries = Vec::new();
    push_entry(&mut entries, "$schema", Value::Text(DocumentKind::Controller.schema_address()));
    if let Value::Map(fields) = write::document(character).encode() {
        entries.extend(fields);
    }
    Node::synthetic(Value::Map(entries))
}

/// Whether a node is an empty list of attribute sets, which a character may have and a template may not.
fn is_empty_list(node: &Node) -> bool {
    matches!(&node.value, Value::List(items) if items.is_empty())
}

/// Converts a tree to JSON. Whole numbers that a 64-bit float holds exactly are written as integers.
fn json(node: &Node) -> Json {
    /// 2^53: beyond this, not every whole number is exact in a 64-bit float.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match &node.value {
        Value::Null => Json::Null,
        Value::Bool(value) => Json::Bool(*value),
        // Other tools distinguish whole numbers by their spelling.
        Value::Number(number)
            if number.fract() == 0.0 && number.abs() < EXACT && number.to_bits() != (-0.0f64).to_bits() =>
        {
            Json::from(*number as i64)
        }
        Value::Number(number) => Json::from(*number),
        Value::Text(text) => Json::from(text.as_str()),
        Value::List(items) => items.iter().map(json).collect(),
        Value::Map(entries) => {
            entries.iter().map(|entry| (entry.key.value.clone(), json(&entry.value))).collect()
        }
    }
}
