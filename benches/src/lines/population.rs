//! Populations: time that passes while nothing happens, controllers that come and go, simulations in parallel.

use std::hint::black_box;
use std::io::Sink;

use ugas::prelude::*;

use crate::floor::events::assert_same_events;
use crate::floor::roster::Roster;
use crate::line::{Goal, Line};
use crate::measure::{Effort, Subject, compare, subject, wall_clock};
use crate::scenes::Match;
use crate::translate::Translator;
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

/// A controller spawned and despawned, with its events.
pub(crate) fn spawn(effort: Effort) -> Vec<Line> {
    const UNITS: usize = 1_000;
    let mut world = World::new(combat(), UNITS);
    let mut floor = Roster::new(&[2e9, 1e9, 1e9, 10.0]);
    for _ in 0..UNITS {
        floor.spawn();
    }
    floor.log.drain();
    for _ in 0..3 {
        for unit in [(); 2].map(|()| world.sim.spawn("Unit").expect("there is room")) {
            world.sim.despawn(unit).expect("it is there");
        }
        for unit in [(); 2].map(|()| floor.spawn()) {
            floor.despawn(unit);
        }
    }
    let ours = Translator::of(&world, &[], &[], &[]).take(&mut world.sim);
    assert_same_events("spawn", &ours, &std::mem::take(&mut floor.log.events));
    let ours = subject(move || {
        let unit = world.sim.spawn("Unit").expect("there is room");
        world.sim.despawn(unit).expect("it is there");
        world.drain();
    });
    let floor = subject(move || {
        let unit = black_box(&mut floor).spawn();
        floor.despawn(black_box(unit));
        floor.log.drain();
    });
    let [ours, floor] = compare(effort, [ours, floor]);
    vec![
        Line::new("spawn", ours, Goal::AtMost(600.0)).floor(floor.median).must_not_allocate().note(format!(
            "a controller with four attributes spawned and despawned among {UNITS}; floor: by hand, with the same two events"
        )),
    ]
}

/// Matches in parallel, and ticks of each.
const MATCHES: usize = 8;
const TICKS: usize = 100;

/// Eight simulations on two threads and on one.
pub(crate) fn parallel(effort: Effort) -> Vec<Line> {
    let matches = || (0..MATCHES).map(|_| Match::plain()).collect::<Vec<_>>();
    let hashes = |matches: &[Match<Sink>]| matches.iter().map(Match::hash).collect::<Vec<_>>();
    let (mut one, mut two) = (matches(), matches());
    for _ in 0..2 {
        play(&mut one);
        play_halves(&mut two);
        assert_eq!(hashes(&one), hashes(&two), "the state depends on the number of threads");
    }
    let subjects = [wall_clock(move || play_halves(&mut two)), wall_clock(move || play(&mut one))];
    let [two, one] = compare(effort, subjects);
    let line = Line::new("parallel", two, Goal::Peer(1.9)).peer("one thread", one.median);
    let line = line.note(format!(
        "{MATCHES} simulations, {TICKS} ticks of a match each, on two threads, the same bits; needs an idle machine"
    ));
    vec![Line { allocations: None, ..line }]
}

fn play(matches: &mut [Match<Sink>]) {
    for game in matches {
        (0..TICKS).for_each(|_| game.tick());
    }
}

fn play_halves(matches: &mut [Match<Sink>]) {
    let (first, second) = matches.split_at_mut(MATCHES / 2);
    std::thread::scope(|scope| {
        scope.spawn(|| play(first));
        play(second);
    });
}
