//! Scenarios with an initial state: they continue like the original game, and every error is reported.

use std::path::PathBuf;
use std::sync::Arc;

use proptest::prelude::*;
use ugas_core::catalog::Catalog;
use ugas_core::command::Command;
use ugas_core::effect::EffectDef;
use ugas_core::modifier::Operation;
use ugas_core::simulation::{Config, Simulation, Snapshot};
use ugas_core::time::{Span, Time};
use ugas_data::Loader;
use ugas_data::diagnostics::Severity;
use ugas_data::scenario::{Options, Outcome, Runner, Scenario, state_text};

/// Duel with much active state: a poison between two ticks, an ability between two tasks, a running cooldown,
/// a held input.
const RULES: &str = "
Definitions:
  - $schema: x/schemas/attribute_set.json
    Name: Combat
    Attributes: [ { Name: Health, DefaultBaseValue: 100 } ]
  - $schema: x/schemas/gameplay_effect.json
    Name: GE_Poison
    DurationPolicy: HasDuration
    Duration: { Type: ScalableFloat, Value: 10 }
    Period: { Period: 1 }
    GrantedTags: [State.Poisoned]
    Modifiers: [ { Attribute: Health, Operation: Add, Magnitude: { Type: ScalableFloat, Value: -5 } } ]
  - $schema: x/schemas/gameplay_effect.json
    Name: GE_Hit
    DurationPolicy: Instant
    Modifiers: [ { Attribute: Health, Operation: Add, Magnitude: { Type: ScalableFloat, Value: -10 } } ]
  - $schema: x/schemas/gameplay_effect.json
    Name: GE_Cool
    DurationPolicy: HasDuration
    Duration: { Type: ScalableFloat, Value: 6 }
    GrantedTags: [Cooldown.Bolt]
  - $schema: x/schemas/gameplay_ability.json
    Name: GA_Bolt
    Cooldown: GE_Cool
    Tasks:
      - { Type: WaitDelay, Params: { Duration: 3 } }
      - { Type: ApplyEffectToTarget, Params: { EffectClass: GE_Hit } }
      - { Type: WaitDelay, Params: { Duration: 2 } }
      - { Type: ApplyEffectToOwner, Params: { EffectClass: GE_Hit } }
";

const STORY: &str = "
Controllers:
  hero: { AttributeSets: [Combat], Abilities: [ { Ability: GA_Bolt, InputID: Slot.1 } ] }
  wolf: { AttributeSets: [Combat] }
Steps:
  - Apply: { Effect: GE_Poison, Source: hero, Target: wolf }
  - Advance: 0.25
  - Input: { Controller: hero, Press: Slot.2 }
  - Activate: { Controller: hero, Ability: GA_Bolt, Target: wolf }
  - Advance: 1.5
";

fn scenario(text: &str) -> Scenario {
    let read = Scenario::from_text("story.yaml", text);
    read.unwrap_or_else(|error| panic!("{error:?}\n{text}")).remove(0)
}

/// Simulation of the duel after 1.75 s.
fn duel() -> Simulation {
    let story = scenario(&format!("Name: a duel\n{RULES}{STORY}"));
    let mut runner = Runner::new(&story, story.catalog().unwrap(), Options::default()).unwrap();
    runner.run(|_| {});
    let simulation = runner.simulation().clone();
    assert!(runner.into_outcome().passed());
    simulation
}

/// Value of `State` as an indented block.
fn block(bytes: &[u8]) -> String {
    let lines = state_text(bytes).lines().map(|line| format!("\n  {line}")).collect::<String>();
    format!("|{lines}\n")
}

/// Scenario whose initial state is a simulation with its rules.
fn beginning_with(simulation: &Simulation, rest: &str) -> String {
    let state = block(&simulation.snapshot().to_bytes_with_rules());
    format!("Name: a moment\n{rest}\nState: {state}")
}

