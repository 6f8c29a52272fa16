//! Client configuration.

use ugas_core::time::Span;

use crate::wire::Dictionary;

/// Configuration of a client.
#[derive(Clone, Debug)]
pub struct ClientConfig {
    /// Credential for the server's host: a name, a ticket.
    pub credential: Vec<u8>,
    /// Interval of repeated hellos. Keep it above the longest round trip to be supported: only then is it
    /// known which hello the server answers, and with it the round trip (N4).
    pub retry: Span,
    /// Silence of the server after which the connection counts as lost, or the client stops to ask for a
    /// session.
    pub timeout: Span,
    /// Time for which the client asks to resume its session after the connection was lost. Zero ends the
    /// session at once.
    pub resume_time: Span,
    /// Whether commands are predicted, or shown when the server has answered.
    pub prediction: Prediction,
    /// Most ticks that are predicted ahead of the server; beyond it the clock waits (§13.4, a window with a limit). It
    /// waits earlier if the server would reject commands of later ticks as too early.
    pub window: u32,
    /// Dictionary of the wire format; [`Dictionary::of`] the catalog if `None`. It must equal the server's.
    pub dictionary: Option<Dictionary>,
    /// Whether [`ClientEvent::TagCountChanged`](super::ClientEvent::TagCountChanged) is raised for every change of a tag's explicit
    /// count that is shown (T6).
    pub tag_counts: bool,
}

/// Whether commands are predicted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Prediction {
    /// Commands are shown at once.
    #[default]
    On,
    /// Commands are shown when the server has answered.
    Off,
}

impl Default for ClientConfig {
    fn default() -> Self {
        Self {
            credential: Vec::new(),
            retry: Span::millis(500),
            timeout: Span::millis(10_000),
            resume_time: Span::millis(30_000),
            prediction: Prediction::On,
            window: 60,
            dictionary: None,
            tag_counts: false,
        }
    }
}
