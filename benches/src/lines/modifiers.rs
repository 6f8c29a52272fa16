//! Toggling one modifier among many: on, read, off, read.

use std::hint::black_box;

use crate::floor::Modifiers;
use crate::line::{Goal, Line};
use crate::measure::{Effort, Subject, compare, subject};
use crate::world::{World, combat};

pub(crate) fn measure(effort: Effort) -> Vec<Line> {
    [1, 10, 100, 1000].into_iter().flat_map(|count| toggle(effort, count)).collect()
}

fn toggle(effort: Effort, count: usize) -> Vec<Line> {
    // One of the `count` is the one that comes and goes.
    let others = count - 1;
    let (with, without) = (10.0 + count as f64, 10.0 + others as f64);
    let ours = ours(others, with, without);
    let floor = floor(others, with, without);
    let name = format!("modifiers-{count}");
    let measured = compare(effort, [ours, floor]);
    let ([ours, floor], allocations) = measured;
    vec![
        Line::new(format!("{name}-floor"), ours, Goal::Floor(2.0))
            .floor(floor.median)
            .must_not_allocate(allocations)
            .note("on, read, off, read; floor: a Vec, summed"),
    ]
}

fn ours(others: usize, with: f64, without: f64) -> Subject<'static> {
    let mut world = World::new(combat(), 1);
    let (unit, ring, power) = (world.units[0], world.effect("GE_Ring"), world.attribute("Power"));
    for _ in 0..others {
        world.apply(ring, unit);
    }
    let active = world.apply_active(ring, unit);
    assert_eq!(world.current(unit, power), with);
    world.remove(active);
    assert_eq!(world.current(unit, power), without);
    subject(move || {
        let active = world.apply_active(ring, unit);
        black_box(world.current(unit, power));
        world.remove(active);
        black_box(world.current(unit, power));
        world.drain();
    })
}

fn floor(others: usize, with: f64, without: f64) -> Subject<'static> {
    let mut floor = Modifiers::new(10.0, others);
    floor.add(1.0);
    assert_eq!(floor.value(), with);
    floor.remove_last();
    assert_eq!(floor.value(), without);
    subject(move || {
        black_box(&mut floor).add(1.0);
        black_box(black_box(&floor).value());
        black_box(&mut floor).remove_last();
        black_box(black_box(&floor).value());
    })
}
