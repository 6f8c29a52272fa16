//! Queue of events that were not polled yet. Time, cause and prediction are stored once per run of events
//! that share them.

use super::{Cause, Event, EventKind, EventRef};
use crate::prediction::PredictionKey;
use crate::time::Time;

/// Events in the order in which they were emitted.
#[derive(Clone, Debug)]
pub(crate) struct EventQueue {
    /// Events from the index `next` on; the entries before it are polled and `None`.
    queued: Vec<Option<Queued>>,
    next: usize,
    /// Origins of the events, run by run. Runs before that of the oldest event may be left.
    runs: Vec<Run>,
    /// Index of a run that does not begin after the oldest event.
    run: usize,
    /// Version of the last run; [`NO_VERSION`] if the next event begins a run.
    version: u64,
}

/// A version that no run has.
const NO_VERSION: u64 = u64::MAX;

/// Number of polled entries up to which they are not worth removing.
const FEW_POLLED: usize = 16;

/// An event without its origin.
#[derive(Clone, Debug)]
struct Queued {
    sequence: u64,
    kind: EventKind,
}

/// Events that share their origin, up to the start of the next run.
#[derive(Clone, Copy, Debug)]
struct Run {
    /// Index of its first event in `queued`.
    start: usize,
    origin: Origin,
}

/// Time, cause and prediction of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Origin {
    pub(crate) time: Time,
    pub(crate) cause: Cause,
    pub(crate) prediction: Option<PredictionKey>,
}

impl Default for EventQueue {
    fn default() -> Self {
        Self { queued: Vec::new(), next: 0, runs: Vec::new(), run: 0, version: NO_VERSION }
    }
}

