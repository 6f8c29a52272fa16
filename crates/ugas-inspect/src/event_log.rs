//! The event log: the events of the kept moments, with their descriptions.

use std::collections::VecDeque;

use ugas_core::event::{Event, EventKind};
use ugas_core::handle::ControllerId;
use ugas_core::id::AttributeId;
use ugas_core::simulation::Simulation;
use ugas_core::time::Time;

use crate::involved::involved_controllers;

/// Maximum number of kept events.
const MAX_COUNT: usize = 200_000;

/// An event and its description, written while everything that it names exists.
pub(crate) struct Entry {
    pub(crate) event: Event,
    /// The first moment that includes the event.
    pub(crate) moment: u64,
    /// The description without time and kind.
    pub(crate) text: String,
    /// Name of the ability that caused the event.
    pub(crate) ability: Option<String>,
    /// Name of the effect that caused the event.
    pub(crate) effect: Option<String>,
    pub(crate) involved: Vec<ControllerId>,
}

#[derive(Default)]
pub(crate) struct EventLog {
    entries: VecDeque<Entry>,
    /// Number of events that were dropped.
    pub(crate) lost: u64,
}

impl EventLog {
    /// Adds an event of a moment, with the names that it needs: its definitions may be gone when it is shown.
    /// Beyond the limit the oldest is dropped and counted.
    pub(crate) fn push(&mut self, simulation: &Simulation, moment: u64, event: &Event) {
        let described = event.describe(simulation).to_string();
        // Answers have time and kind in fields of their own: `   1.000s  EffectApplied   GE_Hit on …`.
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
            involved: involved_controllers(event),
        });
        if self.entries.len() > MAX_COUNT {
            self.entries.pop_front();
            self.lost += 1;
        }
    }

    /// Removes events that are older than a moment.
    pub(crate) fn forget_before(&mut self, moment: u64) {
        while self.entries.front().is_some_and(|entry| entry.moment < moment) {
            self.entries.pop_front();
        }
    }

    /// Removes events from a sequence number on: a restored game emits them again.
    pub(crate) fn forget_from(&mut self, sequence: u64) {
        while self.entries.back().is_some_and(|entry| entry.event.sequence >= sequence) {
            self.entries.pop_back();
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Events up to a moment, latest first.
    pub(crate) fn until(&self, moment: u64) -> impl Iterator<Item = &Entry> {
        let end = self.entries.partition_point(|entry| entry.moment <= moment);
        self.entries.range(..end).rev()
    }

    /// All entries, the oldest first.
    pub(crate) fn all(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.entries.iter()
    }

    /// Entry of the event with a sequence number; `None` if it was dropped or never logged.
    pub(crate) fn by_sequence(&self, sequence: u64) -> Option<&Entry> {
        let at = self.entries.partition_point(|entry| entry.event.sequence < sequence);
        self.entries.get(at).filter(|entry| entry.event.sequence == sequence)
    }

    /// Events before a sequence number, latest first.
    pub(crate) fn before(&self, sequence: u64) -> impl Iterator<Item = &Entry> {
        let end = self.entries.partition_point(|entry| entry.event.sequence < sequence);
        self.entries.range(..end).rev()
    }

    /// Changes of attributes up to a moment: controller, attribute, time, old value and new value.
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
