//! Scaling with abilities, their activations, and waiting tasks.

use ugas::prelude::*;
use ugas::{Filter, Instancing, Observers};

use super::{Curve, flat, linear};
use crate::measure::{Subject, bulk, many, subject, timed};
use crate::world::{World, combat, with_tags};

pub(super) fn curves() -> Vec<Curve> {
    vec![
        flat("abilities-activate", "one of n granted abilities runs", activate),
        flat("abilities-grant", "an ability is granted and revoked beside n others", grant),
        flat("abilities-press", "an input is pressed and released, n abilities have others", press),
        flat("abilities-triggers", "an event, n abilities are triggered by others", triggers),
        flat("runs", "an ability runs beside n runs that last", runs).sizes(&[10, 100, 1_000]),
        flat("runs-cancel", "one of n runs cancelled at once", cancel).sizes(&[10, 100, 1_000]),
        flat("waits-event", "an event, n tasks wait for others", waits_event).sizes(&[10, 100, 1_000]),
        flat("waits-attribute", "an instant effect, n tasks wait for another attribute", waits_attribute)
            .sizes(&[10, 100, 1_000]),
        flat("waits-tag", "a tag comes and goes, n tasks wait for another", waits_tag)
            .sizes(&[10, 100, 1_000]),
        flat("waits-told", "one of n tasks that an event tells", waits_told).sizes(&[10, 100, 1_000]),
        flat("waits-delay", "one of n delays that end at one instant", delays).sizes(&[10, 100, 1_000]),
        linear("observers", "an instant effect told to n observers of another attribute", observers),
    ]
}

/// A unit with `count` grants of a definition.
fn granted(mut world: World, ability: &str, count: usize) -> (World, Vec<GrantedAbilityId>) {
    let (unit, ability) = (world.units[0], world.sim.catalog().ability(ability).expect("it is defined"));
    let handles =
        (0..count).map(|_| world.sim.grant(unit, ability, 1).expect("there is room")).collect::<Vec<_>>();
    world.drain();
    (world, handles)
}

/// An ability that is always ready, and one that waits for something.
fn abilities(wait: WaitDef) -> CatalogBuilder {
    with_tags(combat(), ["Event.Go", "Event.Other", "State.Quiet"])
        .effect(EffectDef::infinite("GE_Mark").granting("State.Marked"))
        .ability(AbilityDef::new("GA_Quick").task(TaskDef::commit()))
        .ability(AbilityDef::new("GA_Wait").instancing(Instancing::PerExecution).task(TaskDef::Wait(wait)))
}

fn activate(count: usize) -> Subject<'static> {
    let (mut world, handles) = granted(World::new(abilities(WaitDef::ConfirmCancel), 1), "GA_Quick", count);
    let handle = handles[count / 2];
    subject(move || {
        world.sim.activate(handle).expect("nothing forbids it");
        world.drain();
    })
}

fn grant(count: usize) -> Subject<'static> {
    let (mut world, _) = granted(World::new(abilities(WaitDef::ConfirmCancel), 1), "GA_Quick", count);
    let (unit, quick) = (world.units[0], world.sim.catalog().ability("GA_Quick").expect("it is defined"));
    subject(move || {
        let handle = world.sim.grant(unit, quick, 1).expect("there is room");
        world.sim.revoke(handle).expect("it is there");
        world.drain();
    })
}

fn press(count: usize) -> Subject<'static> {
    let mut world = World::new(abilities(WaitDef::ConfirmCancel), 1);
    let (unit, quick) = (world.units[0], world.sim.catalog().ability("GA_Quick").expect("it is defined"));
    for at in 0..count {
        world
            .sim
            .grant_with(unit, Grant::new(quick).input(format!("Slot.{at}").as_str()))
            .expect("there is room");
    }
    let slot = format!("Slot.{}", count / 2);
    subject(move || {
        world.sim.press(unit, slot.as_str()).expect("it is there");
        world.sim.release(unit, slot.as_str()).expect("it is there");
        world.drain();
    })
}

