//! What the network does to one client of a match, for the inspector: what its datagrams are for, and what it had to take
//! back.

use std::collections::{BTreeMap, BTreeSet};

use ugas_core::effect::PredictionKey;
use ugas_core::time::Time;
use ugas_inspect::{Correction, CorrectionCause, Difference};
use ugas_net::link::Duplex;
use ugas_net::wire::Dictionary;
use ugas_net::{Client, ClientEvent};

use crate::traffic::Traffic;

/// Bytes of the check that a datagram of a simulated link carries; an encrypted transport has the like, and it is not counted.
const SEAL: usize = 8;

/// Commands whose names are remembered until the server has answered.
const MOST_ASKED: usize = 256;

/// Corrections that wait for somebody to take them.
const MOST_CORRECTIONS: usize = 64;

/// Watches one client.
#[derive(Default)]
pub(super) struct Observer {
    traffic: Traffic,
    asked: BTreeMap<PredictionKey, Asked>,
    corrections: Vec<Correction>,
}

/// A command that the server has not answered yet.
struct Asked {
    what: String,
    /// What was taken back of it already: news of the server may forbid it before the answer comes.
    undone: Vec<Difference>,
}

impl Observer {
    pub(super) fn traffic(&self) -> &Traffic {
        &self.traffic
    }

    /// What it had to take back since it was asked last.
    pub(super) fn take_corrections(&mut self) -> Vec<Correction> {
        core::mem::take(&mut self.corrections)
    }

    /// Looks at what arrived by a link, as it was before.
    pub(super) fn read(&mut self, dictionary: &Dictionary, mut link: Duplex, now: Time) {
        while let Some(sealed) = link.to_client.receive(now) {
            self.traffic.take_received(dictionary, opened(&sealed));
        }
        while let Some(sealed) = link.to_server.receive(now) {
            self.traffic.take_sent(dictionary, opened(&sealed));
        }
    }

    /// The client asked for something.
    pub(super) fn asked(&mut self, key: PredictionKey, what: &str) {
        self.asked.insert(key, Asked { what: what.to_owned(), undone: Vec::new() });
        if self.asked.len() > MOST_ASKED {
            self.asked.pop_first();
        }
    }

    /// Takes what a client tells of one step. What changed for its own controllers in a step in which something was
    /// taken back is how the prediction differs from the truth.
    pub(super) fn hear(&mut self, client: &mut Client, now: Time) {
        let (mut rejected, mut taken_back) = (Vec::new(), BTreeSet::new());
        let mut is_corrected = false;
        let mut changes = Changes::default();
        while let Some(event) = client.poll_event() {
            match &event {
                ClientEvent::Confirmed { key, .. } => {
                    self.asked.remove(key);
                }
                ClientEvent::Rejected { key, rejection } => {
                    rejected.push((self.asked.remove(key), *rejection))
                }
                ClientEvent::Corrected { .. } => is_corrected = true,
                ClientEvent::Retracted(event) => {
                    taken_back.extend(event.prediction.map(PredictionKey::origin));
                }
                _ => changes.note(client, &event),
            }
        }
        let differences = changes.into_differences();
        for key in taken_back {
            if let Some(asked) = self.asked.get_mut(&key) {
                asked.undone.clone_from(&differences);
            }
        }
        if rejected.is_empty() && is_corrected {
            self.note(now, CorrectionCause::Mispredicted, differences);
            return;
        }
        for (asked, reason) in rejected {
            let (command, undone) = asked.map(|asked| (asked.what, asked.undone)).unwrap_or_default();
            let undone = if undone.is_empty() { differences.clone() } else { undone };
            self.note(now, CorrectionCause::Rejected { command, reason: reason.to_string() }, undone);
        }
    }

    fn note(&mut self, time: Time, cause: CorrectionCause, differences: Vec<Difference>) {
        if self.corrections.len() < MOST_CORRECTIONS {
            self.corrections.push(Correction { time, cause, differences });
        }
    }
}

fn opened(sealed: &[u8]) -> &[u8] {
    &sealed[..sealed.len().saturating_sub(SEAL)]
}

/// What changed for a client's own controllers, each thing once.
#[derive(Default)]
struct Changes(Vec<Difference>);

impl Changes {
    fn note(&mut self, client: &Client, event: &ClientEvent) {
        let (catalog, simulation) = (client.catalog(), client.simulation());
        let is_own = |id| client.own_controllers().any(|own| own == id);
        let there = |is_there: bool| if is_there { "there" } else { "not there" }.to_owned();
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

    /// Without what came back to where it was.
    fn into_differences(mut self) -> Vec<Difference> {
        self.0.retain(|change| change.predicted != change.actual);
        self.0
    }
}

/// As people read it: at most two places.
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
    fn what_came_back_is_no_difference() {
        let change = |predicted: &str, actual: &str| Difference {
            what: "Mana".to_owned(),
            predicted: predicted.to_owned(),
            actual: actual.to_owned(),
        };
        let changes = Changes(vec![change("10", "10"), change("10", "7")]);
        assert_eq!(changes.into_differences(), [change("10", "7")]);
    }
}
