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
    /// The server has told of it, too.
    matched: bool,
}

/// What was told of recent ticks.
#[derive(Debug, Default)]
pub(super) struct Impulses {
    ticks: VecDeque<(Tick, Vec<Entry>)>,
    /// Flashes that the server told of, so that each is taken once.
    heard: VecDeque<(Tick, u16)>,
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
        let mut fresh: Vec<Entry> = events
            .filter_map(|event| Some(Entry { name: name_of(&event)?, event, matched: false }))
            .collect();
        match self.ticks.iter_mut().find(|(known, _)| *known == tick) {
            Some((_, old)) => {
                let mut before = core::mem::take(old);
                for entry in &mut fresh {
                    match before.iter().position(|known| known.name == entry.name) {
                        Some(at) => entry.matched = before.swap_remove(at).matched,
                        None => news.happened.push(entry.event.clone()),
                    }
                }
                news.retracted
                    .extend(before.into_iter().filter(|entry| !entry.matched).map(|entry| entry.event));
                *old = fresh;
            }
            None => {
                news.happened.extend(fresh.iter().map(|entry| entry.event.clone()));
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
                let stays = entry.matched || entry.name.key.is_none_or(|known| known.origin() != key);
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
                let stays = entry.matched || !matches!(entry.name.what, What::Cue(_));
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
        if self.heard.contains(&id) {
            return false;
        }
        if self.heard.len() >= 1_024 {
            self.heard.pop_front();
        }
        self.heard.push_back(id);
        let near = |tick: Tick| tick.since(burst.tick).unsigned_abs() <= u64::from(SLACK);
        let recent = self.ticks.iter_mut().filter(|(tick, _)| near(*tick));
        let entries = recent.flat_map(|(tick, entries)| entries.iter_mut().map(|entry| (*tick, entry)));
        let predicted = entries
            .filter(|(_, entry)| {
                // The keys of others are not told, so that what comes from them is recognised without.
                let is_same = entry.name.controller == controller && entry.name.what == What::Cue(burst.cue);
                !entry.matched && is_same && (burst.key.is_none() || entry.name.key == burst.key)
            })
            .min_by_key(|(tick, entry)| (entry.name.key != burst.key, tick.since(burst.tick).unsigned_abs()))
            .map(|(_, entry)| entry);
        match predicted {
            Some(entry) => {
                entry.matched = true;
                false
            }
            None => true,
        }
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
