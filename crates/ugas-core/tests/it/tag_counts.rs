//! Tag count events (T6), which do not change the state.

use ugas_core::ability::AbilityDef;
use ugas_core::catalog::Catalog;
use ugas_core::controller::ControllerDef;
use ugas_core::effect::EffectDef;
use ugas_core::event::EventKind;
use ugas_core::simulation::{Config, Simulation, Stacks};
use ugas_core::task::{TaskDef, WaitDef};

fn world(tag_counts: bool) -> Simulation {
    let wait = TaskDef::Wait(WaitDef::TagCountChanged("State.Marked".to_owned()));
    let catalog = Catalog::builder()
        .effect(EffectDef::infinite("GE_Mark").granting("State.Marked"))
        .ability(AbilityDef::new("GA_Wait").task(wait))
        .template(ControllerDef::new("Unit"))
        .build()
        .unwrap();
    Simulation::new(catalog, Config { tag_counts, ..Config::seeded(1) })
}

#[test]
fn tag_count_events_change_neither_hash_nor_sequence_numbers() {
    let mut hashes = Vec::new();
    let mut numbered = Vec::new();
    for asks in [false, true] {
        let mut sim = world(asks);
        let unit = sim.spawn("Unit").unwrap();
        let mark = sim.catalog().effect("GE_Mark").unwrap();
        let first = sim.apply_effect(mark, None, unit).unwrap().active().unwrap();
        sim.apply_effect(mark, None, unit).unwrap();
        sim.remove(first, Stacks::All).unwrap();
        sim.despawn(unit).unwrap();
        hashes.push(sim.state_hash());
        let events: Vec<_> = sim.events().collect();
        let counts = events.iter().filter_map(|event| match event.kind {
            EventKind::TagCountChanged { old, new, .. } => Some((old, new)),
            _ => None,
        });
        let expected: &[(u32, u32)] = if asks { &[(0, 1), (1, 2), (2, 1), (1, 0)] } else { &[] };
        assert_eq!(counts.collect::<Vec<_>>(), expected);
        let others = events.iter().filter(|event| !matches!(event.kind, EventKind::TagCountChanged { .. }));
        numbered.push(others.map(|event| (event.sequence, event.kind.clone())).collect::<Vec<_>>());
    }
    assert_eq!(hashes[0], hashes[1]);
    assert_eq!(numbered[0], numbered[1]);
}

#[test]
fn waiting_task_needs_no_setting() {
    let mut sim = world(false);
    let unit = sim.spawn("Unit").unwrap();
    let mark = sim.catalog().effect("GE_Mark").unwrap();
    sim.apply_effect(mark, None, unit).unwrap();
    let ability = sim.catalog().ability("GA_Wait").unwrap();
    let handle = sim.grant(unit, ability, 1).unwrap();
    let run = sim.activate(handle).unwrap();
    assert!(sim.activation(run).is_some());
    // From one to two: no tag was added.
    sim.apply_effect(mark, None, unit).unwrap();
    assert!(sim.activation(run).is_none());
}
