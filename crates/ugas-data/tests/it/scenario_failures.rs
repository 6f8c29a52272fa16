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
