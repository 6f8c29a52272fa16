//! Native tasks (§10.3): calls of the host's code, and what it asks for.

use std::sync::Arc;

use smallvec::SmallVec;

use super::Simulation;
use super::cascade::Consequence;
use super::waits::{Begun, Hold, TaskEnd};
use crate::ability::{BranchStatus, EndReason};
use crate::event::EventKind;
use crate::handle::{ActivationId, ControllerId, TaskId};
use crate::refusal::RefusalReason;
use crate::task::{Task, TaskAction, TaskContext, TaskProgress, TaskRequests, Wait};

impl Simulation {
    /// Starts a native task, with its evaluated parameters in `memory`. Native code may end it at once; its
    /// failure, or missing code, is a refusal.
    pub(super) fn begin_custom(
        &mut self,
        id: ActivationId,
        owner: ControllerId,
        branch: u32,
        step: u32,
        custom: u32,
        memory: SmallVec<[f64; 2]>,
    ) -> Result<Begun, RefusalReason> {
        let hold = Hold { memory, ..Hold::default() };
        let task = self.begin_task(id, owner, branch, step, hold);
        let activate =
            |sim: &mut Self| sim.call_custom(task, custom, |native, context| native.activate(context));
        // A task that was not activated would wait for ever.
        let progress = self.guarded(activate, |sim| {
            sim.enqueue(Consequence::Cancel { activation: id, reason: EndReason::TaskFailed });
        });
        match progress {
            Some(TaskProgress::Waiting) => Ok(Begun::Waiting),
            Some(TaskProgress::Done) => {
                self.drop_task(task, TaskEnd::Completed);
                if let Some(known) = self.branch_mut(id, branch) {
                    known.status = BranchStatus::Running;
                }
                Ok(Begun::Done)
            }
            Some(TaskProgress::Failed) | None => Err(RefusalReason::CustomTask),
        }
    }

    /// Calls a native task with an event, or with its deadline if there is none. By its answer the wait goes
    /// on, ends, or fails the activation.
    pub(super) fn wake_custom(&mut self, task: TaskId, event: Option<&EventKind>) {
        let Some(Wait::Custom { task: custom, .. }) = self.wait_of(task) else { return };
        let custom = *custom;
        let Some(running) = self.state.tasks.get(task) else { return };
        let (id, step) = (running.activation, running.step);
        let progress = self.call_custom(task, custom, |native, context| match event {
            Some(event) => native.wake(context, event),
            None => native.timer(context),
        });
        match progress {
            Some(TaskProgress::Waiting) => {}
            Some(TaskProgress::Done) => self.complete(task),
            Some(TaskProgress::Failed) | None => self.fail_task(id, step, RefusalReason::CustomTask),
        }
    }

    /// Calls native code with its parameters, the first of the task's numbers, and its memory, the rest. Then
    /// carries out its requests: subscriptions, deadline, stored numbers, applications. `None` if the code or
    /// the task is missing.
    fn call_custom(
        &mut self,
        task: TaskId,
        custom: u32,
        call: impl FnOnce(&dyn crate::task::CustomTask, &mut TaskContext<'_>) -> TaskProgress,
    ) -> Option<TaskProgress> {
        let native = Arc::clone(self.catalog.custom_task(custom)?);
        let catalog = Arc::clone(&self.catalog);
        let running = self.state.tasks.get(task)?;
        let (id, owner) = (running.activation, running.controller);
        let mut numbers = running.memory.clone();
        let activation = self.state.activations.get(id)?;
        let target = activation.targets.first_controller();
        let ability = catalog.ability_by_id(activation.ability)?;
        let step = self.state.tasks.get(task)?.step;
        let Task::Wait(Wait::Custom { params: names, .. }) = &ability.routine.step(step)?.task else {
            return None;
        };
        let mut memory: SmallVec<[f64; 2]> = numbers.iter().skip(names.len()).copied().collect();
        numbers.truncate(names.len());
        let mut context = TaskContext {
            simulation: self,
            owner,
            target,
            ability,
            params: names,
            values: &numbers,
            memory: &mut memory,
            requests: TaskRequests::default(),
        };
        let progress = call(&*native, &mut context);
        let TaskRequests { mut subjects, deadline, outputs, mut watched, actions } = context.requests;
        numbers.extend(memory.into_iter().map(|value| if value.is_finite() { value + 0.0 } else { 0.0 }));
        let running = self.state.tasks.get_mut(task)?;
        running.memory = numbers;
        let sequence = running.sequence;
        subjects.retain(|subject| !running.subjects.contains(subject));
        running.subjects.extend_from_slice(&subjects);
        running.subjects.sort_unstable();
        running.subjects.dedup();
        watched.retain(|subject| !running.watched.contains(subject));
        running.watched.extend_from_slice(&watched);
        running.watched.sort_unstable();
        running.watched.dedup();
        self.subscribe(task, sequence, owner, &subjects);
        for (controller, subject) in watched {
            self.subscribe(task, sequence, controller, &[subject]);
        }
        if deadline.is_some() {
            self.set_deadline(task, deadline);
        }
        for (name, value) in outputs {
            self.store_number(id, &name, value);
        }
        for action in actions {
            match action {
                TaskAction::Apply(application) => self.apply_for_task(id, application),
                TaskAction::Remove(active, stacks) if self.may_remove(active) => {
                    self.remove_stacks(active, stacks, Self::remove_active);
                }
                TaskAction::Remove(..) => {}
                TaskAction::Send(controller, event) => {
                    // An earlier action may have removed the receiver.
                    if self.check_active(controller).is_ok() {
                        self.emit(EventKind::GameplayEvent { controller, event });
                    }
                }
            }
        }
        Some(progress)
    }
}
