//! Misuse by hosts, and untrusted input.

use std::cell::RefCell;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

use ugas_ffi::*;

use crate::host::{Host, PACK, add_slash, copied, slash, text, zeroed_apply, zeroed_event};

#[test]
fn queued_datagram_is_only_taken_by_its_own_side() {
    let host = Host::new();
    let (context, mut client, mut length, mut peer) = (host.context, 0, 7, 7);
    // SAFETY: numbers and pointers, for which zero is a value.
    let mut config: ugas_client_config = unsafe { std::mem::zeroed() };
    (config.size, config.nonce) = (size_of::<ugas_client_config>(), 7);
    let mut bytes = [0_u8; UGAS_MAX_DATAGRAM];
    let pointer = bytes.as_mut_ptr();
    // SAFETY: a live context, and local variables that are as large as is said.
    unsafe {
        host.must(ugas_client_new(context, host.catalog, &raw const config, &raw mut client));
        host.must(ugas_client_update(context, client, 20_000));
        let narrow = ugas_client_transmit(context, client, pointer, 1, &raw mut length);
        assert_eq!(narrow, ugas_status::BadArgument);
        let (room, out) = (bytes.len(), &raw mut length);
        let wrong = ugas_server_transmit(context, client, &raw mut peer, pointer, room, out);
        assert_eq!((wrong, length, peer), (ugas_status::BadHandle, 7, 7));
        assert_eq!(
            ugas_client_transmit(context, host.simulation, pointer, room, out),
            ugas_status::BadHandle
        );
        host.must(ugas_client_transmit(context, client, pointer, room, out));
        assert!(length > 1, "the datagram is still there");
    }
}

#[test]
fn returned_text_may_be_passed_to_the_next_call() {
    let host = Host::new();
    let knight = host.spawn();
    // The effect needs a SetByCaller magnitude that is not provided.
    assert_eq!(host.apply("GE_Venom", knight, knight), ugas_status::Refused);
    let (mut reasons, mut count, mut id) = (Vec::<ugas_reason>::with_capacity(1), 0, 0);
    // SAFETY: there is room for as many as is said, and so many were written; what is lent is used once.
    unsafe {
        let (out, size) = (reasons.as_mut_ptr(), size_of::<ugas_reason>());
        host.must(ugas_last_reasons(host.context, out, size, 1, &raw mut count));
        reasons.set_len(count);
        let words = copied(reasons[0].words);
        let unknown = ugas_catalog_tag(host.context, host.catalog, reasons[0].words, &raw mut id);
        assert_eq!(unknown, ugas_status::NotFound);
        assert!(host.error().contains(&words), "{}", host.error());
        let mut error = text("");
        host.must(ugas_last_error(host.context, &raw mut error));
        let words = copied(error);
        assert_eq!(ugas_catalog_tag(host.context, host.catalog, error, &raw mut id), ugas_status::NotFound);
        assert!(host.error().contains(&words), "{}", host.error());
    }
}

#[test]
fn explaining_an_unknown_attribute_is_not_found() {
    let host = Host::new();
    let knight = host.spawn();
    let mut lent = text("");
    // SAFETY: a live context and local variables.
    unsafe {
        let (context, sim, out) = (host.context, host.simulation, &raw mut lent);
        for unknown in [999, UGAS_NO_ID] {
            assert_eq!(ugas_explain_text(context, sim, knight, unknown, out), ugas_status::NotFound);
            assert_eq!(ugas_explain_json(context, sim, knight, unknown, out), ugas_status::NotFound);
        }
        host.must(ugas_explain_json(context, sim, knight, host.attribute("Health"), out));
    }
    let json: serde_json::Value = serde_json::from_str(&copied(lent)).unwrap();
    assert_eq!((&json["current"], &json["present"]), (&100.0.into(), &true.into()));
    assert_eq!(json["controller"], knight);
}

