//! I1: a state that is restored or cloned goes on exactly as the first time.

use proptest::prelude::*;
use ugas_core::event::Event;
use ugas_testkit::fixtures::{Bout, Op, arena, operations, random_game};
use ugas_testkit::oracle::Game;

/// Everything that one can see of a continuation: hashes, events with their handles, and the handles that are there.
fn continuation(bout: &mut Bout, operations: &[Op]) -> (Vec<u64>, Vec<Event>, String) {
    let mut hashes = Vec::new();
    for operation in operations {
        bout.run(operation);
        hashes.push(bout.sim.state_hash());
    }
    let events = bout.sim.events().collect();
    let effects = bout.sim.controllers().map(|(id, controller)| (id, controller.effects().to_vec()));
    (hashes, events, format!("{:?}", effects.collect::<Vec<_>>()))
}

fn check(game: &Game, before: &[Op], after: &[Op]) -> Result<(), TestCaseError> {
    let mut bout = Bout::new(game);
    for operation in before {
        bout.run(operation);
    }
    bout.sim.events().for_each(drop);
    let snapshot = bout.sim.snapshot();
    let hash = bout.sim.state_hash();
    prop_assert_eq!(snapshot.state_hash(), hash);
    let (start, mut twin) = (bout.clone(), bout.clone());
    let first = continuation(&mut bout, after);

    let mut again = start;
    again.sim = bout.sim;
    again.sim.restore(&snapshot).unwrap();
    prop_assert_eq!(again.sim.state_hash(), hash);
    let second = continuation(&mut again, after);
    prop_assert_eq!(&first, &second, "restored");

    let third = continuation(&mut twin, after);
    prop_assert_eq!(&first, &third, "cloned");
    Ok(())
}

proptest! {
    #![proptest_config(crate::cases(1))]

    #[test]
    fn of_the_arena(before in operations(30), after in operations(30)) {
        check(&arena(), &before, &after)?;
    }

    #[test]
    fn of_random_games(game in random_game(), before in operations(20), after in operations(20)) {
        check(&game, &before, &after)?;
    }

    /// The hash tells states apart that will go on differently.
    #[test]
    fn hashes_differ_when_states_do(before in operations(20)) {
        let mut bout = Bout::new(&arena());
        for operation in &before {
            bout.run(operation);
        }
        let hash = bout.sim.state_hash();
        bout.run(&Op::Advance(1));
        prop_assert_ne!(bout.sim.state_hash(), hash);
    }
}
