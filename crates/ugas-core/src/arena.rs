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
                // Grows by an eighth instead of doubling: objects are large, and so is unused capacity.
                let more = (self.slots.len() / 8).max(4);
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

    /// The object with this handle, to be read first and [touched](Entry::touch) only if it changes; `None` if the
    /// handle is dead.
    #[inline(always)]
    pub(crate) fn entry(&mut self, handle: H) -> Option<Entry<'_, T>> {
        let slot = self.slots.get_mut(handle.index() as usize)?;
        match &mut slot.content {
            Content::Occupied(value) if slot.generation == handle.generation() => Some(Entry {
                value,
                index: handle.index(),
                touched: &mut self.touched,
                editions: &mut self.editions,
            }),
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

/// An object that does not count as changed yet.
pub(crate) struct Entry<'a, T> {
    value: &'a mut T,
    index: u32,
    touched: &'a mut Touched,
    editions: &'a mut Editions,
}

impl<'a, T> Entry<'a, T> {
    #[inline(always)]
    pub(crate) fn get(&self) -> &T {
        self.value
    }

    /// The object, mutably; it counts as changed.
    #[inline(always)]
    pub(crate) fn touch(self) -> &'a mut T {
        self.touched.note(self.index);
        self.editions.mark(self.index as usize);
        self.value
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
mod tests;
