//! Observes the network of one client of a match, for the inspector: traffic by class, and corrections.

use std::collections::{BTreeMap, BTreeSet};

use ugas_core::effect::PredictionKey;
use ugas_core::time::Time;
use ugas_inspect::{Correction, CorrectionCause, Difference};
use ugas_net::wire::Dictionary;
use ugas_net::{Client, ClientEvent};
use ugas_netsim::link::Duplex;

use crate::traffic::Traffic;

/// Length of the checksum of a datagram on a simulated link, in bytes. It is not counted, like the overhead
/// of encryption.
const CHECKSUM_BYTES: usize = 8;

/// Maximum number of unanswered commands whose names are kept.
const MAX_PENDING: usize = 256;

/// Maximum number of corrections until they are taken.
const MAX_CORRECTIONS: usize = 64;

/// ClientObserver of one client.
#[derive(Default)]
pub(super) struct ClientObserver {
    traffic: Traffic,
    pending: BTreeMap<PredictionKey, PendingCommand>,
    corrections: Vec<Correction>,
}

/// A command that the server has not answered yet.
struct PendingCommand {
    /// Name of the ability.
    what: String,
    /// Differences that were already corrected: an update of the server may undo the prediction before the
    /// answer.
    corrected: Vec<Difference>,
}

impl ClientObserver {
    pub(super) fn traffic(&self) -> &Traffic {
        &self.traffic
    }

    /// Takes the corrections since the last call.
    pub(super) fn take_corrections(&mut self) -> Vec<Correction> {
        core::mem::take(&mut self.corrections)
    }

    /// Counts the datagrams that arrive by a link until `now`; `link` is a copy from before they were
    /// received.
    pub(super) fn count_datagrams(&mut self, dictionary: &Dictionary, mut link: Duplex, now: Time) {
        while let Some(sealed) = link.to_client.receive(now) {
            self.traffic.take_received(dictionary, opened(&sealed));
        }
        while let Some(sealed) = link.to_server.receive(now) {
            self.traffic.take_sent(dictionary, opened(&sealed));
        }
    }

    /// Records a command that the client sent.
    pub(super) fn command_sent(&mut self, key: PredictionKey, what: &str) {
        self.pending.insert(key, PendingCommand { what: what.to_owned(), corrected: Vec::new() });
        if self.pending.len() > MAX_PENDING {
            self.pending.pop_first();
        }
    }

    /// Handles the events of a client's step. Changes of its own controllers in a step with a correction are
    /// the differences between prediction and actual state.
    pub(super) fn handle_events(&mut self, client: &mut Client, now: Time) {
        let (mut rejected, mut retracted) = (Vec::new(), BTreeSet::new());
        let mut is_corrected = false;
        let mut changes = Changes::default();
        while let Some(event) = client.poll_event() {
            match &event {
                ClientEvent::Confirmed { key, .. } => {
                    self.pending.remove(key);
                }
                ClientEvent::Rejected { key, rejection } => {
                    rejected.push((self.pending.remove(key), *rejection))
                }
                ClientEvent::Corrected { .. } => is_corrected = true,
                ClientEvent::Retracted(event) => {
                    retracted.extend(event.prediction.map(PredictionKey::origin));
                }
                _ => changes.note(client, &event),
            }
        }
        let differences = changes.into_differences();
        for key in retracted {
            if let Some(command) = self.pending.get_mut(&key) {
                command.corrected.clone_from(&differences);
            }
        }
        if rejected.is_empty() && is_corrected {
            self.note(now, CorrectionCause::Mispredicted, differences);
            return;
        }
        for (command, reason) in rejected {
            let (command, corrected) =
                command.map(|command| (command.what, command.corrected)).unwrap_or_default();
            let corrected = if corrected.is_empty() { differences.clone() } else { corrected };
            self.note(now, CorrectionCause::Rejected { command, reason: reason.to_string() }, corrected);
        }
    }

    /// Keeps a correction for the next report; further ones are dropped beyond the limit.
    fn note(&mut self, time: Time, cause: CorrectionCause, differences: Vec<Difference>) {
        if self.corrections.len() < MAX_CORRECTIONS {
            self.corrections.push(Correction { time, cause, differences });
        }
    }
}

/// Datagram without the checksum that the simulated link added.
fn opened(sealed: &[u8]) -> &[u8] {
    &sealed[..sealed.len().saturating_sub(CHECKSUM_BYTES)]
}

/// Changes of a client's own controllers, each field once.
#[derive(Default)]
struct Changes(Vec<Difference>);

impl Changes {
    /// Notes a change of an own controller. Of several changes of one thing the first predicted and the last
    /// actual value count; changes of others are ignored.
    fn note(&mut self, client: &Client, event: &ClientEvent) {
        let (catalog, simulation) = (client.catalog(), client.simulation());
        let is_own = |id| client.own_controllers().any(|own| own == id);
        let there = |is_there: bool| if is_there { "present" } else { "absent" }.to_owned();
        let (controller, what, predicted, actual) = match *event {
            ClientEvent::AttributeChanged { controller, attribute, old, new } => {
                (controller, catalog.attribute_name(attribute), number(old), number(new))
            }
            ClientEvent::TagAdded { controller, tag } => {
                (controller, catalog.tag_name(tag), there(false), there(true))
            }
            ClientEvent::TagRemoved { controller, tag } => {
                (controller, catalog.tag_name(tag), there(true), there(false))
            }
            ClientEvent::EffectAdded { controller, effect, .. } => {
                (controller, simulation.effect_name(effect), there(false), there(true))
            }
            ClientEvent::EffectRemoved { controller, effect, .. } => {
                (controller, simulation.effect_name(effect), there(true), there(false))
            }
            ClientEvent::StacksChanged { controller, active, old, new } => {
                let effect = simulation.effect(active).map(|active| active.effect());
                let name = effect.map_or("stacks", |effect| simulation.effect_name(effect));
                (controller, name, format!("{old} stacks"), format!("{new} stacks"))
            }
            _ => return,
        };
        if !is_own(controller) {
            return;
        }
        match self.0.iter_mut().find(|known| known.what == what) {
            Some(known) => known.actual = actual,
            None => self.0.push(Difference { what: what.to_owned(), predicted, actual }),
        }
    }

    /// The fields whose values differ in the end.
    fn into_differences(mut self) -> Vec<Difference> {
        self.0.retain(|change| change.predicted != change.actual);
        self.0
    }
}

/// A number with at most two decimal places.
fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_no_trailing_zeros() {
        for (value, expected) in
            [(100.0, "100"), (0.5, "0.5"), (-3.25, "-3.25"), (0.0, "0"), (1.0 / 3.0, "0.33")]
        {
            assert_eq!(number(value), expected);
        }
    }

    #[test]
    fn reverted_changes_are_no_differences() {
        let change = |predicted: &str, actual: &str| Difference {
            what: "Mana".to_owned(),
            predicted: predicted.to_owned(),
            actual: actual.to_owned(),
        };
        let changes = Changes(vec![change("10", "10"), change("10", "7")]);
        assert_eq!(changes.into_differences(), [change("10", "7")]);
    }
}