#[test]
fn infinite_numbers_and_endless_lists_are_refused() {
    let host = Host::new();
    let (context, sim, knight) = (host.context, host.simulation, host.spawn());
    let hash = |host: &Host| {
        let mut hash = 0;
        // SAFETY: a live context and a local variable.
        host.must(unsafe { ugas_simulation_hash(host.context, host.simulation, &raw mut hash) });
        hash
    };
    let before = hash(&host);
    let (mut count, mut active, mut out) = (7, 7, 0.0);
    for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let apply =
            ugas_apply { effect: host.effect("GE_Rally"), level: wrong, has_level: 1, ..zeroed_apply() };
        // The first of two is valid, but is not set either.
        let place = ugas_placement { position: [1.0; 3], facing: [0.0; 3] };
        let places = [place, ugas_placement { position: [0.0, wrong, 0.0], ..place }];
        let knights = [knight; 2];
        // SAFETY: a live context and local variables.
        unsafe {
            let applied =
                ugas_effect_apply(context, sim, &raw const apply, knight, null_mut(), &raw mut active);
            assert_eq!((applied, active), (ugas_status::Refused, 7), "{wrong}");
            let (who, place) = (knights.as_ptr(), places.as_ptr());
            let placed = ugas_placements_set(context, sim, who, place, 2, &raw mut count);
            assert_eq!((placed, count), (ugas_status::BadArgument, 7));
        }
    }
    let endless = ugas_str { data: c"Health".as_ptr(), length: usize::MAX };
    let nowhere = ugas_str { data: null(), length: 6 };
    let mut id = 0;
    // SAFETY: a live context and local variables; no list is followed as far as it claims to go.
    unsafe {
        let mut named = |name| ugas_catalog_attribute(context, host.catalog, name, &raw mut id);
        assert_eq!(named(endless), ugas_status::BadArgument);
        assert_eq!(named(nowhere), ugas_status::NullPointer);
        let (one, many) = (&raw const knight, usize::MAX);
        let all = ugas_attributes_read(
            context,
            sim,
            one,
            many,
            &raw const id,
            many,
            0,
            &raw mut out,
            &raw mut count,
        );
        assert_eq!(all, ugas_status::BadArgument);
        assert_eq!(
            ugas_controllers(context, sim, one.cast_mut(), many, &raw mut count),
            ugas_status::BadStruct
        );
        let targets = [knight; 16];
        let target = targets.as_ptr().cast::<ugas_target>();
        assert_eq!(ugas_ability_can_activate(context, sim, 1, target, many), ugas_status::BadArgument);
        let askew = (&raw mut id).cast::<u8>().wrapping_add(1);
        let misplaced = ugas_attribute_read(context, sim, knight, 0, 0, askew.cast());
        assert_eq!(misplaced, ugas_status::BadArgument);
    }
    assert_eq!(hash(&host), before, "what was refused has changed nothing");
}

thread_local! {
    /// Status that a callback got when freeing its caller.
    static TOLD: RefCell<Vec<ugas_status>> = const { RefCell::new(Vec::new()) };
}

/// Handles that the callbacks of a test try to free.
struct Prey {
    context: *mut ugas_context,
    simulation: ugas_simulation,
}

unsafe fn tries_to_free(user: *mut c_void) {
    // SAFETY: `user` leads to what the test keeps, and the context lives or is just being freed.
    unsafe {
        let Prey { mut context, simulation } = *user.cast::<Prey>();
        let told = [ugas_simulation_free(context, simulation), ugas_context_free(&raw mut context)];
        assert!(!context.is_null());
        TOLD.with_borrow_mut(|all| all.extend(told));
    }
}

unsafe extern "C" fn frees_in_a_calculation(
    user: *mut c_void,
    input: *const ugas_calculation_input,
    output: *mut ugas_calculation_output,
) -> u32 {
    // SAFETY: as the library calls it.
    unsafe {
        tries_to_free(user);
        slash(user, input, output)
    }
}

unsafe extern "C" fn frees_when_freed(user: *mut c_void) {
    // SAFETY: as the library calls it.
    unsafe { tries_to_free(user) };
}

unsafe extern "C" fn frees_in_a_search(
    user: *mut c_void,
    _now: u64,
    _area: *const ugas_area,
    _found: *mut ugas_controller,
    _capacity: usize,
    _count: *mut usize,
) -> u32 {
    // SAFETY: as the library calls it.
    unsafe { tries_to_free(user) };
    0
}

#[test]
fn freeing_from_a_callback_is_refused_as_busy() {
    use ugas_status::{BadContext, Busy};
    let mut prey = Prey { context: null_mut(), simulation: 0 };
    let user: *mut c_void = (&raw mut prey).cast();
    let host = Host::prepared(PACK, |context, loader| {
        let space = ugas_space {
            size: size_of::<ugas_space>(),
            line_of_sight: None,
            candidates: Some(frees_in_a_search),
            user,
            free: None,
        };
        // SAFETY: a live context and a local variable.
        assert_eq!(unsafe { ugas_loader_set_space(context, loader, &raw const space) }, ugas_status::Ok);
        add_slash(context, loader, frees_in_a_calculation, user, Some(frees_when_freed))
    });
    // SAFETY: the callbacks know nothing else of it.
    unsafe { user.cast::<Prey>().write(Prey { context: host.context, simulation: host.simulation }) };
    let (one, other) = (host.spawn(), host.spawn());
    host.must(host.apply("GE_Slash", one, other));
    assert_eq!(TOLD.take(), [Busy, Busy]);
    assert_eq!(host.current(other, "Health"), 80.0); // 40 * 100 / (100 + 100) less
    let (mut ability, mut granted) = (0, 0);
    // SAFETY: a live context and local variables; structures of numbers may be zero.
    unsafe {
        let (context, sim) = (host.context, host.simulation);
        host.must(ugas_catalog_ability(context, host.catalog, text("GA_Thunder"), &raw mut ability));
        let mut grant: ugas_grant = std::mem::zeroed();
        (grant.size, grant.ability) = (size_of::<ugas_grant>(), ability);
        host.must(ugas_ability_grant(context, sim, one, &raw const grant, &raw mut granted));
        let place = ugas_placement { position: [0.0; 3], facing: [0.0; 3] };
        host.must(ugas_placements_set(context, sim, &raw const one, &raw const place, 1, null_mut()));
        host.must(ugas_ability_activate(context, sim, granted, null(), 0, null(), null_mut()));
        host.must(ugas_input_confirm(context, sim, one));
    }
    let told = TOLD.take();
    assert!(!told.is_empty() && told.iter().all(|status| *status == Busy), "{told:?}");
    drop(host);
    assert_eq!(TOLD.take(), [BadContext, BadContext]);
}

