//! Property tests of the core, against the oracle and against itself.

mod abilities;
mod against_oracle;
mod bytes;
mod characters;
mod cycles;
mod event_filter;
mod fuzz;
mod hashes;
mod loops;
mod no_panic;
mod order;
mod quantised_files;
mod recorded_games;
mod recorded_states;
mod regressions;
mod reload;
mod replica;
mod snapshots;
mod states;
mod step_invariance;

use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

/// Deterministic configuration with the default number of cases times a factor for cheap cases.
/// `PROPTEST_CASES` sets the number, `PROPTEST_RNG_SEED` the seed.
fn cases(factor: u32) -> ProptestConfig {
    let mut config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    config.cases = config.cases.saturating_mul(factor);
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(20_240_601);
    }
    config
}
