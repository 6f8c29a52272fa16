//! Agreement with the official schemas and examples, if they are available beside the repository.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use ugas_data::model::DocumentKind;
use ugas_data::{Loader, Severity};

/// Folder of draft 1, if it exists.
fn reference() -> Option<PathBuf> {
    beside("ugas-1.0.0-draft.1")
}

/// Path of reference material beside the repository or in `UGAS_REFERENCE_ROOT`. It is not part of the
/// repository: without it these tests are skipped with a message.
pub(crate) fn beside(name: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let roots = [Some(root), std::env::var_os("UGAS_REFERENCE_ROOT").map(PathBuf::from)];
    let mut paths = roots.into_iter().flatten().map(|root| root.join("shared/reference").join(name));
    let found = paths.find(|path| path.exists());
    if found.is_none() {
        eprintln!("skipped: {name} does not lie beside the repository");
    }
    found
}

#[test]
fn official_examples_load_one_by_one_and_together() {
    let Some(folder) = reference() else { return };
    for entry in std::fs::read_dir(folder.join("examples")).unwrap() {
        let path = entry.unwrap().path();
        let pack = Loader::new().path(&path).load().unwrap_or_else(|error| panic!("{error}"));
        assert!(pack.diagnostics.iter().all(|found| found.severity != Severity::Error));
    }
}

/// Documents, valid and invalid, for which the loader and the official schemas must agree.
fn samples() -> Vec<(DocumentKind, Value)> {
    use DocumentKind::{Ability, Attribute, AttributeSet, Controller, Effect, Tags};
    vec![
        (Attribute, json!({ "Name": "A", "DefaultBaseValue": 1 })),
        (Attribute, json!({ "Name": "A" })),
        (Attribute, json!({ "Name": "A", "DefaultBaseValue": "float" })),
        (Attribute, json!({ "Name": "A", "DefaultBaseValue": 1, "Category": "Rare" })),
        (Attribute, json!({ "Name": "A", "DefaultBaseValue": 1, "Clamping": { "Min": 0, "Max": "B" } })),
        (Attribute, json!({ "Name": "A", "DefaultBaseValue": 1, "Clamping": { "Min": [] } })),
        (Attribute, json!({ "Name": "A", "DefaultBaseValue": 1, "Clamping": 3 })),
        (Attribute, json!({ "Name": "A", "DefaultBaseValue": 1, "ReplicationMode": "Some" })),
        (Attribute, json!({ "Name": 5, "DefaultBaseValue": 1 })),
        (Attribute, json!({ "Name": "A", "DefaultBaseValue": 1, "Evaluation": "All", "Other": [1] })),
        (AttributeSet, json!({ "Name": "S", "Attributes": [] })),
        (AttributeSet, json!({ "Name": "S" })),
        (AttributeSet, json!({ "Name": "S", "Attributes": {} })),
        (AttributeSet, json!({ "Name": "S", "Attributes": [ { "Name": "A" } ] })),
        (AttributeSet, json!({ "Name": "S", "Attributes": [], "Dependencies": [1] })),
        (Effect, json!({ "Name": "E", "DurationPolicy": "Infinite" })),
        (Effect, json!({ "Name": "E", "DurationPolicy": "Forever" })),
        (Effect, json!({ "Name": "E" })),
        (Effect, json!({ "DurationPolicy": "Infinite" })),
        (Effect, json!({ "Name": "E", "DurationPolicy": "Infinite", "Priority": 1.5 })),
        (Effect, json!({ "Name": "E", "DurationPolicy": "Infinite", "Priority": -3 })),
        (Effect, json!({ "Name": "E", "DurationPolicy": "Infinite", "Modifiers": [ { "Attribute": "A" } ] })),
        (
            Effect,
            json!({ "Name": "E", "DurationPolicy": "Infinite", "Modifiers": [ { "Attribute": "A", "Operation": "Add", "Magnitude": { "Type": "ScalableFloat", "Value": 1 } } ] }),
        ),
        (
            Effect,
            json!({ "Name": "E", "DurationPolicy": "Infinite", "Modifiers": [ { "Attribute": "A", "Operation": "Add", "Magnitude": 1 } ] }),
        ),
        (
            Effect,
            json!({ "Name": "E", "DurationPolicy": "Infinite", "Modifiers": [ { "Attribute": "A", "Operation": "Divide", "Magnitude": { "Type": "ScalableFloat", "Value": 1 } } ] }),
        ),
        (Effect, json!({ "Name": "E", "DurationPolicy": "Infinite", "ExecutionPolicy": "Once" })),
        (Effect, json!({ "Name": "E", "DurationPolicy": "Infinite", "GrantedTags": "A" })),
        (Effect, json!({ "Name": "E", "DurationPolicy": "Infinite", "GrantedTags": null })),
        (
            Effect,
            json!({ "Name": "E", "DurationPolicy": "Infinite", "Stacking": { "Type": "AggregateByTarget" } }),
        ),
        (Ability, json!({ "Name": "G" })),
        (Ability, json!({})),
        (Ability, json!({ "Name": "G", "Tags": [] })),
        (
            Ability,
            json!({ "Name": "G", "Tags": { "AbilityTags": ["Ability.A"] }, "Tasks": [ { "Type": "Commit" } ] }),
        ),
        (Ability, json!({ "Name": "G", "Tasks": [ {} ] })),
        (Ability, json!({ "Name": "G", "Cost": 3 })),
        (Tags, json!({ "Tags": [ { "Tag": "State.A" } ] })),
        (Tags, json!({ "Tags": [ { "Description": "x" } ] })),
        (Tags, json!({ "Tags": [ { "Tag": "state" } ] })),
        (Tags, json!({ "Tags": [ { "Tag": "State.A", "AllowMultiple": "yes" } ] })),
        (Controller, json!({ "OwnerActor": {}, "AttributeSets": [ { "Name": "S" } ] })),
        (Controller, json!({ "OwnerActor": {}, "AttributeSets": [] })),
        (Controller, json!({ "AttributeSets": [ { "Name": "S" } ] })),
        (
            Controller,
            json!({ "OwnerActor": {}, "AttributeSets": [ { "Name": "S" } ], "GrantedAbilities": [ { "Level": 1 } ] }),
        ),
        (
            Controller,
            json!({ "OwnerActor": {}, "AttributeSets": [ { "Name": "S" } ], "GrantedAbilities": [ { "AbilityClass": "G", "Level": 0 } ] }),
        ),
        (
            Controller,
            json!({ "OwnerActor": {}, "AttributeSets": [ { "Name": "S" } ], "ActiveEffects": [ { "EffectClass": "E" } ] }),
        ),
        (
            Controller,
            json!({ "OwnerActor": {}, "AttributeSets": [ { "Name": "S" } ], "ReplicationMode": "Half" }),
        ),
    ]
}

