//! Sequences of operations.

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::fixtures::{World, operations as some_operations, random_game};

/// Most operations of one run.
const MOST: usize = 40;

/// Any bytes as the dice of a random game and of operations in it: core and oracle agree after each of them.
pub fn operations(bytes: &[u8]) {
    // The generator's bytes are used up from the front: without one there is nothing to decide by.
    if bytes.len() < 8 {
        return;
    }
    let dice = TestRng::from_seed(RngAlgorithm::PassThrough, bytes);
    let mut runner = TestRunner::new_with_rng(Config::default(), dice);
    let plan = (random_game(), some_operations(MOST));
    // Bytes that lead to nothing but rejected choices are no plan.
    let Ok(tree) = plan.new_tree(&mut runner) else { return };
    let (game, operations) = tree.current();
    let mut world = World::with_two(&game);
    for operation in &operations {
        world.run(operation);
    }
}
