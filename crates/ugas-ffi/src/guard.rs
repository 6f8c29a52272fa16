//! Entering a context: checks the pointer, excludes other calls and catches panics.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::context::Context;
use crate::memory::Memory;
use crate::status::{Failure, Outcome, ugas_status};

/// Magic number at the start of a live context; no text and no pointer looks like it.
const ALIVE: u64 = 0x5547_4153_C0DE_0001;

/// All objects of a host: its catalogs, simulations and snapshots. Created by `ugas_context_new`, freed by
/// `ugas_context_free`, used by one thread at a time.
pub struct ugas_context {
    alive: AtomicU64,
    busy: AtomicBool,
    inner: UnsafeCell<Context>,
}

impl ugas_context {
    /// Allocates a context, to be freed by [`free`].
    pub(crate) fn allocate() -> *mut Self {
        let shell = Box::new(Self {
            alive: AtomicU64::new(ALIVE),
            busy: AtomicBool::new(false),
            inner: UnsafeCell::new(Context::new(0)),
        });
        let shell = Box::into_raw(shell);
        // Two live contexts have different addresses, so the mark distinguishes their handles.
        let address = shell.addr() as u64 >> 4;
        let mark = (address ^ address >> 16 ^ address >> 32) as u16;
        // SAFETY: just created, and not shared yet.
        unsafe { (*shell).inner = UnsafeCell::new(Context::new(mark)) };
        shell
    }
}

/// Frees a context. Refused while it is in use.
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
    // SAFETY: it came from `allocate`, as its magic number shows, and no other call is in it.
    let shell = unsafe { Box::from_raw(context) };
    match catch_unwind(AssertUnwindSafe(|| drop(shell))) {
        Ok(()) => ugas_status::Ok,
        Err(_) => ugas_status::Panic,
    }
}

/// Enters a context.
///
/// # Safety
/// `context` is null or was created by `ugas_context_new`. Whether it was freed is checked as far as freed
/// memory allows. The other pointers of the C function are as the header requires; see [`Memory::of_call`].
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
    // SAFETY: not null and aligned; the caller promises the rest.
    let shell = unsafe { &*context };
    (shell.alive.load(Ordering::Relaxed) == ALIVE).then_some(shell)
}

/// A call that entered a context, or was given an invalid pointer.
pub(crate) struct Entry<'a> {
    shell: Option<&'a ugas_context>,
    memory: Memory<'a>,
}

impl Entry<'_> {
    /// Executes the call, unless another one is under way, and stores its failure.
    pub(crate) fn run(self, call: impl FnOnce(&mut Context, Memory<'_>) -> Outcome) -> ugas_status {
        let memory = self.memory;
        self.exclusively(|context| {
            // The previous failure is cleared, but kept alive during the call: the host may pass its text to
            // this call.
            let _previous = context.take_failure();
            let failure = match catch_unwind(AssertUnwindSafe(|| call(context, memory))) {
                Ok(Ok(())) => return ugas_status::Ok,
                Ok(Err(failure)) => failure,
                Err(panic) => Failure::new(ugas_status::Panic, message_of(&*panic)),
            };
            let status = failure.status;
            context.set_failure(failure);
            status
        })
    }

    /// Executes a call that reads the outcome of the last one, without clearing it.
    pub(crate) fn look(self, call: impl FnOnce(&mut Context, Memory<'_>) -> Outcome) -> ugas_status {
        let memory = self.memory;
        self.exclusively(|context| match catch_unwind(AssertUnwindSafe(|| call(context, memory))) {
            Ok(Ok(())) => ugas_status::Ok,
            Ok(Err(failure)) => failure.status,
            Err(_) => ugas_status::Panic,
        })
    }

    fn exclusively(self, call: impl FnOnce(&mut Context) -> ugas_status) -> ugas_status {
        let Some(shell) = self.shell else { return ugas_status::BadContext };
        if shell.busy.swap(true, Ordering::Acquire) {
            return ugas_status::Busy;
        }
        // SAFETY: `busy` excludes every other call until it is cleared below.
        let status = call(unsafe { &mut *shell.inner.get() });
        shell.busy.store(false, Ordering::Release);
        status
    }
}

fn message_of(panic: &(dyn core::any::Any + Send)) -> String {
    let message = panic.downcast_ref::<&str>().copied();
    let message = message.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("the library panicked: {}", message.unwrap_or("no message"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panic_in_a_call_becomes_a_status_and_keeps_the_context() {
        let context = ugas_context::allocate();
        // SAFETY: just created.
        let status = unsafe { enter(context) }.run(|_, _| panic!("on purpose"));
        assert_eq!(status, ugas_status::Panic);
        // SAFETY: just created.
        let status = unsafe { enter(context) }.look(|context, _| {
            assert_eq!(context.error(), "the library panicked: on purpose");
            Ok(())
        });
        assert_eq!(status, ugas_status::Ok);
        // SAFETY: created above, and not used again.
        assert_eq!(unsafe { free(context) }, ugas_status::Ok);
    }

    #[test]
    fn context_refuses_nested_calls_as_busy() {
        let context = ugas_context::allocate();
        // SAFETY: just created.
        let outer = unsafe { enter(context) }.run(|_, _| {
            // SAFETY: as above.
            assert_eq!(unsafe { enter(context) }.run(|_, _| Ok(())), ugas_status::Busy);
            // SAFETY: as above.
            assert_eq!(unsafe { free(context) }, ugas_status::Busy);
            Ok(())
        });
        assert_eq!(outer, ugas_status::Ok);
        // SAFETY: created above, and not used again.
        assert_eq!(unsafe { free(context) }, ugas_status::Ok);
    }
}
