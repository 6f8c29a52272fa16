//! Properties of the core, proven against the oracle and against itself.

mod abilities;
mod against_oracle;
mod bytes;
mod characters;
mod cycles;
mod fuzz;
mod loops;
mod mirror;
mod no_panic;
mod order;
mod quantised_files;
mod regressions;
mod reload;
mod snapshots;
mod states;
mod step_invariance;

use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

/// The default number of cases times a factor for how cheap a case is, always the same ones. `PROPTEST_CASES` sets the
/// number, `PROPTEST_RNG_SEED` makes it others.
fn cases(factor: u32) -> ProptestConfig {
    let mut config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    config.cases = config.cases.saturating_mul(factor);
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(20_240_601);
    }
    config
}
