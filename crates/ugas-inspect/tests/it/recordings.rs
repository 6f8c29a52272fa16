//! Recordings and scenarios: going to any moment, and exporting it as a file.

use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use ugas_core::ability::{AbilityDef, AbilityState};
use ugas_core::attribute::{AttributeDef, AttributeSetDef};
use ugas_core::catalog::Catalog;
use ugas_core::command::Command;
use ugas_core::controller::ControllerDef;
use ugas_core::effect::{AbilityGrantDef, EffectDef};
use ugas_core::handle::ControllerId;
use ugas_core::input::InputBufferConfig;
use ugas_core::modifier::Operation;
use ugas_core::simulation::{Config, Role, Simulation, Spawn};
use ugas_core::task::{CustomTask, TaskContext, TaskDef, TaskProgress};
use ugas_core::time::Span;
use ugas_data::scenario::{Options, Outcome, Runner, Scenario};
use ugas_inspect::{Inspector, Settings};
use ugas_replay::{Player, Recorder, Recording, Settings as RecordSettings};

use crate::catalog;
use crate::client::Client;

const STORY: &str = "
Name: a poisoned wolf
Definitions:
  - $schema: https://example.org/schemas/attribute_set.json
    Name: Combat
    Attributes: [ { Name: Health, DefaultBaseValue: 100 } ]
  - $schema: https://example.org/schemas/gameplay_effect.json
    Name: GE_Poison
    DurationPolicy: HasDuration
    Duration: { Type: ScalableFloat, Value: 10 }
    Period: { Period: 1 }
    Modifiers: [ { Attribute: Health, Operation: Add, Magnitude: { Type: ScalableFloat, Value: -5 } } ]
  - $schema: https://example.org/schemas/gameplay_effect.json
    Name: GE_Hit
    DurationPolicy: Instant
    Modifiers: [ { Attribute: Health, Operation: Add, Magnitude: { Type: ScalableFloat, Value: -10 } } ]
Controllers:
  wolf: { AttributeSets: [Combat] }
Steps:
  - Apply: { Effect: GE_Poison, Target: wolf }
  - Advance: 2.5
  - Apply: { Effect: GE_Hit, Target: wolf }
  - Advance: 2.5
  - Expect: { wolf: { Health: 65 } }
";

/// The recording of one long tick.
fn recorded() -> Player<Cursor<Vec<u8>>> {
    let catalog = catalog();
    let mut simulation = Simulation::new(catalog.clone(), Config::seeded(7));
    let mut recorder = Recorder::new(Vec::new(), &simulation, RecordSettings::default()).unwrap();
    recorder.execute(&mut simulation, Command::Spawn(Spawn::named("Wolf"))).unwrap();
    let wolf = simulation.controllers().next().unwrap().0;
    recorder.name(wolf, "wolf");
    let poison = catalog.effect("GE_Poison").unwrap();
    let apply = Command::ApplyEffect {
        effect: poison,
        level: 1.0,
        context: Default::default(),
        magnitudes: Vec::new(),
        target: wolf,
    };
    recorder.execute(&mut simulation, apply).unwrap();
    recorder.advance(&mut simulation, Span::seconds(4.0));
    let bytes = recorder.finish(&simulation).unwrap();
    Player::new(Recording::open(Cursor::new(bytes)).unwrap()).unwrap()
}

#[test]
fn recording_is_shown_at_any_moment() {
    let inspector = Inspector::recording("127.0.0.1:0", Settings::default(), recorded()).unwrap();
    let mut client = Client::open(inspector.address());
    let hello = client.answer(json!({ "request": "hello" }));
    assert_eq!(hello["live"], json!(false));
    // Every 50 ms of 4 s, and the beginning.
    assert_eq!(hello["head"]["last"], json!(80));
    for (at, health) in [(0, 100.0), (19, 100.0), (20, 95.0), (70, 85.0), (80, 80.0), (0, 100.0)] {
        let world = client.answer(json!({ "request": "world", "at": at, "attribute": "Health" }));
        assert_eq!(world["rows"][0]["name"], "wolf");
        assert_eq!(world["rows"][0]["value"]["current"], json!(health), "{at}");
        // The time that the replay took.
        assert!(world["tickMilliseconds"].as_f64().is_some_and(|work| work >= 0.0), "{world}");
    }
    let events = client.answer(json!({ "request": "events", "categories": ["attribute"] }));
    assert_eq!(events["events"].as_array().unwrap().len(), 4);
}

