//! An area: one effect on many targets at once.

use ugas::prelude::*;

use super::damage::{AMOUNT, Formula, HEALTH, catalog};
use crate::world::World;

/// A population of which a part is hit by one effect.
pub(crate) struct Area {
    pub(crate) world: World,
    effect: EffectId,
    spec: EffectSpec,
    /// Targets of the next blast.
    targets: Vec<ControllerId>,
    next: usize,
}

impl Area {
    pub(crate) fn new(units: usize, targets: usize) -> Self {
        let world = World::new(catalog(Formula::Constant), units);
        let (effect, context) = (world.effect("GE_Hit"), EffectContext::of(world.units[0]));
        let spec = world.sim.spec(effect, 1.0, context).expect("the benchmark defines it");
        let mut area = Self { world, effect, spec, targets: Vec::with_capacity(targets.min(units)), next: 0 };
        area.select(targets.min(units));
        area.blast();
        let health = area.world.attribute("Health");
        let is_hit = |unit: &ControllerId| area.world.current(*unit, health) == HEALTH - AMOUNT;
        assert!(area.targets.iter().all(is_hit), "every target is hit once");
        assert_eq!(area.world.units.iter().filter(|unit| is_hit(unit)).count(), area.targets.len());
        area.world.drain();
        area
    }

    /// Number of targets of a blast.
    pub(crate) fn targets(&self) -> usize {
        self.targets.len()
    }

    /// Selects other targets, as a query of the host does.
    pub(crate) fn select(&mut self, count: usize) {
        self.targets.clear();
        for at in 0..count {
            self.targets.push(self.world.units[(self.next + at * 7) % self.world.units.len()]);
        }
        self.next = (self.next + 1) % self.world.units.len();
    }

    /// Applies the effect to all targets.
    pub(crate) fn blast(&mut self) {
        let source = self.world.units[0];
        let applied = self.world.sim.apply_to_all(self.effect, Some(source), &self.targets);
        assert_eq!(applied, Ok(self.targets.len()));
    }

    /// Applies one spec to all targets, which may have magnitudes, a level and context of its own.
    pub(crate) fn blast_spec(&mut self) {
        for &target in &self.targets {
            let applied = self.world.sim.apply(&self.spec, target);
            assert_eq!(applied, Ok(Application::Executed));
        }
    }
}
