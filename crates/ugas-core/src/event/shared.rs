//! What events share instead of owning: refusals are too large for an event, and a box for each would have to be allocated.

use std::sync::Arc;

/// Values that were given to events, written over again as soon as nobody else has them: a host that polls its events and
/// drops them pays for no allocation (I6).
#[derive(Debug)]
pub(crate) struct Shared<T> {
    given: Vec<Arc<T>>,
    /// The next to be asked for: values come back in the order in which they were given, as a rule.
    next: usize,
    /// The most events that waited since the first was asked for.
    most: usize,
}

/// So many are kept, however few events wait.
const SPARE: usize = 64;

impl<T> Default for Shared<T> {
    fn default() -> Self {
        Self { given: Vec::new(), next: 0, most: 0 }
    }
}

/// Another simulation has its own.
impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<T: Clone> Shared<T> {
    /// A copy of a value, for an event, while `waiting` events wait to be polled. There are never many more values than
    /// that: one that is not back by then is left to whoever keeps it.
    pub(crate) fn share(&mut self, value: &T, waiting: usize) -> Arc<T> {
        self.most = self.most.max(waiting);
        if self.next >= self.given.len() {
            // After a flood: what was not needed for a whole turn goes.
            self.given.truncate(SPARE.max(2 * self.most));
            (self.next, self.most) = (0, 0);
        }
        let are_many = self.given.len() > waiting;
        let Some(given) = self.given.get_mut(self.next) else { return self.add(value) };
        if let Some(free) = Arc::get_mut(given) {
            free.clone_from(value);
        } else if are_many {
            *given = Arc::new(value.clone());
        } else {
            return self.add(value);
        }
        self.next += 1;
        Arc::clone(given)
    }

    fn add(&mut self, value: &T) -> Arc<T> {
        let new = Arc::new(value.clone());
        self.given.push(Arc::clone(&new));
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many at once, which are dropped after that; where they were.
    fn round(shared: &mut Shared<usize>, count: usize) -> Vec<*const usize> {
        let given: Vec<_> = (0..count).map(|at| shared.share(&at, at)).collect();
        assert!(given.iter().enumerate().all(|(at, given)| **given == at));
        given.iter().map(Arc::as_ptr).collect()
    }

    #[test]
    fn what_comes_back_is_used_again() {
        let mut shared = Shared::default();
        let mut first = round(&mut shared, 5);
        first.sort_unstable();
        for count in [5, 3, 4, 5, 1, 5] {
            let again = round(&mut shared, count);
            assert!(again.iter().all(|place| first.binary_search(place).is_ok()), "{count}");
        }
        assert_eq!(shared.given.len(), 5);
    }

    /// Frame by frame as many as ever: nothing is given back that the next frame needs.
    #[test]
    fn many_in_every_frame_are_no_flood() {
        let mut shared = Shared::default();
        let mut first = round(&mut shared, 1_000);
        first.sort_unstable();
        for _ in 0..10 {
            assert!(round(&mut shared, 1_000).iter().all(|place| first.binary_search(place).is_ok()));
        }
    }

    #[test]
    fn after_a_flood_it_is_given_back() {
        let mut shared = Shared::default();
        round(&mut shared, 10_000);
        assert!(shared.given.len() >= 10_000);
        // The turn of the flood, and one without it.
        (0..=20_000).for_each(|_| drop(round(&mut shared, 1)));
        assert!(shared.given.len() <= SPARE, "{}", shared.given.len());
    }

    #[test]
    fn what_is_kept_is_neither_changed_nor_waited_for() {
        let mut shared = Shared::default();
        let kept: Vec<_> = (0..100).map(|value: usize| shared.share(&value, 1)).collect();
        assert!(kept.iter().enumerate().all(|(at, kept)| **kept == at));
        assert!(shared.given.len() <= 3, "{}", shared.given.len());
    }
}
