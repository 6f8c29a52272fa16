//! Hooks and custom tasks of the host. `examples/c/hooks.c` is a complete game with them.

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

use ugas_ffi::*;

use crate::host::{Host, text, zeroed_apply};

const PACK: &str = include_str!("../../examples/hooks.yaml");

fn no_hooks() -> ugas_hooks {
    ugas_hooks {
        size: size_of::<ugas_hooks>(),
        attribute: text(""),
        before_apply: None,
        pre_change: None,
        post_execute: None,
        user: null_mut(),
        free: None,
    }
}

fn task(name: &'static str) -> ugas_custom_task {
    ugas_custom_task {
        size: size_of::<ugas_custom_task>(),
        name: text(name),
        activate: None,
        wake: None,
        timer: None,
        user: null_mut(),
        free: None,
        never_waits: 0,
        reserved: 0,
    }
}

/// Looks a name up from a callback.
fn find(call: ugas_call, kind: ugas_name_kind, name: &str) -> u32 {
    let mut id = 0;
    // SAFETY: a local variable.
    assert_eq!(unsafe { ugas_call_find(call, kind as u32, text(name), &raw mut id) }, ugas_status::Ok);
    id
}

/// A host with one post_execute hook on Health, and the task `Watch`.
fn host(post_execute: ugas_post_execute, watch: ugas_custom_task) -> Host {
    Host::prepared(PACK, |context, loader| {
        let hooks = ugas_hooks { attribute: text("Health"), post_execute, ..no_hooks() };
        // SAFETY: a live context and local variables.
        unsafe {
            if post_execute.is_some() {
                assert_eq!(ugas_loader_add_hooks(context, loader, &raw const hooks), ugas_status::Ok);
            }
            ugas_loader_add_task(context, loader, &raw const watch)
        }
    })
}

fn hit(host: &Host, amount: f64, source: u64, target: u64) {
    let mut tag = 0;
    // SAFETY: a live context and local variables.
    unsafe {
        host.must(ugas_catalog_tag(host.context, host.catalog, text("Data.Amount"), &raw mut tag));
        let magnitude = ugas_magnitude { value: amount, tag, reserved: 0 };
        let apply = ugas_apply {
            effect: host.effect("GE_Hit"),
            source,
            magnitudes: &raw const magnitude,
            magnitude_count: 1,
            ..zeroed_apply()
        };
        host.must(ugas_effect_apply(
            host.context,
            host.simulation,
            &raw const apply,
            target,
            null_mut(),
            null_mut(),
        ));
    }
}

/// Grants and activates GA_Watch.
fn watch(host: &Host, owner: u64, target: u64) {
    let (mut ability, mut granted) = (0, 0);
    // SAFETY: a live context and local variables; zero is a value of both structures.
    unsafe {
        host.must(ugas_catalog_ability(host.context, host.catalog, text("GA_Watch"), &raw mut ability));
        let mut grant: ugas_grant = std::mem::zeroed();
        (grant.size, grant.ability, grant.level) = (size_of::<ugas_grant>(), ability, 1);
        host.must(ugas_ability_grant(
            host.context,
            host.simulation,
            owner,
            &raw const grant,
            &raw mut granted,
        ));
        let mut on: ugas_target = std::mem::zeroed();
        (on.kind, on.controller) = (ugas_target_kind::Controller as u32, target);
        host.must(ugas_ability_activate(
            host.context,
            host.simulation,
            granted,
            &raw const on,
            1,
            null(),
            null_mut(),
        ));
    }
}

unsafe extern "C" fn wait(_: *mut c_void, call: ugas_call, _: *const ugas_task_input) -> u32 {
    // SAFETY: no pointer is used.
    assert_eq!(unsafe { ugas_call_wake_in(call, 1_000_000) }, ugas_status::Ok);
    ugas_task_progress::Waiting as u32
}

unsafe extern "C" fn count(user: *mut c_void) {
    // SAFETY: `user` leads to a counter of the test.
    unsafe { *user.cast::<u32>() += 1 };
}

