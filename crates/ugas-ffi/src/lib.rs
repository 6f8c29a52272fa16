//! The C interface declared by `include/ugas.h`.
//!
//! The header is generated from this crate and committed next to it; a test compares the two and prints the
//! command that regenerates it. No Rust type of the core appears in a signature: C passes plain data in and
//! gets plain data out.
//!
//! # Rules, the same for every function
//!
//! - **One pointer, many handles.** A `ugas_context` is the only object behind a pointer. Everything in it (loaders,
//!   catalogs, simulations, servers, clients, players, snapshots, mappers) is a 64-bit handle that the context checks: a
//!   freed handle, or one of another context or kind, is refused with `UGAS_STATUS_BAD_HANDLE`. Servers, clients and
//!   players are simulations too, and are accepted wherever a simulation is. Controllers, effects, abilities, activations
//!   and tasks are handles of a simulation: zero is none, a dead one finds nothing, and one of another simulation or kind
//!   is safe, but may find something else. See `docs/adr/0016-c-interface.md`.
//! - **Statuses.** A function that can fail returns a `ugas_status`; `ugas_last_error` has the message and
//!   `ugas_last_reasons` the reasons of a refusal. Both belong to the context, not to a thread. Results go through pointers
//!   that are checked before anything happens, so a call that fails has changed nothing, unless its own comment says
//!   otherwise.
//! - **Text** is UTF-8 with a length, without a terminating zero. Text and bytes that a call returns are valid until the
//!   next call with the same context, and may be passed to that call; `ugas_last_error` and `ugas_last_reasons` do not
//!   invalidate them. Text and lists in polled events are valid until the next poll of that simulation, server, client or
//!   player.
//! - **Structures** that are passed or returned by themselves begin with their `size`, set by the caller; for lists of
//!   structures that are returned, the size of a row is an argument. So either side may be older: fields that it does not
//!   know are zero or left out. Rows of lists that are passed in (`ugas_target`, `ugas_placement`, `ugas_magnitude`,
//!   `ugas_reading`, `ugas_instigator`) do not change as long as `UGAS_ABI_VERSION` does not.
//! - **Memory** that a call writes to must not overlap with memory that it reads. Arguments are copied and stay the
//!   caller's: nothing is kept but callbacks with their `user`, until their `free` is called. An object with a `_free`
//!   function is freed with it, or with its context; nothing else is to be freed.
//! - **Panics** do not cross the interface. One that happens is reported as `UGAS_STATUS_PANIC`; free the simulation that
//!   was used.
//! - **Callbacks** receive data and return data. They must return: no C++ exception and no `longjmp` may leave one. Hooks and
//!   custom tasks also receive a `ugas_call`, which the functions `ugas_call_*` accept until the callback returns.
//! - **Threads.** A context is not bound to a thread, but is used by one thread at a time: a call during another call,
//!   from another thread or from inside a callback, is refused with `UGAS_STATUS_BUSY`, freeing included. After it is freed
//!   no thread may use it. Different contexts share nothing but catalogs that were shared on purpose, and there is no
//!   global state.
//! - **Time** is in microseconds.
//!
//! # Features
//!
//! Both are on by default. A library without `net` has no `ugas_server_*` and `ugas_client_*`, one without `replay` no
//! `ugas_recording_*`, `ugas_player_*` and `ugas_verify*`; the header declares them all the same, and `ugas_features`
//! tells a program that loads the library at run time.
//!
//! # Modules
//!
//! `memory` reads and writes the caller's memory, `guard` enters a context, `context` holds its objects,
//! `table` issues their handles, `status` defines the errors, `world` is the object behind a simulation
//! handle: the host's own simulation, a server, a client or a player. Then one module per subject, in the
//! order of the header.
#![deny(unsafe_op_in_unsafe_fn)]
#![allow(non_camel_case_types, reason = "the names are those that C sees")]
#![allow(clippy::missing_safety_doc, reason = "the rules are the same for all functions, and stated above")]

mod ability;
mod ability_set;
mod activation;
mod attribute;
mod batch;
mod calculation;
mod call;
mod catalog;
mod character;
#[cfg(feature = "net")]
mod client;
mod context;
mod cue;
mod custom_task;
mod effect;
mod event;
mod explain;
mod guard;
mod hooks;
mod input;
mod loader;
mod mapper;
mod memory;
#[cfg(feature = "net")]
mod net;
mod placement;
#[cfg(feature = "replay")]
mod player;
mod reason;
#[cfg(feature = "replay")]
mod recording;
mod reload;
#[cfg(feature = "net")]
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
pub use call::*;
pub use catalog::*;
pub use character::*;
#[cfg(feature = "net")]
pub use client::*;
pub use context::*;
pub use cue::*;
pub use custom_task::*;
pub use effect::*;
pub use event::*;
pub use explain::*;
pub use guard::ugas_context;
pub use hooks::*;
pub use input::*;
pub use loader::*;
pub use mapper::*;
pub use memory::{ugas_bytes, ugas_str};
#[cfg(feature = "net")]
pub use net::{UGAS_MAX_DATAGRAM, UGAS_SECRET_BYTES, ugas_bye_reason, ugas_refused_reason, ugas_rejection};
pub use placement::*;
#[cfg(feature = "replay")]
pub use player::*;
pub use reason::*;
#[cfg(feature = "replay")]
pub use recording::*;
pub use reload::*;
#[cfg(feature = "net")]
pub use server::*;
pub use simulation::*;
pub use snapshot::*;
pub use space::*;
pub use status::ugas_status;
pub use tag::*;
pub use target::*;
pub use task::*;
