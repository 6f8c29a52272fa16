//! Properties of the core, proven against the oracle and against itself.

mod against_oracle;
mod regressions;
