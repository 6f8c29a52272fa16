//! Event filters: events that the host leaves out are not queued, and rules react to them all the same.

use ugas_core::ability::{AbilityDef, TriggerOn};
use ugas_core::attribute::{AttributeDef, AttributeSetDef};
use ugas_core::catalog::Catalog;
use ugas_core::controller::ControllerDef;
use ugas_core::effect::EffectDef;
use ugas_core::event::{EventFilter, EventType};
use ugas_core::modifier::Operation;
use ugas_core::simulation::{Config, Simulation, Snapshot, Stacks};
use ugas_core::task::TaskDef;
use ugas_core::time::Span;

/// A unit whose tag triggers an ability, whose ability waits for an attribute, and who can die.
fn play(events: EventFilter) -> Simulation {
    let catalog = Catalog::builder()
        .attribute_set(AttributeSetDef::new("Combat").with(AttributeDef::new("Health", 10.0).min(0.0)))
        .effect(EffectDef::lasting("GE_Mark", 1.0).granting("State.Marked"))
        .effect(EffectDef::infinite("GE_Picky").requires("State.Chosen"))
        .effect(EffectDef::instant("GE_Kill").modify("Health", Operation::Add, -20.0))
        .ability(
            AbilityDef::new("GA_Answer")
                .triggered(TriggerOn::TagAdded, "State.Marked")
                .task(TaskDef::wait(9.0)),
        )
        .template(ControllerDef::new("Unit").with_set("Combat"))
        .build()
        .unwrap();
    let mut sim = Simulation::new(catalog.clone(), Config { events, ..Config::seeded(1) });
    let unit = sim.spawn("Unit").unwrap();
    let answer = sim.grant(unit, catalog.ability("GA_Answer").unwrap(), 1).unwrap();
    sim.apply_effect(catalog.effect("GE_Mark").unwrap(), None, unit).unwrap();
    assert!(sim.ability(answer).unwrap().is_active(), "the tag triggers");
    assert!(sim.apply_effect(catalog.effect("GE_Picky").unwrap(), None, unit).is_err());
    sim.advance(Span::seconds(2.0));
    sim.apply_effect(catalog.effect("GE_Kill").unwrap(), None, unit).unwrap();
    assert!(!sim.ability(answer).unwrap().is_active(), "death cancels");
    sim
}

#[test]
fn rules_react_to_events_that_are_left_out() {
    let mut all = play(EventFilter::default());
    let mut none = play(EventFilter::NONE);
    assert_eq!(all.state_hash(), none.state_hash());
    assert_eq!(all.counters(), none.counters());
    assert_eq!((none.poll_event(), none.dropped_events()), (None, 0));
    let kept = [EventType::OwnerDied, EventType::EffectRefused, EventType::TagRemoved];
    let mut some = play(EventFilter::NONE.with(kept));
    let expected = all.events().filter(|event| kept.contains(&event.kind.event_type()));
    assert!(some.peek_events().map(|event| event.to_owned()).eq(expected));
    assert_eq!(some.peek_events().len(), 4); // refused; State.Marked and State removed; died
    // From now on all events are kept.
    some.set_event_filter(EventFilter::default());
    some.events().for_each(drop);
    some.spawn("Unit").unwrap();
    assert!(some.events().any(|event| event.kind.event_type() == EventType::ControllerSpawned));
}

/// Filtered events take no place in the queue.
#[test]
fn events_that_are_left_out_do_not_fill_the_queue() {
    let catalog = Catalog::builder().template(ControllerDef::new("Unit")).build().unwrap();
    let events = EventFilter::default().without([EventType::ControllerSpawned]);
    let mut sim = Simulation::new(catalog, Config { events, max_events: 1, ..Config::default() });
    let units = [sim.spawn("Unit").unwrap(), sim.spawn("Unit").unwrap()];
    assert_eq!((sim.peek_events().len(), sim.dropped_events()), (0, 0));
    units.into_iter().for_each(|unit| sim.despawn(unit).unwrap());
    assert_eq!((sim.peek_events().len(), sim.dropped_events()), (1, 1));
}

/// Tags that come and go leave no trace in hash, bytes and queries (T2).
#[test]
fn toggled_tags_leave_no_trace_in_the_state() {
    let catalog = Catalog::builder()
        .effect(EffectDef::infinite("GE_Mark").granting("State.Marked.Twice"))
        .template(ControllerDef::new("Unit").with_tag("Unit.Human"))
        .build()
        .unwrap();
    let mut sim = Simulation::new(catalog.clone(), Config::seeded(1));
    let unit = sim.spawn("Unit").unwrap();
    let before = sim.tags(unit).unwrap().clone();
    let mark = catalog.effect("GE_Mark").unwrap();
    for _ in 0..40 {
        let active = sim.apply_effect(mark, None, unit).unwrap().active().unwrap();
        sim.remove(active, Stacks::All).unwrap();
    }
    let tags = sim.tags(unit).unwrap();
    assert_eq!(*tags, before);
    assert!(tags.iter().eq(before.iter()) && tags.bits() == before.bits());
    let bytes = sim.snapshot().to_bytes();
    let read = Snapshot::from_bytes(&bytes, &catalog).unwrap();
    assert_eq!((read.state_hash(), read.to_bytes()), (sim.state_hash(), bytes));
    let mut restored = Simulation::new(catalog, Config::seeded(1));
    restored.restore(&read).unwrap();
    assert_eq!(restored.tags(unit), sim.tags(unit));
}
