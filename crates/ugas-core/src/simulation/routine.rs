//! Execution of programs (A5): branches run step by step until a wait holds them.
//!
//! A branch that acted on the world yields: values are updated, and its next step is queued behind the direct
//! consequences of the action, but before the consequences of those. The whole state of a program is in its
//! [`Activation`](crate::ability::Activation): nothing is on the stack between calls.

use std::sync::Arc;

use smallvec::SmallVec;

use super::Simulation;
use super::cascade::Consequence;
use super::waits::{Begun, TaskEnd};
use crate::ability::{Branch, BranchStatus, EndReason, Round};
use crate::catalog::Catalog;
use crate::event::EventKind;
use crate::handle::{ActivationId, TaskId};
use crate::refusal::RefusalReason;
use crate::task::{Number, Routine, Task};
use crate::time::Span;

/// Control flow of a branch after a step.
pub(super) enum Flow {
    /// The step is done.
    Next,
    /// The branch continues inside the step.
    Into(u32),
    /// The branch continues after the consequences of the step.
    Yield,
    /// A wait holds the branch.
    Hold,
    /// The activation is over.
    Over,
}

impl Simulation {
    /// Begins queued effects and updates values, so that their consequences, above all the owner's death,
    /// come before the next step; the cause is the activation again afterwards. Inside a batch this waits for
    /// its end.
    fn bring_up_to_date(&mut self, id: ActivationId) {
        if self.scratch.current.batch_depth == 0 {
            self.begin_queued();
            self.flush();
            self.set_cause_to_activation(id);
        }
    }

    /// Starts a program: its first step is queued behind the consequences of the commit. A program without
    /// tasks ends the activation at once.
    pub(super) fn start_routine(&mut self, id: ActivationId) {
        let Some(activation) = self.state.activations.get_mut(id) else { return };
        let first = self.catalog.ability_by_id(activation.ability).and_then(|ability| ability.routine.first);
        match first {
            Some(step) => {
                // Consequences of the commit come first, and abilities that activate each other need no more
                // stack.
                activation.next_branch = 1;
                activation
                    .branches
                    .push(Branch { status: BranchStatus::Yielding, ..Branch::new(0, None, step) });
                self.bring_up_to_date(id);
                self.enqueue(Consequence::Resume { activation: id, branch: 0 });
            }
            None => self.end_activation(id, EndReason::Completed),
        }
    }

    /// Runs every branch that can continue, oldest first, until one acts on the world: the others then wait
    /// with it for the consequences.
    fn drive(&mut self, catalog: &Catalog, id: ActivationId) {
        while let Some(activation) = self.state.activations.get(id) {
            if activation.ending {
                return;
            }
            let runnable = |branch: &&Branch| branch.status == BranchStatus::Running;
            let Some(branch) = activation.branches.iter().find(runnable).map(|branch| branch.id) else {
                return;
            };
            // E12: stops a program that exceeds the cascade limit.
            if !self.take_step() {
                self.report_cascade(None, 1);
                self.end_activation(id, EndReason::OutOfBudget);
                return;
            }
            if !self.step_branch(catalog, id, branch) {
                return;
            }
        }
    }

    /// Continues a branch that yielded, with all others of its activation that can continue.
    pub(super) fn resume(&mut self, id: ActivationId, branch: u32) {
        let Some(activation) = self.state.activations.get_mut(id) else { return };
        if let Some(branch) = activation.branch_mut(branch)
            && branch.status == BranchStatus::Yielding
        {
            branch.status = BranchStatus::Running;
        }
        let catalog = Arc::clone(&self.catalog);
        self.drive(&catalog, id);
        self.settle_reaction(id);
    }

