//! Generational arena of runtime objects (I3).
//!
//! The free list is part of the state: a restored simulation must allocate the same handles as one that never
//! stopped (I1). Published arenas do not guarantee that.

mod edition;
mod touched;

use core::fmt;
use core::marker::PhantomData;
use core::num::NonZeroU32;

use self::edition::Editions;
use self::touched::Touched;
use crate::codec::{Decode, DecodeError, DecodeErrorKind, Decoder, Encode, Encoder};
use crate::handle::Handle;
use crate::hash::{HashSink, RecordHasher, StateHash};

/// Objects of one kind, found by handle in constant time.
///
/// Iteration is in index order: the same on every machine (V6), but not insertion order once a slot was
/// reused. The slot that was freed last is reused first.
///
/// ```
/// use ugas_core::{arena::Arena, handle::TaskId};
///
/// let mut tasks: Arena<TaskId, &str> = Arena::new();
/// let wait = tasks.insert("wait");
/// assert_eq!(tasks.remove(wait), Some("wait"));
/// let listen = tasks.insert("listen");
/// assert_eq!(format!("{wait:?} {listen:?}"), "task0v1 task0v2");
/// assert_eq!(tasks.get(wait), None);
/// ```
#[derive(PartialEq, Eq)]
pub struct Arena<H, T> {
    slots: Vec<Slot<T>>,
    /// Head of the linked list of free slots.
    first_free: Option<u32>,
    occupied: u32,
    /// Lowest generation that a freed slot may get. [`Arena::refill`] raises it when it puts older objects
    /// into slots that have had younger ones. Not encoded: a decoded arena has seen none of them.
    floor: NonZeroU32,
    touched: Touched,
    /// Edition of each slot, for incremental copies and hashes.
    editions: Editions,
    handle: PhantomData<fn() -> H>,
}

impl<H: Handle, T> Arena<H, T> {
    /// An empty arena.
    pub const fn new() -> Self {
        Self {
            slots: Vec::new(),
            first_free: None,
            occupied: 0,
            floor: NonZeroU32::MIN,
            touched: Touched::Ignored,
            editions: Editions::new(),
            handle: PhantomData,
        }
    }

    /// An empty arena that holds `capacity` objects before it allocates again (I6).
    pub fn with_capacity(capacity: usize) -> Self {
        let mut arena = Self { slots: Vec::with_capacity(capacity), ..Self::new() };
        arena.editions.reserve(capacity);
        arena
    }

    /// Number of objects that fit before the arena allocates.
    pub fn capacity(&self) -> usize {
        self.slots.capacity()
    }

    /// Number of live objects.
    pub const fn len(&self) -> usize {
        self.occupied as usize
    }

    /// Whether there are no live objects.
    pub const fn is_empty(&self) -> bool {
        self.occupied == 0
    }

    /// Inserts an object and returns its handle.
    ///
    /// # Panics
    /// If 2³² slots are in use; memory runs out long before.
    pub fn insert(&mut self, value: T) -> H {
        self.insert_with(|_| value)
    }

    /// Starts recording which objects are inserted or borrowed mutably; see [`Arena::take_touched`]. All
    /// present objects count as touched.
    pub(crate) fn watch_touches(&mut self) {
        self.touched = Touched::all(self.slots.len());
    }

    /// Visits the objects that were inserted or borrowed mutably since the last call, in index order; none
    /// unless [`Arena::watch_touches`] was called. Removed objects are skipped.
    pub(crate) fn take_touched(&mut self, mut visit: impl FnMut(H, &T)) {
        let Touched::Noted { places, .. } = &mut self.touched else { return };
        let mut places = core::mem::take(places);
        places.sort_unstable();
        for &index in &places {
            if let Touched::Noted { marks, .. } = &mut self.touched
                && let Some(mark) = marks.get_mut(index as usize)
            {
                *mark = false;
            }
            let slot = self.slots.get(index as usize);
            if let Some((slot, value)) = slot.and_then(|slot| Some((slot, slot.occupant(slot.generation)?))) {
                visit(H::from_parts(index, slot.generation), value);
            }
        }
        places.clear();
        if let Touched::Noted { places: kept, .. } = &mut self.touched {
            *kept = places;
        }
    }

    /// Handle that the next inserted object gets.
    #[inline]
    pub(crate) fn next_handle(&self) -> H {
        let reused =
            self.first_free.and_then(|index| Some((index, self.slots.get(index as usize)?.generation)));
        let (index, generation) = reused.unwrap_or((self.slots.len() as u32, NonZeroU32::MIN));
        H::from_parts(index, generation)
    }

