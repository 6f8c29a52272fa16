//! The inspector: a browser page that shows a running game, explains its values, and goes back in time.
//!
//! A host adds it with one line and passes it the simulation once a tick:
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
//! While nobody watches, [`observe`](Inspector::observe) reads one atomic number and returns. While somebody
//! watches, it copies the state into a reused buffer, and everything else happens on the inspector's own
//! threads. When frames arrive faster than they are processed, the newest replaces the older ones. A slow
//! browser delays only itself.
//!
//! A recording is shown with its whole timeline: [`Inspector::recording`].
//!
//! The page is embedded, has no third-party code and works offline. Its protocol is documented in
//! `docs/inspector-protocol.md` ([`PROTOCOL`] is its version), for editors that want to show the same data.
//!
//! # Access
//! Only this machine may connect, unless [`Settings`] allow more. Any other address needs a token, which
//! [`Inspector::url`] contains. Pages of other origins are rejected, and so are requests with a foreign
//! `Host`. The page is read-only unless [`Settings::allow_edit`] is called. The host then decides when queued
//! edits are executed: [`Inspector::perform`].
#![forbid(unsafe_code)]

mod causes;
mod compare;
mod console;
mod controller;
mod event_log;
mod explain;
mod export;
mod filter;
mod inspector;
mod involved;
mod job_thread;
mod listener;
mod mailbox;
mod network;
mod page;
mod report;
mod request;
mod security;
mod server;
mod settings;
mod shared;
mod timeline;
mod worker;
mod world;

pub use console::Pace;
pub use controller::parameters_json;
pub use inspector::{Inspector, ServeError};
pub use report::{ClientReport, Correction, CorrectionCause, Difference};
pub use settings::Settings;

/// Version of the protocol between page and inspector. It changes when the protocol becomes incompatible. New
/// fields and requests do not change it, so readers ignore what they do not know.
pub const PROTOCOL: u32 = 1;
