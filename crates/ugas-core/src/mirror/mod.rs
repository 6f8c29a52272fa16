//! A window on another simulation: what a client has of a server's world (§13.1, §13.2).
//!
//! The server [cuts](crate::simulation::Simulation::pieces) each controller into *pieces*: its head, each attribute, each
//! effect, ability, run and so on, each with a key and a content that does not change as long as nothing happens. Whoever
//! sends them need only compare. The client puts the pieces that arrive, in any order, into a [`Mirror`], and
//! [installs](Mirror::install) all of them into a simulation of its own, which then is what the server's was, as far as the
//! window goes: facts are put in place, and all that follows from facts is derived, as when a snapshot is read.
//!
//! # Names
//!
//! The client has its own handles, dense and stable: something keeps its handle for as long as it is in the window. The
//! server's handles are translated where records are read, so none can be forgotten; a handle of something outside the
//! window becomes [`UNSEEN`](crate::handle::ControllerId::UNSEEN), which finds nothing. What the client has predicted and the
//! server has confirmed keeps the handle that it had on the client.
//!
//! # What is left out
//!
//! [`Mirror::put`] refuses what cannot be by itself: bytes that are no record, unknown definitions, numbers that are not
//! finite, two things with one number. [`Mirror::install`] leaves out what cannot be together, until it can:
//!
//! - controllers without a head; effects, abilities, runs and tasks that the [`Sight`] does not include;
//! - attributes that the controller's sets do not have;
//! - runs without their ability or one of their tasks, tasks without their run;
//! - what begins later than the instant that is installed;
//! - whatever else would be refused in a snapshot.
//!
//! Streams of random numbers do not leave the server, so that the client cannot foresee dice; those that both sides roll
//! alike ([`Randomness::Predicted`](crate::prediction::Randomness::Predicted)) are no secret, and go on. Effects that were
//! [defined at run time](crate::simulation::Simulation::define_effect) are not mirrored; the tags and cues that come from
//! them are, as pieces of their own.

mod clock;
mod error;
mod names;
mod piece;
mod put;
pub(crate) mod record;
mod seen;
pub(crate) mod shown;
mod store;

pub use error::MirrorError;
pub use names::Mirrored;
pub(crate) use names::{Names, Table};
pub use piece::{Piece, PieceDetail, PieceKey, PieceRef, PieceScratch, Sight};
pub use store::Mirror;
