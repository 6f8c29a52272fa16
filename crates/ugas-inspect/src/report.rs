//! What a host tells of its clients.

use serde_json::{Value, json};
use ugas_core::time::Time;

/// One client, as the host knows it now. Numbers that count do so from the beginning; what the host cannot know is `None`.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ClientReport {
    /// What it is called; its samples and corrections go by this.
    pub name: String,
    /// What it plays, in words.
    pub plays: String,
    /// Milliseconds to the client and back, if known.
    pub round_trip: Option<f64>,
    /// Ticks that it shows ahead of the server, if known.
    pub ahead: Option<i64>,
    /// Bytes that went to it.
    pub received_bytes: u64,
    /// Bytes that came from it.
    pub sent_bytes: u64,
    /// What the bytes that went to it were for: the name of a class, and its bytes.
    pub received_classes: Vec<(String, u64)>,
    /// What the bytes that came from it were for.
    pub sent_classes: Vec<(String, u64)>,
    /// Commands that were carried out, if known.
    pub confirmed: Option<u64>,
    /// Commands that were rejected.
    pub rejected: u64,
    /// Predictions that were corrected: only the client itself knows.
    pub corrected: Option<u64>,
    /// Why commands were rejected, and how often.
    pub rejections: Vec<(String, u64)>,
    /// What it had to take back since the last report, in the order of time. The inspector keeps the latest.
    pub corrections: Vec<Correction>,
}

/// Something that a client had to take back.
#[derive(Clone, PartialEq, Debug)]
pub struct Correction {
    /// When, in the game's time.
    pub time: Time,
    /// Why.
    pub cause: CorrectionCause,
    /// How what had been predicted differs from what is so. Empty if nothing had been shown of it, or the host does not know.
    pub differences: Vec<Difference>,
}

/// Why a client had to take something back.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CorrectionCause {
    /// The server did not carry out a command.
    Rejected {
        /// What was asked for, in words; empty if the host does not know.
        command: String,
        /// Why it was not carried out.
        reason: String,
    },
    /// The server's game went another way than the client had thought.
    Mispredicted,
}

/// A difference between what a client had predicted and what is so.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// Of what: an attribute, a tag, an effect.
    pub what: String,
    /// What had been predicted.
    pub predicted: String,
    /// What is so.
    pub actual: String,
}

impl Correction {
    pub(crate) fn to_json(&self) -> Value {
        let (command, reason) = match &self.cause {
            CorrectionCause::Rejected { command, reason } => (Some(command), Some(reason)),
            CorrectionCause::Mispredicted => (None, None),
        };
        let differences = self.differences.iter().map(
            |Difference { what, predicted, actual }| json!({ "what": what, "predicted": predicted, "actual": actual }),
        );
        json!({
            "time": self.time.as_seconds(),
            "cause": if reason.is_some() { "rejected" } else { "mispredicted" },
            "command": command.filter(|command| !command.is_empty()),
            "reason": reason,
            "differences": differences.collect::<Vec<_>>(),
        })
    }
}