#[track_caller]
fn run(text: &str) -> Outcome {
    let outcome = scenario(text).run(&Options::default());
    assert!(outcome.passed(), "{:?}\n{text}", outcome.failures);
    outcome
}

const NAMES: &str = "Controllers: { hero: { Handle: controller0v1 }, wolf: { Handle: controller1v1 } }";

#[test]
fn restored_scenario_continues_like_the_game() {
    let mut game = duel();
    for seconds in 0..=10 {
        let outcome = run(&beginning_with(&duel(), &format!("Steps: [ {{ Advance: {seconds} }} ]")));
        assert_eq!(outcome.hash, Some(game.state_hash()), "after {seconds} s");
        game.advance(Span::seconds(1.0));
    }
    // Ten ticks of poison and a bolt; the second hit is on the hero.
    run(&beginning_with(
        &duel(),
        &format!(
            "{NAMES}
Steps:
  - Expect: {{ Time: 1.75, Hash: \"{:016x}\", wolf: {{ Health: 95, Tags: {{ Has: [State.Poisoned] }} }} }}
  - Expect: {{ hero: {{ Abilities: {{ GA_Bolt: Active }}, Cooldown: {{ GA_Bolt: 4.5 }}, Tasks: {{ WaitDelay: 1 }} }} }}
  - Activate: {{ Controller: hero, Ability: GA_Bolt, Target: wolf }}
  - Expect: {{ Last: AlreadyActive }}
  - At: 3.25
  - Expect: {{ wolf: {{ Health: 75 }}, Events: {{ Count: {{ EffectExecuted: 3 }} }} }}
  - Advance: 2
  - Expect: {{ Time: 5.25, hero: {{ Health: 90, Abilities: {{ GA_Bolt: Inactive }} }}, wolf: {{ Health: 65 }} }}
  - Apply: {{ Effect: GE_Hit, Source: hero, Target: wolf }}
  - At: 12
  - Expect: {{ wolf: {{ Health: 30, Tags: {{ HasNot: [State.Poisoned] }} }} }}",
            duel().state_hash()
        ),
    ));
}

#[test]
fn step_size_does_not_change_the_result() {
    // V4.
    let text = beginning_with(&duel(), "Steps: [ { Advance: 9.3 } ]");
    let expected = run(&text).hash;
    for step in [0.01, 0.37, 2.0] {
        let step = Some(Span::seconds(step));
        assert_eq!(scenario(&text).run(&Options { step, ..Options::default() }).hash, expected);
    }
}

#[test]
fn controllers_can_be_added_to_the_state() {
    let steps = "Steps:
  - Apply: { Effect: GE_Hit, Source: imp, Target: wolf }
  - Expect: { wolf: { Health: 85 }, imp: { Health: 7 } }";
    let names = "Controllers: { imp: { AttributeSets: [Combat], Base: { Health: 7 } }, wolf: { Handle: controller1v1 } }";
    let outcome = run(&beginning_with(&duel(), &format!("{names}\n{steps}")));
    assert_eq!(
        outcome.controllers.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
        ["imp", "wolf"]
    );
}

#[test]
fn seed_of_the_state_is_used_without_a_seed_in_the_file() {
    let outcome = |rest: &str| run(&beginning_with(&duel(), rest)).hash;
    let own = outcome("Steps: []");
    assert_eq!(own, Some(duel().state_hash()));
    assert_eq!(outcome("Seed: 0\nSteps: []"), own); // That of the duel.
    assert_ne!(outcome("Seed: 5\nSteps: []"), own);
    let text = beginning_with(&duel(), "Steps: []");
    let moment = scenario(&text);
    let seeded = Runner::seeded(&moment, moment.catalog().unwrap(), Options::default(), 5).unwrap();
    assert_eq!(Some(seeded.simulation().state_hash()), outcome("Seed: 5\nSteps: []"));
}

#[test]
fn effects_created_at_run_time_are_restored() {
    let mut game = duel();
    let made = EffectDef::lasting("GE_Made", 4.0).every(1.0).modify("Health", Operation::Add, -1.0);
    let effect = game.define_effect(made).unwrap();
    let wolf = game.controllers().nth(1).unwrap().0;
    game.apply_effect(effect, None, wolf).unwrap();
    let outcome = run(&beginning_with(
        &game,
        &format!("{NAMES}\nSteps: [ {{ Advance: 2.5 }}, {{ Expect: {{ wolf: {{ Health: 68 }} }} }} ]"),
    ));
    game.advance(Span::seconds(2.5));
    assert_eq!(outcome.hash, Some(game.state_hash())); // 95 - 3 × 5 - 2 × 1 - 10 of the bolt
}

#[test]
fn state_without_rules_runs_under_equal_rules() {
    let state = block(&duel().snapshot().to_bytes());
    // Equal rules come from equal text, including tags that only steps use.
    let text = format!("Name: a moment\n{RULES}{NAMES}\nSteps: [ {{ Advance: 1 }} ]\nState: {state}");
    let mut game = duel();
    game.advance(Span::seconds(1.0));
    assert_eq!(run(&text).hash, Some(game.state_hash()));
}

#[test]
fn state_can_be_in_a_separate_file() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("state-in-a-file");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("duel.state"), duel().snapshot().to_bytes_with_rules()).unwrap();
    std::fs::write(folder.join("moment.yaml"), "Name: a moment\nState: { File: duel.state }\nSteps: []\n")
        .unwrap();
    let moment = Scenario::load(folder.join("moment.yaml")).unwrap().remove(0);
    assert_eq!(moment.begins_at(), Time::from_seconds(1.75));
    assert_eq!(moment.run(&Options::default()).hash, Some(duel().state_hash()));
    let report = ugas_data::check([folder.join("moment.yaml")]);
    assert_eq!(report.errors(), 0, "{report}");
}