#[test]
fn game_continues_from_a_recording() {
    let inspector = Inspector::continuing("127.0.0.1:0", Settings::default(), recorded()).unwrap();
    let mut client = Client::open(inspector.address());
    let hello = client.answer(json!({ "request": "hello" }));
    assert_eq!((&hello["live"], &hello["head"]["moments"]), (&json!(true), &json!(81)));
    let mut player = recorded();
    player.seek_tick(u64::MAX).unwrap();
    let mut simulation = player.simulation().clone();
    simulation.advance(Span::seconds(1.0));
    inspector.observe(&simulation);
    while client.answer(json!({ "request": "hello" }))["head"]["moments"] != json!(82) {}
    let world = client.answer(json!({ "request": "world", "attribute": "Health" }));
    assert_eq!((&world["time"], &world["rows"][0]["value"]["current"]), (&json!(5.0), &json!(75.0)));
}

/// Exports a moment of the story, and checks that the export runs and passes.
#[track_caller]
fn check_export(settings: Settings, at: Option<u64>, health: &str) -> String {
    let scenario = Scenario::from_text("story.yaml", STORY).unwrap().pop().unwrap();
    let mut simulation = Simulation::new(scenario.catalog().unwrap(), Config::seeded(0));
    let mut recorder = Recorder::new(Vec::new(), &simulation, RecordSettings::default()).unwrap();
    let catalog = simulation.catalog().clone();
    struct RecordingObserver<'a>(&'a mut Recorder<Vec<u8>>);
    impl ugas_data::scenario::CommandObserver for RecordingObserver<'_> {
        fn name(&mut self, controller: ControllerId, name: &str) {
            self.0.name(controller, name);
        }
        fn before(&mut self, _: &Simulation, command: &Command) {
            self.0.before(command);
        }
        fn after(&mut self, simulation: &Simulation) {
            self.0.after(simulation);
        }
    }
    let options = Options { step: Some(Span::seconds(0.5)), ..Options::default() };
    let mut observer = RecordingObserver(&mut recorder);
    let mut runner = Runner::with_command_observer(&scenario, catalog, options, &mut observer).unwrap();
    runner.run(|_| {});
    simulation.restore(&runner.simulation().snapshot()).unwrap();
    assert!(runner.into_outcome().passed());
    let bytes = recorder.finish(&simulation).unwrap();
    let player = Player::new(Recording::open(Cursor::new(bytes)).unwrap()).unwrap();
    let inspector = Inspector::recording("127.0.0.1:0", settings, player).unwrap();
    let mut client = Client::open(inspector.address());
    let export = client.answer(json!({ "request": "export", "at": at }));
    let text = export["text"].as_str().unwrap().to_owned();
    assert_eq!(export["exact"], json!(true), "{text}");
    assert!(text.contains(&format!("Health: {health}")), "{text}");
    let again = Scenario::from_text("story.yaml", text.as_str());
    let again = again.unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let outcome = again[0].run(&Options::default());
    assert!(outcome.passed(), "{outcome:?}\n{text}");
    text
}

#[test]
fn moment_of_a_scenario_is_exported_as_the_scenario_up_to_it() {
    let scenario = || Scenario::from_text("story.yaml", STORY).unwrap().pop().unwrap();
    let settings = || Settings::default().scenario(scenario());
    // The end: 100 - 5 × 5 - 10; before anything but the poison; and at 1.1 s, after one tick of it.
    for (at, health) in [(None, "65"), (Some(0), "100"), (Some(22), "95")] {
        let text = check_export(settings(), at, health);
        assert!(text.contains("Name: a poisoned wolf") && !text.contains("State: "), "{text}");
    }
}

#[test]
fn moment_without_a_scenario_is_exported_as_its_state() {
    for (at, health) in [(None, "65"), (Some(0), "100"), (Some(22), "95")] {
        let text = check_export(Settings::default(), at, health);
        assert!(text.contains("wolf:\n    Handle: controller0v1") && text.contains("State: |\n"), "{text}");
    }
}

/// A browser may save the file anywhere, where there is no pack.
#[test]
fn export_of_a_scenario_with_a_pack_runs_without_the_pack() {
    let (head, rest) = STORY.split_once("Definitions:\n").unwrap();
    let (definitions, rest) = rest.split_once("Controllers:\n").unwrap();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("moment_with_pack");
    std::fs::create_dir_all(folder.join("pack")).unwrap();
    let documents = definitions.split("\n  - ").map(|document| document.trim_start_matches("  - "));
    let documents: Vec<String> = documents.map(|document| document.replace("\n    ", "\n")).collect();
    std::fs::write(folder.join("pack/rules.yaml"), documents.join("\n---\n")).unwrap();
    let file = folder.join("story.yaml");
    std::fs::write(&file, format!("{head}Pack: pack\nSeed: 5\nControllers:\n{rest}")).unwrap();
    let scenario = Scenario::load(&file).unwrap().remove(0);
    let mut runner = Runner::new(&scenario, scenario.catalog().unwrap(), Options::default()).unwrap();
    runner.run(|_| {});
    let (game, wolf) = (runner.simulation().clone(), runner.controller("wolf").unwrap());
    let settings = Settings::default().scenario(scenario.clone());
    let text = exported_with(settings, &game, &[(wolf, "wolf")]);
    assert!(text.contains("Apply:") && text.contains("Seed: 5") && text.contains("Health: 65"), "{text}");
    assert_eq!(run_again(&text).hash, Some(game.state_hash()));
}

