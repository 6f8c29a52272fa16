//! Panics of native code: hooks, calculations, requirements, tasks, filters and the host's closures.
//!
//! The operation ends at the panic, like one at the cascade limit (E12): the rest of its cascade is dropped, and
//! the activations that ran or waited for it are ended. Nothing of it is left in the working memory.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::Simulation;
use super::cascade::Consequence;
use crate::ability::{BranchStatus, EndReason};
use crate::handle::{ActivationId, ControllerId};

/// Cleans up when dropped: only if the guarded call panics.
struct Guard<'a, F: Fn(&mut Simulation)> {
    sim: &'a mut Simulation,
    clean_up: F,
}

impl<F: Fn(&mut Simulation)> Drop for Guard<'_, F> {
    #[cold]
    fn drop(&mut self) {
        (self.clean_up)(self.sim);
    }
}

impl Simulation {
    /// Calls `act`. If it panics, `clean_up` runs before the panic continues.
    #[inline(always)]
    pub(super) fn guarded<R>(&mut self, act: impl FnOnce(&mut Self) -> R, clean_up: impl Fn(&mut Self)) -> R {
        let guard = Guard { sim: self, clean_up };
        let result = act(guard.sim);
        core::mem::forget(guard);
        result
    }

    /// Ends an operation that panicked: undoes an execution that was not complete, ends the activations that were
    /// interrupted, and drops the rest of the cascade. A batch goes on; its consequences stay queued.
    #[cold]
    pub(super) fn abandon(&mut self) {
        self.undo_writes();
        self.refresh_postponed();
        self.scratch.end_step();
        self.list_marked();
        let in_batch = self.scratch.current.batch_depth > 0;
        self.end_interrupted(in_batch);
        if in_batch {
            return;
        }
        let finish = AssertUnwindSafe(|| {
            self.scratch.cascade.reset_budget();
            self.flush();
            self.scratch.cascade.exhaust(self.config.cascade_limit);
            self.run_consequences();
            self.scratch.end_step();
        });
        // Native code may panic again while values are recalculated; the next operation finishes them.
        if catch_unwind(finish).is_err() {
            self.scratch.reset();
            self.list_pending();
        }
    }

    /// Lists the controllers whose recalculation was interrupted.
    fn list_marked(&mut self) {
        let is_left_out = |controller: &crate::controller::Controller| {
            controller.pending.dirty.has_any() && !controller.pending.listed
        };
        let controllers = self.state.controllers.iter();
        let left_out = controllers.filter(|(_, controller)| is_left_out(controller)).map(|(id, _)| id);
        for id in left_out.collect::<Vec<ControllerId>>() {
            if let Some(controller) = self.state.controllers.get_mut(id) {
                controller.pending.listed = true;
                self.scratch.pending.dirty.push_back(id);
            }
        }
    }

    /// Queues the end of the activations whose start, step or end was interrupted. Inside a batch, programs wait
    /// for its end.
    fn end_interrupted(&mut self, in_batch: bool) {
        let is_busy = |status: BranchStatus| matches!(status, BranchStatus::Running | BranchStatus::Yielding);
        let mut interrupted: Vec<(u64, ActivationId)> = Vec::new();
        for (id, run) in self.state.activations.iter() {
            let is_running = !in_batch && run.branches.iter().any(|branch| is_busy(branch.status));
            if run.ending || run.branches.is_empty() || is_running {
                interrupted.push((run.sequence, id));
            }
        }
        interrupted.sort_unstable();
        for (_, activation) in interrupted {
            if let Some(run) = self.state.activations.get_mut(activation) {
                run.ending = false;
            }
            self.enqueue(Consequence::Cancel { activation, reason: EndReason::TaskFailed });
        }
    }
}
