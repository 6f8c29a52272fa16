//! `ugas run`.

use crate::{empty_folder, file, fixtures, keys, root, ugas, ugas_in};

/// A set with Health 100, and a hit of 10.
const DEFINITIONS: &str = "\
Definitions:
  - $schema: https://example.org/schemas/attribute_set.json
    Name: Vitals
    Attributes: [ { Name: Health, DefaultBaseValue: 100 } ]
  - $schema: https://example.org/schemas/gameplay_effect.json
    Name: GE_Hit
    DurationPolicy: Instant
    Modifiers: [ { Attribute: Health, Operation: Add, Magnitude: { Type: ScalableFloat, Value: -10 } } ]
  - $schema: https://example.org/schemas/gameplay_effect.json
    Name: GE_Vow
    DurationPolicy: Infinite
    ApplicationRequiredTags: [Faction.Order]
Controllers:
  wolf: { AttributeSets: [Vitals], Tags: [Kin.Wolf] }
";

fn tale(folder: &str, steps: &str) -> String {
    file(folder, "tale.yaml", &format!("Name: tale\n{DEFINITIONS}Steps:\n{steps}"))
}

#[test]
fn packs_and_conformance_pass() {
    for folder in ["packs", "conformance"] {
        let answer = ugas(["run", &root(folder)]);
        assert_eq!(answer.status, 0, "{}", answer.stdout);
        assert!(answer.stdout.contains("total"), "{}", answer.stdout);
    }
}

#[test]
fn failed_expectation_reports_the_actual_value() {
    let path = tale(
        "run-failed",
        "  - Apply: { Effect: GE_Hit, Target: wolf }\n  - Expect:\n      wolf: { Health: 95 }\n",
    );
    let answer = ugas(["run", &path]);
    assert_eq!(answer.status, 1);
    assert!(
        answer.stdout.contains("tale.yaml:19: Health of wolf: expected 95, found 90"),
        "{}",
        answer.stdout
    );

    let json = ugas(["run", &path, "--format", "json"]).json();
    assert_eq!(keys(&json), ["failed", "passed", "scenarios"]);
    assert_eq!((&json["passed"], &json["failed"]), (&0.into(), &1.into()));
    let scenario = &json["scenarios"][0];
    assert_eq!(keys(scenario), ["failures", "file", "final", "hash", "name", "passed"]);
    assert_eq!(scenario["hash"].as_str().unwrap().len(), 16);
    let failure = &scenario["failures"][0];
    assert_eq!(keys(failure), ["actual", "expected", "line", "message", "step"]);
    assert_eq!((&failure["step"], &failure["line"]), (&1.into(), &19.into()));
    assert_eq!((failure["expected"].as_str(), failure["actual"].as_str()), (Some("95"), Some("90")));
    let wolf = &scenario["final"]["wolf"];
    assert_eq!(keys(wolf), ["abilities", "attributes", "effects", "tags"]);
    assert_eq!(wolf["attributes"]["Health"], serde_json::json!({ "base": 90.0, "current": 90.0 }));
    assert_eq!(wolf["tags"]["Kin.Wolf"], 1);
}

#[test]
fn problems_are_in_json_only_where_there_are_some() {
    let path = fixtures().join("no-target.yaml");
    let json = ugas(["run", &path.to_string_lossy(), "--format", "json"]).json();
    let failure = &json["scenarios"][0]["failures"][0];
    assert_eq!(keys(failure), ["actual", "expected", "line", "message", "problems", "step"]);
    let problems = failure["problems"].as_array().unwrap();
    assert!(problems[0].as_str().unwrap().contains("NoTarget"), "{problems:?}");
    assert!(problems[1].as_str().unwrap().contains("EffectRefused"), "{problems:?}");
}

#[test]
fn unexpected_refusal_fails_the_scenario() {
    let apply = "  - Apply: { Effect: GE_Vow, Target: wolf, As: vow }\n";
    assert_eq!(ugas(["run", &tale("run-refused", apply)]).status, 1);
    let expected = format!("{apply}  - Expect: {{ Last: ApplicationRequirements }}\n");
    assert_eq!(ugas(["run", &tale("run-refusal-expected", &expected)]).status, 0);
    let removed = format!("{expected}  - Remove: {{ Effect: vow }}\n  - Expect: {{ Last: UnknownHandle }}\n");
    assert_eq!(ugas(["run", &tale("run-refused-alias", &removed)]).status, 0);
}

#[test]
fn impossible_steps_fail_with_a_hint() {
    let unknown = ugas(["run", &tale("run-unknown", "  - Apply: { Effect: GE_Hitt, Target: wolf }\n")]);
    assert_eq!(unknown.status, 1);
    assert!(unknown.stdout.contains("GE_Hit`"), "{}", unknown.stdout);
    let cast = ugas(["run", &tale("run-cast", "  - Activate: { Controller: wolf, Ability: GA_Bite }\n")]);
    assert_eq!(cast.status, 1);
    assert!(cast.stdout.contains("there is no ability `GA_Bite` in the catalog"), "{}", cast.stdout);
    let expected =
        "  - Activate: { Controller: wolf, Ability: GA_Bite }\n  - Expect: { Last: UnknownAbility }\n";
    assert_eq!(ugas(["run", &tale("run-cast-expected", expected)]).status, 0);
    assert_eq!(ugas(["run", &empty_folder("run-empty").to_string_lossy()]).status, 2);
}