#[test]
fn limits_are_those_of_the_file() {
    let text = |config: &str| {
        format!(
            "Name: limits\n{RULES}{config}Controllers: {{ wolf: {{ AttributeSets: [Combat] }} }}
Steps:
  - Apply: {{ Effect: GE_Poison, Target: wolf }}
  - Apply: {{ Effect: GE_Poison, Target: wolf }}
"
        )
    };
    run(&text(""));
    let refused = scenario(&text("Config: { MaxEffectsPerController: 1 }\n")).run(&Options::default());
    assert_eq!(refused.failures[0].actual, "LimitReached", "{:?}", refused.failures);
}

#[test]
fn prefix_of_a_scenario_with_a_state_starts_at_its_time() {
    let text = beginning_with(&duel(), "Steps: [ { Advance: 1 }, { At: 5 } ]");
    let moment = scenario(&text);
    let cut = |seconds| moment.until(Time::from_seconds(seconds)).remove(0);
    let steps = |seconds| cut(seconds).get("Steps").unwrap().items().len();
    // It begins at 1.75 s, and the first step ends at 2.75 s.
    assert_eq!([steps(1.75), steps(2.0), steps(2.75), steps(4.0)], [0, 1, 1, 2]);
    let again = scenario(&ugas_data::node::to_yaml(&cut(4.0)));
    let mut game = duel();
    game.advance(Span::seconds(2.25));
    assert_eq!(again.run(&Options::default()).hash, Some(game.state_hash()));
}

#[test]
fn time_before_the_state_is_an_error() {
    let moment = scenario(&beginning_with(&duel(), "Steps: [ { Advance: 1 } ]"));
    let until = |seconds| Options { until: Some(Time::from_seconds(seconds)), ..Options::default() };
    let Err(failure) = Runner::new(&moment, moment.catalog().unwrap(), until(1.5)) else { panic!("it runs") };
    assert_eq!(failure.message, "the scenario begins with a state at 1.75 s, and 1.5 s is before that");
    assert!(moment.run(&until(1.75)).passed());
}

