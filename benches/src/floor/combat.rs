//! Health as a struct of arrays, and effects in slots with a wheel and bits.

use super::Wheel;

/// A change event.
#[derive(Clone, Copy)]
#[expect(dead_code, reason = "an event is written for readers outside")]
pub(crate) struct Changed {
    time: u64,
    controller: u32,
    attribute: u32,
    old: f64,
    new: f64,
}

/// Health with bounds, dirty bits and events.
pub(crate) struct Combat {
    health: Vec<f64>,
    max_health: Vec<f64>,
    dirty: Vec<u64>,
    events: Vec<Changed>,
    now: u64,
}

impl Combat {
    pub(crate) fn new(controllers: usize, health: f64) -> Self {
        Self {
            health: vec![health; controllers],
            max_health: vec![2.0 * health; controllers],
            dirty: vec![0; controllers.div_ceil(64)],
            events: Vec::with_capacity(1 << 12),
            now: 0,
        }
    }

    #[inline(never)]
    pub(crate) fn hit(&mut self, controller: u32, amount: f64) {
        let at = controller as usize;
        let old = self.health[at];
        let new = (old + amount).clamp(0.0, self.max_health[at]);
        if new != old {
            self.health[at] = new;
            self.dirty[at / 64] |= 1 << (at % 64);
            self.events.push(Changed { time: self.now, controller, attribute: 0, old, new });
        }
    }

    pub(crate) fn health(&self, controller: u32) -> f64 {
        self.health[controller as usize]
    }

    pub(crate) fn drain(&mut self) -> usize {
        let count = self.events.len();
        self.events.clear();
        self.dirty.fill(0);
        count
    }
}

#[derive(Clone, Copy)]
struct Buff {
    controller: u32,
    magnitude: f64,
}

/// Lasting effects with a modifier and a tag.
pub(crate) struct Buffs {
    power: Vec<f64>,
    tags: Vec<u64>,
    counts: Vec<u16>,
    slots: Vec<Buff>,
    free: Vec<u32>,
    wheel: Wheel,
    due: Vec<u32>,
    events: Vec<Changed>,
    now: u64,
}

impl Buffs {
    pub(crate) fn new(controllers: usize, power: f64) -> Self {
        Self {
            power: vec![power; controllers],
            tags: vec![0; controllers],
            counts: vec![0; controllers],
            slots: Vec::new(),
            free: Vec::new(),
            wheel: Wheel::new(256),
            due: Vec::new(),
            events: Vec::with_capacity(1 << 12),
            now: 0,
        }
    }

    #[inline(never)]
    pub(crate) fn apply(&mut self, controller: u32, magnitude: f64, steps: usize) {
        let buff = Buff { controller, magnitude };
        let slot = match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = buff;
                slot
            }
            None => {
                self.slots.push(buff);
                self.slots.len() as u32 - 1
            }
        };
        self.wheel.schedule(steps, slot);
        self.change(controller, magnitude);
        let at = controller as usize;
        self.counts[at] += 1;
        self.tags[at] |= 1 << 5;
    }

    #[inline(never)]
    pub(crate) fn step(&mut self) {
        self.now += 1;
        let mut due = core::mem::take(&mut self.due);
        self.wheel.step(&mut due);
        for &slot in &due {
            let Buff { controller, magnitude } = self.slots[slot as usize];
            self.change(controller, -magnitude);
            let at = controller as usize;
            self.counts[at] -= 1;
            if self.counts[at] == 0 {
                self.tags[at] &= !(1 << 5);
            }
            self.free.push(slot);
        }
        self.due = due;
    }

    fn change(&mut self, controller: u32, by: f64) {
        let old = self.power[controller as usize];
        let new = old + by;
        self.power[controller as usize] = new;
        self.events.push(Changed { time: self.now, controller, attribute: 1, old, new });
    }

    pub(crate) fn power(&self, controller: u32) -> f64 {
        self.power[controller as usize]
    }

    pub(crate) fn is_tagged(&self, controller: u32) -> bool {
        self.tags[controller as usize] & (1 << 5) != 0
    }

    pub(crate) fn drain(&mut self) {
        self.events.clear();
    }
}
