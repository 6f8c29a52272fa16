//! JSON Schemas: valid, complete, and consistent with the loader.

use serde_json::Value;
use ugas_data::schema;

#[test]
fn every_schema_is_valid_and_described() {
    for name in schema::names() {
        let schema = schema::json_schema(name).unwrap();
        assert!(jsonschema::meta::is_valid(&schema), "{name}");
        assert!(jsonschema::validator_for(&schema).is_ok(), "{name}");
        for (record, definition) in schema["$defs"].as_object().unwrap() {
            assert!(!definition.is_null(), "{name}/{record} was never filled in");
            let properties = definition["properties"].as_object().unwrap();
            for (field, schema) in properties {
                let about = schema["description"].as_str().unwrap_or_default();
                assert!(!about.is_empty(), "{name}/{record}/{field} has no description");
            }
        }
    }
    assert_eq!(schema::json_schema("gameplay_efect"), None);
}

#[test]
fn packs_that_load_are_valid_by_the_schemas() {
    let pack = super::spec::load(super::spec::SPEC_PACK);
    let abilities = super::spec::load(include_str!("../fixtures/abilities.yaml"));
    for document in pack.documents.iter().chain(&abilities.documents) {
        let schema = schema::json_schema(document.kind.name()).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let value = to_json(&document.node);
        let errors: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{}: {errors:?}", document.kind.name());
    }
}

#[test]
fn misspelt_step_is_invalid_by_the_schema() {
    let schema = schema::json_schema("scenario").unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let scenario = |step: Value| serde_json::json!({ "Name": "tale", "Steps": [step] });
    assert!(validator.is_valid(&scenario(serde_json::json!({ "Advance": 1 }))));
    assert!(!validator.is_valid(&scenario(serde_json::json!({ "Advnace": 1 }))));
}

#[test]
fn task_without_a_required_parameter_is_invalid() {
    let validator = jsonschema::validator_for(&schema::json_schema("gameplay_ability").unwrap()).unwrap();
    let is_valid = |task: Value| validator.is_valid(&serde_json::json!({ "Name": "G", "Tasks": [task] }));
    assert!(is_valid(serde_json::json!({ "Type": "WaitDelay", "Params": { "Duration": "Level * 2" } })));
    assert!(!is_valid(serde_json::json!({ "Type": "WaitDelay" })));
    assert!(!is_valid(serde_json::json!({ "Type": "WaitDelay", "Params": { "Duration": true } })));
    assert!(is_valid(serde_json::json!({ "Type": "WaitTagAdded", "Params": { "WaitTag": "State.A" } })));
    assert!(!is_valid(serde_json::json!({ "Type": "WaitTagAdded", "Params": {} })));
    assert!(is_valid(serde_json::json!({ "Type": "Dance", "Params": { "Anything": [1] } })));
    let nested = |task| serde_json::json!({ "Type": "Race", "Params": { "Branches": [[task]] } });
    assert!(!is_valid(nested(serde_json::json!({ "Type": "WaitDelay" }))));
}

fn to_json(node: &ugas_data::node::Node) -> Value {
    use ugas_data::node::Value as Tree;
    match &node.value {
        Tree::Null => Value::Null,
        Tree::Bool(value) => (*value).into(),
        // A whole number is an integer in JSON Schema, however it is written.
        Tree::Number(number) if number.fract() == 0.0 => (*number as i64).into(),
        Tree::Number(number) => (*number).into(),
        Tree::Text(text) => text.as_str().into(),
        Tree::List(items) => items.iter().map(to_json).collect(),
        Tree::Map(entries) => {
            entries.iter().map(|entry| (entry.key.value.clone(), to_json(&entry.value))).collect()
        }
    }
}

#[test]
fn every_conformance_scenario_is_valid_by_the_schema() {
    let schema = schema::json_schema("scenario").unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let mut count = 0;
    for path in super::shipped::yaml_files(&super::shipped::root().join("conformance")) {
        let mut map = ugas_data::SourceMap::new();
        let file = map.add(&path, std::fs::read_to_string(&path).unwrap());
        let mut sink = ugas_data::diagnostics::Sink::default();
        for node in ugas_data::node::parse(&map, file, &ugas_data::Limits::default(), &mut sink) {
            if node.get("Steps").is_none() {
                continue;
            }
            count += 1;
            let value = to_json(&node);
            let errors: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{}: {}: {errors:?}", path.display(), value["Name"]);
        }
    }
    assert!(count > 300, "{count}");
}
