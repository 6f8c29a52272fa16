//! Cascades (E12): consequences run as a queue until quiet, with a limit. Never a hang, never a stack overflow.

use std::collections::VecDeque;

use super::{ActivationRequest, Simulation};
use crate::ability::{ActivationRefusal, EndReason};
use crate::effect::{EffectSpec, EffectStatus, PredictionKey};
use crate::event::{Cause, CueDetails, EventKind, Origin, RemovalReason, Shared};
use crate::handle::{AbilityHandle, ActivationId, ActiveEffectId, ControllerId, TaskId};
use crate::id::{AttributeId, EffectId};
use crate::refusal::Refusal;
use crate::time::Time;

/// How many effects of a chain a `CascadeLimit` event names.
const CHAIN_SHOWN: usize = 16;

/// A consequence that waits for its turn.
#[derive(Clone, Debug)]
pub(super) enum Consequence {
    /// Apply an effect, an additional, overflow or expiration effect: the first of the specs that wait.
    Apply { target: ControllerId },
    /// Remove an active effect.
    Remove { active: ActiveEffectId, reason: RemovalReason },
    /// Execute a periodic effect out of turn (E7).
    Tick { active: ActiveEffectId },
    /// Adjust a base after its bound moved (B1).
    BoundChanged { controller: ControllerId, attribute: AttributeId, bound: AttributeId, old: f64, new: f64 },
    /// Activate an ability, a triggered or a passive one: with the first of the requests that wait.
    Activate { handle: AbilityHandle },
    /// Cancel a run of an ability.
    Cancel { activation: ActivationId, reason: EndReason },
    /// Go on with a branch that yielded.
    Resume { activation: ActivationId, thread: u32 },
    /// End a wait with the first of its occurrences.
    Complete { task: TaskId },
    /// The player declined what a task asked for.
    Decline { task: TaskId },
    /// Tell native code of an event.
    WakeNative { task: TaskId, event: EventKind },
    /// Look at the inputs that came too early (§11.3).
    Drain { controller: ControllerId },
    /// Cancel everything that a controller does, because it died (§8.6).
    Die { controller: ControllerId },
    /// Despawn a summoned controller whose time is over (A17).
    Despawn { controller: ControllerId },
}

/// A consequence with its place in the chain.
#[derive(Clone, Debug)]
struct Pending {
    consequence: Consequence,
    cause: Cause,
    prediction: Option<PredictionKey>,
    roll: u64,
    /// Position in the trace of what caused it.
    parent: Option<u32>,
}

/// A cue event that waits for the events of values, with the cause of its own moment.
#[derive(Clone, Debug)]
pub(super) struct PendingCue {
    event: EventKind,
    cause: Cause,
    prediction: Option<PredictionKey>,
}