/// A refused step fails unless the next step expects the refusal, so both are exported.
#[test]
fn refusal_is_exported_with_the_step_that_expects_it() {
    // The input is held from then on, so the state is only reached through the refusal.
    let story = "
Name: a stunned wolf
Definitions:
  - $schema: https://example.org/schemas/gameplay_ability.json
    Name: GA_Dash
    Tags: { ActivationBlockedTags: [State.Stunned] }
Controllers:
  wolf: { Tags: [State.Stunned], Abilities: [ { Ability: GA_Dash, InputID: Dash } ] }
Steps:
  - Input: { Controller: wolf, Press: Dash }
  - Expect: { Last: BlockedTags }
";
    let scenario = Scenario::from_text("story.yaml", story).unwrap().remove(0);
    let mut runner = Runner::new(&scenario, scenario.catalog().unwrap(), Options::default()).unwrap();
    runner.run(|_| {});
    let (game, wolf) = (runner.simulation().clone(), runner.controller("wolf").unwrap());
    let inspected = Settings::default().scenario(scenario.clone());
    let text = exported_with(inspected, &game, &[(wolf, "wolf")]);
    assert!(text.contains("Name: a stunned wolf") && text.contains("Last: BlockedTags"), "{text}");
    assert_eq!(run_again(&text).hash, Some(game.state_hash()));
}

#[test]
fn scenario_with_another_outcome_is_exported_as_state() {
    let other = STORY.replace("Value: -5", "Value: -6");
    let other = Scenario::from_text("story.yaml", other).unwrap().pop().unwrap();
    let text = check_export(Settings::default().scenario(other).pack("packs/wolves"), None, "65");
    assert!(text.contains("State: |\n"), "{text}");
    assert!(text.contains("add `Pack: \"packs/wolves\"`"), "{text}");
}

#[test]
fn equal_names_become_unique_in_an_exported_file() {
    let mut simulation = Simulation::new(catalog(), Config::seeded(7));
    let names = ["Ada", "Ada", "a b", "a-b", "Hash", "Time", ""];
    let named: Vec<_> = names.iter().map(|name| (simulation.spawn("Wolf").unwrap(), *name)).collect();
    let text = exported(&simulation, &named);
    let again = run_again(&text);
    assert_eq!(again.controllers.len(), names.len(), "{text}");
    assert_eq!(again.hash, Some(simulation.state_hash()));
}

/// The newest moment of a running game, as a file.
fn exported(simulation: &Simulation, names: &[(ControllerId, &str)]) -> String {
    exported_with(Settings::default(), simulation, names)
}

fn exported_with(settings: Settings, simulation: &Simulation, names: &[(ControllerId, &str)]) -> String {
    let inspector = Inspector::serve_with("127.0.0.1:0", settings).unwrap();
    names.iter().for_each(|(id, name)| inspector.name(*id, *name));
    let mut client = Client::open(inspector.address());
    client.answer(json!({ "request": "hello" }));
    inspector.observe(simulation);
    while client.answer(json!({ "request": "hello" }))["head"]["moments"] == 0 {}
    let export = client.answer(json!({ "request": "export" }));
    assert_eq!(export["exact"], json!(true), "{export}");
    export["text"].as_str().unwrap().to_owned()
}

/// Runs an exported file on its own, without any other file.
#[track_caller]
fn run_again(text: &str) -> Outcome {
    let read = Scenario::from_text("moment.yaml", text);
    let read = read.unwrap_or_else(|error| panic!("{error:?}\n{text}")).remove(0);
    let outcome = read.run(&Options::default());
    assert!(outcome.passed(), "{:?}\n{text}", outcome.failures);
    let report = ugas_data::Loader::new().text("moment.yaml", text).as_set().check();
    assert_eq!(report.errors(), 0, "{report}\n{text}");
    outcome
}

/// Rules with long abilities, cooldowns, periodic effects and buffered inputs.
fn busy_rules() -> Arc<Catalog> {
    let bolt = AbilityDef::new("GA_Bolt")
        .cooldown("GE_Cool")
        .task(TaskDef::wait(2.0))
        .task(TaskDef::apply_to_owner("GE_Hit"))
        .task(TaskDef::wait(3.0))
        .task(TaskDef::apply_to_owner("GE_Hit"));
    let builder = Catalog::builder()
        .attribute_set(AttributeSetDef::new("Combat").with(AttributeDef::new("Health", 100.0)))
        .effect(EffectDef::instant("GE_Hit").modify("Health", Operation::Add, -10.0))
        .effect(EffectDef::lasting("GE_Cool", 7.0).granting("Cooldown.Bolt"))
        .effect(EffectDef::lasting("GE_Poison", 6.0).every(1.0).modify("Health", Operation::Add, -1.0))
        .ability(bolt)
        .template(
            ControllerDef::new("Wolf").with_set("Combat").with_ability(AbilityGrantDef::new("GA_Bolt")),
        );
    let buffer = InputBufferConfig { enabled: true, window: Span::seconds(9.0), size: 3 };
    builder.input_buffer(buffer).build().unwrap()
}

