//! Queued occurrences of waits (A9, A10): processed in order, one round of the following tasks for each.
//!
//! A wait inside a loop, and a repeating wait, is not dropped when its branch continues: it *stands*, with
//! its subscriptions, while the branch runs the following tasks. Occurrences during that time are queued, and
//! the branch takes them when it returns to the wait.

use std::sync::Arc;

use smallvec::SmallVec;

use super::Simulation;
use super::cascade::Consequence;
use super::waits::{Begun, TaskEnd};
use crate::ability::{Activation, Branch, BranchContext, BranchStatus, GameplayEvent, Round};
use crate::event::EventKind;
use crate::handle::{ActivationId, TaskId};
use crate::refusal::{Limit, RefusalReason};
use crate::targeting::TargetData;
use crate::task::{Occurrence, Repetition, Routine};
use crate::time::Span;

impl Simulation {
    /// Largest number of occurrences that one wait queues.
    pub(super) fn queue_limit(&self) -> u32 {
        match self.config.max_queued_occurrences {
            0 => self.config.cascade_limit,
            limit => limit,
        }
    }

    /// Repetition of a task; [`Repetition::Once`] if it does not exist.
    pub(super) fn repetition_of(&self, task: TaskId) -> Repetition {
        let found = self.state.tasks.get(task).and_then(|running| {
            let activation = self.state.activations.get(running.activation)?;
            let ability = self.catalog.ability_by_id(activation.ability)?;
            Some(ability.routine.repetition(running.step))
        });
        found.unwrap_or(Repetition::Once)
    }

    /// Whether a branch waits for this task now. False for a standing wait, and for a task that has ended.
    pub(super) fn holds_branch(&self, task: TaskId) -> bool {
        let Some(running) = self.state.tasks.get(task) else { return false };
        let branch =
            self.state.activations.get(running.activation).and_then(|run| run.branch(running.branch));
        branch.is_some_and(|branch| branch.status == BranchStatus::Waiting(task))
    }

    /// Whether a task accepts an occurrence now: it holds its branch, or stands in a loop whose body still
    /// runs, or repeats.
    pub(super) fn is_listening(&self, task: TaskId) -> bool {
        if self.holds_branch(task) {
            return true;
        }
        match self.repetition_of(task) {
            Repetition::Once => false,
            Repetition::Loop => self.is_body_running(task),
            Repetition::Multi => true,
        }
    }

    /// A9: whether the body of the innermost running loop around a wait still has tasks to run, rather than
    /// waiting itself.
    fn is_body_running(&self, task: TaskId) -> bool {
        let Some(running) = self.state.tasks.get(task) else { return false };
        let Some(activation) = self.state.activations.get(running.activation) else { return false };
        let Some(ability) = self.catalog.ability_by_id(activation.ability) else { return false };
        let holder = holder_of_loop(activation, &ability.routine, running.step);
        let is_inside = |branch: &Branch| {
            let parent = |branch: &&Branch| activation.branch(branch.parent?);
            core::iter::successors(Some(branch), parent).any(|branch| Some(branch.id) == holder)
        };
        holder.is_some() && activation.branches.iter().any(|branch| branch.is_busy() && is_inside(branch))
    }

    /// A9: whether another wait for the same, in the same list of a loop, takes an occurrence instead of a
    /// standing wait: the wait that holds the branch, else the first. Each occurrence is taken once.
    fn shares_with_another(&self, task: TaskId) -> bool {
        if self.holds_branch(task) {
            return false;
        }
        let Some(running) = self.state.tasks.get(task) else { return false };
        let Some(activation) = self.state.activations.get(running.activation) else { return false };
        let Some(ability) = self.catalog.ability_by_id(activation.ability) else { return false };
        activation.all_tasks().filter(|other| *other != task).any(|other| {
            let step = self.state.tasks.get(other).map(|other| other.step);
            step.is_some_and(|step| {
                (step < running.step || self.holds_branch(other))
                    && ability.routine.shares_occurrences(step, running.step)
            })
        })
    }

