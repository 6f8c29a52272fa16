//! Running programs (A5): branches go from step to step until something holds them.
//!
//! A branch that did something to the world yields: values are brought up to date, and its next step stands in the queue
//! behind all that the action led to by itself. What those consequences lead to in turn comes after it. Everything a
//! program remembers is in its [`Activation`](crate::ability::Activation): nothing is on the stack between calls.

use std::sync::Arc;

use smallvec::SmallVec;

use super::Simulation;
use super::cascade::Consequence;
use super::waits::{Begun, TaskEnd};
use crate::ability::{EndReason, Round, Thread, ThreadStatus};
use crate::event::EventKind;
use crate::handle::{ActivationId, TaskId};
use crate::refusal::RefusalReason;
use crate::task::{Number, Routine, Task};
use crate::time::Span;

/// What becomes of a branch after a step.
pub(super) enum Flow {
    /// The step is done.
    Next,
    /// It goes on inside the step.
    Into(u32),
    /// It goes on after all that the step led to.
    Yield,
    /// Something holds it.
    Hold,
    /// The run is over.
    Over,
}

impl Simulation {
    /// Brings values up to date, so that what follows from them, the owner's death above all, comes before the next step.
    /// Inside a batch that waits for its end.
    fn bring_up_to_date(&mut self, id: ActivationId) {
        if self.scratch.batch_depth == 0 {
            self.begin_queued();
            self.flush();
            self.blame_activation(id);
        }
    }

    /// Begins a program; one without tasks is done.
    pub(super) fn start_routine(&mut self, id: ActivationId) {
        let Some(activation) = self.state.activations.get_mut(id) else { return };
        let first = self.catalog.ability_by_id(activation.ability).and_then(|ability| ability.routine.first);
        match first {
            Some(step) => {
                // What the commit led to comes first, and one ability that activates another takes no more stack.
                activation.next_thread = 1;
                activation
                    .threads
                    .push(Thread { status: ThreadStatus::Yielding, ..Thread::new(0, None, step) });
                self.bring_up_to_date(id);
                self.enqueue(Consequence::Resume { activation: id, thread: 0 });
            }
            None => self.end_activation(id, EndReason::Completed),
        }
    }

    /// Lets every branch that can go on do so, the oldest first, until one does something to the world: the others wait
    /// with it for what that leads to.
    pub(super) fn drive(&mut self, id: ActivationId) {
        while let Some(activation) = self.state.activations.get(id) {
            if activation.ending {
                return;
            }
            let runnable = |thread: &&Thread| thread.status == ThreadStatus::Running;
            let Some(thread) = activation.threads.iter().find(runnable).map(|thread| thread.id) else {
                return;
            };
            // E12: a program that goes on without end is stopped.
            if !self.take_step() {
                self.report_cascade(None, 1);
                self.end_activation(id, EndReason::OutOfBudget);
                return;
            }
            if !self.step_thread(id, thread) {
                return;
            }
        }
    }

    /// Takes up a branch that yielded.
    pub(super) fn resume(&mut self, id: ActivationId, thread: u32) {
        let Some(activation) = self.state.activations.get_mut(id) else { return };
        if let Some(thread) = activation.thread_mut(thread)
            && thread.status == ThreadStatus::Yielding
        {
            thread.status = ThreadStatus::Running;
        }
        self.drive(id);
        self.settle_reaction(id);
    }

    /// Lets every branch that is neither held nor done go on, as after a snapshot from inside a batch; false if there is
    /// none.
    pub(super) fn resume_all(&mut self) -> bool {
        let mut waiting: SmallVec<[(u64, u32, ActivationId); 4]> = SmallVec::new();
        let mut calmed: SmallVec<[ActivationId; 4]> = SmallVec::new();
        for (id, activation) in self.state.activations.iter() {
            if activation.threads.iter().any(|thread| thread.reacting && !thread.is_busy()) {
                calmed.push(id);
            }
            let busy = activation.threads.iter().filter(|thread| thread.is_busy());
            waiting.extend(busy.map(|thread| (activation.sequence, thread.id, id)));
        }
        for id in calmed {
            let Some(activation) = self.state.activations.get_mut(id) else { continue };
            for thread in &mut activation.threads {
                thread.reacting &= thread.is_busy();
            }
        }
        waiting.sort_unstable();
        for &(_, thread, activation) in &waiting {
            self.enqueue(Consequence::Resume { activation, thread });
        }
        // Waits that are over, and whose branches have not been taken up yet.
        let tasks = self.state.tasks.iter().filter(|(_, task)| !task.queue.is_empty());
        let mut over: SmallVec<[(u64, TaskId); 4]> = tasks.map(|(id, task)| (task.sequence, id)).collect();
        over.retain(|&mut (_, task)| self.holds_branch(task));
        over.sort_unstable();
        for &(_, task) in &over {
            self.enqueue(Consequence::Complete { task });
        }
        !waiting.is_empty() || !over.is_empty()
    }