#[test]
fn different_state_hash_fails() {
    let text = beginning_with(&duel(), "Steps:\n  - Expect: { Hash: \"0123456789abcdef\" }");
    let outcome = scenario(&text).run(&Options::default());
    let found = format!("{:016x}", duel().state_hash());
    assert_eq!(outcome.failures.len(), 1);
    let failure = &outcome.failures[0];
    assert_eq!((failure.line, &*failure.expected, &failure.actual), (3, "0123456789abcdef", &found));
}

#[test]
fn state_is_migrated_to_other_rules_like_a_reload() {
    let softer = RULES.replace("Value: -5", "Value: -1");
    let state = block(&duel().snapshot().to_bytes_with_rules());
    let text = |rules: &str| {
        format!(
            "Name: a moment\n{rules}{NAMES}
Steps: [ {{ Advance: 1 }}, {{ Expect: {{ wolf: {{ Health: 94 }} }} }} ]
State: {state}"
        )
    };
    run(&text(&softer));
    let notes = check(&text(&softer));
    assert!(
        notes.iter().any(|(code, severity, ..)| code == "UG046" && *severity == Severity::Note),
        "{notes:?}"
    );
    // A removed definition removes its effect, and a later failure mentions it.
    let gone = RULES.replace("GE_Poison", "GE_Plague");
    let warnings = check(&text(&gone));
    let (_, severity, _, message) = warnings.iter().find(|(code, ..)| code == "UG046").unwrap();
    assert_eq!(*severity, Severity::Warning);
    assert!(message.contains("effect `GE_Poison` is gone"), "{message}");
    let outcome = scenario(&text(&gone)).run(&Options::default());
    assert!(outcome.failures[0].message.contains("taken under other rules"), "{:?}", outcome.failures);
}

/// Diagnostics of a file: code, severity, position and message.
fn check(text: &str) -> Vec<(String, Severity, String, String)> {
    let report = Loader::new().text("moment.yaml", text).as_set().check();
    let found = report.diagnostics.iter().map(|found| {
        let at = report.source_map.position(found.span);
        let place = format!("{}:{}", at.line, at.column);
        assert!(!found.help.is_empty(), "{found:?}");
        (found.code.to_owned(), found.severity, place, found.message.clone())
    });
    found.collect()
}

/// Checks that the file has one error with this code and position, and that a run reports the same.
#[track_caller]
fn check_error(text: &str, code: &str, place: &str, words: &str) {
    let found = check(text);
    let errors: Vec<_> = found.iter().filter(|(_, severity, ..)| *severity == Severity::Error).collect();
    let [(found, _, at, message)] = errors[..] else { panic!("{errors:?}\n{text}") };
    assert_eq!((found.as_str(), at.as_str()), (code, place), "{message}");
    assert!(message.contains(words), "{message}");
    let outcome = scenario(text).run(&Options::default());
    let failure = outcome.failures.first().expect("a run that cannot begin");
    assert!(failure.message.contains(words), "{failure:?}");
    assert_eq!(failure.line.to_string(), place.split(':').next().unwrap());
    assert_eq!(outcome.hash, None);
}

/// Scenario with an inline state of one line.
fn moment(text: &str) -> String {
    format!("Name: a moment\nSteps: []\nState: {text}\n")
}

fn one_line(bytes: &[u8]) -> String {
    state_text(bytes).replace('\n', "")
}

