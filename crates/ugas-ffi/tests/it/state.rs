//! Batches, characters, reload, run-time effects, and input devices.

use std::ptr::{null, null_mut};

use ugas_ffi::*;

use crate::host::{Host, PACK, add_slash, copied, slash, text, zeroed_apply};

const RESULT: usize = size_of::<ugas_batch_result>();

#[test]
fn batch_is_executed_at_its_end() {
    let host = Host::new();
    let (context, sim) = (host.context, host.simulation);
    let (one, two) = (host.spawn(), host.spawn());
    let mut results = [ugas_batch_result { status: 9, kind: 9, handle: 9, count: 9, reserved: 9 }; 4];
    let mut count = 0;
    // SAFETY: a live context and local variables.
    unsafe {
        assert_eq!(
            ugas_batch_end(context, sim, null_mut(), RESULT, 0, &raw mut count),
            ugas_status::BadArgument
        );
        host.must(ugas_batch_begin(context, sim));
        assert_eq!(ugas_batch_begin(context, sim), ugas_status::BadArgument);
        host.must(host.apply("GE_Thunder", one, two));
        host.must(host.apply("GE_Rally", one, one));
        assert_eq!(host.apply("GE_Rally", one, 77), ugas_status::NotFound);
        assert_eq!(ugas_simulation_advance(context, sim, 1), ugas_status::BadArgument);
        assert_eq!((host.current(two, "Health"), host.current(one, "Attack")), (100.0, 40.0));
        host.must(ugas_effect_remove(context, sim, 0x1_0000_0063, 0));
        host.must(ugas_batch_end(context, sim, results.as_mut_ptr(), RESULT, 4, &raw mut count));
    }
    assert_eq!(count, 3);
    // A thunder of 10, and a rally of half the attack.
    assert_eq!((host.current(two, "Health"), host.current(one, "Attack")), (90.0, 60.0));
    let kinds: Vec<_> = results[..3].iter().map(|result| (result.status, result.kind)).collect();
    let applied = ugas_batch_result_kind::Applied as u32;
    assert_eq!(kinds[0], (0, applied));
    assert_eq!(kinds[1], (0, applied));
    assert!(results[0].handle == 0 && results[1].handle != 0);
    assert_ne!(results[2].status, 0, "there is no such effect");
    // SAFETY: a live context.
    unsafe {
        host.must(ugas_batch_begin(context, sim));
        host.must(host.apply("GE_Thunder", one, two));
        host.must(ugas_batch_drop(context, sim));
        assert_eq!(ugas_batch_drop(context, sim), ugas_status::BadArgument);
    }
    assert_eq!(host.current(two, "Health"), 90.0);
}

#[test]
fn character_moves_between_simulations() {
    let host = Host::new();
    let (context, sim) = (host.context, host.simulation);
    let knight = host.spawn();
    host.must(host.apply("GE_Rally", knight, knight));
    host.must(host.apply("GE_Thunder", 0, knight));
    let (mut other, mut restored, mut again) = (0, 0, 0);
    let mut bytes = ugas_bytes { data: null(), length: 0 };
    let mut lent = text("");
    // SAFETY: a live context and local variables; what is lent is copied before the next call.
    unsafe {
        host.must(ugas_simulation_new(context, host.catalog, null(), &raw mut other));
        host.must(ugas_character_bytes(context, sim, knight, &raw mut bytes));
        let kept = std::slice::from_raw_parts(bytes.data, bytes.length).to_vec();
        let slot = ugas_bytes { data: kept.as_ptr(), length: kept.len() };
        let report = &raw mut lent;
        host.must(ugas_character_restore(context, other, slot, null(), &raw mut restored, report));
        assert_eq!(copied(lent), "");
        let mut value = 0.0;
        let read = |who, name: &str, value| {
            host.must(ugas_attribute_read(context, other, who, host.attribute(name), 0, value));
        };
        read(restored, "Health", &raw mut value);
        assert_eq!(value, 90.0);
        read(restored, "Attack", &raw mut value);
        assert_eq!(value, 60.0);
        for (format, name) in [(0, "slot.yaml"), (1, "slot.json")] {
            host.must(ugas_character_text(context, sim, knight, format, report));
            let slot = copied(lent);
            let (name, slot) = (text(name), text(&slot));
            host.must(ugas_character_restore_text(
                context,
                other,
                name,
                slot,
                null(),
                &raw mut again,
                report,
            ));
            assert_eq!(copied(lent), "");
            read(again, "Attack", &raw mut value);
            assert_eq!(value, 60.0);
        }
        let cut = ugas_bytes { data: kept.as_ptr(), length: 9 };
        let wrong = ugas_character_restore(context, other, cut, null(), &raw mut again, report);
        assert_eq!(wrong, ugas_status::BadBytes);
        assert_eq!(ugas_character_text(context, sim, knight, 2, report), ugas_status::BadArgument);
        assert_eq!(ugas_character_bytes(context, sim, 77, &raw mut bytes), ugas_status::NotFound);
    }
}

