//! Deterministic core of UGAS: tags, attributes, modifiers and effects as plain data.
//!
//! Most readers want the `ugas` crate, which re-exports what a game needs and has the manual. This crate
//! implements the rules. It uses no files, clocks, threads, sockets or engine, and contains no `unsafe` code.
//!
//! Commands go in, plain data advances, events come out:
//!
//! - A [`catalog::Catalog`] holds every definition and all native code. It is checked as a whole, and then immutable.
//! - A [`simulation::Simulation`] holds the state, which can be cloned, hashed and restored between any two calls.
//! - An [`event::Event`] reports what happened; a [`refusal::Refusal`] reports why something did not.
//!
//! # Reading order
//!
//! 1. Foundation: [`time`], [`id`], [`handle`], [`arena`], [`timer`], [`random`], [`hash`], [`codec`],
//!    [`number`], [`nearest`].
//! 2. Vocabulary: [`tag`] (§7), [`expr`], [`curve`].
//! 3. Definitions: [`attribute`] (§5, §6), [`modifier`] (§5.3), [`effect`] (§9), [`ability`] (§8, §9.8),
//!    [`controller`] (§4), and [`catalog`], which resolves and checks them.
//! 4. The pipeline: [`simulation`], one module per step; [`command`] is every change as data.
//! 5. Targeting and presentation: [`targeting`] (GASD §4.11), [`cue`] (§12).
//! 6. Output: [`event`], [`refusal`], [`explain`], [`debug`].
//! 7. Input: [`input`] (§11), from devices to the ids that abilities are bound to.
//! 8. Persistence and replication: [`reload`] continues a simulation under a changed catalog; [`character`]
//!    moves a controller from one simulation to another; [`replica`] copies the visible part of one
//!    simulation into another.
//!
//! # References in comments
//!
//! `§7.2` is a clause of the UGAS specification, 1.0.0-draft.1. `UEM` and `GASD` are descriptions of Unreal's gameplay
//! ability system, whose rules fill what the specification leaves open. A letter with a number is a rule of this
//! project, with its full text in `docs/rules.md`: `V` values and time, `M` modifiers, `B` bounds, derived and meta
//! attributes, `T` tags, `E` effects, `C` cues, `A` abilities and tasks, `K` controllers, `D` documents, `N` network, `R`
//! reloads, `P` characters, `I` invariants of the core. That page also has the addresses of the sources.
#![forbid(unsafe_code)]

pub mod ability;
pub mod arena;
pub mod attribute;
pub mod catalog;
pub mod character;
pub mod codec;
pub mod command;
pub mod controller;
mod cow_option;
pub mod cue;
pub mod curve;
pub mod debug;
pub mod effect;
pub mod event;
pub mod explain;
pub mod expr;
mod gap_vec;
pub mod handle;
pub mod hash;
pub mod id;
pub mod input;
mod lazy_box;
pub mod modifier;
pub mod nearest;
pub mod number;
pub mod prediction;
pub mod random;
pub mod refusal;
pub mod reload;
pub mod replica;
pub mod simulation;
mod stamped;
pub mod tag;
pub mod targeting;
pub mod task;
pub mod time;
pub mod timer;
