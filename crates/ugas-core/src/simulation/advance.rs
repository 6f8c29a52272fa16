//! Time (V3, V4): timers fire at their own instant, in a defined order, inside any step.

use super::Simulation;
use super::execute::ValueEvents;
use super::state::{Timer, TimerKind};
use crate::handle::ActiveEffectId;
use crate::time::{Span, Time};

impl Simulation {
    /// Advances time by `span`. One long step and many short ones give the same state, the same events in the
    /// same order and the same hash (V4). A span that is not positive does nothing. Inside a
    /// [batch](Self::batch) the batch is settled first.
    pub fn advance(&mut self, span: Span) {
        self.advance_to(self.state.now + span.max(Span::ZERO));
    }

    /// Advances time to `time`: fires every timer that is due on the way, each as an operation at its own
    /// instant. Does nothing if `time` is not later than now.
    pub fn advance_to(&mut self, time: Time) {
        if time <= self.state.now {
            return;
        }
        let batch_depth = core::mem::take(&mut self.scratch.current.batch_depth);
        self.guarded(|sim| sim.fire_timers(time), |sim| sim.scratch.current.batch_depth = batch_depth);
        self.set_clock(time);
        self.scratch.current.batch_depth = batch_depth;
    }

    /// Settles, and fires every timer up to `time`.
    fn fire_timers(&mut self, time: Time) {
        self.settle();
        let (mut instant, mut first_new) = (None, 0);
        while let Some((at, timer)) = self.state.timers.pop_due(time) {
            if instant.replace(at) != Some(at) {
                first_new = self.state.sequence;
            }
            self.set_clock(at);
            // E12: an end at the instant of its own beginning continues the cascade that it began in.
            let is_new = timer.sequence >= first_new;
            match timer.kind {
                TimerKind::Expiry(_) | TimerKind::Lifetime(_) if is_new => {
                    self.continue_cascade(|sim| sim.fire(timer, at));
                }
                _ => self.operate(|sim| sim.fire(timer, at)),
            }
        }
    }

    /// Instant of the next timer, if there is one: without a call, nothing happens before it.
    pub fn next_timer(&self) -> Option<Time> {
        self.state.timers.next_time()
    }

    /// Sets the clock. The event queue stores the origin of consecutive events once, and events of different
    /// instants must not share it.
    fn set_clock(&mut self, time: Time) {
        self.state.now = time;
        self.scratch.current.interrupt();
    }

    /// Carries out a timer that is due, with the clock already at `at`. Runs inside an operation.
    fn fire(&mut self, timer: Timer, at: Time) {
        match timer.kind {
            TimerKind::Tick(effect) => self.fire_tick(effect, at),
            TimerKind::Expiry(effect) => self.expire(effect),
            TimerKind::Task(task) => self.fire_task(task),
            TimerKind::Recharge(ability) => self.recharge(ability),
            TimerKind::Lifetime(controller) => self.end_lifetime(controller),
        }
    }

    /// Fires the tick of a periodic effect: schedules the next tick, then executes this one. E3: ticks are
    /// counted from the application, so a late update never shifts them.
    fn fire_tick(&mut self, id: ActiveEffectId, at: Time) {
        self.set_cause_to_effect(id);
        let Some(active) = self.state.effects.get_mut(id) else { return };
        active.timers.tick = None;
        active.clock.count_from(at);
        if let Some(next) = active.next_tick() {
            let timer = Timer { sequence: active.sequence, kind: TimerKind::Tick(id) };
            active.timers.tick = Some(self.state.timers.schedule(next, timer));
        }
        let _ = self.execute_tick(id, ValueEvents::AtOnce);
    }
}
