//! Inheritance between documents (D1): `Extends`, `Append` and YAML merge keys.

use ugas_core::simulation::{Config, Simulation};
use ugas_data::{Limits, Loader, Pack, Severity};

const SET: &str = "$schema: x/schemas/attribute_set.json\nName: Combat\nAttributes: [ { Name: Health, DefaultBaseValue: 100 } ]\n";
const BASE: &str = "\
$schema: x/schemas/gameplay_effect.json
Name: GE_Base
DurationPolicy: HasDuration
Duration: { Type: ScalableFloat, Value: 5 }
Priority: 3
GrantedTags: [State.Burning]
Modifiers: [ { Attribute: Health, Operation: Add, Magnitude: { Type: ScalableFloat, Value: -1 } } ]
";

#[track_caller]
fn load(files: &[(&str, &str)]) -> Pack {
    let loader = files.iter().fold(Loader::new(), |loader, (name, text)| loader.text(*name, *text));
    loader.load().unwrap_or_else(|error| panic!("{error}"))
}

/// Checks that the effects of two packs are equal.
#[track_caller]
fn check(child: &str, written_out: &str) {
    let by_parent = load(&[("child.yaml", child), ("set.yaml", SET), ("base.yaml", BASE)]);
    let by_hand = load(&[("child.yaml", written_out), ("set.yaml", SET), ("base.yaml", BASE)]);
    let definition = |pack: &Pack| {
        let id = pack.catalog.effect("GE_Child").unwrap();
        format!("{:#?}", pack.catalog.effect_by_id(id).unwrap().def())
    };
    assert_eq!(definition(&by_parent), definition(&by_hand));
    assert_eq!(by_parent.catalog.hash(), by_hand.catalog.hash());
}

#[test]
fn mappings_merge_and_scalars_and_lists_replace_across_files() {
    check(
        "$schema: x/schemas/gameplay_effect.json\nName: GE_Child\nExtends: GE_Base\nDuration: { Value: 8 }\nGrantedTags: [State.Frozen]\n",
        "$schema: x/schemas/gameplay_effect.json\nName: GE_Child\nDurationPolicy: HasDuration\nDuration: { Type: ScalableFloat, Value: 8 }\nPriority: 3\nGrantedTags: [State.Frozen]\nModifiers: [ { Attribute: Health, Operation: Add, Magnitude: { Type: ScalableFloat, Value: -1 } } ]\n",
    );
}

#[test]
fn append_adds_to_inherited_own_and_new_lists() {
    check(
        "$schema: x/schemas/gameplay_effect.json\nName: GE_Child\nExtends: GE_Base\nPriority: 4\nAppend:\n  GrantedTags: [State.Frozen]\n  AssetTags: [Damage.Fire]\n  Modifiers: [ { Attribute: Health, Operation: Multiply, Magnitude: { Type: ScalableFloat, Value: 0.5 } } ]\n",
        "$schema: x/schemas/gameplay_effect.json\nName: GE_Child\nDurationPolicy: HasDuration\nDuration: { Type: ScalableFloat, Value: 5 }\nPriority: 4\nGrantedTags: [State.Burning, State.Frozen]\nAssetTags: [Damage.Fire]\nModifiers:\n  - { Attribute: Health, Operation: Add, Magnitude: { Type: ScalableFloat, Value: -1 } }\n  - { Attribute: Health, Operation: Multiply, Magnitude: { Type: ScalableFloat, Value: 0.5 } }\n",
    );
}

#[test]
fn merge_keys_take_over_keys_and_the_first_mapping_wins() {
    let merged = "\
$schema: x/schemas/gameplay_effect.json
Name: GE_Child
DurationPolicy: Infinite
x-parts:
  - &add { Attribute: Health, Operation: Add, Magnitude: &one { Type: ScalableFloat, Value: -1 } }
  - &late { Operation: Override, EvaluationChannel: 1 }
Modifiers:
  - *add
  - { <<: *add, Magnitude: { <<: *one, Value: -2 } }
  - { <<: [ *late, *add ], EvaluationChannel: 2 }
";
    let by_hand = "\
$schema: x/schemas/gameplay_effect.json
Name: GE_Child
DurationPolicy: Infinite
Modifiers:
  - { Attribute: Health, Operation: Add, Magnitude: { Type: ScalableFloat, Value: -1 } }
  - { Attribute: Health, Operation: Add, Magnitude: { Type: ScalableFloat, Value: -2 } }
  - { Attribute: Health, Operation: Override, Magnitude: { Type: ScalableFloat, Value: -1 }, EvaluationChannel: 2 }
";
    check(merged, by_hand);
}

