//! I1 by way of bytes: a state that was written and read is the state, and goes on as it would have.

use proptest::prelude::*;
use ugas_core::catalog::Definitions;
use ugas_core::codec::{from_bytes, to_bytes};
use ugas_core::event::Event;
use ugas_core::simulation::{Config, Simulation, Snapshot};
use ugas_testkit::fixtures::{
    Bout, Deed, Op, arena, deeds, do_deed, do_in_a_batch, game_of_abilities, operations, random_game,
};
use ugas_testkit::oracle::Game;

/// What went through bytes is the same state, in the same bytes.
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

/// Everything that one can see of a continuation.
fn continuation<T>(
    bout: &mut Bout,
    acts: &[T],
    act: impl Fn(&mut Bout, &T),
) -> (Vec<u64>, Vec<Event>, String) {
    let mut hashes = Vec::new();
    for one in acts {
        act(bout, one);
        hashes.push(bout.sim.state_hash());
    }
    let handles = bout.sim.controllers().map(|(id, controller)| {
        (
            id,
            controller.effects().to_vec(),
            controller.abilities().to_vec(),
            controller.activations().to_vec(),
        )
    });
    let handles = format!("{:?}", handles.collect::<Vec<_>>());
    (hashes, bout.sim.events().collect(), handles)
}

fn check<T>(
    mut bout: Bout,
    before: &[T],
    after: &[T],
    act: impl Fn(&mut Bout, &T),
) -> Result<(), TestCaseError> {
    for one in before {
        act(&mut bout, one);
    }
    bout.sim.events().for_each(drop);
    let mut twin = bout.clone();
    twin.sim = through_bytes(&bout.sim)?;
    let found = twin.sim.inconsistencies();
    prop_assert!(found.is_empty(), "{:#?}", found);
    prop_assert_eq!(twin.sim.next_timer(), bout.sim.next_timer());
    prop_assert_eq!(continuation(&mut twin, after, &act), continuation(&mut bout, after, &act));
    Ok(())
}

fn plain(bout: &mut Bout, op: &Op) {
    bout.run(op);
}

fn bout_of_abilities(game: &Game) -> Bout {
    Bout::configured(game, Config { cascade_limit: 300, ..Config::seeded(1) })
}

proptest! {
    #![proptest_config(crate::cases(1))]

    #[test]
    fn of_the_arena(before in operations(30), after in operations(20)) {
        check(Bout::new(&arena()), &before, &after, plain)?;
    }

    #[test]
    fn of_random_games(game in random_game(), before in operations(20), after in operations(20)) {
        check(Bout::new(&game), &before, &after, plain)?;
    }

    #[test]
    fn of_abilities(game in game_of_abilities(), before in deeds(25), after in deeds(25)) {
        check(bout_of_abilities(&game), &before, &after, do_deed)?;
    }

    /// Migration is a reload, with the same report.
    #[test]
    fn of_changed_games(
        game in random_game(),
        changed in random_game(),
        before in operations(30),
        after in operations(15),
    ) {
        let mut bout = Bout::new(&game);
        before.iter().for_each(|op| bout.run(op));
        bout.sim.events().for_each(drop);
        let mut twin = bout.clone();
        let bytes = bout.sim.snapshot().to_bytes_with_rules();
        let report = bout.sim.reload(changed.catalog()).unwrap();
        twin.sim = Simulation::new(changed.catalog(), bout.sim.config().clone());
        let migrated = twin.sim.migrate(&bytes);
        let migrated = migrated.map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(&report, &migrated);
        prop_assert_eq!(bout.sim.state_hash(), twin.sim.state_hash());
        let keeps_no_spec = |op: &&Op| !matches!(op, Op::Prepare { .. } | Op::ApplyPrepared(_));
        let after: Vec<Op> = after.iter().filter(keeps_no_spec).cloned().collect();
        prop_assert_eq!(continuation(&mut twin, &after, plain), continuation(&mut bout, &after, plain));
    }

    #[test]
    fn of_definitions(game in game_of_abilities()) {
        let catalog = game.catalog();
        let bytes = to_bytes(catalog.definitions());
        let definitions: Definitions = from_bytes(&bytes).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(to_bytes(&definitions), bytes);
        prop_assert_eq!(definitions.into_builder().build().unwrap().hash(), catalog.hash());
    }

    /// A snapshot from inside a batch is by way of bytes what it is in memory.
    #[test]
    fn of_the_inside_of_a_batch(game in game_of_abilities(), deeds in deeds(25)) {
        let mut bout = bout_of_abilities(&game);
        let (_, snapshot) = do_in_a_batch(&bout, &deeds);
        let read = Snapshot::from_bytes(&snapshot.to_bytes(), snapshot.catalog());
        let read = read.map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(read.state_hash(), snapshot.state_hash());
        let mut twin = bout.clone();
        bout.sim.restore(&snapshot).unwrap();
        twin.sim.restore(&read).unwrap();
        prop_assert_eq!(bout.sim.state_hash(), twin.sim.state_hash());
        let after = [Deed::Plain(Op::Advance(700)), Deed::Plain(Op::Advance(4_000))];
        prop_assert_eq!(continuation(&mut twin, &after, do_deed), continuation(&mut bout, &after, do_deed));
    }
}