/// Memory of the running operation; empty between calls, apart from capacity.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    pub(super) batch_depth: u32,
    cause: Cause,
    prediction: Option<PredictionKey>,
    /// Another number for every change of cause or prediction, so that whether they are the same can be seen at a glance.
    version: u64,
    /// The prediction that operations belong to unless they say otherwise.
    pub(super) ambient: Option<PredictionKey>,
    /// The ability of which it is settled that it reaches its targets.
    pub(super) reached: Option<AbilityHandle>,
    /// Which of the dice under the prediction come next, where both sides roll alike (V5).
    pub(super) roll: u64,
    queue: VecDeque<Pending>,
    /// How many of the queue end runs of abilities: `Cancel` and `Die`.
    endings: u32,
    /// What those of the queue that apply or activate need, in the same order. It is large and they are few: apart from
    /// the others, which stay small, and without a box for each, which would have to be allocated (I6).
    specs: VecDeque<EffectSpec>,
    requests: VecDeque<ActivationRequest>,
    /// Presses of which more abilities are to be tried once the queue is empty (A13).
    pub(super) presses: VecDeque<super::inputs::PendingPress>,
    /// Effects whose running instance ended on a target, so that the next of the queue may begin.
    pub(super) begins: VecDeque<(EffectId, ControllerId)>,
    /// Effects that ran in this operation, each with the position of what caused it.
    trace: Vec<(EffectId, Option<u32>)>,
    /// Position of what runs now.
    current: Option<u32>,
    steps: u32,
    /// Index of the target in its chain, while a task applies effects to one; 0 otherwise.
    pub(super) jump: u16,
    /// Controllers that tasks spawned in this operation (A17).
    pub(super) spawned: u32,
    /// Whether the limit was reached and reported in this operation.
    limit_reported: bool,
    /// Controllers with slots to be re-evaluated.
    pub(super) dirty: VecDeque<ControllerId>,
    /// Active effects to be re-evaluated.
    pub(super) refresh: VecDeque<ActiveEffectId>,
    /// Of these, values were looked at in the middle of an application, and tags were not.
    pub(super) postponed: Vec<ActiveEffectId>,
    pub(super) changes: Vec<super::flush::Change>,
    /// Cue events that wait until values have had their events (E1).
    pub(super) cues: Vec<PendingCue>,
    pub(super) crossed: Vec<crate::id::TagId>,
    pub(super) selection: crate::targeting::SelectionBuffers,
    /// Memory of the search for cycles of live magnitudes (B6).
    pub(super) search: super::dependencies::SearchMemory,
    pub(super) writes: super::execute::Writes,
    pub(super) plan: Vec<super::execute::Planned>,
    /// Context tags that the last tick marked (E14).
    pub(super) marks: super::calculate::Marks,
    /// What events of refusals were given.
    pub(super) refused_effects: Shared<Refusal>,
    pub(super) refused_abilities: Shared<ActivationRefusal>,
    /// Contexts that events of cues were given.
    pub(super) cue_details: Shared<CueDetails>,
    /// Set while an execution is under way: bases are clamped after the whole batch (M9).
    pub(super) hold_clamp: bool,
    /// Set while an application tries its modifiers; holds the first attribute that has no finite value (V2).
    pub(super) trial: Option<Option<AttributeId>>,
}

impl Scratch {
    /// What happens now is put down to this.
    #[inline]
    pub(super) fn cause(&self) -> Cause {
        self.cause
    }

    /// The prediction that what happens now is part of.
    #[inline]
    pub(super) fn prediction(&self) -> Option<PredictionKey> {
        self.prediction
    }

    /// Where an event of this moment comes from.
    #[inline]
    pub(super) fn origin(&self, time: Time) -> Origin {
        Origin { time, cause: self.cause, prediction: self.prediction }
    }

    /// Equal only if neither the cause nor the prediction was set in between.
    #[inline]
    pub(super) fn version(&self) -> u64 {
        self.version
    }

    /// Makes `cause` that of what follows.
    #[inline]
    pub(super) fn blame(&mut self, cause: Cause) {
        self.cause = cause;
        self.version += 1;
    }

    /// The same, as part of a prediction or of none.
    #[inline]
    pub(super) fn blame_for(&mut self, cause: Cause, prediction: Option<PredictionKey>) {
        self.prediction = prediction;
        self.blame(cause);
    }

    /// Names the instance of the effect that is the cause.
    #[inline]
    pub(super) fn blame_active(&mut self, active: ActiveEffectId) {
        if self.cause.active != Some(active) {
            self.cause.active = Some(active);
            self.version += 1;
        }
    }

    /// Makes what follows part of a prediction, or of none.
    #[inline]
    pub(super) fn predict(&mut self, prediction: Option<PredictionKey>) {
        if self.prediction != prediction {
            self.prediction = prediction;
            self.version += 1;
        }
    }

    /// The next event does not belong to the same run as the one before, whatever its cause.
    pub(super) fn interrupt(&mut self) {
        self.version += 1;
    }

    /// Whether no value waits to be brought up to date.
    #[inline]
    pub(super) fn is_up_to_date(&self) -> bool {
        self.dirty.is_empty() && self.refresh.is_empty()
    }

    /// Whether every value is up to date and has had its event.
    #[inline]
    pub(super) fn has_settled(&self) -> bool {
        self.is_up_to_date() && self.changes.is_empty()
    }

    /// Queues the event of a cue, to be emitted at the next flush, after the events of values (E1).
    pub(super) fn queue_cue(&mut self, event: EventKind) {
        let Self { cause, prediction, .. } = *self;
        self.cues.push(PendingCue { event, cause, prediction });
    }