/// Codes about the shape of single documents, which the official schemas check too.
const SHAPE: [&str; 7] = ["UG010", "UG011", "UG012", "UG014", "UG015", "UG017", "UG040"];

#[test]
fn loader_agrees_with_the_official_schemas() {
    let Some(folder) = reference() else { return };
    for (kind, mut sample) in samples() {
        let name = kind.name();
        let schema = std::fs::read_to_string(folder.join(format!("schemas/{name}.json"))).unwrap();
        let schema: Value = serde_json::from_str(&schema).unwrap();
        let official = jsonschema::validator_for(&schema).unwrap().is_valid(&sample);
        sample["$schema"] = json!(format!("x/schemas/{name}.json"));
        let report = Loader::new().text("sample.json", sample.to_string()).as_single_file().check();
        let ours = !report
            .diagnostics
            .iter()
            .any(|found| found.severity == Severity::Error && SHAPE.contains(&found.code));
        assert_eq!(ours, official, "{sample}\n{report}");
    }
}

#[test]
fn own_schemas_agree_with_the_loader() {
    for (kind, mut sample) in samples() {
        let schema = ugas_data::schema::json_schema(kind.name()).unwrap();
        let by_schema = jsonschema::validator_for(&schema).unwrap().is_valid(&sample);
        sample["$schema"] = json!(format!("x/schemas/{}.json", kind.name()));
        let report = Loader::new().text("sample.json", sample.to_string()).as_single_file().check();
        let ours = !report.diagnostics.iter().any(|found| {
            found.severity == Severity::Error && (SHAPE.contains(&found.code) || found.code == "UG013")
        });
        assert_eq!(by_schema, ours || sample["Tags"][0]["Tag"] == "state", "{sample}\n{report}");
    }
}

