//! Test support for the core: a [naive oracle](oracle) that recomputes everything from scratch, [fixtures]
//! that drive the oracle and the core side by side, [random games](games) whose [dumps](dump) are recorded and
//! compared between versions of the core, and [fuzz bodies](fuzz) for files, expressions, scenarios and network
//! data. The property tests of this crate use them.
#![forbid(unsafe_code)]

pub mod dump;
pub mod fixtures;
pub mod fuzz;
pub mod games;
pub mod oracle;
