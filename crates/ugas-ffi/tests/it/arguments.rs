//! Every input field has its documented effect.

use std::cell::RefCell;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

use ugas_ffi::*;

use crate::host::{Host, calculation, copied, knight, text, zeroed_apply};

const PACK: &str = concat!(
    "
$schema: https://example.org/schemas/attribute_set.json
Name: Body
Attributes:
  - { Name: Health, DefaultBaseValue: 100 }
  - { Name: Attack, DefaultBaseValue: 40 }
",
    knight!(),
    "$schema: https://example.org/schemas/gameplay_effect.json
Name: GE_Rally
DurationPolicy: Infinite
GrantedTags: [State.Rallied]
Modifiers: [{ Attribute: Attack, Operation: Multiply, Magnitude: { Type: ScalableFloat, Value: 0.5 } }]
---
$schema: https://example.org/schemas/gameplay_effect.json
Name: GE_Bleed
DurationPolicy: Infinite
GrantedTags: [State.Bleeding]
Period: { Period: 1.0, ExecuteOnApplication: false }
Modifiers: [{ Attribute: Health, Operation: Add, Magnitude: { Type: ScalableFloat, Value: -1.0 } }]
---
$schema: https://example.org/schemas/gameplay_effect.json
Name: GE_Spark
DurationPolicy: Instant
GameplayCues: [GameplayCue.Spark]
---
$schema: https://example.org/schemas/gameplay_effect.json
Name: GE_Drain
DurationPolicy: Infinite
Stacking: { Type: AggregateByTarget, Limit: 3 }
Period: { Period: 1.0, ExecuteOnApplication: false }
Executions: [{ CalculatorClass: ExecCalc_Drain }]
---
$schema: https://example.org/schemas/gameplay_ability.json
Name: GA_Guard
Tags: { AbilityTags: [Ability.Guard], SourceRequiredTags: [State.Rallied] }
Tasks: [{ Type: PlayMontage }]
---
$schema: https://example.org/schemas/gameplay_ability.json
Name: GA_Dodge
Tags: { AbilityTags: [Ability.Dodge], ActivationBlockedTags: [State.Bleeding] }
Tasks: [{ Type: PlayMontage }]
"
);

/// Last input of a calculation: stacks, level, source, target, and the captured attack of the source.
type Given = (u32, f64, u64, u64, f64);

thread_local! {
    static GIVEN: RefCell<Vec<Given>> = const { RefCell::new(Vec::new()) };
}

/// Removes one health, and records its input in `user`.
unsafe extern "C" fn drain(
    user: *mut c_void,
    input: *const ugas_calculation_input,
    output: *mut ugas_calculation_output,
) -> u32 {
    // SAFETY: as the library calls it; one attribute was declared, and `user` leads to a number of the test.
    unsafe {
        let input = &*input;
        let given = (input.stacks, input.level, input.source, input.target, *input.attributes);
        GIVEN.with_borrow_mut(|all| all.push(given));
        (*output).changes[0].magnitude = -1.0;
        (*output).change_count = 1;
        (*output).handles_stacks = *user.cast::<u32>();
    }
    0
}

fn draining(attributes: &[ugas_reading], outputs: &[ugas_str], user: &mut u32) -> ugas_calculation {
    let user = std::ptr::from_mut(user).cast();
    calculation("ExecCalc_Drain", attributes, outputs, drain, (user, Some(counts)))
}

/// Free callback that only records its call.
unsafe extern "C" fn counts(user: *mut c_void) {
    // SAFETY: `user` leads to a number of the test.
    unsafe { *user.cast::<u32>() += 100 };
}

pub(crate) fn host(frozen: u32, user: &mut u32) -> Host {
    Host::prepared(PACK, |context, loader| {
        let attributes = [ugas_reading { name: text("Attack"), party: ugas_party::Source as u32, frozen }];
        let outputs = [text("Health")];
        let calculation = draining(&attributes, &outputs, user);
        // SAFETY: a live context and local variables.
        unsafe { ugas_loader_add_calculation(context, loader, &raw const calculation) }
    })
}

pub(crate) fn tag(host: &Host, name: &str) -> ugas_tag {
    let mut tag = 0;
    // SAFETY: a live context and a local variable.
    host.must(unsafe { ugas_catalog_tag(host.context, host.catalog, text(name), &raw mut tag) });
    tag
}

pub(crate) fn applied(host: &Host, apply: &ugas_apply, target: u64) -> ugas_active_effect {
    let mut active = 0;
    // SAFETY: a live context and local variables.
    host.must(unsafe {
        ugas_effect_apply(host.context, host.simulation, apply, target, null_mut(), &raw mut active)
    });
    active
}

