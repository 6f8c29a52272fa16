//! `ugas explain`.

use crate::{keys, root, ugas};

#[test]
fn value_is_explained_term_by_term() {
    let path = root("packs/arpg/scenarios/damage-buckets.yaml");
    let arguments = ["explain", &path, "--controller", "hero", "--attribute", "WeaponDamage"];
    let text = ugas(arguments);
    assert_eq!(text.status, 0, "{}", text.stderr);
    assert!(text.stdout.starts_with("WeaponDamage of hero"), "{}", text.stdout);
    assert_eq!(text.stderr, format!("scenario: four bonuses in three buckets make 3.0375 ({path})\n"));

    let json = ugas(arguments.iter().chain(&["--format", "json"])).json();
    assert_eq!(keys(&json), ["attribute", "base", "clamp", "controller", "current", "layers", "time"]);
    // 100 × 1.50 × 1.20 × 1.50: the last expectation of the scenario.
    assert_eq!((json["base"].as_f64(), json["current"].as_f64()), (Some(100.0), Some(270.0)));
    assert_eq!(keys(&json["clamp"]), ["applied", "max", "min"]);
    let layer = &json["layers"][0];
    assert_eq!(keys(layer), ["index", "input", "output", "terms"]);
    let terms = layer["terms"].as_array().unwrap();
    let expected = ["channel", "effect", "magnitude", "operation", "qualifies", "reason", "source", "stacks"];
    assert_eq!(keys(&terms[0]), expected);
    // The hunter is inhibited: its modifier is listed with the reason why it does not count.
    let idle = terms.iter().find(|term| term["qualifies"] == false).unwrap();
    assert!(idle["reason"].is_string(), "{idle}");
}

#[test]
fn value_is_explained_at_a_time() {
    let path = root("packs/arpg/scenarios/hits.yaml");
    let scenario = "bleeding stacks and grows with the level";
    let at = |seconds: &str| {
        let arguments = ["explain", &path, "--scenario", scenario, "--controller", "bones"];
        let rest = ["--attribute", "Health", "--at", seconds, "--format", "json"];
        let json = ugas(arguments.iter().chain(&rest)).json();
        (json["time"].as_f64().unwrap(), json["current"].as_f64().unwrap())
    };
    assert_eq!(at("0.5"), (0.5, 1000.0));
    assert_eq!(at("1.5"), (1.5, 985.0)); // one tick of 15
    assert_eq!(at("60"), (60.0, 715.0)); // long after the end
}

#[test]
fn time_to_explain_is_in_seconds() {
    let path = root("packs/arpg/scenarios/hits.yaml");
    let scenario = "bleeding stacks and grows with the level";
    let at = |seconds: &str| {
        let arguments = ["explain", &path, "--scenario", scenario, "--controller", "bones"];
        ugas(arguments.iter().chain(&["--attribute", "Health", "--at", seconds, "--format", "json"]))
    };
    assert_eq!(at("1.5s").json()["time"].as_f64(), Some(1.5));
    for (wrong, message) in [
        ("soon", "not a number of seconds, such as 2.5 or 2.5s"),
        ("NaN", "not a number of seconds"),
        ("1500ms", "times are in seconds: write 1.5"),
        ("-1", "must not be negative"),
    ] {
        let arguments = ["explain", &path, "--controller", "bones", "--attribute", "Health"];
        let answer = ugas(arguments.iter().map(|text| (*text).to_owned()).chain([format!("--at={wrong}")]));
        assert_eq!(answer.status, 2, "{wrong}");
        assert!(answer.stderr.contains(message), "{wrong}: {}", answer.stderr);
    }
}
