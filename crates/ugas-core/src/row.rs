//! Lists in order, one after the other in memory, that lose items at either end at no cost.
//!
//! Effects mostly end in the order in which they began, and what began last is what is taken back. A `Vec` moves all
//! items that follow the one that goes; a row moves those on the shorter side.

use core::ops::{Deref, DerefMut};

use crate::hash::{StateHash, StateHasher};

/// Items in an order that whoever owns it sees to.
pub(crate) struct Row<T> {
    items: Vec<T>,
    /// So many items at the beginning are gone.
    gone: u32,
}

impl<T: Copy> Row<T> {
    pub(crate) const fn new() -> Self {
        Self { items: Vec::new(), gone: 0 }
    }

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

    /// Puts an item at a position; at the end, if there are fewer items.
    pub(crate) fn insert(&mut self, at: usize, item: T) {
        let at = at.min(self.len());
        let start = self.gone as usize;
        if start > 0 && at <= self.len() / 2 {
            self.items.copy_within(start..start + at, start - 1);
            self.gone -= 1;
            self.items[start - 1 + at] = item;
        } else {
            self.make_room();
            self.items.insert(self.gone as usize + at, item);
        }
    }

    /// Takes the item at a position out, if there is one.
    pub(crate) fn remove(&mut self, at: usize) -> Option<T> {
        let item = self.get(at).copied()?;
        let start = self.gone as usize;
        if at < self.len() / 2 {
            self.items.copy_within(start..start + at, start + 1);
            self.gone += 1;
        } else {
            self.items.remove(start + at);
            self.forget_if_empty();
        }
        Some(item)
    }

    pub(crate) fn clear(&mut self) {
        self.items.clear();
        self.gone = 0;
    }

    pub(crate) fn retain(&mut self, stays: impl FnMut(&T) -> bool) {
        self.close_gap();
        self.items.retain(stays);
    }

    #[inline]
    fn make_room(&mut self) {
        if self.items.len() == self.items.capacity() {
            self.grow();
        }
    }

    /// Before memory is asked for, the place of what is gone is used, if that is half of it: so each item is moved once
    /// for each that was added.
    #[cold]
    fn grow(&mut self) {
        if self.gone > 0 && self.gone as usize * 2 >= self.items.len() {
            self.close_gap();
        } else {
            // By half, and not to twice as much: there are many rows, and most are short.
            self.items.reserve_exact((self.items.len() / 2).max(2));
        }
    }

    fn close_gap(&mut self) {
        self.items.drain(..self.gone as usize);
        self.gone = 0;
    }

    fn forget_if_empty(&mut self) {
        if self.is_empty() {
            self.clear();
        }
    }
}

impl<T: Copy + Ord> Row<T> {
    /// Adds an item to a sorted row, unless it is there.
    pub(crate) fn insert_sorted(&mut self, item: T) {
        if let Err(at) = self.binary_search(&item) {
            self.insert(at, item);
        }
    }

    /// Takes an item out of a sorted row.
    pub(crate) fn remove_sorted(&mut self, item: &T) {
        if let Ok(at) = self.binary_search(item) {
            self.remove(at);
        }
    }

    /// Takes an item out of a row that is sorted by numbers that the items have elsewhere.
    pub(crate) fn remove_by(&mut self, item: T, number: impl Fn(T) -> Option<u64>) {
        if let Some(at) = position_by(self, item, number) {
            self.remove(at);
        }
    }
}

impl<K: Copy + Ord, H: Copy> Row<(K, u64, H)> {
    /// Of a row that is sorted by key and number, the entries with this key.
    pub(crate) fn about(&self, key: K) -> &[(K, u64, H)] {
        if self.is_empty() {
            return &[];
        }
        let start = self.partition_point(|(other, ..)| *other < key);
        let rest = &self[start..];
        let length = rest.partition_point(|(other, ..)| *other == key);
        &rest[..length]
    }
}

/// Where an item is in a list that is sorted by numbers that the items have elsewhere.
pub(crate) fn position_by<T: Copy + Ord>(
    list: &[T],
    item: T,
    number: impl Fn(T) -> Option<u64>,
) -> Option<usize> {
    // What goes is the last or the first, as often as not.
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

impl<T> Deref for Row<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.items[self.gone as usize..]
    }
}

