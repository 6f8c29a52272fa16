//! Scaling with tags: in the registry, on a controller, and in depth.

use std::hint::black_box;

use ugas::TagSet;
use ugas::prelude::*;

use super::attributes::toggle;
use super::{Curve, flat, linear};
use crate::measure::{Subject, subject};
use crate::world::World;

const REGISTRIES: &[usize] = &[64, 1_000, 16_000];

pub(super) fn curves() -> Vec<Curve> {
    vec![
        flat("tags-grant", "an effect with a tag comes and goes, n tags in the registry", grant)
            .sizes(REGISTRIES),
        flat("tags-check", "two tags required, n in the registry", check).sizes(REGISTRIES),
        flat("tags-owned", "an effect with a tag comes and goes on who has n others", owned)
            .sizes(REGISTRIES),
        linear("tags-depth", "an effect with a tag of n levels comes and goes", depth).sizes(&[2, 8, 16, 32]),
    ]
}

fn registry(count: usize) -> CatalogBuilder {
    Catalog::builder()
        .tags(["Zone.Last.One", "Aura.First.One"])
        .tags((0..count).map(|at| format!("Group{}.T{at}", at / 32)))
        .effect(EffectDef::infinite("GE_Tag").granting("Zone.Last.One").granting("Aura.First.One"))
        .template(ControllerDef::new("Unit"))
}

fn grant(count: usize) -> Subject<'static> {
    toggle(World::new(registry(count), 1), "GE_Tag")
}

fn check(count: usize) -> Subject<'static> {
    let mut world = World::new(registry(count), 1);
    let (unit, effect) = (world.units[0], world.effect("GE_Tag"));
    world.apply(effect, unit);
    let set = TagSet::new([world.tag("Zone.Last.One"), world.tag("Aura.First.One")]);
    subject(move || {
        black_box(world.sim.tags(black_box(unit)).is_some_and(|tags| tags.has_all(&set)));
    })
}

fn owned(count: usize) -> Subject<'static> {
    let all = (0..count)
        .fold(EffectDef::infinite("GE_All"), |effect, at| effect.granting(format!("Group{}.T{at}", at / 32)));
    let mut world = World::new(registry(count).effect(all), 1);
    let effect = world.effect("GE_All");
    world.apply(effect, world.units[0]);
    toggle(world, "GE_Tag")
}

fn depth(count: usize) -> Subject<'static> {
    let name = (0..count).map(|at| format!("L{at}")).collect::<Vec<_>>().join(".");
    let catalog = Catalog::builder()
        .effect(EffectDef::infinite("GE_Tag").granting(name))
        .template(ControllerDef::new("Unit"));
    toggle(World::new(catalog, 1), "GE_Tag")
}
