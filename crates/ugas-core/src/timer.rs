//! Timers that fire at their own instant, in a defined order (V4).
//!
//! A hierarchical timing wheel: level 0 has 64 slots of one microsecond, every further level 64 slots of the whole
//! length of the level below, so that 11 levels span all of `u64`. A timer sits at the level of the highest 6-bit
//! group in which its time differs from the wheel's position. The earliest timer is therefore in the first occupied
//! slot of the lowest occupied level, which a bit map per level finds at once: a step in which nothing is due costs
//! the same with one timer and with a million (I5).
//!
//! The internal layout depends on the history of the wheel; the order in which timers fire does not.

use core::cmp::Reverse;
use core::fmt;
use core::num::NonZeroU32;
use std::collections::BinaryHeap;

use crate::time::Time;

/// Key of a timer, to cancel it. Harmless once the timer has fired or was cancelled.
///
/// Timers are derived from their owners' state, and keys depend on the history of the wheel: do not hash or compare
/// states by their keys.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct TimerKey {
    index: u32,
    generation: NonZeroU32,
}

/// Timers by (time, payload).
///
/// The payload says what the timer is for. Its order decides between timers of one instant, whatever the
/// order in which they were scheduled. Scheduling and cancelling take constant time and do not allocate while
/// the number of timers stays below its past maximum (I6).
///
/// ```
/// use ugas_core::{time::Time, timer::TimerWheel};
///
/// let mut wheel = TimerWheel::new(Time::ZERO);
/// let second = Time::from_seconds(1.0);
/// wheel.schedule(second, 'b');
/// wheel.schedule(second, 'a');
/// assert_eq!(wheel.pop_due(Time::from_seconds(5.0)), Some((second, 'a')));
/// assert_eq!(wheel.now(), second);
/// ```
pub struct TimerWheel<P> {
    now: u64,
    /// Reference time of the levels: never after `now`, nor after any timer. It may stay behind `now` while
    /// nothing fires, which avoids moving the timers of a slot that has begun but has nothing due yet.
    position: u64,
    nodes: Vec<Node<P>>,
    first_free: u32,
    len: u32,
    slots: Box<[Slot; SLOTS]>,
    /// A bit for every slot that holds a timer, one `u64` per level.
    occupancy: [u64; LEVELS],
    /// A bit for every level whose `occupancy` is not zero.
    levels: u32,
    /// The timers of the instant being drained, last to fire first; cancelled ones are recognised by their
    /// stale key. Sorting all at once is cheaper than a heap.
    due: Vec<(P, TimerKey)>,
    /// Timers that were scheduled for that instant after it began.
    late: BinaryHeap<Reverse<(P, TimerKey)>>,
    /// Number of timers in `due` and `late` that were not cancelled. Their time is `now`.
    due_len: u32,
}

impl<P: Copy + Ord> TimerWheel<P> {
    /// An empty wheel at this instant.
    pub fn new(now: Time) -> Self {
        Self {
            now: now.micros(),
            position: now.micros(),
            nodes: Vec::new(),
            first_free: NONE,
            len: 0,
            slots: Box::new([EMPTY_SLOT; SLOTS]),
            occupancy: [0; LEVELS],
            levels: 0,
            due: Vec::new(),
            late: BinaryHeap::new(),
            due_len: 0,
        }
    }

    /// Removes all timers and moves to an instant, which may lie in the past; keeps the memory. Earlier keys
    /// must not be used any more: they may refer to other timers.
    pub(crate) fn restart(&mut self, now: Time) {
        let Self {
            now: present,
            position,
            nodes,
            first_free,
            len,
            slots,
            occupancy,
            levels,
            due,
            late,
            due_len,
        } = self;
        (*present, *position) = (now.micros(), now.micros());
        nodes.clear();
        (*first_free, *len, *due_len) = (NONE, 0, 0);
        slots.fill(EMPTY_SLOT);
        (*occupancy, *levels) = ([0; LEVELS], 0);
        due.clear();
        late.clear();
    }

    /// The instant up to which timers have fired.
    pub const fn now(&self) -> Time {
        Time::from_micros(self.now)
    }

