//! Stamps: parts of a record that a copy leaves out while both sides have the same content (I5).
//!
//! A hit changes the values of a controller, and neither its modifiers nor its tags nor its abilities. The arena knows
//! which records changed; stamps tell which of their lists did.

use core::cell::Cell;
use core::fmt;
use core::ops::{Deref, DerefMut};
use core::sync::atomic::{AtomicU64, Ordering};

use crate::hash::{HashSink, StateHash};

/// Stamp of content that was written since it was copied last; never counts as equal.
const WRITTEN: u64 = 0;

/// Number of stamps that a thread takes at once, so that threads do not wait for each other.
const BLOCK: u64 = 1 << 20;

/// First stamp of the next block.
static NEXT_BLOCK: AtomicU64 = AtomicU64::new(BLOCK);

/// A part with a stamp: a number that is unique in the process, shared by a part and its copies until one of
/// them is borrowed mutably. The stamp is neither hashed nor encoded nor compared.
#[derive(Default)]
pub(crate) struct Stamped<T> {
    value: T,
    stamp: AtomicU64,
}

impl<T> Stamped<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self { value, stamp: AtomicU64::new(WRITTEN) }
    }

    /// The stamp of the content, which is given one if it was written. Threads that copy at once may each give it
    /// another one: all of them stand for the same content.
    fn stamp(&self) -> u64 {
        // Relaxed is enough: a writer has exclusive access, and so has seen this store.
        match self.stamp.load(Ordering::Relaxed) {
            WRITTEN => {
                let stamp = next_stamp();
                self.stamp.store(stamp, Ordering::Relaxed);
                stamp
            }
            stamp => stamp,
        }
    }
}

/// A stamp that no other content of the process has.
fn next_stamp() -> u64 {
    thread_local! {
        static NEXT: Cell<u64> = const { Cell::new(0) };
    }
    NEXT.with(|next| {
        let mut stamp = next.get();
        if stamp % BLOCK == 0 {
            stamp = NEXT_BLOCK.fetch_add(BLOCK, Ordering::Relaxed);
        }
        next.set(stamp + 1);
        stamp
    })
}

impl<T> Deref for Stamped<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Stamped<T> {
    /// The part counts as written, whether it is or not.
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        *self.stamp.get_mut() = WRITTEN;
        &mut self.value
    }
}

impl<T: Clone> Clone for Stamped<T> {
    fn clone(&self) -> Self {
        let stamp = AtomicU64::new(self.stamp());
        Self { value: self.value.clone(), stamp }
    }

    /// Copies nothing if both have the same content. Otherwise reuses the memory (I6).
    #[inline]
    fn clone_from(&mut self, source: &Self) {
        let mine = *self.stamp.get_mut();
        if mine == WRITTEN || mine != source.stamp.load(Ordering::Relaxed) {
            // A panic in between leaves a part that counts as written.
            (**self).clone_from(&source.value);
            *self.stamp.get_mut() = source.stamp();
        }
    }
}

impl<T> From<T> for Stamped<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: PartialEq> PartialEq for Stamped<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T: fmt::Debug> fmt::Debug for Stamped<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

impl<T: StateHash> StateHash for Stamped<T> {
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        self.value.state_hash(hasher);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A value that counts how often it was copied.
    #[derive(Debug, Default)]
    struct Counted {
        number: u32,
        copies: u32,
    }

    impl Clone for Counted {
        fn clone(&self) -> Self {
            Self { number: self.number, copies: 1 }
        }

        fn clone_from(&mut self, source: &Self) {
            self.number = source.number;
            self.copies += 1;
        }
    }

    #[test]
    fn only_parts_written_since_are_copied() {
        let mut live = Stamped::new(Counted { number: 1, copies: 0 });
        let mut kept = Stamped::<Counted>::default();
        kept.clone_from(&live);
        kept.clone_from(&live);
        live.clone_from(&kept);
        assert_eq!((kept.number, kept.copies, live.copies), (1, 1, 0));
        live.number = 2;
        kept.clone_from(&live);
        kept.clone_from(&live);
        assert_eq!((kept.number, kept.copies), (2, 2));
        // And back: later writes are overwritten, on either side.
        live.number = 3;
        live.clone_from(&kept);
        assert_eq!((live.number, live.copies), (2, 1));
        kept.number = 4;
        live.clone_from(&kept);
        assert_eq!((live.number, live.copies), (4, 2));
    }

    #[test]
    fn parts_written_on_both_sides_differ() {
        let mut one = Stamped::new(Counted { number: 1, copies: 0 });
        let mut other = one.clone();
        one.number = 2;
        other.number = 3;
        one.clone_from(&other);
        assert_eq!(one.number, 3);
        // Never copied, and equal by chance.
        let (mut first, second) = (Stamped::new(Counted::default()), Stamped::new(Counted::default()));
        first.clone_from(&second);
        assert_eq!(first.copies, 1);
    }

    #[test]
    fn stamps_of_threads_differ() {
        let other = std::thread::spawn(|| (0..3).map(|_| next_stamp()).collect::<Vec<_>>());
        let mut all: Vec<u64> = (0..3).map(|_| next_stamp()).chain(other.join().unwrap()).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 6);
    }
}