impl<T> DerefMut for Row<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.items[self.gone as usize..]
    }
}

impl<'a, T> IntoIterator for &'a Row<T> {
    type Item = &'a T;
    type IntoIter = core::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T> From<Vec<T>> for Row<T> {
    fn from(items: Vec<T>) -> Self {
        Self { items, gone: 0 }
    }
}

impl<T> Default for Row<T> {
    fn default() -> Self {
        Self { items: Vec::new(), gone: 0 }
    }
}

impl<T: Copy> Clone for Row<T> {
    fn clone(&self) -> Self {
        Self { items: self.to_vec(), gone: 0 }
    }

    /// Uses the memory that is there again (I6). Most rows of most controllers are empty, and stay so.
    #[inline]
    fn clone_from(&mut self, source: &Self) {
        if self.items.is_empty() && source.items.is_empty() {
            return;
        }
        self.items.clear();
        self.items.extend_from_slice(source);
        self.gone = 0;
    }
}

impl<T: PartialEq> PartialEq for Row<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: core::fmt::Debug> core::fmt::Debug for Row<T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<T: StateHash> StateHash for Row<T> {
    fn state_hash(&self, hasher: &mut StateHasher) {
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
        fn a_row_is_a_list(changes in prop::collection::vec(change(), 0..200)) {
            let (mut row, mut list, mut copy) = (Row::new(), Vec::new(), Row::new());
            for change in changes {
                match change {
                    Change::Push(item) => {
                        row.push(item);
                        list.push(item);
                    }
                    Change::Pop => assert_eq!(row.pop(), list.pop()),
                    Change::Insert(at, item) => {
                        let at = usize::from(at) % (list.len() + 1);
                        row.insert(at, item);
                        list.insert(at, item);
                    }
                    Change::Remove(at) if !list.is_empty() => {
                        let at = usize::from(at) % list.len();
                        assert_eq!(row.remove(at), Some(list.remove(at)));
                    }
                    Change::RemoveFirst if !list.is_empty() => {
                        assert_eq!(row.remove(0), Some(list.remove(0)));
                    }
                    Change::Remove(_) | Change::RemoveFirst => assert_eq!(row.remove(0), None),
                    Change::Retain(by) => {
                        row.retain(|item| item % by != 0);
                        list.retain(|item| item % by != 0);
                    }
                    Change::Copy => {
                        copy.clone_from(&row);
                        assert_eq!(copy, row);
                        row = copy.clone();
                    }
                }
                assert_eq!(&*row, &*list);
            }
        }

        #[test]
        fn sorted_rows_find_what_is_about_a_key(entries in prop::collection::vec((0u8..5, 0u64..9, 0u8..3), 0..40)) {
            let mut row = Row::new();
            entries.iter().for_each(|entry| row.insert_sorted(*entry));
            let mut sorted = entries.clone();
            sorted.sort_unstable();
            sorted.dedup();
            for key in 0..6 {
                let expected: Vec<_> = sorted.iter().copied().filter(|(other, ..)| *other == key).collect();
                assert_eq!(row.about(key), &expected);
            }
            for entry in &entries {
                row.remove_sorted(entry);
            }
            assert!(row.is_empty());
        }
    }

    #[test]
    fn a_queue_uses_its_memory_again() {
        let mut row = Row::new();
        (0..100).for_each(|item| row.push(item));
        for item in 100..1_000 {
            row.push(item);
            row.remove(0);
        }
        let room = row.items.capacity();
        for item in 1_000..100_000 {
            row.push(item);
            row.remove(0);
        }
        assert_eq!(row.items.capacity(), room);
        assert_eq!((row.first(), row.len()), (Some(&99_900), 100));
    }

    #[test]
    fn positions_are_found_by_numbers_that_are_elsewhere() {
        let numbers = |item: u8| (item != 9).then(|| u64::from(item) * 10);
        let list = [1, 3, 5, 7];
        assert_eq!(list.map(|item| position_by(&list, item, numbers)), [Some(0), Some(1), Some(2), Some(3)]);
        assert_eq!(position_by(&list, 4, numbers), None);
        // One whose number is unknown is found all the same.
        assert_eq!(position_by(&[1, 9, 3], 9, numbers), Some(1));
    }
}