    /// Number of pending timers.
    pub const fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether no timer is pending.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds a timer; one for the past fires now. Equal timers are kept apart.
    ///
    /// # Panics
    /// If 2³² − 1 timers are pending; memory runs out long before.
    pub fn schedule(&mut self, at: Time, payload: P) -> TimerKey {
        let time = at.micros().max(self.now);
        let index = self.acquire(time, payload);
        self.link(index);
        self.len += 1;
        TimerKey { index, generation: self.nodes[index as usize].generation }
    }

    /// Removes a timer; `false` if it is not pending any more.
    pub fn cancel(&mut self, key: TimerKey) -> bool {
        if !self.is_pending(key) {
            return false;
        }
        if self.nodes[key.index as usize].place == DUE {
            self.due_len -= 1;
        } else {
            self.unlink(key.index);
        }
        self.release(key.index);
        true
    }

    /// Removes and returns the first timer, by (time, payload), that is due at `until` or earlier, and moves
    /// to its instant. Without one, moves to `until` and returns `None`.
    ///
    /// Timers scheduled between two calls take part: one for the current instant fires in its order among
    /// those of that instant that are still pending.
    pub fn pop_due(&mut self, until: Time) -> Option<(Time, P)> {
        let until = until.micros();
        if until < self.now {
            return None;
        }
        // While an instant is being drained, only timers added for that instant may join.
        let mut limit = self.now;
        if self.due_len == 0 {
            limit = until;
            self.due.clear();
            self.late.clear();
        }
        while let Some(place) = self.first_place().filter(|&place| self.slots[place].earliest <= limit) {
            self.position = self.slots[place].earliest;
            if self.due_len == 0 && self.is_single(place) {
                return Some(self.take_single(place));
            }
            if level_of(place) == 0 {
                self.now = self.position;
                self.collect_due(place);
                break;
            }
            self.cascade(place);
        }
        if let Some(payload) = self.pop_collected() {
            return Some((self.now(), payload));
        }
        self.now = until;
        self.catch_up();
        None
    }

    /// Time of the first timer.
    ///
    /// Constant time, unless the first timer was cancelled and none has fired since: then it searches the
    /// slot.
    pub fn next_time(&self) -> Option<Time> {
        if self.due_len > 0 {
            return Some(self.now());
        }
        let slot = &self.slots[self.first_place()?];
        if slot.at_earliest > 0 {
            return Some(Time::from_micros(slot.earliest));
        }
        self.times(slot.first).min().map(Time::from_micros)
    }
}

impl<P: Copy> Clone for TimerWheel<P> {
    fn clone(&self) -> Self {
        Self {
            nodes: self.nodes.clone(),
            slots: self.slots.clone(),
            due: self.due.clone(),
            late: self.late.clone(),
            occupancy: self.occupancy,
            ..*self
        }
    }

    /// Keeps the allocations (I6).
    fn clone_from(&mut self, source: &Self) {
        let Self { now, position, nodes, first_free, len, slots, occupancy, levels, due, late, due_len } =
            self;
        *now = source.now;
        *position = source.position;
        nodes.clone_from(&source.nodes);
        *first_free = source.first_free;
        *len = source.len;
        // The list head of an empty slot is never read, and most slots are empty on both sides.
        for (level, (mine, theirs)) in occupancy.iter().zip(&source.occupancy).enumerate() {
            let mut either = mine | theirs;
            while either != 0 {
                let place = (level << LEVEL_BITS) | either.trailing_zeros() as usize;
                slots[place] = source.slots[place];
                either &= either - 1;
            }
        }
        (*occupancy, *levels) = (source.occupancy, source.levels);
        due.clone_from(&source.due);
        late.clone_from(&source.late);
        *due_len = source.due_len;
    }
}

impl<P> fmt::Debug for TimerWheel<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let now = Time::from_micros(self.now);
        f.debug_struct("TimerWheel").field("now", &now).field("len", &self.len).finish_non_exhaustive()
    }
}

