//! Decoder from trees to records, driven by tables of fields.
//!
//! A record is declared once with [`record!`](crate::decode): its fields with their types and descriptions,
//! and which of them are required. The declaration generates the Rust struct, the decoder (which reports
//! every problem), the JSON Schema, the canonical writer and the walk over references.

mod choice;
mod leaf;
mod list;
mod macros;

use serde_json::{Map, Value as Json};

use crate::diagnostics::Sink;
use crate::node::{Node, Value};
use crate::source::Spanned;

pub use choice::{Choice, Word};
pub use leaf::{
    ActorNumber, ActorText, Flag, Formula, Hex, Integer, Label, NonNegative, Number, ParameterValue,
    PlainValue, Raw, Text, Unit,
};
pub use list::{AtLeastOne, List, NamedMap, OneOrMany, Vector};
pub(crate) use macros::{choice, record, reference};

/// Value that can be decoded from a file.
pub trait Field: Sized {
    /// Decodes the value. Problems are reported; `None` means that no value could be decoded.
    fn decode(node: &Node, sink: &mut Sink) -> Option<Self>;

    /// Encodes the value as a tree that decodes to the same value; spans are lost.
    fn encode(&self) -> Value;

    /// JSON Schema of the type; records are added to `definitions` once.
    fn schema(definitions: &mut Definitions) -> Json;

    /// Passes every reference and expression in the value to a visitor.
    fn visit<'a>(&'a self, visitor: &mut dyn Visitor<'a>) {
        let _ = visitor;
    }
}

/// Schemas of records by name: the `$defs` of a JSON Schema.
pub type Definitions = Map<String, Json>;

/// Visitor of the references and expressions of a document.
pub trait Visitor<'a> {
    /// Visits a name that refers to a definition, or a tag. Called for each occurrence, in the order of the
    /// fields.
    fn reference(&mut self, kind: ReferenceKind, name: &'a Spanned<String>);

    /// Visits an expression, whose text may name attributes, tags and curves. Nothing by default.
    fn expression(&mut self, formula: &'a Formula) {
        let _ = formula;
    }
}

/// Kind of the definition that a name refers to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ReferenceKind {
    /// An attribute.
    Attribute,
    /// An attribute set.
    AttributeSet,
    /// An effect.
    Effect,
    /// An ability.
    Ability,
    /// A tag; its role determines which reserved prefixes are allowed.
    Tag(TagRole),
    /// A curve.
    Curve,
    /// A calculation.
    Calculation,
    /// An input action, or an input id of draft 1.
    InputAction,
    /// An input action set.
    ActionSet,
    /// An input modifier.
    InputModifier,
    /// A scene.
    Scene,
    /// A controller template.
    Template,
    /// A controller template that a task spawns (A17).
    SpawnedTemplate,
    /// An effect container.
    Container,
}

/// Use of a tag (§7.1).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum TagRole {
    /// Matched by a requirement or a query.
    Asked,
    /// Granted to a controller.
    Granted,
    /// Describes an ability.
    Ability,
    /// Triggers a cue.
    Cue,
    /// Key of a SetByCaller number.
    Data,
}

/// Whether a key belongs to another tool (`x-`). Such keys are kept in every record and never reported.
pub(crate) fn is_free_key(key: &str) -> bool {
    key.starts_with("x-")
}

/// Title of the record that accepts any key.
pub(crate) const METADATA: &str = "metadata";

/// Whether an unknown key of a record is kept without a report: a key of another tool, or any key of
/// metadata.
pub(crate) fn is_free(record: &str, key: &str) -> bool {
    record == METADATA || is_free_key(key)
}

/// Appends a key to the entries of an encoded mapping.
pub(crate) fn push_entry(entries: &mut Vec<crate::node::Entry>, key: &str, value: Value) {
    let key = Spanned { value: key.to_owned(), ..Spanned::default() };
    entries.push(crate::node::Entry { key, value: Node::synthetic(value) });
}

/// Text of a name. Values of other types, placeholders and empty texts are reported, and the result is then
/// `None`. `title` describes the name in the message.
pub(crate) fn name_text(node: &Node, title: &str, sink: &mut Sink) -> Option<Spanned<String>> {
    let Text(name) = leaf::text(node, title, sink)?;
    if name.value.is_empty() {
        sink.push(crate::diagnostics::codes::naming::empty_name(node.span));
        return None;
    }
    Some(name)
}
