//! Detection of the kind of a document: by the end of its `$schema`, else by its keys.

use ugas_core::nearest::nearest;

use super::{Document, DocumentKind, Model};
use crate::decode::{Field, is_free_key};
use crate::diagnostics::{Sink, codes};
use crate::node::{Node, Value};
use crate::source::{FileId, SourceMap, Spanned};

/// A document of a known or inheritable kind, before it is decoded.
pub(crate) struct Outline {
    /// The kind; `None` for a document that only the document it extends can identify.
    pub(crate) kind: Option<DocumentKind>,
    pub(crate) file: FileId,
    pub(crate) schema: Option<Spanned<String>>,
    /// The mapping that defines it, without a wrapper such as `Ability:`.
    pub(crate) node: Node,
}

impl Outline {
    /// Decodes the document as this kind; problems are reported. It is clean if there was no error except
    /// unknown fields.
    pub(crate) fn decode(self, kind: DocumentKind, sink: &mut Sink) -> Document {
        let before = sink.blocking_errors();
        let model = decode(kind, &self.node, sink);
        let is_clean = sink.blocking_errors() == before;
        Document { kind, file: self.file, schema: self.schema, node: self.node, model, is_clean }
    }
}

/// Identifies and decodes a document without inheritance. `None` for an empty document or a JSON Schema, and
/// for an unknown kind, which is reported.
pub(crate) fn recognise(map: &SourceMap, file: FileId, node: Node, sink: &mut Sink) -> Option<Document> {
    let outline = outline(map, file, node, sink)?;
    match outline.kind {
        Some(kind) => Some(outline.decode(kind, sink)),
        None => {
            report_unknown(&outline.node, sink);
            None
        }
    }
}

/// Identifies a document without decoding it. `None` for an empty document or a JSON Schema, and for an
/// unknown kind, which is reported. A document that only its parent can identify has no kind yet.
pub(crate) fn outline(map: &SourceMap, file: FileId, node: Node, sink: &mut Sink) -> Option<Outline> {
    if node.value == Value::Null {
        return None;
    }
    let schema = match node.get("$schema") {
        Some(schema) => match schema.text() {
            Some(text) => Some(Spanned { value: text.to_owned(), span: schema.span }),
            None => {
                sink.push(codes::format::schema_not_text(schema.span));
                return None;
            }
        },
        None => None,
    };
    if schema.as_ref().is_some_and(|schema| is_json_schema(schema, &node)) {
        return None;
    }
    let kind = match &schema {
        Some(schema) => Some(by_schema(schema, sink)?),
        None => match by_shape(map, file, &node) {
            Some(kind) => {
                report_missing_schema(kind, &node, sink);
                Some(kind)
            }
            None if node.get(super::inherit::EXTENDS).is_some() => None,
            None => {
                report_unknown(&node, sink);
                return None;
            }
        },
    };
    let node = match kind {
        Some(kind) => unwrap(kind, node),
        None => node,
    };
    Some(Outline { kind, file, schema, node })
}

/// Reports a document without `$schema` whose kind is known anyway. Kinds of this project need no `$schema`.
pub(super) fn report_missing_schema(kind: DocumentKind, node: &Node, sink: &mut Sink) {
    if kind.is_official() {
        sink.push(codes::format::missing_schema(node.head(), kind.name()));
    }
}

/// Reports a document whose kind neither `$schema` nor its fields tell.
pub(super) fn report_unknown(node: &Node, sink: &mut Sink) {
    sink.push(codes::format::unknown_document(node.head(), &kind_list()));
}

/// Whether a document is a scenario, by its `$schema` or else its keys, without decoding or reporting
/// anything.
pub(crate) fn is_scenario(map: &SourceMap, file: FileId, node: &Node) -> bool {
    match node.get("$schema") {
        Some(schema) => schema.text().is_some_and(|schema| schema.ends_with("schemas/scenario.json")),
        None => by_shape(map, file, node) == Some(DocumentKind::Scenario),
    }
}