#[test]
fn incomplete_registrations_are_refused_and_keep_their_data() {
    unsafe extern "C" fn same(_: *mut c_void, input: *const ugas_pre_change_input) -> f64 {
        // SAFETY: the library calls it with an input.
        unsafe { (*input).new_value }
    }
    let host = host(None, ugas_custom_task { activate: Some(wait), ..task("Watch") });
    let mut freed = 0_u32;
    let data = ugas_hooks { user: (&raw mut freed).cast(), free: Some(count), ..no_hooks() };
    let (mut loader, mut catalog) = (0, 0);
    // SAFETY: a live context and local variables.
    unsafe {
        host.must(ugas_loader_new(host.context, &raw mut loader));
        let add = |hooks: ugas_hooks| ugas_loader_add_hooks(host.context, loader, &raw const hooks);
        assert_eq!(add(data), ugas_status::NullPointer);
        assert_eq!(add(ugas_hooks { pre_change: Some(same), ..data }), ugas_status::BadArgument);
        assert_eq!(ugas_loader_add_hooks(host.context, loader, null()), ugas_status::NullPointer);
        let add = |task: ugas_custom_task| ugas_loader_add_task(host.context, loader, &raw const task);
        let user = (&raw mut freed).cast();
        assert_eq!(
            add(ugas_custom_task { user, free: Some(count), ..task("Watch") }),
            ugas_status::NullPointer
        );
        let nameless = ugas_custom_task { activate: Some(wait), user, free: Some(count), ..task("") };
        assert_eq!(add(nameless), ugas_status::BadArgument);
        assert_eq!(freed, 0);
        // An attribute that does not exist is an error of the load, which frees the data.
        let unknown = ugas_hooks { attribute: text("Helth"), pre_change: Some(same), ..data };
        host.must(ugas_loader_add_hooks(host.context, loader, &raw const unknown));
        assert_eq!(ugas_loader_load(host.context, loader, &raw mut catalog), ugas_status::LoadFailed);
        assert_eq!(freed, 1);
        let late = ugas_hooks { attribute: text("Health"), pre_change: Some(same), ..data };
        assert_eq!(ugas_loader_add_hooks(host.context, loader, &raw const late), ugas_status::BadArgument);
        assert_eq!(freed, 1);
    }
}

/// Reflects a hit in the context of the hit, and writes a base value.
unsafe extern "C" fn echo(_: *mut c_void, call: ugas_call, input: *const ugas_post_execute_input) {
    // SAFETY: the library calls it with an input; the other pointers are local variables.
    unsafe {
        let input = &*input;
        if input.effect != find(call, ugas_name_kind::Effect, "GE_Hit") {
            return;
        }
        let attack = find(call, ugas_name_kind::Attribute, "Attack");
        assert_eq!(ugas_call_set_base(call, attack, 7.0), ugas_status::Ok);
        assert_eq!(ugas_call_set_base(call, attack, f64::NAN), ugas_status::Refused);
        assert_eq!(ugas_call_set_base(call, UGAS_NO_ID, 1.0), ugas_status::Refused);
        let tag = find(call, ugas_name_kind::Tag, "Data.Amount");
        let heal = ugas_magnitude { value: 3.0, tag, reserved: 0 };
        let apply = ugas_apply {
            effect: find(call, ugas_name_kind::Effect, "GE_Heal"),
            magnitudes: &raw const heal,
            magnitude_count: 1,
            ..zeroed_apply()
        };
        let inherited = ugas_call_context::Inherited as u32;
        assert_eq!(ugas_call_apply(call, &raw const apply, input.target, inherited), ugas_status::Ok);
        // Wrong arguments change nothing.
        assert_eq!(ugas_call_apply(call, null(), input.target, inherited), ugas_status::NullPointer);
        assert_eq!(ugas_call_apply(call, &raw const apply, 0, inherited), ugas_status::NotFound);
        assert_eq!(ugas_call_apply(call, &raw const apply, input.target, 9), ugas_status::BadArgument);
        let unknown = ugas_apply { effect: UGAS_NO_ID - 1, ..zeroed_apply() };
        assert_ne!(ugas_call_apply(call, &raw const unknown, input.target, inherited), ugas_status::Ok);
        let mut id = 0;
        assert_eq!(ugas_call_find(call, 9, text("Health"), &raw mut id), ugas_status::BadArgument);
        assert_eq!(ugas_call_find(call, 0, text("Helth"), &raw mut id), ugas_status::NotFound);
        assert_eq!(ugas_call_find(call, 0, text("Health"), null_mut()), ugas_status::NullPointer);
        assert_eq!(ugas_call_refuse(call, text("no")), ugas_status::BadArgument);
        assert_eq!(ugas_call_output(call, text("a"), 1.0), ugas_status::BadArgument);
    }
}

#[test]
fn post_execute_writes_bases_and_applies_in_the_context_of_the_hit() {
    let host = host(Some(echo), ugas_custom_task { activate: Some(wait), ..task("Watch") });
    let (one, other) = (host.spawn(), host.spawn());
    hit(&host, -20.0, one, other);
    assert_eq!(host.current(other, "Health"), 83.0); // 100 - 20 + 3
    assert_eq!(host.current(other, "Attack"), 7.0);
    let heal = host.effect("GE_Heal");
    let events = host.poll();
    let healed = events.iter().find(|event| event.cause.effect == heal).expect("the heal was applied");
    assert_eq!(healed.cause.source, one, "the source of the hit");
}

