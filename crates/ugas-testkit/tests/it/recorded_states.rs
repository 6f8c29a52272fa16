//! State hashes and snapshot bytes of random games of fixed seeds: a change that keeps the form of hash and bytes keeps
//! every digest. `recorded_games` compares behaviour alone.
//!
//! `UPDATE_EXPECT=1` writes the digests anew. Do that only for a change of rules, of the state's bytes or of the
//! generators, and say so in the commit.

use std::fmt::Write;
use std::path::Path;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use ugas_core::simulation::Config;
use ugas_testkit::fixtures::{
    SimDriver, ability_ops, game_of_abilities, operations, random_game, run_ability_op,
};

const GAMES: usize = 200;
const OPERATIONS: usize = 40;

/// FNV-1a over 64-bit words and texts.
struct Digest(u64);

impl Digest {
    fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// State hash, and names of the events in order.
    fn state(&mut self, driver: &mut SimDriver) {
        self.bytes(&driver.sim.state_hash().to_le_bytes());
        for event in driver.sim.events() {
            self.bytes(event.kind.name().as_bytes());
        }
    }
}

fn sample<T>(strategy: impl Strategy<Value = T>, runner: &mut TestRunner) -> T {
    strategy.new_tree(runner).expect("the generators reject nothing").current()
}

fn digests() -> String {
    let mut runner = TestRunner::deterministic();
    let mut text = String::new();
    for game in 0..GAMES {
        let mut digest = Digest(0xcbf2_9ce4_8422_2325);
        let mut driver = SimDriver::new(&sample(random_game(), &mut runner));
        for operation in sample(operations(OPERATIONS), &mut runner) {
            driver.run(&operation);
            digest.state(&mut driver);
        }
        digest.bytes(&driver.sim.snapshot().to_bytes());
        writeln!(text, "effects {game} {:016x}", digest.0).expect("a string takes everything");
    }
    for game in 0..GAMES {
        let mut digest = Digest(0xcbf2_9ce4_8422_2325);
        let config = Config { cascade_limit: 300, ..Config::seeded(1) };
        let mut driver = SimDriver::configured(&sample(game_of_abilities(), &mut runner), config);
        for operation in sample(ability_ops(OPERATIONS), &mut runner) {
            run_ability_op(&mut driver, &operation);
            digest.state(&mut driver);
        }
        digest.bytes(&driver.sim.snapshot().to_bytes());
        writeln!(text, "abilities {game} {:016x}", digest.0).expect("a string takes everything");
    }
    text
}

#[test]
fn random_games_have_their_recorded_states() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recorded-states.txt");
    let found = digests();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, found).unwrap();
        return;
    }
    let recorded = std::fs::read_to_string(&path).unwrap();
    let differing: Vec<&str> =
        found.lines().zip(recorded.lines()).filter(|(now, then)| now != then).map(|(now, _)| now).collect();
    assert_eq!(found.lines().count(), recorded.lines().count(), "number of games");
    assert!(
        differing.is_empty(),
        "{} games differ from the record, first: {}",
        differing.len(),
        differing[0]
    );
}
