//! Reports of a host about its clients.

use serde_json::{Value, json};
use ugas_core::time::Time;

/// The current statistics of one client. Counters count from the beginning; unknown values are `None`.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ClientReport {
    /// Name of the client. Its samples and corrections are kept under this name.
    pub name: String,
    /// Description of what it plays.
    pub plays: String,
    /// Round-trip time in milliseconds, if known.
    pub round_trip: Option<f64>,
    /// Number of ticks that it predicts ahead of the server, if known.
    pub ahead: Option<i64>,
    /// Bytes that the client received.
    pub received_bytes: u64,
    /// Bytes that the client sent.
    pub sent_bytes: u64,
    /// Received bytes by traffic class: name of the class, bytes.
    pub received_classes: Vec<(String, u64)>,
    /// Sent bytes by traffic class.
    pub sent_classes: Vec<(String, u64)>,
    /// Number of confirmed commands, if known.
    pub confirmed: Option<u64>,
    /// Number of rejected commands.
    pub rejected: u64,
    /// Number of corrected predictions, which only the client itself knows.
    pub corrected: Option<u64>,
    /// Reasons of rejections, with their counts.
    pub rejections: Vec<(String, u64)>,
    /// Corrections since the last report, ordered by time. The inspector keeps the latest.
    pub corrections: Vec<Correction>,
}

/// A prediction that a client had to correct.
#[derive(Clone, PartialEq, Debug)]
pub struct Correction {
    /// Game time of the correction.
    pub time: Time,
    /// Cause of the correction.
    pub cause: CorrectionCause,
    /// Differences between predicted and actual state. Empty if nothing was shown, or if the host does not
    /// know.
    pub differences: Vec<Difference>,
}

/// Why a client had to correct a prediction.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CorrectionCause {
    /// The server rejected a command.
    Rejected {
        /// Description of the command; empty if unknown.
        command: String,
        /// Why it was rejected.
        reason: String,
    },
    /// The server's state differs from the predicted one.
    Mispredicted,
}

/// A difference between a client's prediction and the server's state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// Name of the attribute, tag or effect that differs.
    pub what: String,
    /// The predicted value.
    pub predicted: String,
    /// The server's value.
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
