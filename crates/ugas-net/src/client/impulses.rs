//! What happens and leaves nothing behind: told once, however often the tick is played again.
//!
//! The log has every such event of recent ticks under a name that replays do not change: (tick, prediction key, what, who).
//! After a replay, what is new is told, what is not there any more is taken back, and what is equal stays silent.

use std::collections::VecDeque;

use ugas_core::effect::PredictionKey;
use ugas_core::event::{Event, EventKind};
use ugas_core::handle::{AbilityHandle, ControllerId};
use ugas_core::id::TagId;

use crate::message::Burst;
use crate::tick::Tick;

/// Ticks that stay in the log, for what the server says about them later.
const MEMORY: usize = 240;
/// Ticks in which the server tells of a flash that happened. One that was predicted and that it does not tell of did not.
const PATIENCE: u32 = 60;
/// Flashes that are remembered.
const MOST_HEARD: usize = 1_024;
/// How many ticks a flash may be off and still be the one that was predicted.
const SLACK: u32 = 3;

/// What an event is about, in terms that stay the same from replay to replay.
#[derive(Clone, PartialEq, Debug)]
enum What {
    Cue(TagId),
    Ability(&'static str, AbilityHandle),
    HostTask(u32, Option<ugas_core::id::AbilityId>),
    Event(TagId),
    Other(&'static str),
}

#[derive(Clone, PartialEq, Debug)]
struct Name {
    key: Option<PredictionKey>,
    controller: ControllerId,
    what: What,
}

#[derive(Debug)]
struct Entry {
    name: Name,
    event: Event,
    /// The server has told of it, too: by this flash.
    matched: Option<FlashId>,
}

/// The tick of a flash, and which of its tick it is.
type FlashId = (Tick, u16);

/// A flash that the server told of.
#[derive(Debug)]
struct Heard {
    id: FlashId,
    key: Option<PredictionKey>,
    controller: ControllerId,
    cue: TagId,
    /// It is one that the log has.
    is_matched: bool,
}

impl Heard {
    /// Whether it can be what was predicted for a tick. The keys of others are not told, so that what comes from them is
    /// recognised without.
    fn is(&self, tick: Tick, name: &Name) -> bool {
        tick.since(self.id.0).unsigned_abs() <= u64::from(SLACK)
            && name.controller == self.controller
            && name.what == What::Cue(self.cue)
            && (self.key.is_none() || name.key == self.key)
    }
}

/// What was told of recent ticks.
#[derive(Debug, Default)]
pub(super) struct Impulses {
    ticks: VecDeque<(Tick, Vec<Entry>)>,
    /// Flashes that the server told of, so that each is taken once.
    heard: VecDeque<Heard>,
}

/// What is to be told after a tick was played.
#[derive(Debug, Default)]
pub(super) struct News {
    pub(super) happened: Vec<Event>,
    pub(super) retracted: Vec<Event>,
}

impl Impulses {
    /// How many things it holds.
    pub(super) fn held(&self) -> usize {
        self.heard.len() + self.ticks.iter().map(|(_, entries)| 1 + entries.len()).sum::<usize>()
    }

    /// The events of a tick that was played, perhaps again.
    pub(super) fn play(&mut self, tick: Tick, events: impl Iterator<Item = Event>, news: &mut News) {
        let mut fresh: Vec<Entry> =
            events.filter_map(|event| Some(Entry { name: name_of(&event)?, event, matched: None })).collect();
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
                // It happened all the same, and may be predicted again.
                Some(id) => self
                    .heard
                    .iter_mut()
                    .filter(|heard| heard.id == id)
                    .for_each(|heard| heard.is_matched = false),
                None => news.retracted.push(gone.event),
            }
        }
        for entry in unknown {
            let told = self.heard.iter_mut().find(|heard| !heard.is_matched && heard.is(tick, &entry.name));
            match told {
                Some(heard) => {
                    heard.is_matched = true;
                    entry.matched = Some(heard.id);
                }
                None => news.happened.push(entry.event.clone()),
            }
        }
        match known {
            Some(at) => self.ticks[at].1 = fresh,
            None => {
                self.ticks.push_back((tick, fresh));
                while self.ticks.len() > MEMORY {
                    self.ticks.pop_front();
                }
            }
        }
    }

    /// A command was rejected: what was predicted of it did not happen.
    pub(super) fn withdraw(&mut self, key: PredictionKey, news: &mut News) {
        for (_, entries) in &mut self.ticks {
            entries.retain(|entry| {
                let stays =
                    entry.matched.is_some() || entry.name.key.is_none_or(|known| known.origin() != key);
                if !stays {
                    news.retracted.push(entry.event.clone());
                }
                stays
            });
        }
    }

    /// Ticks that are not played again, because the server has: flashes in them that it does not tell of did not happen.
    pub(super) fn settle(&mut self, base: Tick, news: &mut News) {
        for (_, entries) in self.ticks.iter_mut().filter(|(tick, _)| *tick < base.before(PATIENCE)) {
            entries.retain(|entry| {
                let stays = entry.matched.is_some() || !matches!(entry.name.what, What::Cue(_));
                if !stays {
                    news.retracted.push(entry.event.clone());
                }
                stays
            });
        }
    }

