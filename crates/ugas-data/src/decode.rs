//! From a tree to records, by tables of fields.
//!
//! A record is declared once with [`record!`](crate::decode): its fields, which of them are required, their types and
//! what they are for. The declaration gives the Rust struct, the decoder (which reports every problem), the JSON
//! Schema, the canonical writer and the walk over references.

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
pub use list::{AtLeastOne, List, NamedMap, Vector};
pub(crate) use macros::{choice, record, reference};

/// A value that files have.
pub trait Field: Sized {
    /// Reads it; what is wrong is reported, and `None` means that there is nothing to go on with.
    fn decode(node: &Node, sink: &mut Sink) -> Option<Self>;

    /// The same value as a tree.
    fn encode(&self) -> Value;

    /// Its JSON Schema; records go into `definitions` once.
    fn schema(definitions: &mut Definitions) -> Json;

    /// Shows every reference and expression in it to a visitor.
    fn visit<'a>(&'a self, visitor: &mut dyn Visitor<'a>) {
        let _ = visitor;
    }
}

/// Schemas of records by name: the `$defs` of a JSON Schema.
pub type Definitions = Map<String, Json>;

/// Meets the names and expressions of a document.
pub trait Visitor<'a> {
    /// A name that refers to something.
    fn reference(&mut self, kind: ReferenceKind, name: &'a Spanned<String>);

    /// An expression.
    fn expression(&mut self, formula: &'a Formula) {
        let _ = formula;
    }
}

/// What a name refers to.
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
    /// A tag, in the role that decides which reserved prefixes fit.
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

/// What a tag is used for (§7.1).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum TagRole {
    /// Asked for, in a requirement or query.
    Asked,
    /// Given to a controller.
    Granted,
    /// Describes an ability.
    Ability,
    /// Triggers a cue.
    Cue,
    /// The key of a number that a caller sets.
    Data,
}

/// Whether a key belongs to another tool wherever it stands: such keys are kept and never reported.
pub(crate) fn is_free_key(key: &str) -> bool {
    key.starts_with("x-")
}

/// The title of the record whose keys are free.
pub(crate) const METADATA: &str = "metadata";

/// Whether a key that a record does not know is kept without a report: one of another tool, or any key of metadata.
pub(crate) fn is_free(record: &str, key: &str) -> bool {
    record == METADATA || is_free_key(key)
}

/// Adds a key to a tree that is written.
pub(crate) fn push_entry(entries: &mut Vec<crate::node::Entry>, key: &str, value: Value) {
    let key = Spanned { value: key.to_owned(), ..Spanned::default() };
    entries.push(crate::node::Entry { key, value: Node::synthetic(value) });
}

/// The text of a name; numbers and truth values are names too if they are written so.
pub(crate) fn name_text(node: &Node, title: &str, sink: &mut Sink) -> Option<Spanned<String>> {
    let Text(name) = leaf::text(node, title, sink)?;
    if name.value.is_empty() {
        sink.push(crate::diagnostics::codes::ug034::empty_name(node.span));
        return None;
    }
    Some(name)
}
