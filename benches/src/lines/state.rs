//! The whole state: snapshots and memory.

use ugas::prelude::*;

use crate::allocator;
use crate::floor::{Copies, live_bytes};
use crate::line::{Goal, Line, Unit};
use crate::measure::{Effort, Subject, Timing, bulk, compare, subject, timed};
use crate::world::{World, combat};

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
            // Queued events are not part of a controller.
            world.drain();
        }
    }
    world
}

/// Snapshot and restore, compared with a copy of the live bytes in both directions: with all controllers
/// changed since, and with one in a hundred. Only changed state is copied, so a restore right after a
/// snapshot would measure nothing; the changes in between are not timed. With everything changed, the copy is
/// the floor; with few changes, it is the cost without editions, and ours may be faster.
pub(crate) fn snapshot(effort: Effort) -> Vec<Line> {
    let units = effort.population(10_000);
    assert_snapshots(units.min(100));
    let mut copies = Copies::new(units * LIVE);
    let subjects = [
        snapshot_and_restore(units, 1),
        snapshot_and_restore(units, 100),
        subject(move || copies.save_and_restore()),
    ];
    let [all, some, copy] = compare(effort, subjects);
    let line = |name: &str, timing, goal, changed: &str| {
        Line::new(name, timing, goal)
            .must_not_allocate()
            .note(format!("{units} controllers, {changed} changed since, into old memory, and back"))
    };
    vec![
        line("snapshot", all, Goal::Floor(3.0), "all")
            .floor(copy.median)
            .note(format!("floor: memcpy of {LIVE} B each")),
        line("snapshot-hundredth", some, Goal::AtMostPeer(3.0), "one in 100")
            .peer("memcpy of all", copy.median)
            .note(format!("peer: memcpy of {LIVE} B of every controller, changed or not, which is no floor")),
    ]
}

/// A snapshot and a restore of `units`, of which one in `changed` was changed before either: its values and
/// all of its effects.
fn snapshot_and_restore(units: usize, changed: usize) -> Subject<'static> {
    let mut world = crowd(units);
    let mut kept = world.sim.snapshot();
    let hit = world.effect("GE_Hit");
    let concerned: Vec<ControllerId> = world.units.iter().copied().step_by(changed).collect();
    let effects: Vec<ActiveEffectId> = concerned
        .iter()
        .flat_map(|&unit| world.sim.controller(unit).expect("it is there").effects().to_vec())
        .collect();
    let mut level = 1.0;
    let mut change = move |world: &mut World| {
        level = 3.0 - level;
        for &unit in &concerned {
            world.apply(hit, unit);
        }
        for &active in &effects {
            world.sim.set_level(active, level).expect("it is there");
        }
        world.drain();
    };
    bulk(1, move || {
        change(&mut world);
        let there = timed(|| world.sim.snapshot_into(&mut kept));
        change(&mut world);
        there + timed(|| world.sim.restore(&kept).expect("it is of this catalog"))
    })
}

/// Checks that a restore undoes changes of values and effects.
fn assert_snapshots(units: usize) {
    let mut world = crowd(units);
    let mut kept = world.sim.snapshot();
    let (hit, last) = (world.effect("GE_Hit"), world.attribute("A19"));
    for expected in [18.0, 17.0] {
        world.apply(hit, world.units[0]);
        world.sim.snapshot_into(&mut kept);
        let hash = world.sim.state_hash();
        world.apply(hit, world.units[0]);
        let active = world.sim.controller(world.units[0]).expect("it is there").effects()[0];
        world.sim.set_level(active, 9.0).expect("it is there");
        assert_ne!(world.sim.state_hash(), hash);
        world.sim.restore(&kept).expect("it is of this catalog");
        assert_eq!((world.sim.state_hash(), world.current(world.units[0], last)), (hash, expected));
    }
}

/// Memory of one controller, compared with the sum of its fields.
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
    let fields = Line {
        unit: Unit::Bytes,
        ours,
        floor: Some(LIVE as f64),
        allocations: None,
        note: format!(
            "{ATTRIBUTES} attributes, {TAGS} tags, {EFFECTS} effects, spare capacity included; ours {ours:.0} B \
             (without effects {alone:.0} B), fields {LIVE} B; a controller is {controller} B, an active effect {effect} B \
             (its spec {spec} B), an event {event} B"
        ),
        ..Line::new("memory", Timing::default(), Goal::Floor(2.0))
    };
    vec![fields, characters(effort)]
}

/// Memory of one of many characters with four attributes and two effects.
fn characters(effort: Effort) -> Line {
    let units = effort.population(100_000);
    let catalog = combat().build().expect("the definitions of the benchmark are valid");
    let before = allocator::live_bytes();
    let mut world = World::of(catalog, units);
    for effect in ["GE_Ring", "GE_Poison"].map(|name| world.effect(name)) {
        for unit in 0..units {
            world.apply(effect, world.units[unit]);
            world.drain();
        }
    }
    let ours = (allocator::live_bytes() - before) as f64 / units as f64;
    let has_both =
        |unit: &ControllerId| world.sim.controller(*unit).is_some_and(|unit| unit.effects().len() == 2);
    assert!(world.units.iter().all(has_both));
    Line {
        unit: Unit::Bytes,
        ours,
        allocations: None,
        note: format!(
            "one of {units} characters with four attributes and two effects, spare capacity included"
        ),
        ..Line::new("memory-characters", Timing::default(), Goal::AtMost(800.0))
    }
}
