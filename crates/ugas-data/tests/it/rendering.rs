//! Exact texts of messages, and the page of all codes in `docs`. Set `UPDATE_EXPECT=1` to rewrite the files,
//! and review the difference.

use std::path::Path;

use ugas_data::Loader;
use ugas_data::diagnostics::{Colour, docs, render_all};

const BROKEN: &str = "\
$schema: https://ugas.example/v1/schemas/gameplay_effect.json
Name: GE_Poison
DurationPolicy: Forevr
Duration: { Type: ScalableFloat, Value: 10 }
Modifiers:
  - Attribute: Helth
    Operation: Add
    Magnitude: { Type: Expression, Expression: \"-Source.Power * * 2\" }
  - Attribute: Health
    Operation: Add
    Magnitude: { Type: SetByCaller }
GrantedTag: [State.Poisoned]
---
$schema: https://ugas.example/v1/schemas/gameplay_effect.json
Name: GE_Burn
DurationPolicy: HasDuration
Period: { Period: 0 }
Modifiers:
  - Attribute: Health
    Operation: Add
    Magnitude: { Type: Expression, Expression: \"1 + Max(Health, 2\" }
---
$schema: https://ugas.example/v1/schemas/attribute_set.json
Name: Combat
Attributes:
  - { Name: Health, DefaultBaseValue: 100, Clamping: { Max: MaxHealth } }
  - { Name: MaxHealth, DefaultBaseValue: 100, DerivedFrom: { Expression: Health * 2 } }
---
Name: GE_Nothing
DurationPolicy: Infinite
";

#[track_caller]
fn check(name: &str, actual: &str) {
    check_file(&Path::new("tests/expected").join(name), actual);
}

/// Compares with a file, whose path is relative to this package.
#[track_caller]
fn check_file(path: &Path, actual: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, actual).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    let different = actual.lines().zip(expected.lines()).find(|(actual, expected)| actual != expected);
    assert!(
        actual == expected,
        "{} is not up to date: run `UPDATE_EXPECT=1 cargo test -p ugas-data --test it rendering`, and read the \
         difference\nthe first: {different:?}",
        path.display()
    );
}

#[test]
fn messages_match_the_expected_files() {
    let report = Loader::new().text("poison.yaml", BROKEN).check();
    check("messages.txt", &render_all(&report, Colour::Never));
    check("lines.txt", &report.to_string());
    check("report.json", &format!("{:#}\n", report.to_json()));
}

const BROKEN_SCENARIO: &str = "\
Name: a wolf is bitten
Definitions:
  - $schema: https://ugas.example/v1/schemas/attribute_set.json
    Name: Combat
    Attributes: [ { Name: Health, DefaultBaseValue: 100 } ]
  - $schema: https://ugas.example/v1/schemas/gameplay_effect.json
    Name: GE_Bite
    DurationPolicy: Infinite
    Modifiers: [ { Attribute: Helth, Operation: Add, Magnitude: { Type: ScalableFloat, Value: -10 } } ]
Controllers:
  wolf: { AttributeSets: [Combat] }
Steps:
  - Apply: { Effect: GE_Bit, Target: wolf, As: bite }
  - Apply: { Effect: GE_Bite, Target: wofl }
  - Remove: { Effect: bit }
  - Expect: { wolf: { Heath: 90 }, Last: Okay }
  - Expect: { Events: { Count: { EffectAplied: 1 } } }
---
Name: nowhere
Pack: ../no-such-pack
Steps: []
";

#[test]
fn scenario_messages_match_the_expected_file() {
    let report = Loader::new().text("bite.yaml", BROKEN_SCENARIO).check();
    check("scenario.txt", &render_all(&report, Colour::Never));
}

#[test]
fn colours_are_escape_codes_only() {
    let report = Loader::new().text("poison.yaml", BROKEN).check();
    assert!(render_all(&report, Colour::Always).contains("\u{1b}["));
    assert!(!render_all(&report, Colour::Never).contains('\u{1b}'));
}

#[test]
fn the_page_of_codes_is_up_to_date() {
    check_file(Path::new("../../docs/diagnostics.md"), &docs());
}

#[test]
fn long_lines_are_cut_to_a_window() {
    let text = format!("a: [{}, \"é\", }}]\n", "x, ".repeat(2000));
    let report = Loader::new().text("long.yaml", text).check();
    let rendered = render_all(&report, Colour::Never);
    assert!(
        rendered.contains("UG004") && rendered.lines().all(|line| line.chars().count() < 220),
        "{rendered}"
    );
}
