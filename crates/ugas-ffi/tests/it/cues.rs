//! Cues and gameplay events with their complete context (C1, A11), and events of tag counts (T6).

use std::ptr::{null, null_mut};

use ugas_ffi::*;

use crate::host::{Host, body, copied, copied_list, knight, text, zeroed_apply, zeroed_cue, zeroed_event};

const PACK: &str = concat!(
    body!(),
    knight!(),
    "
$schema: https://example.org/schemas/gameplay_tag.json
Tags:
  - { Tag: GameplayCue.Flash }
  - { Tag: GameplayCue.Burn }
  - { Tag: Hit.Critical }
  - { Tag: State.Marked }
  - { Tag: Event.Parry }
  - { Tag: Ability.Parry }
---
$schema: https://example.org/schemas/gameplay_effect.json
Name: GE_Burn
DurationPolicy: HasDuration
Duration: { Type: ScalableFloat, Value: 4.0 }
CueMagnitude: Health
GameplayCues: [GameplayCue.Burn]
GrantedTags: [State.Marked]
Modifiers: [{ Attribute: Health, Operation: Add, Magnitude: { Type: ScalableFloat, Value: -7.0 } }]
---
$schema: https://example.org/schemas/gameplay_ability.json
Name: GA_Parry
Tags: { AbilityTags: [Ability.Parry] }
Tasks: [{ Type: WaitDelay, Params: { Duration: 9.0 } }]
"
);

fn host() -> Host {
    Host::prepared(PACK, |_, _| ugas_status::Ok)
}

fn tag(host: &Host, name: &str) -> ugas_tag {
    let mut out = 0;
    // SAFETY: a live context and a local variable.
    host.must(unsafe { ugas_catalog_tag(host.context, host.catalog, text(name), &raw mut out) });
    out
}

fn grant(host: &Host, controller: ugas_controller, level: u32) -> (ugas_ability, u64) {
    let (mut ability, mut granted) = (0, 0);
    // SAFETY: a live context and local variables; zero is a value of every field.
    unsafe {
        host.must(ugas_catalog_ability(host.context, host.catalog, text("GA_Parry"), &raw mut ability));
        let mut grant: ugas_grant = std::mem::zeroed();
        (grant.size, grant.ability, grant.level) = (size_of::<ugas_grant>(), ability, level);
        host.must(ugas_ability_grant(
            host.context,
            host.simulation,
            controller,
            &raw const grant,
            &raw mut granted,
        ));
    }
    (ability, granted)
}

fn hit() -> ugas_target {
    // SAFETY: numbers, for which zero is a value.
    let mut hit: ugas_target = unsafe { std::mem::zeroed() };
    (hit.kind, hit.part) = (ugas_target_kind::Hit as u32, 6);
    (hit.location, hit.normal, hit.distance) = ([1.0, 2.0, 3.0], [0.0, 0.0, -0.0], 4.0);
    (hit.actor, hit.has_actor) = (5, 1);
    hit
}

fn of_kind(events: &[ugas_event], kind: ugas_event_kind) -> Vec<ugas_event> {
    events.iter().filter(|event| event.kind == kind as u32).copied().collect()
}

#[test]
fn c1_cue_that_the_host_executes_has_every_field() {
    let host = host();
    let (source, target) = (host.spawn(), host.spawn());
    let (flash, critical) = (tag(&host, "GameplayCue.Flash"), tag(&host, "Hit.Critical"));
    let (ability, granted) = grant(&host, source, 3);
    let (hit, bytes) = (hit(), [1_u8, 0, 2]);
    let cue = ugas_cue {
        magnitude: -2.5,
        source,
        ability: granted,
        hit: &raw const hit,
        causer: 70,
        has_causer: 1,
        source_object: 80,
        has_source_object: 1,
        origin: [9.0, 8.0, 7.0],
        has_origin: 1,
        context_tags: &raw const critical,
        context_tag_count: 1,
        payload_kind: text("colour"),
        payload: ugas_bytes { data: bytes.as_ptr(), length: bytes.len() },
        cue: flash,
        ..zeroed_cue()
    };
    host.poll();
    // SAFETY: a live context and local variables.
    host.must(unsafe { ugas_cue_execute(host.context, host.simulation, target, &raw const cue) });
    let events = of_kind(&host.poll(), ugas_event_kind::CueExecuted);
    let [event] = events[..] else { panic!("one cue") };
    assert_eq!((event.category, event.controller), (ugas_category::Cue as u32, target));
    // SAFETY: that is the part of this kind, and its context is valid until the next poll.
    let (shown, details) = unsafe { (event.body.cue, *event.body.cue.details) };
    assert_eq!((shown.cue, shown.magnitude, shown.level), (flash, -2.5, 1.0));
    assert_eq!((shown.has_location, shown.location), (1, [1.0, 2.0, 3.0]));
    assert_eq!((details.instigator, details.causer, details.has_causer), (source, 70, 1));
    assert_eq!((details.source_object, details.has_source_object), (80, 1));
    assert_eq!((details.has_hit, details.hit.location), (1, hit.location));
    assert_eq!((details.hit.distance, details.hit.part, details.hit.actor), (4.0, 6, 5));
    assert!(details.hit.normal.iter().all(|number| number.is_sign_positive()), "no negative zero");
    assert_eq!((details.has_origin, details.origin), (1, [9.0, 8.0, 7.0]));
    assert_eq!((details.ability, details.ability_level), (ability, 3));
    assert_eq!((details.stacks, details.duration), (1, -1));
    assert_eq!(copied_list(details.context_tags, details.context_tag_count), [critical]);
    let parry = tag(&host, "Ability.Parry");
    assert!(copied_list(details.ability_tags, details.ability_tag_count).contains(&parry));
    assert!(copied_list(details.source_tags, details.source_tag_count).contains(&parry));
    assert_eq!(details.target_tag_count, 0);
    assert_eq!(copied(details.payload_kind), "colour");
    assert_eq!(copied_list(details.payload.data, details.payload.length), bytes);
}