impl EventQueue {
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.queued.len() - self.next
    }

    /// Adds an event. It must have the origin of the previous event if the version is the same.
    #[inline(always)]
    pub(crate) fn push(
        &mut self,
        sequence: u64,
        version: u64,
        kind: impl FnOnce() -> EventKind,
        origin: impl FnOnce() -> Origin,
    ) {
        if version != self.version {
            self.begin_run(version, origin());
        } else {
            debug_assert_eq!(self.runs.last().map(|run| run.origin), Some(origin()));
        }
        // Unlike `push`, this constructs the event where it is stored.
        self.queued.extend(core::iter::once_with(|| Some(Queued { sequence, kind: kind() })));
    }

    /// Adds two events with consecutive sequence numbers; otherwise as [`Self::push`].
    #[inline(always)]
    pub(crate) fn push_pair(
        &mut self,
        first: u64,
        version: u64,
        one: impl FnOnce() -> EventKind,
        two: impl FnOnce() -> EventKind,
        origin: impl FnOnce() -> Origin,
    ) {
        if version != self.version {
            self.begin_run(version, origin());
        }
        self.queued.push(Some(Queued { sequence: first, kind: one() }));
        self.queued.push(Some(Queued { sequence: first + 1, kind: two() }));
    }

    /// Adds events with consecutive sequence numbers; otherwise as [`Self::push`].
    pub(crate) fn push_all(
        &mut self,
        first: u64,
        version: u64,
        kinds: impl Iterator<Item = EventKind>,
        origin: impl FnOnce() -> Origin,
    ) {
        if version != self.version {
            self.begin_run(version, origin());
        }
        self.queued.extend((first..).zip(kinds).map(|(sequence, kind)| Some(Queued { sequence, kind })));
    }

    /// Adds an event with an origin of its own.
    #[inline(always)]
    pub(crate) fn push_alone(&mut self, sequence: u64, kind: impl FnOnce() -> EventKind, origin: Origin) {
        self.begin_run(NO_VERSION, origin);
        self.queued.extend(core::iter::once_with(|| Some(Queued { sequence, kind: kind() })));
    }

    /// Begins a run with the next event.
    fn begin_run(&mut self, version: u64, origin: Origin) {
        self.version = version;
        self.runs.push(Run { start: self.queued.len(), origin });
    }

    /// Removes the polled entries once they are half of the queue, so that a host that never empties it does
    /// not let it grow.
    fn remove_polled(&mut self) {
        let polled = self.next;
        if polled < FEW_POLLED || polled < self.len() {
            return;
        }
        self.queued.drain(..polled);
        self.next = 0;
        self.skip_runs(polled);
        self.runs.drain(..self.run);
        self.run = 0;
        for run in &mut self.runs {
            run.start = run.start.saturating_sub(polled);
        }
    }

    /// Advances `run` to the run of the event at an index.
    #[inline]
    fn skip_runs(&mut self, index: usize) {
        while self.runs.get(self.run + 1).is_some_and(|later| later.start <= index) {
            self.run += 1;
        }
    }

    /// Removes the oldest event, and completes it with the origin of its run.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Event> {
        let Queued { sequence, kind } = self.queued.get_mut(self.next)?.take()?;
        self.skip_runs(self.next);
        let Origin { time, cause, prediction } = self.runs.get(self.run)?.origin;
        self.next += 1;
        self.after_polling();
        Some(Event { sequence, time, cause, prediction, kind })
    }

    /// Visits all events and removes them. If `visit` panics, the events that it has not seen stay.
    #[inline]
    pub(crate) fn visit(&mut self, mut visit: impl FnMut(EventRef<'_>)) {
        let queue = Visiting(self);
        let Self { queued, next, runs, run, .. } = &mut *queue.0;
        for index in *run..runs.len() {
            let stop = runs.get(index + 1).map_or(queued.len(), |later| later.start);
            let Some(Run { origin, .. }) = runs.get(index) else { continue };
            for event in queued.get(*next..stop).unwrap_or_default() {
                *next += 1;
                if let Some(Queued { sequence, kind }) = event {
                    visit(origin.event(*sequence, kind));
                }
            }
        }
    }

    pub(crate) fn clear(&mut self) {
        self.next = self.queued.len();
        self.after_polling();
    }

    /// Drops all entries. The most frequent events own nothing: forgetting is cheaper than dropping them.
    #[inline]
    fn clear_queued(&mut self) {
        while let Some(last) = self.queued.last() {
            let owns_nothing = match last {
                Some(Queued { kind: EventKind::AttributeChanged { .. }, .. }) => true,
                Some(Queued { kind: EventKind::EffectExecuted { context_tags, .. }, .. }) => {
                    context_tags.is_empty()
                }
                _ => false,
            };
            match owns_nothing {
                true => core::mem::forget(self.queued.pop()),
                false => drop(self.queued.pop()),
            }
        }
    }

    /// Starts again at the first index if all events are polled, which drops visited ones.
    #[inline]
    fn after_polling(&mut self) {
        if self.next < self.queued.len() {
            return self.remove_polled();
        }
        self.clear_queued();
        self.runs.clear();
        (self.next, self.run, self.version) = (0, 0, NO_VERSION);
    }

    /// Removes all events, also those that the iterator does not visit.
    pub(crate) fn drain(&mut self) -> Drain<'_> {
        Drain(self)
    }

    /// All events, without removing them.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = EventRef<'_>> {
        let mut runs = self.runs.get(self.run..).unwrap_or_default();
        let queued = self.queued.get(self.next..).unwrap_or_default();
        queued.iter().enumerate().map(move |(at, queued)| {
            while let [_, later @ ..] = runs
                && later.first().is_some_and(|run| run.start <= self.next + at)
            {
                runs = later;
            }
            let (run, queued) = (runs.first(), queued.as_ref());
            let (run, queued) = run.zip(queued).expect("an event is queued with its run");
            run.origin.event(queued.sequence, &queued.kind)
        })
    }
}

/// A queue whose events are being visited. When dropped, also after a panic of the visitor, it removes those
/// before `next`.
struct Visiting<'a>(&'a mut EventQueue);

impl Drop for Visiting<'_> {
    #[inline]
    fn drop(&mut self) {
        let EventQueue { queued, next, .. } = &mut *self.0;
        if *next < queued.len() {
            queued[..*next].fill_with(|| None);
        }
        self.0.after_polling();
    }
}

impl Origin {
    /// An event of this origin.
    #[inline]
    pub(crate) fn event<'a>(&'a self, sequence: u64, kind: &'a EventKind) -> EventRef<'a> {
        let Self { time, cause, prediction } = self;
        EventRef { sequence, time: *time, cause, prediction: *prediction, kind }
    }
}

