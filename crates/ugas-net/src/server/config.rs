//! Server configuration.

use ugas_core::time::Span;

use crate::schedule::Schedule;
use crate::tick::TickLength;
use crate::wire::Dictionary;

/// Policy for a task that waited for a client beyond the deadline.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum AfterDeadline {
    /// Cancels its activation.
    #[default]
    Cancel,
    /// The server chooses targets itself if the task waits for targets; otherwise the activation is
    /// cancelled.
    Generate,
    /// The activation goes on with the targets that it began with, even none, if the task waits for targets;
    /// otherwise it is cancelled.
    Default,
}

/// Configuration of a server.
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// Length of a tick.
    pub length: TickLength,
    /// Most clients at the same time.
    pub max_clients: u32,
    /// Most ticks that commands may be stamped ahead of the server.
    pub max_lead: u32,
    /// Most ticks that a command may come late and still run, in the tick after its arrival; at most
    /// [`MAX_GRACE`](crate::limits::MAX_GRACE), which clients rely on.
    pub grace: u32,
    /// Silence after which a connection counts as lost: its session ends, or is kept.
    pub timeout: Span,
    /// Time for which the session of a lost connection is kept, so that its client can resume it. Kept
    /// sessions count for `max_clients`. Zero keeps none.
    pub resume_time: Span,
    /// Source of unpredictable bytes for the [secrets](crate::message::ResumeSecret) of sessions: the random
    /// source of the system. Zeros count as a failure: that session is not kept. `None`, the default, keeps no
    /// sessions.
    pub secrets: Option<fn() -> [u8; 32]>,
    /// Most datagrams from one client per second.
    pub datagrams_per_second: u32,
    /// Most commands from one client per second.
    pub commands_per_second: u32,
    /// Most commands of a client, of kinds that only a modified client sends, before it is
    /// [kicked](super::KickReason::Forged); one is forgiven every ten seconds. `None` never kicks.
    pub forged_commands: Option<u32>,
    /// Most bytes to one client per second. Its own state goes first, and is sent even beyond the limit.
    pub bytes_per_second: u32,
    /// Time for which an executed cue is sent to clients; later it is dropped.
    pub cue_burst_lifetime: Span,
    /// Ticks for which past positions are kept for lag compensation.
    pub rewind: u32,
    /// Longest wait of a task for a client's targets or confirmation, and for its host where that is trusted.
    /// Waits for inputs have no deadline.
    pub client_deadline: Span,
    /// Policy after that deadline, unless the host decides otherwise for a task
    /// ([`Host::after_deadline`](super::Host::after_deadline)).
    pub after_deadline: AfterDeadline,
    /// Whether a client may report that a host task of its own succeeded. Otherwise the server's host reports
    /// it.
    pub trust_host_tasks: bool,
    /// Whether a client may name the event that triggers an ability, with its magnitude. Otherwise only the
    /// server does.
    pub trust_events: bool,
    /// Whether every client sees every controller that is not hidden from it.
    pub show_everything: bool,
    /// Update frequencies; those that §13.6 recommends if `None`.
    pub schedule: Option<Schedule>,
    /// Dictionary of the wire format; [`Dictionary::of`] the catalog if `None`. Clients need the same.
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
            resume_time: Span::millis(30_000),
            secrets: None,
            datagrams_per_second: 200,
            commands_per_second: 120,
            forged_commands: Some(8),
            bytes_per_second: 16_000,
            cue_burst_lifetime: Span::millis(500),
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
