//! Activations of abilities, started and ended by the host.

use std::ptr::{null, null_mut};

use ugas_ffi::*;

use crate::arguments::{applied, host, tag};
use crate::host::{Host, text, zeroed_apply, zeroed_event};

struct Guarded {
    host: Host,
    knight: ugas_controller,
    granted: ugas_granted_ability,
}

fn grant(
    host: &Host,
    knight: u64,
    ability: &str,
    change: impl FnOnce(&mut ugas_grant),
) -> ugas_granted_ability {
    let (mut id, mut granted) = (0, 0);
    // SAFETY: numbers and pointers, for which zero is a value; then a live context and local variables.
    unsafe {
        let (context, sim) = (host.context, host.simulation);
        host.must(ugas_catalog_ability(context, host.catalog, text(ability), &raw mut id));
        let mut grant: ugas_grant = std::mem::zeroed();
        (grant.size, grant.ability) = (size_of::<ugas_grant>(), id);
        change(&mut grant);
        host.must(ugas_ability_grant(context, sim, knight, &raw const grant, &raw mut granted));
    }
    granted
}

fn runs(host: &Host, granted: ugas_granted_ability) -> u32 {
    // SAFETY: numbers, for which zero is a value; then a live context and local variables.
    unsafe {
        let mut info: ugas_ability_info = std::mem::zeroed();
        let size = size_of::<ugas_ability_info>();
        host.must(ugas_ability_look(host.context, host.simulation, granted, &raw mut info, size));
        info.activation_count
    }
}

fn guarded(user: &mut u32) -> Guarded {
    let host = host(0, user);
    let knight = host.spawn();
    let granted = grant(&host, knight, "GA_Guard", |grant| grant.activate = 1);
    Guarded { host, knight, granted }
}

#[test]
fn host_task_outcome_decides_the_ability() {
    use ugas_end_reason as R;
    use ugas_task_outcome as O;
    for (outcome, kind, reason) in [
        (O::Completed, ugas_event_kind::AbilityEnded, R::Completed),
        (O::Interrupted, ugas_event_kind::AbilityCancelled, R::Declined),
        (O::Cancelled, ugas_event_kind::AbilityCancelled, R::Declined),
        (O::Failed, ugas_event_kind::AbilityCancelled, R::Declined),
    ] {
        let mut user = 0;
        let Guarded { host, granted, .. } = guarded(&mut user);
        assert_eq!(runs(&host, granted), 1, "it was activated at once");
        let events = host.poll();
        let asked = events.iter().find(|event| event.kind == ugas_event_kind::HostTaskRequested as u32);
        // SAFETY: that is the part of this kind; then a live context.
        unsafe {
            let task = asked.unwrap().body.task.task;
            let (context, sim) = (host.context, host.simulation);
            assert_eq!(ugas_task_complete(context, sim, task, 4), ugas_status::BadArgument);
            host.must(ugas_task_complete(context, sim, task, outcome as u32));
            assert_eq!(ugas_task_complete(context, sim, task, outcome as u32), ugas_status::NotFound);
            let events = host.poll();
            let over = events.iter().find(|event| event.kind == kind as u32);
            assert_eq!(over.unwrap().body.ability.reason, reason as u32, "{outcome:?}");
        }
        assert_eq!(runs(&host, granted), 0);
    }
}

#[test]
fn activation_has_its_event() {
    let mut user = 0;
    let host = host(0, &mut user);
    let (knight, friend) = (host.spawn(), host.spawn());
    let granted = grant(&host, knight, "GA_Guard", |_| {});
    let event = ugas_gameplay_event {
        magnitude: 1.0,
        instigator: friend,
        target: knight,
        tag: tag(&host, "Ability.Guard"),
        ..zeroed_event()
    };
    let activate = |event: &ugas_gameplay_event| {
        // SAFETY: a live context and local variables.
        unsafe { ugas_ability_activate(host.context, host.simulation, granted, null(), 0, event, null_mut()) }
    };
    // The ability requires the source to be rallied.
    assert_eq!(activate(&event), ugas_status::Refused);
    host.must(host.apply("GE_Rally", 0, friend));
    assert_eq!(activate(&ugas_gameplay_event { magnitude: f64::NAN, ..event }), ugas_status::Refused);
    host.must(activate(&event));
}

#[test]
fn activations_are_cancelled_by_tags_or_all_but_one() {
    let mut user = 0;
    let Guarded { host, knight, granted } = guarded(&mut user);
    let dodge = grant(&host, knight, "GA_Dodge", |grant| grant.activate = 1);
    let (guards, dodges) = ([tag(&host, "Ability.Guard")], [tag(&host, "Ability.Dodge")]);
    let every = [tag(&host, "Ability")];
    let cancel = |with: &[ugas_tag], without: &[ugas_tag], except, count: *mut u32| {
        let (with, without) = ((with.as_ptr(), with.len()), (without.as_ptr(), without.len()));
        let (context, sim) = (host.context, host.simulation);
        // SAFETY: a live context and local variables.
        unsafe {
            ugas_abilities_cancel(context, sim, knight, with.0, with.1, without.0, without.1, except, count)
        }
    };
    let mut count = 9;
    // `without` alone is refused: it would cancel nothing rather than all but those.
    assert_eq!(cancel(&[], &guards, 0, &raw mut count), ugas_status::BadArgument);
    assert_eq!(cancel(&guards, &[], dodge, &raw mut count), ugas_status::BadArgument);
    assert_eq!((count, runs(&host, granted), runs(&host, dodge)), (9, 1, 1));
    host.must(cancel(&every, &guards, 0, &raw mut count));
    assert_eq!((count, runs(&host, granted), runs(&host, dodge)), (1, 1, 0));
    host.must(cancel(&dodges, &[], 0, &raw mut count));
    assert_eq!(count, 0);
    host.must(cancel(&[], &[], granted, &raw mut count));
    assert_eq!(count, 0);
    host.must(cancel(&[], &[], 0, null_mut()));
    assert_eq!(runs(&host, granted), 0);
}

#[test]
fn early_input_is_buffered_if_configured() {
    let mut user = 0;
    let host = host(0, &mut user);
    let (knight, context, sim) = (host.spawn(), host.context, host.simulation);
    let dodge = grant(&host, knight, "GA_Dodge", |grant| grant.input = text("Dodge"));
    let wound = applied(&host, &ugas_apply { effect: host.effect("GE_Bleed"), ..zeroed_apply() }, knight);
    let (mut pressed, mut run) = (9, 9);
    // SAFETY: a live context and local variables.
    unsafe {
        let (kind, begun) = (&raw mut pressed, &raw mut run);
        host.must(ugas_input_set_buffer(context, sim, knight, 200_000, 0));
        assert_eq!(ugas_input_press(context, sim, knight, text("Dodge"), kind, begun), ugas_status::Refused);
        host.must(ugas_input_release(context, sim, knight, text("Dodge")));
        host.must(ugas_input_set_buffer(context, sim, knight, 200_000, 2));
        host.must(ugas_input_press(context, sim, knight, text("Dodge"), kind, begun));
        assert_eq!((pressed, run), (ugas_pressed::Buffered as u32, 0));
        host.must(ugas_simulation_advance(context, sim, 100_000));
        host.must(ugas_effect_remove(context, sim, wound, 0));
    }
    assert_eq!(runs(&host, dodge), 1);
}
