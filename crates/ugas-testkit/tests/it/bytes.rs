//! I1 through bytes: an encoded and decoded state is equal, and continues identically.

use proptest::prelude::*;
use ugas_core::catalog::Definitions;
use ugas_core::codec::{from_bytes, to_bytes};
use ugas_core::event::Event;
use ugas_core::simulation::{Config, Simulation, Snapshot};
use ugas_testkit::fixtures::{
    AbilityOp, Op, SimDriver, ability_ops, arena, game_of_abilities, operations, random_game, run_ability_op,
    run_in_batch,
};
use ugas_testkit::oracle::Game;

/// Encodes and decodes a state; the result is equal and has the same bytes.
fn through_bytes(sim: &Simulation) -> Result<Simulation, TestCaseError> {
    let snapshot = sim.snapshot();
    let bytes = snapshot.to_bytes();
    let read = Snapshot::from_bytes(&bytes, sim.catalog());
    let read = read.map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert_eq!(read.state_hash(), snapshot.state_hash());
    prop_assert!(read.to_bytes() == bytes, "written again, other bytes");
    let mut other = Simulation::new(sim.catalog().clone(), sim.config().clone());
    other.restore(&read).unwrap();
    Ok(other)
}

/// Hashes and events of a continuation.
fn continuation<T>(
    driver: &mut SimDriver,
    acts: &[T],
    act: impl Fn(&mut SimDriver, &T),
) -> (Vec<u64>, Vec<Event>, String) {
    let mut hashes = Vec::new();
    for one in acts {
        act(driver, one);
        hashes.push(driver.sim.state_hash());
    }
    let handles = driver.sim.controllers().map(|(id, controller)| {
        (
            id,
            controller.effects().to_vec(),
            controller.abilities().to_vec(),
            controller.activations().to_vec(),
        )
    });
    let handles = format!("{:?}", handles.collect::<Vec<_>>());
    (hashes, driver.sim.events().collect(), handles)
}

fn check<T>(
    mut driver: SimDriver,
    before: &[T],
    after: &[T],
    act: impl Fn(&mut SimDriver, &T),
) -> Result<(), TestCaseError> {
    for one in before {
        act(&mut driver, one);
    }
    driver.sim.events().for_each(drop);
    let mut twin = driver.clone();
    twin.sim = through_bytes(&driver.sim)?;
    let found = twin.sim.inconsistencies();
    prop_assert!(found.is_empty(), "{:#?}", found);
    prop_assert_eq!(twin.sim.next_timer(), driver.sim.next_timer());
    prop_assert_eq!(continuation(&mut twin, after, &act), continuation(&mut driver, after, &act));
    Ok(())
}

fn plain(driver: &mut SimDriver, op: &Op) {
    driver.run(op);
}

fn driver_with_abilities(game: &Game) -> SimDriver {
    SimDriver::configured(game, Config { cascade_limit: 300, ..Config::seeded(1) })
}

proptest! {
    #![proptest_config(crate::cases(1))]

    #[test]
    fn of_the_arena(before in operations(30), after in operations(20)) {
        check(SimDriver::new(&arena()), &before, &after, plain)?;
    }

    #[test]
    fn of_random_games(game in random_game(), before in operations(20), after in operations(20)) {
        check(SimDriver::new(&game), &before, &after, plain)?;
    }

    #[test]
    fn of_abilities(game in game_of_abilities(), before in ability_ops(25), after in ability_ops(25)) {
        check(driver_with_abilities(&game), &before, &after, run_ability_op)?;
    }

    /// Migration is a reload, with the same report.
    #[test]
    fn of_changed_games(
        game in random_game(),
        changed in random_game(),
        before in operations(30),
        after in operations(15),
    ) {
        let mut driver = SimDriver::new(&game);
        before.iter().for_each(|op| driver.run(op));
        driver.sim.events().for_each(drop);
        let mut twin = driver.clone();
        let bytes = driver.sim.snapshot().to_bytes_with_rules();
        let report = driver.sim.reload(changed.catalog()).unwrap();
        twin.sim = Simulation::new(changed.catalog(), driver.sim.config().clone());
        let migrated = twin.sim.migrate(&bytes);
        let migrated = migrated.map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(&report, &migrated);
        prop_assert_eq!(driver.sim.state_hash(), twin.sim.state_hash());
        let keeps_no_spec = |op: &&Op| !matches!(op, Op::Prepare { .. } | Op::ApplyPrepared(_));
        let after: Vec<Op> = after.iter().filter(keeps_no_spec).cloned().collect();
        prop_assert_eq!(continuation(&mut twin, &after, plain), continuation(&mut driver, &after, plain));
    }

    #[test]
    fn of_definitions(game in game_of_abilities()) {
        let catalog = game.catalog();
        let bytes = to_bytes(catalog.definitions());
        let definitions: Definitions = from_bytes(&bytes).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(to_bytes(&definitions), bytes);
        prop_assert_eq!(definitions.into_builder().build().unwrap().hash(), catalog.hash());
    }

    /// A snapshot from inside a batch is the same through bytes as in memory.
    #[test]
    fn of_the_inside_of_a_batch(game in game_of_abilities(), ability_ops in ability_ops(25)) {
        let mut driver = driver_with_abilities(&game);
        let (_, snapshot) = run_in_batch(&driver, &ability_ops);
        let read = Snapshot::from_bytes(&snapshot.to_bytes(), snapshot.catalog());
        let read = read.map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(read.state_hash(), snapshot.state_hash());
        let mut twin = driver.clone();
        driver.sim.restore(&snapshot).unwrap();
        twin.sim.restore(&read).unwrap();
        prop_assert_eq!(driver.sim.state_hash(), twin.sim.state_hash());
        let after = [AbilityOp::Plain(Op::Advance(700)), AbilityOp::Plain(Op::Advance(4_000))];
        prop_assert_eq!(continuation(&mut twin, &after, run_ability_op), continuation(&mut driver, &after, run_ability_op));
    }
}
