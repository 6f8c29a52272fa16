//! Rules that hold for every function of the interface.

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

use ugas_ffi::*;

use crate::host::{Host, copied, slash, text};

#[test]
fn other_abi_version_is_refused() {
    let mut context = null_mut();
    // SAFETY: a local variable.
    let status = unsafe { ugas_context_new(UGAS_ABI_VERSION + 1, &raw mut context) };
    assert_eq!((status, context.is_null()), (ugas_status::AbiMismatch, true));
    assert_eq!(ugas_abi_version(), ugas_abi_1());
}

#[test]
fn invalid_context_is_refused() {
    let mut now = 0;
    // SAFETY: null is allowed everywhere.
    unsafe {
        assert_eq!(ugas_simulation_now(null_mut(), 1, &raw mut now), ugas_status::BadContext);
        assert_eq!(ugas_context_new(UGAS_ABI_VERSION, null_mut()), ugas_status::NullPointer);
        assert_eq!(ugas_context_free(null_mut()), ugas_status::Ok);
        let mut none = null_mut();
        assert_eq!(ugas_context_free(&raw mut none), ugas_status::Ok);
    }
    // Valid memory that is not a context.
    let strange = [0_u64; 64];
    // SAFETY: readable and aligned.
    let status = unsafe { ugas_simulation_now(strange.as_ptr().cast_mut().cast(), 1, &raw mut now) };
    assert_eq!(status, ugas_status::BadContext);
}

#[test]
fn dead_foreign_and_wrong_handles_are_refused() {
    let (host, other) = (Host::new(), Host::new());
    let mut now = 0;
    // SAFETY: live contexts and a local variable.
    unsafe {
        for wrong in [0, 1, u64::MAX, host.catalog, other.simulation] {
            let status = ugas_simulation_now(host.context, wrong, &raw mut now);
            assert_eq!(status, ugas_status::BadHandle, "{wrong:#x}");
            assert!(host.error().contains("no simulation of this context"), "{}", host.error());
        }
        host.must(ugas_simulation_free(host.context, host.simulation));
        assert_eq!(ugas_simulation_now(host.context, host.simulation, &raw mut now), ugas_status::BadHandle);
        assert_eq!(ugas_simulation_free(host.context, host.simulation), ugas_status::BadHandle);
    }
}

#[test]
fn null_result_pointer_is_refused_before_anything_happens() {
    let host = Host::new();
    let spawn = ugas_spawn {
        size: size_of::<ugas_spawn>(),
        template_name: text("Knight"),
        owner: 0,
        avatar: 0,
        has_owner: 0,
        has_avatar: 0,
    };
    let mut count = 7;
    // SAFETY: a live context and local variables.
    unsafe {
        let status = ugas_controller_spawn(host.context, host.simulation, &raw const spawn, null_mut());
        assert_eq!(status, ugas_status::NullPointer);
        host.must(ugas_controllers(host.context, host.simulation, null_mut(), 0, &raw mut count));
    }
    assert_eq!(count, 0);
}

#[test]
fn last_error_belongs_to_the_last_call() {
    let host = Host::new();
    let mut out = 0;
    // SAFETY: a live context and local variables.
    unsafe {
        let status = ugas_catalog_attribute(host.context, host.catalog, text("Helth"), &raw mut out);
        assert_eq!(status, ugas_status::NotFound);
        assert!(host.error().contains("`Health`"), "{}", host.error());
        host.must(ugas_simulation_advance(host.context, host.simulation, 1));
        assert_eq!(host.error(), "");
    }
    assert_eq!(copied(ugas_status_words(ugas_status::Busy as u32)), "the context is in use");
    assert_eq!(copied(ugas_status_words(999)), "unknown status");
}

thread_local! {
    static REENTERED: Cell<Option<ugas_status>> = const { Cell::new(None) };
}

unsafe extern "C" fn calls_back(
    user: *mut c_void,
    input: *const ugas_calculation_input,
    output: *mut ugas_calculation_output,
) -> u32 {
    // SAFETY: `user` leads to the host's context.
    let context = unsafe { *user.cast::<*mut ugas_context>() };
    let mut now = 0;
    // SAFETY: a live context and a local variable.
    REENTERED.set(Some(unsafe { ugas_simulation_now(context, 0, &raw mut now) }));
    // SAFETY: as the library calls it.
    unsafe { slash(user, input, output) }
}

