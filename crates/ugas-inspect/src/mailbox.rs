//! From the game to the inspector: one place for the newest state. Whoever brings one never waits for whoever takes it.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ugas_core::event::Event;
use ugas_core::simulation::{Config, Simulation, Snapshot};

/// Most events that wait to be taken in; older ones are lost, and counted.
const MOST_EVENTS: usize = 1 << 14;

/// A state on its way.
pub(crate) struct Frame {
    pub(crate) snapshot: Snapshot,
    pub(crate) config: Config,
    pub(crate) events: Vec<Event>,
    pub(crate) lost_events: u64,
    /// How long the host worked on the tick, if it says so.
    pub(crate) work: Option<Duration>,
}

#[derive(Default)]
pub(crate) struct Mailbox {
    newest: Mutex<Option<Frame>>,
    /// A state that was taken in: its memory is used again.
    spare: Mutex<Option<Snapshot>>,
    /// The number of the next event that was not seen.
    next_event: Mutex<u64>,
}

impl Mailbox {
    /// Leaves the state; one that was not taken yet is replaced, but its events are kept.
    pub(crate) fn post(
        &self,
        simulation: &Simulation,
        new_events: impl Iterator<Item = Event>,
        work: Option<Duration>,
    ) {
        let spare = lock(&self.spare).take();
        let snapshot = match spare {
            Some(mut spare) => {
                simulation.snapshot_into(&mut spare);
                spare
            }
            None => simulation.snapshot(),
        };
        let mut next = lock(&self.next_event);
        // A simulation that was restored counts from an earlier number again.
        if simulation.counters().events < *next {
            *next = 0;
        }
        let new = new_events.filter(|event| event.sequence >= *next);
        let mut newest = lock(&self.newest);
        let (mut events, mut lost_events) = (Vec::new(), 0);
        if let Some(replaced) = newest.take() {
            (events, lost_events) = (replaced.events, replaced.lost_events);
            *lock(&self.spare) = Some(replaced.snapshot);
        }
        events.extend(new);
        *next = simulation.counters().events;
        let excess = events.len().saturating_sub(MOST_EVENTS);
        events.drain(..excess);
        lost_events += excess as u64;
        let config = simulation.config().clone();
        *newest = Some(Frame { snapshot, config, events, lost_events, work });
    }

    pub(crate) fn take(&self) -> Option<Frame> {
        lock(&self.newest).take()
    }

    pub(crate) fn give_back(&self, snapshot: Snapshot) {
        *lock(&self.spare) = Some(snapshot);
    }
}

/// A panic elsewhere leaves nothing half done here.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use ugas_core::catalog::Catalog;
    use ugas_core::controller::ControllerDef;

    use super::*;

    #[test]
    fn the_newest_state_wins_and_the_events_of_all_are_kept() {
        let catalog = Catalog::builder().template(ControllerDef::new("Wolf")).build().unwrap();
        let mut simulation = Simulation::new(catalog, Config::default());
        let mailbox = Mailbox::default();
        let mut expected = Vec::new();
        for _ in 0..3 {
            simulation.spawn("Wolf").unwrap();
            mailbox.post(&simulation, simulation.pending_events(), None);
            expected.extend(simulation.events());
        }
        let frame = mailbox.take().unwrap();
        assert!(mailbox.take().is_none());
        assert_eq!(frame.snapshot.to_bytes(), simulation.snapshot().to_bytes());
        assert_eq!(frame.events, expected);
        assert_eq!(frame.lost_events, 0);
    }
}
