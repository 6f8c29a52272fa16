//! What happened: the events of the moments that are kept, with their words.

use std::collections::VecDeque;

use ugas_core::event::{Event, EventKind};
use ugas_core::handle::ControllerId;
use ugas_core::id::AttributeId;
use ugas_core::simulation::Simulation;
use ugas_core::time::Time;

use crate::concerns::concerned;

/// Most events that are kept.
const MOST: usize = 200_000;

/// An event, and what was said about it while everything it names was there.
pub(crate) struct Entry {
    pub(crate) event: Event,
    /// The moment that it is first seen in.
    pub(crate) moment: u64,
    pub(crate) text: String,
    pub(crate) ability: Option<String>,
    pub(crate) effect: Option<String>,
    pub(crate) concerned: Vec<ControllerId>,
}

#[derive(Default)]
pub(crate) struct Chronicle {
    entries: VecDeque<Entry>,
    /// Events that were not kept.
    pub(crate) lost: u64,
}

impl Chronicle {
    pub(crate) fn push(&mut self, simulation: &Simulation, moment: u64, event: &Event) {
        let described = event.describe(simulation).to_string();
        // The time and the kind are told apart from the words: `   1.000s  EffectApplied   GE_Hit on …`.
        let words = described.split_once(event.kind.name()).map_or("", |(_, words)| words.trim());
        let granted = event.cause.ability.and_then(|handle| simulation.ability(handle));
        let ability = granted.map(|granted| simulation.catalog().ability_name(granted.ability()).to_owned());
        let effect = event.cause.effect.map(|effect| simulation.effect_name(effect).to_owned());
        self.entries.push_back(Entry {
            event: event.clone(),
            moment,
            text: words.to_owned(),
            ability,
            effect,
            concerned: concerned(event),
        });
        if self.entries.len() > MOST {
            self.entries.pop_front();
            self.lost += 1;
        }
    }

    /// Forgets what is older than the first moment that is kept.
    pub(crate) fn forget_before(&mut self, moment: u64) {
        while self.entries.front().is_some_and(|entry| entry.moment < moment) {
            self.entries.pop_front();
        }
    }

    /// Forgets everything from a moment on: a game that was restored tells it anew.
    pub(crate) fn forget_from(&mut self, sequence: u64) {
        while self.entries.back().is_some_and(|entry| entry.event.sequence >= sequence) {
            self.entries.pop_back();
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Those up to a moment, the latest first.
    pub(crate) fn until(&self, moment: u64) -> impl Iterator<Item = &Entry> {
        let end = self.entries.partition_point(|entry| entry.moment <= moment);
        self.entries.range(..end).rev()
    }

    pub(crate) fn all(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.entries.iter()
    }

    pub(crate) fn by_sequence(&self, sequence: u64) -> Option<&Entry> {
        let at = self.entries.partition_point(|entry| entry.event.sequence < sequence);
        self.entries.get(at).filter(|entry| entry.event.sequence == sequence)
    }

    /// Those before one, the latest first.
    pub(crate) fn before(&self, sequence: u64) -> impl Iterator<Item = &Entry> {
        let end = self.entries.partition_point(|entry| entry.event.sequence < sequence);
        self.entries.range(..end).rev()
    }

    /// The values that attributes had, as steps: every change of one, with the value before the first.
    pub(crate) fn changes(
        &self,
        moment: u64,
        attribute: Option<AttributeId>,
    ) -> impl Iterator<Item = (ControllerId, AttributeId, Time, f64, f64)> {
        let end = self.entries.partition_point(|entry| entry.moment <= moment);
        self.entries.range(..end).filter_map(move |entry| match &entry.event.kind {
            EventKind::AttributeChanged { controller, attribute: changed, old, new, .. }
                if attribute.is_none_or(|wanted| wanted == *changed) =>
            {
                Some((*controller, *changed, entry.event.time, *old, *new))
            }
            _ => None,
        })
    }
}
