//! `ugas soak`.

use serde_json::json;

use crate::{keys, ugas};

#[test]
fn json_report_has_the_documented_keys_and_is_reproducible() {
    let line = ["soak", "--seeds", "2", "--seed", "4", "--format", "json"];
    let answer = ugas(line);
    assert_eq!((answer.status, answer.stderr.as_str()), (0, ""), "{}", answer.stdout);
    let json = answer.json();
    assert_eq!(keys(&json), ["failures", "faults", "seeds", "simulated_seconds", "violations"]);
    assert_eq!((&json["seeds"], &json["violations"], &json["failures"]), (&json!(2), &json!(0), &json!([])));
    // 1.5 s to begin, 6 s of faults, 9 s to settle and 1.5 s to look, twice, up to the last half tick.
    assert!((36.0..36.2).contains(&json["simulated_seconds"].as_f64().unwrap()), "{json}");
    assert!(json["faults"]["loss"].as_u64().unwrap() > 0, "{json}");
    let again = ugas(line.iter().chain(&["--threads", "1"]));
    assert_eq!(again.stdout, answer.stdout);
}

#[test]
fn text_report_is_a_table() {
    let answer = ugas(["soak", "--seeds", "1", "--profile", "calm", "--seed", "1"]);
    assert_eq!((answer.status, answer.stderr.as_str()), (0, ""));
    assert!(answer.stdout.starts_with("profile calm\n"), "{}", answer.stdout);
    assert!(answer.stdout.ends_with("\n0 violations  ok\n"), "{}", answer.stdout);
}

#[test]
fn unknown_profile_is_a_usage_error() {
    let answer = ugas(["soak", "--profile", "brtal"]);
    assert_eq!(answer.status, 2);
    assert!(answer.stderr.contains("did you mean `brutal`?"), "{}", answer.stderr);
}