    /// Queues the continuation of every branch that is neither held nor done, and of every ended wait, as
    /// after a snapshot from inside a batch. Clears the reaction marks of held branches. False if nothing was
    /// queued.
    pub(super) fn resume_all(&mut self) -> bool {
        let mut waiting: SmallVec<[(u64, u32, ActivationId); 4]> = SmallVec::new();
        let mut calmed: SmallVec<[ActivationId; 4]> = SmallVec::new();
        for (id, activation) in self.state.activations.iter() {
            if activation.branches.iter().any(|branch| branch.reacting && !branch.is_busy()) {
                calmed.push(id);
            }
            let busy = activation.branches.iter().filter(|branch| branch.is_busy());
            waiting.extend(busy.map(|branch| (activation.sequence, branch.id, id)));
        }
        for id in calmed {
            let Some(activation) = self.state.activations.get_mut(id) else { continue };
            for branch in &mut activation.branches {
                branch.reacting &= branch.is_busy();
            }
        }
        waiting.sort_unstable();
        for &(_, branch, activation) in &waiting {
            self.enqueue(Consequence::Resume { activation, branch });
        }
        // Waits that have ended and whose branches have not continued yet.
        let tasks = self.state.tasks.iter().filter(|(_, task)| !task.queue.is_empty());
        let mut over: SmallVec<[(u64, TaskId); 4]> = tasks.map(|(id, task)| (task.sequence, id)).collect();
        over.retain(|&mut (_, task)| self.holds_branch(task));
        over.sort_unstable();
        for &(_, task) in &over {
            self.enqueue(Consequence::Complete { task });
        }
        !waiting.is_empty() || !over.is_empty()
    }

    /// Runs one step of a branch. False if the activation cannot go on now: it is over, or the consequences
    /// of the step come first.
    fn step_branch(&mut self, catalog: &Catalog, id: ActivationId, branch: u32) -> bool {
        let Some(activation) = self.state.activations.get(id) else { return false };
        let Some(at) = activation.branch(branch).map(|branch| branch.step) else { return false };
        let Some(ability) = catalog.ability_by_id(activation.ability) else { return false };
        let Some(step) = ability.routine.step(at) else { return false };
        self.set_cause_to_activation(id);
        self.install_context(id, branch);
        match self.run_step(id, branch, at, &step.task) {
            Ok(flow) => self.follow(id, branch, &ability.routine, flow),
            Err(RefusalReason::NotPredicted) => self.skip_step(id, branch, at, &ability.routine),
            Err(reason) => {
                self.fail_task(id, at, reason);
                false
            }
        }
    }

    /// Skips a step whose numbers only the authority has: an action does nothing and the branch continues; a
    /// step that decides the control flow holds the branch until the authority's state arrives. Returns as
    /// `follow` does.
    fn skip_step(&mut self, id: ActivationId, branch: u32, at: u32, routine: &Routine) -> bool {
        match routine.step(at).map(|step| &step.task) {
            Some(Task::Act(_)) => self.follow(id, branch, routine, Flow::Next),
            _ => {
                self.begin_hold(id, branch, at);
                true
            }
        }
    }

    /// Emits `TaskFailed` for a step that cannot be carried out, and ends the activation.
    pub(super) fn fail_task(&mut self, id: ActivationId, step: u32, reason: RefusalReason) {
        let Some(activation) = self.state.activations.get(id) else { return };
        let (controller, ability) = (activation.controller, activation.ability);
        self.emit(EventKind::TaskFailed { controller, ability, step, reason });
        self.end_activation(id, EndReason::TaskFailed);
    }

    /// Moves a branch by the outcome of its step. False if other branches must wait too: for the consequences
    /// of an action, or because the activation is over.
    fn follow(&mut self, id: ActivationId, branch: u32, routine: &Routine, flow: Flow) -> bool {
        match flow {
            Flow::Next => {
                self.advance_branch(id, branch, routine);
            }
            Flow::Into(step) => {
                if let Some(branch) = self.branch_mut(id, branch) {
                    branch.step = step;
                }
            }
            Flow::Yield => {
                if let Some(branch) = self.advance_branch(id, branch, routine) {
                    self.bring_up_to_date(id);
                    if let Some(known) = self.branch_mut(id, branch)
                        && known.status == BranchStatus::Running
                    {
                        known.status = BranchStatus::Yielding;
                    }
                    self.enqueue(Consequence::Resume { activation: id, branch });
                }
                return false;
            }
            Flow::Hold => {}
            Flow::Over => return false,
        }
        true
    }

