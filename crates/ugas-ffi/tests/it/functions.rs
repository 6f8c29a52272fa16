//! Behaviour of functions that the examples do not show.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use ugas_ffi::*;

use crate::host::{Calculate, Host, copied, text, zeroed_apply};

#[test]
fn bulk_read_fills_rows_and_counts_missing_values() {
    let host = Host::new();
    let controllers = [host.spawn(), 0, host.spawn()];
    let attributes = [host.attribute("Attack"), host.attribute("Health"), 999];
    let (mut out, mut missing) = ([0.0; 9], 0);
    // SAFETY: the lists have as many items as is said.
    host.must(unsafe {
        ugas_attributes_read(
            host.context,
            host.simulation,
            controllers.as_ptr(),
            3,
            attributes.as_ptr(),
            3,
            ugas_value::Base as u32,
            out.as_mut_ptr(),
            &raw mut missing,
        )
    });
    // A knight has 40 of attack and 100 of health; the third attribute and the second controller do not
    // exist.
    assert_eq!((out[0], out[1], out[6], out[7]), (40.0, 100.0, 40.0, 100.0));
    assert!([2, 3, 4, 5, 8].iter().all(|&at| out[at].is_nan()));
    assert_eq!(missing, 5);
}

#[test]
fn effect_uses_duration_tags_and_magnitudes_of_its_caller() {
    let host = Host::new();
    let knight = host.spawn();
    let (mut stunned, mut data) = (0, 0);
    let (mut application, mut active, mut has) = (9, 0, 9);
    // SAFETY: a live context and local variables.
    unsafe {
        host.must(ugas_catalog_tag(host.context, host.catalog, text("State.Stunned"), &raw mut stunned));
        host.must(ugas_catalog_tag(host.context, host.catalog, text("Data.Venom"), &raw mut data));
        let magnitudes = [ugas_magnitude { value: -3.0, tag: data, reserved: 0 }];
        let granted = [stunned];
        let apply = ugas_apply {
            effect: host.effect("GE_Venom"),
            magnitudes: magnitudes.as_ptr(),
            magnitude_count: 1,
            granted_tags: granted.as_ptr(),
            granted_tag_count: 1,
            duration: 2_500_000,
            has_duration: 1,
            ..zeroed_apply()
        };
        let status = ugas_effect_apply(
            host.context,
            host.simulation,
            &raw const apply,
            knight,
            &raw mut application,
            &raw mut active,
        );
        host.must(status);
        assert_eq!(application, ugas_application::Active as u32);
        assert_ne!(active, 0);
        host.must(ugas_tag_has(host.context, host.simulation, knight, stunned, &raw mut has));
        assert_eq!(has, 1);
        // Two ticks of 3 within two and a half seconds.
        host.must(ugas_simulation_advance(host.context, host.simulation, 10_000_000));
        assert_eq!(host.current(knight, "Health"), 94.0);
        let gone = ugas_effect_remove(host.context, host.simulation, active, 0);
        assert_eq!(gone, ugas_status::NotFound);
    }
}

#[test]
fn refusal_has_all_reasons() {
    let host = Host::new();
    let knight = host.spawn();
    // The effect needs a SetByCaller magnitude that is not provided.
    assert_eq!(host.apply("GE_Venom", knight, knight), ugas_status::Refused);
    let (mut reasons, mut count) = (Vec::<ugas_reason>::with_capacity(4), 0);
    // SAFETY: there is room for as many as is said, and so many were written.
    unsafe {
        host.must(ugas_last_reasons(
            host.context,
            reasons.as_mut_ptr(),
            size_of::<ugas_reason>(),
            4,
            &raw mut count,
        ));
        reasons.set_len(count);
    }
    let codes: Vec<String> = reasons.iter().map(|reason| copied(reason.code)).collect();
    assert_eq!(codes, ["MissingSetByCaller"]);
    let refused: Vec<ugas_event> =
        host.poll().into_iter().filter(|event| event.kind == ugas_event_kind::EffectRefused as u32).collect();
    assert_eq!(refused.len(), 1);
    // SAFETY: the kind says which part it is; a live context and a local variable.
    unsafe {
        assert_eq!(refused[0].body.effect.reason_count, 1);
        let status = ugas_event_reasons(host.context, host.simulation, refused[0].index, &raw mut count);
        host.must(status);
    }
    assert_eq!(count, 1);
}

