//! Toggling one modifier among many: on, read, off, read.

use std::hint::black_box;

use crate::floor::Modifiers;
use crate::line::{Goal, Line};
use crate::measure::{Effort, Subject, compare_all, subject};
use crate::peers;
use crate::world::{World, combat};

pub(crate) fn measure(effort: Effort) -> Vec<Line> {
    [1, 10, 100, 1000].into_iter().flat_map(|count| toggle(effort, count)).collect()
}

fn toggle(effort: Effort, count: usize) -> Vec<Line> {
    // One of the `count` is toggled.
    let others = count - 1;
    let (with, without) = (10.0 + count as f64, 10.0 + others as f64);
    let mut subjects = vec![ours(others, with, without), floor(others, with, without)];
    subjects.extend(peers::modifiers(others, with, without));
    let timings = compare_all(effort, subjects);
    let (ours, floor, peer) = (timings[0], timings[1], timings.get(2).copied());
    let line = |name: String, goal: Goal| {
        let line = Line::new(name, ours, goal)
            .floor(floor.median)
            .must_not_allocate()
            .note("on, read, off, read; floor: a Vec, summed");
        peer.map_or(line.clone(), |peer| {
            let note = format!("{} allocates {:.0} times", peers::GAUGE, peer.allocations);
            line.peer(peers::GAUGE, peer.median).note(note)
        })
    };
    vec![
        line(format!("modifiers-{count}-peer"), Goal::Peer(10.0)),
        line(format!("modifiers-{count}-floor"), Goal::Floor(2.0)),
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
