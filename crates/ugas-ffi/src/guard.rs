//! The way into a context: checked, alone, and with panics caught.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::context::Context;
use crate::memory::Memory;
use crate::status::{Failure, Outcome, ugas_status};

/// What a live context begins with; no text and no pointer looks like it.
const ALIVE: u64 = 0x5547_4153_C0DE_0001;

/// Everything that a host has: its catalogs, simulations and snapshots. Made by `ugas_context_new`, freed by
/// `ugas_context_free`, used by one thread at a time.
pub struct ugas_context {
    alive: AtomicU64,
    busy: AtomicBool,
    inner: UnsafeCell<Context>,
}

impl ugas_context {
    /// A context in memory of its own, to be taken back by [`free`].
    pub(crate) fn allocate() -> *mut Self {
        let shell = Box::new(Self {
            alive: AtomicU64::new(ALIVE),
            busy: AtomicBool::new(false),
            inner: UnsafeCell::new(Context::new(0)),
        });
        let shell = Box::into_raw(shell);
        // Two contexts that live at the same time are at different addresses: that tells their handles apart.
        let address = shell.addr() as u64 >> 4;
        let mark = (address ^ address >> 16 ^ address >> 32) as u16;
        // SAFETY: just made, and nobody else knows it.
        unsafe { (*shell).inner = UnsafeCell::new(Context::new(mark)) };
        shell
    }
}

/// Ends a context. Refused while it is in use.
///
/// # Safety
/// As for [`enter`]; and no pointer to it is used afterwards.
pub(crate) unsafe fn free(context: *mut ugas_context) -> ugas_status {
    // SAFETY: as promised by the caller.
    let Some(shell) = (unsafe { find(context) }) else { return ugas_status::BadContext };
    if shell.busy.swap(true, Ordering::Acquire) {
        return ugas_status::Busy;
    }
    shell.alive.store(0, Ordering::Relaxed);
    // SAFETY: it came from `allocate`, as its mark tells, and nobody else is in it.
    let shell = unsafe { Box::from_raw(context) };
    match catch_unwind(AssertUnwindSafe(|| drop(shell))) {
        Ok(()) => ugas_status::Ok,
        Err(_) => ugas_status::Panic,
    }
}

/// Comes to a context.
///
/// # Safety
/// `context` is null or was made by `ugas_context_new`. That it is still alive is checked as far as memory that was freed
/// can tell. The other pointers of the C function are as the header wants them; see [`Memory::of_call`].
pub(crate) unsafe fn enter<'a>(context: *const ugas_context) -> Entry<'a> {
    // SAFETY: as promised by the caller.
    let shell = unsafe { find(context) };
    // SAFETY: as promised by the caller.
    let memory = unsafe { Memory::of_call() };
    Entry { shell, memory }
}

/// # Safety
/// As for [`enter`].
unsafe fn find<'a>(context: *const ugas_context) -> Option<&'a ugas_context> {
    if context.is_null() || !context.addr().is_multiple_of(align_of::<ugas_context>()) {
        return None;
    }
    // SAFETY: not null and aligned; the rest is the promise of the caller.
    let shell = unsafe { &*context };
    (shell.alive.load(Ordering::Relaxed) == ALIVE).then_some(shell)
}

/// A call that has come to a context, or to something that is none.
pub(crate) struct Entry<'a> {
    shell: Option<&'a ugas_context>,
    memory: Memory<'a>,
}

impl Entry<'_> {
    /// Carries the call out, unless another one is under way, and keeps what went wrong.
    pub(crate) fn run(self, call: impl FnOnce(&mut Context, Memory<'_>) -> Outcome) -> ugas_status {
        let memory = self.memory;
        self.alone(|context| {
            // What the last call told of is over; but a host may give its words to this very call.
            let _told = context.take_failure();
            let failure = match catch_unwind(AssertUnwindSafe(|| call(context, memory))) {
                Ok(Ok(())) => return ugas_status::Ok,
                Ok(Err(failure)) => failure,
                Err(panic) => Failure::new(ugas_status::Panic, words_of(&*panic)),
            };
            let status = failure.status;
            context.keep(failure);
            status
        })
    }

    /// Looks at what the last call left, and leaves it.
    pub(crate) fn look(self, call: impl FnOnce(&mut Context, Memory<'_>) -> Outcome) -> ugas_status {
        let memory = self.memory;
        self.alone(|context| match catch_unwind(AssertUnwindSafe(|| call(context, memory))) {
            Ok(Ok(())) => ugas_status::Ok,
            Ok(Err(failure)) => failure.status,
            Err(_) => ugas_status::Panic,
        })
    }

    fn alone(self, call: impl FnOnce(&mut Context) -> ugas_status) -> ugas_status {
        let Some(shell) = self.shell else { return ugas_status::BadContext };
        if shell.busy.swap(true, Ordering::Acquire) {
            return ugas_status::Busy;
        }
        // SAFETY: whoever set `busy` is alone until it is cleared, and that is here.
        let status = call(unsafe { &mut *shell.inner.get() });
        shell.busy.store(false, Ordering::Release);
        status
    }
}

fn words_of(panic: &(dyn core::any::Any + Send)) -> String {
    let words = panic.downcast_ref::<&str>().copied();
    let words = words.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("a mistake of the library: {}", words.unwrap_or("it panicked without words"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_status_and_the_context_lives_on() {
        let context = ugas_context::allocate();
        // SAFETY: just made.
        let status = unsafe { enter(context) }.run(|_, _| panic!("on purpose"));
        assert_eq!(status, ugas_status::Panic);
        // SAFETY: just made.
        let status = unsafe { enter(context) }.look(|context, _| {
            assert_eq!(context.error(), "a mistake of the library: on purpose");
            Ok(())
        });
        assert_eq!(status, ugas_status::Ok);
        // SAFETY: made above, and not used again.
        assert_eq!(unsafe { free(context) }, ugas_status::Ok);
    }

    #[test]
    fn a_context_is_used_by_one_at_a_time() {
        let context = ugas_context::allocate();
        // SAFETY: just made.
        let outer = unsafe { enter(context) }.run(|_, _| {
            // SAFETY: as above.
            assert_eq!(unsafe { enter(context) }.run(|_, _| Ok(())), ugas_status::Busy);
            // SAFETY: as above.
            assert_eq!(unsafe { free(context) }, ugas_status::Busy);
            Ok(())
        });
        assert_eq!(outer, ugas_status::Ok);
        // SAFETY: made above, and not used again.
        assert_eq!(unsafe { free(context) }, ugas_status::Ok);
    }
}
