//! Folders, single files, host-provided names, silencing.

use ugas_core::effect::calculation::native;
use ugas_data::{Loader, Severity};

const ALONE: &str = "\
$schema: x/schemas/gameplay_effect.json
Name: GE_Hit
DurationPolicy: Instant
Modifiers:
  - { Attribute: Health, Operation: Add, Magnitude: { Type: Expression, Expression: \"-Source.Power * 2\" } }
AdditionalEffects: [ { Effect: GE_Flinch } ]
";

const NATIVE: &str = "\
$schema: x/schemas/attribute.json
Name: Health
DefaultBaseValue: 10
---
$schema: x/schemas/gameplay_effect.json
Name: GE_Hit
DurationPolicy: Instant
Modifiers: [ { Attribute: Health, Operation: Add, Magnitude: { Type: CustomCalculation, CalculatorClass: MMC_Hit } } ]
";

#[test]
fn unresolved_name_of_a_single_file_is_a_note() {
    let pack = Loader::new().text("hit.yaml", ALONE).as_single_file().load().unwrap();
    let mut notes: Vec<_> = pack.diagnostics.iter().map(|found| (found.code, found.severity)).collect();
    notes.sort();
    assert_eq!(
        notes,
        [("UG021", Severity::Note), ("UG021", Severity::Note), ("UG023", Severity::Note)],
        "Health, Power and GE_Flinch"
    );
    assert!(pack.catalog.effect("GE_Hit").is_ok());
}

#[test]
fn unresolved_name_of_a_set_is_an_error() {
    let error = Loader::new().text("hit.yaml", ALONE).as_set().load().unwrap_err();
    assert_eq!(error.report.errors(), 3, "{error}");
}

#[test]
fn native_calculations_are_known() {
    let codes = |loader: Loader| {
        let report = loader.text("hit.yaml", NATIVE).check();
        report.diagnostics.iter().map(|found| found.code).collect::<Vec<_>>()
    };
    assert_eq!(codes(Loader::new()), ["UG027"]);
    let with = |name: &'static str| {
        Loader::new().natives(move |builder| builder.native(name, native(Vec::new(), |_| Ok(-3.0))))
    };
    assert!(codes(with("MMC_Hit")).is_empty());
    assert_eq!(codes(with("MMC_Other")), ["UG027"]);
    assert!(codes(Loader::new().text("pack.yaml", "NativeCalculations: [MMC_Hit]\n")).is_empty());
    assert!(codes(Loader::new().silence("UG027")).is_empty());
    assert!(codes(Loader::new().text("pack.yaml", "Silence: [UG027]\n")).is_empty());
}

#[test]
fn a_faulty_native_is_reported_as_such() {
    use ugas_core::effect::calculation::CaptureDef;
    let report = Loader::new()
        .text("hit.yaml", NATIVE)
        .natives(|builder| builder.native("MMC_Hit", native(vec![CaptureDef::source("Powr")], |_| Ok(0.0))))
        .check();
    let codes: Vec<_> = report.diagnostics.iter().map(|found| found.code).collect();
    assert_eq!(codes, ["UG098"], "{report}");
}

#[test]
fn host_tasks_are_declared_in_the_pack() {
    let ability = "$schema: x/schemas/gameplay_ability.json\nName: GA\nTags: { BlockedByTags: [Dead] }\nTasks: [ { Type: Dance } ]\n";
    let errors = |pack: &str| Loader::new().text("pack.yaml", pack).text("a.yaml", ability).check().errors();
    assert_eq!(errors("Name: P\n"), 1);
    assert_eq!(errors("HostTasks: [Dance]\n"), 0);
}

#[test]
fn pack_files_of_the_public_packs_are_plain_metadata() {
    let pack = "id: rpg\nscope: full\nsignatureMechanic: buckets\nanything: [else]\n";
    assert!(Loader::new().text("pack.yaml", pack).check().diagnostics.is_empty());
}

#[test]
fn json_documents_are_documents() {
    let text = r#"{ "$schema": "x/schemas/attribute_set.json", "Name": "S", "Attributes": [ { "Name": "A", "DefaultBaseValue": 1.5 } ] }"#;
    let pack = Loader::new().text("s.json", text).load().unwrap();
    assert!(pack.catalog.attribute("A").is_ok());
}

#[test]
fn schemas_and_empty_documents_beside_a_pack_are_not_part_of_it() {
    let schema = ugas_data::schema::json_schema("gameplay_effect").unwrap().to_string();
    let report =
        Loader::new().text("effect.json", schema).text("empty.yaml", "# nothing\n---\n---\n").check();
    assert!(report.diagnostics.is_empty(), "{report}");
}

#[test]
fn file_without_a_document_is_a_warning() {
    for text in ["", "\n\n", "# nothing yet\n"] {
        let report = Loader::new().text("empty.yaml", text).check();
        let codes: Vec<_> = report.diagnostics.iter().map(|found| found.code).collect();
        assert_eq!((codes, report.errors()), (vec!["UG166"], 0), "{text:?}");
    }
}

/// An ability that reads two numbers, which it does not declare.
const READER: &str = "\
$schema: x/schemas/gameplay_ability.json
Name: GA_Count
Tasks: [ { Type: PlayMontage }, { Type: WaitDelay, Params: { Duration: 'Param(\"Tally\") + Param(\"Pellets\")' } } ]
";

#[test]
fn parameters_of_grants_and_native_tasks_are_known() {
    let unknown = |loader: Loader, ability: &str| {
        let report = loader.text("ability.yaml", ability).check();
        report.diagnostics.iter().filter(|found| found.code == "UG164").count()
    };
    assert_eq!(unknown(Loader::new(), READER), 2);
    let grant = "Grant: { Controller: w, Ability: GA_Count, Parameters: { Pellets: 3 } }";
    let scenario = format!("Name: a\nControllers: {{ w: {{}} }}\nSteps: [ {{ {grant} }} ]\n");
    assert_eq!(unknown(Loader::new().text("scenario.yaml", scenario), READER), 1);
    // A task of the pack may be native code, which stores numbers under any name.
    let native = READER.replace("PlayMontage", "CountPellets");
    assert_eq!(unknown(Loader::new().text("pack.yaml", "HostTasks: [CountPellets]\n"), &native), 0);
}

/// An ability that ends the effect which grants it applies nothing, so there is no cycle of grants.
#[test]
fn removal_inside_a_sequence_is_no_application() {
    let text = "\
$schema: x/schemas/gameplay_effect.json
Name: GE_Stance
DurationPolicy: Infinite
GrantedAbilities: [{ AbilityClass: GA_Leave }]
---
$schema: x/schemas/gameplay_ability.json
Name: GA_Leave
Tasks:
  - Type: Sequence
    Params: { Tasks: [{ Type: RemoveEffectFromOwner, Params: { EffectClass: GE_Stance } }] }
";
    let cycles = |text: &str| {
        let report = Loader::new().text("stance.yaml", text).check();
        report.diagnostics.iter().filter(|found| found.code == "UG052").count()
    };
    assert_eq!(cycles(text), 0);
    assert_eq!(cycles(&text.replace("RemoveEffectFromOwner", "ApplyEffectToOwner")), 1);
}

#[test]
fn scenarios_are_not_part_of_the_catalog() {
    let text = "Name: a story\nSteps: [ { Advance: 1 } ]\n";
    let pack = Loader::new().text("story.yaml", text).load().unwrap();
    assert_eq!(pack.documents.len(), 1);
    assert!(pack.diagnostics.is_empty());
}

#[test]
fn reports_are_in_order_of_file_and_position() {
    let bad = "$schema: x/schemas/attribute.json\nName: A\nDefaultBaseValue: x\nCategory: y\n";
    let report = Loader::new().text("b.yaml", bad).text("a.yaml", bad.replace("A\n", "B\n")).check();
    let places: Vec<_> = report.diagnostics.iter().map(|found| found.span).collect();
    assert!(places.is_sorted());
    let json = report.to_json();
    assert_eq!(json["errors"], 4);
    assert_eq!(json["warnings"], 0);
    assert_eq!(json["diagnostics"][1]["code"], "UG012");
    assert_eq!(json["diagnostics"][1]["line"], 4);
    assert_eq!(json["diagnostics"][1]["column"], 11);
    assert_eq!(json["diagnostics"][1]["file"], "b.yaml");
    assert_eq!(json["diagnostics"][1]["severity"], "error");
}
