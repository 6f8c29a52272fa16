//! Proof of the core: a [naive oracle](oracle) that recomputes everything from scratch, [fixtures] that drive it and the
//! core side by side, the property tests over both, and the [fuzz bodies](fuzz) of files, expressions and scenarios.
#![forbid(unsafe_code)]

pub mod fixtures;
pub mod fuzz;
pub mod oracle;
