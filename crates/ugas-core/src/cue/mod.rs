//! Showing cues (§12): sounds, particles and the like, strictly apart from the mechanics (§12.1).
//!
//! The simulation only says *that* a cue is added, removed or executed (E11). Everything in this module is on the other
//! side: it belongs to a client, is not part of the state, is neither saved nor hashed, and nothing in it can change how
//! the game goes on. That is why hosts may put closures and handles of their engine here.
//!
//! - [`CueManager`] takes events of the simulation and cues of the host's own, and decides what is to be shown: it
//!   matches tags to classes, translates and suppresses, and does not show a predicted cue twice (§12.4).
//! - [`CueHandler`] is the host's side: it loads classes, creates instances and plays them.
//! - [`Headless`] is a handler that cannot have instances: triggers are counted and passed on (§12.5).
//!
//! A calculation that shows something other than its effect's cues says so where it runs, in the simulation, with
//! [`handle_cues`](crate::simulation::CalculationContext::handle_cues) and
//! [`execute_cue`](crate::simulation::CalculationContext::execute_cue) (GASD §4.8.6). Here such a cue looks like any other.

mod batch;
mod class;
mod config;
mod context;
mod handler;
mod headless;
mod manager;
mod rules;
mod stage;

pub use class::{CueClassDef, CueClassId, CueKind};
pub use config::{CueConfig, CueCounts};
pub use context::{CueContext, CueTrigger};
pub use handler::{CueHandler, Loading, PlayId, Playback};
pub use headless::{CueSink, Headless};
pub use manager::CueManager;
