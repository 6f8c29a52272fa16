//! Abilities, tasks, targeting and input from files.

use ugas_core::ability::{AbilityDef, GameplayEvent, Instancing, TriggerOn};
use ugas_core::input::{InputId, Platform};
use ugas_core::prediction::{Prediction, Randomness};
use ugas_core::simulation::{Config, Simulation, Spawn};
use ugas_core::targeting::{Affiliation, Confirmation, Shape};
use ugas_core::task::{
    ActionDef, CustomTask, HostValue, NumberDef, TaskContext, TaskDef, TaskProgress, WaitDef,
};
use ugas_core::time::Span;
use ugas_data::scenario::{Options, Outcome, Scenario};
use ugas_data::{Loader, Pack, Severity};

const EVERYTHING: &str = include_str!("../fixtures/abilities.yaml");

fn load(text: &str) -> Pack {
    Loader::new().text("abilities.yaml", text).load().unwrap_or_else(|error| panic!("{error}"))
}

fn ability(pack: &Pack, name: &str) -> AbilityDef {
    let id = pack.catalog.ability(name).unwrap();
    pack.catalog.ability_by_id(id).unwrap().def().clone()
}

#[test]
fn every_field_and_every_task_loads() {
    let pack = load(EVERYTHING);
    let serious: Vec<_> = pack
        .diagnostics
        .iter()
        .filter(|found| matches!(found.severity, Severity::Error | Severity::Warning))
        .collect();
    assert!(serious.is_empty(), "{serious:?}");
}

#[test]
fn canonical_yaml_loads_to_the_same_catalog() {
    let pack = load(EVERYTHING);
    let written = pack.to_canonical_yaml();
    let again = load(&written);
    assert_eq!(again.catalog.hash(), pack.catalog.hash());
    assert_eq!(again.to_canonical_yaml(), written, "writing is stable");
}

#[test]
fn fields_reach_the_definition() {
    let pack = load(EVERYTHING);
    let def = ability(&pack, "GA_Everything");
    assert_eq!(def.cost.as_deref(), Some("GE_Cost"));
    assert_eq!(def.cooldown_tags, ["Cooldown.Ability.Spell"]);
    assert_eq!(def.set_by_caller, [("Data.Power".to_owned(), NumberDef::from("-10 * Level"))]);
    assert_eq!(def.parameters, [("Power".to_owned(), 2.0.into())]);
    assert_eq!((def.instancing, def.retrigger), (Instancing::PerExecution, true));
    let triggers: Vec<TriggerOn> = def.triggers.iter().map(|trigger| trigger.on).collect();
    assert_eq!(triggers, [TriggerOn::Event, TriggerOn::TagAdded, TriggerOn::TagPresent]);
    let charges = def.charges.unwrap();
    assert_eq!((charges.max, charges.recharge), (3, Span::seconds(2.5)));
    assert_eq!(def.max_range, Some(30.0));
    // Target tags of the ability itself, then of its targeting.
    assert_eq!(def.target_required_tags, ["Kind.Beast", "Kind.Beast"]);
    assert_eq!(def.tasks.len(), 8);
    // Without MaxRange the range of the targeting limits the activation.
    assert_eq!(ability(&pack, "GA_Other").max_range, Some(20.0));
}

#[test]
fn prediction_fields_reach_the_definition() {
    let pack = load(EVERYTHING);
    let other = ability(&pack, "GA_Other");
    assert_eq!((other.prediction, other.randomness), (Some(Prediction::Never), Randomness::Predicted));
    let everything = ability(&pack, "GA_Everything");
    assert_eq!((everything.prediction, everything.randomness), (None, Randomness::ServerOnly));
    let effect = |name: &str| {
        let id = pack.catalog.effect(name).unwrap();
        pack.catalog.effect_by_id(id).unwrap().def().clone()
    };
    let buff = effect("GE_Buff");
    assert_eq!((buff.prediction, buff.randomness), (Some(Prediction::CosmeticOnly), Randomness::Predicted));
    assert_eq!((effect("GE_Hit").prediction, effect("GE_Hit").randomness), (None, Randomness::ServerOnly));
    let vital = pack.catalog.attribute_set("Vital").unwrap();
    let attributes = pack.catalog.attributes_of(vital);
    let floors: Vec<(&str, f64)> =
        attributes.filter_map(|(_, known)| Some((&*known.name, known.prediction_floor?))).collect();
    assert_eq!(floors, [("Health", 1.0)]);
}

