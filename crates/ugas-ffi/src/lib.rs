//! The C interface: what `include/ugas.h` declares.
//!
//! The header is made from this crate and kept beside it; a test compares them and says how to make it again. C calls in,
//! plain data goes out, and nothing of Rust is seen: no type of the core appears in a signature.
//!
//! # Rules, the same for every function
//!
//! - **One pointer, many numbers.** A `ugas_context` is the only object behind a pointer. Everything in it (loaders,
//!   catalogs, simulations, servers, clients, players, snapshots, mappers) is a number that the context checks: one that is
//!   dead, foreign or of another kind is refused with `UGAS_STATUS_BAD_HANDLE`. Servers, clients and players are simulations
//!   too, and taken wherever one is asked for. Controllers, effects, abilities, runs and tasks are numbers
//!   of a simulation: zero is none, those of the dead find nothing, and those of another simulation or kind are safe, but
//!   may find something else. See `docs/adr/0016-c-interface.md`.
//! - **Statuses.** A function that can fail returns a `ugas_status`; `ugas_last_error` has the words and
//!   `ugas_last_reasons` the reasons of a refusal. They are the context's, whichever thread asks. Results go through pointers
//!   that are checked before anything happens, so a call that fails has changed nothing, unless its own words say otherwise.
//! - **Text** is UTF-8 with a length, not ended by a zero. What a call gives out (text, bytes) is valid until the next call
//!   with the same context, which it may still be given to; `ugas_last_error` and `ugas_last_reasons` disturb nothing. What
//!   belongs to events that were polled is valid until the next poll of that simulation, server, client or player.
//! - **Structures** that go in or come out by themselves begin with their `size`, set by the caller; those in lists that
//!   come out have their size as an argument. So either side may be older: what it does not know is zero or left out.
//!   Rows of lists that go in (`ugas_target`, `ugas_placement`, `ugas_magnitude`, `ugas_reading`, `ugas_instigator`) stay as
//!   they are as long as `UGAS_ABI_VERSION` does.
//! - **Memory** that a call writes to must not overlap with what it reads. Whatever is given to a call is copied, and stays
//!   the caller's: nothing is kept but callbacks with their `user`, until their `free` is called. What has a `_free` function
//!   is freed with it, or with its context; nothing else is to be freed.
//! - **Panics** end here. One that happens anyhow is `UGAS_STATUS_PANIC`; free the simulation that was used.
//! - **Callbacks** are given data and leave data. They have to return: no exception of C++ and no `longjmp` may leave one.
//! - **Threads.** A context belongs to no thread, and is used by one at a time: a call while another is under way, from
//!   another thread or from inside a callback, is refused with `UGAS_STATUS_BUSY`, freeing included. Once it is freed nobody
//!   may use it, also no thread that was about to. Different contexts have nothing in common but catalogs that were shared
//!   on purpose, and there is no global state.
//! - **Time** is in microseconds.
//!
//! # Where things are
//!
//! `memory` reads and writes the caller's memory, `guard` is the way into a context, `context` holds it, `table` gives out
//! its numbers, `status` says what went wrong, `world` is what a number of a simulation stands for: the host's own, a
//! server's, a client's or a player's. Then one module a subject, in the order of the header.
#![deny(unsafe_op_in_unsafe_fn)]
#![allow(non_camel_case_types, reason = "the names are those that C sees")]
#![allow(clippy::missing_safety_doc, reason = "the rules are the same for all functions, and stated above")]

mod ability;
mod ability_set;
mod activation;
mod attribute;
mod batch;
mod calculation;
mod catalog;
mod character;
mod client;
mod context;
mod cue;
mod effect;
mod event;
mod explain;
mod guard;
mod input;
mod loader;
mod mapper;
mod memory;
mod net;
mod placement;
mod player;
mod reason;
mod recording;
mod reload;
mod server;
mod simulation;
mod snapshot;
mod space;
mod status;
mod table;
mod tag;
mod target;
mod task;
mod world;

pub use ability::*;
pub use ability_set::{ugas_ability_set_grant, ugas_ability_set_revoke, ugas_granted_set};
pub use activation::*;
pub use attribute::*;
pub use batch::*;
pub use calculation::*;
pub use catalog::*;
pub use character::*;
pub use client::*;
pub use context::*;
pub use cue::*;
pub use effect::*;
pub use event::*;
pub use explain::*;
pub use guard::ugas_context;
pub use input::*;
pub use loader::*;
pub use mapper::*;
pub use memory::{ugas_bytes, ugas_str};
pub use net::{UGAS_MAX_DATAGRAM, ugas_bye_reason, ugas_refused_reason, ugas_rejection};
pub use placement::*;
pub use player::*;
pub use reason::*;
pub use recording::*;
pub use reload::*;
pub use server::*;
pub use simulation::*;
pub use snapshot::*;
pub use space::*;
pub use status::ugas_status;
pub use tag::*;
pub use target::*;
pub use task::*;
