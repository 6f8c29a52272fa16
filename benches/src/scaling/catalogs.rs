//! Scaling with the number of definitions, in the catalog and created at run time.

use std::hint::black_box;

use ugas::prelude::*;

use super::{Curve, flat, linear};
use crate::measure::{Subject, bulk, subject, timed};
use crate::world::{World, combat};

const DEFINITIONS: &[usize] = &[100, 1_000, 10_000];

pub(super) fn curves() -> Vec<Curve> {
    vec![
        flat("build-effects", "one of n effects of a catalog that is built", effects).sizes(DEFINITIONS),
        flat("build-attributes", "one of n attributes of a catalog that is built", attributes)
            .sizes(&[100, 1_000, 4_000]),
        flat("build-sets", "one of n sets of a catalog that is built", sets).sizes(&[100, 1_000, 4_000]),
        flat("build-tags", "one of n tags of a catalog that is built", tags).sizes(DEFINITIONS),
        flat("build-abilities", "one of n abilities of a catalog that is built", abilities)
            .sizes(DEFINITIONS),
        flat("runtime-define", "one of n effects defined at run time", define).sizes(DEFINITIONS),
        flat("runtime-again", "one of n effects defined at run time, defined again", again)
            .sizes(DEFINITIONS),
        flat("runtime-apply", "one of n effects defined at run time, applied", apply).sizes(DEFINITIONS),
        linear("runtime-snapshot", "a snapshot with n effects defined at run time", snapshot)
            .sizes(DEFINITIONS),
    ]
}

fn built(count: usize, catalog: impl Fn(usize) -> CatalogBuilder + 'static) -> Subject<'static> {
    bulk(count, move || {
        let builder = catalog(count);
        timed(|| {
            black_box(builder.build().expect("the definitions of a benchmark are right"));
        })
    })
}

fn named(at: usize) -> EffectDef {
    EffectDef::lasting(format!("GE_{at}"), 1.0)
        .modify("Power", Operation::Add, at as f64)
        .granting(format!("State.S{}", at % 100))
}

fn effects(count: usize) -> Subject<'static> {
    built(count, |count| (0..count).fold(combat(), |catalog, at| catalog.effect(named(at))))
}

fn attributes(count: usize) -> Subject<'static> {
    built(count, |count| {
        let set = (0..count).fold(AttributeSetDef::new("Set"), |set, at| {
            set.with(AttributeDef::new(format!("V{at}"), 1.0).min(0.0))
        });
        combat().attribute_set(set)
    })
}

fn sets(count: usize) -> Subject<'static> {
    built(count, |count| {
        (0..count).fold(combat(), |catalog, at| {
            let attribute = AttributeDef::new(format!("V{at}"), 1.0);
            catalog.attribute_set(AttributeSetDef::new(format!("Set{at}")).with(attribute))
        })
    })
}

fn tags(count: usize) -> Subject<'static> {
    built(count, |count| Catalog::builder().tags((0..count).map(|at| format!("Group{}.T{at}", at / 32))))
}

fn abilities(count: usize) -> Subject<'static> {
    built(count, |count| {
        (0..count).fold(combat(), |catalog, at| {
            let ability = AbilityDef::new(format!("GA_{at}")).cost("GE_Cost").cooldown("GE_Cooldown");
            catalog.ability(ability.task(TaskDef::commit()))
        })
    })
}

fn runtime(at: usize) -> EffectDef {
    EffectDef::instant(format!("GE_Rolled_{at}")).modify("Power", Operation::Add, at as f64)
}

fn rolled(count: usize) -> (World, Vec<EffectId>) {
    let mut world = World::new(combat(), 1);
    let define = |at| world.sim.define_effect(runtime(at)).expect("there is room");
    let ids = (0..count).map(define).collect();
    (world, ids)
}

fn define(count: usize) -> Subject<'static> {
    let catalog = combat().build().expect("the definitions of a benchmark are right");
    bulk(count, move || {
        let mut world = World::of(catalog.clone(), 1);
        let defs: Vec<EffectDef> = (0..count).map(runtime).collect();
        timed(|| {
            for def in defs {
                world.sim.define_effect(def).expect("there is room");
            }
        })
    })
}

fn again(count: usize) -> Subject<'static> {
    let (mut world, _) = rolled(count);
    subject(move || {
        black_box(world.sim.define_effect(runtime(count / 2))).expect("it is known");
    })
}

fn apply(count: usize) -> Subject<'static> {
    let (mut world, ids) = rolled(count);
    let unit = world.units[0];
    subject(move || {
        world.apply(ids[count / 2], unit);
        world.drain();
    })
}

fn snapshot(count: usize) -> Subject<'static> {
    let (world, _) = rolled(count);
    let mut kept = world.sim.snapshot();
    subject(move || world.sim.snapshot_into(&mut kept))
}