#[test]
fn simulation_continues_after_a_reload() {
    let host = Host::new();
    let (context, sim) = (host.context, host.simulation);
    let knight = host.spawn();
    host.must(host.apply("GE_Rally", knight, knight));
    let stronger = PACK.replace("Value: 0.5", "Value: 1.0");
    assert_ne!(stronger, PACK);
    let (mut loader, mut catalog, mut is_lossless) = (0, 0, 9);
    let mut report = text("");
    // SAFETY: a live context and local variables.
    unsafe {
        host.must(ugas_loader_new(context, &raw mut loader));
        host.must(ugas_loader_add_text(context, loader, text("pack.yaml"), text(&stronger)));
        host.must(add_slash(context, loader, slash, null_mut(), None));
        host.must(ugas_loader_load(context, loader, &raw mut catalog));
        host.must(ugas_recording_start(context, sim, null()));
        let recorded = ugas_simulation_reload(context, sim, catalog, null_mut(), null_mut());
        assert_eq!(recorded, ugas_status::Recording);
        host.must(ugas_recording_finish(context, sim, null_mut()));
        host.must(ugas_simulation_reload(context, sim, catalog, &raw mut is_lossless, &raw mut report));
        assert_eq!((is_lossless, copied(report).as_str()), (1, "effect `GE_Rally` changed\n"));
        assert_eq!(ugas_simulation_reload(context, sim, sim, null_mut(), null_mut()), ugas_status::BadHandle);
    }
    // A rally doubles the attack now, also the one that goes on.
    assert_eq!(host.current(knight, "Attack"), 80.0);
}

#[test]
fn effect_is_defined_at_run_time() {
    let host = Host::new();
    let (context, sim) = (host.context, host.simulation);
    let knight = host.spawn();
    let brew = "$schema: https://ugas.jbltx.com/v1.0.0-draft.1/schemas/gameplay_effect.json\nName: GE_Brew\n\
        DurationPolicy: Infinite\nModifiers:\n  - { Attribute: Attack, Operation: Add, Magnitude: { Type: ScalableFloat, \
        Value: 5.0 } }\n";
    let (mut effect, mut active, name) = (0, 0, text("brew.yaml"));
    // SAFETY: a live context and local variables.
    unsafe {
        host.must(ugas_effect_define(context, sim, name, text(brew), &raw mut effect));
        let apply = ugas_apply { effect, ..zeroed_apply() };
        let pointer = &raw mut active;
        host.must(ugas_effect_apply(context, sim, &raw const apply, knight, null_mut(), pointer));
        assert_eq!(host.current(knight, "Attack"), 45.0);
        assert_eq!(ugas_effect_forget(context, sim, effect), ugas_status::Refused, "it is active");
        host.must(ugas_effect_set_level(context, sim, active, 2.0));
        host.must(ugas_effect_remove(context, sim, active, 0));
        host.must(ugas_effect_forget(context, sim, effect));
        assert_ne!(ugas_effect_forget(context, sim, effect), ugas_status::Ok);
        // Names must be known to the simulation, and there must be exactly one effect.
        let strange = brew.replace("Attribute: Attack", "Attribute: Charm");
        let strange = ugas_effect_define(context, sim, name, text(&strange), &raw mut effect);
        assert_eq!(strange, ugas_status::Refused, "{}", host.error());
        let wrong = ugas_effect_define(context, sim, name, text("Name: ["), &raw mut effect);
        assert_eq!(wrong, ugas_status::LoadFailed);
        let empty = ugas_effect_define(context, sim, name, text(""), &raw mut effect);
        assert_ne!(empty, ugas_status::Ok);
    }
}

/// A key for an action.
pub(crate) const KEYS: &str = "$schema: https://ugas.jbltx.com/v1.0.0-draft.10/schemas/input_action.json
Name: IA_Strike
ValueType: Digital
---
$schema: https://ugas.jbltx.com/v1.0.0-draft.10/schemas/input_action_set.json
Name: OnFoot
Actions: [IA_Strike]
---
$schema: https://ugas.jbltx.com/v1.0.0-draft.10/schemas/input_mapping.json
ActionSet: OnFoot
Platform: PC
Bindings:
  - { Action: IA_Strike, Inputs: [{ Device: Keyboard, Input: Space }] }
";

