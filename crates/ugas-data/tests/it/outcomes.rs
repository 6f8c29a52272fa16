//! Outcome codes: every documented code is produced (D2).

use ugas_core::catalog::CatalogBuilder;
use ugas_core::refusal::RefusalReason;
use ugas_core::simulation::{Config, Simulation};
use ugas_core::task::{CustomTask, TaskContext, TaskProgress};
use ugas_data::Loader;
use ugas_data::node::{Node, parse};
use ugas_data::scenario::OUTCOMES;

use super::shipped::{root, yaml_files};

/// Codes that only native code produces, each with the test that shows it.
const NATIVE: [(&str, &str); 4] = [
    ("RefusedByHook", "a_hook_refuses_with_its_code"),
    ("CustomTaskFailed", "a_native_task_that_gives_up_has_its_code"),
    ("CalculationFailed", "a_native_calculation_that_fails_has_its_code"),
    ("StillActive", "crates/ugas-core/tests/it/runtime_effects.rs"),
];

/// All codes under `Last` and `Reasons` of the conformance suite.
fn codes_in_conformance() -> Vec<String> {
    fn collect(node: &Node, found: &mut Vec<String>) {
        for entry in node.entries() {
            if entry.key.value == "Last" || entry.key.value == "Reasons" {
                found.extend(entry.value.text().map(str::to_owned));
                found.extend(entry.value.items().iter().filter_map(Node::text).map(str::to_owned));
            }
            collect(&entry.value, found);
        }
        node.items().iter().for_each(|item| collect(item, found));
    }
    let mut found = Vec::new();
    for path in yaml_files(&root().join("conformance")) {
        let mut map = ugas_data::SourceMap::new();
        let file = map.add(&path, std::fs::read_to_string(&path).unwrap());
        let mut sink = ugas_data::diagnostics::Sink::default();
        parse(&map, file, &ugas_data::Limits::default(), &mut sink)
            .iter()
            .for_each(|node| collect(node, &mut found));
    }
    found
}

#[test]
fn every_documented_outcome_is_produced() {
    let shown = codes_in_conformance();
    for code in OUTCOMES {
        let is_native = NATIVE.iter().any(|(native, _)| native == code);
        assert!(is_native || shown.iter().any(|shown| shown == code), "nothing produces {code}");
    }
    for code in &shown {
        assert!(OUTCOMES.contains(&code.as_str()), "{code} is not documented");
    }
}

const RULES: &str = "\
$schema: x/schemas/attribute_set.json
Name: Vitals
Attributes: [ { Name: Health, DefaultBaseValue: 100 } ]
---
$schema: x/schemas/attribute_set.json
Name: Derived
Dependencies: [Vitals]
Attributes: [ { Name: Vigour, DefaultBaseValue: 1 } ]
---
$schema: x/schemas/gameplay_effect.json
Name: GE_Hit
DurationPolicy: Instant
Modifiers: [ { Attribute: Health, Operation: Add, Magnitude: { Type: ScalableFloat, Value: -10 } } ]
---
$schema: x/schemas/gameplay_effect.json
Name: GE_Other
DurationPolicy: Instant
Modifiers: [ { Attribute: Health, Operation: Add, Magnitude: { Type: ScalableFloat, Value: -1 } } ]
---
$schema: x/schemas/gameplay_ability.json
Name: GA_Native
Tags: { ActivationBlockedTags: [State.Dead] }
AllowedEffects: [GE_Hit]
Tasks: [ { Type: Native } ]
";

fn simulation(task: impl CustomTask + 'static, natives: fn(CatalogBuilder) -> CatalogBuilder) -> Simulation {
    let loader = Loader::new().text("rules.yaml", RULES).custom_task("Native", task).natives(natives);
    Simulation::new(loader.load().unwrap_or_else(|error| panic!("{error}")).catalog, Config::default())
}

/// Task that applies the effects of these names to its owner, then fails or not.
struct Applies(&'static [&'static str], TaskProgress);

impl CustomTask for Applies {
    fn activate(&self, context: &mut TaskContext<'_>) -> TaskProgress {
        let (catalog, owner) = (context.simulation().catalog().clone(), context.owner());
        for name in self.0 {
            context.apply(catalog.effect(name).unwrap(), owner);
        }
        self.1
    }
}