#[test]
fn call_from_a_callback_is_refused() {
    let mut context = null_mut::<ugas_context>();
    let host = Host::with(calls_back, (&raw mut context).cast(), None);
    context = host.context;
    let (one, other) = (host.spawn(), host.spawn());
    host.must(host.apply("GE_Slash", one, other));
    assert_eq!(REENTERED.get(), Some(ugas_status::Busy));
    assert_eq!(host.current(other, "Health"), 80.0); // 40 * 100 / (100 + 100) less
    assert!(!context.is_null());
}

unsafe extern "C" fn count_down(user: *mut c_void) {
    // SAFETY: `user` leads to a counter of the test.
    unsafe { *user.cast::<u32>() += 1 };
}

#[test]
fn callback_data_is_freed_once_after_its_last_user() {
    let mut freed = 0_u32;
    let host = Host::with(slash, (&raw mut freed).cast(), Some(count_down));
    // SAFETY: live objects.
    unsafe { host.must(ugas_catalog_free(host.context, host.catalog)) };
    assert_eq!(freed, 0);
    // SAFETY: live objects.
    unsafe { host.must(ugas_simulation_free(host.context, host.simulation)) };
    assert_eq!(freed, 1);
    drop(host);
    assert_eq!(freed, 1);
}

#[test]
fn callback_data_is_not_freed_if_registration_fails() {
    let host = Host::new();
    let mut freed = 0_u32;
    let space = ugas_space {
        size: size_of::<ugas_space>(),
        line_of_sight: None,
        candidates: None,
        user: (&raw mut freed).cast(),
        free: Some(count_down),
    };
    let (mut loader, mut catalog) = (0, 0);
    // SAFETY: a live context and local variables.
    unsafe {
        assert_eq!(ugas_loader_set_space(host.context, 0, &raw const space), ugas_status::BadHandle);
        host.must(ugas_loader_new(host.context, &raw mut loader));
        host.must(ugas_loader_load(host.context, loader, &raw mut catalog));
        let late = ugas_loader_set_space(host.context, loader, &raw const space);
        assert_eq!((late, freed), (ugas_status::BadArgument, 0));
        // A registered calculation that was never loaded is freed with its loader.
        host.must(ugas_loader_new(host.context, &raw mut loader));
        host.must(ugas_loader_set_space(host.context, loader, &raw const space));
        host.must(ugas_loader_free(host.context, loader));
    }
    assert_eq!(freed, 1);
}

#[test]
fn shared_catalog_is_used_by_another_thread() {
    let host = Host::new();
    let (mut other, mut shared) = (null_mut(), 0);
    // SAFETY: live contexts and local variables.
    unsafe {
        assert_eq!(ugas_context_new(UGAS_ABI_VERSION, &raw mut other), ugas_status::Ok);
        host.must(ugas_catalog_share(host.context, host.catalog, other, &raw mut shared));
        let same = ugas_catalog_share(host.context, host.catalog, host.context, &raw mut shared);
        assert_eq!(same, ugas_status::Busy);
        let mut hashes = [0; 2];
        host.must(ugas_catalog_hash(host.context, host.catalog, &raw mut hashes[0]));
        let address = other.expose_provenance();
        let hash = std::thread::spawn(move || {
            let context = std::ptr::with_exposed_provenance_mut::<ugas_context>(address);
            let (mut hash, mut simulation) = (0, 0);
            assert_eq!(ugas_catalog_hash(context, shared, &raw mut hash), ugas_status::Ok);
            assert_eq!(ugas_simulation_new(context, shared, null(), &raw mut simulation), ugas_status::Ok);
            hash
        });
        hashes[1] = hash.join().unwrap();
        assert_eq!(hashes[0], hashes[1]);
        assert_eq!(ugas_context_free(&raw mut other), ugas_status::Ok);
    }
}

#[test]
fn concurrent_use_of_a_context_is_busy() {
    let host = Host::new();
    let (address, simulation) = (host.context.expose_provenance(), host.simulation);
    let threads = [1, 2, 3].map(|_| {
        std::thread::spawn(move || {
            let context = std::ptr::with_exposed_provenance_mut::<ugas_context>(address);
            let mut done = 0;
            for _ in 0..2_000 {
                // SAFETY: the context outlives the threads.
                match unsafe { ugas_simulation_advance(context, simulation, 1) } {
                    ugas_status::Ok => done += 1,
                    status => assert_eq!(status, ugas_status::Busy),
                }
            }
            done
        })
    });
    let done: u64 = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
    let mut now = 0;
    // SAFETY: a live context and a local variable.
    host.must(unsafe { ugas_simulation_now(host.context, host.simulation, &raw mut now) });
    assert_eq!(now, done); // a microsecond for every call that was not refused
}