#[test]
fn c1_cue_of_an_effect_has_the_context_that_the_host_applied_it_with() {
    let host = host();
    let (source, target) = (host.spawn(), host.spawn());
    let critical = tag(&host, "Hit.Critical");
    let hit = hit();
    let apply = ugas_apply {
        effect: host.effect("GE_Burn"),
        source,
        level: 2.0,
        has_level: 1,
        hit: &raw const hit,
        context_tags: &raw const critical,
        context_tag_count: 1,
        payload_kind: text("colour"),
        ..zeroed_apply()
    };
    host.poll();
    // SAFETY: a live context and local variables.
    host.must(unsafe {
        ugas_effect_apply(host.context, host.simulation, &raw const apply, target, null_mut(), null_mut())
    });
    let events = host.poll();
    let [event] = of_kind(&events, ugas_event_kind::CueAdded)[..] else { panic!("one cue") };
    // SAFETY: that is the part of this kind, and its context is valid until the next poll.
    let (shown, details) = unsafe { (event.body.cue, *event.body.cue.details) };
    assert_eq!((shown.magnitude, shown.level, shown.location), (-7.0, 2.0, hit.location));
    assert_eq!((details.instigator, details.stacks, details.duration), (source, 1, 4_000_000));
    assert_eq!((details.ability, details.ability_level), (UGAS_NO_ID, 0));
    assert_eq!(copied_list(details.context_tags, details.context_tag_count), [critical]);
    assert_eq!((copied(details.payload_kind).as_str(), details.payload.length), ("colour", 0));
    let [event] = of_kind(&events, ugas_event_kind::EffectApplied)[..] else { panic!("one application") };
    // SAFETY: that is the part of this kind.
    let applied = unsafe { event.body.effect };
    assert_eq!(copied_list(applied.context_tags, applied.context_tag_count), [critical]);
}

#[test]
fn c1_added_cues_are_counted_until_they_are_removed() {
    let host = host();
    let knight = host.spawn();
    let flash = tag(&host, "GameplayCue.Flash");
    let cue = ugas_cue { cue: flash, ..zeroed_cue() };
    let (context, simulation) = (host.context, host.simulation);
    let (mut active, mut removed) = (0, 9);
    // SAFETY: a live context and local variables.
    unsafe {
        host.poll();
        host.must(ugas_cue_add(context, simulation, knight, &raw const cue, &raw mut active));
        host.must(ugas_cue_add(context, simulation, knight, &raw const cue, null_mut()));
        assert_ne!(active, 0);
        for expected in [1, 1, 0] {
            host.must(ugas_cue_remove(context, simulation, knight, flash, &raw mut removed));
            assert_eq!(removed, expected);
        }
        let events = host.poll();
        assert_eq!(of_kind(&events, ugas_event_kind::CueAdded).len(), 1);
        let ended = of_kind(&events, ugas_event_kind::CueRemoved);
        assert_eq!(ended.len(), 1);
        assert!(ended[0].body.cue.details.is_null());
        // Invalid input is refused.
        let unknown = ugas_cue { cue: 9_999, ..cue };
        assert_eq!(ugas_cue_execute(context, simulation, knight, &raw const unknown), ugas_status::Refused);
        assert_eq!(
            ugas_cue_add(context, simulation, knight, &raw const unknown, null_mut()),
            ugas_status::Refused
        );
        let wrong = ugas_cue { magnitude: f64::NAN, ..cue };
        assert_eq!(ugas_cue_execute(context, simulation, knight, &raw const wrong), ugas_status::Refused);
        let byte = 1_u8;
        let nameless = ugas_cue { payload: ugas_bytes { data: &raw const byte, length: 1 }, ..cue };
        let status = ugas_cue_execute(context, simulation, knight, &raw const nameless);
        assert_eq!(status, ugas_status::BadArgument);
        assert_eq!(ugas_cue_execute(context, simulation, 0, &raw const cue), ugas_status::NotFound);
        assert_eq!(ugas_cue_execute(context, simulation, knight, null()), ugas_status::NullPointer);
    }
}

