//! Deterministic core of UGAS.
#![forbid(unsafe_code)]

pub mod arena;
pub mod handle;
pub mod hash;
pub mod id;
pub mod number;
pub mod random;
pub mod tag;
pub mod time;
pub mod timer;