/// Events from elsewhere, each a run of its own.
impl Extend<Event> for EventQueue {
    fn extend<I: IntoIterator<Item = Event>>(&mut self, events: I) {
        for Event { sequence, time, cause, prediction, kind } in events {
            self.push_alone(sequence, || kind, Origin { time, cause, prediction });
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
    use std::panic::{AssertUnwindSafe, catch_unwind};

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

    /// Two events of one operation, one of the next, and two later with a gap in the sequence numbers.
    fn events() -> Vec<Event> {
        vec![event(5, 1, 0), event(6, 1, 0), event(7, 2, 0), event(8, 2, 9), event(10, 2, 9)]
    }

    fn push(queue: &mut EventQueue, version: u64, event: Event) {
        let Event { sequence, time, cause, prediction, kind } = event;
        queue.push(sequence, version, || kind, || Origin { time, cause, prediction });
    }

    /// A version for each operation and time.
    fn queue() -> EventQueue {
        let mut queue = EventQueue::default();
        events()
            .into_iter()
            .zip([1, 1, 2, 3, 3])
            .for_each(|(event, version)| push(&mut queue, version, event));
        queue
    }

    fn copies(queue: &EventQueue) -> Vec<Event> {
        queue.iter().map(Event::from).collect()
    }

    fn visited(queue: &mut EventQueue) -> Vec<Event> {
        let mut visited = Vec::new();
        queue.visit(|event| visited.push(event.to_owned()));
        visited
    }

    #[test]
    fn events_are_popped_and_visited_as_pushed() {
        assert_eq!(copies(&queue()), events());
        assert_eq!(visited(&mut queue()), events());
        assert!(queue().drain().eq(events()));
        let mut queue = queue();
        assert_eq!(queue.runs.len(), 3);
        assert!(core::iter::from_fn(|| queue.pop()).eq(events()));
        assert!(queue.runs.is_empty());
        queue.extend(events());
        assert_eq!(copies(&queue), events());
        assert_eq!(visited(&mut queue), events());
        assert_eq!((queue.len(), queue.runs.len(), queue.pop()), (0, 0, None));
    }

    #[test]
    fn rest_of_a_run_keeps_its_sequence_numbers() {
        let mut queue = queue();
        queue.pop();
        assert_eq!(queue.iter().next().map(Event::from), Some(event(6, 1, 0)));
        assert_eq!((queue.len(), queue.iter().len()), (4, 4));
        assert_eq!(visited(&mut queue.clone()), events()[1..]);
        drop(queue.drain());
        assert_eq!((queue.len(), queue.runs.len()), (0, 0));
    }

    #[test]
    fn leaked_drain_leaves_the_rest_in_order() {
        let mut queue = queue();
        let mut taken = queue.drain();
        assert_eq!(taken.next(), Some(event(5, 1, 0)));
        core::mem::forget(taken);
        assert_eq!(copies(&queue), events()[1..]);
        assert!(queue.drain().eq(events().into_iter().skip(1)));
    }

    /// The event that the visitor failed at is not seen again, those after it are seen once, and the queue
    /// can be used further.
    #[test]
    fn panic_of_the_visitor_leaves_the_unseen_events() {
        for failing in 0..events().len() {
            let mut queue = queue();
            let mut seen = 0;
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                queue.visit(|_| {
                    seen += 1;
                    assert!(seen <= failing, "the visitor fails");
                });
            }));
            assert!(outcome.is_err());
            let rest = events().split_off(failing + 1);
            assert_eq!((copies(&queue), queue.len()), (rest.clone(), rest.len()));
            push(&mut queue, 3, event(11, 2, 9));
            let rest: Vec<Event> = rest.into_iter().chain([event(11, 2, 9)]).collect();
            assert_eq!(visited(&mut queue), rest);
            assert!(queue.queued.is_empty());
        }
    }

    /// A host that polls fewer events than are emitted at a time, and never empties the queue.
    #[test]
    fn room_of_polled_events_is_reused() {
        let mut queue = EventQueue::default();
        let (mut pushed, mut popped) = (0, 0);
        for round in 0..1_000 {
            while pushed - popped < 5 + round % 7 {
                push(&mut queue, pushed / 3, event(pushed, pushed / 3, 0));
                pushed += 1;
            }
            for _ in 0..3 {
                assert_eq!(queue.pop(), Some(event(popped, popped / 3, 0)));
                popped += 1;
            }
            let left: Vec<Event> = (popped..pushed).map(|at| event(at, at / 3, 0)).collect();
            assert_eq!(copies(&queue), left);
        }
        assert!(queue.queued.capacity() <= 64, "{}", queue.queued.capacity());
        assert!(queue.runs.len() <= 32, "{}", queue.runs.len());
    }

    #[test]
    fn event_size_is_pinned() {
        assert!(size_of::<EventKind>() <= 56, "{}", size_of::<EventKind>());
        assert_eq!(size_of::<Option<Queued>>(), size_of::<u64>() + size_of::<EventKind>());
    }
}
