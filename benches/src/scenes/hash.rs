//! The state hash of characters with two effects.

use ugas::prelude::*;

use crate::world::{World, combat};

/// Characters with two effects each, of which some change between two hashes.
pub(crate) struct Hashed {
    world: World,
    hit: EffectId,
    changed: Vec<ControllerId>,
    last: u64,
}

impl Hashed {
    /// `units` of which one in `every` changes.
    pub(crate) fn new(units: usize, every: usize) -> Self {
        let mut world = World::new(combat(), units);
        let effects = ["GE_Ring", "GE_Poison"].map(|name| world.effect(name));
        for at in 0..units {
            for effect in effects {
                world.apply(effect, world.units[at]);
            }
            world.drain();
        }
        let changed = world.units.iter().copied().step_by(every).collect();
        let hit = world.effect("GE_Hit");
        let mut new = Self { world, hit, changed, last: 0 };
        new.check();
        new
    }

    /// Number of units that change between two hashes.
    pub(crate) fn changed(&self) -> usize {
        self.changed.len()
    }

    pub(crate) fn change(&mut self) {
        for at in 0..self.changed.len() {
            self.world.apply(self.hit, self.changed[at]);
        }
        self.world.drain();
    }

    /// The hash, which differs from the previous one.
    pub(crate) fn hash(&mut self) {
        let hash = self.world.sim.state_hash();
        assert_ne!(hash, self.last);
        self.last = hash;
    }

    /// Checks that the hash equals that of a simulation that was restored from bytes, which hashes everything.
    fn check(&mut self) {
        self.change();
        self.hash();
        self.change();
        self.hash();
        let catalog = self.world.sim.catalog();
        let bytes = self.world.sim.snapshot().to_bytes();
        let read = Snapshot::from_bytes(&bytes, catalog).expect("the bytes are a snapshot of this catalog");
        let mut other = Simulation::new(catalog.clone(), self.world.sim.config().clone());
        other.restore(&read).expect("it is of this catalog");
        assert_eq!(other.state_hash(), self.last);
    }
}
