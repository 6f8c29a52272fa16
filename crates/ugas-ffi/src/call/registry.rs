//! Numbers for the calls of callbacks that are under way.
//!
//! A callback gets a number instead of a pointer: it finds its call in a list of the thread that runs the callback. A
//! number that was kept finds nothing once its callback has returned, and nothing on another thread.

use core::cell::RefCell;
use core::ptr::NonNull;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{Callee, ugas_call};
use crate::memory::Memory;
use crate::status::{Failure, Outcome, ugas_status};

thread_local! {
    static CALLS: RefCell<Calls> = const { RefCell::new(Calls { last: 0, live: Vec::new() }) };
}

struct Calls {
    /// The last number that was given out.
    last: u64,
    /// Innermost last: a callback may use another context, whose callbacks come later.
    live: Vec<LiveCall>,
}

struct LiveCall {
    number: ugas_call,
    /// `None` while a function uses it.
    callee: Option<NonNull<dyn Callee>>,
    has_panicked: bool,
}

/// Runs a callback with the number of its call.
///
/// # Panics
/// If the library panicked in a function that the callback called. The outer call reports it to the host.
pub(super) fn during<R>(callee: &mut (dyn Callee + '_), callback: impl FnOnce(ugas_call) -> R) -> R {
    let callee = NonNull::from(callee);
    // SAFETY: only the lifetime changes. The pointer is removed before this function returns, which is before the
    // borrow of `callee` ends.
    let callee: NonNull<dyn Callee> =
        unsafe { core::mem::transmute::<NonNull<dyn Callee + '_>, NonNull<dyn Callee>>(callee) };
    let number = CALLS.with_borrow_mut(|calls| {
        calls.last += 1;
        let number = calls.last;
        calls.live.push(LiveCall { number, callee: Some(callee), has_panicked: false });
        number
    });
    let entered = Entered(number);
    let result = callback(number);
    assert!(!entered.leave(), "a function that a callback called has panicked");
    result
}

/// Removes a call when its callback ends.
struct Entered(ugas_call);

impl Entered {
    /// Removes the call. Returns whether a function panicked in it.
    fn leave(self) -> bool {
        remove(self.0).is_some_and(|call| call.has_panicked)
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        let _removed = remove(self.0);
    }
}

fn remove(number: ugas_call) -> Option<LiveCall> {
    CALLS.with_borrow_mut(|calls| {
        let at = calls.live.iter().rposition(|live| live.number == number)?;
        Some(calls.live.remove(at))
    })
}

/// Enters the call of a callback.
///
/// # Safety
/// As for [`Memory::of_call`].
pub(super) unsafe fn enter_call<'a>(call: ugas_call) -> CallEntry<'a> {
    // SAFETY: as promised by the caller.
    CallEntry { call, memory: unsafe { Memory::of_call() } }
}

/// A function that a callback called.
pub(super) struct CallEntry<'a> {
    call: ugas_call,
    memory: Memory<'a>,
}

impl CallEntry<'_> {
    /// Executes the function, unless the number is not that of a live call of this thread.
    pub(super) fn run(self, function: impl FnOnce(&mut dyn Callee, Memory<'_>) -> Outcome) -> ugas_status {
        let taken = change(self.call, |live| live.callee.take());
        let mut callee = match taken {
            None => return ugas_status::BadHandle,
            Some(None) => return ugas_status::Busy,
            Some(Some(callee)) => callee,
        };
        // SAFETY: `during` has not returned, because the call is still in the list; it does not use the callee itself,
        // and nobody else does, because it was taken out of the list.
        let target = unsafe { callee.as_mut() };
        let result = catch_unwind(AssertUnwindSafe(|| function(target, self.memory)));
        let has_panicked = result.is_err();
        change(self.call, |live| {
            live.callee = Some(callee);
            live.has_panicked |= has_panicked;
        });
        match result {
            Ok(Ok(())) => ugas_status::Ok,
            Ok(Err(Failure { status, .. })) => status,
            Err(_) => ugas_status::Panic,
        }
    }
}

/// Changes the entry of a call; `None` if there is no such call on this thread.
fn change<R>(call: ugas_call, change: impl FnOnce(&mut LiveCall) -> R) -> Option<R> {
    let changed = CALLS.try_with(|calls| {
        let mut calls = calls.borrow_mut();
        calls.live.iter_mut().rev().find(|live| live.number == call).map(change)
    });
    changed.ok().flatten()
}

#[cfg(test)]
mod tests {
    use ugas_core::catalog::Catalog;
    use ugas_core::simulation::{Config, Simulation};

    use super::*;

    struct Idle(Simulation);

    impl Callee for Idle {
        fn simulation(&self) -> &Simulation {
            &self.0
        }
    }

    fn idle() -> Idle {
        Idle(Simulation::new(Catalog::builder().build().unwrap(), Config::seeded(1)))
    }

    fn run(call: ugas_call, function: impl FnOnce(&mut dyn Callee) -> Outcome) -> ugas_status {
        // SAFETY: no pointer is used.
        unsafe { enter_call(call) }.run(|callee, _| function(callee))
    }

    #[test]
    fn number_is_dead_after_its_callback_and_on_other_threads() {
        let kept = during(&mut idle(), |call| {
            assert_eq!(run(call, |_| Ok(())), ugas_status::Ok);
            let elsewhere = std::thread::spawn(move || run(call, |_| Ok(()))).join().unwrap();
            assert_eq!(elsewhere, ugas_status::BadHandle);
            call
        });
        assert_eq!(run(kept, |_| Ok(())), ugas_status::BadHandle);
        assert_eq!(run(0, |_| Ok(())), ugas_status::BadHandle);
    }

    #[test]
    fn call_is_busy_inside_one_of_its_functions() {
        during(&mut idle(), |call| {
            let outer = run(call, |_| {
                assert_eq!(run(call, |_| Ok(())), ugas_status::Busy);
                // Another call, as of another context in the same thread, is open beside it.
                during(&mut idle(), |inner| assert_eq!(run(inner, |_| Ok(())), ugas_status::Ok));
                Ok(())
            });
            assert_eq!(outer, ugas_status::Ok);
        });
    }

    #[test]
    fn panic_in_a_function_reaches_the_outer_call() {
        let result = catch_unwind(|| {
            during(&mut idle(), |call| {
                assert_eq!(run(call, |_| panic!("on purpose")), ugas_status::Panic);
            });
        });
        assert!(result.is_err());
        // The list is clean again.
        during(&mut idle(), |call| assert_eq!(run(call, |_| Ok(())), ugas_status::Ok));
        CALLS.with_borrow(|calls| assert!(calls.live.is_empty()));
    }
}
