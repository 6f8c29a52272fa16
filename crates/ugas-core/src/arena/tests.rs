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
