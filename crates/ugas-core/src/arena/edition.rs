//! Which copies of a place are the same, so that copying an arena over an older copy costs what has changed (I5).
//!
//! Whatever writes to a place marks it with the present edition of its arena. An edition is a number that no other arena of
//! the process has or had. Once an arena is copied its edition is over, and so nothing is ever written under a number that
//! stands in two arenas: where two have the same number at a place, they have the same there.
//!
//! Editions are neither hashed nor written, and no result depends on them; only how much is copied does.

use core::sync::atomic::{AtomicU64, Ordering};

/// The next edition; 0 is none, and nobody is to have it in common.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// The edition of each place of an arena.
pub(super) struct Editions {
    of: Vec<u64>,
    /// That of the next write; 0 until there is one.
    present: AtomicU64,
}

impl Editions {
    pub(super) const fn new() -> Self {
        Self { of: Vec::new(), present: AtomicU64::new(0) }
    }

    /// Of `count` places that were all just written.
    pub(super) fn fresh(count: usize) -> Self {
        let mut editions = Self::new();
        editions.mark_all(count);
        editions
    }

    /// A place was written, or may be from here on.
    #[inline]
    pub(super) fn mark(&mut self, at: usize) {
        let present = self.present();
        if let Some(edition) = self.of.get_mut(at) {
            *edition = present;
        }
    }

    /// There is a place more.
    pub(super) fn push(&mut self) {
        let present = self.present();
        self.of.push(present);
    }

    /// All of `count` places were written, or may be.
    pub(super) fn mark_all(&mut self, count: usize) {
        let present = self.present();
        self.of.clear();
        self.of.resize(count, present);
    }

    #[inline]
    fn present(&mut self) -> u64 {
        match *self.present.get_mut() {
            0 => self.begin(),
            present => present,
        }
    }

    #[cold]
    fn begin(&mut self) -> u64 {
        let present = NEXT.fetch_add(1, Ordering::Relaxed);
        *self.present.get_mut() = present;
        present
    }

    /// Makes these the editions of a copy of `source`, and tells of every place of it that has to be copied, by index. A place
    /// has the number of what was copied once that is done, whatever becomes of the rest.
    pub(super) fn follow(&mut self, source: &Self, mut copy: impl FnMut(usize)) {
        // What is written there from now on is not what is copied here.
        source.end();
        self.of.truncate(source.of.len());
        for (at, &theirs) in source.of.iter().enumerate() {
            match self.of.get_mut(at) {
                Some(mine) if *mine == theirs => {}
                Some(mine) => {
                    // Neither the old nor the new, until it is copied.
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

    /// Room for so many more places.
    pub(super) fn reserve(&mut self, places: usize) {
        self.of.reserve_exact(places);
    }

    /// What is there now is no longer to be found here alone.
    fn end(&self) {
        // No order is needed: whoever writes has the arena for itself, and so has seen this.
        self.present.store(0, Ordering::Relaxed);
    }
}

impl Clone for Editions {
    fn clone(&self) -> Self {
        self.end();
        Self { of: self.of.clone(), present: AtomicU64::new(0) }
    }
}

/// They say nothing about what is there.
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
    fn only_what_was_written_since_is_copied() {
        let mut live = Editions::fresh(4);
        let mut kept = Editions::new();
        assert_eq!(copied(&mut kept, &live), [0, 1, 2, 3]);
        assert_eq!(copied(&mut kept, &live), []);
        live.mark(2);
        live.push();
        live.mark(9); // nowhere
        assert_eq!(copied(&mut kept, &live), [2, 4]);
        // And back: what was written since is written over.
        live.mark(0);
        assert_eq!(copied(&mut live, &kept), [0]);
    }

    #[test]
    fn copies_that_go_on_apart_never_meet() {
        let mut one = Editions::fresh(2);
        let mut other = one.clone();
        one.mark(0);
        other.mark(0);
        assert_eq!(copied(&mut one.clone(), &other), [0]);
        // Written under a new number, although nothing was written in between under the old one.
        let kept = one.clone();
        one.mark(1);
        assert_eq!(copied(&mut one, &kept), [1]);
    }
}
