//! Handle tables: objects of a context behind 64-bit handles that can be checked.
//!
//! A handle holds the kind of the object, a mark of the context, a slot index and the generation of the slot.
//! The generation detects freed handles; the upper bits detect handles of another kind or context.

const INDEX_BITS: u32 = 20;
const GENERATION_BITS: u32 = 20;
const MAX_SLOTS: u64 = 1 << INDEX_BITS;
const LAST_GENERATION: u32 = (1 << GENERATION_BITS) - 1;

/// Kind of object behind a handle. It is never zero, so no handle is zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Kind {
    Loader = 1,
    Catalog = 2,
    Simulation = 3,
    Snapshot = 4,
    Mapper = 5,
}

/// All objects of one kind.
pub(crate) struct Table<T> {
    prefix: u64,
    slots: Vec<Slot<T>>,
    free: Vec<u32>,
}

struct Slot<T> {
    generation: u32,
    item: Option<T>,
}

impl<T> Table<T> {
    /// An empty table; `mark` distinguishes contexts.
    pub(crate) fn new(kind: Kind, mark: u16) -> Self {
        let prefix = u64::from(kind as u8) << 16 | u64::from(mark);
        Self { prefix: prefix << (INDEX_BITS + GENERATION_BITS), slots: Vec::new(), free: Vec::new() }
    }

    /// Inserts an object and returns its handle; `None` if the table is full.
    pub(crate) fn insert(&mut self, item: T) -> Option<u64> {
        let index = match self.free.pop() {
            Some(index) => index,
            None if (self.slots.len() as u64) < MAX_SLOTS => {
                self.slots.push(Slot { generation: 1, item: None });
                (self.slots.len() - 1) as u32
            }
            None => return None,
        };
        let slot = self.slots.get_mut(index as usize)?;
        slot.item = Some(item);
        Some(self.prefix | u64::from(slot.generation) << INDEX_BITS | u64::from(index))
    }

    pub(crate) fn get(&self, handle: u64) -> Option<&T> {
        let (index, generation) = self.parts(handle)?;
        self.slots.get(index).filter(|slot| slot.generation == generation)?.item.as_ref()
    }

    pub(crate) fn get_mut(&mut self, handle: u64) -> Option<&mut T> {
        let (index, generation) = self.parts(handle)?;
        self.slots.get_mut(index).filter(|slot| slot.generation == generation)?.item.as_mut()
    }

    /// Removes an object. Its slot is reused until its generations are used up.
    pub(crate) fn remove(&mut self, handle: u64) -> Option<T> {
        let (index, generation) = self.parts(handle)?;
        let slot = self.slots.get_mut(index).filter(|slot| slot.generation == generation)?;
        let item = slot.item.take()?;
        if slot.generation < LAST_GENERATION {
            slot.generation += 1;
            self.free.push(index as u32);
        }
        Some(item)
    }

    /// Index and generation of a handle; `None` if it is of another kind or context.
    fn parts(&self, handle: u64) -> Option<(usize, u32)> {
        let mask = (1 << (INDEX_BITS + GENERATION_BITS)) - 1;
        if handle & !mask != self.prefix {
            return None;
        }
        let index = handle & (MAX_SLOTS - 1);
        let generation = (handle >> INDEX_BITS) as u32 & LAST_GENERATION;
        Some((index as usize, generation))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freed_foreign_and_wrong_kind_handles_are_not_found() {
        let mut own = Table::new(Kind::Catalog, 7);
        let mut foreign = Table::new(Kind::Catalog, 8);
        let mut other = Table::new(Kind::Snapshot, 7);
        let first = own.insert('a').unwrap();
        let foreign_handle = foreign.insert('b').unwrap();
        let other_kind = other.insert('c').unwrap();
        assert_ne!(first, 0);
        assert_eq!((own.get(foreign_handle), own.get(other_kind), own.get(0)), (None, None, None));
        assert_eq!(own.remove(first), Some('a'));
        let second = own.insert('d').unwrap();
        assert_eq!(own.get(first), None);
        assert_eq!(own.remove(first), None);
        assert_eq!(own.get_mut(second), Some(&mut 'd'));
    }

    #[test]
    fn slot_with_used_up_generations_is_not_reused() {
        let mut table = Table::new(Kind::Loader, 1);
        let first = table.insert(0).unwrap();
        table.remove(first);
        table.slots[0].generation = LAST_GENERATION;
        let last = table.insert(1).unwrap();
        assert_eq!(table.remove(last), Some(1));
        let next = table.insert(2).unwrap();
        assert_eq!((next & (MAX_SLOTS - 1), table.get(last)), (1, None));
    }
}
