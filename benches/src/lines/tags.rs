//! A tag requirement: all of some, none of others.

use std::hint::black_box;

use ugas::TagSet;
use ugas::core::tag::TagRequirement;
use ugas::prelude::*;

use crate::line::{Goal, Line};
use crate::measure::{Effort, Subject, compare, subject};
use crate::world::World;

const UNITS: usize = 64;

pub(crate) fn measure(effort: Effort) -> Vec<Line> {
    let [ours, floor] = compare(effort, [ours(), floor()]);
    vec![
        Line::new("tags", ours, Goal::Floor(4.0))
            .floor(floor.median)
            .must_not_allocate()
            .note("two required, one ignored; floor: two ANDs of u64"),
    ]
}

fn ours() -> Subject<'static> {
    let catalog = Catalog::builder()
        .tags((0..40).map(|at| format!("State.T{at}")))
        .effect(EffectDef::infinite("GE_Both").granting("State.T3").granting("State.T7"))
        .effect(EffectDef::infinite("GE_Bad").granting("State.T9"))
        .template(ControllerDef::new("Unit"));
    let mut world = World::new(catalog, UNITS);
    let (both, bad) = (world.effect("GE_Both"), world.effect("GE_Bad"));
    for at in 0..UNITS {
        world.apply(both, world.units[at]);
        if at % 2 == 1 {
            world.apply(bad, world.units[at]);
        }
    }
    let requirement = TagRequirement {
        require: TagSet::new([world.tag("State.T3"), world.tag("State.T7")]),
        ignore: TagSet::new([world.tag("State.T9")]),
    };
    let containers: Vec<_> =
        world.units.iter().map(|&unit| world.sim.tags(unit).expect("it is there").clone()).collect();
    let met = containers.iter().filter(|tags| requirement.is_met_by(*tags)).count();
    assert_eq!(met, UNITS / 2);
    let mut turn = 0;
    subject(move || {
        turn = (turn + 1) % UNITS;
        black_box(black_box(&requirement).is_met_by(&containers[turn]));
    })
}

fn floor() -> Subject<'static> {
    let (require, ignore) = (1u64 << 3 | 1 << 7, 1u64 << 9);
    let bits: Vec<u64> = (0..UNITS).map(|at| if at % 2 == 1 { require | ignore } else { require }).collect();
    let is_met = |bits: u64, (require, ignore): (u64, u64)| bits & require == require && bits & ignore == 0;
    assert_eq!(bits.iter().filter(|&&bits| is_met(bits, (require, ignore))).count(), UNITS / 2);
    let masks = (require, ignore);
    let mut turn = 0;
    subject(move || {
        turn = (turn + 1) % UNITS;
        black_box(is_met(bits[turn], *black_box(&masks)));
    })
}
