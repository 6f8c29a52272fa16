//! Deterministic core of UGAS.
#![forbid(unsafe_code)]

pub mod hash;
pub mod id;
pub mod tag;
pub mod time;
