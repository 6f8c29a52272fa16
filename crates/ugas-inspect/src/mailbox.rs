//! The mailbox between game and worker: one slot for the newest frame. The game never waits for the worker.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ugas_core::event::{Event, EventRef};
use ugas_core::simulation::{Config, Simulation, Snapshot};

/// Maximum number of events in a frame; older ones are dropped and counted.
const MAX_EVENTS: usize = 1 << 14;

/// A state on its way to the worker, with the events since the last one that was taken.
pub(crate) struct Frame {
    pub(crate) snapshot: Snapshot,
    pub(crate) config: Config,
    pub(crate) events: Vec<Event>,
    pub(crate) lost_events: u64,
    /// Time that the host needed for the tick, if reported.
    pub(crate) work: Option<Duration>,
}

#[derive(Default)]
pub(crate) struct Mailbox {
    newest: Mutex<Option<Frame>>,
    /// A snapshot whose memory is reused.
    spare: Mutex<Option<Snapshot>>,
    /// Sequence number of the first event that was not posted yet.
    next_event: Mutex<u64>,
}

impl Mailbox {
    /// Posts a state. A frame that was not taken yet is replaced, but its events are kept.
    pub(crate) fn post<'a>(
        &self,
        simulation: &Simulation,
        new_events: impl Iterator<Item = EventRef<'a>>,
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
        // A restored simulation counts from an earlier number again.
        if simulation.counters().events < *next {
            *next = 0;
        }
        let new = new_events.filter(|event| event.sequence >= *next).map(Event::from);
        let mut newest = lock(&self.newest);
        let (mut events, mut lost_events) = (Vec::new(), 0);
        if let Some(replaced) = newest.take() {
            (events, lost_events) = (replaced.events, replaced.lost_events);
            *lock(&self.spare) = Some(replaced.snapshot);
        }
        events.extend(new);
        *next = simulation.counters().events;
        let excess = events.len().saturating_sub(MAX_EVENTS);
        events.drain(..excess);
        lost_events += excess as u64;
        let config = simulation.config().clone();
        *newest = Some(Frame { snapshot, config, events, lost_events, work });
    }

    /// Takes the newest frame; `None` if nothing was posted since the last call.
    pub(crate) fn take(&self) -> Option<Frame> {
        lock(&self.newest).take()
    }

    /// Snapshot whose memory the next [`post`](Self::post) reuses; its content is no longer needed.
    pub(crate) fn give_back(&self, snapshot: Snapshot) {
        *lock(&self.spare) = Some(snapshot);
    }
}

/// Locks a mutex and ignores poisoning: every critical section leaves its data valid.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use ugas_core::catalog::Catalog;
    use ugas_core::controller::ControllerDef;

    use super::*;

    #[test]
    fn replaced_frame_passes_its_events_to_the_newest() {
        let catalog = Catalog::builder().template(ControllerDef::new("Wolf")).build().unwrap();
        let mut simulation = Simulation::new(catalog, Config::default());
        let mailbox = Mailbox::default();
        let mut expected = Vec::new();
        for _ in 0..3 {
            simulation.spawn("Wolf").unwrap();
            mailbox.post(&simulation, simulation.peek_events(), None);
            expected.extend(simulation.events());
        }
        let frame = mailbox.take().unwrap();
        assert!(mailbox.take().is_none());
        assert_eq!(frame.snapshot.to_bytes(), simulation.snapshot().to_bytes());
        assert_eq!(frame.events, expected);
        assert_eq!(frame.lost_events, 0);
    }
}
