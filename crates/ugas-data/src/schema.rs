//! JSON Schemas (2020-12) of all formats, generated from the tables that the loader reads with.

use serde_json::{Map, Value, json};

use crate::decode::{Definitions, Field};
use crate::model::{
    DocumentKind, ability, attribute, controller, effect, input, library, pack, scenario, scene, tag,
};

/// Adds a description to a field's schema.
pub(crate) fn described(mut schema: Value, about: &str) -> Value {
    schema["description"] = json!(about);
    schema
}

/// The schema of a record. It is open: fields of other tools are allowed, as in the official schemas.
pub(crate) fn record(title: &str, about: &str, properties: Map<String, Value>, required: Vec<&str>) -> Value {
    let mut schema =
        json!({ "type": "object", "title": title, "description": about, "properties": properties });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// Names of the documents that have a schema.
pub fn names() -> impl Iterator<Item = &'static str> {
    DocumentKind::ALL.into_iter().map(DocumentKind::name)
}

/// The JSON Schema of a kind of document, by its name.
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
