//! R6, R7: a reload of equal definitions has no effect, now or later; a reload of changed ones is complete.

use std::fmt::Write;
use std::sync::Arc;

use proptest::prelude::*;
use ugas_core::attribute::{AttributeDef, AttributeSetDef};
use ugas_core::catalog::Catalog;
use ugas_core::effect::EffectDef;
use ugas_core::event::Event;
use ugas_core::modifier::Operation;
use ugas_core::simulation::Simulation;
use ugas_testkit::fixtures::{Op, SimDriver, arena, operations, random_game};
use ugas_testkit::oracle::Game;

/// Named state of a simulation, so that simulations with different ids can be compared.
fn picture(sim: &Simulation) -> String {
    let catalog = sim.catalog();
    let mut text = format!("{} {:?}\n", sim.now(), sim.next_timer());
    for (id, controller) in sim.controllers() {
        let sets: Vec<&str> = sim.attribute_sets(id).iter().map(|set| catalog.set_name(*set)).collect();
        writeln!(text, "{id:?} {sets:?} {:?} {:?}", controller.effects(), controller.abilities()).unwrap();
        for (attribute, base, current) in sim.attributes(id) {
            writeln!(text, "  {} {base} {current}", catalog.attribute_name(attribute)).unwrap();
        }
        for (tag, count) in controller.tags().iter() {
            writeln!(text, "  {} {count}", catalog.tag_name(tag)).unwrap();
        }
        for &(cue, count) in controller.cues() {
            writeln!(text, "  {} {count}", catalog.tag_name(cue)).unwrap();
        }
        for &active in controller.effects() {
            let effect = sim.effect(active).unwrap();
            let (name, now) = (sim.effect_name(effect.effect()), sim.now());
            let clock = (effect.started(), effect.remaining(now), effect.next_tick(), effect.ticks());
            let state = (effect.status(), effect.is_inhibited(), effect.stacks());
            writeln!(text, "  {active:?} {name} {state:?} {clock:?} {:?}", effect.magnitudes()).unwrap();
        }
    }
    text
}

fn story(sim: &mut Simulation) -> Vec<String> {
    let events: Vec<Event> = sim.events().collect();
    events.iter().map(|event| format!("{} {}", event.sequence, event.describe(sim))).collect()
}

/// The same game with additional definitions that shift every id.
fn among_others(game: &Game) -> Arc<Catalog> {
    let mut game = game.clone();
    game.effects.reverse();
    game.sets.reverse();
    game.templates.reverse();
    game.tags.reverse();
    for set in &mut game.sets {
        set.attributes.reverse();
    }
    game.tags.extend(["Aaa.First", "State.Buff.Aaa", "State.Zzz"].map(str::to_owned));
    game.sets.push(AttributeSetDef::new("Aaa").with(AttributeDef::new("Aaa", 1.0)));
    game.effects.push(EffectDef::infinite("Aaa").modify("Aaa", Operation::Add, 1.0).granting("Aaa.First"));
    game.effects.push(EffectDef::instant("GE_00a").modify("Aaa", Operation::Add, 1.0));
    game.catalog()
}

/// Whether an operation keeps a spec, which belongs to the old catalog and is invalid with other ids.
fn keeps_spec(op: &Op) -> bool {
    matches!(op, Op::Prepare { .. } | Op::ApplyPrepared(_))
}

fn check_equal(game: &Game, operations: &[Op], every: usize) -> Result<(), TestCaseError> {
    let (mut one, mut other) = (SimDriver::new(game), SimDriver::new(game));
    for (at, operation) in operations.iter().enumerate() {
        one.run(operation);
        other.run(operation);
        if at % every == 0 {
            let report = other.sim.reload(game.catalog()).unwrap();
            prop_assert!(report.diff.is_empty() && report.entries.is_empty(), "{}", report);
        }
        prop_assert_eq!(one.sim.state_hash(), other.sim.state_hash(), "after {:?}", operation);
    }
    prop_assert_eq!(one.sim.next_timer(), other.sim.next_timer());
    prop_assert_eq!(one.sim.events().collect::<Vec<_>>(), other.sim.events().collect::<Vec<_>>());
    Ok(())
}

fn check_among_others(game: &Game, operations: &[Op], every: usize) -> Result<(), TestCaseError> {
    let (mut one, mut other) = (SimDriver::new(game), SimDriver::new(game));
    let catalogs = [among_others(game), game.catalog()];
    let mut reloads = 0;
    for (at, operation) in operations.iter().filter(|op| !keeps_spec(op)).enumerate() {
        one.run(operation);
        other.run(operation);
        if at % every == 0 {
            let report = other.sim.reload(catalogs[reloads % 2].clone()).unwrap();
            reloads += 1;
            prop_assert!(report.entries.is_empty(), "{}", report);
        }
        prop_assert_eq!(picture(&one.sim), picture(&other.sim), "after {:?}", operation);
        if reloads % 2 == 0 {
            prop_assert_eq!(one.sim.state_hash(), other.sim.state_hash(), "after {:?}", operation);
        }
    }
    prop_assert_eq!(story(&mut one.sim), story(&mut other.sim));
    Ok(())
}

/// After any change, two machines agree, and a further reload of the same catalog changes nothing.
fn check_changed(game: &Game, changed: &Game, before: &[Op], after: &[Op]) -> Result<(), TestCaseError> {
    let mut driver = SimDriver::new(game);
    for operation in before.iter().filter(|op| !keeps_spec(op)) {
        driver.run(operation);
    }
    let mut twin = driver.clone();
    let report = driver.sim.reload(changed.catalog()).unwrap();
    prop_assert_eq!(&report, &twin.sim.reload(changed.catalog()).unwrap());
    prop_assert_eq!(driver.sim.state_hash(), twin.sim.state_hash());
    prop_assert!(twin.sim.reload(changed.catalog()).unwrap().entries.is_empty());
    prop_assert_eq!(picture(&driver.sim), picture(&twin.sim));
    prop_assert_eq!(driver.sim.state_hash(), twin.sim.state_hash());
    for operation in after.iter().filter(|op| !keeps_spec(op)) {
        driver.run(operation);
        twin.run(operation);
        prop_assert_eq!(driver.sim.state_hash(), twin.sim.state_hash(), "after {:?}", operation);
    }
    let logic = |sim: &mut Simulation| sim.events().filter(|event| event.kind.name() == "LogicError").count();
    prop_assert_eq!((logic(&mut driver.sim), logic(&mut twin.sim)), (0, 0));
    Ok(())
}

proptest! {
    #![proptest_config(crate::cases(1))]

    #[test]
    fn an_equal_catalog_is_not_felt_in_the_arena(operations in operations(60), every in 1..6usize) {
        check_equal(&arena(), &operations, every)?;
    }

    #[test]
    fn an_equal_catalog_is_not_felt_in_random_games(
        game in random_game(),
        operations in operations(50),
        every in 1..6usize,
    ) {
        check_equal(&game, &operations, every)?;
    }

    #[test]
    fn other_definitions_besides_are_not_felt_in_the_arena(operations in operations(60), every in 1..9usize) {
        check_among_others(&arena(), &operations, every)?;
    }

    #[test]
    fn other_definitions_besides_are_not_felt_in_random_games(
        game in random_game(),
        operations in operations(50),
        every in 1..9usize,
    ) {
        check_among_others(&game, &operations, every)?;
    }

    #[test]
    fn changed_games_go_on_alike(
        game in random_game(),
        changed in random_game(),
        before in operations(40),
        after in operations(20),
    ) {
        check_changed(&game, &changed, &before, &after)?;
    }
}