    /// Inserts an object that knows its own handle.
    ///
    /// # Panics
    /// As [`Arena::insert`].
    pub fn insert_with(&mut self, make: impl FnOnce(H) -> T) -> H {
        let reused = self.first_free.and_then(|index| Some((index, self.slots.get_mut(index as usize)?)));
        let handle = if let Some((index, slot)) = reused {
            let handle = H::from_parts(index, slot.generation);
            if let Content::Free { next } = slot.content {
                self.first_free = next;
            }
            slot.content = Content::Occupied(make(handle));
            self.editions.mark(index as usize);
            handle
        } else {
            let index = u32::try_from(self.slots.len()).expect("an arena holds fewer than 2^32 objects");
            let handle = H::from_parts(index, NonZeroU32::MIN);
            let content = Content::Occupied(make(handle));
            if self.slots.len() == self.slots.capacity() {
                // Grows by half instead of doubling: objects are large, and so is unused capacity.
                let more = (self.slots.len() / 2).max(4);
                self.slots.reserve_exact(more);
                self.editions.reserve(more);
            }
            self.slots.push(Slot { generation: NonZeroU32::MIN, content });
            self.editions.push();
            handle
        };
        self.occupied += 1;
        self.touched.note(handle.index());
        handle
    }

    /// Marks every slot as changed, for change tracking and for editions.
    fn note_all(&mut self) {
        self.touched.note_all(self.slots.len());
        self.editions.mark_all(self.slots.len());
    }

    /// Removes an object; its handle is dead from now on. A dead handle removes nothing.
    pub fn remove(&mut self, handle: H) -> Option<T> {
        let (content, vacated) = self.vacate(handle)?;
        match core::mem::replace(content, vacated) {
            Content::Occupied(value) => Some(value),
            Content::Free { .. } | Content::Retired => None,
        }
    }

    /// Removes an object and drops it in place, without moving it out as [`Arena::remove`] does. `false` if
    /// the handle was dead.
    pub fn discard(&mut self, handle: H) -> bool {
        let Some((content, vacated)) = self.vacate(handle) else { return false };
        *content = vacated;
        true
    }

    /// Frees the slot of a living object: its handle dies, and the slot joins the free list, or retires if it
    /// has no generation left. Returns the old content and the content that the caller must put in its place;
    /// `None` for a dead handle.
    fn vacate(&mut self, handle: H) -> Option<(&mut Content<T>, Content<T>)> {
        let slot = self.slots.get_mut(handle.index() as usize)?;
        if slot.generation != handle.generation() || !matches!(slot.content, Content::Occupied(_)) {
            return None;
        }
        let vacated = match slot.generation.checked_add(1) {
            Some(generation) => {
                slot.generation = generation.max(self.floor);
                Content::Free { next: self.first_free.replace(handle.index()) }
            }
            // A slot without generations left would allocate dead handles again.
            None => Content::Retired,
        };
        self.occupied -= 1;
        self.editions.mark(handle.index() as usize);
        Some((&mut slot.content, vacated))
    }

    /// The object with this handle, or `None` if the handle is dead.
    pub fn get(&self, handle: H) -> Option<&T> {
        self.slots.get(handle.index() as usize)?.occupant(handle.generation())
    }

    /// The object with this handle, mutably, or `None` if the handle is dead. It counts as changed, whether
    /// it is written or not.
    pub fn get_mut(&mut self, handle: H) -> Option<&mut T> {
        let at = handle.index() as usize;
        let slot = self.slots.get_mut(at)?;
        match &mut slot.content {
            Content::Occupied(value) if slot.generation == handle.generation() => {
                self.touched.note(handle.index());
                self.editions.mark(at);
                Some(value)
            }
            _ => None,
        }
    }

    /// Whether the handle is alive.
    pub fn contains(&self, handle: H) -> bool {
        self.get(handle).is_some()
    }

    /// Whether the handle was ever allocated, alive or dead.
    pub fn has_lived(&self, handle: H) -> bool {
        self.slots.get(handle.index() as usize).is_some_and(|slot| {
            let is_free = matches!(slot.content, Content::Free { .. });
            handle.generation() < slot.generation || (handle.generation() == slot.generation && !is_free)
        })
    }

