//! Waits (§10.2, §10.3): their subscriptions, and the events that end them. Nothing is polled.

use std::sync::Arc;

use smallvec::SmallVec;

use super::Simulation;
use super::cascade::Consequence;
use super::state::{Timer, TimerKind};
use crate::ability::{BranchStatus, EndReason};
use crate::effect::ContextTags;
use crate::event::EventKind;
use crate::handle::{ActivationId, ActiveEffectId, ControllerId, TaskId};
use crate::id::EffectId;
use crate::input::InputId;
use crate::refusal::{Party, RefusalReason};
use crate::targeting::{Confirmation, TargetData, Targeting};
use crate::task::{EffectFilter, Occurrence, Repetition, RunningTask, Subject, Task, TaskOutcome, Wait};
use crate::time::{Span, Time};

/// Result of starting a wait.
pub(super) enum Begun {
    /// The wait was over at once.
    Done,
    /// The wait holds its branch.
    Waiting,
}

/// Match of an event against a wait.
pub(super) enum WaitMatch {
    /// The event does not concern the wait.
    No,
    /// The wait ends with this occurrence.
    Done(Occurrence),
    /// The player declined.
    Declined,
    /// Native code decides.
    Native,
}

/// How a task ended (§10.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TaskEnd {
    /// The awaited event occurred.
    Completed,
    /// The task is no longer needed.
    Cancelled,
}

type Subjects = SmallVec<[Subject; 2]>;

/// Subscriptions, deadline and memory of a task to create.
#[derive(Default)]
pub(super) struct Hold {
    pub(super) subjects: Subjects,
    pub(super) deadline: Option<Time>,
    pub(super) memory: SmallVec<[f64; 2]>,
}

impl Hold {
    fn on(subject: Subject) -> Self {
        Self { subjects: SmallVec::from_slice(&[subject]), ..Self::default() }
    }

    fn until(deadline: Time) -> Self {
        Self { deadline: Some(deadline), ..Self::default() }
    }
}

impl Simulation {
    /// The running task behind a handle; `None` once it has ended.
    pub fn task(&self, id: TaskId) -> Option<&RunningTask> {
        self.state.tasks.get(id)
    }

    /// Kind of a running task, as files name it.
    pub fn task_kind(&self, id: TaskId) -> Option<&str> {
        let task = self.state.tasks.get(id)?;
        let activation = self.state.activations.get(task.activation)?;
        self.catalog.ability_by_id(activation.ability)?.routine.kind(task.step)
    }

    /// Whether a task waits for an answer of the host (A6).
    pub fn is_host_task(&self, id: TaskId) -> bool {
        matches!(self.wait_of(id), Some(Wait::Host(_)))
    }

