//! Copying a field over an old one, as fast as its type allows.
//!
//! `SmallVec::clone_from` goes from item to item. Most lists of the state have items that are plain bits, and these can be
//! copied at once; the compiler knows which, but a trait cannot ask. So there are two traits with a method of one name,
//! and the one that needs no further reference to be called is taken where it applies.

use std::collections::VecDeque;

use smallvec::{Array, SmallVec};

/// The field that is written.
pub(crate) struct Over<'a, T>(pub(crate) &'a mut T);

/// For lists of plain bits, and others that are mostly empty.
pub(crate) trait OverwriteBits<T> {
    fn write(&mut self, source: &T);
}

impl<A: Array<Item: Copy>> OverwriteBits<SmallVec<A>> for Over<'_, SmallVec<A>> {
    #[inline]
    fn write(&mut self, source: &SmallVec<A>) {
        if self.0.len() != source.len() {
            self.0.clear();
            self.0.extend_from_slice(source);
        } else if !source.is_empty() {
            self.0.copy_from_slice(source);
        }
    }
}

/// Queues are mostly empty, and copying them item by item begins with asking where each of them begins and ends.
impl<T: Clone> OverwriteBits<VecDeque<T>> for Over<'_, VecDeque<T>> {
    #[inline]
    fn write(&mut self, source: &VecDeque<T>) {
        if !(self.0.is_empty() && source.is_empty()) {
            self.0.clone_from(source);
        }
    }
}

/// For everything else.
pub(crate) trait OverwriteClone<T> {
    fn write(&mut self, source: &T);
}

impl<T: Clone> OverwriteClone<T> for &mut Over<'_, T> {
    #[inline]
    fn write(&mut self, source: &T) {
        self.0.clone_from(source);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_come_to_the_same() {
        let (mut bits, mut shared): (SmallVec<[u8; 2]>, SmallVec<[String; 1]>) =
            (SmallVec::from_slice(&[9; 5]), SmallVec::new());
        let sources = (SmallVec::from_slice(&[1, 2, 3]), SmallVec::from_vec(vec!["seven".to_owned(); 3]));
        for list in [&[4u8, 5, 6] as &[u8], &[], &[7, 8], &[1, 2, 3]] {
            Over(&mut bits).write(&SmallVec::from_slice(list));
            assert_eq!(&*bits, list);
        }
        Over(&mut bits).write(&sources.0);
        (&mut Over(&mut shared)).write(&sources.1);
        assert_eq!((bits, shared), sources);
    }
}
