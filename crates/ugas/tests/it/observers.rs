//! Subscriptions (§5.6): filters, order and lifetime of observers.

use std::sync::Mutex;

use ugas::prelude::*;
use ugas::{Filter, Observers};

struct Arena {
    sim: Simulation,
    wolf: ControllerId,
    ogre: ControllerId,
    health: AttributeId,
    poisoned: TagId,
    poison: EffectId,
}

fn arena() -> Arena {
    let catalog = Catalog::builder()
        .attribute_set(
            AttributeSetDef::new("Combat")
                .with(AttributeDef::new("Health", 100.0))
                .with(AttributeDef::new("Speed", 6.0)),
        )
        .effect(
            EffectDef::lasting("GE_Poison", 2.0)
                .modify("Health", Operation::Add, -10.0)
                .modify("Speed", Operation::Add, -1.0)
                .granting("State.Poisoned"),
        )
        .template(ControllerDef::new("Beast").with_set("Combat"))
        .build()
        .unwrap();
    let mut sim = Simulation::new(catalog.clone(), Config::default());
    let (wolf, ogre) = (sim.spawn("Beast").unwrap(), sim.spawn("Beast").unwrap());
    sim.events().for_each(drop);
    Arena {
        sim,
        wolf,
        ogre,
        health: catalog.attribute("Health").unwrap(),
        poisoned: catalog.tag("State.Poisoned").unwrap(),
        poison: catalog.effect("GE_Poison").unwrap(),
    }
}

#[test]
fn attribute_observer_gets_the_payload_of_5_6() {
    let Arena { mut sim, wolf, ogre, health, poison, .. } = arena();
    let seen = Mutex::new(Vec::new());
    let mut observers = Observers::new();
    observers.on_attribute_changed(wolf, health, |_, change| seen.lock().unwrap().push(*change));
    sim.apply_effect(poison, Some(ogre), wolf).unwrap();
    sim.apply_effect(poison, Some(wolf), ogre).unwrap(); // another controller: not observed
    observers.poll(&mut sim);

    drop(observers);
    let seen = seen.into_inner().unwrap();
    assert_eq!(seen.len(), 1);
    let change = seen[0];
    assert_eq!((change.controller, change.attribute), (wolf, health));
    assert_eq!((change.old, change.new, change.old_base, change.new_base), (100.0, 90.0, 100.0, 100.0));
    assert_eq!((change.cause.effect, change.cause.source), (Some(poison), Some(ogre)));
}

#[test]
fn filters_combine_and_observers_run_in_order_of_registration() {
    let Arena { mut sim, wolf, ogre, poisoned, poison, .. } = arena();
    let log = Mutex::new(Vec::new());
    let mut observers = Observers::new();
    let mut note = |name: &'static str, filter| {
        let log = &log;
        observers
            .register(filter, move |_, event: &Event| log.lock().unwrap().push((name, event.kind.name())));
    };
    note("tag of the wolf", Filter::tag(poisoned).of(wolf));
    note("kind", Filter::kind(|kind| matches!(kind, EventKind::TagAdded { .. })).of(wolf));
    note("effect", Filter::effect(poison).of(ogre));
    sim.apply_effect(poison, None, wolf).unwrap();
    sim.advance(Span::seconds(2.0));
    observers.poll(&mut sim);

    let expected = [
        ("tag of the wolf", "TagAdded"),
        ("kind", "TagAdded"),
        ("kind", "TagAdded"), // the ancestor `State`
        ("tag of the wolf", "TagRemoved"),
    ];
    assert_eq!(*log.lock().unwrap(), expected);
}

#[test]
fn tag_filter_includes_changes_of_the_explicit_count() {
    let Arena { sim, wolf, poisoned, poison, .. } = arena();
    let mut counted =
        Simulation::new(sim.catalog().clone(), Config { tag_counts: true, ..Config::default() });
    counted.restore(&sim.snapshot()).unwrap();
    let log = Mutex::new(Vec::new());
    let mut observers = Observers::new();
    observers
        .register(Filter::tag(poisoned).of(wolf), |_, event| log.lock().unwrap().push(event.kind.name()));
    counted.apply_effect(poison, None, wolf).unwrap();
    counted.apply_effect(poison, None, wolf).unwrap(); // the tag is there already
    observers.poll(&mut counted);
    assert_eq!(*log.lock().unwrap(), ["TagCountChanged", "TagAdded", "TagCountChanged"]);
}

#[test]
fn unregistered_observer_gets_no_events() {
    let Arena { mut sim, wolf, poison, .. } = arena();
    let count = Mutex::new([0; 2]);
    let mut observers = Observers::new();
    let first = observers.register(Filter::all(), |_, _| count.lock().unwrap()[0] += 1);
    observers.register(Filter::all(), |_, _| count.lock().unwrap()[1] += 1);
    assert!(observers.unregister(first));
    assert!(!observers.unregister(first));
    sim.apply_effect(poison, None, wolf).unwrap();
    observers.poll(&mut sim);
    let count = *count.lock().unwrap();
    assert_eq!(count[0], 0);
    assert!(count[1] > 0);
}