#[test]
fn scenario_is_chosen_by_name() {
    let two =
        "Name: first\nSteps: [ { Advance: 1 } ]\n---\nName: second\nSteps: [ { Expect: { Time: 1 } } ]\n";
    let path = file("run-chosen", "two.yaml", two);
    let json = ugas(["run", &path, "--scenario", "first", "--format", "json"]).json();
    assert_eq!((&json["passed"], &json["failed"]), (&1.into(), &0.into()));
    assert_eq!(ugas(["run", &path, "--scenario", "second"]).status, 1);
    for (wrong, hint) in [("secnd", "did you mean `second`?"), ("else", "known names: first, second")] {
        let answer = ugas(["run", &path, "--scenario", wrong]);
        assert_eq!(answer.status, 2);
        assert!(answer.stderr.contains(hint), "{}", answer.stderr);
    }
}

#[test]
fn file_without_a_document_has_no_scenario() {
    let answer = ugas(["run", &file("run-empty", "empty.yaml", "")]);
    assert_eq!(answer.status, 2);
    assert!(answer.stderr.contains("contains no document"), "{}", answer.stderr);
}

#[test]
fn binary_file_is_unreadable() {
    let folder = empty_folder("run-bytes");
    let file = folder.join("tale.yaml");
    std::fs::write(&file, b"Name: \xff\xfe\nSteps: []\n").unwrap();
    let answer = ugas(["run", &file.to_string_lossy()]);
    assert_eq!(answer.status, 2, "{}", answer.stderr);
    assert!(answer.stderr.contains("UG002"), "{}", answer.stderr);
}

#[test]
fn step_size_never_changes_a_result() {
    let hashes = |arguments: &[&str]| {
        let folder = root("packs");
        let json = ugas(["run", &folder, "--format", "json"].iter().chain(arguments)).json();
        assert_eq!(json["failed"], 0);
        let scenarios = json["scenarios"].as_array().unwrap();
        scenarios.iter().map(|scenario| scenario["hash"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let whole = hashes(&[]);
    assert_eq!(whole, hashes(&["--step", "0.016"]));
    assert_eq!(whole, hashes(&["--step", "0.37"]));
}

#[test]
fn values_are_written_as_csv() {
    let path = tale("run-csv", "  - Apply: { Effect: GE_Hit, Target: wolf }\n  - Advance: 1\n");
    let csv = empty_folder("run-csv-out").join("values.csv");
    let answer = ugas(["run", &path, "--csv", &csv.to_string_lossy(), "--every", "0.5"]);
    assert_eq!(answer.status, 0);
    let text = std::fs::read_to_string(&csv).unwrap();
    assert_eq!(answer.stderr, format!("wrote {} ({} bytes)\n", csv.display(), text.len()));
    let expected = "scenario,time,controller,attribute,base,current\n\
                    tale,0,wolf,Health,100,100\n\
                    tale,0.5,wolf,Health,90,90\n\
                    tale,1,wolf,Health,90,90\n";
    assert_eq!(text, expected);
}

/// Draws a plot, and checks that it is a complete SVG file.
fn plot(arguments: &[&str]) -> String {
    let folder = empty_folder(&format!("run-plot-{}", arguments.len()));
    let file = folder.join("out.svg");
    let answer = ugas_in(&fixtures(), ["run", "--plot", &file.to_string_lossy()].iter().chain(arguments));
    assert_eq!(answer.status, 0, "{}", answer.stderr);
    let svg = std::fs::read_to_string(file).unwrap();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{svg}");
    svg
}

#[test]
fn scenario_is_plotted() {
    let svg = plot(&["duel.yaml"]);
    for text in
        ["three blows", "hero", "wolf", "Health", "GE_Poison", "time in seconds", "unchanged: Strength"]
    {
        assert!(svg.contains(&format!("\n{text}\n")), "`{text}` is missing: {svg}");
    }
    assert!(svg.contains("prefers-color-scheme: dark"));
}

#[test]
fn plot_does_not_depend_on_steps_and_samples() {
    let exact = plot(&["duel.yaml"]);
    assert_eq!(exact, plot(&["duel.yaml", "--step", "0.016"]));
    assert_eq!(exact, plot(&["duel.yaml", "--step", "0.3", "--csv", "/dev/null"]));
}

#[test]
fn several_scenarios_go_into_one_plot() {
    let svg = plot(&["duel.yaml", "duel.yaml"]);
    assert_eq!(svg.matches("\nthree blows\n").count(), 2);
    assert!(svg.contains("<title>2 scenarios</title>"));
    let too_many = empty_folder("run-plot-many").join("out.svg");
    let answer = ugas(["run", &root("conformance"), "--plot", &too_many.to_string_lossy()]);
    assert_eq!(answer.status, 2);
    assert!(answer.stderr.contains("a plot shows at most 64 scenarios"), "{}", answer.stderr);
    assert_eq!(ugas(["run", &root("packs"), "--plot", "out.png"]).status, 2);
}
