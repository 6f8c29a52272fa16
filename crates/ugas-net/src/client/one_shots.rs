//! One-shot events, which change no state: emitted once, however often their tick is replayed.
//!
//! The log has every such event of recent ticks under a key that replays do not change: (tick, prediction
//! key, subject, controller). After a replay new events are emitted, missing ones are retracted, and equal
//! ones stay silent.

use std::collections::VecDeque;

use ugas_core::effect::PredictionKey;
use ugas_core::event::{Event, EventRef, OneShotKey, OneShotSubject};
use ugas_core::handle::ControllerId;
use ugas_core::id::TagId;

use crate::message::CueBurst;
use crate::tick::Tick;

/// Ticks that stay in the log, to match later bursts of the server.
const LOG_TICKS: usize = 240;
/// Ticks within which the server confirms a cue. A predicted cue without confirmation did not happen.
const CONFIRMATION_TICKS: u32 = 60;
/// Most bursts of the server that are remembered.
const MAX_RECEIVED: usize = 1_024;
/// Most ticks between a burst and the predicted cue that it confirms.
const SLACK: u32 = 3;

#[derive(Debug)]
struct Entry {
    name: OneShotKey,
    event: Event,
    /// The burst by which the server confirmed it.
    matched: Option<CueBurstId>,
    /// Whether the server confirms it if it is a cue that happened.
    is_awaited: bool,
}

/// Tick and ordinal of a burst.
type CueBurstId = (Tick, u16);

/// A burst received from the server.
#[derive(Debug)]
struct ReceivedBurst {
    id: CueBurstId,
    key: Option<PredictionKey>,
    controller: ControllerId,
    cue: TagId,
    /// Whether it confirms an event in the log.
    is_matched: bool,
}

impl ReceivedBurst {
    /// Whether it may confirm a predicted event of a tick. The server sends no keys of other clients'
    /// commands, so their bursts are matched without.
    fn is(&self, tick: Tick, name: &OneShotKey) -> bool {
        tick.since(self.id.0).unsigned_abs() <= u64::from(SLACK)
            && name.controller == self.controller
            && name.subject == OneShotSubject::Cue(self.cue)
            && (self.key.is_none() || name.prediction == self.key)
    }
}

/// Log of the one-shot events of recent ticks.
#[derive(Debug, Default)]
pub(super) struct OneShotLog {
    ticks: VecDeque<(Tick, Vec<Entry>)>,
    /// Bursts received from the server, so that each is accepted once.
    received: VecDeque<ReceivedBurst>,
}

/// Events to emit after a tick was played.
#[derive(Debug, Default)]
pub(super) struct OneShotChanges {
    pub(super) happened: Vec<Event>,
    pub(super) retracted: Vec<Event>,
}

impl OneShotLog {
    /// Number of received bursts, logged ticks and their entries. For tests that nothing grows without bound.
    pub(super) fn held(&self) -> usize {
        self.received.len() + self.ticks.iter().map(|(_, entries)| 1 + entries.len()).sum::<usize>()
    }

