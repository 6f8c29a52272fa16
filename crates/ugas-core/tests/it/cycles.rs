//! Cycles of live magnitudes (B6): the refusal, and the ways around an application that must not create one.

use std::sync::Arc;

use ugas_core::attribute::{AttributeDef, AttributeSetDef};
use ugas_core::catalog::Catalog;
use ugas_core::character::{CharacterOutcome, RestoreOptions};
use ugas_core::controller::ControllerDef;
use ugas_core::effect::EffectDef;
use ugas_core::effect::magnitude::{CaptureFrom, MagnitudeDef};
use ugas_core::handle::ControllerId;
use ugas_core::modifier::Operation;
use ugas_core::refusal::RefusalReason;
use ugas_core::reload::ReloadOutcome;
use ugas_core::simulation::{Config, RegisterError, Simulation};

/// `GE_Guard` makes `Armor` follow the source's `Power`; `GE_Rally` makes `Power` follow `reads` of the source.
fn catalog(reads: &str) -> Arc<Catalog> {
    let follow = |attribute: &str| MagnitudeDef::attribute(CaptureFrom::Source, attribute, 0.5);
    Catalog::builder()
        .attribute_set(AttributeSetDef::new("Powers").with(AttributeDef::new("Power", 20.0)))
        .attribute_set(AttributeSetDef::new("Armors").with(AttributeDef::new("Armor", 10.0)))
        .attribute_set(AttributeSetDef::new("Others").with(AttributeDef::new("Other", 10.0)))
        .effect(EffectDef::infinite("GE_Guard").modify("Armor", Operation::Add, follow("Power")))
        .effect(EffectDef::infinite("GE_Rally").modify("Power", Operation::Add, follow(reads)))
        .template(ControllerDef::new("Unit").with_set("Powers").with_set("Armors").with_set("Others"))
        .template(ControllerDef::new("Bare").with_set("Powers").with_set("Others"))
        .build()
        .unwrap()
}

fn world(reads: &str) -> (Simulation, ControllerId, ControllerId) {
    let mut sim = Simulation::new(catalog(reads), Config::seeded(1));
    let (hero, wolf) = (sim.spawn("Unit").unwrap(), sim.spawn("Unit").unwrap());
    (sim, hero, wolf)
}

fn apply(
    sim: &mut Simulation,
    effect: &str,
    source: ControllerId,
    target: ControllerId,
) -> Result<(), String> {
    let effect = sim.catalog().effect(effect).unwrap();
    sim.apply_effect(effect, Some(source), target).map(drop).map_err(|refusal| refusal.describe(sim))
}

#[test]
fn refusal_names_chain_and_ways_out_and_changes_nothing() {
    let (mut sim, hero, wolf) = world("Armor");
    apply(&mut sim, "GE_Guard", hero, wolf).unwrap();
    let before = sim.snapshot();
    let rally = sim.catalog().effect("GE_Rally").unwrap();
    let refusal = sim.apply_effect(rally, Some(wolf), hero).unwrap_err();
    let RefusalReason::CircularDependency { chain } = &refusal.reasons[0] else { panic!("{refusal:?}") };
    let named: Vec<_> = chain.iter().map(|link| (link.controller, link.attribute, link.by)).collect();
    let (power, armor) =
        (sim.catalog().attribute("Power").unwrap(), sim.catalog().attribute("Armor").unwrap());
    let guard = sim.catalog().effect("GE_Guard").unwrap();
    assert_eq!(named, [(hero, power, Some(rally)), (wolf, armor, Some(guard))]);
    let text = refusal.describe(&sim);
    for part in
        ["`Power` of", "`Armor` of", "GE_Guard", "AttributeCalculation: Base", "Capture: OnApplication"]
    {
        assert!(text.contains(part), "{text}");
    }
    assert_eq!(sim.current(hero, power), Some(20.0));
    assert_eq!(sim.controller(hero).unwrap().effects(), []);
    // The refusal itself is an operation with an event; but for the two numbers the state is the one before.
    assert_eq!(before.time(), sim.now());
    assert!(sim.inconsistencies().is_empty());
}

