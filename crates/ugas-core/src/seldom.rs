//! What few have: as little room as a pointer takes until it is first written.
//!
//! Most controllers have no inputs and no dice, most sets of tags none beyond the first 256. Such parts are read as if they
//! were always there, get memory when they are first written, and keep it (I6).

use core::fmt;
use core::ops::Deref;
use std::collections::VecDeque;

use crate::codec::{Decode, DecodeError, Decoder, Encode, Encoder};
use crate::hash::{StateHash, StateHasher};

/// What is read where nothing was written.
pub(crate) trait Nothing: Default + 'static {
    const NOTHING: &'static Self;
}

impl<T: 'static> Nothing for Vec<T> {
    const NOTHING: &'static Self = &Self::new();
}

impl<T: 'static> Nothing for VecDeque<T> {
    const NOTHING: &'static Self = &Self::new();
}

/// A part that few have. Nobody can tell one that was never written from one that was emptied.
#[derive(Default)]
pub(crate) struct Seldom<T>(Option<Box<T>>);

impl<T: Nothing> Seldom<T> {
    pub(crate) const fn new() -> Self {
        Self(None)
    }

    /// To be written. Allocates the first time, so whoever only takes something away asks [`Self::get_mut`].
    #[inline]
    pub(crate) fn make_mut(&mut self) -> &mut T {
        self.0.get_or_insert_default()
    }

    /// To be written, if it ever was.
    #[inline]
    pub(crate) fn get_mut(&mut self) -> Option<&mut T> {
        self.0.as_deref_mut()
    }
}

impl<T: Nothing + PartialEq> From<T> for Seldom<T> {
    fn from(value: T) -> Self {
        Self((value != *T::NOTHING).then(|| Box::new(value)))
    }
}

impl<T: Nothing> Deref for Seldom<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.0.as_deref().unwrap_or(T::NOTHING)
    }
}

impl<T: Nothing + Clone> Clone for Seldom<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }

    /// Uses the memory that is there again (I6), also to be nothing.
    #[inline]
    fn clone_from(&mut self, source: &Self) {
        match (&mut self.0, &source.0) {
            (None, None) => {}
            (None, theirs) => self.0.clone_from(theirs),
            (Some(mine), _) => mine.as_mut().clone_from(source),
        }
    }
}

impl<T: Nothing + PartialEq> PartialEq for Seldom<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Nothing + Eq> Eq for Seldom<T> {}

impl<T: Nothing + core::hash::Hash> core::hash::Hash for Seldom<T> {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl<T: Nothing + fmt::Debug> fmt::Debug for Seldom<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: Nothing + StateHash> StateHash for Seldom<T> {
    fn state_hash(&self, hasher: &mut StateHasher) {
        (**self).state_hash(hasher);
    }
}

impl<T: Nothing + Encode> Encode for Seldom<T> {
    fn encode(&self, encoder: &mut Encoder) {
        (**self).encode(encoder);
    }
}

impl<T: Nothing + PartialEq + Decode> Decode for Seldom<T> {
    fn decode(decoder: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        T::decode(decoder).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{from_bytes, to_bytes};

    #[test]
    fn what_was_emptied_is_like_what_never_was() {
        let never = Seldom::<Vec<u64>>::new();
        let mut emptied = Seldom::<Vec<u64>>::from(vec![7]);
        assert_ne!(emptied, never);
        emptied.make_mut().clear();
        assert_eq!((&emptied, emptied.len()), (&never, 0));
        assert_eq!(StateHasher::of(&emptied), StateHasher::of(&never));
        assert_eq!(to_bytes(&emptied), to_bytes(&never));
        assert!(from_bytes::<Seldom<Vec<u64>>>(&to_bytes(&emptied)).unwrap().0.is_none());
    }

    #[test]
    fn memory_is_kept_and_none_is_taken_for_nothing() {
        let (full, empty) = (Seldom::from(vec![1, 2, 3]), Seldom::<Vec<u64>>::new());
        let mut copy = Seldom::<Vec<u64>>::new();
        copy.clone_from(&empty);
        assert!(copy.get_mut().is_none());
        copy.clone_from(&full);
        assert_eq!(*copy, [1, 2, 3]);
        copy.clone_from(&empty);
        assert!(copy.is_empty() && copy.get_mut().is_some_and(|list| list.capacity() >= 3));
        assert_eq!(size_of_val(&copy), size_of::<usize>());
    }
}