#[test]
fn exported_moment_with_running_state_continues_like_the_game() {
    let catalog = busy_rules();
    let config = Config { prediction_seed: 77, max_stacks: 9, ..Config::seeded(u64::MAX) };
    let mut game = Simulation::new(catalog.clone(), config);
    let wolf = game.spawn("Wolf").unwrap();
    // A poison between two ticks, an effect defined at run time, an ability between its tasks, its cooldown,
    // and a buffered input.
    game.apply_effect(catalog.effect("GE_Poison").unwrap(), None, wolf).unwrap();
    let made = EffectDef::lasting("GE_Made", 4.0).every(0.7).modify("Health", Operation::Add, -0.5);
    let made = game.define_effect(made).unwrap();
    game.apply_effect(made, None, wolf).unwrap();
    let bolt = game.controller(wolf).unwrap().abilities()[0];
    game.bind_input(bolt, Some("Slot".into())).unwrap();
    game.activate(bolt).unwrap();
    game.advance(Span::seconds(1.3));
    game.press(wolf, "Slot").unwrap();
    game.advance(Span::seconds(0.05));
    assert_eq!(game.ability_state(bolt), Some(AbilityState::Active));
    assert!(
        game.ability_cooldown(bolt).is_some()
            && game.events().any(|event| event.kind.name() == "InputBuffered")
    );
    let text = exported(&game, &[(wolf, "wolf")]);
    assert!(text.contains("PredictionSeed: \"77\"") && text.contains("MaxStacks: 9"), "{text}");
    for second in 0..=10 {
        let (steps, state) = text.split_once("State: |").unwrap();
        let longer = format!("{steps}  - Advance: {second}\nState: |{state}");
        assert_eq!(run_again(&longer).hash, Some(game.state_hash()), "after {second} s");
        game.advance(Span::seconds(1.0));
    }
}

/// Keys of an expectation may also be names of attributes.
#[test]
fn attributes_with_names_of_expectation_keys_are_exported() {
    let names = ["Base", "Tags", "Effects", "Stacks", "Abilities", "Cooldown", "Cues", "Hash", "Tolerance"];
    let set =
        names.iter().fold(AttributeSetDef::new("Odd"), |set, name| set.with(AttributeDef::new(*name, 3.0)));
    let template = ControllerDef::new("Wolf").with_set("Odd");
    let catalog = Catalog::builder().attribute_set(set).template(template).build().unwrap();
    let mut game = Simulation::new(catalog, Config::seeded(7));
    game.spawn("Wolf").unwrap();
    assert_eq!(run_again(&exported(&game, &[])).hash, Some(game.state_hash()));
}

#[test]
fn many_controllers_of_one_name_are_exported_quickly() {
    let mut game = Simulation::new(catalog(), Config::seeded(7));
    let crowd: Vec<_> = (0..5_000).map(|_| (game.spawn("Wolf").unwrap(), "wolf")).collect();
    let text = exported(&game, &crowd);
    assert!(text.contains("\n  wolf-5000:\n"));
    assert_eq!(run_again(&text).hash, Some(game.state_hash()));
}

#[test]
fn empty_simulation_is_exported() {
    let mut game = Simulation::new(catalog(), Config::seeded(7));
    game.advance(Span::seconds(2.5));
    let outcome = run_again(&exported(&game, &[]));
    assert_eq!(outcome.hash, Some(game.state_hash()));
}

#[test]
fn export_names_the_native_code_it_needs() {
    struct Dance;
    impl CustomTask for Dance {
        fn activate(&self, _: &mut TaskContext<'_>) -> TaskProgress {
            TaskProgress::Done
        }
    }
    let catalog = Catalog::builder().custom_task("Dance", Dance).build().unwrap();
    let game = Simulation::new(catalog.clone(), Config { role: Role::Server, ..Config::seeded(7) });
    let text = exported(&game, &[]);
    assert!(text.contains("# It needs native code of the game: custom task `Dance`."), "{text}");
    assert!(text.contains("Role: Server"), "{text}");
    let read = Scenario::from_text("moment.yaml", text).unwrap().remove(0);
    let runner = Runner::new(&read, catalog, Options::default()).unwrap();
    assert_eq!(runner.simulation().state_hash(), game.state_hash());
}
