//! The official schemas and examples, where they lie beside the repository.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use ugas_data::model::DocumentKind;
use ugas_data::{Loader, Severity};

/// The folder of draft 1, if it is there.
fn reference() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let roots = [Some(root), std::env::var_os("UGAS_REFERENCE_ROOT").map(PathBuf::from)];
    let folders = roots.into_iter().flatten().map(|root| root.join("shared/reference/ugas-1.0.0-draft.1"));
    folders.into_iter().find(|folder| folder.is_dir())
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

/// Documents with what our loader thinks of the shape of each: the official schemas must think the same.
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

/// Errors about the shape of single documents, which is what the official schemas judge.
const SHAPE: [&str; 7] = ["UG010", "UG011", "UG012", "UG014", "UG015", "UG017", "UG040"];

#[test]
fn our_verdicts_agree_with_the_official_schemas() {
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
fn our_schemas_agree_with_our_loader() {
    for (kind, mut sample) in samples() {
        let schema = ugas_data::schema::json_schema(kind.name()).unwrap();
        let by_schema = jsonschema::validator_for(&schema).unwrap().is_valid(&sample);
        sample["$schema"] = json!(format!("x/schemas/{}.json", kind.name()));
        let report = Loader::new().text("sample.json", sample.to_string()).as_single_file().check();
        let ours = !report
            .diagnostics
            .iter()
            .any(|found| found.severity == Severity::Error && SHAPE.contains(&found.code));
        assert_eq!(by_schema, ours || sample["Tags"][0]["Tag"] == "state", "{sample}\n{report}");
    }
}