#[test]
fn registering_a_set_that_closes_a_cycle_is_refused() {
    let mut sim = Simulation::new(catalog("Armor"), Config::seeded(1));
    let (hero, wolf) = (sim.spawn("Unit").unwrap(), sim.spawn("Bare").unwrap());
    let armors = sim.catalog().attribute_set("Armors").unwrap();
    let armor = sim.catalog().attribute("Armor").unwrap();
    // wolf has no armor: its guard is inert, and hero's rally reads the armor that wolf gets for a moment.
    sim.register_set(wolf, armors).unwrap();
    apply(&mut sim, "GE_Rally", wolf, hero).unwrap();
    sim.unregister_set(wolf, armors).unwrap();
    apply(&mut sim, "GE_Guard", hero, wolf).unwrap();
    let error = sim.register_set(wolf, armors).unwrap_err();
    let RegisterError::CircularDependency { set, chain, .. } = &error else { panic!("{error}") };
    assert_eq!((set.as_str(), chain.len()), ("Armors", 2));
    assert_eq!(sim.current(wolf, armor), None);
    assert!(sim.inconsistencies().is_empty());
}

#[test]
fn reload_removes_the_effect_that_would_close_a_cycle() {
    let (mut sim, hero, wolf) = world("Other");
    apply(&mut sim, "GE_Guard", hero, wolf).unwrap();
    apply(&mut sim, "GE_Rally", wolf, hero).unwrap();
    let report = sim.reload(catalog("Armor")).unwrap();
    let lost: Vec<_> = report.entries.iter().map(|entry| (entry.name.as_str(), &entry.outcome)).collect();
    let [("GE_Rally", ReloadOutcome::CannotContinue { reason })] = lost[..] else { panic!("{lost:?}") };
    assert!(reason.contains("depend on itself"), "{reason}");
    let (power, armor) =
        (sim.catalog().attribute("Power").unwrap(), sim.catalog().attribute("Armor").unwrap());
    assert_eq!((sim.current(hero, power), sim.current(wolf, armor)), (Some(20.0), Some(20.0)));
    assert!(sim.inconsistencies().is_empty());
}

#[test]
fn saved_character_leaves_out_the_effect_that_would_close_a_cycle() {
    let (mut sim, hero, wolf) = world("Other");
    apply(&mut sim, "GE_Rally", wolf, hero).unwrap();
    let saved = sim.character_named(hero, |id| (id == wolf).then(|| "wolf".to_owned())).unwrap();
    // Elsewhere the rally reads armor, and wolf's armor follows the power of whoever comes.
    let mut other = Simulation::new(catalog("Armor"), Config::seeded(1));
    let (guard, first) = (other.spawn("Unit").unwrap(), other.spawn("Unit").unwrap());
    apply(&mut other, "GE_Guard", first, guard).unwrap();
    let options = RestoreOptions::default().instigator("wolf", guard);
    let (restored, report) = other.restore_character(&saved, &options).unwrap();
    // Nothing follows the new controller yet, so nothing closes.
    assert!(
        report.entries.iter().all(|entry| !matches!(entry.outcome, CharacterOutcome::CannotContinue { .. }))
    );
    assert_eq!(other.controller(restored).unwrap().effects().len(), 1);
    assert!(other.inconsistencies().is_empty());
    assert!(apply(&mut other, "GE_Guard", restored, guard).is_err());
}

#[test]
fn removing_a_link_opens_the_chain_again() {
    let (mut sim, hero, wolf) = world("Armor");
    let guard = sim.catalog().effect("GE_Guard").unwrap();
    for _ in 0..3 {
        let active = sim.apply_effect(guard, Some(hero), wolf).unwrap().active().unwrap();
        assert!(apply(&mut sim, "GE_Rally", wolf, hero).is_err());
        sim.remove(active, ugas_core::simulation::Stacks::All).unwrap();
    }
    apply(&mut sim, "GE_Rally", wolf, hero).unwrap();
    assert!(apply(&mut sim, "GE_Guard", hero, wolf).is_err());
}