#[test]
fn tag_counts_and_queries() {
    let host = Host::new();
    let knight = host.spawn();
    host.must(host.apply("GE_Rally", 0, knight));
    host.must(host.apply("GE_Rally", 0, knight));
    let (mut rallied, mut state, mut stunned) = (0, 0, 0);
    let (mut own, mut cumulative, mut holds) = (9, 9, 9);
    // SAFETY: a live context and local variables.
    unsafe {
        host.must(ugas_catalog_tag(host.context, host.catalog, text("State.Rallied"), &raw mut rallied));
        host.must(ugas_catalog_tag(host.context, host.catalog, text("State"), &raw mut state));
        host.must(ugas_catalog_tag(host.context, host.catalog, text("State.Stunned"), &raw mut stunned));
        let (context, simulation) = (host.context, host.simulation);
        let (one, all) = (&raw mut own, &raw mut cumulative);
        host.must(ugas_tag_counts(context, simulation, knight, rallied, one, all));
        assert_eq!((own, cumulative), (2, 2));
        // A parent is present through its descendant, without an explicit count.
        host.must(ugas_tag_counts(context, simulation, knight, state, one, all));
        assert_eq!((own, cumulative), (0, 2));
        let (all, none) = ([state], [stunned]);
        let query = ugas_tag_query {
            size: size_of::<ugas_tag_query>(),
            all: all.as_ptr(),
            all_count: 1,
            any: null(),
            any_count: 0,
            none: none.as_ptr(),
            none_count: 1,
        };
        host.must(ugas_tags_match(context, simulation, knight, &raw const query, &raw mut holds));
        assert_eq!(holds, 1);
        let query = ugas_tag_query { none: all.as_ptr(), ..query };
        host.must(ugas_tags_match(context, simulation, knight, &raw const query, &raw mut holds));
        assert_eq!(holds, 0);
    }
}

#[test]
fn parameters_are_read_from_the_definition_and_the_grant() {
    const PACK: &str = "\
$schema: https://ugas.jbltx.com/v1.0.0-draft.1/schemas/attribute_set.json
Name: Vitals
Attributes: [{ Name: Health, DefaultBaseValue: 10 }]
---
$schema: https://ugas.jbltx.com/v1.0.0-draft.1/schemas/gameplay_ability.json
Name: GA_Bolt
Tags: { AbilityTags: [Element.Fire] }
Parameters: { Power: 2.5, Armed: true, Element: Element.Fire, Title: A bolt }
---
$schema: https://ugas.jbltx.com/v1.0.0-draft.1/schemas/gameplay_controller.json
Name: Mage
OwnerActor: { ActorID: Mage, ActorType: Player }
AttributeSets: [{ Name: Vitals }]
GrantedAbilities: [{ AbilityClass: GA_Bolt, Level: 1 }]
";
    let host = Host::prepared(PACK, |_, _| ugas_status::Ok);
    let (mut ability, mut mage, mut kind, mut number) = (0, 0, 9, 0.0);
    let (mut value, mut row, mut count) = (text(""), [0_u64; 64], 0);
    // SAFETY: a live context and local variables.
    unsafe {
        let (context, catalog, simulation) = (host.context, host.catalog, host.simulation);
        host.must(ugas_catalog_ability(context, catalog, text("GA_Bolt"), &raw mut ability));
        for (name, expected_kind, expected) in [
            ("Power", ugas_parameter_kind::Number, "2.5"),
            ("Armed", ugas_parameter_kind::Boolean, "true"),
            ("Element", ugas_parameter_kind::Tag, "Element.Fire"),
            ("Title", ugas_parameter_kind::Text, "A bolt"),
        ] {
            let (kind, value_at) = (&raw mut kind, &raw mut value);
            host.must(ugas_catalog_ability_parameter(context, catalog, ability, text(name), kind, value_at));
            assert_eq!((*kind, copied(value)), (expected_kind as u32, expected.to_owned()));
        }
        let mut spawn: ugas_spawn = std::mem::zeroed();
        (spawn.size, spawn.template_name) = (size_of::<ugas_spawn>(), text("Mage"));
        host.must(ugas_controller_spawn(context, simulation, &raw const spawn, &raw mut mage));
        let rows = row.as_mut_ptr().cast::<ugas_ability_info>();
        let size = size_of::<ugas_ability_info>();
        host.must(ugas_abilities_of(context, simulation, mage, rows, size, 1, &raw mut count));
        let granted = (*rows).granted;
        host.must(ugas_ability_set_parameter(context, simulation, granted, text("Power"), 4.0));
        host.must(ugas_ability_parameter(context, simulation, granted, text("Power"), &raw mut number));
        assert_eq!(number, 4.0);
        let status = ugas_ability_parameter(context, simulation, granted, text("Title"), &raw mut number);
        assert_eq!((status, number), (ugas_status::NotFound, 4.0));
    }
}