/// Bits of the time per level.
const LEVEL_BITS: u32 = 6;
const LEVELS: usize = 11;
const SLOTS: usize = LEVELS << LEVEL_BITS;
/// End of a node list.
const NONE: u32 = u32::MAX;
/// `place` of a node in `due` or `late`.
const DUE: u16 = u16::MAX;
/// `place` of a free node.
const FREE: u16 = u16::MAX - 1;
const EMPTY_SLOT: Slot = Slot { earliest: 0, first: NONE, at_earliest: 0 };

#[derive(Clone, Copy)]
struct Node<P> {
    time: u64,
    /// Neighbours in the list of the slot; `next` also links the free nodes.
    previous: u32,
    next: u32,
    generation: NonZeroU32,
    /// Slot of the node: level × 64 + number.
    place: u16,
    payload: P,
}

#[derive(Clone, Copy)]
struct Slot {
    /// The time of the earliest timer, or a bound below it if `at_earliest` is 0; in either case a time of this slot.
    earliest: u64,
    first: u32,
    /// Number of timers of this slot at that time.
    at_earliest: u32,
}

/// The level of a slot.
const fn level_of(place: usize) -> usize {
    place >> LEVEL_BITS
}

/// The slot for `time` in a wheel at `position`.
const fn place_of(time: u64, position: u64) -> usize {
    let slot_mask = (1 << LEVEL_BITS) - 1;
    // The mask makes equal times differ in level 0.
    let level = ((time ^ position) | slot_mask).ilog2() / LEVEL_BITS;
    ((level as usize) << LEVEL_BITS) | ((time >> (level * LEVEL_BITS)) & slot_mask) as usize
}

impl<P: Copy> TimerWheel<P> {
    /// Whether the timer of a key has neither fired nor been cancelled.
    fn is_pending(&self, key: TimerKey) -> bool {
        self.nodes
            .get(key.index as usize)
            .is_some_and(|node| node.generation == key.generation && node.place != FREE)
    }

    /// Takes a free node, or appends one, for a timer that is not linked yet.
    fn acquire(&mut self, time: u64, payload: P) -> u32 {
        let fresh =
            Node { time, previous: NONE, next: NONE, generation: NonZeroU32::MIN, place: FREE, payload };
        let index = self.first_free;
        if let Some(node) = self.nodes.get_mut(index as usize) {
            self.first_free = node.next;
            *node = Node { generation: node.generation, ..fresh };
            return index;
        }
        let index = u32::try_from(self.nodes.len()).ok().filter(|&index| index != NONE);
        self.nodes.push(fresh);
        index.expect("a wheel holds fewer than 2^32 - 1 timers")
    }

    /// Frees a node, which must not be linked any more: its key is stale from now on.
    fn release(&mut self, index: u32) {
        self.len -= 1;
        let node = &mut self.nodes[index as usize];
        node.place = FREE;
        // A node without generations left is not reused: old keys would become valid again.
        if let Some(generation) = node.generation.checked_add(1) {
            node.generation = generation;
            node.next = self.first_free;
            self.first_free = index;
        }
    }

    /// Puts a node at the head of the list of its slot, as seen from the current position.
    fn link(&mut self, index: u32) {
        let node = &mut self.nodes[index as usize];
        let time = node.time;
        let place = place_of(time, self.position);
        let slot = &mut self.slots[place];
        node.place = place as u16;
        node.previous = NONE;
        node.next = slot.first;
        let is_first = slot.first == NONE;
        if !is_first {
            self.nodes[slot.first as usize].previous = index;
        }
        slot.first = index;
        if is_first || time < slot.earliest {
            slot.earliest = time;
            slot.at_earliest = 1;
        } else if time == slot.earliest {
            slot.at_earliest += 1;
        }
        self.occupancy[level_of(place)] |= 1 << (place & 63);
        self.levels |= 1 << level_of(place);
    }

    /// Takes a node out of the list of its slot. The `earliest` of the slot stays as a lower bound.
    fn unlink(&mut self, index: u32) {
        let Node { time, previous, next, place, .. } = self.nodes[index as usize];
        let place = usize::from(place);
        let slot = &mut self.slots[place];
        if time == slot.earliest {
            slot.at_earliest -= 1;
        }
        if next != NONE {
            self.nodes[next as usize].previous = previous;
        }
        if previous != NONE {
            self.nodes[previous as usize].next = next;
        } else {
            slot.first = next;
            if next == NONE {
                self.vacate(place);
            }
        }
    }