    /// Forgets all that was under way, and keeps the memory (I6).
    pub(super) fn reset(&mut self) {
        let Self {
            batch_depth,
            cause,
            prediction,
            version,
            ambient,
            reached,
            roll,
            queue,
            endings,
            specs,
            requests,
            presses,
            begins,
            trace,
            current,
            steps,
            jump,
            spawned,
            limit_reported,
            dirty,
            refresh,
            postponed,
            changes,
            cues,
            crossed,
            selection: _,
            search: _,
            writes,
            plan,
            marks,
            refused_effects: _,
            refused_abilities: _,
            cue_details: _,
            hold_clamp,
            trial,
        } = self;
        (*batch_depth, *steps, *limit_reported, *hold_clamp) = (0, 0, false, false);
        (*cause, *prediction, *ambient, *current, *trial) = (Cause::default(), None, None, None, None);
        (*roll, *reached, *spawned, *jump, *endings) = (0, None, 0, 0, 0);
        *version += 1;
        queue.clear();
        specs.clear();
        requests.clear();
        presses.clear();
        begins.clear();
        trace.clear();
        dirty.clear();
        refresh.clear();
        postponed.clear();
        changes.clear();
        cues.clear();
        crossed.clear();
        writes.clear();
        plan.clear();
        marks.clear();
    }
}

impl Simulation {
    /// Runs one call or timer: the change itself, then all that follows from it.
    pub(super) fn operate<R>(&mut self, change: impl FnOnce(&mut Self) -> R) -> R {
        self.begin_operation();
        let result = change(self);
        self.settle();
        result
    }

    /// Gives what follows a budget of its own (E12).
    pub(super) fn reset_budget(&mut self) {
        self.scratch.steps = 0;
        self.scratch.spawned = 0;
        self.scratch.limit_reported = false;
        self.scratch.trace.clear();
        self.scratch.current = None;
    }

    fn begin_operation(&mut self) {
        let operation = self.state.operation;
        self.state.operation += 1;
        self.scratch.blame_for(Cause { operation, ..Cause::default() }, self.scratch.ambient);
        self.scratch.roll = 0;
        if self.scratch.batch_depth == 0 {
            self.reset_budget();
        }
        self.scratch.current = None;
    }