/// Stores the number of its calls, and is done at the third.
unsafe extern "C" fn third_time(_: *mut c_void, call: ugas_call, input: *const ugas_task_input) -> u32 {
    let (mut numbers, mut count) = ([0.0; 2], 0);
    // SAFETY: local variables; the library calls it with an input.
    unsafe {
        assert_eq!(ugas_call_memory(call, numbers.as_mut_ptr(), 2, &raw mut count), ugas_status::Ok);
        numbers[0] += 1.0;
        assert_eq!(ugas_call_store(call, numbers.as_ptr(), UGAS_MOST_MEMORY + 1), ugas_status::BadArgument);
        assert_eq!(ugas_call_store(call, numbers.as_ptr(), 1), ugas_status::Ok);
        assert_eq!(ugas_call_wake_in(call, 1_000_000), ugas_status::Ok);
        assert_eq!(ugas_call_subscribe(call, 0, 99, 0), ugas_status::BadArgument);
        assert_eq!(ugas_call_subscribe(call, 0, 0, 9_999), ugas_status::NotFound);
        assert_eq!(ugas_call_subscribe(call, 7, 4, 0), ugas_status::NotFound);
        assert_eq!(ugas_call_remove(call, 0, 0), ugas_status::NotFound);
        assert_eq!(ugas_call_send_event(call, (*input).owner, null()), ugas_status::NullPointer);
        let mut unset = 0.0;
        assert_eq!(ugas_call_parameter(call, text("Nothing"), &raw mut unset), ugas_status::NotFound);
        assert_eq!(ugas_call_magnitude(call, 0, &raw mut unset), ugas_status::NotFound);
        if numbers[0] < 3.0 {
            return ugas_task_progress::Waiting as u32;
        }
        assert_eq!(ugas_call_output(call, text("Wounds"), f64::INFINITY), ugas_status::BadArgument);
        assert_eq!(ugas_call_output(call, text("Wounds"), 5.0), ugas_status::Ok);
    }
    ugas_task_progress::Done as u32
}

#[test]
fn memory_of_a_task_is_part_of_the_state() {
    let (activate, timer) = (Some(third_time as unsafe extern "C" fn(_, _, _) -> _), Some(third_time as _));
    let host = host(None, ugas_custom_task { activate, timer, ..task("Watch") });
    let (owner, target) = (host.spawn(), host.spawn());
    watch(&host, owner, target);
    let mut snapshot = 0;
    // SAFETY: live objects and local variables.
    unsafe {
        host.must(ugas_simulation_advance(host.context, host.simulation, 1_500_000));
        host.must(ugas_snapshot_take(host.context, host.simulation, &raw mut snapshot));
        for _ in 0..2 {
            // Activation at 0 s, timers at 1 s and 2 s: the third call heals by the output.
            assert_eq!(host.current(owner, "Health"), 100.0);
            host.must(ugas_simulation_advance(host.context, host.simulation, 1_000_000));
            assert_eq!(host.current(owner, "Health"), 105.0);
            host.must(ugas_snapshot_restore(host.context, host.simulation, snapshot));
        }
    }
}

/// Progress that does not exist is a failure, and a failed task cancels its ability.
#[test]
fn unknown_progress_cancels_the_ability() {
    unsafe extern "C" fn strange(_: *mut c_void, _: ugas_call, _: *const ugas_task_input) -> u32 {
        77
    }
    let host = host(None, ugas_custom_task { activate: Some(strange), ..task("Watch") });
    let (owner, target) = (host.spawn(), host.spawn());
    watch(&host, owner, target);
    let cancelled =
        host.poll().into_iter().filter(|event| event.kind == ugas_event_kind::AbilityCancelled as u32);
    assert_eq!(cancelled.count(), 1);
    assert_eq!(host.current(owner, "Health"), 100.0);
}

thread_local! {
    static KEPT: Cell<ugas_call> = const { Cell::new(0) };
}

#[test]
fn call_number_is_dead_after_the_callback() {
    unsafe extern "C" fn keep(_: *mut c_void, call: ugas_call, _: *const ugas_before_apply_input) -> u32 {
        KEPT.set(call);
        3
    }
    let host = Host::prepared(PACK, |context, loader| {
        let hooks = ugas_hooks { before_apply: Some(keep), ..no_hooks() };
        let watch = ugas_custom_task { activate: Some(wait), ..task("Watch") };
        // SAFETY: a live context and local variables.
        unsafe {
            assert_eq!(ugas_loader_add_task(context, loader, &raw const watch), ugas_status::Ok);
            ugas_loader_add_hooks(context, loader, &raw const hooks)
        }
    });
    let knight = host.spawn();
    assert_eq!(host.apply("GE_Bless", 0, knight), ugas_status::Refused);
    assert!(host.error().contains("refused by the host with code 3"), "{}", host.error());
    let mut now = 0;
    // SAFETY: a local variable.
    assert_eq!(unsafe { ugas_call_now(KEPT.get(), &raw mut now) }, ugas_status::BadHandle);
}
