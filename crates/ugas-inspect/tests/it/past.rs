//! Recordings and scenarios: any moment, and out again as a file.

use std::io::Cursor;

use serde_json::json;
use ugas_core::ability::AbilityDef;
use ugas_core::attribute::{AttributeDef, AttributeSetDef};
use ugas_core::catalog::Catalog;
use ugas_core::command::Command;
use ugas_core::controller::ControllerDef;
use ugas_core::effect::{AbilityGrantDef, EffectDef};
use ugas_core::modifier::Operation;
use ugas_core::simulation::{Config, Simulation, Spawn};
use ugas_core::task::TaskDef;
use ugas_core::time::Span;
use ugas_data::scenario::{Options, Scenario};
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
fn a_recording_is_shown_with_all_of_its_past() {
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
        // How long it took to play it again.
        assert!(world["tickMilliseconds"].as_f64().is_some_and(|work| work >= 0.0), "{world}");
    }
    let events = client.answer(json!({ "request": "events", "categories": ["attribute"] }));
    assert_eq!(events["events"].as_array().unwrap().len(), 4);
}

#[test]
fn a_game_can_go_on_from_a_recording() {
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

/// A moment of the story, exported, runs and passes.
#[track_caller]
fn check_export(settings: Settings, at: Option<u64>, exact: bool, health: &str) {
    let scenario = Scenario::from_text("story.yaml", STORY).unwrap().pop().unwrap();
    let mut simulation = Simulation::new(scenario.catalog().unwrap(), Config::seeded(0));
    let mut recorder = Recorder::new(Vec::new(), &simulation, RecordSettings::default()).unwrap();
    let catalog = simulation.catalog().clone();
    struct Tape<'a>(&'a mut Recorder<Vec<u8>>);
    impl ugas_data::scenario::CommandWitness for Tape<'_> {
        fn name(&mut self, controller: ugas_core::handle::ControllerId, name: &str) {
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
    let mut tape = Tape(&mut recorder);
    let mut runner = ugas_data::scenario::Runner::witnessed(&scenario, catalog, options, &mut tape).unwrap();
    runner.run(|_| {});
    simulation.restore(&runner.simulation().snapshot()).unwrap();
    assert!(runner.into_outcome().passed());
    let bytes = recorder.finish(&simulation).unwrap();
    let player = Player::new(Recording::open(Cursor::new(bytes)).unwrap()).unwrap();
    let inspector = Inspector::recording("127.0.0.1:0", settings, player).unwrap();
    let mut client = Client::open(inspector.address());
    let export = client.answer(json!({ "request": "export", "at": at }));
    let text = export["text"].as_str().unwrap();
    assert_eq!(export["exact"], json!(exact), "{text}");
    assert!(text.contains(&format!("Health: {health}")), "{text}");
    if exact {
        let again =
            Scenario::from_text("story.yaml", text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
        let outcome = again[0].run(&Options::default());
        assert!(outcome.passed(), "{outcome:?}\n{text}");
    }
}

#[test]
fn a_moment_of_a_scenario_is_the_scenario_until_then() {
    let scenario = || Scenario::from_text("story.yaml", STORY).unwrap().pop().unwrap();
    let settings = || Settings::default().scenario(scenario());
    // The end: 100 - 5 × 5 - 10.
    check_export(settings(), None, true, "65");
    // Before anything but the poison.
    check_export(settings(), Some(0), true, "100");
    // 1.1 s: one tick of the poison.
    check_export(settings(), Some(22), true, "95");
}

#[test]
fn a_moment_without_a_scenario_begins_with_saved_characters() {
    check_export(Settings::default(), None, false, "65");
}

#[test]
fn two_of_the_same_name_are_two_in_an_exported_file() {
    let inspector = Inspector::serve("127.0.0.1:0").unwrap();
    let mut simulation = Simulation::new(catalog(), Config::seeded(7));
    for name in ["Ada", "Ada", "a b", "a-b"] {
        let wolf = simulation.spawn("Wolf").unwrap();
        inspector.name(wolf, name);
    }
    let mut client = Client::open(inspector.address());
    client.answer(json!({ "request": "hello" }));
    inspector.observe(&simulation);
    while client.answer(json!({ "request": "hello" }))["head"]["moments"] == 0 {}
    let export = client.answer(json!({ "request": "export" }));
    let text = export["text"].as_str().unwrap();
    let read = Scenario::from_text("moment.yaml", text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let mut runner = ugas_data::scenario::Runner::new(&read[0], catalog(), Options::default()).unwrap();
    runner.run(|_| {});
    assert_eq!(runner.simulation().controllers().count(), 4, "{text}");
    let outcome = runner.into_outcome();
    assert!(outcome.passed(), "{outcome:?}\n{text}");
}

#[test]
fn what_an_exported_file_does_not_bring_back_is_said_and_not_expected() {
    // Its mark is set when it begins, and it begins anew with a saved character.
    let mut mark = AbilityDef::new("GA_Mark");
    mark.activate_on_grant = true;
    let catalog = Catalog::builder()
        .attribute_set(AttributeSetDef::new("Count").with(AttributeDef::new("Marks", 0.0)))
        .effect(EffectDef::instant("GE_Mark").modify("Marks", Operation::Add, 1.0))
        .ability(mark.task(TaskDef::apply_to_owner("GE_Mark")).task(TaskDef::wait(60.0)))
        .template(ControllerDef::new("Wolf").with_set("Count").with_ability(AbilityGrantDef::new("GA_Mark")))
        .build()
        .unwrap();
    let mut simulation = Simulation::new(catalog.clone(), Config::seeded(7));
    simulation.spawn("Wolf").unwrap();
    simulation.advance(Span::seconds(1.0));
    let inspector = Inspector::serve("127.0.0.1:0").unwrap();
    let mut client = Client::open(inspector.address());
    client.answer(json!({ "request": "hello" }));
    inspector.observe(&simulation);
    while client.answer(json!({ "request": "hello" }))["head"]["moments"] == 0 {}
    let export = client.answer(json!({ "request": "export" }));
    let text = export["text"].as_str().unwrap();
    let differs =
        ["Marks of Wolf-0 is 2 here, and was 1", "the base of Marks of Wolf-0 is 2 here, and was 1"];
    assert_eq!((&export["exact"], &export["differs"]), (&json!(false), &json!(differs)), "{text}");
    assert!(text.contains("# Not as it was: Marks of Wolf-0 is 2 here, and was 1."), "{text}");
    let read = Scenario::from_text("moment.yaml", text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let mut runner = ugas_data::scenario::Runner::new(&read[0], catalog, Options::default()).unwrap();
    runner.run(|_| {});
    let outcome = runner.into_outcome();
    assert!(outcome.passed(), "{outcome:?}\n{text}");
}
