//! Scenarios that begin with a state: exports of the inspector, with every command.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::inspect::start;
use crate::page::Client;
use crate::{Answer, empty_folder, ugas_in};

/// A poison that ticks each second, and a bolt with a casting time.
const STORY: &str = "
Name: a slow bolt
Seed: 3
Definitions:
  - $schema: https://example.org/schemas/attribute_set.json
    Name: Combat
    Attributes: [ { Name: Health, DefaultBaseValue: 100 } ]
  - $schema: https://example.org/schemas/gameplay_effect.json
    Name: GE_Poison
    DurationPolicy: HasDuration
    Duration: { Type: ScalableFloat, Value: 10 }
    Period: { Period: 1 }
    GrantedTags: [State.Poisoned]
    Modifiers: [ { Attribute: Health, Operation: Add, Magnitude: { Type: ScalableFloat, Value: -5 } } ]
  - $schema: https://example.org/schemas/gameplay_effect.json
    Name: GE_Hit
    DurationPolicy: Instant
    Modifiers: [ { Attribute: Health, Operation: Add, Magnitude: { Type: ScalableFloat, Value: -10 } } ]
  - $schema: https://example.org/schemas/gameplay_ability.json
    Name: GA_Bolt
    Tasks:
      - { Type: WaitDelay, Params: { Duration: 3 } }
      - { Type: ApplyEffectToTarget, Params: { EffectClass: GE_Hit } }
Controllers:
  hero: { AttributeSets: [Combat], Abilities: [ { Ability: GA_Bolt } ] }
  wolf: { AttributeSets: [Combat] }
Steps:
  - Apply: { Effect: GE_Poison, Source: hero, Target: wolf }
  - Activate: { Controller: hero, Ability: GA_Bolt, Target: wolf }
  - Advance: 6
";

/// A folder with `moment.yaml`, exported from a recording at 2.5 s, without the recorded scenario; and the hash of
/// the final state.
fn exported(name: &str) -> (PathBuf, String) {
    let folder = empty_folder(name);
    std::fs::write(folder.join("story.yaml"), STORY).unwrap();
    let run = ugas_in(
        &folder,
        ["run", "story.yaml", "--record", "story.ugasrec", "--step", "0.5", "--format", "json"],
    );
    assert_eq!(run.status, 0, "{}", run.stderr);
    let hash = run.json()["scenarios"][0]["hash"].as_str().unwrap().to_owned();
    std::fs::remove_file(folder.join("story.yaml")).unwrap();
    let (_running, address) = start(&[folder.join("story.ugasrec").to_str().unwrap(), "--port", "0"]);
    let mut client = Client::open(address.parse().unwrap());
    let times = client.answer(json!({ "request": "moments" }))["times"].clone();
    let at = times.as_array().unwrap().iter().position(|time| *time == json!(2.5)).unwrap();
    let export = client.answer(json!({ "request": "export", "at": at }));
    assert_eq!(export["exact"], json!(true), "{export}");
    std::fs::write(folder.join("moment.yaml"), export["text"].as_str().unwrap()).unwrap();
    (folder, hash)
}

fn fine(folder: &Path, arguments: &[&str]) -> Answer {
    let answer = ugas_in(folder, arguments);
    assert_eq!(answer.status, 0, "{arguments:?}\n{}{}", answer.stdout, answer.stderr);
    answer
}