fn advance(host: &Host, micros: i64) {
    // SAFETY: a live context.
    host.must(unsafe { ugas_simulation_advance(host.context, host.simulation, micros) });
}

#[test]
fn calculation_gets_stacks_level_source_and_target() {
    for (handles_stacks, frozen, health, attack) in [(0, 0, 98.0, 60.0), (1, 1, 99.0, 40.0)] {
        let mut user = handles_stacks;
        let host = host(frozen, &mut user);
        let (one, other) = (host.spawn(), host.spawn());
        let apply = ugas_apply {
            effect: host.effect("GE_Drain"),
            source: one,
            level: 3.0,
            has_level: 1,
            ..zeroed_apply()
        };
        applied(&host, &apply, other);
        applied(&host, &apply, other);
        host.must(host.apply("GE_Rally", 0, one)); // attack is half as much again: 60
        GIVEN.take();
        advance(&host, 1_000_000);
        assert_eq!(GIVEN.take(), [(2, 3.0, one, other, attack)]);
        assert_eq!(host.current(other, "Health"), health);
    }
}

#[test]
fn calculation_registered_after_loading_is_not_freed() {
    let (mut user, mut late) = (0, 0);
    let host = host(0, &mut user);
    let (mut loader, mut catalog) = (0, 0);
    let (outputs, context) = ([text("Health")], host.context);
    let calculation = draining(&[], &outputs, &mut late);
    // SAFETY: a live context and local variables.
    unsafe {
        host.must(ugas_loader_new(context, &raw mut loader));
        host.must(ugas_loader_load(context, loader, &raw mut catalog));
        let refused = ugas_loader_add_calculation(context, loader, &raw const calculation);
        assert_eq!(refused, ugas_status::BadArgument);
        host.must(ugas_loader_free(context, loader));
    }
    drop(host);
    assert_eq!((user, late), (100, 0));
}

#[test]
fn simulation_uses_its_configuration() {
    let mut user = 0;
    let host = host(0, &mut user);
    let (context, mut sim) = (host.context, 0);
    // SAFETY: numbers, for which zero is a value.
    let mut config: ugas_config = unsafe { std::mem::zeroed() };
    config.size = size_of::<ugas_config>();
    (config.audit, config.max_events, config.max_controllers) = (1, 4, 2);
    (config.max_effects_per_controller, config.min_period) = (1, 500_000);
    let spawn = ugas_spawn {
        size: size_of::<ugas_spawn>(),
        template_name: text("Knight"),
        owner: 11,
        avatar: 12,
        has_owner: 1,
        has_avatar: 1,
    };
    let (mut knight, mut found, mut dropped) = (0, 0, 0);
    // SAFETY: a live context and local variables.
    unsafe {
        host.must(ugas_simulation_new(context, host.catalog, &raw const config, &raw mut sim));
        host.must(ugas_controller_spawn(context, sim, &raw const spawn, &raw mut knight));
        host.must(ugas_controller_of_avatar(context, sim, 12, &raw mut found));
        assert_eq!(found, knight);
        let apply = |effect: &str, period| {
            let (effect, has_period) = (host.effect(effect), u32::from(period != 0));
            let apply = ugas_apply { effect, period, has_period, ..zeroed_apply() };
            ugas_effect_apply(context, sim, &raw const apply, knight, null_mut(), null_mut())
        };
        assert_eq!(apply("GE_Bleed", 100_000), ugas_status::Refused, "ten times a second is too often");
        host.must(apply("GE_Bleed", 500_000));
        assert_eq!(apply("GE_Rally", 0), ugas_status::Refused, "there is one effect already");
        // Two a second, for a second.
        host.must(ugas_simulation_advance(context, sim, 1_000_000));
        let mut health = 0.0;
        host.must(ugas_attribute_read(context, sim, knight, host.attribute("Health"), 0, &raw mut health));
        assert_eq!(health, 98.0);
        host.must(ugas_events_pending(context, sim, null_mut(), &raw mut dropped));
        assert!(dropped > 0, "no more than four events are kept");
        let (mut rows, mut count) = ([[0_u32; 46]; 8], 0);
        let size = size_of::<ugas_event>();
        host.must(apply("GE_Spark", 0));
        host.must(ugas_events_poll(context, sim, rows.as_mut_ptr().cast(), size, 8, &raw mut count));
        let kinds: Vec<u32> = rows[..count].iter().map(|row| row[0]).collect();
        assert!(count <= 4 && kinds.contains(&(ugas_event_kind::BeforeEffectApplied as u32)), "{kinds:?}");
        let mut third = 0;
        host.must(ugas_controller_spawn(context, sim, &raw const spawn, &raw mut third));
        let full = ugas_controller_spawn(context, sim, &raw const spawn, &raw mut third);
        assert_eq!(full, ugas_status::Refused);
    }
}

