//! Editions: write stamps of slots, so that copying an arena over an older copy costs only what has changed
//! (I5).
//!
//! Each write to a slot stamps it with the current edition of its arena, a number unique in the process.
//! Copying an arena ends its edition, so nothing is written under a number that two arenas share: equal
//! numbers in a slot mean equal content.
//!
//! Editions are neither hashed nor encoded. No result depends on them, only how much is copied.

use core::sync::atomic::{AtomicU64, Ordering};

/// The next edition. 0 means none and never counts as equal.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// The edition of each slot of an arena.
pub(super) struct Editions {
    of: Vec<u64>,
    /// Edition of the next write; 0 until there is one.
    present: AtomicU64,
}

impl Editions {
    pub(super) const fn new() -> Self {
        Self { of: Vec::new(), present: AtomicU64::new(0) }
    }

    /// Editions of `count` slots that were all just written.
    pub(super) fn fresh(count: usize) -> Self {
        let mut editions = Self::new();
        editions.mark_all(count);
        editions
    }

    /// Stamps a slot that was or may be written.
    #[inline]
    pub(super) fn mark(&mut self, at: usize) {
        let present = self.present();
        if let Some(edition) = self.of.get_mut(at) {
            *edition = present;
        }
    }

    /// Appends a slot.
    pub(super) fn push(&mut self) {
        let present = self.present();
        self.of.push(present);
    }

    /// Stamps all of `count` slots.
    pub(super) fn mark_all(&mut self, count: usize) {
        let present = self.present();
        self.of.clear();
        self.of.resize(count, present);
    }

    /// The current edition; begins one if the last has ended.
    #[inline]
    fn present(&mut self) -> u64 {
        match *self.present.get_mut() {
            0 => self.begin(),
            present => present,
        }
    }

    /// Begins an edition with a number that no arena of the process has used.
    #[cold]
    fn begin(&mut self) -> u64 {
        let present = NEXT.fetch_add(1, Ordering::Relaxed);
        *self.present.get_mut() = present;
        present
    }

    /// Takes over the editions of `source` and calls `copy` with the index of every slot that differs. A slot
    /// gets its new number only after it was copied, so that a panic in between leaves valid editions.
    pub(super) fn follow(&mut self, source: &Self, mut copy: impl FnMut(usize)) {
        // Later writes to the source must not share the numbers that are copied here.
        source.end();
        self.of.truncate(source.of.len());
        for (at, &theirs) in source.of.iter().enumerate() {
            match self.of.get_mut(at) {
                Some(mine) if *mine == theirs => {}
                Some(mine) => {
                    // Neither the old nor the new edition, until the slot is copied.
                    *mine = 0;
                    copy(at);
                    *mine = theirs;
                }
                None => {
                    copy(at);
                    self.of.push(theirs);
                }
            }
        }
    }

    /// Reserves room for more slots.
    pub(super) fn reserve(&mut self, places: usize) {
        self.of.reserve_exact(places);
    }

    /// Ends the current edition: its content now exists in a copy as well.
    fn end(&self) {
        // Relaxed is enough: a writer has exclusive access to the arena, and so has seen this store.
        self.present.store(0, Ordering::Relaxed);
    }
}

impl Clone for Editions {
    fn clone(&self) -> Self {
        self.end();
        Self { of: self.of.clone(), present: AtomicU64::new(0) }
    }
}

/// Editions say nothing about the content, so they never make arenas differ.
impl PartialEq for Editions {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Editions {}

#[cfg(test)]
mod tests {
    use super::*;

    fn copied(mine: &mut Editions, source: &Editions) -> Vec<usize> {
        let mut places = Vec::new();
        mine.follow(source, |at| places.push(at));
        places
    }

    #[test]
    fn only_slots_written_since_are_copied() {
        let mut live = Editions::fresh(4);
        let mut kept = Editions::new();
        assert_eq!(copied(&mut kept, &live), [0, 1, 2, 3]);
        assert_eq!(copied(&mut kept, &live), []);
        live.mark(2);
        live.push();
        live.mark(9); // out of range
        assert_eq!(copied(&mut kept, &live), [2, 4]);
        // And back: later writes are overwritten.
        live.mark(0);
        assert_eq!(copied(&mut live, &kept), [0]);
    }

    #[test]
    fn diverged_copies_share_no_edition() {
        let mut one = Editions::fresh(2);
        let mut other = one.clone();
        one.mark(0);
        other.mark(0);
        assert_eq!(copied(&mut one.clone(), &other), [0]);
        // Stamped with a new number, although nothing was written under the old one in between.
        let kept = one.clone();
        one.mark(1);
        assert_eq!(copied(&mut one, &kept), [1]);
    }
}
