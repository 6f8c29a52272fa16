//! Fuzz body for sequences of operations.

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::fixtures::{World, operation, random_game};

/// Bytes that determine one game or one operation, so that a changed byte changes only one of them.
const BYTES: usize = 3;

/// Most operations of one run.
const MOST: usize = 40;

/// Fuzz body: interprets any bytes as a random game with operations; core and oracle agree after each of
/// them.
pub fn operations(bytes: &[u8]) {
    let mut pieces = bytes.chunks(BYTES);
    let Some(game) = pieces.next().and_then(|piece| generate(random_game(), piece)) else { return };
    let mut world = World::with_two(&game);
    for operation in pieces.take(MOST).filter_map(|piece| generate(operation(), piece)) {
        world.run(&operation);
    }
}

/// Value that a strategy generates with these bytes as its seed; `None` if it rejects all its choices.
fn generate<T>(strategy: impl Strategy<Value = T>, bytes: &[u8]) -> Option<T> {
    let mut seed = [0; 32];
    for (seed, byte) in seed.iter_mut().zip(bytes) {
        *seed = *byte;
    }
    let dice = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let mut runner = TestRunner::new_with_rng(Config::default(), dice);
    strategy.new_tree(&mut runner).ok().map(|tree| tree.current())
}
