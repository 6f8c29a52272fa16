//! Counted operations on values and tags.

use std::hint::black_box;

use ugas::TagSet;
use ugas::core::tag::TagRequirement;

use super::Work;
use crate::lines::shapes;
use crate::scenes::Auras;
use crate::world::{World, combat, with_tags};

pub(super) fn read() -> Work {
    let world = World::new(combat(), 1);
    let (unit, health) = (world.units[0], world.attribute("Health"));
    Work::new(move || {
        black_box(world.sim.current(black_box(unit), health));
    })
}

pub(super) fn tag_check() -> Work {
    let mut world = World::new(with_tags(combat(), ["State.Dead"]), 1);
    let (unit, buff) = (world.units[0], world.effect("GE_Buff"));
    world.apply(buff, unit);
    let requirement = TagRequirement {
        require: TagSet::new([world.tag("State.Buff")]),
        ignore: TagSet::new([world.tag("State.Dead")]),
    };
    Work::new(move || {
        let tags = world.sim.tags(black_box(unit));
        assert!(tags.is_some_and(|tags| requirement.is_met_by(tags)));
    })
}

pub(super) fn toggle(others: usize) -> Work {
    let mut world = World::new(combat(), 1);
    let (unit, ring) = (world.units[0], world.effect("GE_Ring"));
    for _ in 0..others {
        world.apply(ring, unit);
    }
    Work::new(move || {
        let active = world.apply_active(ring, unit);
        world.remove(active);
        world.drain();
    })
}

/// A change at the root of one of the [`shapes`].
pub(super) fn dependencies(shape: usize) -> Work {
    let shape = &shapes()[shape];
    let (mut world, up) = shape.world();
    let unit = world.units[0];
    Work::new(move || {
        world.apply(up, unit);
        world.drain();
    })
}

/// A change of a leader, for each of its hundred followers.
pub(super) fn aura() -> Work {
    let mut auras = Auras::new(10, 100);
    let followers = auras.followers();
    let change = move || {
        auras.change();
        auras.world.drain();
    };
    Work::new(change).calls(100).operations(followers)
}