#[test]
fn press_at_a_target_passes_it_to_the_ability() {
    let host = Host::new();
    let (knight, foe) = (host.spawn(), host.spawn());
    let (mut ability, mut granted, mut pressed, mut activation) = (0, 0, 9, 0);
    let before = host.current(foe, "Health");
    // SAFETY: a live context and local variables; the event has the part of its kind.
    unsafe {
        let (context, simulation) = (host.context, host.simulation);
        host.must(ugas_catalog_ability(context, host.catalog, text("GA_Slash"), &raw mut ability));
        let mut grant: ugas_grant = std::mem::zeroed();
        (grant.size, grant.input, grant.ability) = (size_of::<ugas_grant>(), text("Attack"), ability);
        host.must(ugas_ability_grant(context, simulation, knight, &raw const grant, &raw mut granted));
        let mut target: ugas_target = std::mem::zeroed();
        target.controller = foe;
        let (kind, begun) = (&raw mut pressed, &raw mut activation);
        let attack = text("Attack");
        let status =
            ugas_input_press_at(context, simulation, knight, attack, &raw const target, 1, kind, begun);
        host.must(status);
        assert_eq!(pressed, ugas_pressed::Activated as u32);
        let events = host.poll();
        let task = events.iter().find(|event| event.kind == ugas_event_kind::HostTaskRequested as u32);
        host.must(ugas_task_complete(context, simulation, task.unwrap().body.task.task, 0));
    }
    assert!(host.current(foe, "Health") < before);
}

#[test]
fn inputs_activate_abilities_and_emit_named_events() {
    let host = Host::new();
    let knight = host.spawn();
    let (mut ability, mut granted, mut pressed, mut run) = (0, 0, 9, 0);
    // SAFETY: a live context and local variables.
    unsafe {
        let (context, simulation) = (host.context, host.simulation);
        host.must(ugas_catalog_ability(context, host.catalog, text("GA_Slash"), &raw mut ability));
        let grant = ugas_grant {
            size: size_of::<ugas_grant>(),
            input: text("Attack"),
            tags: null(),
            tag_count: 0,
            source_object: 0,
            has_source_object: 0,
            activate: 0,
            ability,
            level: 0,
        };
        host.must(ugas_ability_grant(context, simulation, knight, &raw const grant, &raw mut granted));
        let status =
            ugas_input_press(context, simulation, knight, text("Attack"), &raw mut pressed, &raw mut run);
        host.must(status);
        assert_eq!(pressed, ugas_pressed::Activated as u32);
        let events = host.poll();
        let input = events.iter().find(|event| event.kind == ugas_event_kind::InputPressed as u32).unwrap();
        assert_eq!(copied(input.body.input.input), "Attack");
        let task = events.iter().find(|event| event.kind == ugas_event_kind::HostTaskRequested as u32);
        assert_eq!(copied(task.unwrap().body.task.kind), "PlayMontage");
        let mut info: ugas_ability_info = std::mem::zeroed();
        let size = size_of::<ugas_ability_info>();
        host.must(ugas_ability_look(context, simulation, granted, &raw mut info, size));
        assert_eq!((info.activation, info.level, info.activation_count), (run, 1, 1));
        assert_eq!(info.state, ugas_ability_state::Active as u32);
        host.must(ugas_activation_cancel(context, simulation, run));
        assert_eq!(ugas_activation_cancel(context, simulation, run), ugas_status::NotFound);
        let ended = host.poll();
        let ended = ended.iter().find(|event| event.kind == ugas_event_kind::AbilityCancelled as u32);
        assert_eq!(ended.unwrap().body.ability.reason, ugas_end_reason::Cancelled as u32);
        host.must(ugas_input_release(context, simulation, knight, text("Attack")));
        let again = ugas_input_release(context, simulation, knight, text("Attack"));
        assert_eq!(again, ugas_status::NotFound);
    }
}

#[test]
fn rows_of_an_older_header_get_the_first_fields() {
    let host = Host::new();
    host.spawn();
    // A header with only the kind, the category and the sequence.
    let (mut rows, mut count) = ([0_u64; 8], 0);
    // SAFETY: four rows of 16 bytes.
    host.must(unsafe {
        ugas_events_poll(host.context, host.simulation, rows.as_mut_ptr().cast(), 16, 4, &raw mut count)
    });
    assert_eq!(count, 1);
    let spawned = u64::from(ugas_event_kind::ControllerSpawned as u32);
    assert_eq!(rows[0], spawned | u64::from(ugas_category::Controller as u32) << 32);
    assert_eq!(rows[2..], [0; 6]);
}

