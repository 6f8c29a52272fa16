//! Subscriptions (§5.6): filters, order and lifetime of observers.

use std::cell::RefCell;

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

fn dispatch(sim: &mut Simulation, observers: &mut Observers<'_>) {
    for event in sim.events() {
        observers.dispatch(&event);
    }
}

#[test]
fn attribute_observer_gets_the_payload_of_5_6() {
    let Arena { mut sim, wolf, ogre, health, poison, .. } = arena();
    let seen = RefCell::new(Vec::new());
    let mut observers = Observers::new();
    observers.on_attribute_changed(wolf, health, |change| seen.borrow_mut().push(*change));
    sim.apply_effect(poison, Some(ogre), wolf).unwrap();
    sim.apply_effect(poison, Some(wolf), ogre).unwrap(); // another controller: not observed
    dispatch(&mut sim, &mut observers);

    let seen = seen.borrow();
    assert_eq!(seen.len(), 1);
    let change = seen[0];
    assert_eq!((change.controller, change.attribute), (wolf, health));
    assert_eq!((change.old, change.new, change.old_base, change.new_base), (100.0, 90.0, 100.0, 100.0));
    assert_eq!((change.cause.effect, change.cause.source), (Some(poison), Some(ogre)));
}

#[test]
fn filters_combine_and_observers_run_in_order_of_registration() {
    let Arena { mut sim, wolf, ogre, poisoned, poison, .. } = arena();
    let log = RefCell::new(Vec::new());
    let mut observers = Observers::new();
    let mut note = |name: &'static str, filter| {
        let log = &log;
        observers.register(filter, move |event: &Event| log.borrow_mut().push((name, event.kind.name())));
    };
    note("tag of the wolf", Filter::tag(poisoned).of(wolf));
    note("kind", Filter::kind(|kind| matches!(kind, EventKind::TagAdded { .. })).of(wolf));
    note("effect", Filter::effect(poison).of(ogre));
    sim.apply_effect(poison, None, wolf).unwrap();
    sim.advance(Span::seconds(2.0));
    dispatch(&mut sim, &mut observers);

    let expected = [
        ("tag of the wolf", "TagAdded"),
        ("kind", "TagAdded"),
        ("kind", "TagAdded"), // the ancestor `State`
        ("tag of the wolf", "TagRemoved"),
    ];
    assert_eq!(*log.borrow(), expected);
}

#[test]
fn tag_filter_includes_changes_of_the_explicit_count() {
    let Arena { sim, wolf, poisoned, poison, .. } = arena();
    let mut counted =
        Simulation::new(sim.catalog().clone(), Config { tag_counts: true, ..Config::default() });
    counted.restore(&sim.snapshot()).unwrap();
    let log = RefCell::new(Vec::new());
    let mut observers = Observers::new();
    observers.register(Filter::tag(poisoned).of(wolf), |event| log.borrow_mut().push(event.kind.name()));
    counted.apply_effect(poison, None, wolf).unwrap();
    counted.apply_effect(poison, None, wolf).unwrap(); // the tag is there already
    dispatch(&mut counted, &mut observers);
    assert_eq!(*log.borrow(), ["TagCountChanged", "TagAdded", "TagCountChanged"]);
}

#[test]
fn unregistered_observer_gets_no_events() {
    let Arena { mut sim, wolf, poison, .. } = arena();
    let count = RefCell::new([0; 2]);
    let mut observers = Observers::new();
    let first = observers.register(Filter::all(), |_| count.borrow_mut()[0] += 1);
    observers.register(Filter::all(), |_| count.borrow_mut()[1] += 1);
    assert!(observers.unregister(first));
    assert!(!observers.unregister(first));
    sim.apply_effect(poison, None, wolf).unwrap();
    dispatch(&mut sim, &mut observers);
    let count = *count.borrow();
    assert_eq!(count[0], 0);
    assert!(count[1] > 0);
}

#[test]
fn observers_of_a_despawned_controller_are_unregistered() {
    let Arena { mut sim, wolf, ogre, .. } = arena();
    let farewells = RefCell::new(0);
    let mut observers = Observers::new();
    observers.register(
        Filter::kind(|kind| matches!(kind, EventKind::ControllerDespawned { .. })).of(wolf),
        |_| {
            *farewells.borrow_mut() += 1;
        },
    );
    observers.register(Filter::all().of(ogre), |_| {});
    observers.register(Filter::all(), |_| {});
    sim.despawn(wolf).unwrap();
    dispatch(&mut sim, &mut observers);
    assert_eq!(*farewells.borrow(), 1, "it is told first");
    assert_eq!(observers.len(), 2);
}

#[test]
fn observers_keep_working_after_a_reload() {
    let Arena { mut sim, wolf, health, poison, poisoned, .. } = arena();
    let heard = RefCell::new(Vec::new());
    let mut observers = Observers::new();
    observers.on_attribute_changed(wolf, health, |change| heard.borrow_mut().push(change.new));
    observers.register(Filter::tag(poisoned), |_| panic!("the tag is gone"));
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
    for event in sim.events() {
        observers.dispatch(&event);
    }
    drop(observers);
    // 100 - 30, though `Armor` now has the former id of `Health`.
    assert_eq!(heard.into_inner(), [70.0]);
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
    let heard = RefCell::new(Vec::new());
    let mut observers = Observers::new();
    observers.register(Filter::all().of(wolf), |event: &Event| heard.borrow_mut().push(event.kind.name()));

    let howl = catalog.ability("GA_Howl").unwrap();
    sim.activate_ability(ogre, howl, ActivationRequest::default()).unwrap();
    dispatch(&mut sim, &mut observers);
    assert!(heard.borrow().is_empty(), "{heard:?}");

    sim.activate_ability(wolf, howl, ActivationRequest::default()).unwrap();
    dispatch(&mut sim, &mut observers);
    assert!(heard.borrow().contains(&"AbilityActivated"), "{heard:?}");
}
