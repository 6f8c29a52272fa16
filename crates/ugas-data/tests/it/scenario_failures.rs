//! Failing scenarios, and scenarios with very many events.

use ugas_data::Loader;
use ugas_data::scenario::{Options, Outcome, Scenario};

const BEGIN: &str = "
Name: tale
Definitions:
  - $schema: x/schemas/attribute_set.json
    Name: Vitals
    Attributes: [ { Name: Health, DefaultBaseValue: 100 } ]
  - $schema: x/schemas/gameplay_effect.json
    Name: GE_Drain
    DurationPolicy: Infinite
    Period: { Period: 0.000001 }
    Modifiers: [ { Attribute: Health, Operation: Add, Magnitude: { Type: ScalableFloat, Value: -1 } } ]
Controllers: { wolf: { AttributeSets: [Vitals] } }
Steps:
";

fn scenario(steps: &str) -> Scenario {
    Scenario::from_text("tale.yaml", format!("{BEGIN}{steps}")).unwrap().remove(0)
}

fn messages(outcome: &Outcome) -> Vec<&str> {
    outcome.failures.iter().map(|failure| failure.message.as_str()).collect()
}

#[track_caller]
fn check_refused(step: &str, code: &str) {
    let steps = format!("  - {step}\n  - Expect: {{ Last: {code} }}\n");
    let outcome = scenario(&steps).run(&Options::default());
    assert!(outcome.passed(), "{step}: {:?}", messages(&outcome));
    let report = Loader::new().text("tale.yaml", format!("{BEGIN}{steps}")).check();
    // An expected refusal is no error, except `UnknownHandle`, whose name a step must have assigned.
    assert_eq!(report.errors(), usize::from(code == "UnknownHandle"), "{report}");

    let outcome = scenario(&format!("  - {step}\n")).run(&Options::default());
    assert_eq!(outcome.failures.len(), 1, "{step}: not expected");
    assert_eq!((outcome.failures[0].expected.as_str(), outcome.failures[0].actual.as_str()), ("Ok", code));
    let report = Loader::new().text("tale.yaml", format!("{BEGIN}  - {step}\n")).check();
    assert_eq!(report.errors(), 1, "{report}");
}

#[test]
fn unknown_names_are_refused_with_their_codes() {
    check_refused("Apply: { Effect: GE_Nothing, Target: wolf }", "UnknownEffect");
    check_refused("Apply: { Effect: GE_Drain, Target: bear }", "UnknownController");
    check_refused("Apply: { Effect: GE_Drain, Source: bear, Target: wolf }", "UnknownController");
    check_refused("Despawn: bear", "UnknownController");
    check_refused("Grant: { Controller: wolf, Ability: GA_Nothing }", "UnknownAbility");
    check_refused("Remove: { Effect: poison }", "UnknownHandle");
    check_refused("Remove: { Effect: GE_Drain, Target: bear }", "UnknownController");
    check_refused("Revoke: dash", "UnknownHandle");
    check_refused("SetLevel: { Controller: wolf, Ability: dash, Level: 2 }", "UnknownHandle");
    check_refused("Apply: { Effect: GE_Drain, Ability: dash, Target: wolf }", "UnknownHandle");
}

#[test]
fn missing_pack_is_reported_alike_by_check_and_run() {
    let text = "Name: tale\nPack: ../no-such-pack\nControllers: { wolf: {} }\nSteps: [ { Advance: 1 } ]\n";
    let report = Loader::new().text("tale.yaml", text).check().to_string();
    let outcome = Scenario::from_text("tale.yaml", text).unwrap()[0].run(&Options::default());
    let line = "tale.yaml:2:7: error[UG039]: there is no pack `../no-such-pack` (write a path relative to this file)";
    assert_eq!(messages(&outcome), [line]);
    assert!(report.contains(line), "{report}");
}

#[test]
fn long_step_loses_no_events() {
    // Two events each microsecond, an execution and a change: more than a simulation keeps until they are
    // polled.
    let count = "  - Expect: { Events: { Count: { EffectExecuted: 600000, AttributeChanged: 600000 } } }\n";
    let steps = format!("  - Apply: {{ Effect: GE_Drain, Target: wolf }}\n  - Advance: 0.6\n{count}");
    let outcome = scenario(&steps).run(&Options::default());
    assert_eq!(messages(&outcome), Vec::<&str>::new());
}