#[test]
fn canonical_output_is_written_out_and_loads_to_the_same_catalog() {
    let child = "$schema: x/schemas/gameplay_effect.json\nName: GE_Child\nExtends: GE_Base\nAppend: { GrantedTags: [State.Frozen] }\n";
    let pack = load(&[("child.yaml", child), ("set.yaml", SET), ("base.yaml", BASE)]);
    let written = pack.to_canonical_yaml();
    assert!(!written.contains("Extends") && !written.contains("Append"), "{written}");
    let again = load(&[("all.yaml", &written)]);
    assert_eq!(again.catalog.hash(), pack.catalog.hash());
    assert_eq!(again.to_canonical_yaml(), written);
}

#[test]
fn a_reload_of_the_parent_changes_the_child() {
    let child =
        "$schema: x/schemas/gameplay_effect.json\nName: GE_Child\nExtends: GE_Base\nGrantedTags: []\n";
    let catalog = load(&[("child.yaml", child), ("set.yaml", SET), ("base.yaml", BASE)]).catalog;
    let mut sim = Simulation::new(catalog, Config::default());
    let changed = BASE.replace("Priority: 3", "Priority: 4");
    let loader = Loader::new().text("child.yaml", child).text("set.yaml", SET).text("base.yaml", changed);
    let reloaded = loader.reload(&mut sim).unwrap();
    assert_eq!(reloaded.report.diff.to_string(), "effect `GE_Base` changed\neffect `GE_Child` changed\n");
}

#[test]
fn a_controller_has_a_name_of_its_own() {
    let wolf = "$schema: x/schemas/gameplay_controller.json\nOwnerActor: { ActorID: Wolf }\nAttributeSets: [ { Name: Combat, Attributes: [ { Name: Health, BaseValue: 30 } ] } ]\nOwnedTags: [Beast]\n";
    let alpha =
        "$schema: x/schemas/gameplay_controller.json\nExtends: Wolf\nAppend: { OwnedTags: [Leader] }\n";
    let pack = load(&[("wolf.yaml", wolf), ("alpha.yaml", alpha), ("set.yaml", SET)]);
    let template = pack.catalog.template("alpha").unwrap();
    let def = pack.catalog.template_def(template).unwrap();
    assert_eq!(def.base, [("Health".to_owned(), 30.0)]);
    assert_eq!(def.tags, ["Beast", "Leader"]);
}

#[test]
fn parent_determines_the_kind_of_a_document_without_schema() {
    let child = "Name: GE_Child\nExtends: GE_Middle\n---\nName: GE_Middle\nExtends: GE_Base\n";
    let pack = load(&[("child.yaml", child), ("set.yaml", SET), ("base.yaml", BASE)]);
    assert!(pack.catalog.effect("GE_Child").is_ok());
    let codes: Vec<_> =
        pack.diagnostics.iter().map(|found| found.code).filter(|code| *code == "UG007").collect();
    assert_eq!(codes.len(), 2, "each should have a `$schema`");
}

#[test]
fn an_unknown_parent_of_a_single_file_is_a_note() {
    let child = "$schema: x/schemas/gameplay_effect.json\nName: GE_Child\nExtends: GE_Elsewhere\n";
    let report = Loader::new().text("child.yaml", child).as_single_file().check();
    let found: Vec<_> = report.diagnostics.iter().map(|found| (found.code, found.severity)).collect();
    assert!(found.contains(&("UG140", Severity::Note)), "{report}");
    assert_eq!(report.errors(), 0, "{report}");
    assert!(Loader::new().text("child.yaml", child).as_single_file().load().is_ok());
}

