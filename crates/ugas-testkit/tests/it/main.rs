//! Properties of the core, proven against the oracle and against itself.

mod against_oracle;
mod no_panic;
mod order;
mod regressions;
mod snapshots;
mod step_invariance;

use proptest::prelude::ProptestConfig;

/// The default number of cases (`PROPTEST_CASES` sets it) times a factor for how cheap a case is.
fn cases(factor: u32) -> ProptestConfig {
    let config = ProptestConfig::default();
    ProptestConfig { cases: config.cases.saturating_mul(factor), failure_persistence: None, ..config }
}
