//! How a server is set up.

use ugas_core::time::Span;

use crate::schedule::Schedule;
use crate::tick::TickLength;
use crate::wire::Dictionary;

/// What becomes of a task that waited for a client for too long.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum AfterDeadline {
    /// Its run is cancelled.
    #[default]
    Cancel,
    /// The server chooses targets itself, where that is what is waited for; otherwise the run is cancelled.
    Generate,
    /// The run goes on with the targets that it began with, where targets are what is waited for, also if there are none;
    /// otherwise it is cancelled.
    Default,
}

/// How a server is set up.
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// How long ticks are.
    pub length: TickLength,
    /// Most clients at once.
    pub max_clients: u32,
    /// How many ticks ahead commands may be stamped.
    pub max_lead: u32,
    /// How many ticks late a command may come and still run, then at once; at most
    /// [`MAX_GRACE`](crate::limits::MAX_GRACE), which clients count on.
    pub grace: u32,
    /// A client that is silent for longer is gone.
    pub timeout: Span,
    /// Most datagrams of one client in a second.
    pub datagrams_per_second: u32,
    /// Most commands of one client in a second.
    pub commands_per_second: u32,
    /// Most bytes to one client in a second. Its own state goes first, and goes even if it takes more.
    pub bytes_per_second: u32,
    /// How long a cue that flashed is worth being sent.
    pub flash_lifetime: Span,
    /// How many ticks positions can be looked up in the past.
    pub rewind: u32,
    /// How long a task may wait for a client's targets or confirmation, and for its host where that is trusted. Inputs are
    /// awaited as long as the ability likes.
    pub client_deadline: Span,
    /// What becomes of it then, unless the host says otherwise for this one
    /// ([`Host::after_deadline`](super::Host::after_deadline)).
    pub after_deadline: AfterDeadline,
    /// Whether a client may say that a task which its host carries out went well. Otherwise the server's host says so.
    pub trust_host_tasks: bool,
    /// Whether a client may say by which event an ability begins, and how strong it was. Otherwise events are the server's.
    pub trust_events: bool,
    /// Whether every client sees every controller, unless it is hidden from it.
    pub show_everything: bool,
    /// How often clients hear of whom; as §13.6 recommends if this is `None`.
    pub schedule: Option<Schedule>,
    /// How numbers are told; exactly if this is `None`. Clients need the same.
    pub dictionary: Option<Dictionary>,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            length: TickLength::default(),
            max_clients: 64,
            max_lead: 30,
            grace: 2,
            timeout: Span::millis(10_000),
            datagrams_per_second: 200,
            commands_per_second: 120,
            bytes_per_second: 16_000,
            flash_lifetime: Span::millis(500),
            rewind: 30,
            client_deadline: Span::millis(5_000),
            after_deadline: AfterDeadline::Cancel,
            trust_host_tasks: false,
            trust_events: false,
            show_everything: true,
            schedule: None,
            dictionary: None,
        }
    }
}