fn run(task: Applies) -> (Simulation, Vec<&'static str>, f64) {
    let mut sim = simulation(task, |builder| builder);
    let catalog = sim.catalog().clone();
    let def =
        ugas_core::controller::ControllerDef { attribute_sets: vec!["Vitals".into()], ..Default::default() };
    let wolf = sim.spawn_with(ugas_core::simulation::Spawn::def(def)).unwrap();
    let ability = sim.grant(wolf, catalog.ability("GA_Native").unwrap(), 1).unwrap();
    let _ = sim.activate(ability);
    let events: Vec<_> = sim.events().collect();
    let codes = events.iter().filter_map(|event| match &event.kind {
        ugas_core::event::EventKind::EffectRefused(refusal) => Some(refusal.reasons[0].code()),
        ugas_core::event::EventKind::TaskFailed { reason, .. } => Some(reason.code()),
        _ => None,
    });
    let codes = codes.collect();
    let health = sim.current(wolf, catalog.attribute("Health").unwrap()).unwrap();
    (sim, codes, health)
}

#[test]
fn a_native_task_applies_the_effects_that_its_ability_allows() {
    let (_, codes, health) = run(Applies(&["GE_Hit", "GE_Other"], TaskProgress::Done));
    assert_eq!(codes, ["NotAuthorised"]);
    assert_eq!(health, 90.0);
}

#[test]
fn a_native_task_that_gives_up_has_its_code() {
    let (_, codes, _) = run(Applies(&[], TaskProgress::Failed));
    assert_eq!(codes, ["CustomTaskFailed"]);
}

#[test]
fn a_refusal_names_the_ability_that_may_not_apply_the_effect() {
    let mut sim = simulation(Applies(&[], TaskProgress::Waiting), |builder| builder);
    let catalog = sim.catalog().clone();
    let wolf = sim.spawn_with(ugas_core::simulation::Spawn::def(Default::default())).unwrap();
    let ability = sim.grant(wolf, catalog.ability("GA_Native").unwrap(), 1).unwrap();
    let mut context = ugas_core::effect::EffectContext::of(wolf);
    context.ability = Some(ability);
    let spec = sim.spec(catalog.effect("GE_Other").unwrap(), 1.0, context).unwrap();
    let refusal = sim.apply(&spec, wolf).unwrap_err();
    let expected = RefusalReason::NotAuthorised { ability: catalog.ability("GA_Native").unwrap() };
    assert_eq!(refusal.reasons[..], [expected]);
    assert!(refusal.describe(&sim).to_string().contains("`GA_Native` may not apply it"));
}

/// Code with which `GE_Hit` is refused by native code.
fn refused(natives: fn(CatalogBuilder) -> CatalogBuilder) -> &'static str {
    let mut sim = simulation(Applies(&[], TaskProgress::Done), natives);
    let catalog = sim.catalog().clone();
    let def =
        ugas_core::controller::ControllerDef { attribute_sets: vec!["Vitals".into()], ..Default::default() };
    let wolf = sim.spawn_with(ugas_core::simulation::Spawn::def(def)).unwrap();
    let effect = catalog.effect("GE_Native").or(catalog.effect("GE_Hit")).unwrap();
    sim.apply_effect(effect, None, wolf).unwrap_err().reasons[0].code()
}

#[test]
fn a_hook_refuses_with_its_code() {
    let code = refused(|builder| builder.before_apply(|_, _, _| Err("not today".to_owned())));
    assert_eq!(code, "RefusedByHook");
}

#[test]
fn a_native_calculation_that_fails_has_its_code() {
    use ugas_core::effect::EffectDef;
    use ugas_core::effect::calculation::{CalculationError, native};
    let code = refused(|builder| {
        let fails = native(Vec::new(), |_| Err(CalculationError::Failed("no".to_owned())));
        builder.native("Fails", fails).effect(EffectDef::instant("GE_Native").executing("Fails"))
    });
    assert_eq!(code, "CalculationFailed");
}