#[test]
fn nan_is_refused_everywhere() {
    let host = Host::new();
    let (context, sim, knight) = (host.context, host.simulation, host.spawn());
    let (mut ability, mut granted, mut active, mut data) = (0, 0, 0, 0);
    // SAFETY: numbers and pointers, for which zero is a value; then a live context and local variables.
    unsafe {
        let mut grant: ugas_grant = std::mem::zeroed();
        host.must(ugas_catalog_ability(context, host.catalog, text("GA_Slash"), &raw mut ability));
        host.must(ugas_catalog_tag(context, host.catalog, text("Data.Venom"), &raw mut data));
        (grant.size, grant.ability) = (size_of::<ugas_grant>(), ability);
        host.must(ugas_ability_grant(context, sim, knight, &raw const grant, &raw mut granted));
        let five = ugas_magnitude { value: -5.0, tag: data, reserved: 0 };
        let mut apply = ugas_apply { effect: host.effect("GE_Venom"), ..zeroed_apply() };
        (apply.magnitudes, apply.magnitude_count) = (&raw const five, 1);
        host.must(ugas_effect_apply(context, sim, &raw const apply, knight, null_mut(), &raw mut active));
        for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut hit: ugas_target = std::mem::zeroed();
            (hit.kind, hit.location) = (ugas_target_kind::Hit as u32, [wrong; 3]);
            let six = ugas_magnitude { value: wrong, ..five };
            let event = ugas_gameplay_event { magnitude: wrong, tag: data, ..zeroed_event() };
            let nowhere = ugas_apply { origin: [0.0, 0.0, wrong], has_origin: 1, ..apply };
            let unhit = ugas_apply { hit: &raw const hit, ..apply };
            let unnumbered = ugas_apply { magnitudes: &raw const six, ..apply };
            let applied =
                |apply: &ugas_apply| ugas_effect_apply(context, sim, apply, knight, null_mut(), null_mut());
            let told = [
                applied(&nowhere),
                applied(&unhit),
                applied(&unnumbered),
                ugas_effect_set_level(context, sim, active, wrong),
                ugas_effect_set_magnitude(context, sim, active, data, wrong),
                ugas_ability_set_parameter(context, sim, granted, text("Power"), wrong),
                ugas_gameplay_event_send(context, sim, knight, &raw const event),
                ugas_ability_activate(context, sim, granted, &raw const hit, 1, null(), null_mut()),
                ugas_ability_activate(context, sim, granted, null(), 0, &raw const event, null_mut()),
            ];
            assert!(told.iter().all(|status| *status != ugas_status::Ok), "{wrong}: {told:?}");
        }
    }
}

#[test]
fn time_saturates_at_its_maximum() {
    let host = Host::new();
    let (context, sim, knight) = (host.context, host.simulation, host.spawn());
    let (mut now, mut later, mut snapshot) = (0, 0, 0);
    let mut bytes = ugas_bytes { data: null(), length: 0 };
    // SAFETY: a live context and local variables.
    unsafe {
        host.must(ugas_simulation_advance(context, sim, i64::MIN));
        host.must(ugas_simulation_now(context, sim, &raw mut now));
        assert_eq!(now, 0);
        for _ in 0..4 {
            host.must(ugas_simulation_advance(context, sim, i64::MAX));
            host.must(ugas_simulation_now(context, sim, &raw mut later));
            assert!(later >= now);
            now = later;
        }
        assert!(now >= i64::MAX as u64);
        host.must(host.apply("GE_Slash_Cooldown", 0, knight));
        host.must(ugas_simulation_advance(context, sim, 1));
        host.must(ugas_snapshot_take(context, sim, &raw mut snapshot));
        host.must(ugas_snapshot_bytes(context, snapshot, &raw mut bytes));
        host.must(ugas_snapshot_from_bytes(context, host.catalog, bytes, &raw mut snapshot));
        host.must(ugas_snapshot_restore(context, sim, snapshot));
    }
}