#[test]
fn recording_refuses_restore_and_verification_finds_a_difference() {
    let host = Host::new();
    let mut snapshot = 0;
    // SAFETY: a live context and local variables.
    unsafe {
        let (context, simulation) = (host.context, host.simulation);
        host.must(ugas_snapshot_take(context, simulation, &raw mut snapshot));
        host.must(ugas_recording_start(context, simulation, null()));
        assert_eq!(ugas_recording_start(context, simulation, null()), ugas_status::Recording);
        assert_eq!(ugas_snapshot_restore(context, simulation, snapshot), ugas_status::Recording);
        let (one, other) = (host.spawn(), host.spawn());
        host.must(host.apply("GE_Slash", one, other));
        host.must(ugas_simulation_advance(context, simulation, 1_000_000));
        let mut bytes = ugas_bytes { data: null(), length: 0 };
        host.must(ugas_recording_finish(context, simulation, &raw mut bytes));
        let kept = std::slice::from_raw_parts(bytes.data, bytes.length).to_vec();
        assert_eq!(ugas_recording_finish(context, simulation, null_mut()), ugas_status::Recording);

        let recording = ugas_bytes { data: kept.as_ptr(), length: kept.len() };
        let mut verification: ugas_verification = std::mem::zeroed();
        verification.size = size_of::<ugas_verification>();
        let out = &raw mut verification;
        host.must(ugas_recording_verify(context, host.catalog, recording, out));
        assert_eq!((verification.differs, verification.ticks), (0, 1));
        // Without the host's code it cannot be played.
        assert_eq!(ugas_recording_verify(context, 0, recording, out), ugas_status::BadBytes);
        // Different native code is detected.
        let weaker = Host::with(weak_slash, null_mut(), None);
        let status = ugas_recording_verify(weaker.context, weaker.catalog, recording, out);
        weaker.must(status);
        assert_eq!((verification.differs, verification.tick), (1, 1));
        assert_ne!(verification.recorded, verification.simulated);
    }
}

unsafe extern "C" fn weak_slash(
    _user: *mut c_void,
    _input: *const ugas_calculation_input,
    output: *mut ugas_calculation_output,
) -> u32 {
    // SAFETY: the library calls it with an output.
    unsafe {
        (*output).changes[0].magnitude = -1.0;
        (*output).change_count = 1;
    }
    0
}

unsafe extern "C" fn gives_up(
    _user: *mut c_void,
    _input: *const ugas_calculation_input,
    _output: *mut ugas_calculation_output,
) -> u32 {
    42
}

unsafe extern "C" fn wants_too_much(
    _user: *mut c_void,
    _input: *const ugas_calculation_input,
    output: *mut ugas_calculation_output,
) -> u32 {
    // SAFETY: the library calls it with an output.
    unsafe { (*output).change_count = u32::MAX };
    0
}

unsafe extern "C" fn writes_elsewhere(
    _user: *mut c_void,
    _input: *const ugas_calculation_input,
    output: *mut ugas_calculation_output,
) -> u32 {
    // SAFETY: the library calls it with an output.
    unsafe {
        (*output).changes[0].output = 7;
        (*output).change_count = 1;
    }
    0
}

unsafe extern "C" fn wants_no_number(
    _user: *mut c_void,
    _input: *const ugas_calculation_input,
    output: *mut ugas_calculation_output,
) -> u32 {
    // SAFETY: the library calls it with an output.
    unsafe {
        (*output).changes[1].magnitude = f64::NAN;
        (*output).change_count = 2;
    }
    0
}

unsafe extern "C" fn does_what_nobody_does(
    _user: *mut c_void,
    _input: *const ugas_calculation_input,
    output: *mut ugas_calculation_output,
) -> u32 {
    // SAFETY: the library calls it with an output.
    unsafe {
        (*output).changes[0].magnitude = -1.0;
        (*output).changes[1].operation = 7;
        (*output).change_count = 2;
        // Arguments were copied: later changes of the caller's memory have no effect.
        (*output).size = usize::MAX;
    }
    0
}

#[test]
fn failing_calculation_refuses_the_effect() {
    let wrong: [Calculate; 5] =
        [gives_up, wants_too_much, writes_elsewhere, wants_no_number, does_what_nobody_does];
    for wrong in wrong {
        let host = Host::with(wrong, null_mut(), None);
        let (one, other) = (host.spawn(), host.spawn());
        assert_eq!(host.apply("GE_Slash", one, other), ugas_status::Refused);
        assert_eq!(host.current(other, "Health"), 100.0);
    }
}

#[test]
fn bytes_that_are_not_a_snapshot_are_refused() {
    let host = Host::new();
    let (mut snapshot, nonsense) = (0, [1_u8, 2, 3]);
    let bytes = ugas_bytes { data: nonsense.as_ptr(), length: 3 };
    // SAFETY: a live context and local variables.
    let status = unsafe { ugas_snapshot_from_bytes(host.context, host.catalog, bytes, &raw mut snapshot) };
    assert_eq!((status, snapshot), (ugas_status::BadBytes, 0));
}