#[test]
fn key_becomes_an_input() {
    let host = Host::new();
    let context = host.context;
    let (mut loader, mut catalog, mut mapper) = (0, 0, 0);
    let mut saved = text("");
    let (keyboard, space) = (text("Keyboard"), text("Space"));
    let poll = |mapper| {
        let mut signals = Vec::<ugas_signal>::with_capacity(8);
        let mut count = 0;
        // SAFETY: there is room for as many as is said, and so many were written.
        unsafe {
            let size = size_of::<ugas_signal>();
            host.must(ugas_mapper_poll(context, mapper, signals.as_mut_ptr(), size, 8, &raw mut count));
            signals.set_len(count);
        }
        signals
    };
    // SAFETY: a live context and local variables.
    unsafe {
        host.must(ugas_loader_new(context, &raw mut loader));
        host.must(ugas_loader_add_text(context, loader, text("keys.yaml"), text(KEYS)));
        assert_eq!(ugas_mapper_new(context, loader, 0, &raw mut mapper), ugas_status::BadArgument);
        host.must(ugas_loader_load(context, loader, &raw mut catalog));
        assert_eq!(ugas_mapper_new(context, loader, 4, &raw mut mapper), ugas_status::BadArgument);
        host.must(ugas_mapper_new(context, loader, 0, &raw mut mapper));
        host.must(ugas_loader_free(context, loader));
        let knight = host.spawn();
        host.must(ugas_mapper_tags(context, mapper, 0, host.simulation, knight));
        host.must(ugas_mapper_device(context, mapper, 10, keyboard, space, 1.0, 0.0, 0.0));
        host.must(ugas_mapper_device(context, mapper, 30, keyboard, space, 0.0, 0.0, 0.0));
    }
    let signals = poll(mapper);
    let kinds: Vec<_> = signals.iter().map(|signal| signal.kind).collect();
    use ugas_signal_kind as K;
    assert_eq!(kinds, [K::Pressed as u32, K::Triggered as u32, K::Released as u32]);
    assert_eq!((copied(signals[1].action), signals[1].time), ("IA_Strike".to_owned(), 10));
    assert_eq!((signals[2].held, signals[2].cause), (20, ugas_release_cause::LetGo as u32));
    // SAFETY: a live context and local variables.
    unsafe {
        let (action, key) = (text("IA_Strike"), text("F"));
        host.must(ugas_mapper_remap(context, mapper, action, 0, keyboard, key, null_mut()));
        let refused = ugas_mapper_remap(context, mapper, text("IA_Hum"), 0, keyboard, key, null_mut());
        assert_eq!(refused, ugas_status::Refused);
        host.must(ugas_mapper_save(context, mapper, &raw mut saved));
        let kept = copied(saved);
        assert_eq!(kept, "ugas-input-mappings 1\nIA_Strike 0 Keyboard F\n");
        host.must(ugas_mapper_load(context, mapper, text(""), null_mut()));
        host.must(ugas_mapper_load(context, mapper, text(&kept), null_mut()));
        assert_eq!(ugas_mapper_load(context, mapper, text("?"), null_mut()), ugas_status::BadBytes);
        host.must(ugas_mapper_device(context, mapper, 50, keyboard, key, 1.0, 0.0, 0.0));
        host.must(ugas_mapper_enable_set(context, mapper, 60, text("OnFoot"), 0));
        let unknown = ugas_mapper_enable_set(context, mapper, 60, text("Afloat"), 0);
        assert_eq!(unknown, ugas_status::NotFound);
    }
    let causes: Vec<_> =
        poll(mapper).iter().filter(|signal| signal.kind == 3).map(|signal| signal.cause).collect();
    assert_eq!(causes, [ugas_release_cause::Inactive as u32]);
    // SAFETY: a live context.
    unsafe {
        host.must(ugas_mapper_release_all(context, mapper, 70));
        host.must(ugas_mapper_advance(context, mapper, 80));
        host.must(ugas_mapper_free(context, mapper));
        assert_eq!(ugas_mapper_advance(context, mapper, 90), ugas_status::BadHandle);
        assert_eq!(ugas_mapper_advance(context, host.simulation, 90), ugas_status::BadHandle);
    }
}

const SET: &str = "---
AbilitySets:
  - Name: Squire
    Abilities: [{ Ability: GA_Slash }]
    Effects: [{ Effect: GE_Rally }]
";

#[test]
fn ability_set_is_granted_and_revoked_together() {
    let pack = format!("{PACK}{SET}");
    let host = Host::prepared(&pack, |context, loader| add_slash(context, loader, slash, null_mut(), None));
    let (context, sim, knight) = (host.context, host.simulation, host.spawn());
    // SAFETY: numbers and pointers, for which zero is a value; then a live context and local variables.
    unsafe {
        let mut granted: ugas_granted_set = std::mem::zeroed();
        granted.size = size_of::<ugas_granted_set>();
        let unknown = ugas_ability_set_grant(context, sim, knight, text("Page"), &raw mut granted);
        assert_ne!(unknown, ugas_status::Ok);
        assert!(host.error().contains("Page"), "{}", host.error());
        host.must(ugas_ability_set_grant(context, sim, knight, text("Squire"), &raw mut granted));
        assert_eq!((granted.ability_count, granted.effect_count, granted.attribute_set_count), (1, 1, 0));
        // Returned lists must be copied before the next call.
        let (ability, effect) = (*granted.abilities, *granted.effects);
        (granted.abilities, granted.effects) = (&raw const ability, &raw const effect);
        assert_eq!(host.current(knight, "Attack"), 60.0);
        host.must(ugas_ability_can_activate(context, sim, ability, null(), 0));
        host.must(ugas_ability_set_revoke(context, sim, knight, &raw const granted));
        assert_eq!(ugas_ability_can_activate(context, sim, ability, null(), 0), ugas_status::Refused);
        let none = ugas_granted_set { abilities: null(), ..granted };
        assert_eq!(ugas_ability_set_revoke(context, sim, knight, &raw const none), ugas_status::NullPointer);
    }
    assert_eq!(host.current(knight, "Attack"), 40.0);
}