    /// Carries out one task of a branch and returns how the branch goes on; the branch is not moved yet. An
    /// error fails the activation, except `NotPredicted`, which skips the step.
    fn run_step(
        &mut self,
        id: ActivationId,
        branch: u32,
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
                self.begin_rounds(id, branch, at, count.as_ref(), interval.as_ref(), *first)?
            }
            Task::Race { branches } | Task::All { branches } => {
                let is_race = matches!(task, Task::Race { .. });
                self.fork(id, branch, branches, is_race)?
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
            Task::Wait(wait) => match self.begin_wait(id, branch, at, wait)? {
                Begun::Done => Flow::Next,
                Begun::Waiting => Flow::Hold,
            },
        })
    }

    /// Starts one branch for each list, in parallel, and makes the parent wait for them. A race with an empty
    /// list is over at once; a join without lists is done. Refused beyond the limit of branches.
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
        if activation.branches.len() + firsts.len() > limit {
            return Err(RefusalReason::LimitReached(crate::refusal::Limit::Branches));
        }
        for &first in &firsts {
            let branch = activation.next_branch;
            activation.next_branch = activation.next_branch.wrapping_add(1);
            activation.branches.push(Branch::new(branch, Some(parent), first));
        }
        if let Some(branch) = activation.branch_mut(parent) {
            branch.status = BranchStatus::Joining(firsts.len() as u32);
        }
        Ok(Flow::Hold)
    }

    /// Begins a loop: evaluates its count and interval once and enters the first round. A loop without tasks
    /// or rounds is done; without a count it is endless.
    fn begin_rounds(
        &mut self,
        id: ActivationId,
        branch: u32,
        at: u32,
        count: Option<&Number>,
        interval: Option<&Number>,
        first: Option<u32>,
    ) -> Result<Flow, RefusalReason> {
        let left = match count {
            // Counts below 1 are no rounds; counts beyond `u32` are effectively endless.
            Some(count) => Some(self.task_number(id, count)?.floor().clamp(0.0, f64::from(u32::MAX)) as u32),
            None => None,
        };
        let interval = match interval {
            Some(interval) => Span::seconds(self.task_number(id, interval)?).max(Span::ZERO),
            None => Span::ZERO,
        };
        let (Some(first), true) = (first, left != Some(0)) else { return Ok(Flow::Next) };
        let began = self.state.now;
        if let Some(branch) = self.branch_mut(id, branch) {
            branch.rounds.push(Round { step: at, left, interval, began });
        }
        Ok(Flow::Into(first))
    }

    /// Moves a branch on from a finished step: to the next of its list, back to a repeating wait, to the next
    /// round of a loop, or out of the containing step. Ends the activation after the last step. Returns the
    /// branch to continue: its parent if this one is done, even if the parent still waits for others; `None`
    /// if the activation is over.
    pub(super) fn advance_branch(&mut self, id: ActivationId, branch: u32, routine: &Routine) -> Option<u32> {
        loop {
            let known = self.branch_mut(id, branch)?;
            let step = routine.step(known.step)?;
            if let Some(next) = step.next {
                known.step = next;
                return Some(branch);
            }
            // A10: the tasks after a repeating wait are done, and the branch returns to the wait.
            let again = known.rounds.last().map(|round| round.step).filter(|&round| {
                let around = routine.step(round);
                around.is_some_and(|around| {
                    matches!(around.task, Task::Wait(_)) && around.parent == step.parent
                })
            });
            if let Some(wait) = again {
                known.step = wait;
                return Some(branch);
            }
            let Some(parent) = step.parent else {
                self.end_activation(id, EndReason::Completed);
                return None;
            };
            match routine.step(parent).map(|step| &step.task) {
                Some(Task::Repeat { first, .. }) => {
                    if self.next_round(id, branch, parent, *first) {
                        return Some(branch);
                    }
                }
                Some(Task::Race { .. }) => return self.finish_branch(id, branch, routine, true),
                Some(Task::All { .. }) => return self.finish_branch(id, branch, routine, false),
                _ => known.step = parent,
            }
        }
    }

    /// Begins the next round of a loop, now or after its pause, which holds the branch. False if there is
    /// none: the loop is left, its standing waits are dropped, and the branch is at the loop's own step.
    fn next_round(&mut self, id: ActivationId, branch: u32, parent: u32, first: Option<u32>) -> bool {
        let now = self.state.now;
        let Some(known) = self.branch_mut(id, branch) else { return true };
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
            self.begin_pause(id, branch, parent, due);
        } else {
            round.began = now;
            if let Some(first) = first {
                known.step = first;
            }
        }
        true
    }

    /// Begins a round after the pause between two rounds: the branch runs again, at the first step of the
    /// loop.
    pub(super) fn begin_round(&mut self, id: ActivationId, branch: u32, first: Option<u32>) {
        let now = self.state.now;
        if let Some(known) = self.branch_mut(id, branch) {
            if let Some(round) = known.rounds.last_mut() {
                round.began = now;
            }
            known.status = BranchStatus::Running;
            if let Some(first) = first {
                known.step = first;
            }
        }
    }

    /// Ends a branch at the end of its list: the first finished branch decides a race and cancels the others,
    /// a join waits for its last. Returns the branch to continue, as [`advance_branch`](Self::advance_branch)
    /// does.
    fn finish_branch(
        &mut self,
        id: ActivationId,
        branch: u32,
        routine: &Routine,
        is_race: bool,
    ) -> Option<u32> {
        let known = self.branch_mut(id, branch)?;
        let (parent, reacting, context) = (known.parent?, known.reacting, known.context.take());
        // The tasks after the branches see the event and targets that the last branch received.
        let activation = self.state.activations.get_mut(id)?;
        let is_current = activation.context_of == Some(branch);
        if is_current {
            activation.context_of = Some(parent);
        }
        self.cancel_branch(id, branch);
        if is_race {
            self.cancel_branches_of(id, parent);
        }
        let known = self.branch_mut(id, parent)?;
        let left = match known.status {
            BranchStatus::Joining(left) if !is_race => left.saturating_sub(1),
            _ => 0,
        };
        known.reacting |= reacting;
        if is_current || context.is_some() {
            known.context = context;
        }
        if left > 0 {
            known.status = BranchStatus::Joining(left);
            return Some(parent);
        }
        known.status = BranchStatus::Running;
        self.advance_branch(id, parent, routine)
    }

    /// Cancels all branches that a branch started.
    fn cancel_branches_of(&mut self, id: ActivationId, parent: u32) {
        while let Some(branch) = self.state.activations.get(id).and_then(|activation| {
            activation.branches.iter().find(|branch| branch.parent == Some(parent)).map(|branch| branch.id)
        }) {
            self.cancel_branch(id, branch);
        }
    }

    /// Removes a branch with its sub-branches, and releases its wait.
    fn cancel_branch(&mut self, id: ActivationId, branch: u32) {
        self.cancel_branches_of(id, branch);
        let Some(activation) = self.state.activations.get_mut(id) else { return };
        let Some(at) = activation.branches.iter().position(|known| known.id == branch) else { return };
        let removed = activation.branches.remove(at);
        if activation.context_of == Some(branch) {
            activation.context_of = None;
        }
        if let BranchStatus::Waiting(task) = removed.status {
            self.release_wait(id, task);
        }
        self.drop_left_waits(id);
    }

    /// §10.5: cancels all branches and waits of an ability that ends.
    pub(super) fn cancel_all_branches(&mut self, id: ActivationId) {
        let Some(activation) = self.state.activations.get_mut(id) else { return };
        let tasks: SmallVec<[TaskId; 4]> = activation.all_tasks().collect();
        activation.branches.clear();
        activation.standing.clear();
        for task in tasks {
            self.drop_task(task, TaskEnd::Cancelled);
        }
    }

    /// Ends a wait that is over and continues its branch, until the activation is held again or acts.
    pub(super) fn complete(&mut self, task: TaskId) {
        let Some(running) = self.state.tasks.get(task) else { return };
        let (id, branch) = (running.activation, running.branch);
        self.leave_wait(task);
        let catalog = Arc::clone(&self.catalog);
        let Some(activation) = self.state.activations.get_mut(id) else { return };
        let Some(ability) = catalog.ability_by_id(activation.ability) else { return };
        let Some(known) = activation.branch_mut(branch) else { return };
        known.status = BranchStatus::Running;
        let step = ability.routine.step(known.step).map(|step| &step.task);
        self.set_cause_to_activation(id);
        if let Some(Task::Repeat { first, .. }) = step {
            self.begin_round(id, branch, *first);
        } else {
            self.advance_branch(id, branch, &ability.routine);
        }
        self.drive(&catalog, id);
        self.settle_reaction(id);
    }

    /// Clears the reaction mark of branches that are held again: a cancellation by the tag need not wait for
    /// them.
    pub(super) fn settle_reaction(&mut self, id: ActivationId) {
        let Some(activation) = self.state.activations.get_mut(id) else { return };
        for branch in &mut activation.branches {
            branch.reacting &= branch.is_busy();
        }
    }

    pub(super) fn branch_mut(&mut self, id: ActivationId, branch: u32) -> Option<&mut Branch> {
        self.state.activations.get_mut(id)?.branch_mut(branch)
    }
}