#[test]
fn invalid_state_is_reported_with_its_position() {
    let mistake = |text: &str, place: &str, words: &str| check_error(&moment(text), "UG044", place, words);
    mistake("VUdT-g==", "3:12", "`-` does not belong there");
    mistake("|\n  VUdT\n  V?dT", "5:4", "`?` does not belong there");
    mistake("VUdTT", "3:13", "last characters are missing");
    mistake("\"\"", "3:9", "the bytes end");
    // Bytes of another format.
    mistake(&one_line(b"a recording"), "3:8", "this is something else");
    // A version of the future, 255 as LEB128, in the fifth byte.
    mistake(&one_line(b"UGSN\xff\x01"), "3:13", "the format version is 255");
    let whole = duel().snapshot().to_bytes_with_rules();
    mistake(&one_line(&whole[..whole.len() - 1]), &last_place(whole.len() - 9), "the checksum is");
    let mut damaged = whole.clone();
    damaged[40] ^= 1;
    mistake(&one_line(&damaged), &last_place(whole.len() - 8), "the checksum is");
    mistake("{ File: nowhere.state }", "3:16", "`nowhere.state` cannot be read");
    mistake("{ File: . }", "3:16", "not a regular file");
}

/// No follow-up errors: the controllers of the state are unknown.
#[test]
fn state_of_another_type_is_the_only_error() {
    for (state, place) in [("5", "5:8"), ("", "5:6"), ("[]", "5:8")] {
        let text = format!(
            "Name: a moment\nControllers: {{ hero: {{ Handle: controller0v1 }} }}\nSteps:\n  - Expect: {{ hero: {{ Health: 5 }} }}\nState: {state}\n"
        );
        let found = check(&text);
        let [(code, _, at, _)] = &found[..] else { panic!("{found:?}\n{text}") };
        assert_eq!((code.as_str(), at.trim_end()), ("UG011", place), "{text}");
    }
}

/// Position of a byte of a state in one line, whose text begins in column 8: three bytes are four characters.
fn last_place(byte: usize) -> String {
    format!("3:{}", 8 + byte / 3 * 4 + byte % 3)
}

#[test]
fn state_without_rules_and_pack_is_reported() {
    let bare = one_line(&duel().snapshot().to_bytes());
    check_error(&moment(&bare), "UG044", "3:8", "does not contain rules, and the scenario names none");
    let others = RULES.replace("Value: -5", "Value: -1");
    let text = format!("Name: a moment\nSteps: []\nState: {bare}\n{others}");
    // The hash of the catalog is in the sixth byte.
    check_error(&text, "UG044", "3:14", "other rules than these, and does not contain its own");
}

#[test]
fn missing_native_code_is_reported() {
    let catalog: Arc<Catalog> = Catalog::builder().custom_task("Dance", Dance).build().unwrap();
    let game = Simulation::new(catalog.clone(), Config::default());
    let text = moment(&one_line(&game.snapshot().to_bytes_with_rules()));
    check_error(&text, "UG044", "3:8", "native code is missing");
    // With the native code it runs.
    let read = scenario(&text);
    let runner = Runner::new(&read, catalog, Options::default()).unwrap();
    assert_eq!(runner.simulation().state_hash(), game.state_hash());
}

struct Dance;

impl ugas_core::task::CustomTask for Dance {
    fn activate(&self, _: &mut ugas_core::task::TaskContext<'_>) -> ugas_core::task::TaskProgress {
        ugas_core::task::TaskProgress::Done
    }
}

#[test]
fn invalid_handles_are_reported() {
    let text = |controllers: &str| {
        let state = one_line(&duel().snapshot().to_bytes_with_rules());
        format!("Name: a moment\nControllers:\n{controllers}\nSteps: []\nState: {state}\n")
    };
    let mistake = |controllers: &str, place: &str, words: &str| {
        check_error(&text(controllers), "UG045", place, words);
    };
    mistake("  hero: { Handle: controller7v1 }", "3:19", "the state has no controller `controller7v1`");
    mistake("  hero: { Handle: controller0v2 }", "3:19", "the state has no controller `controller0v2`");
    mistake(
        "  hero: { Handle: controller0v1 }\n  wolf: { Handle: controller0v1 }",
        "4:19",
        "`controller0v1` is called `hero` already",
    );
    mistake("  hero: { Handle: controller0v1, Base: { Health: 1 } }", "3:19", "`Base` has no effect on it");
    let without = "Name: a moment\nControllers:\n  hero: { Handle: controller0v1 }\nSteps: []\n";
    check_error(without, "UG045", "3:19", "the scenario has no `State`");
    // A text that is not a handle is an error of the file.
    assert!(Scenario::from_text("moment.yaml", text("  hero: { Handle: wolf }")).is_err());
}

