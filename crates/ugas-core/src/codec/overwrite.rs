//! Fast copies of a field over an old one.
//!
//! `SmallVec::clone_from` copies item by item. Most lists of the state have `Copy` items, which can be copied
//! at once, but a trait bound cannot select on that. So two traits have a method of the same name, and
//! autoref specialisation picks the fast one where it applies.

use std::collections::VecDeque;

use smallvec::{Array, SmallVec};

/// The field that is overwritten.
pub(crate) struct Over<'a, T>(pub(crate) &'a mut T);

/// The fast path: lists of `Copy` items, and lists that are mostly empty.
pub(crate) trait OverwriteBits<T> {
    /// Overwrites the field with a copy of `source`, keeping its memory.
    fn write(&mut self, source: &T);
}

impl<A: Array<Item: Copy>> OverwriteBits<SmallVec<A>> for Over<'_, SmallVec<A>> {
    #[inline(always)]
    fn write(&mut self, source: &SmallVec<A>) {
        match (&mut **self.0, &**source) {
            ([], []) => {}
            // Most lists have one item, for which a call is slower than a copy.
            ([mine], [theirs]) => *mine = *theirs,
            (mine, theirs) if mine.len() == theirs.len() => mine.copy_from_slice(theirs),
            _ => {
                self.0.clear();
                self.0.extend_from_slice(source);
            }
        }
    }
}

/// Queues are mostly empty, and `VecDeque::clone_from` is slow even then.
impl<T: Clone> OverwriteBits<VecDeque<T>> for Over<'_, VecDeque<T>> {
    #[inline]
    fn write(&mut self, source: &VecDeque<T>) {
        if !(self.0.is_empty() && source.is_empty()) {
            self.0.clone_from(source);
        }
    }
}

/// The general path.
pub(crate) trait OverwriteClone<T> {
    /// Overwrites the field with a copy of `source`.
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
    fn fast_and_general_path_agree() {
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
