//! `ugas check`.

use crate::{file, keys, root, ugas};

const TYPO: &str = "\
$schema: https://example.org/schemas/gameplay_effect.json
Name: GE_Hit
DurationPolicy: Instnat
";

#[test]
fn repository_packs_are_valid() {
    let answer = ugas(["check", &root("packs"), "--deny-warnings"]);
    assert_eq!(answer.status, 0, "{}", answer.stdout);
    assert!(answer.stdout.contains("valid: 0 errors, 0 warnings"), "{}", answer.stdout);
}

#[test]
fn invalid_pack_reports_position_and_help() {
    let path = file("check-broken", "hit.yaml", TYPO);
    let answer = ugas(["check", &path]);
    assert_eq!(answer.status, 1);
    assert!(answer.stdout.contains("hit.yaml:3:17"), "{}", answer.stdout);
    assert!(answer.stdout.contains("did you mean `Instant`?"), "{}", answer.stdout);
    assert!(!answer.stdout.contains('\u{1b}'), "no colour into a pipe");

    let json = ugas(["check", &path, "--format", "json"]).json();
    assert_eq!(keys(&json), ["diagnostics", "errors", "warnings"]);
    assert_eq!(json["errors"], 1);
    let found = &json["diagnostics"][0];
    assert_eq!(keys(found), ["code", "column", "file", "help", "line", "message", "severity"]);
    assert_eq!((&found["line"], &found["column"]), (&3.into(), &17.into()));
}

#[test]
fn warnings_fail_with_deny_warnings() {
    let text = TYPO
        .replace("Instnat", "Instant\nArea: { Shape: Sphere, Radius: { Type: ScalableFloat, Value: 5 } }");
    let path = file("check-warning", "hit.yaml", &text);
    let answer = ugas(["check", &path]);
    assert_eq!(answer.status, 0);
    assert!(answer.stdout.contains("warning[UG145]: `Area` is not supported"), "{}", answer.stdout);
    assert_eq!(ugas(["check", &path, "--deny-warnings"]).status, 1);
}

#[test]
fn unknown_fields_are_errors_unless_allowed() {
    let path =
        file("check-unknown", "hit.yaml", &TYPO.replace("Instnat", "Instant\nGrantdTags: [State.Hit]"));
    let answer = ugas(["check", &path]);
    assert_eq!(answer.status, 1);
    assert!(answer.stdout.contains("did you mean `GrantedTags`?"), "{}", answer.stdout);
    let allowed = ugas(["check", &path, "--allow-unknown"]);
    assert_eq!(allowed.status, 0);
    assert!(allowed.stdout.contains("warning[UG013]"), "{}", allowed.stdout);
    assert_eq!(ugas(["check", &path, "--allow-unknown", "--deny-warnings"]).status, 1);
}

#[test]
fn scenarios_are_checked_too() {
    let path = file("check-scenario", "tale.yaml", "Name: tale\nSteps:\n  - Aply: { Effect: GE_Hit }\n");
    let answer = ugas(["check", &path]);
    assert_eq!(answer.status, 1);
    assert!(answer.stdout.contains("did you mean `Apply`?"), "{}", answer.stdout);
}
