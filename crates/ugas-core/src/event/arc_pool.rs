//! Pool of shared event data: refusals are too large to be inside an event, and boxing each would allocate.

use std::sync::Arc;

/// Values shared with events, reused as soon as no event holds them: a host that polls and drops its events
/// causes no allocations (I6).
#[derive(Debug)]
pub(crate) struct ArcPool<T> {
    given: Vec<Arc<T>>,
    /// Index to try next: values are usually returned in the order in which they were given out.
    next: usize,
    /// Largest number of waiting events during the current turn.
    most: usize,
}

/// Number of values kept even if few events wait.
const SPARE: usize = 64;

impl<T> Default for ArcPool<T> {
    fn default() -> Self {
        Self { given: Vec::new(), next: 0, most: 0 }
    }
}

/// A copy of a simulation starts with an empty pool.
impl<T> Clone for ArcPool<T> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<T: Clone> ArcPool<T> {
    /// A shared copy of a value, while `waiting` events are queued.
    pub(crate) fn share(&mut self, value: &T, waiting: usize) -> Arc<T> {
        self.share_with(waiting, |free| free.clone_from(value), || value.clone())
    }
}

impl<T> ArcPool<T> {
    /// A shared value, while `waiting` events are queued: an unused one that `overwrite` fills, or a new one. The
    /// pool holds hardly more values than that; a value still in use by then is left to its holder.
    pub(crate) fn share_with(
        &mut self,
        waiting: usize,
        overwrite: impl FnOnce(&mut T),
        create: impl FnOnce() -> T,
    ) -> Arc<T> {
        self.most = self.most.max(waiting);
        if self.next >= self.given.len() {
            // After a flood: values that were unused for a whole turn are freed.
            self.given.truncate(SPARE.max(2 * self.most));
            (self.next, self.most) = (0, 0);
        }
        let are_many = self.given.len() > waiting;
        let Some(given) = self.given.get_mut(self.next) else { return self.add(create()) };
        if let Some(free) = Arc::get_mut(given) {
            overwrite(free);
        } else if are_many {
            *given = Arc::new(create());
        } else {
            return self.add(create());
        }
        self.next += 1;
        Arc::clone(given)
    }

    /// Adds a new value to the pool and shares it.
    fn add(&mut self, value: T) -> Arc<T> {
        let new = Arc::new(value);
        self.given.push(Arc::clone(&new));
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shares `count` values at once, drops them, and returns their addresses.
    fn round(shared: &mut ArcPool<usize>, count: usize) -> Vec<*const usize> {
        let given: Vec<_> = (0..count).map(|at| shared.share(&at, at)).collect();
        assert!(given.iter().enumerate().all(|(at, given)| **given == at));
        given.iter().map(Arc::as_ptr).collect()
    }

    #[test]
    fn returned_value_is_reused() {
        let mut shared = ArcPool::default();
        let mut first = round(&mut shared, 5);
        first.sort_unstable();
        for count in [5, 3, 4, 5, 1, 5] {
            let again = round(&mut shared, count);
            assert!(again.iter().all(|place| first.binary_search(place).is_ok()), "{count}");
        }
        assert_eq!(shared.given.len(), 5);
    }

    /// A constant number per frame keeps its values.
    #[test]
    fn steady_load_keeps_its_values() {
        let mut shared = ArcPool::default();
        let mut first = round(&mut shared, 1_000);
        first.sort_unstable();
        for _ in 0..10 {
            assert!(round(&mut shared, 1_000).iter().all(|place| first.binary_search(place).is_ok()));
        }
    }

    #[test]
    fn memory_is_freed_after_a_flood() {
        let mut shared = ArcPool::default();
        round(&mut shared, 10_000);
        assert!(shared.given.len() >= 10_000);
        // The turn of the flood, and one without it.
        (0..=20_000).for_each(|_| drop(round(&mut shared, 1)));
        assert!(shared.given.len() <= SPARE, "{}", shared.given.len());
    }

    #[test]
    fn held_value_is_neither_changed_nor_waited_for() {
        let mut shared = ArcPool::default();
        let kept: Vec<_> = (0..100).map(|value: usize| shared.share(&value, 1)).collect();
        assert!(kept.iter().enumerate().all(|(at, kept)| **kept == at));
        assert!(shared.given.len() <= 3, "{}", shared.given.len());
    }
}
