//! Deterministic core of UGAS.
#![forbid(unsafe_code)]

pub mod curve;
pub mod expr;
pub mod hash;
pub mod id;
pub mod nearest;
pub mod time;