    /// Whether a flash that the server tells of is news: it was not told before, and was not predicted. `controller` is the
    /// client's own handle.
    pub(super) fn is_news(&mut self, burst: &Burst, controller: ControllerId) -> bool {
        let id = (burst.tick, burst.ordinal);
        if self.heard.iter().any(|heard| heard.id == id) {
            return false;
        }
        let mut heard = Heard { id, key: burst.key, controller, cue: burst.cue, is_matched: false };
        let entries =
            self.ticks.iter_mut().flat_map(|(tick, entries)| entries.iter_mut().map(|entry| (*tick, entry)));
        let predicted = entries
            .filter(|(tick, entry)| entry.matched.is_none() && heard.is(*tick, &entry.name))
            .min_by_key(|(tick, entry)| (entry.name.key != burst.key, tick.since(burst.tick).unsigned_abs()));
        if let Some((_, entry)) = predicted {
            entry.matched = Some(id);
            heard.is_matched = true;
        }
        let is_news = !heard.is_matched;
        if self.heard.len() >= MOST_HEARD {
            self.heard.pop_front();
        }
        self.heard.push_back(heard);
        is_news
    }
}

/// The name of an event that leaves nothing behind; `None` for changes of state, which are told by comparing states.
fn name_of(event: &Event) -> Option<Name> {
    let (controller, what) = match &event.kind {
        EventKind::CueExecuted { controller, cue, .. } => (*controller, What::Cue(*cue)),
        EventKind::AbilityActivated { controller, handle, .. }
        | EventKind::AbilityCommitted { controller, handle, .. }
        | EventKind::AbilityEnded { controller, handle, .. }
        | EventKind::AbilityCancelled { controller, handle, .. } => {
            (*controller, What::Ability(event.kind.name(), *handle))
        }
        EventKind::HostTaskRequested { controller, ability, step, .. } => {
            (*controller, What::HostTask(*step, Some(*ability)))
        }
        EventKind::GameplayEvent { controller, event } => (*controller, What::Event(event.tag)),
        EventKind::HostTaskCancelled { controller, .. }
        | EventKind::TargetingBegan { controller, .. }
        | EventKind::TargetingEnded { controller, .. }
        | EventKind::TaskFailed { controller, .. }
        | EventKind::NoTarget { controller, .. }
        | EventKind::InputBuffered { controller, .. }
        | EventKind::OwnerDied { controller } => (*controller, What::Other(event.kind.name())),
        _ => return None,
    };
    Some(Name { key: event.prediction, controller, what })
}

#[cfg(test)]
mod tests {
    use ugas_core::event::{Cause, CueParameters};
    use ugas_core::time::Time;

    use super::*;

    const HERO: ControllerId = ControllerId::UNSEEN;

    fn flash() -> Event {
        let kind = EventKind::CueExecuted {
            controller: HERO,
            cue: TagId::from_index(1),
            parameters: CueParameters::default(),
        };
        Event { sequence: 0, time: Time::ZERO, cause: Cause::default(), prediction: None, kind }
    }

    fn burst(tick: u32) -> Burst {
        Burst {
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

    /// What is told when a tick is played with so many flashes.
    fn play(impulses: &mut Impulses, tick: u32, flashes: usize) -> (usize, usize) {
        let mut news = News::default();
        impulses.play(Tick(tick), core::iter::repeat_with(flash).take(flashes), &mut news);
        (news.happened.len(), news.retracted.len())
    }

    #[test]
    fn what_was_told_is_not_told_again_when_it_is_predicted_afterwards() {
        let mut impulses = Impulses::default();
        assert!(impulses.is_news(&burst(10), HERO));
        assert_eq!(play(&mut impulses, 10, 1), (0, 0));
        // A replay that does not come to it, and one that does: it happened, whatever is predicted.
        assert_eq!(play(&mut impulses, 10, 0), (0, 0));
        assert_eq!(play(&mut impulses, 11, 1), (0, 0));
        // A second one is another.
        assert_eq!(play(&mut impulses, 11, 2), (1, 0));
        assert_eq!(play(&mut impulses, 11, 1), (0, 1));
    }

    #[test]
    fn what_the_server_does_not_tell_of_is_taken_back() {
        let mut impulses = Impulses::default();
        assert_eq!(play(&mut impulses, 10, 1), (1, 0));
        assert_eq!(play(&mut impulses, 20, 1), (1, 0));
        assert!(!impulses.is_news(&burst(21), HERO));
        let mut news = News::default();
        impulses.settle(Tick(70), &mut news);
        assert_eq!(news.retracted.len(), 0);
        impulses.settle(Tick(90), &mut news);
        assert_eq!(news.retracted.len(), 1);
        // It came too late to be recognised.
        assert!(impulses.is_news(&burst(9), HERO));
    }
}
