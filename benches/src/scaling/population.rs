//! Scaling with the number of controllers.

use std::hint::black_box;

use ugas::prelude::*;
use ugas::{Affiliation, Placement, Shape, TagSet, Targeting, TargetingDef};

use super::{Curve, flat, linear};
use crate::lines::crowd;
use crate::measure::{Subject, bulk, many, subject, timed};
use crate::world::{World, combat};

const POPULATIONS: &[usize] = &[100, 1_000, 10_000, 100_000];

pub(super) fn curves() -> Vec<Curve> {
    vec![
        flat("population-instant", "an instant effect on one of 64 among n controllers", instant)
            .sizes(POPULATIONS),
        flat("population-buff", "a lasting effect applied to and removed from one among n controllers", buff)
            .sizes(POPULATIONS),
        flat("population-idle", "advance of n controllers with an endless effect each", idle)
            .sizes(POPULATIONS),
        flat("population-spawn", "a controller comes and goes among n", spawn).sizes(POPULATIONS),
        flat("population-owner", "one of n controllers found by its owner", owner)
            .sizes(POPULATIONS)
            .logarithmic(),
        flat("population-snapshot", "snapshot of one of n controllers", snapshot)
            .sizes(&[100, 1_000, 10_000]),
        flat("population-hash", "hash of one of n controllers", hash).sizes(&[100, 1_000, 10_000]),
        linear("population-targets", "targets around one among n controllers", targets),
        flat(
            "timers-one-instant",
            "one of n expiries at one instant, each on a controller of its own",
            one_instant,
        )
        .sizes(POPULATIONS),
        flat("timers-many", "one tick with n periodic effects running", ticks).sizes(POPULATIONS),
        flat("batch", "one of n hits in one batch", batch),
        flat("events", "one of n events polled", events),
    ]
}

fn spread(world: &World) -> Vec<ControllerId> {
    let step = (world.units.len() / 64).max(1);
    world.units.iter().copied().step_by(step).take(64).collect()
}

fn instant(count: usize) -> Subject<'static> {
    let mut world = World::new(combat(), count);
    let (hit, units) = (world.effect("GE_Hit"), spread(&world));
    many(units.len(), move || {
        for &unit in &units {
            world.apply(hit, unit);
        }
        world.drain();
    })
}

fn buff(count: usize) -> Subject<'static> {
    let mut world = World::new(combat(), count);
    let (buff, units) = (world.effect("GE_Buff"), spread(&world));
    many(units.len(), move || {
        for &unit in &units {
            let active = world.apply_active(buff, unit);
            world.remove(active);
        }
        world.drain();
    })
}

fn idle(count: usize) -> Subject<'static> {
    let mut world = World::new(combat(), count);
    let ring = world.effect("GE_Ring");
    for at in 0..count {
        world.apply(ring, world.units[at]);
        world.drain();
    }
    subject(move || world.sim.advance(Span::millis(16)))
}

fn spawn(count: usize) -> Subject<'static> {
    let mut world = World::new(combat(), count);
    subject(move || {
        let unit = world.sim.spawn("Unit").expect("there is room");
        world.sim.despawn(unit).expect("it is there");
        world.drain();
    })
}

fn owner(count: usize) -> Subject<'static> {
    let mut world = World::new(combat(), 0);
    for at in 0..count as u64 {
        world.sim.spawn_with(Spawn::named("Unit").actor(ActorId(at))).expect("there is room");
    }
    world.drain();
    let mut turn = 0;
    subject(move || {
        turn = (turn + 7) % count as u64;
        black_box(world.sim.controller_of_owner(ActorId(turn)));
    })
}

/// Alternates two worlds over one snapshot, so that everything is copied each time.
fn snapshot(count: usize) -> Subject<'static> {
    let mut worlds = [crowd(count), crowd(count)];
    let mut kept = worlds[0].sim.snapshot();
    bulk(count, move || {
        worlds.swap(0, 1);
        timed(|| worlds[0].sim.snapshot_into(&mut kept))
    })
}

fn hash(count: usize) -> Subject<'static> {
    let world = crowd(count);
    many(count, move || {
        black_box(world.sim.state_hash());
    })
}

fn targets(count: usize) -> Subject<'static> {
    let mut world = World::new(combat(), count);
    for at in 0..count {
        let placement = Placement::at([at as f64, 0.0, 0.0]).expect("it is finite");
        world.sim.set_placement(world.units[at], Some(placement)).expect("it is there");
    }
    let def = TargetingDef::new(Shape::Radius).range(5.0).affiliation(Affiliation::ExcludeSelf).count(8);
    let targeting = Targeting::resolved(&def, TagSet::default(), TagSet::default(), TagQuery::default());
    let owner = world.units[count / 2];
    subject(move || {
        black_box(world.sim.find_targets(&targeting, owner, &TargetData::default()));
    })
}

fn one_instant(count: usize) -> Subject<'static> {
    let mut world = World::new(combat(), count);
    let buff = world.effect("GE_Buff");
    bulk(count, move || {
        for at in 0..count {
            world.apply(buff, world.units[at]);
        }
        world.drain();
        let spent = timed(|| world.sim.advance(Span::seconds(1.0)));
        world.drain();
        spent
    })
}

fn ticks(count: usize) -> Subject<'static> {
    let mut world = World::new(combat(), count);
    let poison = world.effect("GE_Poison");
    let per_step = count.div_ceil(1000);
    for at in 0..count {
        world.apply(poison, world.units[at]);
        if at % per_step == 0 {
            world.sim.advance(Span::millis(1));
            world.drain();
        }
    }
    bulk(count, move || {
        let mut spent = core::time::Duration::ZERO;
        for _ in 0..100 {
            spent += timed(|| world.sim.advance(Span::millis(10)));
            world.drain();
        }
        spent
    })
}

fn batch(count: usize) -> Subject<'static> {
    let mut world = World::new(combat(), 1);
    let (hit, unit) = (world.effect("GE_Hit"), world.units[0]);
    bulk(count, move || {
        let spent = timed(|| {
            world.sim.batch(|sim| {
                for _ in 0..count {
                    sim.apply_effect(hit, None, unit).expect("nothing forbids it");
                }
            });
        });
        world.drain();
        spent
    })
}

fn events(count: usize) -> Subject<'static> {
    let mut world = World::new(combat(), 64);
    let hit = world.effect("GE_Hit");
    bulk(count, move || {
        for _ in 0..count {
            let unit = world.next_unit();
            world.apply(hit, unit);
        }
        timed(|| {
            while let Some(event) = world.sim.poll_event() {
                black_box(&event);
            }
        })
    })
}
