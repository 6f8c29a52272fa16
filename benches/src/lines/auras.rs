//! Auras: effects whose magnitude follows an attribute of their source.

use std::hint::black_box;

use ugas::prelude::*;

use crate::floor::events::assert_same_events;
use crate::floor::roster::Followers;
use crate::line::{Goal, Line};
use crate::measure::{Effort, Subject, compare, subject};
use crate::scenes::{Auras, FOLLOWER_POWER, LEAD, SHARE};
use crate::translate::Translator;
use crate::world::World;

pub(crate) fn measure(effort: Effort) -> Vec<Line> {
    vec![toggled(effort), changed(effort)]
}

/// A change of one of ten leaders, each with a tenth of the followers: all of its followers change.
fn changed(effort: Effort) -> Line {
    const LEADERS: usize = 10;
    let followers = effort.population(10_000) / LEADERS;
    let mut auras = Auras::new(LEADERS, followers);
    let mut floor = Followers::new(LEADERS, followers, LEAD, FOLLOWER_POWER, SHARE);
    // The scene has changed every leader twice already.
    (0..2 * LEADERS).for_each(|turn| floor.change((turn % LEADERS) as u32));
    floor.log.drain();
    let translator = Translator::of(&auras.world, &["GE_Rise"], &["Lead", "Power"], &[]);
    for leader in 0..LEADERS {
        auras.change();
        floor.change(leader as u32);
        let ours = translator.take(&mut auras.world.sim);
        assert_same_events("auras", &ours, &std::mem::take(&mut floor.log.events));
    }
    assert_eq!(auras.values(), floor.values());
    let ours = subject(move || {
        auras.change();
        auras.world.drain();
    });
    let mut next = 0;
    let floor = subject(move || {
        black_box(&mut floor).change(next);
        next = (next + 1) % LEADERS as u32;
        black_box(floor.log.drain());
    });
    let [ours, floor] = compare(effort, [ours, floor]);
    Line::new("auras-changed", ours, Goal::AtMost(60_000.0)).floor(floor.median).must_not_allocate().note(format!(
        "a change of a leader and of its {followers} followers, among {}, with their events; floor: by hand, with the same \
         events",
        followers * LEADERS
    ))
}

/// An aura is applied and removed among many, and checked for cycles (B6): cost follows its dependents.
fn toggled(effort: Effort) -> Line {
    let count = effort.population(10_000);
    let [many, few] = compare(effort, [aura(count), aura(count / 100)]);
    Line::new("auras", many, Goal::Floor(1.5)).floor(few.median).must_not_allocate().note(format!(
        "an aura applied and removed among {count} of one leader; floor: among a hundredth of them"
    ))
}

/// Every unit but the leader has an aura that reads the leader's `Lead`, and the first one leads the next in
/// turn.
fn aura(count: usize) -> Subject<'static> {
    let set = AttributeSetDef::new("Values")
        .with(AttributeDef::new("Lead", 10.0))
        .with(AttributeDef::new("Power", 1.0));
    let aura = MagnitudeDef::expression("Source.Lead * 0.1");
    let catalog = Catalog::builder()
        .attribute_set(set)
        .effect(EffectDef::infinite("GE_Aura").modify("Power", Operation::Add, aura))
        .template(ControllerDef::new("Unit").with_set("Values"));
    let mut world = World::new(catalog, count + 1);
    let (leader, aura, power) = (world.units[0], world.effect("GE_Aura"), world.attribute("Power"));
    for at in 1..=count {
        let unit = world.units[at];
        world.sim.apply_effect(aura, Some(leader), unit).expect("it closes no cycle");
        world.drain();
    }
    assert_eq!(world.current(world.units[count], power), 2.0);
    subject(move || {
        let unit = world.next_unit();
        let applied = world.sim.apply_effect(aura, Some(leader), unit).expect("it closes no cycle");
        world.remove(applied.active().expect("it lasts"));
        world.drain();
    })
}
