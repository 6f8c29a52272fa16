//! A box that is allocated at its first write, for parts that few owners have.
//!
//! Most controllers have no inputs and roll no dice; most tag sets have no tag beyond the first 256. Such a
//! part takes a pointer, reads as empty until it is first written, and keeps its memory from then on (I6).

use core::fmt;
use core::ops::Deref;
use std::collections::VecDeque;

use crate::codec::{Decode, DecodeError, Decoder, Encode, Encoder};
use crate::hash::{HashSink, StateHash};

/// The value that an unallocated [`LazyBox`] reads as.
pub(crate) trait EmptyValue: Default + 'static {
    const EMPTY: &'static Self;
}

impl<T: 'static> EmptyValue for Vec<T> {
    const EMPTY: &'static Self = &Self::new();
}

impl<T: 'static> EmptyValue for VecDeque<T> {
    const EMPTY: &'static Self = &Self::new();
}

/// A lazily allocated `T`. A box that was emptied equals, hashes and encodes like one that was never
/// allocated.
#[derive(Default)]
pub(crate) struct LazyBox<T>(Option<Box<T>>);

impl<T: EmptyValue> LazyBox<T> {
    pub(crate) const fn new() -> Self {
        Self(None)
    }

    /// A mutable reference; allocates at the first call. Use [`Self::get_mut`] to remove something.
    #[inline]
    pub(crate) fn make_mut(&mut self) -> &mut T {
        self.0.get_or_insert_default()
    }

    /// The value, or `None` if nothing was ever written.
    #[inline(always)]
    pub(crate) fn allocated(&self) -> Option<&T> {
        self.0.as_deref()
    }

    /// A mutable reference, or `None` if nothing was ever written.
    #[inline]
    pub(crate) fn get_mut(&mut self) -> Option<&mut T> {
        self.0.as_deref_mut()
    }
}

impl<T: EmptyValue + PartialEq> From<T> for LazyBox<T> {
    fn from(value: T) -> Self {
        Self((value != *T::EMPTY).then(|| Box::new(value)))
    }
}

impl<T: EmptyValue> Deref for LazyBox<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.0.as_deref().unwrap_or(T::EMPTY)
    }
}

impl<T: EmptyValue + Clone> Clone for LazyBox<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }

    /// Reuses its own allocation (I6), also when the source is empty.
    #[inline]
    fn clone_from(&mut self, source: &Self) {
        match (&mut self.0, &source.0) {
            (None, None) => {}
            (None, theirs) => self.0.clone_from(theirs),
            (Some(mine), _) => mine.as_mut().clone_from(source),
        }
    }
}

impl<T: EmptyValue + PartialEq> PartialEq for LazyBox<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: EmptyValue + Eq> Eq for LazyBox<T> {}

impl<T: EmptyValue + core::hash::Hash> core::hash::Hash for LazyBox<T> {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl<T: EmptyValue + fmt::Debug> fmt::Debug for LazyBox<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: EmptyValue + StateHash> StateHash for LazyBox<T> {
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        (**self).state_hash(hasher);
    }
}

impl<T: EmptyValue + Encode> Encode for LazyBox<T> {
    fn encode(&self, encoder: &mut Encoder) {
        (**self).encode(encoder);
    }
}

impl<T: EmptyValue + PartialEq + Decode> Decode for LazyBox<T> {
    fn decode(decoder: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        T::decode(decoder).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{from_bytes, to_bytes};
    use crate::hash::StateHasher;

    #[test]
    fn emptied_box_equals_unallocated_box() {
        let never = LazyBox::<Vec<u64>>::new();
        let mut emptied = LazyBox::<Vec<u64>>::from(vec![7]);
        assert_ne!(emptied, never);
        emptied.make_mut().clear();
        assert_eq!((&emptied, emptied.len()), (&never, 0));
        assert_eq!(StateHasher::of(&emptied), StateHasher::of(&never));
        assert_eq!(to_bytes(&emptied), to_bytes(&never));
        assert!(from_bytes::<LazyBox<Vec<u64>>>(&to_bytes(&emptied)).unwrap().0.is_none());
    }

    #[test]
    fn copy_from_empty_keeps_memory_and_never_allocates() {
        let (full, empty) = (LazyBox::from(vec![1, 2, 3]), LazyBox::<Vec<u64>>::new());
        let mut copy = LazyBox::<Vec<u64>>::new();
        copy.clone_from(&empty);
        assert!(copy.get_mut().is_none());
        copy.clone_from(&full);
        assert_eq!(*copy, [1, 2, 3]);
        copy.clone_from(&empty);
        assert!(copy.is_empty() && copy.get_mut().is_some_and(|list| list.capacity() >= 3));
        assert_eq!(size_of_val(&copy), size_of::<usize>());
    }
}