    /// All objects, in index order.
    pub fn iter(&self) -> impl Iterator<Item = (H, &T)> + Clone {
        (0u32..).zip(&self.slots).filter_map(|(index, slot)| {
            let handle = H::from_parts(index, slot.generation);
            slot.occupant(slot.generation).map(|value| (handle, value))
        })
    }

    /// All objects, mutably, in index order. All of them count as changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (H, &mut T)> {
        self.note_all();
        (0u32..).zip(&mut self.slots).filter_map(|(index, slot)| match &mut slot.content {
            Content::Occupied(value) => Some((H::from_parts(index, slot.generation), value)),
            Content::Free { .. } | Content::Retired => None,
        })
    }

    /// A generation that no object of this arena has had.
    pub(crate) fn unused_generation(&self) -> NonZeroU32 {
        let used = self.slots.iter().map(|slot| match slot.content {
            // The generation of a free slot is that of its next object.
            Content::Free { .. } => slot.generation.get() - 1,
            Content::Occupied(_) | Content::Retired => slot.generation.get(),
        });
        let unused = used.max().unwrap_or_default().saturating_add(1);
        NonZeroU32::new(unused).map_or(self.floor, |unused| unused.max(self.floor))
    }

    /// Replaces the content: these objects live on under their handles, and all other handles are dead for
    /// good. The objects must be sorted by handle; of several for one slot the first counts. No generation
    /// below `floor` is allocated again.
    ///
    /// Objects in the same slots are overwritten and keep their memory (I6).
    pub(crate) fn refill<'a>(&mut self, objects: impl Iterator<Item = (H, &'a T)>, floor: NonZeroU32)
    where
        T: Clone + 'a,
    {
        self.floor = self.unused_generation().max(floor);
        self.first_free = None;
        self.occupied = 0;
        let mut next = 0;
        for (handle, object) in objects {
            let at = handle.index() as usize;
            if at < next {
                continue;
            }
            self.free_places(next..at);
            let generation = handle.generation();
            self.floor = self.floor.max(generation.saturating_add(1));
            match self.slots.get_mut(at) {
                None => self.slots.push(Slot { generation, content: Content::Occupied(object.clone()) }),
                Some(slot) => {
                    slot.generation = generation;
                    match &mut slot.content {
                        Content::Occupied(old) => old.clone_from(object),
                        content => *content = Content::Occupied(object.clone()),
                    }
                }
            }
            self.occupied += 1;
            next = at + 1;
        }
        self.free_places(next..self.slots.len());
        // From the last to the first, so that the first is allocated next.
        for index in (0..self.slots.len() as u32).rev() {
            let slot = &mut self.slots[index as usize];
            if let Content::Free { next } = &mut slot.content {
                *next = self.first_free.replace(index);
                slot.generation = slot.generation.max(self.floor);
            }
        }
        self.note_all();
    }

    /// Frees slots without linking them; creates missing ones.
    fn free_places(&mut self, places: core::ops::Range<usize>) {
        for at in places {
            match self.slots.get_mut(at) {
                None => {
                    let content = Content::Free { next: None };
                    self.slots.push(Slot { generation: self.floor, content });
                }
                Some(slot) if slot.generation == NonZeroU32::MAX => slot.content = Content::Retired,
                Some(slot) => slot.content = Content::Free { next: None },
            }
        }
    }

    /// The handles of all objects, in index order.
    pub fn handles(&self) -> impl Iterator<Item = H> + Clone {
        self.iter().map(|(handle, _)| handle)
    }
}

impl<H: Handle, T> Default for Arena<H, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<H, T: Clone> Clone for Arena<H, T> {
    fn clone(&self) -> Self {
        Self {
            slots: self.slots.clone(),
            first_free: self.first_free,
            occupied: self.occupied,
            floor: self.floor,
            touched: Touched::Ignored,
            editions: self.editions.clone(),
            handle: PhantomData,
        }
    }

    /// Copies the slots that differ. Keeps the allocation and the allocations of objects whose slots are
    /// occupied on both sides: restoring a snapshot every frame must not allocate (I6).
    fn clone_from(&mut self, source: &Self) {
        let Self { slots, first_free, occupied, floor, touched, editions, handle: PhantomData } = self;
        slots.truncate(source.slots.len());
        editions.follow(&source.editions, |at| {
            match slots.get_mut(at) {
                Some(slot) => slot.clone_from(&source.slots[at]),
                None => slots.push(source.slots[at].clone()),
            }
            touched.note(at as u32);
        });
        *floor = source.floor;
        *first_free = source.first_free;
        *occupied = source.occupied;
    }
}

