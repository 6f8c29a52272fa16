//! Scaling with modifiers, dependencies, attributes, sets and layouts.

use std::hint::black_box;

use ugas::prelude::*;

use super::{Curve, flat, linear};
use crate::measure::{Subject, subject};
use crate::world::{World, combat};

pub(super) fn curves() -> Vec<Curve> {
    vec![
        linear("modifiers", "one of n modifiers of an attribute comes and goes", modifiers),
        linear("modifiers-instant", "an instant effect on an attribute with n modifiers", modifiers_instant),
        flat(
            "modifiers-elsewhere",
            "a modifier comes and goes, n are on another attribute",
            modifiers_elsewhere,
        ),
        linear("modifiers-channels", "one modifier comes and goes, n others have a channel each", channels)
            .sizes(&[10, 100, 1_000]),
        linear(
            "dependencies-depth",
            "an instant effect at the root of n values, each of the one before",
            chain,
        )
        .sizes(&[4, 16, 64, 256]),
        linear("dependencies-fan", "an instant effect on what n values depend on", fan)
            .sizes(&[4, 16, 64, 256]),
        flat("attributes", "an instant effect on one of n attributes", wide).sizes(&[10, 100, 1_000]),
        flat("sets", "an instant effect on a controller with n sets", sets).sizes(&[10, 100, 1_000]),
        flat(
            "layouts-spawn",
            "a controller comes and goes, n combinations of sets are in use",
            layouts_spawn,
        )
        .sizes(&[10, 100, 1_000]),
        flat("layouts-register", "a set comes and goes, n combinations of sets are in use", layouts_register)
            .sizes(&[10, 100, 1_000]),
    ]
}

/// Repeatedly applies and removes an effect.
pub(super) fn toggle(mut world: World, effect: &str) -> Subject<'static> {
    let (unit, effect) = (world.units[0], world.effect(effect));
    subject(move || {
        let active = world.apply_active(effect, unit);
        world.remove(active);
        world.drain();
    })
}

/// Repeatedly applies an effect.
pub(super) fn repeat(mut world: World, effect: &str) -> Subject<'static> {
    let (unit, effect) = (world.units[0], world.effect(effect));
    subject(move || {
        world.apply(effect, unit);
        world.drain();
    })
}

/// A unit with `count` instances of an effect.
pub(super) fn laden(catalog: CatalogBuilder, effect: &str, count: usize) -> World {
    let mut world = World::new(catalog, 1);
    let (unit, effect) = (world.units[0], world.effect(effect));
    for _ in 0..count {
        world.apply(effect, unit);
    }
    world.drain();
    world
}

fn modifiers(count: usize) -> Subject<'static> {
    toggle(laden(combat(), "GE_Ring", count), "GE_Ring")
}

fn modifiers_instant(count: usize) -> Subject<'static> {
    let catalog = combat().effect(EffectDef::infinite("GE_Mail").modify("Health", Operation::Add, 1.0));
    repeat(laden(catalog, "GE_Mail", count), "GE_Hit")
}

fn modifiers_elsewhere(count: usize) -> Subject<'static> {
    let catalog = combat().effect(EffectDef::infinite("GE_Mail").modify("Mana", Operation::Add, 1.0));
    toggle(laden(catalog, "GE_Mail", count), "GE_Ring")
}

fn channels(count: usize) -> Subject<'static> {
    let effect = |at: usize| {
        let modifier = ModifierDef::new("Power", Operation::Multiply, 0.0001).channel(format!("C{at}"));
        EffectDef::infinite(format!("GE_{at}")).with(modifier)
    };
    let catalog = (0..count).fold(combat(), |catalog, at| catalog.effect(effect(at)));
    let mut world = World::new(catalog, 1);
    for at in 0..count {
        let effect = world.effect(&format!("GE_{at}"));
        world.apply(effect, world.units[0]);
    }
    toggle(world, "GE_Ring")
}

fn derived(values: impl Iterator<Item = AttributeDef>) -> Subject<'static> {
    let set = AttributeSetDef::new("Set").with(AttributeDef::new("V0", 1.0));
    let catalog = Catalog::builder()
        .attribute_set(values.fold(set, AttributeSetDef::with))
        .effect(EffectDef::instant("GE_Up").modify("V0", Operation::Add, 1.0))
        .template(ControllerDef::new("Unit").with_set("Set"));
    repeat(World::new(catalog, 1), "GE_Up")
}

fn chain(count: usize) -> Subject<'static> {
    derived((1..=count).map(|at| AttributeDef::derived(format!("V{at}"), format!("V{} + 1", at - 1))))
}

fn fan(count: usize) -> Subject<'static> {
    derived((1..=count).map(|at| AttributeDef::derived(format!("V{at}"), "V0 + 1")))
}

fn wide(count: usize) -> Subject<'static> {
    let set = (0..count)
        .fold(AttributeSetDef::new("Set"), |set, at| set.with(AttributeDef::new(format!("V{at}"), 1.0)));
    let catalog = Catalog::builder()
        .attribute_set(set)
        .effect(EffectDef::instant("GE_Up").modify(format!("V{}", count / 2), Operation::Add, 1.0))
        .template(ControllerDef::new("Unit").with_set("Set"));
    repeat(World::new(catalog, 1), "GE_Up")
}

/// A catalog with `count` sets of one attribute, each with a template.
fn many_sets(count: usize) -> CatalogBuilder {
    (0..count).fold(combat(), |catalog, at| {
        catalog
            .attribute_set(
                AttributeSetDef::new(format!("Set{at}")).with(AttributeDef::new(format!("V{at}"), 1.0)),
            )
            .template(ControllerDef::new(format!("T{at}")).with_set(format!("Set{at}")))
    })
}

fn sets(count: usize) -> Subject<'static> {
    let template = (0..count)
        .fold(ControllerDef::new("Many").with_set("Combat"), |def, at| def.with_set(format!("Set{at}")));
    let mut world = World::new(many_sets(count).template(template), 0);
    let (unit, hit) = (world.sim.spawn("Many").expect("there is room"), world.effect("GE_Hit"));
    subject(move || {
        world.apply(hit, unit);
        world.drain();
    })
}

fn in_use(count: usize) -> World {
    let mut world = World::new(many_sets(count), 1);
    for at in 0..count {
        world.sim.spawn(&format!("T{at}")).expect("there is room");
    }
    world
}

fn layouts_spawn(count: usize) -> Subject<'static> {
    let mut world = in_use(count);
    let last = format!("T{}", count - 1);
    subject(move || {
        let unit = world.sim.spawn(&last).expect("there is room");
        world.sim.despawn(unit).expect("it is there");
        world.drain();
    })
}

fn layouts_register(count: usize) -> Subject<'static> {
    let mut world = in_use(count);
    let (unit, set) = (world.units[0], world.sim.catalog().attribute_set("Set0").expect("it is defined"));
    subject(move || {
        world.sim.register_set(unit, set).expect("it is not there yet");
        world.sim.unregister_set(unit, set).expect("it is there");
        world.drain();
        black_box(&world.sim);
    })
}
