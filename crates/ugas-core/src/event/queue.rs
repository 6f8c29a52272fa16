//! Queue of events that were not polled yet. Time, cause and prediction are stored once per run of events
//! that share them.

use std::collections::VecDeque;

use super::{Cause, Event, EventKind};
use crate::prediction::PredictionKey;
use crate::time::Time;

/// Events in the order in which they were emitted.
#[derive(Clone, Debug, Default)]
pub(crate) struct EventQueue {
    kinds: VecDeque<EventKind>,
    /// Origins of the events, run by run; their counts add up to the number of kinds.
    runs: VecDeque<Run>,
}

/// The common data of a run of events.
#[derive(Clone, Copy, Debug)]
struct Run {
    /// Sequence number of the first event that is left; the others follow it.
    sequence: u64,
    count: u32,
    /// Equal for events with the same origin and consecutive sequence numbers.
    version: u64,
    origin: Origin,
}

/// Time, cause and prediction of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Origin {
    pub(crate) time: Time,
    pub(crate) cause: Cause,
    pub(crate) prediction: Option<PredictionKey>,
}

impl EventQueue {
    pub(crate) fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Adds an event. It must have the origin of the previous event, and the next sequence number, if the
    /// version is the same.
    #[inline]
    pub(crate) fn push(
        &mut self,
        sequence: u64,
        version: u64,
        kind: EventKind,
        origin: impl FnOnce() -> Origin,
    ) {
        match self.runs.back_mut() {
            Some(run) if run.version == version && run.count < u32::MAX => {
                debug_assert_eq!((run.sequence + u64::from(run.count), run.origin), (sequence, origin()));
                run.count += 1;
            }
            _ => self.runs.push_back(Run { sequence, count: 1, version, origin: origin() }),
        }
        self.kinds.push_back(kind);
    }

    /// Removes the oldest event, and completes it with the origin of its run.
    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<Event> {
        let run = self.runs.front_mut()?;
        let (sequence, origin) = (run.sequence, run.origin);
        run.sequence += 1;
        run.count -= 1;
        if run.count == 0 {
            self.runs.pop_front();
        }
        let kind = self.kinds.pop_front()?;
        Some(origin.event(sequence, kind))
    }

    pub(crate) fn clear(&mut self) {
        self.kinds.clear();
        self.runs.clear();
    }

    /// Removes all events, also those that the iterator does not visit.
    pub(crate) fn drain(&mut self) -> Drain<'_> {
        Drain(self)
    }

    /// Copies of all events, without removing them.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = Event> + '_ {
        let mut runs = self.runs.iter();
        let (mut run, mut taken) = (runs.next(), 0);
        self.kinds.iter().map(move |kind| {
            if run.is_some_and(|run| taken == run.count) {
                (run, taken) = (runs.next(), 0);
            }
            let run = run.expect("the runs count all events");
            taken += 1;
            run.origin.event(run.sequence + u64::from(taken - 1), kind.clone())
        })
    }
}

impl Origin {
    /// An event of this origin.
    #[inline]
    pub(crate) fn event(self, sequence: u64, kind: EventKind) -> Event {
        let Self { time, cause, prediction } = self;
        Event { sequence, time, cause, prediction, kind }
    }
}

/// Events from elsewhere, each a run of its own.
impl Extend<Event> for EventQueue {
    fn extend<I: IntoIterator<Item = Event>>(&mut self, events: I) {
        for Event { sequence, time, cause, prediction, kind } in events {
            let origin = Origin { time, cause, prediction };
            self.runs.push_back(Run { sequence, count: 1, version: u64::MAX, origin });
            self.kinds.push_back(kind);
        }
    }
}

/// Iterator that removes events from a queue.
pub(crate) struct Drain<'a>(&'a mut EventQueue);

impl Iterator for Drain<'_> {
    type Item = Event;

    #[inline]
    fn next(&mut self) -> Option<Event> {
        self.0.pop()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.len(), Some(self.0.len()))
    }
}

impl ExactSizeIterator for Drain<'_> {}

impl Drop for Drain<'_> {
    fn drop(&mut self) {
        if self.0.len() > 0 {
            self.0.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handle::ControllerId;

    fn event(sequence: u64, operation: u64, micros: u64) -> Event {
        Event {
            sequence,
            time: Time::from_micros(micros),
            cause: Cause { operation, ..Cause::default() },
            prediction: None,
            kind: EventKind::OwnerDied { controller: ControllerId::from_bits(1 << 32 | sequence).unwrap() },
        }
    }

    /// Two events of one operation, one of the next, one later, and one after a gap in the sequence numbers.
    fn events() -> Vec<Event> {
        vec![event(5, 1, 0), event(6, 1, 0), event(7, 2, 0), event(8, 2, 9), event(10, 2, 9)]
    }

    /// A version for each operation, time and gap.
    fn queue() -> EventQueue {
        let mut queue = EventQueue::default();
        for (event, version) in events().into_iter().zip([1, 1, 2, 3, 4]) {
            let Event { sequence, time, cause, prediction, kind } = event;
            queue.push(sequence, version, kind, || Origin { time, cause, prediction });
        }
        queue
    }

    #[test]
    fn events_are_popped_as_pushed() {
        assert!(queue().iter().eq(events()));
        assert!(queue().drain().eq(events()));
        let mut queue = queue();
        assert_eq!(queue.runs.len(), 4);
        assert!(core::iter::from_fn(|| queue.pop()).eq(events()));
        assert!(queue.runs.is_empty());
        queue.extend(events());
        assert!(queue.iter().eq(events()));
    }

    #[test]
    fn rest_of_a_run_keeps_its_sequence_numbers() {
        let mut queue = queue();
        queue.pop();
        assert_eq!(queue.iter().next(), Some(event(6, 1, 0)));
        assert_eq!((queue.len(), queue.iter().len()), (4, 4));
        drop(queue.drain());
        assert_eq!((queue.len(), queue.runs.len()), (0, 0));
    }

    #[test]
    fn leaked_drain_leaves_the_rest_in_order() {
        let mut queue = queue();
        let mut taken = queue.drain();
        assert_eq!(taken.next(), Some(event(5, 1, 0)));
        core::mem::forget(taken);
        assert!(queue.iter().eq(events().into_iter().skip(1)));
        assert!(queue.drain().eq(events().into_iter().skip(1)));
    }

    #[test]
    fn event_size_is_pinned() {
        assert!(size_of::<EventKind>() <= 64, "{}", size_of::<EventKind>());
    }
}