    /// Queues an occurrence that a task waits for, and the completion of the wait if the task holds its
    /// branch. Drops an occurrence that the task does not accept, that another wait takes, or for which the
    /// queue has no room; only the last is reported.
    pub(super) fn occur(&mut self, task: TaskId, occurrence: Occurrence) {
        if !self.is_listening(task) || self.shares_with_another(task) {
            return;
        }
        let holds = self.holds_branch(task);
        let repetition = self.repetition_of(task);
        let limit = self.queue_limit() as usize;
        let Some(running) = self.state.tasks.get_mut(task) else { return };
        let queued = running.queue.len();
        if queued > 0 && repetition == Repetition::Once {
            return;
        }
        if queued >= limit.max(1) {
            self.report_overflow(task);
            return;
        }
        running.queue.push(occurrence);
        if holds && queued == 0 {
            self.enqueue(Consequence::Complete { task });
        }
    }

    /// Emits `OccurrenceLimit` for a dropped occurrence, once until the queue of the wait is empty again.
    fn report_overflow(&mut self, task: TaskId) {
        let limit = self.queue_limit();
        let Some(running) = self.state.tasks.get_mut(task) else { return };
        if core::mem::replace(&mut running.overflowed, true) {
            return;
        }
        let (controller, step, id) = (running.controller, running.step, running.activation);
        if let Some(ability) = self.state.activations.get(id).map(|activation| activation.ability) {
            self.emit(EventKind::OccurrenceLimit { controller, ability, step, limit });
        }
    }

    /// Refuses another occurrence if the queue of a wait is full. Called before targets of the host are
    /// accepted for a repeating wait, so that the host gets an error instead of a dropped answer.
    pub(super) fn check_queue(&self, task: TaskId) -> Result<(), RefusalReason> {
        let queued = self.state.tasks.get(task).map_or(0, |running| running.queue.len());
        let is_full = queued >= self.queue_limit().max(1) as usize;
        if is_full { Err(RefusalReason::LimitReached(Limit::Occurrences)) } else { Ok(()) }
    }

    /// Removes and returns the oldest queued occurrence of a task. An empty queue allows the next overflow to
    /// be reported.
    pub(super) fn take_occurrence(&mut self, task: TaskId) -> Option<Occurrence> {
        let running = self.state.tasks.get_mut(task)?;
        let first = (!running.queue.is_empty()).then(|| running.queue.remove(0))?;
        running.overflowed &= !running.queue.is_empty();
        Some(first)
    }

    /// Writes an occurrence to the activation for the branch that waited for it: its number, event or
    /// targets. A repeating wait emits `TaskTriggered`. The wait itself is not ended.
    pub(super) fn deliver(&mut self, task: TaskId, occurrence: Occurrence) {
        let Some(running) = self.state.tasks.get(task) else { return };
        let (id, branch, controller) = (running.activation, running.branch, running.controller);
        if self.repetition_of(task) == Repetition::Multi {
            self.emit(EventKind::TaskTriggered { controller, task });
        }
        match occurrence {
            Occurrence::Plain => {}
            Occurrence::Attribute(value) => self.store_number(id, "Attribute.Value", value),
            Occurrence::Released(seconds) => self.store_number(id, "Input.HeldTime", seconds),
            Occurrence::Event(event) => self.receive_event(id, branch, event),
            Occurrence::Targets(targets) => self.set_targets(id, branch, targets),
        }
    }

    /// A11: makes the event that a task waited for the activation's event, with its magnitude as a number and
    /// the targets that it names, if any.
    fn receive_event(&mut self, id: ActivationId, branch: u32, event: GameplayEvent) {
        self.claim_context(id, branch);
        self.store_number(id, "Event.Magnitude", event.magnitude);
        let Some(activation) = self.state.activations.get_mut(id) else { return };
        if let Some(targets) = event.targets() {
            activation.replace_targets(targets);
        }
        activation.event = Some(event);
    }