    /// Runs one step of a branch; false if what it led to comes first.
    fn step_thread(&mut self, id: ActivationId, thread: u32) -> bool {
        let catalog = Arc::clone(&self.catalog);
        let Some(activation) = self.state.activations.get(id) else { return false };
        let Some(at) = activation.thread(thread).map(|thread| thread.step) else { return false };
        let Some(ability) = catalog.ability_by_id(activation.ability) else { return false };
        let Some(step) = ability.routine.step(at) else { return false };
        self.blame_activation(id);
        self.install_context(id, thread);
        match self.run_step(id, thread, at, &step.task) {
            Ok(flow) => self.follow(id, thread, &ability.routine, flow),
            Err(RefusalReason::NotPredicted) => self.leave_step(id, thread, at, &ability.routine),
            Err(reason) => {
                self.fail_task(id, at, reason);
                false
            }
        }
    }

    /// A step whose numbers only the authority has: an action does nothing, and the branch goes on. What decides how it
    /// goes on holds it; the authority will say.
    fn leave_step(&mut self, id: ActivationId, thread: u32, at: u32, routine: &Routine) -> bool {
        match routine.step(at).map(|step| &step.task) {
            Some(Task::Act(_)) => self.follow(id, thread, routine, Flow::Next),
            _ => {
                self.begin_hold(id, thread, at);
                true
            }
        }
    }

    /// A task that cannot be carried out cancels its ability, and says so.
    pub(super) fn fail_task(&mut self, id: ActivationId, step: u32, reason: RefusalReason) {
        let Some(activation) = self.state.activations.get(id) else { return };
        let (controller, ability) = (activation.controller, activation.ability);
        self.emit(EventKind::TaskFailed { controller, ability, step, reason });
        self.end_activation(id, EndReason::TaskFailed);
    }

    fn follow(&mut self, id: ActivationId, thread: u32, routine: &Routine, flow: Flow) -> bool {
        match flow {
            Flow::Next => {
                self.advance_thread(id, thread, routine);
            }
            Flow::Into(step) => {
                if let Some(thread) = self.thread_mut(id, thread) {
                    thread.step = step;
                }
            }
            Flow::Yield => {
                if let Some(thread) = self.advance_thread(id, thread, routine) {
                    self.bring_up_to_date(id);
                    if let Some(known) = self.thread_mut(id, thread)
                        && known.status == ThreadStatus::Running
                    {
                        known.status = ThreadStatus::Yielding;
                    }
                    self.enqueue(Consequence::Resume { activation: id, thread });
                }
                return false;
            }
            Flow::Hold => {}
            Flow::Over => return false,
        }
        true
    }

    fn run_step(
        &mut self,
        id: ActivationId,
        thread: u32,
        at: u32,
        task: &Task,
    ) -> Result<Flow, RefusalReason> {
        Ok(match task {
            Task::Sequence { first } => first.map_or(Flow::Next, Flow::Into),
            Task::If { condition, then, otherwise } => {
                let condition = self.task_number(id, condition)?;
                let branch = if condition == 0.0 { otherwise } else { then };
                branch.map_or(Flow::Next, Flow::Into)
            }
            Task::Repeat { count, interval, first } => {
                self.begin_rounds(id, thread, at, count.as_ref(), interval.as_ref(), *first)?
            }
            Task::Race { branches } | Task::All { branches } => {
                let is_race = matches!(task, Task::Race { .. });
                self.fork(id, thread, branches, is_race)?
            }
            Task::EndAbility => {
                self.end_activation(id, EndReason::Completed);
                Flow::Over
            }
            Task::CancelAbility => {
                self.end_activation(id, EndReason::CancelledByTask);
                Flow::Over
            }
            Task::Act(action) => self.act(id, at, action)?,
            Task::Wait(wait) => match self.begin_wait(id, thread, at, wait)? {
                Begun::Done => Flow::Next,
                Begun::Waiting => Flow::Hold,
            },
        })
    }

