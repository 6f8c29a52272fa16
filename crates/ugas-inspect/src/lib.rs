//! The inspector: a page in a browser that shows a running game, says why its numbers are what they are, and goes back in
//! time.
//!
//! A host adds it with one line and shows it the simulation once a tick:
//!
//! ```no_run
//! # use ugas_core::{catalog::Catalog, simulation::{Config, Simulation}, time::Span};
//! # use ugas_inspect::Inspector;
//! # let mut sim = Simulation::new(Catalog::builder().build().unwrap(), Config::default());
//! let inspector = Inspector::serve("127.0.0.1:4777")?;
//! println!("inspector at {}", inspector.url());
//! loop {
//!     sim.advance(Span::seconds(1.0 / 60.0));
//!     inspector.observe(&sim); // before the events are polled
//!     sim.events().for_each(drop);
//! #   break;
//! }
//! # Ok::<(), ugas_inspect::ServeError>(())
//! ```
//!
//! While nobody watches, [`observe`](Inspector::observe) reads one atomic number and returns. While somebody does, it copies
//! the state into memory that is used again, and everything else happens on threads of the inspector: of frames that come
//! faster than they are taken in, the newest wins, and a browser that reads slowly waits for itself alone.
//!
//! A recording is shown with all of its past: [`Inspector::recording`].
//!
//! The page is embedded, has no third-party code and works offline. What it says and hears is documented in
//! `docs/inspector-protocol.md` ([`PROTOCOL`] is its version), for editors that want to show the same.
//!
//! # Who may look
//! Only this machine, unless [`Settings`] say otherwise; any other address needs a token, which [`Inspector::url`] carries.
//! Pages of other origins are turned away, and so are requests for hosts that are not this one. Nothing can be changed
//! unless [`Settings::allow_edit`] is called; then the host carries out what was asked for, when it likes:
//! [`Inspector::perform`].
#![forbid(unsafe_code)]

mod back_room;
mod causes;
mod chronicle;
mod compare;
mod concerns;
mod console;
mod controller;
mod desk;
mod doorway;
mod explain;
mod export;
mod filter;
mod inspector;
mod mailbox;
mod names;
mod network;
mod page;
mod reel;
mod report;
mod request;
mod security;
mod server;
mod settings;
mod shared;
mod world;

pub use console::Pace;
pub use inspector::{Inspector, ServeError};
pub use report::{ClientReport, Correction, CorrectionCause, Difference};
pub use settings::Settings;

/// The version of the protocol between page and inspector. Another number is another protocol; new fields and requests
/// come without a new number, so readers pass over what they do not know.
pub const PROTOCOL: u32 = 1;
