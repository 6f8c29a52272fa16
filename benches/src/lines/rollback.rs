//! Going back twenty ticks and playing them again, as a predicting client does.

use std::hint::black_box;

use ugas::prelude::*;

use crate::line::{Goal, Line};
use crate::measure::{Effort, alone, subject};
use crate::world::{World, combat};

const TICKS: usize = 20;
const PREDICTED: usize = 5;

/// Goal: a frame has 16 ms for everything, so a correction must take only a small part.
pub(crate) fn measure(effort: Effort) -> Vec<Line> {
    let mut client = Client::new();
    for _ in 0..TICKS {
        client.tick();
    }
    let hash = client.world.sim.state_hash();
    client.roll_back();
    assert_eq!(client.world.sim.state_hash(), hash, "the same inputs lead to the same state");
    let ours = alone(effort, subject(move || client.roll_back()));
    vec![
        Line::new("rollback", ours, Goal::AtMost(100_000.0))
            .must_not_allocate()
            .note("restore, then 20 × (5 hits, 1 buff, 33 ms, snapshot) of 5 controllers"),
    ]
}

struct Client {
    world: World,
    ring: Vec<Snapshot>,
    tick: usize,
}

impl Client {
    fn new() -> Self {
        let mut world = World::new(combat(), PREDICTED);
        let (poison, ring) = (world.effect("GE_Poison"), world.effect("GE_Ring"));
        for at in 0..PREDICTED {
            for effect in [poison, ring, ring] {
                world.apply(effect, world.units[at]);
            }
        }
        world.drain();
        let ring = vec![world.sim.snapshot(); TICKS];
        Self { world, ring, tick: 0 }
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

    fn roll_back(&mut self) {
        self.tick -= TICKS;
        let oldest = &self.ring[self.tick % TICKS];
        self.world.sim.restore(oldest).expect("it is of this catalog");
        for _ in 0..TICKS {
            self.tick();
        }
        black_box(&self.world.sim);
    }
}
