//! `ugas explain`.

use crate::{keys, root, ugas};

#[test]
fn value_is_explained_term_by_term() {
    let path = root("packs/arpg/scenarios/damage-buckets.yaml");
    let arguments = ["explain", &path, "--controller", "hero", "--attribute", "WeaponDamage"];
    let text = ugas(arguments);
    assert_eq!(text.status, 0, "{}", text.stderr);
    assert!(text.stdout.starts_with("WeaponDamage of hero"), "{}", text.stdout);

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