#[test]
fn a11_gameplay_event_is_emitted_as_sent() {
    let host = host();
    let (knight, friend) = (host.spawn(), host.spawn());
    let (parry, critical) = (tag(&host, "Event.Parry"), tag(&host, "Hit.Critical"));
    // SAFETY: numbers, for which zero is a value.
    let mut place: ugas_target = unsafe { std::mem::zeroed() };
    (place.kind, place.location) = (ugas_target_kind::Location as u32, [4.0, 5.0, 6.0]);
    let targets = [hit(), place];
    let payload = [
        ugas_named_number { name: text("Speed"), value: 2.5 },
        ugas_named_number { name: text("Bounces"), value: 3.0 },
    ];
    let event = ugas_gameplay_event {
        magnitude: 1.5,
        instigator: friend,
        target: knight,
        tag: parry,
        context_tags: &raw const critical,
        context_tag_count: 1,
        targets: targets.as_ptr(),
        target_count: targets.len(),
        payload: payload.as_ptr(),
        payload_count: payload.len(),
        ..zeroed_event()
    };
    host.poll();
    let send = |event: &ugas_gameplay_event| {
        // SAFETY: a live context and local variables.
        unsafe { ugas_gameplay_event_send(host.context, host.simulation, knight, event) }
    };
    host.must(send(&event));
    let [came] = of_kind(&host.poll(), ugas_event_kind::GameplayEvent)[..] else { panic!("one event") };
    // SAFETY: that is the part of this kind.
    let came = unsafe { came.body.gameplay };
    assert_eq!((came.tag, came.magnitude), (parry, 1.5));
    assert_eq!((came.instigator, came.target), (friend, knight));
    assert_eq!(copied_list(came.context_tags, came.context_tag_count), [critical]);
    let places: Vec<_> = copied_list(came.targets, came.target_count)
        .iter()
        .map(|target| (target.kind, target.location))
        .collect();
    let expected = targets.map(|target| (target.kind, target.location));
    assert_eq!(places, expected);
    // Sorted by name.
    let numbers = copied_list(came.payload, came.payload_count);
    let numbers: Vec<_> = numbers.iter().map(|number| (copied(number.name), number.value)).collect();
    assert_eq!(numbers, [("Bounces".to_owned(), 3.0), ("Speed".to_owned(), 2.5)]);
    // An event of a host without the list fields.
    host.must(send(&ugas_gameplay_event { size: 40, ..event }));
    let [came] = of_kind(&host.poll(), ugas_event_kind::GameplayEvent)[..] else { panic!("one event") };
    // SAFETY: that is the part of this kind.
    let came = unsafe { came.body.gameplay };
    assert_eq!((came.context_tag_count, came.target_count, came.payload_count), (0, 0, 0));
    let wrong = ugas_named_number { name: text("Speed"), value: f64::INFINITY };
    let wrong = ugas_gameplay_event { payload: &raw const wrong, payload_count: 1, ..event };
    assert_eq!(send(&wrong), ugas_status::Refused);
}

#[test]
fn t6_tag_count_events_are_emitted_if_configured() {
    let mut host = host();
    // SAFETY: numbers, for which zero is a value.
    let mut config: ugas_config = unsafe { std::mem::zeroed() };
    (config.size, config.tag_counts) = (size_of::<ugas_config>(), 1);
    let mut asking = 0;
    // SAFETY: a live context and local variables.
    unsafe {
        host.must(ugas_simulation_new(host.context, host.catalog, &raw const config, &raw mut asking));
        let quiet = std::mem::replace(&mut host.simulation, asking);
        let knight = host.spawn();
        host.poll();
        for _ in 0..2 {
            host.must(host.apply("GE_Burn", 0, knight));
        }
        host.must(ugas_simulation_advance(host.context, asking, 5_000_000));
        let events = host.poll();
        let counts = of_kind(&events, ugas_event_kind::TagCountChanged);
        let marked = tag(&host, "State.Marked");
        let counts: Vec<_> = counts
            .iter()
            .map(|event| event.body.tag_count)
            .filter(|changed| changed.tag == marked)
            .map(|changed| (changed.old_count, changed.count))
            .collect();
        assert_eq!(counts, [(0, 1), (1, 2), (2, 1), (1, 0)]);
        assert_eq!(of_kind(&events, ugas_event_kind::TagAdded).len(), 2); // State and State.Marked
        host.must(ugas_simulation_free(host.context, quiet));
    }
}