fn triggers(count: usize) -> Subject<'static> {
    let catalog = (0..count).fold(abilities(WaitDef::ConfirmCancel), |catalog, at| {
        catalog
            .ability(AbilityDef::new(format!("GA_{at}")).triggered(TriggerOn::Event, format!("Event.E{at}")))
    });
    let mut world = World::new(catalog, 1);
    let unit = world.units[0];
    for at in 0..count {
        let ability = world.sim.catalog().ability(&format!("GA_{at}")).expect("it is defined");
        world.sim.grant(unit, ability, 1).expect("there is room");
    }
    let event = GameplayEvent::new(world.tag("Event.Go"));
    subject(move || {
        world.sim.send_event(unit, event.clone()).expect("it is there");
        world.drain();
    })
}

/// A unit with `count` waiting activations.
fn waiting(wait: WaitDef, count: usize) -> World {
    let (mut world, handles) = granted(World::new(abilities(wait), 1), "GA_Wait", 1);
    for _ in 0..count {
        world.sim.activate(handles[0]).expect("there is room");
    }
    world.drain();
    world
}

fn runs(count: usize) -> Subject<'static> {
    let (mut world, handles) = granted(waiting(WaitDef::ConfirmCancel, count), "GA_Quick", 1);
    subject(move || {
        world.sim.activate(handles[0]).expect("nothing forbids it");
        world.drain();
    })
}

fn cancel(count: usize) -> Subject<'static> {
    let (mut world, handles) = granted(World::new(abilities(WaitDef::ConfirmCancel), 1), "GA_Wait", 1);
    let unit = world.units[0];
    bulk(count, move || {
        for _ in 0..count {
            world.sim.activate(handles[0]).expect("there is room");
        }
        world.drain();
        let spent = timed(|| assert_eq!(world.sim.cancel_all(unit, None) as usize, count));
        world.drain();
        spent
    })
}

fn event_wait(tag: &str) -> WaitDef {
    WaitDef::Event { tag: tag.to_owned(), exact: false, once: false }
}

fn waits_event(count: usize) -> Subject<'static> {
    let mut world = waiting(event_wait("Event.Other"), count);
    let (unit, event) = (world.units[0], GameplayEvent::new(world.tag("Event.Go")));
    subject(move || {
        world.sim.send_event(unit, event.clone()).expect("it is there");
        world.drain();
    })
}

fn waits_attribute(count: usize) -> Subject<'static> {
    super::attributes::repeat(waiting(WaitDef::AttributeChange("Mana".to_owned()), count), "GE_Hit")
}

fn waits_tag(count: usize) -> Subject<'static> {
    super::attributes::toggle(waiting(WaitDef::TagAdded("State.Quiet".to_owned()), count), "GE_Mark")
}

fn waits_told(count: usize) -> Subject<'static> {
    let mut world = waiting(event_wait("Event.Go"), count);
    let (unit, event) = (world.units[0], GameplayEvent::new(world.tag("Event.Go")));
    many(count, move || {
        world.sim.send_event(unit, event.clone()).expect("it is there");
        world.drain();
    })
}

fn delays(count: usize) -> Subject<'static> {
    let (mut world, handles) = granted(World::new(abilities(WaitDef::Delay(1.0.into())), 1), "GA_Wait", 1);
    bulk(count, move || {
        for _ in 0..count {
            world.sim.activate(handles[0]).expect("there is room");
        }
        let spent = timed(|| world.sim.advance(Span::seconds(1.0)));
        world.drain();
        spent
    })
}

fn observers(count: usize) -> Subject<'static> {
    let mut world = World::new(combat(), 1);
    let (unit, hit, mana) = (world.units[0], world.effect("GE_Hit"), world.attribute("Mana"));
    let mut observers = Observers::new();
    for _ in 0..count {
        observers.register(Filter::attribute(mana), |_, event| {
            std::hint::black_box(event);
        });
    }
    subject(move || {
        world.apply(hit, unit);
        observers.poll(&mut world.sim);
    })
}