/// Whether a document is a JSON Schema that lies beside the pack for editors, and not just claims to be one.
fn is_json_schema(schema: &Spanned<String>, node: &Node) -> bool {
    let words =
        ["$id", "$ref", "$defs", "definitions", "properties", "type", "allOf", "anyOf", "oneOf", "items"];
    schema.value.contains("json-schema.org/") && words.iter().any(|word| node.get(word).is_some())
}

/// Names of all kinds, for messages.
fn kind_list() -> String {
    DocumentKind::ALL.map(DocumentKind::name).join(", ")
}

/// Kind that a `$schema` names: the file name of an address below a folder `schemas`. An unknown one is
/// reported, and the result is then `None`.
fn by_schema(schema: &Spanned<String>, sink: &mut Sink) -> Option<DocumentKind> {
    let name = schema.value.rsplit_once('/').map_or(schema.value.as_str(), |(_, name)| name);
    let name = name.strip_suffix(".json").unwrap_or(name);
    let path = format!("/schemas/{name}.json");
    let in_folder = schema.value.ends_with(&path) || schema.value == path.trim_start_matches('/');
    let kind = DocumentKind::from_name(name).filter(|_| in_folder);
    if kind.is_none() {
        let nearest = nearest(name, DocumentKind::ALL.map(DocumentKind::name));
        sink.push(codes::format::unknown_schema(schema, nearest, &kind_list()));
    }
    kind
}

/// The wrapper keys as the specification prints them.
const WRAPPERS: [(&str, DocumentKind); 7] = [
    ("Attribute", DocumentKind::Attribute),
    ("AttributeSet", DocumentKind::AttributeSet),
    ("Ability", DocumentKind::Ability),
    ("GameplayAbility", DocumentKind::Ability),
    ("Effect", DocumentKind::Effect),
    ("GameplayEffect", DocumentKind::Effect),
    ("InputMapping", DocumentKind::InputMapping),
];

/// Mapping inside a wrapper such as `Ability:`, with the kind that the wrapper names. `None` if the document
/// has another content key beside it.
fn wrapper(node: &Node) -> Option<(&Node, DocumentKind)> {
    let is_content = |key: &str| key != "$schema" && !is_free_key(key);
    let mut entries = node.entries().iter().filter(|entry| is_content(&entry.key.value));
    let (Some(entry), None) = (entries.next(), entries.next()) else { return None };
    let (_, kind) = WRAPPERS.into_iter().find(|(key, _)| *key == entry.key.value)?;
    matches!(entry.value.value, Value::Map(_)).then_some((&entry.value, kind))
}

/// Removes the wrapper of a document, if it is of the same kind.
fn unwrap(kind: DocumentKind, node: Node) -> Node {
    match wrapper(&node) {
        Some((inner, wrapped)) if wrapped == kind => inner.clone(),
        _ => node,
    }
}

/// Kind that the keys of a document suggest; the first matching row wins. `None` if none matches.
fn by_shape(map: &SourceMap, file: FileId, node: &Node) -> Option<DocumentKind> {
    if let Some((_, kind)) = wrapper(node) {
        return Some(kind);
    }
    let stem = map.file(file).and_then(|file| file.path().file_stem()?.to_str());
    let has = |key: &str| node.get(key).is_some();
    let any = |keys: &[&str]| keys.iter().any(|key| has(key));
    let is_list = |key: &str| node.get(key).is_some_and(|value| matches!(value.value, Value::List(_)));
    let is_map = |key: &str| node.get(key).is_some_and(|value| matches!(value.value, Value::Map(_)));
    let kinds = [
        (any(&["Steps", "ExpectLoad"]), DocumentKind::Scenario),
        (has("Curves"), DocumentKind::Curves),
        (has("Calculations"), DocumentKind::Calculations),
        (has("AbilitySets"), DocumentKind::AbilitySets),
        (has("EffectContainers"), DocumentKind::EffectContainers),
        (has("Placements"), DocumentKind::Scene),
        (has("Bindings"), DocumentKind::InputMapping),
        (has("ValueType"), DocumentKind::InputAction),
        (is_list("Actions"), DocumentKind::InputActionSet),
        (has("OwnerActor"), DocumentKind::Controller),
        (has("DurationPolicy"), DocumentKind::Effect),
        (has("DefaultBaseValue"), DocumentKind::Attribute),
        (is_list("Attributes"), DocumentKind::AttributeSet),
        (is_list("Tags") && !has("Name"), DocumentKind::Tags),
        (has("Name") && has("Type") && is_map("Params"), DocumentKind::InputModifier),
        (any(&["Modifiers", "Executions", "GrantedTags", "GameplayCues"]), DocumentKind::Effect),
        (is_map("Tags") || any(&["Tasks", "Cost", "Cooldown", "Triggers"]), DocumentKind::Ability),
        (stem == Some("pack") || any(&["HostTasks", "NativeCalculations", "Globals"]), DocumentKind::Pack),
        // A scenario whose `Steps` are misspelt.
        (is_map("Controllers"), DocumentKind::Scenario),
    ];
    kinds.into_iter().find(|(holds, _)| *holds).map(|(_, kind)| kind)
}

