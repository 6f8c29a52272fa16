//! Messages exactly as users see them. Set `UPDATE_EXPECT=1` to rewrite the expected file, and read the difference.

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
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expected").join(name);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, actual).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(actual, expected, "{name} differs");
}

#[test]
fn messages_look_like_this() {
    let report = Loader::new().text("poison.yaml", BROKEN).check();
    check("messages.txt", &render_all(&report, Colour::Never));
    check("lines.txt", &report.to_string());
    check("report.json", &format!("{:#}\n", report.to_json()));
}

#[test]
fn colours_are_escape_codes_only() {
    let report = Loader::new().text("poison.yaml", BROKEN).check();
    assert!(render_all(&report, Colour::Always).contains("\u{1b}["));
    assert!(!render_all(&report, Colour::Never).contains('\u{1b}'));
}

#[test]
fn the_page_of_codes_looks_like_this() {
    check("diagnostics.md", &docs());
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