    /// Recalculates and runs consequences until nothing is left to do.
    pub(super) fn settle(&mut self) {
        if self.scratch.batch_depth > 0 {
            return;
        }
        loop {
            if !self.scratch.begins.is_empty() {
                self.begin_queued();
            }
            self.flush();
            let Some(pending) = self.scratch.queue.pop_front() else {
                // What the recalculation ended may have been waited for.
                if !self.scratch.begins.is_empty() && self.has_budget() {
                    continue;
                }
                let Some(press) = self.scratch.presses.pop_front() else { break };
                match self.take_step() {
                    true => self.try_next(press),
                    false => self.report_cascade(None, 1),
                }
                continue;
            };
            if matches!(pending.consequence, Consequence::Cancel { .. } | Consequence::Die { .. }) {
                self.scratch.endings -= 1;
            }
            if !self.take_step() {
                let dropped = self.scratch.queue.len() as u32 + 1;
                let parent = pending.parent;
                self.give_up(pending.consequence);
                while let Some(pending) = self.scratch.queue.pop_front() {
                    self.give_up(pending.consequence);
                }
                self.scratch.endings = 0;
                self.report_cascade(parent, dropped);
                continue;
            }
            self.scratch.blame_for(pending.cause, pending.prediction);
            self.scratch.roll = pending.roll;
            self.scratch.current = pending.parent;
            match pending.consequence {
                Consequence::Apply { target } => {
                    let Some(mut spec) = self.scratch.specs.pop_front() else { continue };
                    // E8: its source is captured now that values are up to date, not when it was thought of.
                    if let Some(effect) = self.state.definition(&self.catalog, spec.effect).cloned() {
                        let source = spec.context.source;
                        self.capture_into(&mut spec, &effect, crate::expr::Side::Source, source);
                    }
                    // A refusal has raised its event; there is nobody else to tell.
                    let _ = self.apply_one(&mut spec, target);
                }
                Consequence::Remove { active, reason } => {
                    // E6: one whose time was prolonged since has not expired.
                    let now = self.state.now;
                    let lives =
                        |active| self.state.effects.get(active).is_some_and(|a| a.expires() > Some(now));
                    if reason != RemovalReason::Expired || !lives(active) {
                        self.remove_active(active, reason);
                    }
                }
                Consequence::Tick { active } => self.execute_tick(active),
                Consequence::BoundChanged { controller, attribute, bound, old, new } => {
                    self.follow_bound(controller, attribute, bound, old, new);
                }
                Consequence::Activate { handle } => {
                    let Some(mut request) = self.scratch.requests.pop_front() else { continue };
                    request.prediction =
                        request.prediction.or_else(|| self.dependent_key(pending.prediction, handle));
                    // A7: a tag that has come and gone again keeps nothing active.
                    let owner = self.state.abilities.get(handle).map(|granted| granted.controller);
                    let is_there = |tag| owner.is_some_and(|owner| self.has_tag(owner, tag));
                    if request.while_tag.is_none_or(is_there) {
                        // A refusal has raised its event.
                        let _ = self.activate_one(handle, request);
                    }
                }
                Consequence::Cancel { activation, reason } => self.cancel_when_settled(activation, reason),
                // A4: a branch does not go on for a run that is about to be cancelled.
                Consequence::Resume { activation, thread } if self.is_ending(activation, thread) => {
                    self.scratch.queue.push_back(pending);
                }
                Consequence::Resume { activation, thread } => self.resume(activation, thread),
                Consequence::Complete { task } => self.finish_wait(task),
                Consequence::Decline { task } => {
                    if let Some(activation) = self.state.tasks.get(task).map(|task| task.activation) {
                        self.end_activation(activation, EndReason::Declined);
                    }
                }
                Consequence::WakeNative { task, event } => self.wake_custom(task, Some(&event)),
                Consequence::Drain { controller } => self.drain_buffer(controller),
                Consequence::Die { controller } => self.die(controller),
                Consequence::Despawn { controller } => self.destroy(controller),
            }
        }
        if !self.scratch.begins.is_empty() {
            self.find_idle_queues();
        }
        self.scratch.current = None;
        self.scratch.predict(None);
    }

    /// Whether the queue holds the end of a run: its cancellation, or the death of its owner. A branch that reacts to what
    /// cancels the run goes on all the same.
    fn is_ending(&self, id: ActivationId, thread: u32) -> bool {
        if self.scratch.endings == 0 {
            return false;
        }
        let Some(run) = self.state.activations.get(id) else { return false };
        let is_reacting = run.thread(thread).is_some_and(|thread| thread.reacting);
        let ends = |pending: &Pending| match pending.consequence {
            Consequence::Cancel { activation, .. } => activation == id,
            Consequence::Die { controller } => controller == run.controller,
            _ => false,
        };
        !is_reacting && self.scratch.queue.iter().any(ends)
    }

    /// E12: queues of which nothing runs, because the budget was used up: the next operation begins them. They follow
    /// from the state, in an order that is its own, so that a copy of it goes on alike (I1).
    pub(super) fn find_idle_queues(&mut self) {
        let mut idle = core::mem::take(&mut self.scratch.begins);
        idle.clear();
        for (target, controller) in self.state.controllers.iter() {
            for &id in controller.effects() {
                let Some(active) = self.state.effects.get(id) else { continue };
                let waits = active.status == EffectStatus::Queued;
                if waits && self.instances_of(active.effect, target).next() == Some(id) {
                    idle.push_back((active.effect, target));
                }
            }
        }
        self.scratch.begins = idle;
    }