    /// Running tasks of a controller's abilities, in the order of activations. Includes a repeating wait
    /// while the tasks after it run (A10).
    pub fn tasks_of(&self, controller: ControllerId) -> impl Iterator<Item = TaskId> + '_ {
        let runs = self.state.controllers.get(controller).map(|known| &*known.ability_data.activations);
        let runs = runs.unwrap_or_default().iter().filter_map(|&run| self.state.activations.get(run));
        let goes_on = |task: &TaskId| self.repetition_of(*task) == Repetition::Multi;
        runs.flat_map(move |run| run.tasks().chain(run.standing.iter().copied().filter(goes_on)))
    }

    /// Completes a task that the host was asked to do (A6). Any outcome but `Completed` ends the activation.
    /// Returns false if nothing waits for it (any more): an answer that comes twice or too late changes
    /// nothing.
    pub fn complete_task(&mut self, task: TaskId, outcome: TaskOutcome) -> bool {
        let is_host = matches!(self.wait_of(task), Some(Wait::Host(_)));
        if is_host {
            self.operate(|sim| match outcome {
                TaskOutcome::Completed => sim.complete(task),
                TaskOutcome::Interrupted | TaskOutcome::Cancelled | TaskOutcome::Failed => {
                    if let Some(running) = sim.state.tasks.get(task) {
                        sim.end_activation(running.activation, EndReason::Declined);
                    }
                }
            });
        }
        is_host
    }

    /// Provides the targets that a task waits for. Returns false if nothing waits for them (any more), or an
    /// earlier answer is still queued for a wait that takes only one.
    ///
    /// # Errors
    /// If a position is not finite (V2), or there are too many targets; the task keeps waiting then.
    pub fn provide_targets(&mut self, task: TaskId, targets: TargetData) -> Result<bool, RefusalReason> {
        let Some(Wait::TargetData { confirmation, .. }) = self.wait_of(task) else { return Ok(false) };
        let confirmation = *confirmation;
        if targets.check().is_err() {
            return Err(RefusalReason::NonFinite { modifier: None, attribute: None });
        }
        self.check_targets(&targets).map_err(RefusalReason::LimitReached)?;
        if confirmation == Confirmation::CustomMulti {
            self.check_queue(task)?;
        } else if self.state.tasks.get(task).is_none_or(|running| !running.queue.is_empty()) {
            return Ok(false);
        }
        self.operate(|sim| sim.occur(task, Occurrence::Targets(targets)));
        Ok(true)
    }

    /// Targets that a waiting task would select now, for a reticle or a preview (GASD §4.11.4). `None` if the
    /// task does not wait for targets.
    pub fn preview_targets(&self, task: TaskId) -> Option<TargetData> {
        let Some(Wait::TargetData { targeting, .. }) = self.wait_of(task) else { return None };
        let activation = self.state.activations.get(self.state.tasks.get(task)?.activation)?;
        let mut found = TargetData::new();
        self.select_into(
            targeting,
            activation.controller,
            &activation.targets,
            &mut Default::default(),
            &mut found,
        );
        Some(found)
    }

    /// Definition of the wait that a task runs; `None` if the task has ended, or holds its branch without
    /// one, as in the pause of a loop.
    pub(super) fn wait_of(&self, task: TaskId) -> Option<&Wait> {
        let task = self.state.tasks.get(task)?;
        let activation = self.state.activations.get(task.activation)?;
        let ability = self.catalog.ability_by_id(activation.ability)?;
        match &ability.routine.step(task.step)?.task {
            Task::Wait(wait) => Some(wait),
            _ => None,
        }
    }

    /// Starts a wait, or returns to one that stands. A wait whose condition already holds is over at once,
    /// with its results stored; any other holds the branch.
    pub(super) fn begin_wait(
        &mut self,
        id: ActivationId,
        branch: u32,
        step: u32,
        wait: &Wait,
    ) -> Result<Begun, RefusalReason> {
        if let Some(begun) = self.resume_standing(id, branch, step) {
            if let (Begun::Waiting, Wait::TargetData { max_delay: Some(delay), .. }) = (&begun, wait) {
                let deadline = self.state.now + Span::seconds(self.task_number(id, delay)?);
                let task = self.state.activations.get(id).and_then(|run| run.branch(branch));
                if let Some(BranchStatus::Waiting(task)) = task.map(|branch| branch.status) {
                    self.set_deadline(task, Some(deadline));
                }
            }
            return Ok(begun);
        }
        let Some(activation) = self.state.activations.get(id) else { return Ok(Begun::Done) };
        let owner = activation.controller;
        let now = self.state.now;
        let has = |sim: &Self, tag| sim.has_tag(owner, tag);
        let hold = match wait {
            Wait::Delay(seconds) => {
                let span = Span::seconds(self.task_number(id, seconds)?);
                if !span.is_positive() {
                    return Ok(Begun::Done);
                }
                Hold::until(now + span)
            }
            Wait::GameTime(seconds) => {
                let time = Time::from_seconds(self.task_number(id, seconds)?);
                if time <= now {
                    return Ok(Begun::Done);
                }
                Hold::until(time)
            }
            Wait::Event { tag, .. } => Hold::on(Subject::Event(*tag)),
            Wait::InputPressed(_) => Hold::on(Subject::InputPressed),
            Wait::InputReleased(input) => {
                // The input may already be released: while the ability was busy, or before a buffered press
                // reached it. An ability that is bound to no input waits for any release.
                let input = input.clone().or_else(|| self.own_input(id));
                let held = input.and_then(|input| self.released(owner, &input));
                if let Some(held) = held {
                    self.store_number(id, "Input.HeldTime", held.as_seconds());
                    return Ok(Begun::Done);
                }
                Hold::on(Subject::InputReleased)
            }
            Wait::TagAdded(tag) if has(self, *tag) => return Ok(Begun::Done),
            Wait::TagRemoved(tag) if !has(self, *tag) => return Ok(Begun::Done),
            Wait::TagAdded(tag) | Wait::TagRemoved(tag) | Wait::TagChanged(tag) => {
                Hold::on(Subject::Tag(*tag))
            }
            Wait::TagCountChanged(tag) => Hold::on(Subject::TagCount(*tag)),
            Wait::TagQuery(query) => {
                let controller = self.state.controllers.get(owner);
                if controller.is_some_and(|controller| query.matches(&controller.tags)) {
                    return Ok(Begun::Done);
                }
                Hold { subjects: query.tags().map(Subject::Tag).collect(), ..Hold::default() }
            }
            Wait::AttributeChange(attribute) => {
                self.require_attribute(owner, *attribute)?;
                Hold::on(Subject::Attribute(*attribute))
            }
            Wait::AttributeThreshold { attribute, comparison, threshold, ratio_to } => {
                let threshold = self.task_number(id, threshold)?;
                let value = self.compared(owner, *attribute, *ratio_to)?;
                if comparison.holds(value, threshold) {
                    return Ok(Begun::Done);
                }
                let mut hold = Hold::on(Subject::Attribute(*attribute));
                hold.subjects.extend(ratio_to.map(Subject::Attribute));
                hold.memory.push(threshold);
                hold
            }
            Wait::EffectApplied(_) => Hold::on(Subject::EffectApplied),
            Wait::EffectRemoved(_) => Hold::on(Subject::EffectRemoved),
            Wait::EffectBlocked(_) => Hold::on(Subject::EffectBlocked),
            Wait::EffectStackChange(_) => Hold::on(Subject::EffectStackChanged),
            Wait::AbilityActivate(_) => Hold::on(Subject::AbilityActivated),
            Wait::AbilityCommit(_) => Hold::on(Subject::AbilityCommitted),
            Wait::AbilityEnd(_) => Hold::on(Subject::AbilityEnded),
            Wait::ConfirmCancel => Hold::on(Subject::Confirmation),
            // Client and server share their ticks: both have arrived.
            Wait::NetSync { .. } => return Ok(Begun::Done),
            Wait::TargetData { targeting, confirmation, max_delay } => {
                if *confirmation == Confirmation::Instant {
                    self.choose_targets(id, branch, targeting);
                    return Ok(Begun::Done);
                }
                let mut hold = Hold::on(Subject::Confirmation);
                if let Some(delay) = max_delay {
                    hold.deadline = Some(now + Span::seconds(self.task_number(id, delay)?).max(Span::ZERO));
                }
                let task = self.begin_task(id, owner, branch, step, hold);
                let confirmation = *confirmation;
                self.emit(EventKind::TargetingBegan { controller: owner, task, confirmation });
                return Ok(Begun::Waiting);
            }
            Wait::Host(host) => {
                let kind = Arc::clone(&host.kind);
                let task = self.begin_task(id, owner, branch, step, Hold::default());
                let ability = self.state.activations.get(id).map(|activation| activation.ability);
                if let Some(ability) = ability {
                    self.emit(EventKind::HostTaskRequested { controller: owner, ability, task, kind, step });
                }
                return Ok(Begun::Waiting);
            }
            Wait::Custom { task, params } => {
                let mut memory: SmallVec<[f64; 2]> = SmallVec::new();
                for (_, number) in params {
                    memory.push(self.task_number(id, number)?);
                }
                return self.begin_custom(id, owner, branch, step, *task, memory);
            }
        };
        self.begin_task(id, owner, branch, step, hold);
        Ok(Begun::Waiting)
    }

    /// Holds a branch in the pause between two rounds of a loop; `step` is that of the loop.
    pub(super) fn begin_pause(&mut self, id: ActivationId, branch: u32, step: u32, until: Time) {
        let Some(activation) = self.state.activations.get(id) else { return };
        self.begin_task(id, activation.controller, branch, step, Hold::until(until));
    }

    /// Holds a branch of a client, without deadline or subscription, until replicated state moves it.
    pub(super) fn begin_hold(&mut self, id: ActivationId, branch: u32, step: u32) {
        let Some(activation) = self.state.activations.get(id) else { return };
        self.begin_task(id, activation.controller, branch, step, Hold::default());
    }

    /// Creates a task with its subscriptions and deadline, and makes the branch wait for it.
    pub(super) fn begin_task(
        &mut self,
        id: ActivationId,
        controller: ControllerId,
        branch: u32,
        step: u32,
        hold: Hold,
    ) -> TaskId {
        let sequence = self.state.next_sequence();
        let now = self.state.now;
        let Hold { mut subjects, deadline, memory } = hold;
        subjects.sort_unstable();
        subjects.dedup();
        let task = self.state.tasks.insert(RunningTask {
            activation: id,
            controller,
            branch,
            step,
            sequence,
            started: now,
            deadline: None,
            memory,
            subjects: subjects.clone(),
            watched: SmallVec::new(),
            queue: SmallVec::new(),
            overflowed: false,
            timer: None,
        });
        self.subscribe(task, sequence, controller, &subjects);
        self.set_deadline(task, deadline);
        if let Some(known) = self.branch_mut(id, branch) {
            known.status = BranchStatus::Waiting(task);
        }
        task
    }

    /// Adds subscriptions of a task to the index of its controller; the list in the task is not changed.
    pub(super) fn subscribe(
        &mut self,
        task: TaskId,
        sequence: u64,
        controller: ControllerId,
        subjects: &[Subject],
    ) {
        let Some(controller) = self.state.controllers.get_mut(controller) else { return };
        for &subject in subjects {
            controller.ability_data.make_mut().subscriptions.insert_sorted((subject, sequence, task));
        }
    }

    /// Replaces the deadline of a task and its timer; `None` removes both. A deadline in the past fires now.
    pub(super) fn set_deadline(&mut self, task: TaskId, deadline: Option<Time>) {
        let now = self.state.now;
        let Some(running) = self.state.tasks.get_mut(task) else { return };
        if let Some(timer) = running.timer.take() {
            self.state.timers.cancel(timer);
        }
        running.deadline = deadline;
        if let Some(deadline) = deadline {
            let timer = Timer { sequence: running.sequence, kind: TimerKind::Task(task) };
            running.timer = Some(self.state.timers.schedule(deadline.max(now), timer));
        }
    }

    /// Ends a task without resuming its branch: subscriptions and timers are removed (§10.5). Emits the end
    /// of a targeting, and the cancellation of a host task.
    pub(super) fn drop_task(&mut self, task: TaskId, end: TaskEnd) {
        let is_host = end == TaskEnd::Cancelled && matches!(self.wait_of(task), Some(Wait::Host(_)));
        let is_targeting = matches!(self.wait_of(task), Some(Wait::TargetData { .. }));
        let Some(running) = self.state.tasks.remove(task) else { return };
        if let Some(timer) = running.timer {
            self.state.timers.cancel(timer);
        }
        let own = running.subjects.iter().map(|&subject| (running.controller, subject));
        for (controller, subject) in own.chain(running.watched.iter().copied()) {
            if let Some(controller) = self.state.controllers.get_mut(controller) {
                let entry = (subject, running.sequence, task);
                controller.ability_data.make_mut().subscriptions.remove_sorted(&entry);
            }
        }
        let controller = running.controller;
        if is_host {
            self.emit(EventKind::HostTaskCancelled { controller, task });
        }
        if is_targeting {
            self.emit(EventKind::TargetingEnded { controller, task });
        }
    }

    /// Handles the deadline of a task: native code decides, targeting ends the activation as declined, and
    /// any other wait is over.
    pub(super) fn fire_task(&mut self, task: TaskId) {
        let Some(running) = self.state.tasks.get_mut(task) else { return };
        running.timer = None;
        running.deadline = None;
        let id = running.activation;
        self.set_cause_to_activation(id);
        match self.wait_of(task) {
            Some(Wait::TargetData { .. }) => self.end_activation(id, EndReason::Declined),
            Some(Wait::Custom { .. }) => self.wake_custom(task, None),
            _ => self.complete(task),
        }
    }

    /// Ends a wait with its oldest queued occurrence and continues the branch; does nothing if the task no
    /// longer holds one. Targets that the player confirmed are selected now.
    pub(super) fn finish_wait(&mut self, task: TaskId) {
        let catalog = Arc::clone(&self.catalog);
        if !self.holds_branch(task) {
            return;
        }
        let Some(occurrence) = self.take_occurrence(task) else { return };
        let is_plain = occurrence == Occurrence::Plain;
        self.deliver(task, occurrence);
        let Some(running) = self.state.tasks.get(task) else { return };
        let (id, branch) = (running.activation, running.branch);
        let Some(activation) = self.state.activations.get(id) else { return };
        let Some(ability) = catalog.ability_by_id(activation.ability) else { return };
        if let Some(Task::Wait(Wait::TargetData { targeting, confirmation, .. })) =
            ability.routine.step(running.step).map(|step| &step.task)
            && *confirmation == Confirmation::UserConfirmed
            && is_plain
        {
            self.choose_targets(id, branch, targeting);
        }
        self.complete(task);
    }

    /// Selects targets now and sets them as the activation's; of a persistent targeting that finds none, the
    /// former ones stay.
    fn choose_targets(&mut self, id: ActivationId, branch: u32, targeting: &Targeting) {
        let Some(activation) = self.state.activations.get(id) else { return };
        let mut found = TargetData::new();
        let mut buffers = core::mem::take(&mut self.scratch.buffers.selection);
        self.select_into(targeting, activation.controller, &activation.targets, &mut buffers, &mut found);
        self.scratch.buffers.selection = buffers;
        if found.is_empty() && targeting.persistent {
            return;
        }
        self.set_targets(id, branch, found);
    }

    /// Matches an event on its controller against a task that subscribes to its subject. Changes nothing.
    pub(super) fn match_event(&self, id: TaskId, event: &EventKind) -> WaitMatch {
        let Some(task) = self.state.tasks.get(id) else { return WaitMatch::No };
        let Some(wait) = self.wait_of(id) else { return WaitMatch::No };
        let done_if = |holds: bool| if holds { WaitMatch::Done(Occurrence::Plain) } else { WaitMatch::No };
        match (wait, event) {
            (Wait::Custom { .. }, _) => WaitMatch::Native,
            (Wait::Event { tag, exact, .. }, EventKind::GameplayEvent { event, .. }) => {
                if *exact && event.tag != *tag {
                    WaitMatch::No
                } else {
                    WaitMatch::Done(Occurrence::Event(event.clone()))
                }
            }
            (Wait::InputPressed(wanted), EventKind::InputPressed { input, .. }) => {
                done_if(self.is_meant(task, wanted.as_ref(), input))
            }
            (Wait::InputReleased(wanted), EventKind::InputReleased { input, held, .. }) => {
                if self.is_meant(task, wanted.as_ref(), input) {
                    WaitMatch::Done(Occurrence::Released(held.as_seconds()))
                } else {
                    WaitMatch::No
                }
            }
            (Wait::TagQuery(query), EventKind::TagAdded { .. } | EventKind::TagRemoved { .. }) => {
                let controller = self.state.controllers.get(task.controller);
                done_if(controller.is_some_and(|controller| query.matches(&controller.tags)))
            }
            (Wait::AttributeChange(_), EventKind::AttributeChanged { new, .. }) => {
                WaitMatch::Done(Occurrence::Attribute(*new))
            }
            (
                Wait::AttributeThreshold { attribute, comparison, ratio_to, .. },
                EventKind::AttributeChanged { .. },
            ) => {
                let threshold = task.memory.first().copied().unwrap_or_default();
                let value = self.compared(task.controller, *attribute, *ratio_to);
                done_if(value.is_ok_and(|value| comparison.holds(value, threshold)))
            }
            (Wait::EffectApplied(filter), EventKind::EffectApplied { effect, active, context_tags, .. }) => {
                let is_marked = self.has_context_tag(filter, *effect, context_tags);
                done_if(is_marked || self.passes(filter, *effect, Some(*active)))
            }
            (Wait::EffectApplied(filter), EventKind::EffectExecuted { effect, context_tags, .. }) => {
                let is_marked = self.has_context_tag(filter, *effect, context_tags);
                done_if(is_marked || self.passes(filter, *effect, None))
            }
            (Wait::EffectRemoved(filter), EventKind::EffectRemoved { effect, active, .. })
            | (Wait::EffectStackChange(filter), EventKind::EffectStackChanged { effect, active, .. }) => {
                done_if(self.passes(filter, *effect, Some(*active)))
            }
            (Wait::EffectBlocked(filter), EventKind::EffectBlockedByImmunity { effect, .. }) => {
                done_if(self.passes(filter, *effect, None))
            }
            (Wait::AbilityActivate(tags), EventKind::AbilityActivated { handle, activation, .. })
            | (Wait::AbilityCommit(tags), EventKind::AbilityCommitted { handle, activation, .. })
            | (
                Wait::AbilityEnd(tags),
                EventKind::AbilityEnded { handle, activation, .. }
                | EventKind::AbilityCancelled { handle, activation, .. },
            ) => {
                let matches =
                    |(granted, ability)| tags.is_empty() || self.ability_matches(granted, ability, tags);
                let is_other = *activation != task.activation;
                done_if(is_other && self.granted(*handle).is_some_and(matches))
            }
            (Wait::ConfirmCancel | Wait::TargetData { .. }, EventKind::Declined { .. }) => {
                WaitMatch::Declined
            }
            (Wait::TagAdded(_), EventKind::TagAdded { .. })
            | (Wait::TagRemoved(_), EventKind::TagRemoved { .. })
            | (Wait::TagChanged(_), EventKind::TagAdded { .. } | EventKind::TagRemoved { .. })
            | (Wait::TagCountChanged(_), EventKind::TagCountChanged { .. })
            | (
                Wait::ConfirmCancel | Wait::TargetData { confirmation: Confirmation::UserConfirmed, .. },
                EventKind::Confirmed { .. },
            ) => WaitMatch::Done(Occurrence::Plain),
            _ => WaitMatch::No,
        }
    }

    /// Whether an effect passes the filter of a wait, including the tags of its instance. False if its
    /// definition is gone.
    fn passes(&self, filter: &EffectFilter, effect: EffectId, active: Option<ActiveEffectId>) -> bool {
        let EffectFilter { effect: wanted, tags } = filter;
        if wanted.is_some_and(|wanted| wanted != effect) {
            return false;
        }
        let Some(definition) = self.state.definition(&self.catalog, effect) else { return false };
        let instance = active.and_then(|active| self.state.effects.get(active));
        tags.is_empty()
            || definition.own_tags.has_any(tags)
            || instance.is_some_and(|active| self.tags_with(definition, &active.spec).has_any(tags))
    }

    /// Whether the context tags of an application pass the filter of a wait for tags (E14).
    fn has_context_tag(&self, filter: &EffectFilter, effect: EffectId, tags: &ContextTags) -> bool {
        let EffectFilter { effect: wanted, tags: filter } = filter;
        !tags.is_empty()
            && wanted.is_none_or(|wanted| wanted == effect)
            && tags.closed(self.catalog.tags()).has_any(filter)
    }

    /// Input that the ability of an activation is bound to.
    fn own_input(&self, id: ActivationId) -> Option<InputId> {
        let granted = self.state.activations.get(id)?.granted;
        self.state.abilities.get(granted)?.input.clone()
    }

    /// Whether an input is the one that a wait names, else the one that its ability is bound to.
    fn is_meant(&self, task: &RunningTask, wanted: Option<&InputId>, input: &InputId) -> bool {
        match wanted {
            Some(wanted) => wanted == input,
            // An ability that is bound to no input waits for any input.
            None => self.own_input(task.activation).is_none_or(|own| own == *input),
        }
    }

    /// Current value of an attribute; a refusal if the owner lacks it.
    fn require_attribute(
        &self,
        owner: ControllerId,
        attribute: crate::id::AttributeId,
    ) -> Result<f64, RefusalReason> {
        let missing = RefusalReason::MissingAttribute { party: Party::Source, attribute };
        self.state.locate(owner, attribute).map(|(known, slot)| known.values[slot].current).ok_or(missing)
    }

    /// Value of an attribute, or its ratio to another; zero if the other is zero.
    fn compared(
        &self,
        owner: ControllerId,
        attribute: crate::id::AttributeId,
        ratio_to: Option<crate::id::AttributeId>,
    ) -> Result<f64, RefusalReason> {
        let value = self.require_attribute(owner, attribute)?;
        let Some(ratio_to) = ratio_to else { return Ok(value) };
        let whole = self.require_attribute(owner, ratio_to)?;
        let share = value / whole;
        Ok(if share.is_finite() { share } else { 0.0 })
    }

    /// Matches an event against the tasks that wait for `subject` of a controller. Most controllers have
    /// none, so this is the fast check; [`wake_waiting`](Self::wake_waiting) does the work.
    #[inline]
    pub(super) fn wake(&mut self, controller: ControllerId, subject: Subject, event: &EventKind) {
        let known = self.state.controllers.get(controller);
        if known.is_some_and(|known| !known.ability_data.subscriptions.is_empty()) {
            self.wake_waiting(controller, subject, event);
        }
    }

    /// Matches an event against each subscribed task, in the order of starting, and queues what follows: an
    /// occurrence, the end by a decline, or a call of native code.
    #[inline(never)]
    fn wake_waiting(&mut self, controller: ControllerId, subject: Subject, event: &EventKind) {
        let Some(known) = self.state.controllers.get(controller) else { return };
        let waiting: SmallVec<[TaskId; 4]> =
            known.ability_data.subscriptions.entries_for(subject).iter().map(|&(.., task)| task).collect();
        for task in waiting {
            match self.match_event(task, event) {
                WaitMatch::No => {}
                WaitMatch::Done(occurrence) => {
                    if matches!(event, EventKind::TagAdded { .. } | EventKind::TagRemoved { .. }) {
                        self.mark_reacting(task);
                    }
                    self.occur(task, occurrence);
                }
                WaitMatch::Declined => self.enqueue(Consequence::Decline { task }),
                WaitMatch::Native => {
                    self.enqueue(Consequence::WakeNative { task, event: event.clone() });
                }
            }
        }
    }

    /// Marks the branch of a task as reacting to a tag, so that a cancellation by that tag lets it finish
    /// first.
    fn mark_reacting(&mut self, task: TaskId) {
        let Some(running) = self.state.tasks.get(task) else { return };
        let (id, branch) = (running.activation, running.branch);
        if let Some(known) = self.branch_mut(id, branch) {
            known.reacting = true;
        }
    }
}
