//! P2, P4, P5: a restored character is equal to the saved one, in any simulation, and continues identically.

use proptest::prelude::*;
use ugas_core::character::{Character, CharacterOutcome, CharacterReport, Instigator, RestoreOptions};
use ugas_core::handle::ControllerId;
use ugas_core::simulation::{Config, Simulation, Snapshot};
use ugas_core::time::Span;
use ugas_data::character::{from_text, to_json, to_yaml};
use ugas_testkit::fixtures::{
    AbilityOp, Op, SimDriver, ability_ops, arena, game_of_abilities, operations, random_game, run_ability_op,
};
use ugas_testkit::oracle::Game;

fn name_of(id: ControllerId) -> Option<String> {
    Some(format!("{id:?}"))
}

fn take(sim: &Simulation, id: ControllerId) -> Character {
    let mut character = sim.character_named(id, name_of).expect("the controller exists");
    character.name.clear();
    character
}

/// Character without references to other controllers, which are lost in an empty simulation.
fn alone(mut character: Character) -> Character {
    for effect in &mut character.effects {
        if let Instigator::Other { owner, name } = &mut effect.instigator {
            *owner = None;
            name.clear();
        }
    }
    character
}

fn empty(of: &Simulation) -> Simulation {
    Simulation::new(of.catalog().clone(), of.config().clone())
}

/// Whether only instigators and their abilities were lost.
fn only_orphans(report: &CharacterReport) -> bool {
    report.entries.iter().all(|entry| {
        !entry.outcome.is_loss()
            || matches!(entry.outcome, CharacterOutcome::Orphaned | CharacterOutcome::AbilityGone { .. })
    })
}

fn restore(
    sim: &mut Simulation,
    character: &Character,
) -> Result<(ControllerId, CharacterReport), TestCaseError> {
    let restored = sim.restore_character(character, &RestoreOptions::default());
    let restored = restored.map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert_eq!(sim.inconsistencies(), Vec::<String>::new());
    Ok(restored)
}

/// The character survives every format, and a simulation with it survives a snapshot.
fn check_files(character: &Character, home: &Simulation) -> Result<(), TestCaseError> {
    let bytes = Character::from_bytes(&character.to_bytes());
    prop_assert_eq!(bytes.as_ref(), Ok(character));
    let texts = [("a.yaml", to_yaml(character)), ("a.json", to_json(character))];
    for (name, text) in texts.into_iter().filter(|_| !character.sets.is_empty()) {
        let read = from_text(name, text).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(&read, character);
    }
    let saved = Snapshot::from_bytes(&home.snapshot().to_bytes(), home.catalog());
    let saved = saved.map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert_eq!(saved.state_hash(), home.state_hash());
    Ok(())
}

/// Restores a character in an empty simulation, and from there in another one.
fn check_moves(sim: &Simulation, id: ControllerId) -> Result<(), TestCaseError> {
    let before = alone(take(sim, id));
    let mut first = empty(sim);
    let (once, report) = restore(&mut first, &before)?;
    prop_assert!(only_orphans(&report), "{}", report);
    let moved = alone(take(&first, once));
    prop_assert_eq!(&moved, &before);
    check_files(&before, &first)?;
    let mut second = empty(sim);
    second.advance(Span::seconds(3.25));
    let (twice, report) = restore(&mut second, &moved)?;
    prop_assert!(only_orphans(&report), "{}", report);
    prop_assert_eq!(&alone(take(&second, twice)), &before);
    // Both continue identically, and like the original if no other controller interacts with it.
    let mut home = sim.clone();
    for step in [Span::millis(300), Span::millis(700), Span::seconds(2.0)] {
        first.advance(step);
        second.advance(step);
        home.advance(step);
        let (one, other) = (alone(take(&first, once)), alone(take(&second, twice)));
        prop_assert_eq!(&one, &other);
        if before.effects.iter().all(|effect| !matches!(effect.instigator, Instigator::Other { .. })) {
            prop_assert_eq!(&one, &alone(take(&home, id)));
        }
    }
    prop_assert_eq!(first.inconsistencies(), Vec::<String>::new());
    Ok(())
}

/// Restores a character beside the other controllers, which are found by their names.
fn check_beside(sim: &Simulation, id: ControllerId) -> Result<(), TestCaseError> {
    let mut world = sim.clone();
    let before = take(sim, id);
    let options = sim.controllers().fold(RestoreOptions::default(), |options, (other, _)| {
        options.instigator(format!("{other:?}").as_str(), other)
    });
    let (copy, report) =
        world.restore_character(&before, &options).map_err(|error| TestCaseError::fail(error.to_string()))?;
    let dead = |name: &str| sim.controllers().all(|(other, _)| format!("{other:?}") != name);
    let gone = before
        .effects
        .iter()
        .any(|effect| matches!(&effect.instigator, Instigator::Other { name, .. } if dead(name)));
    prop_assert!(report.is_complete() || (gone && only_orphans(&report)), "{}", report);
    prop_assert_eq!(world.inconsistencies(), Vec::<String>::new());
    let after = take(&world, copy);
    if gone {
        prop_assert_eq!(alone(after), alone(before));
    } else {
        prop_assert_eq!(after, before);
    }
    Ok(())
}

fn check(game: &Game, operations: &[Op]) -> Result<(), TestCaseError> {
    let mut driver = SimDriver::new(game);
    for operation in operations {
        driver.run(operation);
    }
    let everybody: Vec<ControllerId> = driver.sim.controllers().map(|(id, _)| id).collect();
    for id in everybody {
        check_moves(&driver.sim, id)?;
        check_beside(&driver.sim, id)?;
    }
    Ok(())
}

/// Checks characters with abilities. Activations are not saved, so all are cancelled before.
fn check_ability_ops(game: &Game, ability_ops: &[AbilityOp]) -> Result<(), TestCaseError> {
    let mut driver = SimDriver::configured(game, Config::seeded(5));
    for ability_op in ability_ops {
        run_ability_op(&mut driver, ability_op);
    }
    let everybody: Vec<ControllerId> = driver.sim.controllers().map(|(id, _)| id).collect();
    for &id in &everybody {
        driver.sim.cancel_all(id, None);
    }
    for id in everybody {
        let idle = driver.sim.controller(id).is_some_and(|known| known.activations().is_empty());
        if idle {
            let before = alone(take(&driver.sim, id));
            let mut other = empty(&driver.sim);
            let (once, report) = restore(&mut other, &before)?;
            prop_assert!(only_orphans(&report), "{}", report);
            check_files(&before, &other)?;
            let mut after = alone(take(&other, once));
            // An ability of a missing controller is lost.
            let mut before = before;
            for effect in before.effects.iter_mut().chain(&mut after.effects) {
                effect.ability = effect.ability.take().filter(|ability| ability.order.is_some());
            }
            prop_assert_eq!(after, before);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(crate::cases(1))]

    #[test]
    fn characters_of_the_arena_are_what_they_were(operations in operations(60)) {
        check(&arena(), &operations)?;
    }

    #[test]
    fn characters_of_random_games_are_what_they_were(game in random_game(), operations in operations(40)) {
        check(&game, &operations)?;
    }

    #[test]
    fn characters_with_abilities_are_what_they_were(game in game_of_abilities(), ability_ops in ability_ops(50)) {
        check_ability_ops(&game, &ability_ops)?;
    }
}
