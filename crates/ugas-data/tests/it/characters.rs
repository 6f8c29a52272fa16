//! Character files: round trips, schemas, and files of other tools.

use std::path::Path;

use serde_json::{Value, json};
use ugas_core::character::{
    Character, CharacterAbility, CharacterEffect, CharacterOutcome, Instigator, Lifetime, Phase,
    RestoreOptions,
};
use ugas_core::id::ActorId;
use ugas_core::simulation::{Config, Simulation};
use ugas_core::time::Span;
use ugas_data::character::{from_text, to_json, to_yaml, to_yaml_file};
use ugas_data::scenario::{Options, Runner};
use ugas_data::{Loader, Scenario, schema};

/// Character with a value in every field.
fn rich() -> Character {
    Character::from_bytes(include_bytes!("../../../ugas-core/tests/golden/character-v1.bin")).unwrap()
}

#[test]
fn character_survives_yaml_and_json() {
    let character = rich();
    let (yaml, json) = (to_yaml(&character), to_json(&character));
    assert_eq!(from_text("a.yaml", yaml.as_str()).unwrap(), character);
    assert_eq!(from_text("a.json", json.as_str()).unwrap(), character);
    assert_eq!(to_yaml(&from_text("a.json", json).unwrap()), yaml);
}

/// Only a saved character may have no attribute sets. Other errors are still reported.
#[test]
fn a_character_may_have_no_attribute_set() {
    let bare = Character { name: "stone".to_owned(), own_tags: Some(Vec::new()), ..Character::default() };
    let (yaml, json) = (to_yaml(&bare), to_json(&bare));
    assert_eq!(from_text("a.yaml", yaml.as_str()).unwrap(), bare);
    assert_eq!(from_text("a.json", json).unwrap(), bare);
    let nested = yaml.replace("AttributeSets: []", "AttributeSets: [ { Name: Combat, Attributes: 3 } ]");
    assert_ne!(yaml, nested);
    assert!(from_text("a.yaml", nested).is_err());
    assert!(from_text("a.yaml", yaml.replace("AttributeSets: []\n", "")).is_err());
    let wrong = from_text("a.yaml", yaml.replace("Mixed", "Mixd")).unwrap_err();
    let codes: Vec<&str> = wrong.report.diagnostics.iter().map(|found| found.code).collect();
    assert_eq!(codes, ["UG012"]);
}

/// Every controller of every sample scenario, after its last step.
#[test]
fn every_controller_of_the_sample_scenarios_survives_saving() {
    let (mut saved, mut bare) = (0, 0);
    let folders = ["packs", "conformance"].map(|folder| super::shipped::root().join(folder));
    for file in folders.iter().flat_map(Scenario::files) {
        for scenario in Scenario::load(&file).unwrap_or_default() {
            let Ok(catalog) = scenario.catalog() else { continue };
            let Ok(mut runner) = Runner::new(&scenario, catalog, Options::default()) else { continue };
            runner.run(|_| {});
            let names: Vec<&str> = runner.controllers().iter().map(|(name, _)| *name).collect();
            for character in names.into_iter().filter_map(|name| runner.character(name)) {
                let place = format!("{}: {}: {}", file.display(), scenario.name(), character.name);
                let read = from_text("a.yaml", to_yaml(&character));
                let read = read.unwrap_or_else(|error| panic!("{place}: {error}"));
                assert_eq!(read, character, "{place}");
                saved += 1;
                bare += usize::from(character.sets.is_empty());
            }
        }
    }
    assert!(saved > 500 && bare > 0, "{saved} saved, {bare} without attribute sets");
}

#[test]
fn character_files_match_the_expected_files() {
    for (name, text) in [("character.yaml", to_yaml(&rich())), ("character.json", to_json(&rich()))] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expected").join(name);
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let expected = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, expected, "{name} differs; UPDATE_EXPECT=1 rewrites it");
    }
}

/// Effects created at run time are written as bytes; version 1 wrote them without an envelope.
#[test]
fn files_of_older_versions_stay_readable() {
    let older = include_str!("../expected/character-v1.yaml");
    assert_eq!(from_text("character.yaml", older).unwrap(), rich());
    assert_ne!(to_yaml(&rich()), older, "the definition has an envelope now");
}

#[test]
fn own_and_official_schemas_accept_a_character() {
    let document: Value = serde_json::from_str(&to_json(&rich())).unwrap();
    let ours = schema::json_schema("gameplay_controller").unwrap();
    let official = super::official::beside("ugas-1.0.0-draft.1/schemas/gameplay_controller.json")
        .map(|path| serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap());
    for schema in [Some(ours), official].into_iter().flatten() {
        let validator = jsonschema::validator_for(&schema).unwrap();
        let errors: Vec<String> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}");
    }
}

const DRAFT_1: &str = "
$schema: https://raw.githubusercontent.com/jbltx/ugas/v1.0.0-draft.1/schemas/gameplay_controller.json
OwnerActor: { ActorID: player_state_042, ActorType: PlayerState }
AttributeSets:
  - Name: Combat
    Attributes: [ { Name: Health, BaseValue: 60, CurrentValue: 80 } ]