    /// Logs the events of a tick that was played or replayed, and collects the differences to what was logged
    /// for it: new events happened, missing ones are retracted. Cues that a burst of the server confirmed are
    /// shown already, and are collected in neither list.
    pub(super) fn play<'a>(
        &mut self,
        tick: Tick,
        events: impl Iterator<Item = EventRef<'a>>,
        changes: &mut OneShotChanges,
    ) {
        let entry = |event: EventRef<'_>| {
            Some(Entry {
                name: OneShotKey::of(event)?,
                event: event.to_owned(),
                matched: None,
                is_awaited: true,
            })
        };
        let mut fresh: Vec<Entry> = events.filter_map(entry).collect();
        let known = self.ticks.iter().position(|(known, _)| *known == tick);
        let mut before = known.map(|at| core::mem::take(&mut self.ticks[at].1)).unwrap_or_default();
        let mut unknown: Vec<&mut Entry> = Vec::new();
        for entry in &mut fresh {
            match before.iter().position(|known| known.name == entry.name) {
                Some(at) => entry.matched = before.swap_remove(at).matched,
                None => unknown.push(entry),
            }
        }
        for gone in before {
            match gone.matched {
                // It happened on the server, and may be predicted again.
                Some(id) => self
                    .received
                    .iter_mut()
                    .filter(|received| received.id == id)
                    .for_each(|received| received.is_matched = false),
                None => changes.retracted.push(gone.event),
            }
        }
        for entry in unknown {
            let confirmation = self
                .received
                .iter_mut()
                .find(|received| !received.is_matched && received.is(tick, &entry.name));
            match confirmation {
                Some(received) => {
                    received.is_matched = true;
                    entry.matched = Some(received.id);
                }
                None => changes.happened.push(entry.event.clone()),
            }
        }
        match known {
            Some(at) => self.ticks[at].1 = fresh,
            None => {
                self.ticks.push_back((tick, fresh));
                while self.ticks.len() > LOG_TICKS {
                    self.ticks.pop_front();
                }
            }
        }
    }

    /// Retracts the predicted events of a rejected command and of actions that depend on it, and removes them
    /// from the log. Cues that the server confirmed stay.
    pub(super) fn withdraw(&mut self, key: PredictionKey, changes: &mut OneShotChanges) {
        for (_, entries) in &mut self.ticks {
            entries.retain(|entry| {
                let stays = entry.matched.is_some()
                    || entry.name.prediction.is_none_or(|known| known.origin() != key);
                if !stays {
                    changes.retracted.push(entry.event.clone());
                }
                stays
            });
        }
    }

    /// Begins another connection of the session. Bursts may have expired while there was none, so that cues
    /// without confirmation count as happened, unless their command is rejected.
    pub(super) fn resume(&mut self) {
        self.ticks.iter_mut().flat_map(|(_, entries)| entries).for_each(|entry| entry.is_awaited = false);
    }

    /// Retracts predicted cues that the server did not confirm, once they are [`CONFIRMATION_TICKS`] older
    /// than `base`, and removes them from the log. Called for every new state of the server.
    pub(super) fn settle(&mut self, base: Tick, changes: &mut OneShotChanges) {
        for (_, entries) in self.ticks.iter_mut().filter(|(tick, _)| *tick < base.before(CONFIRMATION_TICKS))
        {
            entries.retain(|entry| {
                let is_cue = matches!(entry.name.subject, OneShotSubject::Cue(_));
                let stays = entry.matched.is_some() || !is_cue || !entry.is_awaited;
                if !stays {
                    changes.retracted.push(entry.event.clone());
                }
                stays
            });
        }
    }

    /// Records a burst of the server; true if it is to be shown: it was neither received before nor
    /// predicted. A predicted cue that it matches counts as confirmed. `controller` is the client's own
    /// handle.
    pub(super) fn accept_burst(&mut self, burst: &CueBurst, controller: ControllerId) -> bool {
        let id = (burst.tick, burst.ordinal);
        if self.received.iter().any(|received| received.id == id) {
            return false;
        }
        let mut received =
            ReceivedBurst { id, key: burst.key, controller, cue: burst.cue, is_matched: false };
        let entries =
            self.ticks.iter_mut().flat_map(|(tick, entries)| entries.iter_mut().map(|entry| (*tick, entry)));
        let predicted = entries
            .filter(|(tick, entry)| entry.matched.is_none() && received.is(*tick, &entry.name))
            .min_by_key(|(tick, entry)| {
                (entry.name.prediction != burst.key, tick.since(burst.tick).unsigned_abs())
            });
        if let Some((_, entry)) = predicted {
            entry.matched = Some(id);
            received.is_matched = true;
        }
        let is_new = !received.is_matched;
        if self.received.len() >= MAX_RECEIVED {
            self.received.pop_front();
        }
        self.received.push_back(received);
        is_new
    }
}

#[cfg(test)]
mod tests {
    use ugas_core::event::{Cause, CueParameters, EventKind};
    use ugas_core::time::Time;

    use super::*;

    const HERO: ControllerId = ControllerId::UNSEEN;

    /// An executed cue without a prediction key.
    fn executed_cue() -> Event {
        let kind = EventKind::CueExecuted {
            controller: HERO,
            cue: TagId::from_index(1),
            parameters: CueParameters::default(),
        };
        Event { sequence: 0, time: Time::ZERO, cause: Cause::default(), prediction: None, kind }
    }

    /// A burst for [`executed_cue`] at a tick. There is only one of each tick.
    fn burst(tick: u32) -> CueBurst {
        CueBurst {
            tick: Tick(tick),
            ordinal: 0,
            cue: TagId::from_index(1),
            controller: HERO,
            source: None,
            key: None,
            magnitude: 0.0,
            level: 1.0,
            location: None,
            details: None,
        }
    }

    /// Number of emitted and retracted events when a tick is played with so many cues.
    fn play(one_shots: &mut OneShotLog, tick: u32, flashes: usize) -> (usize, usize) {
        let mut changes = OneShotChanges::default();
        let cue = executed_cue();
        let events = core::iter::repeat_n(EventRef::from(&cue), flashes);
        one_shots.play(Tick(tick), events, &mut changes);
        (changes.happened.len(), changes.retracted.len())
    }

    #[test]
    fn received_burst_is_not_emitted_again_when_predicted_later() {
        let mut one_shots = OneShotLog::default();
        assert!(one_shots.accept_burst(&burst(10), HERO));
        assert_eq!(play(&mut one_shots, 10, 1), (0, 0));
        // Replays without and with it change nothing: it happened on the server.
        assert_eq!(play(&mut one_shots, 10, 0), (0, 0));
        assert_eq!(play(&mut one_shots, 11, 1), (0, 0));
        // A second cue is another one.
        assert_eq!(play(&mut one_shots, 11, 2), (1, 0));
        assert_eq!(play(&mut one_shots, 11, 1), (0, 1));
    }

    #[test]
    fn predicted_cue_without_confirmation_is_retracted() {
        let mut one_shots = OneShotLog::default();
        assert_eq!(play(&mut one_shots, 10, 1), (1, 0));
        assert_eq!(play(&mut one_shots, 20, 1), (1, 0));
        assert!(!one_shots.accept_burst(&burst(21), HERO));
        let mut changes = OneShotChanges::default();
        one_shots.settle(Tick(70), &mut changes);
        assert_eq!(changes.retracted.len(), 0);
        one_shots.settle(Tick(90), &mut changes);
        assert_eq!(changes.retracted.len(), 1);
        // Too late to confirm the retracted one.
        assert!(one_shots.accept_burst(&burst(9), HERO));
    }
}
