//! Scaling with the number of effects on one controller, from one source, or of one kind.

use std::hint::black_box;

use ugas::CaptureFrom;
use ugas::prelude::*;

use super::attributes::{laden, repeat, toggle};
use super::{Curve, flat, linear};
use crate::measure::{Subject, bulk, many, subject, timed};
use crate::world::{World, combat};

pub(super) fn curves() -> Vec<Curve> {
    vec![
        flat("effects-toggle", "an effect comes and goes beside n others", toggle_one),
        flat("effects-oldest", "an effect comes and the oldest of n goes", oldest),
        flat("effects-apply-all", "one of n effects applied to one controller", apply_all),
        flat("effects-remove-all", "one of n effects removed by one query", remove_all),
        flat(
            "effects-remove-by-tag",
            "one of n effects removed by an effect that removes a tag",
            remove_by_tag,
        ),
        flat("effects-expire", "one of n effects on one controller that expire at one instant", expire),
        flat("effects-despawn", "one of n effects of a controller that goes", despawn),
        flat("effects-from-source", "one of n effects removed because of their source", from_source),
        flat("effects-outgoing", "an effect comes and goes whose source has n others elsewhere", outgoing),
        flat("effects-immune", "an application refused by an immunity beside n effects", immune),
        linear("effects-immunities", "an effect comes and goes that n immunities do not concern", immunities),
        flat("effects-stack", "one more on a stack beside n effects", stack),
        flat("effects-stack-sources", "one more on a stack beside those of n sources", stack_sources),
        flat("effects-tag-unrelated", "a tag comes and goes that n effects do not depend on", tag_unrelated),
        flat("effects-tag-required", "one of n effects switched by a tag", tag_required),
        flat("effects-follow", "one of n effects that follow an attribute of their source", follow),
        flat("effects-sequence", "one of n effects that wait in a sequence, come and gone", sequence),
        linear("effects-count", "instances of an effect counted among n", count_instances),
        linear("effects-explain", "an attribute with n modifiers explained", explain),
    ]
}

/// An effect without modifiers or tags.
fn marked() -> CatalogBuilder {
    combat().effect(EffectDef::infinite("GE_Mark").granting("State.Marked").tagged("Kind.Mark"))
}

fn toggle_one(count: usize) -> Subject<'static> {
    toggle(laden(marked(), "GE_Mark", count), "GE_Buff")
}

fn oldest(count: usize) -> Subject<'static> {
    let mut world = laden(marked(), "GE_Mark", count);
    let (unit, mark) = (world.units[0], world.effect("GE_Mark"));
    subject(move || {
        world.apply(mark, unit);
        let oldest = world.sim.controller(unit).map(|unit| unit.effects()[0]).expect("it is there");
        world.remove(oldest);
        world.drain();
    })
}

/// Applies `count` instances, then an operation on all of them; only one of both is timed.
fn all_at_once(
    catalog: CatalogBuilder,
    effect: &'static str,
    count: usize,
    mut clear: impl FnMut(&mut World, ControllerId) + 'static,
) -> Subject<'static> {
    let mut world = World::new(catalog, 1);
    let effect = world.effect(effect);
    bulk(count, move || {
        let unit = world.sim.spawn("Unit").expect("there is room");
        for _ in 0..count {
            world.apply(effect, unit);
        }
        world.drain();
        let spent = timed(|| clear(&mut world, unit));
        let left = world.sim.controller(unit).map_or(0, |unit| unit.effects().len());
        assert!(left <= 1, "{left} effects are left");
        let _ = world.sim.despawn(unit);
        world.drain();
        spent
    })
}

fn apply_all(count: usize) -> Subject<'static> {
    let mut world = World::new(marked(), 1);
    let mark = world.effect("GE_Mark");
    bulk(count, move || {
        let unit = world.sim.spawn("Unit").expect("there is room");
        let spent = timed(|| {
            for _ in 0..count {
                world.apply(mark, unit);
            }
        });
        let _ = world.sim.despawn(unit);
        world.drain();
        spent
    })
}

fn remove_all(count: usize) -> Subject<'static> {
    all_at_once(marked(), "GE_Mark", count, |world, unit| {
        let query = EffectQuery::of(world.effect("GE_Mark"));
        world.sim.remove_matching(unit, &query, Stacks::All);
    })
}

fn remove_by_tag(count: usize) -> Subject<'static> {
    let catalog = marked().effect(EffectDef::instant("GE_Cleanse").removing("State.Marked"));
    all_at_once(catalog, "GE_Mark", count, |world, unit| {
        let cleanse = world.effect("GE_Cleanse");
        world.apply(cleanse, unit);
    })
}

fn expire(count: usize) -> Subject<'static> {
    let catalog = combat().effect(EffectDef::lasting("GE_Short", 1.0).granting("State.Short"));
    all_at_once(catalog, "GE_Short", count, |world, _| world.sim.advance(Span::seconds(1.0)))
}

fn despawn(count: usize) -> Subject<'static> {
    all_at_once(marked(), "GE_Mark", count, |world, unit| {
        world.sim.despawn(unit).expect("it is there");
    })
}