#[test]
fn error_of_the_parent_is_reported_once_in_its_file() {
    let wrong = BASE.replace("Attribute: Health", "Attribute: Helth");
    let child = "$schema: x/schemas/gameplay_effect.json\nName: GE_Child\nExtends: GE_Base\n";
    let files = [("child.yaml", child), ("set.yaml", SET), ("base.yaml", &wrong)];
    let loader = files.iter().fold(Loader::new(), |loader, (name, text)| loader.text(*name, *text));
    let report = loader.check();
    let unknown: Vec<_> = report.diagnostics.iter().filter(|found| found.code == "UG021").collect();
    assert_eq!(unknown.len(), 1, "{report}");
    let file = report.source_map.file(unknown[0].span.file).unwrap();
    assert_eq!(file.path().to_str(), Some("base.yaml"));
    assert_eq!(report.source_map.position(unknown[0].span).line, 7);
}

/// Chain of `length` effects, each the child of the one before.
fn chain(length: usize) -> String {
    let mut text = BASE.replace("GE_Base", "GE_0");
    for at in 1..length {
        text.push_str(&format!(
            "---\n$schema: x/schemas/gameplay_effect.json\nName: GE_{at}\nExtends: GE_{}\n",
            at - 1
        ));
    }
    text
}

#[test]
fn chains_may_be_long_in_any_order() {
    let text = chain(3000);
    let mut documents: Vec<&str> = text.split("---\n").collect();
    let pack = load(&[("chain.yaml", &text), ("set.yaml", SET)]);
    let last = pack.catalog.effect("GE_2999").unwrap();
    assert_eq!(pack.catalog.effect_by_id(last).unwrap().def().priority, 3);
    documents.reverse();
    let backward = load(&[("chain.yaml", &documents.join("---\n")), ("set.yaml", SET)]);
    assert_eq!(backward.catalog.hash(), pack.catalog.hash());
}

#[test]
fn inherited_values_count_towards_the_limit_of_the_pack() {
    let limits = Limits { pack_nodes: 3_000, ..Limits::default() };
    let report = Loader::new().text("chain.yaml", chain(400)).text("set.yaml", SET).limits(limits).check();
    let large: Vec<_> = report.diagnostics.iter().filter(|found| found.code == "UG003").collect();
    assert_eq!(large.len(), 1, "{report}");
}

#[test]
fn aliases_and_merge_keys_are_bounded_in_depth_and_size() {
    let mut deep =
        String::from("$schema: x/schemas/attribute.json\nName: A\nDefaultBaseValue: 1\nx-0: &a0 [1]\n");
    for at in 1..200 {
        deep.push_str(&format!("x-{at}: &a{at} {{ <<: {{ k: *a{} }} }}\n", at - 1));
    }
    let report = Loader::new().text("deep.yaml", deep).check();
    assert!(report.diagnostics.iter().any(|found| found.code == "UG003"), "{report}");
    let mut wide = String::from(
        "$schema: x/schemas/attribute.json\nName: A\nDefaultBaseValue: 1\nx-0: &a0 { k: 1, l: 2 }\n",
    );
    for at in 1..60 {
        wide.push_str(&format!("x-{at}: &a{at} {{ a: {{ <<: *a{0} }}, b: {{ <<: *a{0} }} }}\n", at - 1));
    }
    let report = Loader::new().text("wide.yaml", wide).check();
    assert!(report.diagnostics.iter().any(|found| found.code == "UG003"), "{report}");
}

#[test]
fn a_schema_accepts_a_child_without_the_fields_of_its_parent() {
    let schema = ugas_data::schema::json_schema("gameplay_effect").unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let is_valid = |value: serde_json::Value| validator.is_valid(&value);
    assert!(is_valid(
        serde_json::json!({ "Name": "E", "Extends": "Base", "Append": { "GrantedTags": ["A"] } })
    ));
    assert!(
        !is_valid(serde_json::json!({ "Name": "E" })),
        "the duration policy is required without a parent"
    );
    assert!(!is_valid(serde_json::json!({ "Extends": "Base" })), "the name is never inherited");
    assert!(!is_valid(serde_json::json!({ "Name": "E", "Extends": ["Base"] })));
    assert!(!is_valid(
        serde_json::json!({ "Name": "E", "Extends": "Base", "Append": { "GrantedTags": "A" } })
    ));
}