/// Appends steps to the exported moment.
fn go_on(folder: &Path, steps: &str) {
    let file = folder.join("moment.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(file, text.replace("\nState: |", &format!("\n{steps}\nState: |"))).unwrap();
}

#[test]
fn exported_moment_continues_like_the_game() {
    let (folder, hash) = exported("state-goes-on");
    let text = std::fs::read_to_string(folder.join("moment.yaml")).unwrap();
    // Two ticks of the poison; the bolt is still to come.
    assert!(text.contains("Health: 90") && !text.contains("Pack:"), "{text}");
    fine(&folder, &["check", "moment.yaml", "--deny-warnings"]);
    fine(&folder, &["run", "moment.yaml"]);
    go_on(&folder, "  - At: 6\n  - Expect: { Time: 6, wolf: { Health: 60 } }"); // 100 - 6 × 5 - 10
    for step in ["10", "0.37", "0.05"] {
        let run = fine(&folder, &["run", "moment.yaml", "--step", step, "--format", "json"]).json();
        assert_eq!(run["scenarios"][0]["hash"], json!(hash), "{step}");
    }
}

#[test]
fn every_command_accepts_an_initial_state() {
    let (folder, _) = exported("state-commands");
    go_on(&folder, "  - At: 6");
    fine(&folder, &["run", "moment.yaml", "--sync-test=3"]);
    fine(&folder, &["run", "moment.yaml", "--record", "again.ugasrec"]);
    fine(&folder, &["replay", "again.ugasrec", "--verify"]);
    fine(&folder, &["run", "moment.yaml", "--csv", "moment.csv", "--plot", "moment.svg", "--every", "0.5"]);
    let csv = std::fs::read_to_string(folder.join("moment.csv")).unwrap();
    assert!(csv.lines().nth(1).unwrap().contains("2.5"), "the first moment is that of the state:\n{csv}");
    assert!(csv.lines().last().unwrap().contains('6'), "{csv}");
    let explain = |at: &'static str| {
        [
            "explain",
            "moment.yaml",
            "--controller",
            "wolf",
            "--attribute",
            "Health",
            "--format",
            "json",
            "--at",
            at,
        ]
    };
    // The tick of the third second and the bolt.
    assert_eq!(fine(&folder, &explain("3.5")).json()["current"], json!(75.0));
    let before = ugas_in(&folder, explain("1"));
    assert_eq!(before.status, 2);
    assert!(
        before.stderr.contains("begins with a state at 2.5 s, and 1 s is before that"),
        "{}",
        before.stderr
    );
    let (running, address) = start(&[folder.join("moment.yaml").to_str().unwrap(), "--port", "0"]);
    let mut client = Client::open(address.parse().unwrap());
    let world = client.answer(json!({ "request": "world", "at": 0, "attribute": "Health" }));
    assert_eq!(world["time"], json!(2.5), "{world}");
    let export = client.answer(json!({ "request": "export" }));
    // Exported again from the exported moment.
    assert!(export["text"].as_str().unwrap().contains("Name: the moment at 2.5 s"), "{export}");
    drop(running);
}

#[test]
fn sweep_uses_other_seeds_from_the_state_on() {
    let (folder, _) = exported("state-sweep");
    let file = folder.join("moment.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    // With another seed the state differs.
    let text: String =
        text.lines().filter(|line| !line.contains("Hash:")).map(|line| format!("{line}\n")).collect();
    std::fs::write(&file, text).unwrap();
    let sweep = fine(
        &folder,
        &["sweep", "moment.yaml", "--runs", "3", "--measure", "wolf.Health", "--format", "json"],
    );
    assert!(sweep.stdout.contains("90"), "{}", sweep.stdout);
    let varied = ugas_in(&folder, ["sweep", "moment.yaml", "--vary", "wolf.Health=1..2:1", "--runs", "1"]);
    assert_eq!(varied.status, 2, "{}", varied.stdout);
    assert!(varied.stderr.contains("`Base` has no effect on it"), "{}", varied.stderr);
}

#[test]
fn invalid_state_is_reported_with_its_position() {
    let (folder, _) = exported("state-wrong");
    let file = folder.join("moment.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("State: |\n  V", "State: |\n  ?")).unwrap();
    let line = 1 + text.lines().position(|line| line == "State: |").unwrap() + 1;
    let check = ugas_in(&folder, ["check", "moment.yaml", "--format", "json"]);
    assert_eq!(check.status, 1);
    let found: Value = check.json()["diagnostics"][0].clone();
    assert_eq!(
        (&found["code"], &found["line"], &found["column"]),
        (&json!("UG044"), &json!(line), &json!(3))
    );
    let run = ugas_in(&folder, ["run", "moment.yaml"]);
    assert_eq!(run.status, 1);
    assert!(
        run.stdout.contains("UG044") && run.stdout.contains("not base64"),
        "{}{}",
        run.stdout,
        run.stderr
    );
}