    /// Side by side: one branch for each list. A race with an empty list is over at once, all of nothing is done.
    fn fork(
        &mut self,
        id: ActivationId,
        parent: u32,
        branches: &[Option<u32>],
        is_race: bool,
    ) -> Result<Flow, RefusalReason> {
        let firsts: SmallVec<[u32; 4]> = branches.iter().copied().flatten().collect();
        if firsts.is_empty() || (is_race && firsts.len() < branches.len()) {
            return Ok(Flow::Next);
        }
        let limit = self.config.max_branches_per_activation as usize;
        let Some(activation) = self.state.activations.get_mut(id) else { return Ok(Flow::Over) };
        if activation.threads.len() + firsts.len() > limit {
            return Err(RefusalReason::LimitReached(crate::refusal::Limit::Branches));
        }
        for &first in &firsts {
            let branch = activation.next_thread;
            activation.next_thread = activation.next_thread.wrapping_add(1);
            activation.threads.push(Thread::new(branch, Some(parent), first));
        }
        if let Some(thread) = activation.thread_mut(parent) {
            thread.status = ThreadStatus::Joining(firsts.len() as u32);
        }
        Ok(Flow::Hold)
    }

    fn begin_rounds(
        &mut self,
        id: ActivationId,
        thread: u32,
        at: u32,
        count: Option<&Number>,
        interval: Option<&Number>,
        first: Option<u32>,
    ) -> Result<Flow, RefusalReason> {
        let left = match count {
            // Numbers below 1 are no rounds; those beyond the counter are as good as for ever.
            Some(count) => Some(self.task_number(id, count)?.floor().clamp(0.0, f64::from(u32::MAX)) as u32),
            None => None,
        };
        let interval = match interval {
            Some(interval) => Span::seconds(self.task_number(id, interval)?).max(Span::ZERO),
            None => Span::ZERO,
        };
        let (Some(first), true) = (first, left != Some(0)) else { return Ok(Flow::Next) };
        let began = self.state.now;
        if let Some(thread) = self.thread_mut(id, thread) {
            thread.rounds.push(Round { step: at, left, interval, began });
        }
        Ok(Flow::Into(first))
    }

    /// Moves a branch on from a step that is done: to the next of its list, or out of what contains it. Gives back the
    /// branch that has the word now, which is another one if this one is done; `None` if the run is over.
    pub(super) fn advance_thread(&mut self, id: ActivationId, thread: u32, routine: &Routine) -> Option<u32> {
        loop {
            let known = self.thread_mut(id, thread)?;
            let step = routine.step(known.step)?;
            if let Some(next) = step.next {
                known.step = next;
                return Some(thread);
            }
            // A10: what follows a wait that happens again is done, and the branch comes back to the wait.
            let again = known.rounds.last().map(|round| round.step).filter(|&round| {
                let around = routine.step(round);
                around.is_some_and(|around| {
                    matches!(around.task, Task::Wait(_)) && around.parent == step.parent
                })
            });
            if let Some(wait) = again {
                known.step = wait;
                return Some(thread);
            }
            let Some(parent) = step.parent else {
                self.end_activation(id, EndReason::Completed);
                return None;
            };
            match routine.step(parent).map(|step| &step.task) {
                Some(Task::Repeat { first, .. }) => {
                    if self.next_round(id, thread, parent, *first) {
                        return Some(thread);
                    }
                }
                Some(Task::Race { .. }) => return self.finish_branch(id, thread, routine, true),
                Some(Task::All { .. }) => return self.finish_branch(id, thread, routine, false),
                _ => known.step = parent,
            }
        }
    }

    /// Begins the next round of a loop, now or when it is time; false if there is none, and the loop is left.
    fn next_round(&mut self, id: ActivationId, thread: u32, parent: u32, first: Option<u32>) -> bool {
        let now = self.state.now;
        let Some(known) = self.thread_mut(id, thread) else { return true };
        known.step = parent;
        let Some(round) = known.rounds.last_mut().filter(|round| round.step == parent) else { return false };
        if let Some(left) = &mut round.left {
            *left = left.saturating_sub(1);
        }
        if round.left == Some(0) {
            known.rounds.pop();
            self.drop_left_waits(id);
            return false;
        }
        let due = round.began + round.interval;
        if due > now {
            self.begin_pause(id, thread, parent, due);
        } else {
            round.began = now;
            if let Some(first) = first {
                known.step = first;
            }
        }
        true
    }

