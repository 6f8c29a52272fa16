//! Counted operations of effects.

use ugas::prelude::*;

use super::Work;
use crate::scenes::{Area, Damage, Formula};
use crate::world::{World, combat};

pub(super) fn instant() -> Work {
    let mut world = World::new(combat(), 1);
    let (unit, hit) = (world.units[0], world.effect("GE_Hit"));
    Work::new(move || {
        world.apply(hit, unit);
        world.drain();
    })
}

/// One hit whose damage is computed.
pub(super) fn damage(formula: Formula) -> Work {
    hits(Damage::new(formula, 1))
}

/// One hit of constant damage on a target that has a stacking effect.
pub(super) fn stacked() -> Work {
    hits(Damage::on_stacked(Formula::Constant, 1))
}

fn hits(mut damage: Damage) -> Work {
    Work::new(move || {
        damage.hit_next();
        damage.world.drain();
    })
}

/// One of `count` hits in a batch.
pub(super) fn batch(count: usize) -> Work {
    let mut damage = Damage::new(Formula::Constant, 1);
    let call = move || {
        damage.hit_in_batch(count);
        damage.world.drain();
    };
    Work::new(call).calls(1_000 / count as u64).operations(count)
}

/// One of the 200 targets of an effect, among 10,000 controllers.
pub(super) fn area() -> Work {
    blasts(|area| {
        area.blast();
        area.world.drain();
    })
}

/// [`area`], by one spec that is applied to all targets.
pub(super) fn area_by_spec() -> Work {
    blasts(|area| {
        area.blast_spec();
        area.world.drain();
    })
}

fn blasts(blast: fn(&mut Area)) -> Work {
    let area = Area::new(10_000, 200);
    let targets = area.targets();
    Work::staged(area, |area| area.select(area.targets()), blast).calls(20).operations(targets)
}

pub(super) fn duration() -> Work {
    let mut world = World::new(combat(), 1);
    let (unit, buff) = (world.units[0], world.effect("GE_Buff"));
    Work::new(move || {
        world.apply(buff, unit);
        world.sim.advance(Span::seconds(1.0));
        world.drain();
    })
}

pub(super) fn tick() -> Work {
    let mut world = World::new(combat(), 1);
    let (unit, poison) = (world.units[0], world.effect("GE_Poison"));
    world.apply(poison, unit);
    Work::new(move || {
        world.sim.advance(Span::seconds(1.0));
        world.drain();
    })
}

/// One tick among 10,000 periodic effects, of which ten fire in every millisecond.
pub(super) fn tick_many() -> Work {
    let mut world = World::new(combat(), 1_000);
    let (poison, health) = (world.effect("GE_Poison"), world.attribute("Health"));
    for at in 0..10_000 {
        let unit = world.next_unit();
        world.apply(poison, unit);
        if at % 10 == 9 {
            world.sim.advance(Span::millis(1));
            world.drain();
        }
    }
    let before = world.current(world.units[0], health);
    world.sim.advance(Span::seconds(1.0));
    world.drain();
    assert_eq!(before - world.current(world.units[0], health), 30.0, "ten effects tick once a second");
    let step = move || {
        world.sim.advance(Span::millis(1));
        world.drain();
    };
    Work::new(step).calls(100).operations(10)
}

pub(super) fn stack() -> Work {
    let stack = EffectDef::infinite("GE_Stack")
        .modify("Power", Operation::Add, 1.0)
        .stacking(StackingDef::by_target(u32::MAX));
    let mut world = World::new(combat().effect(stack), 1);
    let (unit, stack) = (world.units[0], world.effect("GE_Stack"));
    Work::new(move || {
        world.apply(stack, unit);
        world.drain();
    })
}

pub(super) fn refused() -> Work {
    let picky = EffectDef::infinite("GE_Picky").requires("State.Chosen");
    let mut world = World::new(combat().effect(picky), 1);
    let (unit, picky) = (world.units[0], world.effect("GE_Picky"));
    Work::new(move || {
        assert!(world.sim.apply_effect(picky, None, unit).is_err());
        world.drain();
    })
}