/// Decodes a mapping as the record of a kind; `Unreadable` if it is not a mapping. An input mapping with
/// `Actions` is one of draft 1.
fn decode(kind: DocumentKind, node: &Node, sink: &mut Sink) -> Model {
    /// Decodes a record; `Unreadable` if it cannot be decoded at all.
    fn read<T: Field>(node: &Node, sink: &mut Sink, wrap: fn(T) -> Model) -> Model {
        T::decode(node, sink).map_or(Model::Unreadable, wrap)
    }
    match kind {
        DocumentKind::Attribute => read(node, sink, |doc| Model::Attribute(Box::new(doc))),
        DocumentKind::AttributeSet => read(node, sink, Model::AttributeSet),
        DocumentKind::Effect => read(node, sink, |doc| Model::Effect(Box::new(doc))),
        DocumentKind::Ability => read(node, sink, |doc| Model::Ability(Box::new(doc))),
        DocumentKind::Tags => read(node, sink, Model::Tags),
        DocumentKind::Controller => read(node, sink, |doc| Model::Controller(Box::new(doc))),
        DocumentKind::InputAction => read(node, sink, Model::InputAction),
        DocumentKind::InputActionSet => read(node, sink, Model::InputActionSet),
        DocumentKind::InputMapping if node.get("Actions").is_some() => {
            read(node, sink, Model::OldInputMapping)
        }
        DocumentKind::InputMapping => read(node, sink, Model::InputMapping),
        DocumentKind::InputModifier => read(node, sink, |doc| Model::InputModifier(Box::new(doc))),
        DocumentKind::Scene => read(node, sink, Model::Scene),
        DocumentKind::Pack => Model::Pack(super::pack::PackDoc::of(node, sink)),
        DocumentKind::Curves
        | DocumentKind::Calculations
        | DocumentKind::AbilitySets
        | DocumentKind::EffectContainers => read(node, sink, Model::Library),
        DocumentKind::Scenario => read(node, sink, |doc| Model::Scenario(Box::new(doc))),
    }
}

#[cfg(test)]
mod tests {
    use crate::Loader;

    #[track_caller]
    fn check(schema: &str, rest: &str, expected: &[&str]) {
        let report = Loader::new().text("a.yaml", format!("$schema: {schema}\n{rest}")).check();
        let found: Vec<&str> = report.diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
        assert_eq!(found, expected, "{schema}: {report}");
    }

    #[test]
    fn a_schema_is_known_by_its_end() {
        let attribute = "Name: A\nDefaultBaseValue: 1\n";
        check("https://ugas.jbltx.com/v1.0.0-draft.9/schemas/attribute.json", attribute, &[]);
        check("https://example.org/%%UGAS_VERSION%%/schemas/attribute.json", attribute, &[]);
        check("../schemas/attribute.json", attribute, &[]);
        check("schemas/attribute.json", attribute, &[]);
        check("https://example.org/myschemas/attribute.json", attribute, &["UG009"]);
        check("https://example.org/schemas/atribute.json", attribute, &["UG009"]);
    }

    #[test]
    fn json_schemas_are_passed_over_but_not_what_claims_to_be_one() {
        let dialect = "https://json-schema.org/draft/2020-12/schema";
        check(dialect, "type: object\n", &[]);
        check(dialect, "Name: A\nDefaultBaseValue: 1\n", &["UG009"]);
    }
}
