//! Counting allocator: number of allocations and live bytes per thread.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static CALLS: Cell<u64> = const { Cell::new(0) };
    static BYTES: Cell<i64> = const { Cell::new(0) };
}

/// Number of allocations of this thread.
pub(crate) fn allocations() -> u64 {
    CALLS.with(Cell::get)
}

/// Bytes allocated minus bytes freed by this thread.
pub(crate) fn live_bytes() -> i64 {
    BYTES.with(Cell::get)
}

fn count(calls: u64, bytes: i64) {
    // The counters of an ending thread are gone; they are not read anymore.
    let _ = CALLS.try_with(|counter| counter.set(counter.get() + calls));
    let _ = BYTES.try_with(|counter| counter.set(counter.get() + bytes));
}

// SAFETY: every call is passed on to `System` with the same arguments, so its guarantees are ours; counting neither
// allocates (the counters are constant-initialised thread locals without a destructor) nor touches the
// memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(1, layout.size() as i64);
        // SAFETY: the caller keeps the contract of `alloc`, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(1, layout.size() as i64);
        // SAFETY: the caller keeps the contract of `alloc_zeroed`, which is the same.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(0, -(layout.size() as i64));
        // SAFETY: the caller keeps the contract of `dealloc`; the memory came from `System`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(1, size as i64 - layout.size() as i64);
        // SAFETY: the caller keeps the contract of `realloc`; the memory came from `System`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;
