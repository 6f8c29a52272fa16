//! The state as a whole: copied, and weighed.

use ugas::prelude::*;

use crate::allocator;
use crate::floor::{Copies, live_bytes};
use crate::line::{Goal, Line, Unit};
use crate::measure::{Effort, compare, subject};
use crate::world::World;

const ATTRIBUTES: usize = 20;
const TAGS: usize = 10;
const EFFECTS: usize = 5;
const LIVE: usize = live_bytes(ATTRIBUTES, TAGS, EFFECTS);

/// Controllers with twenty attributes, ten tags and five effects.
pub(crate) fn crowd(units: usize) -> World {
    let set = (0..ATTRIBUTES).fold(AttributeSetDef::new("Set"), |set, at| {
        set.with(AttributeDef::new(format!("A{at:02}"), at as f64))
    });
    let effect = |at: usize| {
        EffectDef::infinite(format!("GE_{at}"))
            .modify(format!("A{at:02}"), Operation::Add, 1.0)
            .granting(format!("State.T{}", 2 * at))
            .granting(format!("State.T{}", 2 * at + 1))
    };
    let catalog =
        (0..EFFECTS).fold(Catalog::builder().attribute_set(set), |catalog, at| catalog.effect(effect(at)));
    let hit = EffectDef::instant("GE_Hit").modify("A19", Operation::Add, -1.0);
    let mut world =
        World::new(catalog.effect(hit).template(ControllerDef::new("Unit").with_set("Set")), units);
    for at in 0..EFFECTS {
        let effect = world.effect(&format!("GE_{at}"));
        for unit in 0..units {
            world.apply(effect, world.units[unit]);
        }
        world.drain();
    }
    world
}

/// Snapshot and restore beside a copy of the bytes that are alive, there and back.
pub(crate) fn snapshot(effort: Effort) -> Vec<Line> {
    let units = effort.population(10_000);
    let mut world = crowd(units);
    let mut kept = world.sim.snapshot();
    let (hit, last) = (world.effect("GE_Hit"), world.attribute("A19"));
    let hash = world.sim.state_hash();
    world.apply(hit, world.units[0]);
    assert_eq!(world.current(world.units[0], last), 18.0);
    assert_ne!(world.sim.state_hash(), hash);
    world.sim.restore(&kept).expect("it is of this catalog");
    assert_eq!(world.sim.state_hash(), hash);
    let mut copies = Copies::new(units * LIVE);
    let ours = subject(move || {
        world.sim.snapshot_into(&mut kept);
        world.sim.restore(&kept).expect("it is of this catalog");
    });
    let [ours, floor] = compare(effort, [ours, subject(move || copies.save_and_restore())]);
    vec![
        Line::new("snapshot", ours, Goal::Floor(3.0))
            .floor(floor.median)
            .must_not_allocate()
            .note(format!("{units} controllers, into old memory, and back; floor: memcpy of {LIVE} B each")),
    ]
}

/// Memory for one controller beside its fields written down one after the other.
pub(crate) fn memory(effort: Effort) -> Vec<Line> {
    let units = effort.population(10_000);
    let catalog = crowd(1).sim.catalog().clone();
    let before = allocator::live_bytes();
    let world = crowd(units);
    let ours = (allocator::live_bytes() - before) as f64 / units as f64;
    drop(world);
    let empty = allocator::live_bytes();
    let bare = World::of(catalog, units);
    let alone = (allocator::live_bytes() - empty) as f64 / units as f64;
    drop(bare);
    let [controller, effect, spec, event] = [
        size_of::<ugas::Controller>(),
        size_of::<ugas::ActiveEffect>(),
        size_of::<EffectSpec>(),
        size_of::<Event>(),
    ];
    vec![Line {
        unit: Unit::Bytes,
        ours,
        floor: Some(LIVE as f64),
        allocations: None,
        note: format!(
            "{ATTRIBUTES} attributes, {TAGS} tags, {EFFECTS} effects, spare capacity included; ours {ours:.0} B \
             (without effects {alone:.0} B), fields {LIVE} B; a controller is {controller} B, an active effect {effect} B \
             (its spec {spec} B), an event {event} B"
        ),
        ..Line::new("memory", crate::measure::Timing::default(), Goal::Floor(2.0))
    }]
}