    /// Replaces the activation's targets by those that a branch chose or was given.
    pub(super) fn set_targets(&mut self, id: ActivationId, branch: u32, targets: TargetData) {
        self.claim_context(id, branch);
        let Some(activation) = self.state.activations.get_mut(id) else { return };
        activation.replace_targets(targets);
        activation.chosen = true;
    }

    /// Makes a branch the owner of the activation's event and targets, before it replaces them. The former
    /// owner keeps a copy of its own; the only branch of an activation needs no owner.
    fn claim_context(&mut self, id: ActivationId, branch: u32) {
        let Some(activation) = self.state.activations.get_mut(id) else { return };
        let is_alone = activation.branches.len() == 1;
        let owner = activation.context_of.filter(|owner| *owner != branch);
        if let Some(owner) = owner.filter(|owner| activation.branch(*owner).is_some()) {
            let context = Arc::new(BranchContext {
                event: activation.event.clone(),
                targets: TargetData::clone(&activation.targets),
                chosen: activation.chosen,
            });
            if let Some(owner) = activation.branch_mut(owner) {
                owner.context = Some(context);
            }
        }
        activation.context_of = (!is_alone).then_some(branch);
        if let Some(branch) = activation.branch_mut(branch) {
            branch.context = None;
        }
    }

    /// Restores the event and targets of a branch as those of the activation before its next step, if another
    /// branch has received others since (A10).
    pub(super) fn install_context(&mut self, id: ActivationId, branch: u32) {
        let Some(activation) = self.state.activations.get_mut(id) else { return };
        if activation.context_of == Some(branch) {
            return;
        }
        let Some(context) = activation.branch_mut(branch).and_then(|branch| branch.context.take()) else {
            return;
        };
        self.claim_context(id, branch);
        let Some(activation) = self.state.activations.get_mut(id) else { return };
        activation.event.clone_from(&context.event);
        activation.targets = context.targets.clone().into();
        activation.chosen = context.chosen;
        if let Some(magnitude) = context.event.as_ref().map(|event| event.magnitude) {
            self.store_number(id, "Event.Magnitude", magnitude);
        }
    }

    /// Ends a wait for its branch, which continues. A wait in a loop or a repeating wait stands; any other is
    /// dropped as completed.
    pub(super) fn leave_wait(&mut self, task: TaskId) {
        let repetition = self.repetition_of(task);
        if repetition == Repetition::Once {
            self.drop_task(task, TaskEnd::Completed);
            return;
        }
        if repetition == Repetition::Multi {
            self.set_deadline(task, None);
            self.begin_follow_up(task);
        }
        self.stand(task);
    }

    /// A10: records a round on the branch, so that it returns to the wait after the following tasks.
    fn begin_follow_up(&mut self, task: TaskId) {
        let began = self.state.now;
        let Some(running) = self.state.tasks.get(task) else { return };
        let (id, branch, step) = (running.activation, running.branch, running.step);
        if let Some(branch) = self.branch_mut(id, branch) {
            branch.rounds.push(Round { step, left: None, interval: Span::ZERO, began });
        }
    }

    /// Lists a wait among the standing ones of its activation: it keeps its subscriptions without a branch.
    fn stand(&mut self, task: TaskId) {
        let Some(running) = self.state.tasks.get(task) else { return };
        if let Some(activation) = self.state.activations.get_mut(running.activation) {
            activation.standing.push(task);
        }
    }