#[test]
fn tasks_keep_their_parameters_and_their_order() {
    let def = ability(&load(EVERYTHING), "GA_Everything");
    let TaskDef::Race(branches) = &def.tasks[1] else { panic!("{:?}", def.tasks[1]) };
    assert_eq!(branches[0][0], TaskDef::wait("0.5 + Level / 10"));
    assert_eq!(
        branches[1],
        [TaskDef::Wait(WaitDef::TagAdded("State.Stunned".to_owned())), TaskDef::CancelAbility]
    );
    let event = WaitDef::Event { tag: "Event.Hit".to_owned(), exact: true, once: false };
    assert_eq!(branches[2], [TaskDef::Wait(event)]);
    let TaskDef::All(branches) = &def.tasks[2] else { panic!() };
    let targeting = |at: usize| match &branches[at][0] {
        TaskDef::Wait(WaitDef::TargetData { targeting, confirmation, .. }) => {
            (targeting.clone(), *confirmation)
        }
        other => panic!("{other:?}"),
    };
    // With an unknown method the host provides the targets. The rest is the ability's targeting.
    let (hosts, confirmation) = targeting(16);
    assert_eq!((hosts.range, confirmation), (Some(12.0), Confirmation::Custom));
    let (own, confirmation) = targeting(17);
    assert_eq!((own.range, own.affiliation), (Some(8.0), Affiliation::Hostile));
    assert_eq!(confirmation, Confirmation::Instant);
    let (boxed, confirmation) = targeting(18);
    assert_eq!(boxed.shape, Shape::Box { half_extents: [1.0, 2.0, 3.0] });
    assert_eq!(confirmation, Confirmation::UserConfirmed);
    let TaskDef::Host { kind, params } = &def.tasks[5] else { panic!() };
    assert_eq!(kind, "PlayMontage");
    assert_eq!(params[1], ("PlayRate".to_owned(), HostValue::Number(1.5)));
    assert_eq!(params[3].1, HostValue::List(vec![HostValue::Text("A".to_owned()), HostValue::Number(2.0)]));
    let TaskDef::Repeat { count, tasks, .. } = &def.tasks[3] else { panic!() };
    assert_eq!(count, &Some(NumberDef::from("Param(\"Power\")")));
    assert!(matches!(&tasks[3], TaskDef::Act(ActionDef::ApplyContainer(used)) if used.container == "Burst"));
}

#[test]
fn settings_of_the_pack_reach_the_catalog() {
    let pack = load(EVERYTHING);
    let death = pack.catalog.death().unwrap();
    assert_eq!((pack.catalog.attribute_name(death.attribute), death.threshold), ("Health", Some(0.5)));
    let buffer = pack.catalog.input_buffer();
    assert_eq!((buffer.enabled, buffer.window, buffer.size), (true, Span::millis(200), 2));
    // Without a buffer in the pack, that of the set with the highest priority is used.
    let without =
        EVERYTHING.replace("  InputBuffer: { Enabled: true, BufferWindow: 0.2, MaxBufferSize: 2 }\n", "");
    assert_eq!(load(&without).catalog.input_buffer().window, Span::millis(300));
    assert_eq!(pack.catalog.ability_sets().collect::<Vec<_>>(), ["Kit"]);
}

