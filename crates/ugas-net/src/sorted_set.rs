//! Small set in a sorted vector: unlike a B-tree, it keeps its memory when it is emptied and filled again.

/// Set of values, visited in order. Adding and removing moves the values behind.
#[derive(Clone, Debug)]
pub(crate) struct SortedSet<T>(Vec<T>);

impl<T> Default for SortedSet<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Ord + Copy> SortedSet<T> {
    /// Adds a value; nothing changes if the set has it.
    pub(crate) fn insert(&mut self, value: T) {
        // Most values are added in order.
        if self.0.last().is_none_or(|last| *last < value) {
            self.0.push(value);
        } else if let Err(at) = self.0.binary_search(&value) {
            self.0.insert(at, value);
        }
    }

    /// Removes a value; nothing changes if the set does not have it.
    pub(crate) fn remove(&mut self, value: T) {
        if let Ok(at) = self.0.binary_search(&value) {
            self.0.remove(at);
        }
    }

    /// Removes all values, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Values in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = T> + '_ {
        self.0.iter().copied()
    }

    /// Number of values.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_sorted_and_unique() {
        let mut set = SortedSet::default();
        [5, 1, 9, 5, 3].into_iter().for_each(|value| set.insert(value));
        assert_eq!(set.iter().collect::<Vec<_>>(), [1, 3, 5, 9]);
        set.remove(5);
        set.remove(4);
        assert_eq!((set.iter().collect::<Vec<_>>(), set.len()), (vec![1, 3, 9], 3));
        set.clear();
        assert_eq!(set.len(), 0);
    }
}
