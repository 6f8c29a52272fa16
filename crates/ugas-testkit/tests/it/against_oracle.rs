//! Random operations: core and oracle agree.

use proptest::prelude::*;
use ugas_testkit::fixtures::{World, arena, operations, random_game};

proptest! {
    #![proptest_config(crate::cases(2))]

    /// The arena's effects, in any order.
    #[test]
    fn the_arena_agrees(operations in operations(60)) {
        let mut world = World::with_two(&arena());
        for operation in &operations {
            world.run(operation);
        }
    }

    /// Random effects over the arena's attributes.
    #[test]
    fn random_games_agree(game in random_game(), operations in operations(40)) {
        let mut world = World::with_two(&game);
        for operation in &operations {
            world.run(operation);
        }
    }
}