    /// The pause between two rounds is over.
    pub(super) fn begin_round(&mut self, id: ActivationId, thread: u32, first: Option<u32>) {
        let now = self.state.now;
        if let Some(known) = self.thread_mut(id, thread) {
            if let Some(round) = known.rounds.last_mut() {
                round.began = now;
            }
            known.status = ThreadStatus::Running;
            if let Some(first) = first {
                known.step = first;
            }
        }
    }

    /// The end of a branch: a race is decided by its first, a join waits for its last.
    fn finish_branch(
        &mut self,
        id: ActivationId,
        thread: u32,
        routine: &Routine,
        is_race: bool,
    ) -> Option<u32> {
        let known = self.thread_mut(id, thread)?;
        let (parent, reacting, context) = (known.parent?, known.reacting, known.context.take());
        // What comes after the branches knows what the last of them received.
        let activation = self.state.activations.get_mut(id)?;
        let is_current = activation.context_of == Some(thread);
        if is_current {
            activation.context_of = Some(parent);
        }
        self.cancel_thread(id, thread);
        if is_race {
            self.cancel_branches_of(id, parent);
        }
        let known = self.thread_mut(id, parent)?;
        let left = match known.status {
            ThreadStatus::Joining(left) if !is_race => left.saturating_sub(1),
            _ => 0,
        };
        known.reacting |= reacting;
        if is_current || context.is_some() {
            known.context = context;
        }
        if left > 0 {
            known.status = ThreadStatus::Joining(left);
            return Some(parent);
        }
        known.status = ThreadStatus::Running;
        self.advance_thread(id, parent, routine)
    }

    fn cancel_branches_of(&mut self, id: ActivationId, parent: u32) {
        while let Some(branch) = self.state.activations.get(id).and_then(|activation| {
            activation.threads.iter().find(|thread| thread.parent == Some(parent)).map(|thread| thread.id)
        }) {
            self.cancel_thread(id, branch);
        }
    }

    /// Ends a branch with all that it started and waits for.
    fn cancel_thread(&mut self, id: ActivationId, thread: u32) {
        self.cancel_branches_of(id, thread);
        let Some(activation) = self.state.activations.get_mut(id) else { return };
        let Some(at) = activation.threads.iter().position(|known| known.id == thread) else { return };
        let removed = activation.threads.remove(at);
        if activation.context_of == Some(thread) {
            activation.context_of = None;
        }
        if let ThreadStatus::Waiting(task) = removed.status {
            self.release_wait(id, task);
        }
        self.drop_left_waits(id);
    }

    /// §10.5: when an ability ends, all that it waits for is cancelled.
    pub(super) fn cancel_all_threads(&mut self, id: ActivationId) {
        let Some(activation) = self.state.activations.get_mut(id) else { return };
        let threads = core::mem::take(&mut activation.threads);
        let standing = core::mem::take(&mut activation.standing);
        for thread in threads {
            if let ThreadStatus::Waiting(task) = thread.status {
                self.drop_task(task, TaskEnd::Cancelled);
            }
        }
        for task in standing {
            self.drop_task(task, TaskEnd::Cancelled);
        }
    }

    /// A wait is over: its branch goes on.
    pub(super) fn complete(&mut self, task: TaskId) {
        let Some(running) = self.state.tasks.get(task) else { return };
        let (id, thread) = (running.activation, running.thread);
        self.leave_wait(task);
        let catalog = Arc::clone(&self.catalog);
        let Some(activation) = self.state.activations.get_mut(id) else { return };
        let Some(ability) = catalog.ability_by_id(activation.ability) else { return };
        let Some(known) = activation.thread_mut(thread) else { return };
        known.status = ThreadStatus::Running;
        let step = ability.routine.step(known.step).map(|step| &step.task);
        self.blame_activation(id);
        if let Some(Task::Repeat { first, .. }) = step {
            self.begin_round(id, thread, *first);
        } else {
            self.advance_thread(id, thread, &ability.routine);
        }
        self.drive(id);
        self.settle_reaction(id);
    }

    /// A branch that is held again no longer reacts.
    pub(super) fn settle_reaction(&mut self, id: ActivationId) {
        let Some(activation) = self.state.activations.get_mut(id) else { return };
        for thread in &mut activation.threads {
            thread.reacting &= thread.is_busy();
        }
    }

    pub(super) fn thread_mut(&mut self, id: ActivationId, thread: u32) -> Option<&mut Thread> {
        self.state.activations.get_mut(id)?.thread_mut(thread)
    }
}
