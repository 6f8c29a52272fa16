//! Replicas: a client's copy of the server state that is visible to it (§13.1, §13.2).
//!
//! The server [splits](crate::simulation::Simulation::pieces) each controller into *pieces*: its head, each
//! attribute, each effect, ability, activation and so on. Each piece has a key and a content, and the content
//! stays the same as long as nothing happens, so a sender finds changes by comparison. The client puts the
//! pieces that arrive, in any order, into a [`Replica`], and [installs](Replica::install) all of them into a
//! simulation of its own, whose visible part then equals the server's: primary state is set, and derived
//! state is recomputed, as when a snapshot is restored.
//!
//! # Handles
//!
//! The client has its own handles, dense and stable: an object keeps its handle for as long as it is visible.
//! The server's handles are translated where records are read, so none can be forgotten. A handle of an
//! object that is not visible becomes [`UNSEEN`](crate::handle::ControllerId::UNSEEN), which finds nothing.
//! An object that the client predicted and the server confirmed keeps the handle that it had on the client.
//!
//! # Pieces that are not installed
//!
//! [`Replica::put`] rejects pieces that are invalid by themselves: undecodable bytes, unknown definitions,
//! numbers that are not finite, duplicate sequence numbers. [`Replica::install`] skips pieces that are
//! inconsistent with others, until they fit:
//!
//! - controllers without a head; effects, abilities, activations and tasks that [`RecordVisibility`]
//!   excludes;
//! - attributes that the controller's sets do not have;
//! - activations without their ability or one of their tasks, tasks without their activation;
//! - records that start later than the instant that is installed;
//! - all else that would be rejected in a snapshot.
//!
//! Random number streams do not leave the server, so that the client cannot foresee dice. Dice that both
//! sides roll alike ([`Randomness::Predicted`](crate::prediction::Randomness::Predicted)) are no secret, and
//! continue on the client. Effects that were [defined at run
//! time](crate::simulation::Simulation::define_effect) are not replicated; the tags and cues that they grant
//! are, as pieces of their own.

mod clock;
mod controller;
mod error;
mod handle_map;
mod piece;
pub(crate) mod placeholder;
mod put;
pub(crate) mod record;
mod store;

pub use error::ReplicaError;
pub use handle_map::ReplicaHandle;
pub(crate) use handle_map::{HandleMap, HandleTable};
pub use piece::{Piece, PieceDetail, PieceKey, PieceRef, PieceScratch, RecordVisibility};
pub use store::Replica;
