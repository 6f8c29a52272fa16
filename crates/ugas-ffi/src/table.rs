//! Objects of a context behind numbers that can be checked.
//!
//! A number holds the kind of the object, a mark of the context, a place and its generation. A dead one finds a place
//! with another generation, one of another kind or context is recognised by its upper bits.

const PLACE_BITS: u32 = 20;
const GENERATION_BITS: u32 = 20;
const MOST: u64 = 1 << PLACE_BITS;
const LAST_GENERATION: u32 = (1 << GENERATION_BITS) - 1;

/// What kind of object a number is for. Zero is none, so no number is zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Kind {
    Loader = 1,
    Catalog = 2,
    Simulation = 3,
    Snapshot = 4,
    Mapper = 5,
}

/// The objects of one kind.
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
    /// An empty table; `mark` tells contexts apart.
    pub(crate) fn new(kind: Kind, mark: u16) -> Self {
        let prefix = u64::from(kind as u8) << 16 | u64::from(mark);
        Self { prefix: prefix << (PLACE_BITS + GENERATION_BITS), slots: Vec::new(), free: Vec::new() }
    }

    /// Takes an object in; `None` if there are too many.
    pub(crate) fn insert(&mut self, item: T) -> Option<u64> {
        let place = match self.free.pop() {
            Some(place) => place,
            None if (self.slots.len() as u64) < MOST => {
                self.slots.push(Slot { generation: 1, item: None });
                (self.slots.len() - 1) as u32
            }
            None => return None,
        };
        let slot = self.slots.get_mut(place as usize)?;
        slot.item = Some(item);
        Some(self.prefix | u64::from(slot.generation) << PLACE_BITS | u64::from(place))
    }

    pub(crate) fn get(&self, number: u64) -> Option<&T> {
        let (place, generation) = self.parts(number)?;
        self.slots.get(place).filter(|slot| slot.generation == generation)?.item.as_ref()
    }

    pub(crate) fn get_mut(&mut self, number: u64) -> Option<&mut T> {
        let (place, generation) = self.parts(number)?;
        self.slots.get_mut(place).filter(|slot| slot.generation == generation)?.item.as_mut()
    }

    /// Takes an object out. Its place is used again until its generations are used up.
    pub(crate) fn remove(&mut self, number: u64) -> Option<T> {
        let (place, generation) = self.parts(number)?;
        let slot = self.slots.get_mut(place).filter(|slot| slot.generation == generation)?;
        let item = slot.item.take()?;
        if slot.generation < LAST_GENERATION {
            slot.generation += 1;
            self.free.push(place as u32);
        }
        Some(item)
    }

    fn parts(&self, number: u64) -> Option<(usize, u32)> {
        let mask = (1 << (PLACE_BITS + GENERATION_BITS)) - 1;
        if number & !mask != self.prefix {
            return None;
        }
        let place = number & (MOST - 1);
        let generation = (number >> PLACE_BITS) as u32 & LAST_GENERATION;
        Some((place as usize, generation))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dead_the_foreign_and_other_kinds_are_not_found() {
        let mut own = Table::new(Kind::Catalog, 7);
        let mut foreign = Table::new(Kind::Catalog, 8);
        let mut other = Table::new(Kind::Snapshot, 7);
        let first = own.insert('a').unwrap();
        let strange = foreign.insert('b').unwrap();
        let unlike = other.insert('c').unwrap();
        assert_ne!(first, 0);
        assert_eq!((own.get(strange), own.get(unlike), own.get(0)), (None, None, None));
        assert_eq!(own.remove(first), Some('a'));
        let second = own.insert('d').unwrap();
        assert_eq!(own.get(first), None);
        assert_eq!(own.remove(first), None);
        assert_eq!(own.get_mut(second), Some(&mut 'd'));
    }

    #[test]
    fn a_place_whose_generations_are_used_up_is_left_alone() {
        let mut table = Table::new(Kind::Loader, 1);
        let first = table.insert(0).unwrap();
        table.remove(first);
        table.slots[0].generation = LAST_GENERATION;
        let last = table.insert(1).unwrap();
        assert_eq!(table.remove(last), Some(1));
        let next = table.insert(2).unwrap();
        assert_eq!((next & (MOST - 1), table.get(last)), (1, None));
    }
}