#[test]
fn observers_of_a_despawned_controller_are_unregistered() {
    let Arena { mut sim, wolf, ogre, .. } = arena();
    let farewells = Mutex::new(0);
    let mut observers = Observers::new();
    observers.register(
        Filter::kind(|kind| matches!(kind, EventKind::ControllerDespawned { .. })).of(wolf),
        |_, _| {
            *farewells.lock().unwrap() += 1;
        },
    );
    observers.register(Filter::all().of(ogre), |_, _| {});
    observers.register(Filter::all(), |_, _| {});
    sim.despawn(wolf).unwrap();
    observers.poll(&mut sim);
    assert_eq!(*farewells.lock().unwrap(), 1, "it is told first");
    assert_eq!(observers.len(), 2);
}

#[test]
fn observers_keep_working_after_a_reload() {
    let Arena { mut sim, wolf, health, poison, poisoned, .. } = arena();
    let heard = Mutex::new(Vec::new());
    let mut observers = Observers::new();
    observers.on_attribute_changed(wolf, health, |_, change| heard.lock().unwrap().push(change.new));
    observers.register(Filter::tag(poisoned), |_, _| panic!("the tag is gone"));
    sim.apply_effect(poison, None, wolf).unwrap();
    sim.events().for_each(drop);
    let catalog = Catalog::builder()
        .attribute_set(
            AttributeSetDef::new("Combat")
                .with(AttributeDef::new("Armor", 1.0))
                .with(AttributeDef::new("Health", 100.0)),
        )
        .effect(EffectDef::lasting("GE_Poison", 2.0).modify("Health", Operation::Add, -30.0))
        .build()
        .unwrap();
    let report = sim.reload(catalog).unwrap();
    observers.renumber(&report.ids);
    assert_eq!(observers.len(), 1);
    observers.poll(&mut sim);
    drop(observers);
    // 100 - 30, though `Armor` now has the former id of `Health`.
    assert_eq!(heard.into_inner().unwrap(), [70.0]);
}

#[test]
fn controller_observer_gets_ability_events() {
    let catalog = Catalog::builder()
        .ability(AbilityDef::new("GA_Howl"))
        .template(ControllerDef::new("Beast").with_ability(AbilityGrantDef::new("GA_Howl")))
        .build()
        .unwrap();
    let mut sim = Simulation::new(catalog.clone(), Config::default());
    let (wolf, ogre) = (sim.spawn("Beast").unwrap(), sim.spawn("Beast").unwrap());
    sim.events().for_each(drop);
    let heard = Mutex::new(Vec::new());
    let mut observers = Observers::new();
    observers
        .register(Filter::all().of(wolf), |_, event: &Event| heard.lock().unwrap().push(event.kind.name()));

    let howl = catalog.ability("GA_Howl").unwrap();
    sim.activate_ability(ogre, howl, ActivationRequest::default()).unwrap();
    observers.poll(&mut sim);
    assert!(heard.lock().unwrap().is_empty(), "{heard:?}");

    sim.activate_ability(wolf, howl, ActivationRequest::default()).unwrap();
    observers.poll(&mut sim);
    assert!(heard.lock().unwrap().contains(&"AbilityActivated"), "{heard:?}");
}

/// The observer reads other values than that of the event.
#[test]
fn observers_read_the_simulation() {
    let Arena { mut sim, wolf, health, poison, .. } = arena();
    let speed = sim.catalog().attribute("Speed").unwrap();
    let mut speeds = Vec::new();
    let mut observers = Observers::new();
    observers
        .on_attribute_changed(wolf, health, |sim, change| speeds.push(sim.current(change.controller, speed)));
    sim.apply_effect(poison, None, wolf).unwrap();
    observers.poll(&mut sim);
    drop(observers);
    assert_eq!(speeds, [Some(5.0)]); // 6 - 1
}

/// Of a thousand observers of other controllers, attributes and tags, an event reaches none.
#[test]
fn observers_are_send_and_found_by_their_criteria() {
    fn is_send<T: Send>(_: &T) {}
    let Arena { mut sim, wolf, ogre, health, poisoned, poison } = arena();
    let speed = sim.catalog().attribute("Speed").unwrap();
    let calls = Mutex::new(Vec::new());
    let mut observers = Observers::new();
    is_send(&observers);
    for filter in [Filter::all().of(ogre), Filter::attribute(speed).of(ogre)] {
        for _ in 0..500 {
            observers.register(filter, |_, _| calls.lock().unwrap().push("other"));
        }
    }
    for (name, filter) in [
        ("effect", Filter::effect(poison)),
        ("tag", Filter::tag(poisoned)),
        ("attribute", Filter::attribute(health)),
        ("tag of the wolf", Filter::tag(poisoned).of(wolf)),
    ] {
        let calls = &calls;
        observers.register(filter, move |_, _| calls.lock().unwrap().push(name));
    }
    sim.apply_effect(poison, None, wolf).unwrap();
    observers.poll(&mut sim);
    let calls = calls.lock().unwrap();
    let of = |wanted: &str| calls.iter().filter(|name| **name == wanted).count();
    assert_eq!(
        (of("other"), of("effect"), of("tag"), of("attribute"), of("tag of the wolf")),
        (0, 1, 1, 1, 1)
    );
}