#[test]
fn input_documents_become_a_scheme_for_each_platform() {
    let pack = load(EVERYTHING);
    for platform in [Platform::Pc, Platform::Console] {
        let scheme = pack.input_scheme(platform).unwrap();
        let fire = scheme.action("IA_Fire").unwrap();
        assert_eq!(scheme.input_id(fire), Some(&InputId::new("IA_Fire")));
        assert_eq!(scheme.tags(), ["State.Dead"]);
    }
    // §11.2 as draft 1 prints it.
    let old = load(
        "InputMapping:\n  Actions:\n    - Action: IA_Ability1\n      InputID: Ability.Slot.1\n      KeyBindings: [ { Key: Q } ]\n",
    );
    let scheme = old.input_scheme(Platform::Pc).unwrap();
    let action = scheme.action("IA_Ability1").unwrap();
    assert_eq!(scheme.input_id(action), Some(&InputId::new("Ability.Slot.1")));
}

#[test]
fn a_native_task_is_used_by_its_name() {
    struct Never;
    impl CustomTask for Never {
        fn activate(&self, context: &mut TaskContext<'_>) -> TaskProgress {
            assert_eq!(context.param("Threshold"), Some(3.0));
            TaskProgress::Waiting
        }
    }
    let text = "$schema: x/schemas/gameplay_ability.json\nName: GA\nTasks: [ { Type: WaitForIt, Params: { Threshold: 1 + 2 } } ]\n";
    let errors = Loader::new().text("a.yaml", text).check();
    assert_eq!(errors.errors(), 1, "{errors}");
    let pack = Loader::new().text("a.yaml", text).custom_task("WaitForIt", Never).load().unwrap();
    let mut sim = Simulation::new(pack.catalog.clone(), Config::default());
    let hero = sim.spawn_with(Spawn::def(Default::default())).unwrap();
    let handle = sim.grant(hero, pack.catalog.ability("GA").unwrap(), 1).unwrap();
    sim.activate(handle).unwrap();
    assert_eq!(sim.tasks_of(hero).count(), 1);
}

#[test]
fn a_native_filter_is_used_by_its_name() {
    let text = "EffectContainers: [ { Name: Burst, Targeting: { Radius: 5, CustomFilter: Wounded } } ]\n";
    let codes = |loader: Loader| {
        let report = loader.text("a.yaml", text).check();
        report.diagnostics.iter().map(|found| found.code).collect::<Vec<_>>()
    };
    assert_eq!(codes(Loader::new()), ["UG083"]);
    assert!(codes(Loader::new().target_filter("Wounded", |_, _| true)).is_empty());
}

#[test]
fn single_file_with_unresolved_names_loads() {
    let text = "$schema: x/schemas/gameplay_ability.json\nName: GA\nCost: GE_Cost\nTasks:\n  - { Type: ApplyContainer, Params: { Container: Burst } }\n  - { Type: WaitDelay, Params: { Duration: CastTime } }\n";
    let pack = Loader::new().text("a.yaml", text).as_single_file().load().unwrap();
    let mut codes: Vec<_> = pack.diagnostics.iter().map(|found| (found.code, found.severity)).collect();
    codes.retain(|(_, severity)| *severity == Severity::Note);
    codes.sort();
    assert_eq!(codes.iter().map(|(code, _)| *code).collect::<Vec<_>>(), ["UG021", "UG023", "UG033"]);
}

#[test]
fn events_trigger_abilities_of_files() {
    let text = "$schema: x/schemas/gameplay_ability.json\nName: GA\nTriggers: [ { Tag: Event.Hit } ]\nTasks: [ { Type: WaitDelay, Params: { Duration: 1 } } ]\n---\n$schema: x/schemas/gameplay_tag.json\nTags: [ { Tag: Event.Hit.Hard } ]\n";
    let pack = load(text);
    let mut sim = Simulation::new(pack.catalog.clone(), Config::default());
    let hero = sim.spawn_with(Spawn::def(Default::default())).unwrap();
    let handle = sim.grant(hero, pack.catalog.ability("GA").unwrap(), 1).unwrap();
    let tag = pack.catalog.tag("Event.Hit.Hard").unwrap();
    sim.send_event(hero, GameplayEvent::new(tag)).unwrap();
    assert!(sim.ability(handle).unwrap().is_active());
}

