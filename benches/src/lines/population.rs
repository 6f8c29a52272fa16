//! Time that passes while nothing happens.

use ugas::prelude::*;

use crate::line::{Goal, Line};
use crate::measure::{Effort, Subject, compare, subject};
use crate::world::{World, combat};

/// `advance` of a large and of a small population, idle: cost follows events.
pub(crate) fn idle(effort: Effort) -> Vec<Line> {
    let units = effort.population(100_000);
    let [large, small] = compare(effort, [advance(units), advance(units / 100)]);
    vec![
        Line::new("idle", large, Goal::Floor(1.25))
            .floor(small.median)
            .must_not_allocate()
            .note(format!("advance of {units} controllers × 10 effects; floor: of a hundredth of them")),
    ]
}

fn advance(units: usize) -> Subject<'static> {
    let mut world = World::new(combat(), units);
    let (ring, power) = (world.effect("GE_Ring"), world.attribute("Power"));
    for _ in 0..units * 10 {
        let unit = world.next_unit();
        world.apply(ring, unit);
        world.drain();
    }
    assert_eq!(world.current(world.units[0], power), 20.0);
    subject(move || world.sim.advance(Span::millis(16)))
}
