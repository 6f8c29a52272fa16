//! Effects: instant, with a duration, and periodic.

use std::hint::black_box;

use ugas::prelude::*;

use crate::floor::events::assert_same_events;
use crate::floor::semantic::{Amount, Hits, TaggedBuffs};
use crate::floor::{Buffs, Combat, Wheel};
use crate::line::{Goal, Line};
use crate::measure::{Effort, Subject, alone, compare, many, subject};
use crate::translate::Translator;
use crate::world::{World, combat};

/// Number of units that fits the cache, so that the code path is measured and not the memory.
const HOT: usize = 64;

/// Operations between two polls of events, on both sides.
const POLL: u32 = 64;

/// An instant effect with one modifier.
pub(crate) fn instant(effort: Effort) -> Vec<Line> {
    let subjects = [ours_instant(HOT), floor_instant(HOT), semantic_instant(HOT)];
    let [ours, floor, semantic] = compare(effort, subjects);
    vec![
        Line::new("instant", ours, Goal::Floor(10.0)).floor(floor.median).must_not_allocate().note(
            "one modifier on a bounded attribute, its event polled; floor: add, clamp, dirty bit, event",
        ),
        Line::new("instant-semantic", ours, Goal::Floor(3.0))
            .floor(semantic.median)
            .must_not_allocate()
            .note("the same; floor: by hand, with the same two events and their causes"),
    ]
}

fn semantic_instant(units: usize) -> Subject<'static> {
    let mut world = World::new(combat(), units);
    let mut floor = Hits::new(units, 1e9, 10.0, 0.0);
    let hit = world.effect("GE_Hit");
    for unit in (0..units).chain(0..units) {
        world.apply(hit, world.units[unit]);
        floor.hit(Amount::Constant, 3.0, unit as u32, unit as u32);
    }
    let ours = Translator::of(&world, &["GE_Hit"], &["Health"], &[]).take(&mut world.sim);
    assert_same_events("instant", &ours, &floor.log.events);
    let health = world.attribute("Health");
    let is_equal = |unit: usize| world.current(world.units[unit], health) == floor.health(unit as u32);
    assert!((0..units).all(is_equal));
    assert_eq!(floor.drain(), 4 * units);
    let (mut turn, mut unit) = (0u32, 0);
    subject(move || {
        black_box(&mut floor).hit(Amount::Constant, 3.0, unit, unit);
        unit = if unit + 1 == units as u32 { 0 } else { unit + 1 };
        turn += 1;
        if turn.is_multiple_of(POLL) {
            black_box(floor.drain());
        }
    })
}

fn ours_instant(units: usize) -> Subject<'static> {
    let mut world = World::new(combat(), units);
    let (hit, health) = (world.effect("GE_Hit"), world.attribute("Health"));
    let first = world.next_unit();
    world.apply(hit, first);
    assert_eq!(world.current(first, health), 1e9 - 3.0);
    let changes = world.sim.events().filter(|event| matches!(event.kind, EventKind::AttributeChanged { .. }));
    assert_eq!(changes.count(), 1);
    let mut turn = 0u32;
    subject(move || {
        let unit = world.next_unit();
        world.apply(hit, unit);
        turn += 1;
        if turn.is_multiple_of(POLL) {
            world.drain();
        }
    })
}

fn floor_instant(units: usize) -> Subject<'static> {
    let mut floor = Combat::new(units, 1e9);
    floor.hit(0, -3.0);
    assert_eq!(floor.health(0), 1e9 - 3.0);
    assert_eq!(floor.drain(), 1);
    let (mut turn, mut unit) = (0u32, 0);
    subject(move || {
        black_box(&mut floor).hit(unit, -3.0);
        unit = if unit + 1 == units as u32 { 0 } else { unit + 1 };
        turn += 1;
        if turn.is_multiple_of(POLL) {
            black_box(floor.drain());
        }
    })
}

/// A lasting effect with a modifier and a tag, applied and expired. In every step of 10 ms a part of the
/// controllers gets one, so that all but those whose turn is next have one.
pub(crate) fn duration(effort: Effort) -> Vec<Line> {
    assert_same_durations();
    let subjects = [ours_duration(), floor_duration(), semantic_duration()];
    let [ours, floor, semantic] = compare(effort, subjects);
    vec![
        Line::new("duration", ours, Goal::Floor(5.0))
            .floor(floor.median)
            .must_not_allocate()
            .note("applied and expired, 512 controllers with one each; floor: slot, wheel, bits, events"),
        Line::new("duration-semantic", ours, Goal::Floor(3.0))
            .floor(semantic.median)
            .must_not_allocate()
            .note("the same; floor: by hand, with the same ten events and their causes"),
    ]
}

/// Steps after which an effect has expired and its controller gets another.
const STEPS: usize = 8;

/// Length of a step in microseconds.
const STEP: u64 = 10_000;

fn short_buffs() -> World {
    let short = EffectDef::lasting("GE_Short", 0.01 * STEPS as f64)
        .modify("Power", Operation::Add, 5.0)
        .granting("State.Buff.Short");
    World::new(combat().effect(short), HOT * STEPS)
}