impl<H: Handle, T: fmt::Debug> fmt::Debug for Arena<H, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<H, T: StateHash> StateHash for Arena<H, T> {
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        self.hash_with(hasher, |_, _| {});
    }
}

impl<H, T: StateHash> Arena<H, T> {
    /// Feeds the arena to `hasher`, including the free list in order: it decides which handles come next (I1).
    ///
    /// By record, `more` feeds what belongs to an object and is kept elsewhere. It must follow from what the
    /// object contains, and be the same function in every call.
    pub(crate) fn hash_with<S: HashSink>(&self, hasher: &mut S, more: impl Fn(&T, &mut RecordHasher)) {
        let Self { slots, first_free, occupied: _, floor: _, touched: _, editions, handle: PhantomData } =
            self;
        if S::BY_RECORD {
            (slots.len() as u64).state_hash(hasher);
            editions.hash(hasher, |at| {
                let mut record = RecordHasher::new();
                slots[at].state_hash(&mut record);
                if let Content::Occupied(value) = &slots[at].content {
                    more(value, &mut record);
                }
                record.finish()
            });
        } else {
            slots.state_hash(hasher);
        }
        first_free.state_hash(hasher);
    }
}

impl<H, T: Encode> Encode for Arena<H, T> {
    fn encode(&self, encoder: &mut Encoder) {
        let Self { slots, first_free, occupied: _, floor: _, touched: _, editions: _, handle: PhantomData } =
            self;
        slots.encode(encoder);
        first_free.encode(encoder);
    }
}

impl<H, T: Decode> Decode for Arena<H, T> {
    fn decode(decoder: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        let slots: Vec<Slot<T>> = Vec::decode(decoder)?;
        let first_free = Option::decode(decoder)?;
        let free = slots.iter().filter(|slot| matches!(slot.content, Content::Free { .. })).count();
        let occupied = slots.iter().filter(|slot| matches!(slot.content, Content::Occupied(_))).count();
        let occupied = u32::try_from(occupied).map_err(|_| decoder.invalid("an arena is too large"))?;
        // Following as many links as there are free slots must end at the last: then no slot is visited twice
        // and none is left out.
        let mut next = first_free;
        for _ in 0..free {
            let slot = next.and_then(|index: u32| slots.get(index as usize));
            match slot.map(|slot| &slot.content) {
                Some(Content::Free { next: after }) => next = *after,
                _ => return Err(decoder.invalid("the free list of an arena does not link all free slots")),
            }
        }
        if next.is_some() {
            return Err(decoder.invalid("the free list of an arena is a cycle"));
        }
        let editions = Editions::fresh(slots.len());
        Ok(Self {
            slots,
            first_free,
            occupied,
            floor: NonZeroU32::MIN,
            touched: Touched::Ignored,
            editions,
            handle: PhantomData,
        })
    }
}

#[derive(PartialEq, Eq)]
struct Slot<T> {
    /// Generation of the object, or of the next one if the slot is free.
    generation: NonZeroU32,
    content: Content<T>,
}

#[derive(Clone, PartialEq, Eq)]
enum Content<T> {
    Occupied(T),
    Free { next: Option<u32> },
    Retired,
}

impl<T> Slot<T> {
    /// The object in the slot, if it has this generation; `None` for free slots and dead handles.
    fn occupant(&self, generation: NonZeroU32) -> Option<&T> {
        match &self.content {
            Content::Occupied(value) if self.generation == generation => Some(value),
            _ => None,
        }
    }
}

impl<T: Clone> Clone for Slot<T> {
    fn clone(&self) -> Self {
        Self { generation: self.generation, content: self.content.clone() }
    }

    fn clone_from(&mut self, source: &Self) {
        self.generation = source.generation;
        match (&mut self.content, &source.content) {
            (Content::Occupied(mine), Content::Occupied(theirs)) => mine.clone_from(theirs),
            (mine, theirs) => *mine = theirs.clone(),
        }
    }
}

impl<T: StateHash> StateHash for Slot<T> {
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        self.generation.get().state_hash(hasher);
        match &self.content {
            Content::Occupied(value) => {
                hasher.number(0, 1);
                value.state_hash(hasher);
            }
            Content::Free { next } => {
                hasher.number(1, 1);
                next.state_hash(hasher);
            }
            Content::Retired => hasher.number(2, 1),
        }
    }
}