#[test]
fn step_that_cannot_be_carried_out_is_the_last_outcome() {
    let steps = "  - Apply: { Effect: GE_Drain, Target: wolf }\n  - RegisterSet: { Controller: wolf, Set: Nothing }\n";
    let outcome = scenario(&format!("{steps}  - Expect: {{ Last: Ok }}\n")).run(&Options::default());
    let expected = "the outcome of the step before: expected Ok, found Impossible";
    assert_eq!(outcome.failures.len(), 2, "{:?}", messages(&outcome));
    assert!(outcome.failures[0].message.contains("`Nothing`"), "{:?}", messages(&outcome));
    assert_eq!(outcome.failures[1].message, expected);
    let report = Loader::new().text("tale.yaml", format!("{BEGIN}{steps}")).check();
    assert_eq!(report.errors(), 1, "{report}");
    assert_eq!(report.diagnostics.iter().filter(|found| found.code == "UG022").count(), 1, "{report}");
}

const ABILITIES: &str = "
Name: tale
Definitions:
  - { $schema: x/schemas/attribute_set.json, Name: Vitals, Attributes: [ { Name: Health, DefaultBaseValue: 100 } ] }
  - $schema: x/schemas/gameplay_effect.json
    Name: GE_Hit
    DurationPolicy: Instant
    ApplicationBlockedTags: [State.Immune]
    Modifiers: [ { Attribute: Health, Operation: Add, Magnitude: { Type: SetByCaller, DataTag: Data.Damage } } ]
  - $schema: x/schemas/gameplay_ability.json
    Name: GA_Bolt
    Tags: { ActivationBlockedTags: [State.Stunned] }
    Tasks: [ { Type: ApplyEffectToTarget, Params: { EffectClass: GE_Hit } } ]
  - $schema: x/schemas/gameplay_ability.json
    Name: GA_Wait
    Tasks: [ { Type: WaitDelay, Params: { Duration: 'Param(\"Nothing\")' } } ]
Controllers:
  hero: { AttributeSets: [Vitals], Abilities: [ { Ability: GA_Bolt }, { Ability: GA_Wait } ] }
  wolf: { AttributeSets: [Vitals] }
  mage: { AttributeSets: [Vitals], Abilities: [ { Ability: GA_Bolt } ], Tags: [State.Stunned] }
Steps:
";

/// Problems in the last failure of a scenario with these steps.
fn problems(steps: &str) -> Vec<String> {
    let scenario = Scenario::from_text("tale.yaml", format!("{ABILITIES}{steps}")).unwrap().remove(0);
    let mut failures = scenario.run(&Options::default()).failures;
    let last = failures.pop().expect("the scenario fails");
    assert!(failures.iter().all(|failure| failure.problems.is_empty()), "{failures:?}");
    last.problems
}

#[test]
fn failed_expectation_lists_problems_since_the_last_one() {
    let cast = "  - Activate: { Controller: hero, Ability: GA_Bolt, Target: wolf }\n  - Advance: 1\n";
    let expect = "  - Expect: { wolf: { Health: 90, Base: { Health: 90 } } }\n";
    let refused = "0.000s  EffectRefused           `GE_Hit` was refused: the caller provided no number under \
                   `Data.Damage` and the magnitude has no default (on wolf)";
    assert_eq!(problems(&format!("{cast}{expect}")), [refused]);
    // An expectation in between starts again.
    assert_eq!(problems(&format!("{cast}  - Expect: {{ Time: 1 }}\n{expect}")), Vec::<String>::new());
}

#[test]
fn failed_expectation_lists_refusals_and_missing_targets() {
    let expect = "  - Expect: { Last: Ok, wolf: { Health: 90 } }\n";
    let found = problems(&format!("  - Activate: {{ Controller: hero, Ability: GA_Bolt }}\n{expect}"));
    assert_eq!(found, ["0.000s  NoTarget                hero GA_Bolt, ApplyEffectToTarget"]);
    let found =
        problems(&format!("  - Activate: {{ Controller: mage, Ability: GA_Bolt, Target: wolf }}\n{expect}"));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("0.000s  AbilityRefused"), "{found:?}");
    assert!(found[0].contains("State.Stunned"), "{found:?}");
}

#[test]
fn failed_expectation_lists_failed_tasks_and_cancellations() {
    let found = problems(
        "  - Activate: { Controller: hero, Ability: GA_Wait }\n  - Expect: { wolf: { Health: 90 } }\n",
    );
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with("0.000s  TaskFailed              hero GA_Wait, WaitDelay: "), "{found:?}");
    assert_eq!(found[1], "0.000s  AbilityCancelled        hero GA_Wait: TaskFailed");
}

#[test]
fn failed_expectation_lists_few_of_many_problems() {
    let step = "  - Activate: { Controller: hero, Ability: GA_Bolt }\n";
    let found = problems(&format!("{}  - Expect: {{ wolf: {{ Health: 90 }} }}\n", step.repeat(100)));
    assert_eq!(found.len(), 9);
    assert_eq!(found[8], "and 92 more");
}
