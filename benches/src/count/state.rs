//! Counted operations on the whole state.

use ugas::prelude::*;

use super::Work;
use crate::lines::crowd;
use crate::scenes::{Hashed, KEY_EVERY, Match, Rollback, recorded_match};
use crate::world::{World, combat};

/// A controller spawned and despawned, with its events.
pub(super) fn spawn() -> Work {
    let mut world = World::new(combat(), 100);
    let ring = world.effect("GE_Ring");
    let unit = world.sim.spawn("Unit").expect("there is room");
    world.apply(ring, unit);
    world.sim.despawn(unit).expect("it is there");
    assert!(world.sim.controller(unit).is_none());
    world.drain();
    Work::new(move || {
        let unit = world.sim.spawn("Unit").expect("there is room");
        world.sim.despawn(unit).expect("it is there");
        world.drain();
    })
}

/// State hash of one of a hundred characters, all of which changed since the last one.
pub(super) fn hash() -> Work {
    let hashed = Hashed::new(100, 1);
    let changed = hashed.changed();
    Work::staged(hashed, Hashed::change, Hashed::hash).calls(20).operations(changed)
}

/// State hash of 10,000 characters, for each of the hundred that changed since the last one.
pub(super) fn hash_hundredth() -> Work {
    let hashed = Hashed::new(10_000, 100);
    let changed = hashed.changed();
    Work::staged(hashed, Hashed::change, Hashed::hash).calls(3).operations(changed)
}

/// Everything is copied, because it belongs to another world than the previous snapshot.
pub(super) fn snapshot() -> Work {
    let mut worlds = [crowd(100), crowd(100)];
    let mut copy = crowd(100);
    let mut kept = copy.sim.snapshot();
    Work::new(move || {
        worlds.swap(0, 1);
        worlds[0].sim.snapshot_into(&mut kept);
        copy.sim.restore(&kept).expect("it is of this catalog");
    })
}

/// A snapshot of 10,000 controllers of which a hundred changed since, and a restore of a snapshot from which
/// they differ, for each of the hundred.
pub(super) fn snapshot_hundredth() -> Work {
    struct State {
        world: World,
        hit: EffectId,
        changed: Vec<ControllerId>,
        new: Snapshot,
        old: Snapshot,
    }
    let world = crowd(10_000);
    let hit = world.effect("GE_Hit");
    let changed: Vec<_> = world.units.iter().copied().step_by(100).collect();
    let count = changed.len();
    let (new, old) = (world.sim.snapshot(), world.sim.snapshot());
    let mut state = State { world, hit, changed, new, old };
    let change = |state: &mut State| {
        for &unit in &state.changed {
            state.world.apply(state.hit, unit);
        }
        state.world.drain();
    };
    let counted = |state: &mut State| {
        state.world.sim.snapshot_into(&mut state.new);
        state.world.sim.restore(&state.old).expect("it is of this catalog");
    };
    let hash = state.world.sim.state_hash();
    change(&mut state);
    let changed_hash = state.world.sim.state_hash();
    counted(&mut state);
    assert_eq!(state.world.sim.state_hash(), hash, "the restored state is the old one");
    assert_eq!(state.new.state_hash(), changed_hash, "the snapshot is of the changed state");
    Work::staged(state, change, counted).calls(20).operations(count)
}

/// A tick of a match that is not recorded.
pub(super) fn match_tick() -> Work {
    let mut game = Match::plain();
    Work::new(move || game.tick()).calls(KEY_EVERY as u64)
}

/// A tick of a match that is recorded, with its share of a key frame.
pub(super) fn match_tick_recorded() -> Work {
    recorded_match(KEY_EVERY + 10);
    let mut game = Match::recorded();
    Work::new(move || game.tick()).calls(KEY_EVERY as u64)
}

/// A restore of the state of twenty ticks ago, and those ticks again with a snapshot each.
pub(super) fn rollback() -> Work {
    let mut client = Rollback::new();
    Work::new(move || client.roll_back()).calls(50)
}
