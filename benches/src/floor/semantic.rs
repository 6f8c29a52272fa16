//! Semantic floors: hand-written for one case, but with the events that the rules ask for, in the same order
//! and with the same values and causes.

use super::Wheel;
use super::events::{Cause, Kind, Log, NONE};

/// Numbers in the events of the floors.
pub(crate) const HEALTH: u32 = 0;
pub(crate) const POWER: u32 = 1;
pub(crate) const EFFECT: u32 = 0;

/// Amount of one hit, computed by hand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Amount {
    /// A constant of the code.
    Constant,
    /// From the power of the source and the armor of the target.
    Computed,
    /// Added to a meta attribute, from which it is drained.
    Drained,
    /// A number of the caller.
    Given,
}

/// Instant damage with its two events.
pub(crate) struct Hits {
    health: Vec<f64>,
    max_health: Vec<f64>,
    power: Vec<f64>,
    armor: Vec<f64>,
    damage: Vec<f64>,
    dirty: Vec<u64>,
    pub(crate) log: Log,
}

impl Hits {
    pub(crate) fn new(units: usize, health: f64, power: f64, armor: f64) -> Self {
        Self {
            health: vec![health; units],
            max_health: vec![2.0 * health; units],
            power: vec![power; units],
            armor: vec![armor; units],
            damage: vec![0.0; units],
            dirty: vec![0; units.div_ceil(64)],
            log: Log::new(),
        }
    }

    /// One hit of `given`, which is the damage unless the amount is computed, as an operation of its own.
    #[inline(never)]
    pub(crate) fn hit(&mut self, amount: Amount, given: f64, source: u32, target: u32) {
        self.begin(source);
        self.write(amount, given, source, target);
    }

    /// One hit of a constant on each of several units, as one operation.
    #[inline(never)]
    pub(crate) fn hit_all(&mut self, given: f64, source: u32, targets: &[u32]) {
        self.begin(source);
        for &target in targets {
            self.write(Amount::Constant, given, source, target);
        }
    }

    #[inline(always)]
    fn begin(&mut self, source: u32) {
        let operation = self.log.cause.operation + 1;
        self.log.cause = Cause { operation, effect: EFFECT, active: 0, source, ability: NONE };
    }

    #[inline(always)]
    fn write(&mut self, amount: Amount, given: f64, source: u32, target: u32) {
        let at = target as usize;
        let change = match amount {
            Amount::Constant | Amount::Given => -given,
            Amount::Computed => self.armor[at] - self.power[source as usize] * 1.5,
            Amount::Drained => {
                self.damage[at] += given;
                -std::mem::take(&mut self.damage[at])
            }
        };
        self.log.push(Kind::Executed { effect: EFFECT, active: 0, target });
        let old = self.health[at];
        let new = (old + change).clamp(0.0, self.max_health[at]);
        if new != old {
            self.health[at] = new;
            self.dirty[at / 64] |= 1 << (at % 64);
            let changed =
                Kind::Changed { unit: target, attribute: HEALTH, old_base: old, new_base: new, old, new };
            self.log.push(changed);
        }
    }

    pub(crate) fn health(&self, unit: u32) -> f64 {
        self.health[unit as usize]
    }

    pub(crate) fn drain(&mut self) -> usize {
        self.dirty.fill(0);
        self.log.drain()
    }
}

#[derive(Clone, Copy)]
struct Active {
    target: u32,
    source: u32,
    generation: u32,
}

/// A lasting effect with one modifier and a tag of three levels, with its ten events.
pub(crate) struct TaggedBuffs {
    base: Vec<f64>,
    power: Vec<f64>,
    /// Number of effects that grant the tag, per unit.
    counts: Vec<u16>,
    actives: Vec<Active>,
    free: Vec<u32>,
    wheel: Wheel,
    due: Vec<u32>,
    magnitude: f64,
    pub(crate) log: Log,
}

/// Levels of the tag, deepest first, as numbers in events.
pub(crate) const LEVELS: [u32; 3] = [0, 1, 2];

impl TaggedBuffs {
    pub(crate) fn new(units: usize, power: f64, magnitude: f64) -> Self {
        Self {
            base: vec![power; units],
            power: vec![power; units],
            counts: vec![0; units],
            actives: Vec::new(),
            free: Vec::new(),
            wheel: Wheel::new(256),
            due: Vec::new(),
            magnitude,
            log: Log::new(),
        }
    }

    #[inline(never)]
    pub(crate) fn apply(&mut self, source: u32, target: u32, steps: usize) {
        let slot = match self.free.pop() {
            Some(slot) => {
                let active = &mut self.actives[slot as usize];
                *active = Active { target, source, generation: active.generation + 1 };
                slot
            }
            None => {
                self.actives.push(Active { target, source, generation: 1 });
                self.actives.len() as u32 - 1
            }
        };
        self.wheel.schedule(steps, slot);
        let active = self.begin(slot);
        self.log.push(Kind::Applied { effect: EFFECT, active, target });
        let count = &mut self.counts[target as usize];
        *count += 1;
        if *count == 1 {
            LEVELS.into_iter().for_each(|tag| self.log.push(Kind::TagAdded { unit: target, tag }));
        }
        // Values change because of the application, not of what became active.
        self.log.cause.active = 0;
        self.change(target, self.magnitude);
    }

    /// Begins an operation of an active effect; returns its handle.
    fn begin(&mut self, slot: u32) -> u64 {
        let Active { source, generation, .. } = self.actives[slot as usize];
        let active = u64::from(generation) << 32 | u64::from(slot);
        let operation = self.log.cause.operation + 1;
        self.log.cause = Cause { operation, effect: EFFECT, active, source, ability: NONE };
        active
    }

    /// One step of time, in microseconds.
    #[inline(never)]
    pub(crate) fn step(&mut self, micros: u64) {
        self.log.now += micros;
        let mut due = core::mem::take(&mut self.due);
        self.wheel.step(&mut due);
        for &slot in &due {
            let active = self.begin(slot);
            let target = self.actives[slot as usize].target;
            self.free.push(slot);
            self.log.push(Kind::Removed { effect: EFFECT, active, target, expired: true });
            let count = &mut self.counts[target as usize];
            *count -= 1;
            if *count == 0 {
                LEVELS.into_iter().for_each(|tag| self.log.push(Kind::TagRemoved { unit: target, tag }));
            }
            self.change(target, -self.magnitude);
        }
        self.due = due;
    }

    fn change(&mut self, unit: u32, by: f64) {
        let (base, old) = (self.base[unit as usize], self.power[unit as usize]);
        let new = old + by;
        self.power[unit as usize] = new;
        self.log.push(Kind::Changed { unit, attribute: POWER, old_base: base, new_base: base, old, new });
    }

    pub(crate) fn power(&self, unit: u32) -> f64 {
        self.power[unit as usize]
    }

    pub(crate) fn is_tagged(&self, unit: u32) -> bool {
        self.counts[unit as usize] > 0
    }
}
