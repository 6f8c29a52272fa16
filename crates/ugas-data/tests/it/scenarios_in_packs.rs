//! Scenarios in the folder of the pack that they use.

use std::fs;
use std::path::{Path, PathBuf};

use ugas_data::Scenario;
use ugas_data::scenario::Options;

const RULES: &str = "\
$schema: x/schemas/attribute_set.json
Name: Vitals
Attributes: [ { Name: Health, DefaultBaseValue: 100 } ]
---
$schema: x/schemas/gameplay_effect.json
Name: GE_Hit
DurationPolicy: Instant
Modifiers: [ { Attribute: Health, Operation: Add, Magnitude: { Type: ScalableFloat, Value: -10 } } ]
";
const GOOD: &str = "\
Name: good
Pack: ..
Controllers: { wolf: { AttributeSets: [Vitals] } }
Steps:
  - Apply: { Effect: GE_Hit, Target: wolf }
  - Expect: { wolf: { Health: 90 } }
";

fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::remove_dir_all(&folder).ok();
    fs::create_dir_all(folder.join("scenarios")).unwrap();
    for (file, text) in files {
        fs::write(folder.join(file), text).unwrap();
    }
    folder
}

fn codes(path: &Path) -> Vec<(&'static str, String)> {
    let report = ugas_data::check([path]);
    let name = |found: &ugas_data::Diagnostic| {
        let file = report.source_map.file(found.span.file).unwrap().path().file_name().unwrap();
        file.to_string_lossy().into_owned()
    };
    report.diagnostics.iter().map(|found| (found.code, name(found))).collect()
}

#[test]
fn a_broken_scenario_does_not_break_the_others_of_its_pack() {
    let bad = GOOD.replace("Name: good", "Name: bad").replace("Target: wolf", "Target: 3");
    let files = [("rules.yaml", RULES), ("scenarios/good.yaml", GOOD), ("scenarios/bad.yaml", &bad)];
    let pack = folder("scenarios-in-packs", &files);
    let good = pack.join("scenarios/good.yaml");
    let outcome = Scenario::load(&good).unwrap()[0].run(&Options::default());
    assert!(outcome.passed(), "{:?}", outcome.failures);
    assert_eq!(codes(&good), []);
    assert_eq!(codes(&pack), [("UG011", "bad.yaml".to_owned())]);
}

#[test]
fn errors_of_a_pack_are_reported_once_in_its_files() {
    let wrong = RULES.replace("Attribute: Health", "Attribute: Helth");
    let pack = folder("reported-once", &[("rules.yaml", &wrong), ("scenarios/good.yaml", GOOD)]);
    let of_pack = codes(&pack);
    assert!(of_pack.contains(&("UG021", "rules.yaml".to_owned())), "{of_pack:?}");
    assert!(!of_pack.iter().any(|(code, _)| *code == "UG039"), "{of_pack:?}");
    // Checked alone, the scenario must report why it cannot run.
    assert_eq!(codes(&pack.join("scenarios/good.yaml")), [("UG039", "good.yaml".to_owned())]);
}

#[test]
fn pack_path_has_no_detours() {
    let pack = folder("detours", &[("rules.yaml", RULES), ("scenarios/good.yaml", GOOD)]);
    let scenarios = Scenario::load(pack.join("scenarios/good.yaml")).unwrap();
    assert_eq!(scenarios[0].pack(), Some(pack));
}
