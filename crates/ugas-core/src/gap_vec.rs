//! A vector with cheap removal at both ends.
//!
//! Effects usually end in the order in which they began, or the newest is undone. A `Vec` moves all items
//! after the removed one; a `GapVec` moves those on the shorter side and keeps a gap before the first item.

use core::ops::{Deref, DerefMut};

use crate::hash::{HashSink, StateHash};

/// A contiguous list in an order that its owner maintains.
pub(crate) struct GapVec<T> {
    items: Vec<T>,
    /// Number of removed items at the start of `items`.
    gone: u32,
}

impl<T: Copy> GapVec<T> {
    pub(crate) const fn new() -> Self {
        Self { items: Vec::new(), gone: 0 }
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.items.len() == self.gone as usize
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.items.len() - self.gone as usize
    }

    /// Appends an item. May close the gap instead of growing.
    pub(crate) fn push(&mut self, item: T) {
        self.make_room();
        self.items.push(item);
    }

    pub(crate) fn pop(&mut self) -> Option<T> {
        let last = self.last().copied()?;
        self.items.pop();
        self.forget_if_empty();
        Some(last)
    }

    /// Inserts an item at a position, or at the end if the list is shorter.
    #[inline]
    pub(crate) fn insert(&mut self, at: usize, item: T) {
        let at = at.min(self.len());
        let start = self.gone as usize;
        if at == self.len() {
            self.push(item);
        } else if start > 0 && at <= self.len() / 2 {
            self.items.copy_within(start..start + at, start - 1);
            self.gone -= 1;
            self.items[start - 1 + at] = item;
        } else {
            self.make_room();
            self.items.insert(self.gone as usize + at, item);
        }
    }

    /// Removes the item at a position, or returns `None` if there is none.
    #[inline]
    pub(crate) fn remove(&mut self, at: usize) -> Option<T> {
        let item = self.get(at).copied()?;
        let start = self.gone as usize;
        if at + 1 == self.len() {
            self.items.pop();
            self.forget_if_empty();
        } else if at < self.len() / 2 {
            self.items.copy_within(start..start + at, start + 1);
            self.gone += 1;
        } else {
            self.items.remove(start + at);
        }
        Some(item)
    }

    pub(crate) fn clear(&mut self) {
        self.items.clear();
        self.gone = 0;
    }

    /// Keeps the items for which `stays` holds. Closes the gap first.
    pub(crate) fn retain(&mut self, stays: impl FnMut(&T) -> bool) {
        self.close_gap();
        self.items.retain(stays);
    }

    /// Makes sure that an item can be added without reallocation inside `Vec`, which would double.
    #[inline]
    fn make_room(&mut self) {
        if self.items.len() == self.items.capacity() {
            self.grow();
        }
    }

    /// Closes the gap instead of allocating if the gap is at least half of the memory, so that each added
    /// item moves an old one at most once.
    #[cold]
    fn grow(&mut self) {
        if self.gone > 0 && self.gone as usize * 2 >= self.items.len() {
            self.close_gap();
        } else {
            // Grows by half instead of doubling: there are many of these lists, and most are short.
            self.items.reserve_exact((self.items.len() / 2).max(1));
        }
    }

    /// Moves the items to the start of the memory.
    fn close_gap(&mut self) {
        self.items.drain(..self.gone as usize);
        self.gone = 0;
    }

    /// Reclaims the gap once no item is left.
    fn forget_if_empty(&mut self) {
        if self.is_empty() {
            self.clear();
        }
    }
}

impl<T: Copy + Ord> GapVec<T> {
    /// Inserts an item into a sorted list, unless it is there.
    pub(crate) fn insert_sorted(&mut self, item: T) {
        if let Err(at) = self.binary_search(&item) {
            self.insert(at, item);
        }
    }

    /// Removes an item from a sorted list; does nothing if it is not there.
    pub(crate) fn remove_sorted(&mut self, item: &T) {
        if let Ok(at) = self.binary_search(item) {
            self.remove(at);
        }
    }

    /// Removes an item from a list that is sorted by a number looked up for each item.
    pub(crate) fn remove_by(&mut self, item: T, number: impl Fn(T) -> Option<u64>) {
        if let Some(at) = position_by(self, item, number) {
            self.remove(at);
        }
    }
}

impl<K: Copy + Ord, H: Copy> GapVec<(K, u64, H)> {
    /// The entries with this key, in a list that is sorted by key and number.
    pub(crate) fn entries_for(&self, key: K) -> &[(K, u64, H)] {
        if self.is_empty() {
            return &[];
        }
        let start = self.partition_point(|(other, ..)| *other < key);
        let rest = &self[start..];
        let length = rest.partition_point(|(other, ..)| *other == key);
        &rest[..length]
    }
}

/// Position of an item in a list that is sorted by a number looked up for each item; `None` if it is not
/// there. Falls back to a linear search if the numbers do not lead to it.
pub(crate) fn position_by<T: Copy + Ord>(
    list: &[T],
    item: T,
    number: impl Fn(T) -> Option<u64>,
) -> Option<usize> {
    // Usually the last or the first item is removed.
    if list.last() == Some(&item) {
        return Some(list.len() - 1);
    }
    if list.first() == Some(&item) {
        return Some(0);
    }
    let key = |item: &T| (number(*item), *item);
    let found = list.binary_search_by_key(&key(&item), key);
    found.ok().or_else(|| list.iter().position(|other| *other == item))
}

