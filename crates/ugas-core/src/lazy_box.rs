//! A box that is allocated at its first write, for parts that few owners have.
//!
//! Most controllers have no inputs and roll no dice; most tag sets have no tag beyond the first 256. Such a
//! part takes a pointer, reads as empty until it is first written, and keeps its memory from then on (I6).
//!
//! Effects come and go, and their parts with them: the boxes of [pooled](pooled_value) types are kept for the next
//! owner when theirs is dropped.

use core::cell::RefCell;
use core::fmt;
use core::ops::Deref;

use crate::codec::{Decode, DecodeError, Decoder, Encode, Encoder};
use crate::hash::{HashSink, StateHash};

/// The value that an unallocated [`LazyBox`] reads as.
pub(crate) trait EmptyValue: Default + 'static {
    const EMPTY: &'static Self;
    /// Whether boxes go back to a pool when they are dropped or emptied by a copy.
    const POOLED: bool = false;

    /// A box with an empty value.
    #[inline]
    fn acquire() -> Box<Self> {
        Box::default()
    }

    /// Frees a box, or keeps it for the next owner.
    #[inline]
    fn release(value: Box<Self>) {
        drop(value);
    }
}

/// Unused boxes of a thread, whose values are empty. No result depends on it.
pub(crate) struct Pool<T>(RefCell<Vec<Box<T>>>);

/// Largest number of unused boxes of a pool.
const MOST_UNUSED: usize = 4_096;

impl<T> Pool<T> {
    pub(crate) const fn new() -> Self {
        Self(RefCell::new(Vec::new()))
    }

    #[inline]
    pub(crate) fn take(&self) -> Option<Box<T>> {
        self.0.borrow_mut().pop()
    }

    /// Keeps a box. The box is freed if there are many.
    #[inline]
    pub(crate) fn put(&self, value: Box<T>) {
        let mut unused = self.0.borrow_mut();
        if unused.len() < MOST_UNUSED {
            unused.push(value);
        }
    }
}

/// Implements [`EmptyValue`] for a type whose boxes are pooled, one pool per thread. The block empties a value and
/// may keep its allocations.
macro_rules! pooled_value {
    ($name:ident = $empty:expr, |$value:ident| $clear:block) => {
        const _: () = {
            use $crate::lazy_box::{EmptyValue, Pool};

            thread_local! {
                static POOL: Pool<$name> = const { Pool::new() };
            }

            impl EmptyValue for $name {
                const EMPTY: &'static Self = &$empty;
                const POOLED: bool = true;

                #[inline]
                fn acquire() -> Box<Self> {
                    // A thread that ends has no pool any more.
                    POOL.try_with(Pool::take).ok().flatten().unwrap_or_default()
                }

                #[inline]
                fn release(mut $value: Box<Self>) {
                    $clear
                    let _ = POOL.try_with(|pool| pool.put($value));
                }
            }
        };
    };
}
pub(crate) use pooled_value;

impl<T: 'static> EmptyValue for Vec<T> {
    const EMPTY: &'static Self = &Self::new();
}

/// A lazily allocated `T`. A box that was emptied equals, hashes and encodes like one that was never
/// allocated.
pub(crate) struct LazyBox<T: EmptyValue>(Option<Box<T>>);

impl<T: EmptyValue> LazyBox<T> {
    pub(crate) const fn new() -> Self {
        Self(None)
    }

    /// A mutable reference; allocates at the first call. Use [`Self::get_mut`] to remove something.
    #[inline]
    pub(crate) fn make_mut(&mut self) -> &mut T {
        self.0.get_or_insert_with(T::acquire)
    }

    /// The value, or `None` if nothing was ever written.
    #[inline(always)]
    pub(crate) fn allocated(&self) -> Option<&T> {
        self.0.as_deref()
    }

    /// Copies `source`, one of both is allocated.
    #[inline(never)]
    fn overwrite(&mut self, source: &Self)
    where
        T: Clone,
    {
        match &source.0 {
            None if T::POOLED => *self = Self(None),
            _ => self.make_mut().clone_from(source),
        }
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

impl<T: EmptyValue> Default for LazyBox<T> {
    #[inline]
    fn default() -> Self {
        Self(None)
    }
}

impl<T: EmptyValue> Drop for LazyBox<T> {
    #[inline]
    fn drop(&mut self) {
        if let Some(value) = self.0.take() {
            T::release(value);
        }
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
    #[inline]
    fn clone(&self) -> Self {
        let mut copy = Self(None);
        copy.clone_from(self);
        copy
    }

    /// Reuses its own allocation (I6), also when the source is empty.
    #[inline]
    fn clone_from(&mut self, source: &Self) {
        if self.0.is_some() || source.0.is_some() {
            self.overwrite(source);
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

    #[derive(Clone, PartialEq, Default)]
    struct Parts(Vec<u64>);

    pooled_value!(Parts = Parts(Vec::new()), |parts| {
        parts.0.clear();
    });

    #[test]
    fn pooled_box_is_reused_and_empty() {
        let mut first = LazyBox::<Parts>::new();
        first.make_mut().0.extend([1, 2, 3]);
        let place = core::ptr::from_ref(&*first);
        // A copy of an unallocated box gives its own one back.
        first.clone_from(&LazyBox::new());
        assert!(first.allocated().is_none());
        let mut second = LazyBox::<Parts>::new();
        assert!(second.make_mut().0.is_empty() && second.0.as_ref().unwrap().0.capacity() >= 3);
        assert_eq!(core::ptr::from_ref(&*second), place);
        drop(second);
        first.make_mut().0.push(4);
        assert_eq!((core::ptr::from_ref(&*first), &*first.0.as_ref().unwrap().0), (place, &[4][..]));
    }

    #[test]
    fn pool_is_bounded() {
        let boxes: Vec<_> = (0..=MOST_UNUSED).map(|_| LazyBox::from(Parts(vec![1]))).collect();
        drop(boxes);
        let again: Vec<_> = (0..=MOST_UNUSED).map(|_| Parts::acquire()).collect();
        assert_eq!(again.iter().filter(|parts| parts.0.capacity() > 0).count(), MOST_UNUSED);
    }
}
