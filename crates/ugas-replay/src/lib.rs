//! Recordings of a simulation as files, from which every moment can be replayed.
//!
//! A simulation that executes the same commands goes through the same states (V4). So a recording stores the
//! commands, a hash of the state after every tick, and a snapshot at intervals.
//!
//! - A [`Recorder`] writes while the game runs. The file is append-only; a crash loses at most the last frame.
//! - A [`Recording`] reads the file; [`format`](mod@format) documents it byte by byte.
//! - A [`Player`] goes to any tick or time, steps both ways, and runs to the next matching event.
//! - [`verify()`] simulates the recording again and compares every hash. [`compare()`] finds the first tick at which two
//!   recordings differ, and a [`StateDiff`] lists the differences.
//! - A [`SyncTest`] restores an earlier snapshot of a running simulation after every command and repeats the commands
//!   since, and so finds state that is missing from snapshots.
//!
//! ```
//! use std::io::Cursor;
//!
//! use ugas_core::attribute::{AttributeDef, AttributeSetDef};
//! use ugas_core::catalog::Catalog;
//! use ugas_core::command::Command;
//! use ugas_core::controller::ControllerDef;
//! use ugas_core::effect::{EffectContext, EffectDef};
//! use ugas_core::modifier::Operation;
//! use ugas_core::simulation::{Config, Simulation, Spawn};
//! use ugas_core::time::{Span, Time};
//! use ugas_replay::{Player, Recorder, Recording, Settings};
//!
//! let catalog = Catalog::builder()
//!     .attribute_set(AttributeSetDef::new("Combat").with(AttributeDef::new("Health", 100.0).min(0.0)))
//!     .effect(EffectDef::lasting("GE_Poison", 10.0).every(1.0).modify("Health", Operation::Add, -5.0))
//!     .template(ControllerDef::new("Wolf").with_set("Combat"))
//!     .build()?;
//! let mut sim = Simulation::new(catalog.clone(), Config::seeded(7));
//! let mut recorder = Recorder::new(Vec::new(), &sim, Settings::default())?;
//! recorder.execute(&mut sim, Command::Spawn(Spawn::named("Wolf")))?;
//! let wolf = sim.controllers().next().unwrap().0;
//! recorder.execute(&mut sim, Command::ApplyEffect {
//!     effect: catalog.effect("GE_Poison")?,
//!     level: 1.0,
//!     context: EffectContext::default(),
//!     magnitudes: Vec::new(),
//!     target: wolf,
//! })?;
//! recorder.advance(&mut sim, Span::seconds(10.0));
//! let file = recorder.finish(&sim)?;
//!
//! let mut player = Player::new(Recording::open(Cursor::new(file))?)?;
//! player.seek_time(Time::from_seconds(4.5))?; // inside the only tick of the recording
//! assert_eq!(player.simulation().current(wolf, catalog.attribute("Health")?), Some(80.0)); // four ticks (E3)
//! assert!(ugas_replay::verify(&mut player)?.difference.is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod compare;
mod diff;
mod error;
pub mod format;
mod player;
mod recorder;
mod recording;
mod rules;
mod sync_test;
mod verify;

pub use compare::{CommandDifference, Comparison, compare};
pub use diff::{Difference, StateDiff, Value};
pub use error::{Damage, PlayError, ReadError, RecordError};
pub use format::{Header, Tick};
pub use player::{Player, Position};
pub use recorder::{Flushing, Recorded, Recorder, Rules, Settings};
pub use recording::{Recording, Tail};
pub use sync_test::{SyncFailure, SyncProblem, SyncTest};
pub use verify::{HashDifference, Verification, verify};