impl<T> Deref for GapVec<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.items[self.gone as usize..]
    }
}

impl<T> DerefMut for GapVec<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.items[self.gone as usize..]
    }
}

impl<'a, T> IntoIterator for &'a GapVec<T> {
    type Item = &'a T;
    type IntoIter = core::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T> From<Vec<T>> for GapVec<T> {
    fn from(items: Vec<T>) -> Self {
        Self { items, gone: 0 }
    }
}

impl<T> Default for GapVec<T> {
    fn default() -> Self {
        Self { items: Vec::new(), gone: 0 }
    }
}

impl<T: Copy> Clone for GapVec<T> {
    fn clone(&self) -> Self {
        Self { items: self.to_vec(), gone: 0 }
    }

    /// Reuses its own allocation (I6). Most lists of most controllers are empty, and stay so.
    #[inline]
    fn clone_from(&mut self, source: &Self) {
        if self.items.is_empty() && source.items.is_empty() {
            return;
        }
        if self.items.len() == source.len() {
            self.items.copy_from_slice(source);
        } else {
            self.items.clear();
            self.items.reserve_exact(source.len());
            self.items.extend_from_slice(source);
        }
        self.gone = 0;
    }
}

impl<T: PartialEq> PartialEq for GapVec<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: core::fmt::Debug> core::fmt::Debug for GapVec<T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<T: StateHash> StateHash for GapVec<T> {
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        (**self).state_hash(hasher);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Copy, Debug)]
    enum Change {
        Push(u16),
        Pop,
        Insert(u16, u16),
        Remove(u16),
        RemoveFirst,
        Retain(u16),
        Copy,
    }

    fn change() -> impl Strategy<Value = Change> {
        prop_oneof![
            3 => any::<u16>().prop_map(Change::Push),
            1 => Just(Change::Pop),
            3 => any::<(u16, u16)>().prop_map(|(at, item)| Change::Insert(at, item)),
            2 => any::<u16>().prop_map(Change::Remove),
            3 => Just(Change::RemoveFirst),
            1 => (2u16..9).prop_map(Change::Retain),
            1 => Just(Change::Copy),
        ]
    }

    proptest! {
        #[test]
        fn gap_vec_behaves_like_a_vec(changes in prop::collection::vec(change(), 0..200)) {
            let (mut gaps, mut list, mut copy) = (GapVec::new(), Vec::new(), GapVec::new());
            for change in changes {
                match change {
                    Change::Push(item) => {
                        gaps.push(item);
                        list.push(item);
                    }
                    Change::Pop => assert_eq!(gaps.pop(), list.pop()),
                    Change::Insert(at, item) => {
                        let at = usize::from(at) % (list.len() + 1);
                        gaps.insert(at, item);
                        list.insert(at, item);
                    }
                    Change::Remove(at) if !list.is_empty() => {
                        let at = usize::from(at) % list.len();
                        assert_eq!(gaps.remove(at), Some(list.remove(at)));
                    }
                    Change::RemoveFirst if !list.is_empty() => {
                        assert_eq!(gaps.remove(0), Some(list.remove(0)));
                    }
                    Change::Remove(_) | Change::RemoveFirst => assert_eq!(gaps.remove(0), None),
                    Change::Retain(by) => {
                        gaps.retain(|item| item % by != 0);
                        list.retain(|item| item % by != 0);
                    }
                    Change::Copy => {
                        copy.clone_from(&gaps);
                        assert_eq!(copy, gaps);
                        gaps = copy.clone();
                    }
                }
                assert_eq!(&*gaps, &*list);
            }
        }

        #[test]
        fn sorted_list_finds_entries_by_key(entries in prop::collection::vec((0u8..5, 0u64..9, 0u8..3), 0..40)) {
            let mut gaps = GapVec::new();
            entries.iter().for_each(|entry| gaps.insert_sorted(*entry));
            let mut sorted = entries.clone();
            sorted.sort_unstable();
            sorted.dedup();
            for key in 0..6 {
                let expected: Vec<_> = sorted.iter().copied().filter(|(other, ..)| *other == key).collect();
                assert_eq!(gaps.entries_for(key), &expected);
            }
            for entry in &entries {
                gaps.remove_sorted(entry);
            }
            assert!(gaps.is_empty());
        }
    }

    #[test]
    fn queue_reuses_its_memory() {
        let mut gaps = GapVec::new();
        (0..100).for_each(|item| gaps.push(item));
        for item in 100..1_000 {
            gaps.push(item);
            gaps.remove(0);
        }
        let room = gaps.items.capacity();
        for item in 1_000..100_000 {
            gaps.push(item);
            gaps.remove(0);
        }
        assert_eq!(gaps.items.capacity(), room);
        assert_eq!((gaps.first(), gaps.len()), (Some(&99_900), 100));
    }

    #[test]
    fn position_is_found_by_looked_up_number() {
        let numbers = |item: u8| (item != 9).then(|| u64::from(item) * 10);
        let list = [1, 3, 5, 7];
        assert_eq!(list.map(|item| position_by(&list, item, numbers)), [Some(0), Some(1), Some(2), Some(3)]);
        assert_eq!(position_by(&list, 4, numbers), None);
        // An item without a number is found too.
        assert_eq!(position_by(&[1, 9, 3], 9, numbers), Some(1));
    }
}
