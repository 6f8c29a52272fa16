//! I1: a restored or cloned state continues exactly like the original.

use proptest::prelude::*;
use ugas_core::event::Event;
use ugas_core::simulation::Snapshot;
use ugas_testkit::fixtures::{Op, SimDriver, arena, operations, random_game};
use ugas_testkit::oracle::Game;

/// Observable results of a continuation: hashes, events with their handles, and existing handles.
fn continuation(driver: &mut SimDriver, operations: &[Op]) -> (Vec<u64>, Vec<Event>, String) {
    let mut hashes = Vec::new();
    for operation in operations {
        driver.run(operation);
        hashes.push(driver.sim.state_hash());
    }
    let events = driver.sim.events().collect();
    let effects = driver.sim.controllers().map(|(id, controller)| (id, controller.effects().to_vec()));
    (hashes, events, format!("{:?}", effects.collect::<Vec<_>>()))
}

fn check(game: &Game, before: &[Op], after: &[Op]) -> Result<(), TestCaseError> {
    let mut driver = SimDriver::new(game);
    for operation in before {
        driver.run(operation);
    }
    driver.sim.events().for_each(drop);
    let snapshot = driver.sim.snapshot();
    let hash = driver.sim.state_hash();
    prop_assert_eq!(snapshot.state_hash(), hash);
    let (start, mut twin) = (driver.clone(), driver.clone());
    let first = continuation(&mut driver, after);

    let mut again = start;
    again.sim = driver.sim;
    again.sim.restore(&snapshot).unwrap();
    prop_assert_eq!(again.sim.state_hash(), hash);
    let second = continuation(&mut again, after);
    prop_assert_eq!(&first, &second, "restored");

    let third = continuation(&mut twin, after);
    prop_assert_eq!(&first, &third, "cloned");
    Ok(())
}

/// Two copies of a simulation that repeatedly overwrite a ring of snapshots: only differences are copied, so
/// parts that are considered equal must be equal.
fn check_ring(game: &Game, moves: &[(u8, usize, usize)], operations: &[Op]) -> Result<(), TestCaseError> {
    let mut first = SimDriver::new(game);
    first.run(&Op::Advance(1));
    let mut worlds = [first.clone(), first];
    let mut places: [Option<(Snapshot, SimDriver)>; 3] = [None, None, None];
    let mut operations = operations.iter();
    for &(kind, world, place) in moves {
        match kind {
            // Takes a snapshot over one that the other copy may have taken.
            0 | 1 => {
                let snapshot = match places[place].take() {
                    Some((mut old, _)) => {
                        worlds[world].sim.snapshot_into(&mut old);
                        old
                    }
                    None => worlds[world].sim.snapshot(),
                };
                let then = worlds[world].clone();
                prop_assert_eq!(snapshot.to_bytes(), then.sim.snapshot().to_bytes(), "kept");
                places[place] = Some((snapshot, then));
            }
            // Restores a snapshot, possibly one of the other copy.
            2 => {
                let Some((snapshot, then)) = &places[place] else { continue };
                let mut back = then.clone();
                core::mem::swap(&mut back.sim, &mut worlds[world].sim);
                back.sim.restore(snapshot).unwrap();
                prop_assert_eq!(back.sim.snapshot().to_bytes(), then.sim.snapshot().to_bytes(), "restored");
                prop_assert_eq!(back.sim.inconsistencies(), Vec::<String>::new());
                let next: Vec<Op> = operations.by_ref().take(2).cloned().collect();
                let mut then = then.clone();
                then.sim.events().for_each(drop);
                prop_assert_eq!(continuation(&mut back, &next), continuation(&mut then, &next), "went on");
                worlds[world] = back;
            }
            _ => operations.by_ref().take(2).for_each(|operation| worlds[world].run(operation)),
        }
        prop_assert_eq!(worlds[world].sim.inconsistencies(), Vec::<String>::new());
    }
    Ok(())
}

fn moves() -> impl Strategy<Value = Vec<(u8, usize, usize)>> {
    proptest::collection::vec((0u8..6, 0usize..2, 0usize..3), 10..40)
}

proptest! {
    #![proptest_config(crate::cases(1))]

    #[test]
    fn written_over_each_other(moves in moves(), operations in operations(40)) {
        check_ring(&arena(), &moves, &operations)?;
    }

    #[test]
    fn written_over_each_other_in_random_games(game in random_game(), moves in moves(), operations in operations(40)) {
        check_ring(&game, &moves, &operations)?;
    }

    #[test]
    fn of_the_arena(before in operations(30), after in operations(30)) {
        check(&arena(), &before, &after)?;
    }

    #[test]
    fn of_random_games(game in random_game(), before in operations(20), after in operations(20)) {
        check(&game, &before, &after)?;
    }

    /// States that continue differently have different hashes.
    #[test]
    fn hashes_differ_when_states_do(before in operations(20)) {
        let mut driver = SimDriver::new(&arena());
        for operation in &before {
            driver.run(operation);
        }
        let hash = driver.sim.state_hash();
        driver.run(&Op::Advance(1));
        prop_assert_ne!(driver.sim.state_hash(), hash);
    }
}
