//! SessionOutcome of a session, as text and JSON.

use serde_json::{Map, Value, json};
use ugas_core::debug::ControllerPage;
use ugas_net::ClientStatistics;

use super::bot::Failure;
use super::player::Player;
use super::session::End;
use super::view::NOT_REPLICATED;
use crate::Status;
use crate::output::{self, Format};

/// SessionOutcome of a session.
pub(super) struct SessionOutcome {
    end: End,
    id: Option<u32>,
    server: String,
    seconds: f64,
    round_trip: f64,
    statistics: ClientStatistics,
    own: Option<ControllerPage>,
    others: usize,
    failures: Vec<Failure>,
}

impl SessionOutcome {
    /// Leaves, and takes the last state that was visible.
    pub(super) fn of(player: &mut Player, failures: Vec<Failure>) -> Self {
        let is_known = player.client().id().is_some();
        let end = match player.end() {
            End::Left if !is_known => {
                End::Lost("the server did not answer: check its address, and that it is running".to_owned())
            }
            end => end,
        };
        let client = player.client();
        let own = player.own().and_then(|own| player.page(own));
        Self {
            id: client.id().map(|id| id.0),
            server: player.session.server(),
            seconds: player.session.elapsed().as_secs_f64(),
            round_trip: client.round_trip().as_seconds() * 1_000.0,
            statistics: client.statistics(),
            own,
            others: player.others().len(),
            failures,
            end,
        }
    }

    /// Exit status: success if the player left or the server closed the session, and no step failed.
    pub(super) fn status(&self) -> Status {
        let is_fine = matches!(self.end, End::Left | End::Closed(_)) && self.failures.is_empty();
        if is_fine { Status::Success } else { Status::Negative }
    }

    /// Prints the outcome; as text, failures and refusals go to standard error.
    pub(super) fn print(&self, format: Format) -> anyhow::Result<()> {
        match format {
            Format::Json => output::print_json(&self.json()),
            Format::Text => {
                output::print(&self.text())?;
                for failure in &self.failures {
                    eprintln!("{} line {}: {}", output::bad("failed"), failure.line, failure.message);
                }
                match &self.end {
                    End::Refused(why) => eprintln!("{}: {why}", output::bad("refused")),
                    End::Lost(why) => eprintln!("{}: {why}", output::bad("lost")),
                    End::Left | End::Closed(_) => {}
                }
                Ok(())
            }
        }
    }

    /// Outcome in one word, with the reason if the server or the network ended the session.
    fn words(&self) -> (&'static str, Option<&str>) {
        match &self.end {
            End::Left if self.failures.is_empty() => ("left", None),
            End::Left => ("failed", None),
            End::Refused(why) => ("refused", Some(why)),
            End::Closed(why) => ("closed", Some(why)),
            End::Lost(why) => ("lost", Some(why)),
        }
    }

    /// Summary of the session; empty if the server never admitted the client.
    fn text(&self) -> String {
        if self.id.is_none() {
            return String::new();
        }
        let ClientStatistics { confirmed, rejected, mispredicted, received_bytes, sent_bytes, .. } =
            self.statistics;
        let how = match &self.end {
            End::Closed(why) => format!("session ended: {why}"),
            _ => "session ended".to_owned(),
        };
        let mut text = format!(
            "{how}, after {:.1} s\n\
             commands: {confirmed} confirmed, {rejected} rejected; {mispredicted} ticks mispredicted\n\
             round trip {:.0} ms, {:.1} kB received, {:.1} kB sent\n",
            self.seconds,
            self.round_trip,
            received_bytes as f64 / 1_000.0,
            sent_bytes as f64 / 1_000.0,
        );
        if let Some(own) = &self.own {
            let values = own
                .attributes
                .iter()
                .map(|line| format!("{} {}", line.name, ugas_core::number::short(line.current)));
            let withheld = own.not_replicated.iter().map(|name| format!("{name} {NOT_REPLICATED}"));
            let values = values.chain(withheld);
            text.push_str(&format!("last values: {}\n", values.collect::<Vec<_>>().join(", ")));
        }
        text
    }

    fn json(&self) -> Value {
        let (outcome, reason) = self.words();
        let ClientStatistics {
            received,
            received_bytes,
            dropped,
            sent,
            sent_bytes,
            confirmed,
            rejected,
            mispredicted,
            replayed,
            resumed,
        } = self.statistics;
        let failures = self.failures.iter();
        json!({
            "outcome": outcome,
            "reason": reason,
            "server": self.server,
            "id": self.id,
            "seconds": self.seconds,
            "round_trip_ms": self.round_trip,
            "statistics": {
                "received": received,
                "received_bytes": received_bytes,
                "dropped": dropped,
                "sent": sent,
                "sent_bytes": sent_bytes,
                "confirmed": confirmed,
                "rejected": rejected,
                "mispredicted": mispredicted,
                "replayed": replayed,
                "resumed": resumed,
            },
            "own": self.own.as_ref().map(page),
            "others": self.others,
            "failures": failures
                .map(|failure| json!({ "step": failure.step, "line": failure.line, "message": failure.message }))
                .collect::<Vec<_>>(),
        })
    }
}

fn page(page: &ControllerPage) -> Value {
    let attributes = page.attributes.iter();
    let withheld = page.not_replicated.iter().map(|name| (name.clone(), json!(NOT_REPLICATED)));
    let attributes: Map<String, Value> = attributes
        .map(|line| (line.name.clone(), json!({ "base": line.base, "current": line.current })))
        .chain(withheld)
        .collect();
    let tags: Map<String, Value> =
        page.tags.iter().map(|line| (line.name.clone(), json!(line.count))).collect();
    let effects = page.effects.iter().map(|line| {
        json!({ "effect": line.name, "stacks": line.stacks, "remaining": line.remaining.map(|left| left.as_seconds()) })
    });
    json!({
        "template": page.template,
        "attributes": attributes,
        "tags": tags,
        "effects": effects.collect::<Vec<_>>(),
        "abilities": page.abilities.iter().map(|line| line.name.clone()).collect::<Vec<_>>(),
    })
}
