//! A timing wheel of one turn: lists of what is due in each slot.

/// Timers, each a number, in slots of one step of time.
pub(crate) struct Wheel {
    slots: Vec<Vec<u32>>,
    now: usize,
}

impl Wheel {
    pub(crate) fn new(slots: usize) -> Self {
        Self { slots: vec![Vec::new(); slots.next_power_of_two()], now: 0 }
    }

    pub(crate) fn schedule(&mut self, steps: usize, timer: u32) {
        let slot = (self.now + steps) & (self.slots.len() - 1);
        self.slots[slot].push(timer);
    }

    /// One step of time: what is due, in a vector that is used again.
    pub(crate) fn step(&mut self, due: &mut Vec<u32>) {
        self.now += 1;
        let slot = self.now & (self.slots.len() - 1);
        due.clear();
        core::mem::swap(due, &mut self.slots[slot]);
    }
}