    /// Releases the wait of a cancelled branch: it stands on if a loop around it continues (A9), else it is
    /// dropped as cancelled.
    pub(super) fn release_wait(&mut self, id: ActivationId, task: TaskId) {
        let stays = self.state.tasks.get(task).zip(self.state.activations.get(id)).is_some_and(
            |(running, activation)| {
                let ability = self.catalog.ability_by_id(activation.ability);
                ability.is_some_and(|ability| {
                    ability.routine.repetition(running.step) == Repetition::Loop
                        && holder_of_loop(activation, &ability.routine, running.step).is_some()
                })
            },
        );
        if stays {
            self.stand(task);
        } else {
            self.drop_task(task, TaskEnd::Cancelled);
        }
    }

    /// Returns a branch to the standing wait of its step: `Done` with a queued occurrence, which is
    /// delivered, or `Waiting` if a repeating wait holds the branch again. `None` if the caller has to start
    /// a new wait: none stands at this step, or one of a loop had nothing queued and was dropped.
    pub(super) fn resume_standing(&mut self, id: ActivationId, branch: u32, step: u32) -> Option<Begun> {
        let activation = self.state.activations.get(id)?;
        let routine = &self.catalog.ability_by_id(activation.ability)?.routine;
        let running = |task: &TaskId| self.state.tasks.get(*task);
        // Another wait for the same may have queued the next occurrence.
        let keeps = |task: &TaskId| {
            let keeper = running(task).filter(|keeper| !keeper.queue.is_empty());
            keeper.is_some_and(|keeper| routine.shares_occurrences(keeper.step, step))
        };
        let is_at = |task: &TaskId| running(task).is_some_and(|running| running.step == step);
        let standing = || activation.standing.iter().copied();
        let task = standing().find(keeps).or_else(|| standing().find(is_at))?;
        if let Some(running) = self.state.tasks.get_mut(task) {
            running.branch = branch;
        }
        if let Some(occurrence) = self.take_occurrence(task) {
            self.deliver(task, occurrence);
            return Some(Begun::Done);
        }
        let is_multi = self.repetition_of(task) == Repetition::Multi;
        if let Some(activation) = self.state.activations.get_mut(id) {
            activation.standing.retain(|known| *known != task);
        }
        if !is_multi {
            // A loop starts a new wait.
            self.drop_task(task, TaskEnd::Completed);
            return None;
        }
        if let Some(branch) = self.branch_mut(id, branch) {
            branch.rounds.pop();
            branch.status = BranchStatus::Waiting(task);
        }
        Some(Begun::Waiting)
    }

    /// Drops, as cancelled, the standing waits whose loop or following list no branch runs any more. Called
    /// when a loop or a branch ends.
    pub(super) fn drop_left_waits(&mut self, id: ActivationId) {
        let Some(activation) = self.state.activations.get(id) else { return };
        if activation.standing.is_empty() {
            return;
        }
        let catalog = Arc::clone(&self.catalog);
        let Some(ability) = catalog.ability_by_id(activation.ability) else { return };
        let is_left = |task: &TaskId| {
            let Some(running) = self.state.tasks.get(*task) else { return true };
            match ability.routine.repetition(running.step) {
                Repetition::Once => true,
                Repetition::Loop => holder_of_loop(activation, &ability.routine, running.step).is_none(),
                Repetition::Multi => {
                    let mut rounds = activation.branches.iter().flat_map(|branch| &branch.rounds);
                    !rounds.any(|round| round.step == running.step)
                }
            }
        };
        let left: SmallVec<[TaskId; 2]> = activation.standing.iter().copied().filter(is_left).collect();
        if let Some(activation) = self.state.activations.get_mut(id) {
            activation.standing.retain(|task| !left.contains(task));
        }
        for task in left {
            self.drop_task(task, TaskEnd::Cancelled);
        }
    }
}

/// Number of the branch that runs the innermost running loop around a step; `None` if no such loop runs.
fn holder_of_loop(activation: &Activation, routine: &Routine, step: u32) -> Option<u32> {
    routine.loops_around(step).find_map(|around| {
        let runs = |branch: &&Branch| branch.rounds.iter().any(|round| round.step == around);
        activation.branches.iter().find(runs).map(|branch| branch.id)
    })
}
