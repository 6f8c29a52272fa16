//! How a client is set up.

use ugas_core::time::Span;

use crate::wire::Dictionary;

/// How a client is set up.
#[derive(Clone, Debug)]
pub struct ClientConfig {
    /// What the server's host decides on: a name, a ticket.
    pub credential: Vec<u8>,
    /// How long to wait before asking to be let in again. Keep it above the longest round trip that is to be played with:
    /// only then is it known which greeting the server answers, and with it the round trip (N4).
    pub retry: Span,
    /// A server that is silent for longer is gone.
    pub timeout: Span,
    /// Whether what the player does is shown at once, or when the server has answered.
    pub prediction: Prediction,
    /// Most ticks that are predicted ahead of the server; beyond it the clock waits (§13.4, a window with a limit).
    pub window: u32,
    /// How numbers are told; exactly if this is `None`. It must be the server's.
    pub dictionary: Option<Dictionary>,
    /// Whether [`ClientEvent::TagCountChanged`](super::ClientEvent::TagCountChanged) is raised for every change of a tag's explicit
    /// count that is shown (T6).
    pub tag_counts: bool,
}

/// Whether what the player does is shown at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Prediction {
    /// At once.
    #[default]
    On,
    /// When the server has answered.
    Off,
}

impl Default for ClientConfig {
    fn default() -> Self {
        Self {
            credential: Vec::new(),
            retry: Span::millis(500),
            timeout: Span::millis(10_000),
            prediction: Prediction::On,
            window: 60,
            dictionary: None,
            tag_counts: false,
        }
    }
}