/// Checks that ours and the semantic floor raise the same events.
fn assert_same_durations() {
    let mut world = short_buffs();
    let mut floor = TaggedBuffs::new(HOT * STEPS, 10.0, 5.0);
    let buff = world.effect("GE_Short");
    let (attributes, tags) = (["Health", "Power"], ["State.Buff.Short", "State.Buff", "State"]);
    let translator = Translator::of(&world, &["GE_Short"], &attributes, &tags);
    for step in 0..3 * STEPS {
        for at in (0..HOT).map(|at| (step * HOT + at) % (HOT * STEPS)) {
            world.apply(buff, world.units[at]);
            floor.apply(at as u32, at as u32, STEPS);
        }
        world.sim.advance(Span::from_micros(STEP as i64));
        floor.step(STEP);
        assert_same_events("duration", &translator.take(&mut world.sim), &floor.log.events);
        floor.log.drain();
    }
}

fn semantic_duration() -> Subject<'static> {
    let mut floor = TaggedBuffs::new(HOT * STEPS, 10.0, 5.0);
    let mut next = 0;
    let mut step = move || {
        for _ in 0..HOT {
            floor.apply(next, next, STEPS);
            next = (next + 1) % (HOT * STEPS) as u32;
        }
        floor.step(STEP);
        floor.log.drain();
        [0, HOT as u32].map(|at| (floor.is_tagged(at), floor.power(at)))
    };
    assert_eq!((0..10 * STEPS).map(|_| step()).last(), Some(SETTLED));
    many(HOT, move || {
        black_box(step());
    })
}

fn ours_duration() -> Subject<'static> {
    let mut world = short_buffs();
    let (buff, power, tag) = (world.effect("GE_Short"), world.attribute("Power"), world.tag("State.Buff"));
    let mut step = move || {
        for _ in 0..HOT {
            let unit = world.next_unit();
            world.apply(buff, unit);
        }
        world.sim.advance(Span::from_micros(STEP as i64));
        world.drain();
        [0, HOT].map(|at| (world.sim.has_tag(world.units[at], tag), world.current(world.units[at], power)))
    };
    assert_eq!((0..10 * STEPS).map(|_| step()).last(), Some(SETTLED));
    many(HOT, move || {
        black_box(step());
    })
}

/// Between two rounds the next group has no effect, all others have one.
const SETTLED: [(bool, f64); 2] = [(false, 10.0), (true, 15.0)];

fn floor_duration() -> Subject<'static> {
    let mut floor = Buffs::new(HOT * STEPS, 10.0);
    let mut next = 0;
    let mut step = move || {
        for _ in 0..HOT {
            floor.apply(next, 5.0, STEPS);
            next = (next + 1) % (HOT * STEPS) as u32;
        }
        floor.step();
        floor.drain();
        [0, HOT as u32].map(|at| (floor.is_tagged(at), floor.power(at)))
    };
    assert_eq!((0..10 * STEPS).map(|_| step()).last(), Some(SETTLED));
    many(HOT, move || {
        black_box(step());
    })
}

/// Ticks of a million periodic effects: each step of a millisecond fires a thousandth of them.
pub(crate) fn periodic(effort: Effort) -> Vec<Line> {
    let units = effort.population(100_000);
    let hot = alone(effort, ours_instant(HOT));
    let subjects = [ours_periodic(units, 10), floor_periodic(units, 10), ours_instant(units)];
    let [ours, floor, cold] = compare(effort, subjects);
    vec![
        Line::new("periodic", ours, Goal::AtMostPeer(3.0))
            .peer("our instant path", hot.median)
            .floor(floor.median)
            .must_not_allocate()
            .note(format!(
                "one tick among {} running; floor: wheel and instant by hand; the instant path with {units} \
                 controllers, out of the cache: {:.0} ns",
                units * 10,
                cold.median
            )),
    ]
}

fn ours_periodic(units: usize, each: usize) -> Subject<'static> {
    let mut world = World::new(combat(), units);
    let (poison, health) = (world.effect("GE_Poison"), world.attribute("Health"));
    let total = units * each;
    let per_step = total.div_ceil(1000);
    for at in 0..total {
        world.apply(poison, world.units[at % units]);
        if (at + 1) % per_step == 0 {
            world.sim.advance(Span::millis(1));
            world.drain();
        }
    }
    world.sim.advance(Span::seconds(1.0));
    let before: f64 = world.units.iter().map(|&unit| world.current(unit, health)).sum();
    world.drain();
    world.sim.advance(Span::seconds(1.0));
    let after: f64 = world.units.iter().map(|&unit| world.current(unit, health)).sum();
    assert_eq!(before - after, 3.0 * total as f64, "in a second every effect ticks once");
    many(per_step, move || {
        world.sim.advance(Span::millis(1));
        world.drain();
    })
}

fn floor_periodic(units: usize, each: usize) -> Subject<'static> {
    let mut combat = Combat::new(units, 1e9);
    let mut wheel = Wheel::new(1024);
    let total = units * each;
    for at in 0..total {
        wheel.schedule(1 + at * 1000 / total, (at % units) as u32);
    }
    let mut due = Vec::new();
    many(total.div_ceil(1000), move || {
        wheel.step(&mut due);
        for &controller in &due {
            combat.hit(controller, -3.0);
            wheel.schedule(1000, controller);
        }
        black_box(combat.drain());
    })
}