/// Errors that only the loader reports, for documents without meaning: an execution or a grant without a
/// name, a set of a controller without its name, a period without its length, a level below 1.
fn is_meaningless(found: &ugas_data::Diagnostic) -> bool {
    let names_nothing = ["`CalculatorClass`", "`AbilityClass`", "`EffectClass`", "no `Period`", "no `Name`"];
    match found.code {
        "UG010" => names_nothing.iter().any(|field| found.message.contains(field)),
        "UG015" => found.message.contains("a whole number from 1"),
        _ => false,
    }
}

#[test]
fn documents_that_the_official_schemas_accept_load() {
    let Some(folder) = reference() else { return };
    let mut random = Random(7);
    for entry in std::fs::read_dir(folder.join("schemas")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let schema: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let mut accepted = 0;
        for _ in 0..500 {
            let mut sample = generate(&schema, &schema, &mut random);
            if !validator.is_valid(&sample) {
                continue;
            }
            accepted += 1;
            sample["$schema"] = json!(format!("x/schemas/{name}.json"));
            let report = Loader::new().text("sample.json", sample.to_string()).as_single_file().check();
            let refused = report.diagnostics.iter().find(|found| {
                found.severity == Severity::Error && SHAPE.contains(&found.code) && !is_meaningless(found)
            });
            assert!(refused.is_none(), "{sample:#}\n{refused:?}");
            // A key of a public schema is never unknown (D2).
            let mut unknown = report.diagnostics.iter().filter(|found| found.code == "UG013");
            let foreign = |found: &ugas_data::Diagnostic| {
                ["`OfAnotherTool`", "`Anything`"].iter().any(|key| found.message.contains(key))
            };
            assert!(unknown.all(foreign), "{sample:#}\n{report}");
        }
        assert!(accepted > 300, "{name}: only {accepted} samples are valid");
    }
}

/// Small deterministic random number generator.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % bound.max(1)
    }
}

/// Generates a value that a schema accepts, with some of its optional fields and sometimes a field of another
/// tool.
fn generate(schema: &Value, root: &Value, random: &mut Random) -> Value {
    if let Some(reference) = schema["$ref"].as_str() {
        let path = reference.trim_start_matches('#');
        return generate(root.pointer(path).unwrap(), root, random);
    }
    for key in ["oneOf", "anyOf"] {
        if let Some(options) = schema[key].as_array() {
            return generate(&options[random.below(options.len())], root, random);
        }
    }
    if let Some(values) = schema["enum"].as_array() {
        return values[random.below(values.len())].clone();
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds[random.below(kinds.len())].as_str(),
        kind => kind.as_str(),
    };
    match kind.unwrap_or("object") {
        "string" => json!(["State.Alpha", "Beta", "Ability.Gamma.One"][random.below(3)]),
        "number" => json!((random.below(2000) as f64 / 4.0).max(schema["minimum"].as_f64().unwrap_or(0.0))),
        "integer" => json!(random.below(6) as i64 + schema["minimum"].as_i64().unwrap_or(0)),
        "boolean" => json!(random.below(2) == 0),
        "null" => Value::Null,
        "array" => {
            let least = schema["minItems"].as_u64().unwrap_or(0) as usize;
            (0..least + random.below(3)).map(|_| generate(&schema["items"], root, random)).collect()
        }
        _ => {
            let mut object = serde_json::Map::new();
            let required = schema["required"].as_array().cloned().unwrap_or_default();
            for (name, field) in schema["properties"].as_object().into_iter().flatten() {
                if required.iter().any(|required| required == name) || random.below(2) == 0 {
                    object.insert(name.clone(), generate(field, root, random));
                }
            }
            if random.below(8) == 0 {
                object.insert("OfAnotherTool".to_owned(), json!({ "Anything": [1, "two"] }));
            }
            Value::Object(object)
        }
    }
}