GrantedAbilities: [ { AbilityClass: GA_Bolt, Level: 2, InputID: Slot.1, Handle: abc, bIsActive: false } ]
ActiveEffects:
  - { Handle: h1, EffectClass: GE_Poison, Duration: 3.5, Stacks: 2, StartTime: 120.5, Level: 3, InstigatorGC: wolf_7 }
  - { Handle: h2, EffectClass: GE_Ring, Duration: -1, InstigatorGC: player_state_042 }
OwnedTags: [Class.Mage, State.Ill]
ReplicationMode: Full
";

#[test]
fn a_file_of_draft_1_is_read() {
    let character = from_text("saved.yaml", DRAFT_1).unwrap();
    assert_eq!((character.name.as_str(), character.owner), ("player_state_042", None));
    assert_eq!(character.base("Health"), Some(60.0));
    assert_eq!(character.own_tags, None);
    assert_eq!(character.tags, ["Class.Mage", "State.Ill"]);
    let poison = CharacterEffect {
        level: 3.0,
        stacks: 2,
        lifetime: Lifetime::Lasting { total: Span::seconds(3.5), left: Span::seconds(3.5) },
        instigator: Instigator::Other { owner: None, name: "wolf_7".to_owned() },
        ..CharacterEffect::new("GE_Poison")
    };
    let ring = CharacterEffect {
        order: 1,
        recency: 1,
        lifetime: Lifetime::Endless,
        instigator: Instigator::Itself,
        ..CharacterEffect::new("GE_Ring")
    };
    assert_eq!(character.effects, [poison, ring]);
    let bolt = CharacterAbility {
        order: 2,
        level: 2,
        input: Some("Slot.1".to_owned()),
        ..CharacterAbility::new("GA_Bolt")
    };
    assert_eq!(character.abilities, [bolt]);
}

#[test]
fn a_file_of_the_later_drafts_is_read() {
    let character = from_text(
        "saved.yaml",
        "
$schema: https://ugas.jbltx.com/v1.0.0-draft.9/schemas/gameplay_controller.json
OwnerActor: { ActorID: '12' }
AttributeSets: [ { Name: Combat } ]
ActiveEffects:
  - Handle: h1
    EffectClass: GE_Poison
    DurationPolicy: HasDuration
    RemainingDuration: 4
    InstigatorGC: '7'
    SourceAbility: GA_Bite
    PeriodicState: { PeriodElapsed: 1.5, ExecutionCount: 2 }
    CapturedAttributes: { Strength: 50 }
    SetByCallerMagnitudes: { Data.Amount: -3 }
  - { Handle: h2, EffectClass: GE_Aura, DurationPolicy: Infinite, InstigatorGC: '12' }
",
    )
    .unwrap();
    assert_eq!(character.owner, Some(ActorId(12)));
    let poison = &character.effects[0];
    assert_eq!(poison.instigator, Instigator::Other { owner: Some(ActorId(7)), name: String::new() });
    assert_eq!(poison.phase, Some(Phase { period: None, elapsed: Span::seconds(1.5), ticks: 2 }));
    assert_eq!(poison.captured[0].value, Some(50.0));
    assert_eq!(poison.set_by_caller, [("Data.Amount".to_owned(), -3.0)]);
    assert_eq!(poison.ability.as_ref().map(|ability| ability.ability.as_str()), Some("GA_Bite"));
    assert_eq!(character.effects[1].instigator, Instigator::Itself);
    assert_eq!(character.effects[1].lifetime, Lifetime::Endless);
}

