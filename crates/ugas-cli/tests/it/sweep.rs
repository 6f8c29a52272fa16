//! `ugas sweep`.

use serde_json::json;

use crate::{Answer, empty_folder, file, fixtures, keys, root, ugas, ugas_in};

/// Sweeps a scenario with three hits of Strength, each missing half of the time, and a poison of 4 × 2, on a wolf
/// with 80 health.
fn duel(arguments: &[&str]) -> Answer {
    ugas_in(&fixtures(), ["sweep", "duel.yaml"].iter().chain(arguments))
}

#[test]
fn result_does_not_depend_on_the_number_of_threads() {
    let folder = empty_folder("sweep-threads");
    let with_threads = |threads: &str| {
        let [csv, svg] = ["csv", "svg"].map(|kind| folder.join(format!("{threads}.{kind}")));
        let (csv_name, svg_name) = (csv.to_string_lossy(), svg.to_string_lossy());
        let vary = ["--vary", "hero.Strength=5..25:5", "--vary", "Definitions.GE_Poison.Period.Period=0.5,1"];
        let files = ["--runs", "60", "--csv", &csv_name, "--plot", &svg_name, "--threads", threads];
        let text = duel(&[&vary[..], &files].concat());
        let json = duel(&[&vary[..], &["--runs", "60", "--format", "json", "--threads", threads]].concat());
        let read = |path| std::fs::read_to_string(path).unwrap();
        assert_eq!((text.status, json.status), (0, 0), "{}", text.stderr);
        (text.stdout, json.stdout, read(csv), read(svg))
    };
    assert_eq!(with_threads("1"), with_threads("4"));
}

#[test]
fn values_follow_from_the_rules() {
    let answer = duel(&["--vary", "hero.Strength=0,10", "--runs", "50", "--format", "json"]);
    assert_eq!((answer.status, answer.stderr.as_str()), (0, ""));
    let json = answer.json();
    assert_eq!(keys(&json), ["combinations", "failed", "file", "passed", "runs", "scenario"]);
    assert_eq!((&json["passed"], &json["failed"]), (&json!(100), &json!(0)));
    let [weak, strong] = json["combinations"].as_array().unwrap().as_slice() else { panic!("{json}") };
    assert_eq!(keys(weak), ["failed", "failure", "measures", "passed", "seed", "values"]);
    assert_eq!((&weak["values"], &weak["seed"]), (&json!({ "hero.Strength": 0.0 }), &json!(7)));
    // Without strength only the poison hurts: 80 - 4 × 2.
    let health = &weak["measures"]["wolf.Health"];
    assert_eq!(keys(health), ["histogram", "max", "mean", "min", "p50", "p95"]);
    for number in ["min", "mean", "p50", "p95", "max"] {
        assert_eq!(health[number], 72.0, "{number}");
    }
    // With 10 there are none to three hits: 72, 62, 52, 42.
    let health = &strong["measures"]["wolf.Health"];
    let histogram = health["histogram"].as_array().unwrap();
    let values: Vec<f64> = histogram.iter().map(|bin| bin["from"].as_f64().unwrap()).collect();
    assert_eq!(values, [42.0, 52.0, 62.0, 72.0]);
    assert_eq!(histogram.iter().map(|bin| bin["count"].as_u64().unwrap()).sum::<u64>(), 50);
}

#[test]
fn seeds_begin_with_the_scenarios_own() {
    let folder = empty_folder("sweep-csv");
    let csv = folder.join("runs.csv");
    let csv_name = csv.to_string_lossy();
    assert_eq!(duel(&["--runs", "3", "--measure", "wolf.Strength", "--csv", &csv_name]).status, 0);
    let text = std::fs::read_to_string(&csv).unwrap();
    assert_eq!(text, "run,seed,passed,wolf.Strength\n0,7,true,10\n1,8,true,10\n2,9,true,10\n");

    // A run of a sweep is the run of the scenario with that seed.
    duel(&["--runs", "3", "--vary", "Seed=8", "--measure", "wolf.Health", "--csv", &csv_name]);
    let text = std::fs::read_to_string(&csv).unwrap();
    let line = text.lines().nth(1).unwrap().to_owned();
    assert!(line.starts_with("8,0,8,true,"), "{text}");
    let scenario = std::fs::read_to_string(fixtures().join("duel.yaml")).unwrap();
    let path = folder.join("duel.yaml");
    std::fs::write(&path, scenario.replace("Seed: 7", "Seed: 8")).unwrap();
    let json = ugas(["run", &path.to_string_lossy(), "--format", "json"]).json();
    let health = &json["scenarios"][0]["final"]["wolf"]["attributes"]["Health"]["current"];
    assert_eq!(line.rsplit(',').next().unwrap().parse().ok(), health.as_f64(), "{line} {health}");
}

#[test]
fn failed_expectation_is_status_one_with_a_message() {
    let answer = duel(&["--vary", "Steps.1.Apply.Effect=GE_Blow,GE_Blw", "--runs", "2", "--format", "json"]);
    assert_eq!(answer.status, 1);
    let json = answer.json();
    assert_eq!((&json["passed"], &json["failed"]), (&json!(2), &json!(2)));
    let failure = json["combinations"][1]["failure"].as_str().unwrap();
    assert!(failure.contains("seed 7") && failure.contains("GE_Blow`"), "{failure}");
}

#[test]
fn invalid_input_is_status_two() {
    let hostile: [&[&str]; 14] = [
        &["--vary", "hero.Strength=1..5:0"],
        &["--vary", "hero.Strength=5..1:1"],
        &["--vary", "hero.Strength=NaN..5:1"],
        &["--vary", "hero.Strength=1,inf"],
        &["--vary", "hero.Strength=0..1000000000000:1"],
        &["--vary", "hero.Strength=1..999", "--vary", "wolf.Strength=1..999", "--vary", "Seed=1..999"],
        &["--vary", "hero.Strength"],
        &["--vary", "=1..2"],
        &["--vary", "hero.Strength=1", "--vary", "Controllers.hero.Base.Strength=2"],
        &["--vary", "Seed=-1"],
        &["--runs", "0"],
        &["--runs", "1000000000000"],
        &["--measure", "Health"],
        &["--plot", "out.png"],
    ];
    for arguments in hostile {
        let answer = duel(arguments);
        assert_eq!((answer.status, answer.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(!answer.stderr.is_empty() && !answer.stderr.contains("panicked"), "{}", answer.stderr);
    }
}

#[test]
fn first_scenario_with_the_keys_is_used() {
    let path = root("packs/arpg/scenarios/hits.yaml");
    let arguments = ["sweep", &path, "--scenario", "a ward refuses physical hits", "--runs", "1"];
    let named = ugas(arguments.iter().chain(&["--format", "json"])).json();
    assert_eq!(named["scenario"], "a ward refuses physical hits");
    // The first has no second step.
    let text =
        "Name: short\nSteps:\n  - Advance: 1\n---\nName: long\nSteps:\n  - Advance: 1\n  - Advance: 2\n";
    let path = file("sweep-several", "tales.yaml", text);
    let json = ugas(["sweep", &path, "--vary", "Steps.1.Advance=1..2", "--format", "json"]).json();
    assert_eq!(json["scenario"], "long");
}
