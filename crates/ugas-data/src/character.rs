//! Characters as files: YAML and JSON in the specification's form of a gameplay controller (§4, and §14 of the later
//! drafts).
//!
//! What the form has a place for stands there, so that other tools can read it; the rest is in `Saved` blocks of our own.
//! Files of both drafts are read, those that other tools wrote included: what they do not say is what the rules here say
//! ([`ugas_core::character`], P4, P6). A character that is written and read again is the same, as long as its numbers
//! are finite and its times are shorter than 70 years. One without attribute sets is written as an empty list, which is
//! read here although the specification's schema wants at least one.
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

/// The character as YAML.
pub fn to_yaml(character: &Character) -> String {
    node::to_yaml(&tree(character))
}

/// The character as JSON.
pub fn to_json(character: &Character) -> String {
    let mut text = serde_json::to_string_pretty(&json(&tree(character))).unwrap_or_default();
    text.push('\n');
    text
}

/// The character in a text, as if it were a file of this name; a name that ends in `.json` makes it JSON. Of several
/// documents, the first that is a gameplay controller.
///
/// # Errors
/// Everything that is wrong with it, with its place. Names are not looked at: what they mean is seen when the character
/// is restored (P1).
pub fn from_text(name: impl Into<PathBuf>, text: impl Into<String>) -> Result<Character, LoadError> {
    let (mut map, mut sink, limits) = (SourceMap::new(), Sink::default(), Limits::default());
    let file = map.add(name, text.into());
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
                sink.push(codes::ug008::no_character(Span::start_of(file)));
            }
            None
        }
    };
    match character.filter(|_| sink.errors() == 0) {
        Some(character) => Ok(character),
        None => Err(LoadError { report: Report::new(map, sink, &Default::default()) }),
    }
}

/// The character of a document that stands inside another one, or what is wrong with it.
pub(crate) fn of_document(doc: &ControllerDoc) -> Result<Character, String> {
    let mut sink = Sink::default();
    let character = read::character(doc, &mut sink);
    match sink.into_diagnostics().into_iter().next() {
        Some(wrong) => Err(wrong.message),
        None => Ok(character),
    }
}

/// The document, with the address that says what it is.
fn tree(character: &Character) -> Node {
    let mut entries = Vec::new();
    push_entry(&mut entries, "$schema", Value::Text(DocumentKind::Controller.schema_address()));
    if let Value::Map(fields) = write::document(character).encode() {
        entries.extend(fields);
    }
    Node::synthetic(Value::Map(entries))
}

/// What a template may not have, and a character may: somebody without attributes can be saved, too.
fn is_empty_list(node: &Node) -> bool {
    matches!(&node.value, Value::List(items) if items.is_empty())
}

fn json(node: &Node) -> Json {
    /// Beyond this, not every whole number is a number of a file.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match &node.value {
        Value::Null => Json::Null,
        Value::Bool(value) => Json::Bool(*value),
        // Other tools tell whole numbers from others by how they are written.
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