fn from_source(count: usize) -> Subject<'static> {
    let mut world = World::new(marked(), 2);
    let (mark, source, target) = (world.effect("GE_Mark"), world.units[0], world.units[1]);
    bulk(count, move || {
        for _ in 0..count {
            world.sim.apply_effect(mark, Some(source), target).expect("nothing forbids it");
        }
        world.drain();
        let spent = timed(|| {
            black_box(world.sim.remove_from_source(target, source));
        });
        world.drain();
        spent
    })
}

fn outgoing(count: usize) -> Subject<'static> {
    let mut world = World::new(marked(), count + 2);
    let mark = world.effect("GE_Mark");
    let source = world.units[0];
    for at in 1..=count {
        world.sim.apply_effect(mark, Some(source), world.units[at]).expect("nothing forbids it");
    }
    let target = world.units[count + 1];
    subject(move || {
        let applied = world.sim.apply_effect(mark, Some(source), target).expect("nothing forbids it");
        world.remove(applied.active().expect("it lasts"));
        world.drain();
    })
}

fn immune(count: usize) -> Subject<'static> {
    let catalog = marked()
        .effect(EffectDef::infinite("GE_Immune").immune_to("Kind.Fire"))
        .effect(EffectDef::infinite("GE_Fire").tagged("Kind.Fire"));
    let mut world = laden(catalog, "GE_Mark", count);
    let (unit, immune, fire) = (world.units[0], world.effect("GE_Immune"), world.effect("GE_Fire"));
    world.apply(immune, unit);
    subject(move || {
        assert!(world.sim.apply_effect(fire, None, unit).is_err());
        world.drain();
    })
}

fn immunities(count: usize) -> Subject<'static> {
    let catalog = marked().effect(EffectDef::infinite("GE_Immune").immune_to("Kind.Fire"));
    toggle(laden(catalog, "GE_Immune", count), "GE_Mark")
}

fn stack(count: usize) -> Subject<'static> {
    let stack = EffectDef::infinite("GE_Stack")
        .modify("Power", Operation::Add, 1.0)
        .stacking(StackingDef::by_target(u32::MAX));
    repeat(laden(marked().effect(stack), "GE_Mark", count), "GE_Stack")
}

fn stack_sources(count: usize) -> Subject<'static> {
    let stack = EffectDef::infinite("GE_Stack").stacking(StackingDef::by_source(u32::MAX));
    let mut world = World::new(combat().effect(stack), count);
    let (stack, target) = (world.effect("GE_Stack"), world.units[0]);
    for at in 0..count {
        world.sim.apply_effect(stack, Some(world.units[at]), target).expect("nothing forbids it");
    }
    let last = world.units[count - 1];
    subject(move || {
        world.sim.apply_effect(stack, Some(last), target).expect("nothing forbids it");
        world.drain();
    })
}

fn tag_unrelated(count: usize) -> Subject<'static> {
    let catalog = marked().effect(EffectDef::infinite("GE_When").while_target_lacks("State.Stunned"));
    toggle(laden(catalog, "GE_When", count), "GE_Mark")
}

fn tag_required(count: usize) -> Subject<'static> {
    let catalog = marked().effect(EffectDef::infinite("GE_When").while_target_lacks("State.Marked"));
    let mut world = laden(catalog, "GE_When", count);
    let (unit, mark) = (world.units[0], world.effect("GE_Mark"));
    many(count, move || {
        let active = world.apply_active(mark, unit);
        world.remove(active);
        world.drain();
    })
}

fn follow(count: usize) -> Subject<'static> {
    let magnitude = MagnitudeDef::attribute(CaptureFrom::Source, "Power", 2.0);
    let catalog = combat().effect(EffectDef::infinite("GE_Follow").modify("Mana", Operation::Add, magnitude));
    let mut world = World::new(catalog, count + 1);
    let (effect, ring, source) = (world.effect("GE_Follow"), world.effect("GE_Ring"), world.units[0]);
    for at in 1..=count {
        world.sim.apply_effect(effect, Some(source), world.units[at]).expect("nothing forbids it");
    }
    many(count, move || {
        let active = world.apply_active(ring, source);
        world.remove(active);
        world.drain();
    })
}

fn sequence(count: usize) -> Subject<'static> {
    let catalog = combat().effect(
        EffectDef::lasting("GE_Turn", 1.0)
            .modify("Power", Operation::Add, 1.0)
            .policy(ExecutionPolicy::RunInSequence),
    );
    let mut world = World::new(catalog, 1);
    let (effect, unit) = (world.effect("GE_Turn"), world.units[0]);
    many(count, move || {
        for _ in 0..count {
            world.apply(effect, unit);
        }
        world.sim.advance(Span::seconds(count as f64));
        world.drain();
    })
}

fn count_instances(count: usize) -> Subject<'static> {
    let world = laden(marked(), "GE_Mark", count);
    let (unit, buff) = (world.units[0], world.effect("GE_Buff"));
    subject(move || {
        black_box(world.sim.effect_count(unit, buff));
    })
}

fn explain(count: usize) -> Subject<'static> {
    let world = laden(marked(), "GE_Ring", count);
    let (unit, power) = (world.units[0], world.attribute("Power"));
    subject(move || {
        black_box(world.sim.explain(unit, power));
    })
}