    /// E12: what is dropped at the limit. A run of an ability that would wait for it for ever is ended, and what would
    /// have been ended is.
    fn give_up(&mut self, consequence: Consequence) {
        let of_task = |sim: &Self, task| sim.state.tasks.get(task).map(|task| task.activation);
        let (activation, reason) = match consequence {
            Consequence::Resume { activation, .. } => (Some(activation), EndReason::OutOfBudget),
            Consequence::Complete { task, .. } | Consequence::WakeNative { task, .. } => {
                (of_task(self, task), EndReason::OutOfBudget)
            }
            Consequence::Decline { task } => (of_task(self, task), EndReason::Declined),
            Consequence::Cancel { activation, reason } => (Some(activation), reason),
            Consequence::Die { controller } => return self.die(controller),
            Consequence::Despawn { controller } => return self.destroy(controller),
            Consequence::Apply { .. } => return drop(self.scratch.specs.pop_front()),
            Consequence::Activate { .. } => return drop(self.scratch.requests.pop_front()),
            _ => return,
        };
        if let Some(activation) = activation {
            self.end_activation(activation, reason);
        }
    }

    /// E4: where a running instance ended, the next of its queue begins, before values are looked at: nobody sees the
    /// gap. A loop and not a recursion, for one that begins may end others.
    pub(super) fn begin_queued(&mut self) {
        while let Some((effect, target)) = self.scratch.begins.pop_front() {
            if !self.take_step() {
                // They are not forgotten: a queue that nobody begins would stand still for ever.
                self.scratch.begins.push_front((effect, target));
                let waiting = self.scratch.begins.len() as u32;
                self.report_cascade(None, waiting);
                return;
            }
            self.begin_next(effect, target);
        }
    }

    /// Emits the queued cue events, each with the cause and the prediction of the moment that queued it (E1).
    pub(super) fn emit_queued_cues(&mut self) {
        let mut cues = core::mem::take(&mut self.scratch.cues);
        let (cause, prediction) = (self.scratch.cause(), self.scratch.prediction());
        for cue in cues.drain(..) {
            self.scratch.blame_for(cue.cause, cue.prediction);
            self.emit(cue.event);
        }
        self.scratch.blame_for(cause, prediction);
        self.scratch.cues = cues;
    }

    /// Emits the queued cue events at once, unless a value still waits for its own event (E1).
    pub(super) fn emit_cues_if_settled(&mut self) {
        if self.scratch.has_settled() {
            self.emit_queued_cues();
        }
    }

    pub(super) fn enqueue(&mut self, consequence: Consequence) {
        if matches!(consequence, Consequence::Cancel { .. } | Consequence::Die { .. }) {
            self.scratch.endings += 1;
        }
        let Scratch { cause, prediction, roll, current, .. } = self.scratch;
        self.scratch.queue.push_back(Pending { consequence, cause, prediction, roll, parent: current });
    }

    pub(super) fn enqueue_application(&mut self, spec: EffectSpec, target: ControllerId) {
        self.scratch.specs.push_back(spec);
        self.enqueue(Consequence::Apply { target });
    }

    pub(super) fn enqueue_activation(&mut self, handle: AbilityHandle, request: ActivationRequest) {
        self.scratch.requests.push_back(request);
        self.enqueue(Consequence::Activate { handle });
    }

    /// Notes that an effect runs, as a link of the chain that a cascade limit names.
    pub(super) fn trace(&mut self, effect: EffectId) {
        if self.scratch.trace.len() < self.config.cascade_limit as usize {
            self.scratch.trace.push((effect, self.scratch.current));
            self.scratch.current = Some(self.scratch.trace.len() as u32 - 1);
        }
    }

    /// Whether another step may be taken.
    fn has_budget(&self) -> bool {
        self.scratch.steps < self.config.cascade_limit
    }

    /// Counts a step; false once the limit is reached.
    pub(super) fn take_step(&mut self) -> bool {
        self.scratch.steps += 1;
        self.scratch.steps <= self.config.cascade_limit
    }

    pub(super) fn report_cascade(&mut self, last: Option<u32>, dropped: u32) {
        if core::mem::replace(&mut self.scratch.limit_reported, true) {
            return;
        }
        let mut chain = Vec::new();
        let mut next = last.or(self.scratch.current);
        while let Some(&(effect, parent)) = next.and_then(|at| self.scratch.trace.get(at as usize)) {
            chain.push(effect);
            if chain.len() == CHAIN_SHOWN {
                break;
            }
            next = parent;
        }
        chain.reverse();
        self.emit(EventKind::CascadeLimit { chain, dropped });
    }
}
