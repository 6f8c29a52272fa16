//! Going back twenty ticks and playing them again, as a predicting client does.

use std::hint::black_box;

use ugas::prelude::*;

use crate::world::{World, combat};

const TICKS: usize = 20;
const PREDICTED: usize = 5;

/// A client that keeps a snapshot of each of the last twenty ticks.
pub(crate) struct Rollback {
    world: World,
    ring: Vec<Snapshot>,
    tick: usize,
}

impl Rollback {
    /// Plays twenty ticks, and checks that playing them again leads to the same state.
    pub(crate) fn new() -> Self {
        let mut world = World::new(combat(), PREDICTED);
        let (poison, ring) = (world.effect("GE_Poison"), world.effect("GE_Ring"));
        for at in 0..PREDICTED {
            for effect in [poison, ring, ring] {
                world.apply(effect, world.units[at]);
            }
        }
        world.drain();
        let ring = vec![world.sim.snapshot(); TICKS];
        let mut client = Self { world, ring, tick: 0 };
        (0..TICKS).for_each(|_| client.tick());
        let hash = client.world.sim.state_hash();
        client.roll_back();
        assert_eq!(client.world.sim.state_hash(), hash, "the same inputs lead to the same state");
        client
    }

    /// A step with inputs, after saving the state.
    fn tick(&mut self) {
        self.world.sim.snapshot_into(&mut self.ring[self.tick % TICKS]);
        let (hit, buff) = (self.world.effect("GE_Hit"), self.world.effect("GE_Buff"));
        for at in 0..PREDICTED {
            self.world.apply(hit, self.world.units[at]);
        }
        self.world.apply(buff, self.world.units[self.tick % PREDICTED]);
        self.world.sim.advance(Span::millis(33));
        self.world.drain();
        self.tick += 1;
    }

    /// Restores the oldest snapshot and plays all ticks since.
    pub(crate) fn roll_back(&mut self) {
        self.tick -= TICKS;
        let oldest = &self.ring[self.tick % TICKS];
        self.world.sim.restore(oldest).expect("it is of this catalog");
        for _ in 0..TICKS {
            self.tick();
        }
        black_box(&self.world.sim);
    }
}