impl<T: Encode> Encode for Slot<T> {
    fn encode(&self, encoder: &mut Encoder) {
        self.generation.get().encode(encoder);
        match &self.content {
            Content::Occupied(value) => {
                encoder.byte(0);
                value.encode(encoder);
            }
            Content::Free { next } => {
                encoder.byte(1);
                next.encode(encoder);
            }
            Content::Retired => encoder.byte(2),
        }
    }
}

impl<T: Decode> Decode for Slot<T> {
    fn decode(decoder: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        let generation = NonZeroU32::new(u32::decode(decoder)?);
        let generation =
            generation.ok_or_else(|| decoder.invalid("the generation of an arena slot must not be 0"))?;
        let at = decoder.position() as u64;
        let content = match decoder.byte()? {
            0 => Content::Occupied(T::decode(decoder)?),
            1 => Content::Free { next: Option::decode(decoder)? },
            2 if generation == NonZeroU32::MAX => Content::Retired,
            2 => return Err(decoder.invalid("an arena slot is retired although it has generations left")),
            found => {
                return Err(DecodeError {
                    at,
                    kind: DecodeErrorKind::UnknownVariant { name: "Slot", found },
                });
            }
        };
        Ok(Self { generation, content })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{from_bytes, to_bytes};
    use crate::handle::TaskId;
    use crate::hash::StateHasher;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn task(index: u32, generation: u32) -> TaskId {
        TaskId::from_parts(index, NonZeroU32::new(generation).unwrap())
    }

    #[test]
    fn slot_freed_last_is_reused_first() {
        let mut arena = Arena::<TaskId, _>::new();
        let handles = ["a", "b", "c"].map(|name| arena.insert(name));
        arena.remove(handles[0]);
        arena.remove(handles[2]);
        assert_eq!(["d", "e", "f"].map(|name| arena.insert(name)), [task(2, 2), task(0, 2), task(3, 1)]);
        assert_eq!(arena.iter().map(|(_, name)| *name).collect::<String>(), "ebdf");
    }

    #[test]
    fn dead_handle_finds_and_removes_nothing() {
        let mut arena = Arena::new();
        let dead = arena.insert(1);
        arena.remove(dead);
        let alive = arena.insert(2);
        for absent in [dead, task(0, 3), task(7, 1)] {
            assert_eq!(arena.remove(absent), None);
            assert_eq!(arena.get(absent), None);
            assert_eq!(arena.get_mut(absent), None);
        }
        assert_eq!((arena.len(), arena.get(alive)), (1, Some(&2)));
        arena.remove(alive);
        // The slot is free and already has this generation, but no handle with it was allocated.
        assert_eq!(arena.get(task(0, 3)), None);
        assert_eq!(arena.remove(task(0, 3)), None);
    }

    #[test]
    fn insert_with_passes_the_new_handle() {
        let mut arena = Arena::new();
        arena.insert_with(|_| task(9, 9));
        let second = arena.insert_with(|own| own);
        assert_eq!(arena.get(second), Some(&second));
        for (handle, value) in arena.iter_mut() {
            *value = handle;
        }
        assert!(arena.iter().all(|(handle, value)| handle == *value));
    }

    #[test]
    fn slot_without_generations_is_retired() {
        let mut arena = Arena::new();
        arena.insert(1);
        arena.slots[0].generation = NonZeroU32::MAX;
        let last = task(0, u32::MAX);
        assert_eq!(arena.remove(last), Some(1));
        assert_eq!((arena.remove(last), arena.get(last), arena.len()), (None, None, 0));
        assert_eq!(arena.insert(2), task(1, 1));
        assert_eq!(arena.handles().collect::<Vec<_>>(), [task(1, 1)]);
    }

    #[test]
    fn clone_from_keeps_allocations() {
        let mut source: Arena<TaskId, Vec<u8>> = Arena::new();
        source.insert(vec![1]);
        let mut target = Arena::with_capacity(8);
        let kept = target.insert(Vec::with_capacity(100));
        target.insert(Vec::new());
        target.clone_from(&source);
        assert!(target == source);
        assert!(target.capacity() >= 8);
        assert!(target.get(kept).unwrap().capacity() >= 100);
    }

    #[test]
    fn free_list_order_is_hashed() {
        let freed = |order: [u32; 2]| {
            let mut arena: Arena<TaskId, u8> = Arena::new();
            arena.insert(0);
            arena.insert(1);
            for index in order {
                arena.remove(task(index, 1));
            }
            (StateHasher::of(&arena), RecordHasher::of(&arena))
        };
        let (first, other) = (freed([0, 1]), freed([1, 0]));
        assert!(first.0 != other.0 && first.1 != other.1);
        let empty = Arena::<TaskId, u8>::new();
        assert!(first.0 != StateHasher::of(&empty) && first.1 != RecordHasher::of(&empty));
    }

    /// Computed by another implementation of the definition in [`crate::hash`].
    #[test]
    fn hash_by_record_is_as_defined() {
        let mut arena: Arena<TaskId, u8> = Arena::new();
        assert_eq!(RecordHasher::of(&arena), 0x846B_898D_0EF3_B4D9);
        let handles: Vec<TaskId> = (0..300u32).map(|value| arena.insert(value as u8)).collect();
        assert_eq!(RecordHasher::of(&arena), 0xD5E9_D267_0DFE_6EDB);
        arena.remove(handles[7]);
        arena.remove(handles[290]);
        assert_eq!(RecordHasher::of(&arena), 0xBBA5_52CA_0889_F947);
    }

    #[test]
    fn only_written_slots_are_hashed_again() {
        use core::cell::RefCell;

        let mut arena: Arena<TaskId, u32> = Arena::new();
        let handles: Vec<TaskId> = (0..600).map(|value| arena.insert(value)).collect();
        let hashed = |arena: &Arena<TaskId, u32>| {
            let values = RefCell::new(Vec::new());
            arena.hash_with(&mut RecordHasher::new(), |value, _| values.borrow_mut().push(*value));
            values.into_inner()
        };
        assert_eq!(hashed(&arena).len(), 600);
        assert_eq!(hashed(&arena), []);
        *arena.get_mut(handles[300]).unwrap() = 1_000;
        arena.get_mut(handles[17]);
        arena.insert(2_000);
        let kept = arena.clone();
        assert_eq!(hashed(&arena), [17, 1_000, 2_000]);
        // A copy has no hashes of its own.
        assert_eq!(hashed(&kept).len(), 601);
        *arena.get_mut(handles[300]).unwrap() = 3_000;
        // Back to content that was hashed.
        arena.clone_from(&kept);
        assert_eq!(hashed(&arena), []);
        *arena.get_mut(handles[300]).unwrap() = 3_000;
        assert_eq!(hashed(&arena), [3_000]);
        arena.clone_from(&kept);
        assert_eq!(hashed(&arena), [1_000]);
    }

    #[test]
    fn i1_decoded_arena_allocates_the_same_handles() {
        let mut arena: Arena<TaskId, u8> = Arena::new();
        let handles: Vec<TaskId> = (0..5).map(|value| arena.insert(value)).collect();
        for at in [1, 4, 2] {
            arena.remove(handles[at]);
        }
        let mut read: Arena<TaskId, u8> = from_bytes(&to_bytes(&arena)).unwrap();
        assert!(read == arena);
        for value in 0..5 {
            assert_eq!(read.insert(value), arena.insert(value));
        }
    }

    #[test]
    fn decode_rejects_broken_free_list() {
        let check = |bytes: &[u8], kind| {
            assert_eq!(from_bytes::<Arena<TaskId, u8>>(bytes).err().map(|error| error.kind), kind);
        };
        let cycle = DecodeErrorKind::Invalid("the free list of an arena is a cycle");
        let unlinked = DecodeErrorKind::Invalid("the free list of an arena does not link all free slots");
        // Two slots of generation 2, each free and with the next free slot after it; then the head.
        check(&[2, 2, 1, 1, 1, 2, 1, 0, 1, 0], None);
        check(&[2, 2, 1, 1, 1, 2, 1, 1, 0, 1, 0], Some(cycle));
        check(&[2, 2, 1, 0, 2, 1, 0, 1, 0], Some(unlinked.clone()));
        check(&[2, 2, 1, 1, 9, 2, 1, 0, 1, 0], Some(unlinked.clone()));
        check(&[2, 2, 1, 0, 2, 0, 7, 1, 1], Some(unlinked.clone()));
        check(&[2, 2, 1, 0, 2, 1, 1, 0, 0], Some(unlinked));
        let used_up = DecodeErrorKind::Invalid("an arena slot is retired although it has generations left");
        check(&[1, 3, 2, 0], Some(used_up));
    }

    #[test]
    fn refill_replaces_content_and_revives_no_dead_handle() {
        let mut arena: Arena<TaskId, char> = Arena::new();
        let [a, b, c] = ['a', 'b', 'c'].map(|name| arena.insert(name));
        arena.remove(b);
        let younger = arena.insert('y');
        assert_eq!((younger, arena.unused_generation().get()), (task(1, 2), 3));
        // `b` returns to the slot of `y`; a new object follows after a gap.
        let new = task(4, 3);
        let floor = arena.unused_generation();
        arena.refill([(a, &'A'), (b, &'B'), (new, &'N')].into_iter(), floor);
        let content: Vec<_> = arena.iter().map(|(handle, name)| (handle, *name)).collect();
        assert_eq!((content.as_slice(), arena.len()), ([(a, 'A'), (b, 'B'), (new, 'N')].as_slice(), 3));
        assert!([younger, c].iter().all(|dead| !arena.contains(*dead)));
        arena.remove(b);
        let next = ["d", "e", "f"].map(|_| arena.insert('?'));
        // Generation 3 was given to the new object, so 4 is the lowest; slots 2 and 3 are free, then a sixth
        // is created.
        assert_eq!(next, [task(1, 4), task(2, 4), task(3, 4)]);
        assert_eq!(arena.insert('?'), task(5, 1));
        assert!(![a, b, c, younger, new].iter().any(|old| next.contains(old)));
        arena.refill(core::iter::empty(), NonZeroU32::MIN);
        assert_eq!((arena.len(), arena.insert('z')), (0, task(0, 5)));
        assert_eq!(arena.iter().count(), 1);
    }

    /// Change of one of several arenas that are copied over each other.
    #[derive(Clone, Debug)]
    enum Change {
        Insert(u32),
        /// Writes, removes or borrows the n-th slot, modulo their number.
        Write(usize, u32),
        Remove(usize),
        Borrow(usize),
        BorrowAll,
        /// Copies another arena over this one.
        Copy(usize),
        Refill(usize),
        /// Encodes and decodes it.
        Reread,
        Hash,
    }

    fn changes() -> impl Strategy<Value = Vec<(usize, Change)>> {
        let change = prop_oneof![
            8 => any::<u32>().prop_map(Change::Insert),
            4 => (any::<usize>(), any::<u32>()).prop_map(|(nth, value)| Change::Write(nth, value)),
            4 => any::<usize>().prop_map(Change::Remove),
            1 => any::<usize>().prop_map(Change::Borrow),
            1 => Just(Change::BorrowAll),
            3 => (0usize..3).prop_map(Change::Copy),
            1 => any::<usize>().prop_map(Change::Refill),
            1 => Just(Change::Reread),
            8 => Just(Change::Hash),
        ];
        // Several chapters of slots, so that pages and chapters are skipped.
        vec((0usize..3, change), 0..400)
    }

    fn change(arenas: &mut [Arena<TaskId, u32>; 3], at: usize, change: &Change) {
        let handle = |arena: &Arena<TaskId, u32>, nth: usize| {
            arena.handles().nth(nth % arena.len().max(1)).unwrap_or(task(0, 1))
        };
        let arena = &mut arenas[at];
        match *change {
            // In bunches, to get many slots.
            Change::Insert(value) => (0..value % 40).for_each(|more| {
                arena.insert(value ^ more);
            }),
            Change::Write(nth, value) => {
                let handle = handle(arena, nth);
                if let Some(slot) = arena.get_mut(handle) {
                    *slot = value;
                }
            }
            Change::Remove(nth) => drop(arena.remove(handle(arena, nth))),
            Change::Borrow(nth) => drop(arena.get_mut(handle(arena, nth))),
            Change::BorrowAll => arena.iter_mut().for_each(drop),
            Change::Copy(from) => {
                let source = core::mem::take(&mut arenas[from]);
                if at == from {
                    arenas[at] = source.clone();
                } else {
                    arenas[at].clone_from(&source);
                    arenas[from] = source;
                }
            }
            Change::Refill(nth) => {
                let kept: Vec<(TaskId, u32)> =
                    arena.iter().skip(nth % 7).step_by(2).map(|(id, value)| (id, *value)).collect();
                arena.refill(kept.iter().map(|(id, value)| (*id, value)), NonZeroU32::MIN);
            }
            Change::Reread => *arena = from_bytes(&to_bytes(arena)).unwrap(),
            Change::Hash => drop(RecordHasher::of(arena)),
        }
    }

    #[derive(Clone, Debug)]
    enum Step {
        Insert(u32),
        /// Removes the n-th allocated handle, modulo their number.
        Remove(usize),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![any::<u32>().prop_map(Step::Insert), any::<usize>().prop_map(Step::Remove)];
        vec(step, 0..200)
    }

    fn run(arena: &mut Arena<TaskId, u32>, steps: &[Step]) -> Vec<TaskId> {
        let mut given = Vec::new();
        for step in steps {
            match *step {
                Step::Insert(value) => given.push(arena.insert(value)),
                Step::Remove(nth) => {
                    given.get(nth % given.len().max(1)).map(|&handle| arena.remove(handle));
                }
            }
        }
        given
    }

    proptest! {
        #[test]
        fn arena_behaves_like_a_map(steps in steps()) {
            let mut arena = Arena::new();
            let mut model = BTreeMap::new();
            let mut given: Vec<TaskId> = Vec::new();
            for step in steps {
                match step {
                    Step::Insert(value) => {
                        let handle = arena.insert(value);
                        prop_assert!(!given.contains(&handle));
                        given.push(handle);
                        model.insert(handle, value);
                    }
                    Step::Remove(nth) if !given.is_empty() => {
                        let handle = given[nth % given.len()];
                        prop_assert_eq!(arena.remove(handle), model.remove(&handle));
                    }
                    Step::Remove(_) => {}
                }
                prop_assert_eq!(arena.len(), model.len());
                prop_assert_eq!(arena.is_empty(), model.is_empty());
            }
            // Handles sort by index first, so the model's order is the arena's.
            prop_assert!(arena.iter().eq(model.iter().map(|(&handle, value)| (handle, value))));
            for handle in given {
                prop_assert_eq!(arena.get(handle), model.get(&handle));
                prop_assert_eq!(arena.contains(handle), model.contains_key(&handle));
            }
        }

        #[test]
        fn copies_allocate_the_same_handles(before in steps(), other in steps(), after in steps()) {
            let mut original = Arena::new();
            run(&mut original, &before);
            let mut copy = original.clone();
            let mut overwritten = Arena::new();
            run(&mut overwritten, &other);
            overwritten.clone_from(&original);
            prop_assert!(copy == original && overwritten == original);
            let expected = run(&mut original, &after);
            prop_assert_eq!(run(&mut copy, &after), expected.clone());
            prop_assert_eq!(run(&mut overwritten, &after), expected);
            prop_assert_eq!(StateHasher::of(&copy), StateHasher::of(&original));
            prop_assert_eq!(StateHasher::of(&overwritten), StateHasher::of(&original));
        }

        #[test]
        fn cached_hashes_and_copies_are_those_of_the_content(changes in changes()) {
            let mut arenas = [(); 3].map(|()| Arena::<TaskId, u32>::new());
            for (at, step) in &changes {
                let source = if let Change::Copy(from) = step { Some(arenas[*from].slots.clone()) } else { None };
                change(&mut arenas, *at, step);
                if let Some(source) = source {
                    prop_assert!(arenas[*at].slots == source, "{step:?} into {at}");
                }
                if matches!(step, Change::Hash) {
                    let read: Arena<TaskId, u32> = from_bytes(&to_bytes(&arenas[*at])).unwrap();
                    prop_assert_eq!(RecordHasher::of(&arenas[*at]), RecordHasher::of(&read), "{:?} of {}", step, at);
                }
            }
        }
    }

    #[test]
    fn touches_are_recorded_once_watched() {
        let mut arena: Arena<TaskId, u32> = Arena::new();
        let (first, second) = (arena.insert(1), arena.insert(2));
        let touched = |arena: &mut Arena<TaskId, u32>| {
            let mut touched = Vec::new();
            arena.take_touched(|_, value| touched.push(*value));
            touched
        };
        assert_eq!(touched(&mut arena), []); // not watched yet
        arena.watch_touches();
        assert_eq!(touched(&mut arena), [1, 2]);
        assert_eq!(touched(&mut arena), []);
        *arena.get_mut(second).unwrap() = 20;
        arena.get_mut(second);
        assert_eq!(touched(&mut arena), [20]);
        arena.remove(first);
        arena.insert(3);
        arena.insert(4);
        assert_eq!(touched(&mut arena), [3, 4]); // the slot of the first was reused
        arena.iter_mut().for_each(drop);
        assert_eq!(touched(&mut arena), [3, 20, 4]);
        assert_eq!(arena, arena.clone());
    }
}