#[test]
fn excluded_events_are_not_queued() {
    let mut user = 0;
    let host = host(0, &mut user);
    let (context, mut sim, mut knight, mut pending) = (host.context, 0, 0, 0);
    // SAFETY: numbers, for which zero is a value.
    let mut config: ugas_config = unsafe { std::mem::zeroed() };
    config.size = size_of::<ugas_config>();
    // SAFETY: numbers and pointers, for which zero is a value.
    let mut spawn: ugas_spawn = unsafe { std::mem::zeroed() };
    (spawn.size, spawn.template_name) = (size_of::<ugas_spawn>(), text("Knight"));
    for (excluded, kept) in [(0, true), (1 << ugas_event_kind::ControllerSpawned as u32, false)] {
        config.excluded_events = excluded;
        // SAFETY: a live context and local variables.
        unsafe {
            host.must(ugas_simulation_new(context, host.catalog, &raw const config, &raw mut sim));
            host.must(ugas_controller_spawn(context, sim, &raw const spawn, &raw mut knight));
            host.must(ugas_events_pending(context, sim, &raw mut pending, null_mut()));
            let (mut rows, mut count) = (vec![[0_u32; 46]; pending], 0);
            let (out, size) = (rows.as_mut_ptr().cast(), size_of::<ugas_event>());
            host.must(ugas_events_poll(context, sim, out, size, pending, &raw mut count));
            let is_spawned = |row: &[u32; 46]| row[0] == ugas_event_kind::ControllerSpawned as u32;
            assert_eq!(rows.iter().any(is_spawned), kept);
            host.must(ugas_simulation_free(context, sim));
        }
    }
}

/// `excluded_events` has the bits of [`EventFilter`](ugas_core::event::EventFilter).
#[test]
fn event_kinds_have_the_numbers_of_event_types() {
    let header = include_str!("../../include/ugas.h");
    let kinds = header.lines().filter_map(|line| line.trim().strip_prefix("UGAS_EVENT_KIND_"));
    let kinds = kinds.filter_map(|line| line.trim_end_matches(',').split_once(" = ")).skip(1);
    let kinds: Vec<(String, u8)> =
        kinds.map(|(name, number)| (name.replace('_', ""), number.parse().unwrap())).collect();
    let types = ugas_core::event::EventType::ALL.iter();
    let types: Vec<(String, u8)> = types.map(|event| (event.name().to_uppercase(), *event as u8)).collect();
    assert_eq!(kinds, types);
}

#[test]
fn cue_has_the_location_of_its_effect() {
    let mut user = 0;
    let host = host(0, &mut user);
    let knight = host.spawn();
    host.poll();
    let apply = ugas_apply {
        effect: host.effect("GE_Spark"),
        origin: [1.0, 2.0, 3.0],
        has_origin: 1,
        level: 4.0,
        has_level: 1,
        ..zeroed_apply()
    };
    applied(&host, &apply, knight);
    let events = host.poll();
    let cue = events.iter().find(|event| event.kind == ugas_event_kind::CueExecuted as u32).unwrap();
    assert_eq!((cue.category, cue.controller), (ugas_category::Cue as u32, knight));
    // SAFETY: that is the part of this kind.
    let shown = unsafe { cue.body.cue };
    assert_eq!((shown.cue, shown.level), (tag(&host, "GameplayCue.Spark"), 4.0));
    assert_eq!((shown.has_location, shown.location), (1, [1.0, 2.0, 3.0]));
}