const STORY: &str = "\
Name: a story
Definitions:
  - { $schema: x/schemas/gameplay_ability.json, Name: GA_X, Cooldown: GE_Cool, Tasks: [ { Type: WaitDelay, Params: { Duration: 2 } } ] }
  - { $schema: x/schemas/gameplay_effect.json, Name: GE_Cool, DurationPolicy: HasDuration, Duration: { Type: ScalableFloat, Value: 5 }, GrantedTags: [Cooldown.X] }
Controllers:
  hero: { Abilities: [ { Ability: GA_X } ] }
Steps:
";

fn run(steps: &str) -> Outcome {
    let scenarios = Scenario::from_text("story.yaml", format!("{STORY}{steps}")).unwrap();
    scenarios[0].run(&Options::default())
}

#[test]
fn final_state_lists_abilities() {
    let outcome = run("  - Activate: { Controller: hero, Ability: GA_X }\n  - Advance: 1\n");
    assert!(outcome.passed(), "{:?}", outcome.failures);
    let json = outcome.to_json();
    let expected = serde_json::json!([{ "name": "GA_X", "state": "Active", "cooldown": 4.0 }]);
    assert_eq!(json["final"]["hero"]["abilities"], expected);
}

#[test]
fn failed_expectations_are_reported() {
    let messages = |steps: &str| -> Vec<String> {
        run(steps).failures.into_iter().map(|failure| failure.message).collect()
    };
    let expect = "  - Expect: { hero: { Abilities: { GA_X: Active }, Cooldown: { GA_X: 1 }, Charges: { GA_X: 1 }, Tasks: { WaitDelay: 1 } } }\n";
    assert_eq!(
        messages(expect),
        [
            "GA_X of hero: expected Active, found Inactive",
            "the cooldown of GA_X of hero: expected 1, found 0",
            "the charges of GA_X of hero: expected 1, found 0",
            "the WaitDelay tasks of hero: expected 1, found 0",
        ]
    );
    // An unexpected refusal is a failure with its reason.
    let refused = messages(
        "  - Activate: { Controller: hero, Ability: GA_X }\n  - Activate: { Controller: hero, Ability: GA_X }\n",
    );
    assert_eq!(refused.len(), 1);
    assert!(refused[0].contains("it is active already"), "{refused:?}");
}

#[test]
fn names_in_steps_about_abilities_are_checked() {
    let steps = "  - Activate: { Controller: hero, Ability: GA_X, As: run }
  - Cancel: rnu
  - SetLevel: { Ability: GA_Y, Level: 2 }
  - CompleteTask: { Controller: hero, Type: PlayMontag }
  - Targets: { Controller: heor, Targets: [wolf] }
  - Expect: { hero: { Tasks: { WaitDely: 1 } } }
";
    let report = Loader::new().text("story.yaml", format!("{STORY}{steps}")).check();
    let codes: Vec<_> = report
        .diagnostics
        .iter()
        .filter(|found| found.severity == Severity::Error)
        .map(|found| (found.code, report.source_map.position(found.span).line))
        .collect();
    assert_eq!(
        codes,
        [("UG038", 9), ("UG038", 10), ("UG032", 11), ("UG037", 12), ("UG037", 12), ("UG032", 13)],
        "{report}"
    );
}

#[test]
fn shared_cooldown_effect_is_not_reported_as_empty() {
    let pack = load(
        "$schema: x/schemas/gameplay_effect.json\nName: GE_Cooldown\nDurationPolicy: HasDuration\n\
         Duration: { Type: SetByCaller, DataTag: Data.Cooldown }\n---\n\
         $schema: x/schemas/gameplay_ability.json\nName: GA_Dash\nCooldown: GE_Cooldown\n\
         CooldownTags: [Cooldown.Dash]\nSetByCaller: { Data.Cooldown: 3 }\n",
    );
    assert!(!pack.diagnostics.iter().any(|found| found.code == "UG092"), "{:?}", pack.diagnostics);
}
