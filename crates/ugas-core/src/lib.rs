//! Deterministic core of UGAS.
#![forbid(unsafe_code)]

pub mod ability;
pub mod arena;
pub mod attribute;
pub mod catalog;
pub mod command;
pub mod controller;
pub mod curve;
pub mod effect;
pub mod event;
pub mod explain;
pub mod expr;
pub mod handle;
pub mod hash;
pub mod id;
pub mod modifier;
pub mod nearest;
pub mod number;
pub mod random;
pub mod refusal;
pub mod simulation;
pub mod tag;
pub mod time;
pub mod timer;