/// End to end: a file of another tool is restored in a game and simulated.
#[test]
fn a_file_of_another_tool_can_be_played() {
    let pack = Loader::new()
        .text(
            "rules.yaml",
            "
$schema: https://x/schemas/attribute_set.json
Name: Combat
Attributes:
  - { Name: Health, DefaultBaseValue: 100, Clamping: { Min: 0, Max: MaxHealth } }
  - { Name: MaxHealth, DefaultBaseValue: 70 }
---
$schema: https://x/schemas/gameplay_effect.json
Name: GE_Poison
DurationPolicy: HasDuration
Duration: { Type: ScalableFloat, Value: 10 }
Period: { Period: 2 }
Stacking: { Type: AggregateByTarget, Limit: 5 }
GrantedTags: [State.Ill]
Modifiers: [ { Attribute: Health, Operation: Add, Magnitude: { Type: Expression, Expression: '-Level' } } ]
---
$schema: https://x/schemas/gameplay_effect.json
Name: GE_Ring
DurationPolicy: Infinite
Modifiers: [ { Attribute: MaxHealth, Operation: Add, Magnitude: { Type: ScalableFloat, Value: 30 } } ]
---
$schema: https://x/schemas/gameplay_ability.json
Name: GA_Bolt
---
$schema: https://x/schemas/gameplay_controller.json
Name: Other
OwnerActor: {}
AttributeSets: [ { Name: Combat } ]
OwnedTags: [Class.Mage]
",
        )
        .load()
        .unwrap();
    let character = from_text("saved.yaml", DRAFT_1).unwrap();
    let mut sim = Simulation::new(pack.catalog.clone(), Config::default());
    let (id, report) = sim.restore_character(&character, &RestoreOptions::default()).unwrap();
    let catalog = pack.catalog;
    let (health, max) = (catalog.attribute("Health").unwrap(), catalog.attribute("MaxHealth").unwrap());
    assert_eq!((sim.current(id, health), sim.current(id, max)), (Some(60.0), Some(100.0)));
    // The poison grants State.Ill; Class.Mage is the character's own tag.
    let tags = sim.tags(id).unwrap();
    assert_eq!(tags.count(catalog.tag("State.Ill").unwrap()), 1);
    assert_eq!(tags.count(catalog.tag("Class.Mage").unwrap()), 1);
    // The current Health in the file differs from the derived one, and the instigator (the wolf) is missing.
    let outcomes: Vec<&CharacterOutcome> = report.entries.iter().map(|entry| &entry.outcome).collect();
    assert_eq!(
        outcomes,
        [
            &CharacterOutcome::Orphaned,
            &CharacterOutcome::Appeared { base: 70.0 },
            &CharacterOutcome::ValueDiffers { was: 80.0, is: 60.0 },
        ]
    );
    // A tick every 2 s from now on: 2 stacks at level 3 take 6; the second tick would be at 4, after the end
    // at 3.5.
    sim.advance(Span::seconds(3.5));
    assert_eq!(sim.base(id, health), Some(54.0));
    assert!(!sim.has_tag(id, catalog.tag("State.Ill").unwrap()));
}

fn diagnostic_lines(name: &str, text: &str) -> Vec<String> {
    let error = from_text(name, text).unwrap_err();
    let report = error.report;
    report
        .diagnostics
        .iter()
        .map(|found| {
            let at = report.source_map.position(found.span);
            assert!(!found.help.is_empty(), "{}", found.message);
            format!("{} {}:{} {}", found.code, at.line, at.column, found.message)
        })
        .collect()
}

#[test]
fn invalid_files_are_reported_with_positions() {
    let head = "$schema: https://x/schemas/gameplay_controller.json\nOwnerActor: {}\nAttributeSets: [ { Name: A } ]\n";
    let effect = |rest: &str| format!("{head}ActiveEffects:\n  - Handle: a\n    EffectClass: E\n{rest}");
    for (text, expected) in [
        (effect("    Stacks: many\n"), "UG011 7:13 expected a whole number from 1, found the text \"many\""),
        (effect("    RemainingDuration: -2\n"), "UG132 7:24 expected the remaining seconds, or -1, found -2"),
        (
            effect("    Saved: { Stream: 12 }\n"),
            "UG011 7:22 expected `hex:` and pairs of hexadecimal digits, found the number 12",
        ),
        (effect("    Saved: { Stream: hex:12 }\n"), "UG017 7:22 expected 8 bytes, found 1"),
        (
            effect("    Saved: { Definition: hex:ff }\n"),
            "UG011 7:26 expected the definition of an effect: at byte 1: ",
        ),
        (
            effect("    Saved: { Causer: Bob }\n"),
            "UG011 7:22 expected the number of an actor, in quotes, found",
        ),
        ("Name: [\n".to_owned(), "UG004 "),
        (String::new(), "UG008 1:1 the file has no character"),
        (
            "$schema: https://x/schemas/gameplay_effect.json\nName: E\nDurationPolicy: Infinite\n".to_owned(),
            "UG008 1:1 the file has no character",
        ),
    ] {
        let found = diagnostic_lines("bad.yaml", &text);
        assert!(found.iter().any(|line| line.starts_with(expected)), "{expected}\n{found:#?}");
    }
    assert!(diagnostic_lines("bad.json", "{ \"OwnerActor\": ")[0].starts_with("UG004 1:"));
}

#[test]
fn hostile_texts_never_panic() {
    let text = to_yaml(&rich());
    for end in (0..text.len()).filter(|&end| text.is_char_boundary(end)).step_by(7) {
        let _ = from_text("cut.yaml", &text[..end]);
    }
    let json: Value = serde_json::from_str(&to_json(&rich())).unwrap();
    let mut odd = json;
    odd["ActiveEffects"] = json!([1, null, "x", { "Handle": [], "EffectClass": {}, "Saved": 7 }]);
    odd["Saved"] = json!([[[]]]);
    assert!(from_text("odd.json", odd.to_string()).is_err());
}

#[test]
fn cut_yaml_file_is_noticed_at_every_byte() {
    let text = to_yaml_file(&rich());
    assert_eq!(from_text("a.yaml", text.clone()).unwrap(), rich());
    for end in 0..text.trim_end().len() {
        let Some(cut) = text.get(..end) else { continue };
        assert!(from_text("a.yaml", cut).is_err(), "cut at {end}:\n{cut}");
    }
}