#[test]
fn effect_query_selects_by_every_criterion() {
    let mut user = 0;
    let host = host(0, &mut user);
    let (one, other) = (host.spawn(), host.spawn());
    let rally = ugas_apply { effect: host.effect("GE_Rally"), source: one, ..zeroed_apply() };
    let sword = ugas_apply { source_object: 77, has_source_object: 1, ..rally };
    let bleed = ugas_apply { effect: host.effect("GE_Bleed"), source: other, ..zeroed_apply() };
    let all = [applied(&host, &rally, other), applied(&host, &sword, other), applied(&host, &bleed, other)];
    let selected = |change: &dyn Fn(&mut ugas_effect_query)| {
        // SAFETY: numbers and pointers, for which zero is a value; then a live context and local variables.
        unsafe {
            let mut query: ugas_effect_query = std::mem::zeroed();
            query.size = size_of::<ugas_effect_query>();
            change(&mut query);
            let (mut rows, mut count) = (Vec::<ugas_effect_info>::with_capacity(4), 0);
            let (out, size) = (rows.as_mut_ptr(), size_of::<ugas_effect_info>());
            let (context, sim) = (host.context, host.simulation);
            host.must(ugas_effects_of(context, sim, other, &raw const query, out, size, 4, &raw mut count));
            rows.set_len(count);
            rows.iter().map(|row| row.active).collect::<Vec<_>>()
        }
    };
    let [plain, from_sword, wound] = all;
    let bleeding = [tag(&host, "State.Bleeding")];
    // SAFETY: numbers and pointers, for which zero is a value.
    let mut tags: ugas_tag_query = unsafe { std::mem::zeroed() };
    (tags.size, tags.any, tags.any_count) = (size_of::<ugas_tag_query>(), bleeding.as_ptr(), 1);
    assert_eq!(selected(&|_| {}), all);
    assert_eq!(selected(&|query| query.source = one), [plain, from_sword]);
    assert_eq!(selected(&|query| query.tags = &raw const tags), [wound]);
    // The other knight is the source of one of the effects.
    assert_eq!(selected(&|query| query.source_tags = &raw const tags), [wound]);
    let attack = host.attribute("Attack");
    assert_eq!(selected(&|query| (query.attribute, query.has_attribute) = (attack, 1)), [plain, from_sword]);
    assert_eq!(selected(&|query| (query.effect, query.has_effect) = (bleed.effect, 1)), [wound]);
    assert_eq!(selected(&|query| (query.source_object, query.has_source_object) = (77, 1)), [from_sword]);
    // A header without the source object has a shorter structure.
    assert_eq!(
        selected(&|query| (query.size, query.source_object, query.has_source_object) = (48, 77, 1)),
        all
    );
}

#[test]
fn polled_events_are_invalid_after_restore_reload_and_migration() {
    let mut user = 0;
    let host = host(0, &mut user);
    let (context, sim, mut snapshot) = (host.context, host.simulation, 0);
    let mut words = text("");
    let mut bytes = ugas_bytes { data: null(), length: 0 };
    // SAFETY: a live context and local variables.
    unsafe {
        host.must(ugas_snapshot_take(context, sim, &raw mut snapshot));
        let polled = |words| {
            host.spawn();
            assert!(!host.poll().is_empty());
            host.must(ugas_event_text(context, sim, 0, words));
        };
        let is_over = |words| ugas_event_text(context, sim, 0, words) == ugas_status::NotFound;
        polled(&raw mut words);
        assert!(copied(words).contains("ControllerSpawned"), "{}", copied(words));
        host.must(ugas_snapshot_restore(context, sim, snapshot));
        assert!(is_over(&raw mut words));
        polled(&raw mut words);
        host.must(ugas_simulation_reload(context, sim, host.catalog, null_mut(), null_mut()));
        assert!(is_over(&raw mut words));
        polled(&raw mut words);
        host.must(ugas_snapshot_bytes(context, snapshot, &raw mut bytes));
        host.must(ugas_simulation_migrate(context, sim, bytes, null_mut(), null_mut()));
        assert!(is_over(&raw mut words));
    }
}

#[test]
fn open_batch_must_be_ended_first() {
    let mut user = 0;
    let host = host(0, &mut user);
    let (context, sim, knight) = (host.context, host.simulation, host.spawn());
    let (mut snapshot, mut server, mut count) = (0, 0, 0);
    let mut bytes = ugas_bytes { data: null(), length: 0 };
    // SAFETY: a live context and local variables.
    unsafe {
        host.must(ugas_snapshot_take(context, sim, &raw mut snapshot));
        host.must(ugas_batch_begin(context, sim));
        host.must(host.apply("GE_Rally", 0, knight));
        let (none, lossless) = (null_mut(), null_mut());
        host.must(ugas_snapshot_bytes(context, snapshot, &raw mut bytes));
        assert_eq!(ugas_simulation_migrate(context, sim, bytes, lossless, none), ugas_status::BadArgument);
        for refused in [
            ugas_snapshot_restore(context, sim, snapshot),
            ugas_simulation_reload(context, sim, host.catalog, lossless, none),
            ugas_recording_start(context, sim, null()),
            ugas_server_new(context, sim, null(), &raw mut server),
            ugas_simulation_advance(context, sim, 1),
        ] {
            assert_eq!(refused, ugas_status::BadArgument, "{}", host.error());
        }
        host.must(ugas_batch_end(context, sim, null_mut(), 24, 0, &raw mut count));
        assert_eq!((count, host.current(knight, "Attack")), (1, 60.0));
        host.must(ugas_server_new(context, sim, null(), &raw mut server));
        host.must(ugas_batch_begin(context, server));
        assert_eq!(ugas_server_tick(context, server, 1), ugas_status::BadArgument);
        host.must(ugas_batch_drop(context, server));
        host.must(ugas_server_tick(context, server, 1));
    }
}