#[test]
fn names_in_steps_resolve_against_the_rules_of_the_state() {
    let text = beginning_with(
        &duel(),
        &format!(
            "{NAMES}
Steps:
  - Apply: {{ Effect: GE_Poisn, Target: wolf }}
  - Expect: {{ wolf: {{ Helth: 1, Tags: {{ Has: [State.Poisned] }} }} }}
  - Activate: {{ Controller: hreo, Ability: GA_Blot }}"
        ),
    );
    let mut codes: Vec<String> = check(&text).into_iter().map(|(code, ..)| code).collect();
    codes.sort();
    // Attribute, effect, ability, tag, controller.
    assert_eq!(codes, ["UG021", "UG023", "UG024", "UG025", "UG037"]);
}

#[test]
fn exported_state_is_valid_by_the_schema() {
    let schema = ugas_data::schema::json_schema("scenario").unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let scenario = |state: serde_json::Value| {
        serde_json::json!({
            "Name": "a moment", "State": state, "Config": { "MaxStacks": 5, "PredictionSeed": "18446744073709551615" },
            "Controllers": { "hero": { "Handle": "controller0v1" } },
            "Steps": [ { "Expect": { "Hash": "0123456789abcdef", "hero": { "Health": 1 } } } ],
        })
    };
    assert!(validator.is_valid(&scenario(state_text(&duel().snapshot().to_bytes()).into())));
    assert!(validator.is_valid(&scenario(serde_json::json!({ "File": "duel.state" }))));
    assert!(!validator.is_valid(&scenario("not a state: ?".into())));
    assert!(!validator.is_valid(&scenario(serde_json::json!({}))));
    assert!(!validator.is_valid(&scenario(5.into())));
}

#[test]
fn command_observer_gets_the_state_before_the_first_command() {
    struct FirstState(Option<u64>, Vec<String>);
    impl ugas_data::scenario::CommandObserver for FirstState {
        fn begin(&mut self, simulation: &Simulation) {
            self.0 = Some(simulation.state_hash());
        }
        fn name(&mut self, controller: ugas_core::handle::ControllerId, name: &str) {
            self.1.push(format!("{controller:?} {name}"));
        }
        fn before(&mut self, _: &Simulation, _: &Command) {}
        fn after(&mut self, _: &Simulation) {}
    }
    struct NoObserver;
    impl ugas_data::scenario::Observer for NoObserver {}
    let moment = scenario(&beginning_with(&duel(), &format!("{NAMES}\nSteps: [ {{ Advance: 1 }} ]")));
    let mut first = FirstState(None, Vec::new());
    assert!(moment.run_with_command_observer(&Options::default(), &mut NoObserver, &mut first).passed());
    assert_eq!(first.0, Some(duel().state_hash()));
    assert_eq!(first.1, ["controller0v1 hero", "controller1v1 wolf"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A damaged text is either rejected with a message, or runs.
    #[test]
    fn damaged_states_are_refused(at in 0usize..10_000, bit in 0u32..8, cut in 0usize..10_000) {
        let mut bytes = duel().snapshot().to_bytes_with_rules();
        let length = bytes.len();
        bytes[at % length] ^= 1 << bit;
        bytes.truncate(length - cut % 4 * (cut % length) / 4);
        let text = moment(&one_line(&bytes));
        prop_assert!(Snapshot::time_of(&bytes).is_err());
        prop_assert!(!scenario(&text).run(&Options::default()).passed());
        prop_assert!(check(&text).iter().any(|(code, ..)| code == "UG044"));
    }
}
