//! Proof of the core: a [naive oracle](oracle) that recomputes everything from scratch, [fixtures] that drive it and the
//! core side by side, and the property tests over both.
#![forbid(unsafe_code)]

pub mod fixtures;
pub mod oracle;
