//! Presentation of cues (§12): sounds, particles and the like, strictly separate from the mechanics (§12.1).
//!
//! The simulation only emits *that* a cue is added, removed or executed (E11). Everything in this module
//! belongs to a client: it is not part of the state, is neither saved nor hashed, and cannot influence the
//! game. So hosts may use closures and handles of their engine here.
//!
//! - [`CueManager`] takes events of the simulation and local cues of the host, and decides what is shown: it
//!   matches tags to classes, translates and suppresses, and does not show a predicted cue twice (§12.4).
//! - [`CueHandler`] is the host's side: it loads classes, creates instances and plays them.
//! - [`Headless`] is a handler without instances: triggers are counted and passed on (§12.5).
//!
//! A calculation that shows other cues than those of its effect does so in the simulation, with
//! [`handle_cues`](crate::simulation::CalculationContext::handle_cues) and
//! [`execute_cue`](crate::simulation::CalculationContext::execute_cue) (GASD §4.8.6). Here such a cue is like
//! any other.

mod batch;
mod class;
mod config;
mod context;
mod handler;
mod headless;
mod instances;
mod manager;
mod rules;

pub use class::{CueClassDef, CueClassId, CueKind};
pub use config::{CueConfig, CueCounts};
pub use context::{CueContext, CueTrigger};
pub use handler::{CueHandler, Loading, PlayId, Playback};
pub use headless::{CueSink, Headless};
pub use manager::CueManager;