    /// The slot with the earliest timers. Levels and slots before it are empty, because a timer shares with the
    /// position every group of bits above its level, and is ahead of it within its level.
    fn first_place(&self) -> Option<usize> {
        let level = self.levels.trailing_zeros() as usize;
        let slots = self.occupancy.get(level)?;
        Some((level << LEVEL_BITS) | slots.trailing_zeros() as usize)
    }

    /// Clears the bits of a slot that holds no timer any more.
    fn vacate(&mut self, place: usize) {
        let slots = &mut self.occupancy[level_of(place)];
        *slots &= !(1 << (place & 63));
        self.levels &= !(u32::from(*slots == 0) << level_of(place));
    }

    /// Empties a slot and returns the head of its former list.
    fn take_slot(&mut self, place: usize) -> u32 {
        self.vacate(place);
        core::mem::replace(&mut self.slots[place], EMPTY_SLOT).first
    }

    /// Moves the timers of a slot, which the position has just entered, to lower levels. A timer moves down
    /// at most ten times, so the cost per timer is bounded.
    fn cascade(&mut self, place: usize) {
        let mut index = self.take_slot(place);
        while index != NONE {
            let next = self.nodes[index as usize].next;
            self.link(index);
            index = next;
        }
    }

    /// Whether a slot has a single timer, at its `earliest`: the usual case, which needs neither moving nor
    /// sorting.
    fn is_single(&self, place: usize) -> bool {
        let Slot { first, at_earliest, .. } = self.slots[place];
        at_earliest == 1 && self.nodes.get(first as usize).is_some_and(|node| node.next == NONE)
    }

    /// Fires the only timer of a slot and moves to its instant.
    fn take_single(&mut self, place: usize) -> (Time, P) {
        let index = self.take_slot(place);
        self.release(index);
        let Node { time, payload, .. } = self.nodes[index as usize];
        self.now = time;
        (Time::from_micros(time), payload)
    }

    /// Times of the timers in a list.
    fn times(&self, first: u32) -> impl Iterator<Item = u64> {
        let node = |index: u32| self.nodes.get(index as usize);
        core::iter::successors(node(first), move |&current| node(current.next)).map(|node| node.time)
    }

    /// Advances the position to now, unless the first occupied slot has begun: then the position stays, so
    /// that every timer stays in its slot.
    fn catch_up(&mut self) {
        let begin = self.first_place().map(|place| {
            let span = LEVEL_BITS * level_of(place) as u32;
            (self.slots[place].earliest >> span) << span
        });
        if begin.is_none_or(|begin| self.now < begin) {
            self.position = self.now;
        }
    }
}

impl<P: Copy + Ord> TimerWheel<P> {
    /// Moves the timers of a level-0 slot, all of one instant, to `due`, or to `late` if that instant is
    /// already being drained.
    fn collect_due(&mut self, place: usize) {
        let is_begun = !self.due.is_empty();
        let mut index = self.take_slot(place);
        while index != NONE {
            let node = &mut self.nodes[index as usize];
            node.place = DUE;
            let entry = (node.payload, TimerKey { index, generation: node.generation });
            index = node.next;
            if is_begun {
                self.late.push(Reverse(entry));
            } else {
                self.due.push(entry);
            }
            self.due_len += 1;
        }
        if !is_begun {
            self.due.sort_unstable_by(|one, other| other.cmp(one));
        }
    }

    /// Removes and returns the next timer of the instant being drained, by payload. Cancelled ones are
    /// skipped; `None` once the instant is drained.
    fn pop_collected(&mut self) -> Option<P> {
        loop {
            let late_is_next = match (self.late.peek(), self.due.last()) {
                (Some(Reverse(late)), Some(due)) => late < due,
                (late, _) => late.is_some(),
            };
            let next =
                if late_is_next { self.late.pop().map(|Reverse(entry)| entry) } else { self.due.pop() };
            let (payload, key) = next?;
            if self.is_pending(key) {
                self.due_len -= 1;
                self.release(key.index);
                return Some(payload);
            }
        }
    }
}

#[cfg(test)]
mod tests;
