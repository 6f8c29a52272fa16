//! JSON Schemas (2020-12) of all formats, generated from the tables that the decoder uses.

use serde_json::{Map, Value, json};

use crate::decode::{Definitions, Field, METADATA};
use crate::model::inherit::{APPEND, EXTENDS};
use crate::model::{
    DocumentKind, ability, attribute, controller, effect, input, library, pack, scenario, scene, tag,
};

/// Adds a description to a field's schema.
pub(crate) fn described(mut schema: Value, about: &str) -> Value {
    schema["description"] = json!(about);
    schema
}

/// Keys that every record accepts: those of other tools, and the schema of the document.
const FREE_KEYS: &str = r"^(x-|\$schema$)";

/// Schema of a record. Unknown keys are not allowed, except those of other tools; metadata accepts any key.
pub(crate) fn record(title: &str, about: &str, properties: Map<String, Value>, required: Vec<&str>) -> Value {
    let mut schema =
        json!({ "type": "object", "title": title, "description": about, "properties": properties });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    if title != METADATA {
        schema["patternProperties"] = json!({ FREE_KEYS: {} });
        schema["additionalProperties"] = json!(false);
    }
    schema
}

/// Allows any other key in the record that a schema refers to, for records with user-defined names as keys.
pub(crate) fn open(reference: &Value, definitions: &mut Definitions) {
    if let Some(record) = referred(reference, definitions).and_then(Value::as_object_mut) {
        record.remove("additionalProperties");
    }
}

/// Definition that a `$ref` names; `None` if this is no reference to one.
fn referred<'d>(reference: &Value, definitions: &'d mut Definitions) -> Option<&'d mut Value> {
    definitions.get_mut(reference["$ref"].as_str()?.strip_prefix("#/$defs/")?)
}

/// Adds the keys of inheritance (D1) to the record of a document. A document that extends another one may
/// leave out every field but its name.
fn extendable(reference: &Value, definitions: &mut Definitions) {
    let Some(record) = referred(reference, definitions) else { return };
    record["properties"][EXTENDS] = json!({ "type": "string", "minLength": 1, "description": "Name of the document that this one inherits from." });
    record["properties"][APPEND] = json!({
        "type": "object",
        "description": "Items added to the end of lists, by field; nested lists are reached through nested mappings.",
        "additionalProperties": { "type": ["array", "object"] },
    });
    let Some(required) = record.as_object_mut().and_then(|record| record.remove("required")) else { return };
    let is_name = |field: &&Value| field.as_str() == Some("Name");
    let (own, inherited): (Vec<&Value>, Vec<&Value>) =
        required.as_array().into_iter().flatten().partition(is_name);
    record["required"] = json!(own);
    record["if"] = json!({ "not": { "required": [EXTENDS] } });
    record["then"] = json!({ "required": inherited });
}

/// Names of the documents that have a schema.
pub fn names() -> impl Iterator<Item = &'static str> {
    DocumentKind::ALL.into_iter().map(DocumentKind::name)
}

/// The JSON Schema of a kind of document, by its name. `None` if there is no such kind.
pub fn json_schema(name: &str) -> Option<Value> {
    let mut definitions = Definitions::new();
    let kind = DocumentKind::from_name(name)?;
    let root = match kind {
        DocumentKind::Attribute => attribute::AttributeDoc::schema(&mut definitions),
        DocumentKind::AttributeSet => attribute::AttributeSetDoc::schema(&mut definitions),
        DocumentKind::Effect => effect::EffectDoc::schema(&mut definitions),
        DocumentKind::Ability => ability::AbilityDoc::schema(&mut definitions),
        DocumentKind::Tags => tag::TagRegistryDoc::schema(&mut definitions),
        DocumentKind::Controller => controller::ControllerDoc::schema(&mut definitions),
        DocumentKind::InputAction => input::InputActionDoc::schema(&mut definitions),
        DocumentKind::InputActionSet => input::InputActionSetDoc::schema(&mut definitions),
        DocumentKind::InputMapping => {
            let new = input::InputMappingDoc::schema(&mut definitions);
            json!({ "anyOf": [new, input::OldInputMappingDoc::schema(&mut definitions)] })
        }
        DocumentKind::InputModifier => input::InputModifierDoc::schema(&mut definitions),
        DocumentKind::Scene => scene::SceneDoc::schema(&mut definitions),
        DocumentKind::Pack => pack::PackDoc::schema(&mut definitions),
        DocumentKind::Curves
        | DocumentKind::Calculations
        | DocumentKind::AbilitySets
        | DocumentKind::EffectContainers => library::LibraryDoc::schema(&mut definitions),
        DocumentKind::Scenario => scenario::ScenarioDoc::schema(&mut definitions),
    };
    match kind {
        DocumentKind::InputMapping => {
            let forms = root["anyOf"].as_array().cloned().unwrap_or_default();
            forms.iter().take(1).for_each(|form| extendable(form, &mut definitions));
        }
        // A pack of the public form is plain metadata.
        DocumentKind::Pack => open(&root, &mut definitions),
        kind if kind.is_extendable() => extendable(&root, &mut definitions),
        _ => {}
    }
    crate::check::describe_tasks(&mut definitions);
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": format!("{}/schemas/{name}.json", env!("CARGO_PKG_REPOSITORY")),
    });
    if let Value::Object(root) = root {
        for (key, value) in root {
            schema[key] = value;
        }
    }
    schema["$defs"] = Value::Object(definitions);
    Some(schema)
}
