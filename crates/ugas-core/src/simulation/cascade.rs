//! Cascades (E12): consequences run from a queue until it is empty, within a budget. Never a hang, never a
//! stack overflow.

use std::collections::VecDeque;

use super::execute::ValueEvents;
use super::op::Op;
use super::pool::{Pool, PoolKey};
use super::{ActivationRequest, Simulation};
use crate::ability::EndReason;
use crate::effect::{EffectSpec, EffectStatus};
use crate::event::{Cause, EventKind, RemovalReason};
use crate::handle::{ActivationId, ActiveEffectId, ControllerId, GrantedAbilityId, TaskId};
use crate::id::{AttributeId, EffectId};

/// Largest number of effects that a `CascadeLimit` event lists.
const CHAIN_SHOWN: usize = 16;

/// A queued consequence.
#[derive(Clone, Debug)]
pub(super) enum Consequence {
    /// Apply a spec: an additional, overflow or expiration effect.
    Apply { spec: PoolKey, target: ControllerId },
    /// Remove an active effect.
    Remove { active: ActiveEffectId, reason: RemovalReason },
    /// Execute a periodic effect out of turn (E7).
    Tick { active: ActiveEffectId },
    /// Adjust a base after its bound moved (B1).
    BoundChanged { controller: ControllerId, attribute: AttributeId, bound: AttributeId, old: f64, new: f64 },
    /// Activate a triggered or passive ability.
    Activate { handle: GrantedAbilityId, request: PoolKey },
    /// Cancel an activation.
    Cancel { activation: ActivationId, reason: EndReason },
    /// Continue a branch that yielded.
    Resume { activation: ActivationId, branch: u32 },
    /// End a wait with the first of its queued occurrences.
    Complete { task: TaskId },
    /// The player declined the confirmation that a task waits for.
    Decline { task: TaskId },
    /// Notify a native task of an event.
    WakeNative { task: TaskId, event: EventKind },
    /// Retry the buffered inputs of a controller (§11.3).
    Drain { controller: ControllerId },
    /// Cancel the abilities of a controller that died (§8.6).
    Die { controller: ControllerId },
    /// Despawn a summoned controller whose lifetime is over (A17).
    Despawn { controller: ControllerId },
}

/// A queued consequence with its origin.
#[derive(Clone, Debug)]
struct Pending {
    consequence: Consequence,
    op: Op,
}

/// Consequences of the running operation, with their budget; empty between calls, apart from capacity and from
/// queues of effects that wait for the next operation.
#[derive(Clone, Debug, Default)]
pub(super) struct Cascade {
    queue: VecDeque<Pending>,
    /// Number of queued consequences that end activations: `Cancel` and `Die`.
    endings: u32,
    /// Specs and requests of queued consequences. They are large and few: kept apart, queue entries stay
    /// small and need no boxes (I6).
    specs: Pool<EffectSpec>,
    requests: Pool<ActivationRequest>,
    /// Presses with further abilities to try once the queue is empty (A13).
    pub(super) presses: VecDeque<super::inputs::PendingPress>,
    /// Despawns that wait until the queue is empty (A17).
    departures: VecDeque<Pending>,
    /// Effects whose running instance on a target ended, so that the next queued instance may begin (E4).
    pub(super) begins: VecDeque<(EffectId, ControllerId)>,
    /// Effects that ran in this operation, each with the index of the entry that caused it.
    trace: Vec<(EffectId, Option<u32>)>,
    steps: u32,
    /// Number of controllers that tasks spawned in this operation (A17).
    pub(super) spawned: u32,
    /// Whether the cascade limit was reported in this operation.
    limit_reported: bool,
}

impl Cascade {
    /// Whether nothing is queued.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        (self.queue.len() | self.departures.len() | self.presses.len() | self.begins.len()) == 0
    }

    /// Queues a consequence with its origin.
    fn push(&mut self, consequence: Consequence, op: Op) {
        self.endings += u32::from(consequence.is_ending());
        self.queue.push_back(Pending { consequence, op });
    }

    /// Takes the next consequence.
    fn pop(&mut self) -> Option<Pending> {
        let pending = self.queue.pop_front()?;
        self.endings -= u32::from(pending.consequence.is_ending());
        Some(pending)
    }

    /// Starts a new budget (E12).
    pub(super) fn reset_budget(&mut self) {
        (self.steps, self.spawned, self.limit_reported) = (0, 0, false);
        self.trace.clear();
    }

    /// Uses up the budget, without a report.
    pub(super) fn exhaust(&mut self, limit: u32) {
        (self.steps, self.limit_reported) = (limit, true);
    }

    /// Effects that led to an entry of the trace, the last [`CHAIN_SHOWN`] of them, in their order.
    fn chain(&self, last: Option<u32>) -> Vec<EffectId> {
        let entry = |at: Option<u32>| at.and_then(|at| self.trace.get(at as usize));
        let entries = core::iter::successors(entry(last), |(_, parent)| entry(*parent));
        let mut chain: Vec<EffectId> = entries.take(CHAIN_SHOWN).map(|(effect, _)| *effect).collect();
        chain.reverse();
        chain
    }

    pub(super) fn clear(&mut self) {
        self.reset_budget();
        let Self { queue, endings, specs, requests, presses, departures, begins, .. } = self;
        *endings = 0;
        queue.clear();
        specs.clear();
        requests.clear();
        presses.clear();
        departures.clear();
        begins.clear();
    }
}

impl Consequence {
    /// Whether it ends activations.
    fn is_ending(&self) -> bool {
        matches!(self, Self::Cancel { .. } | Self::Die { .. })
    }
}

impl Simulation {
    /// Runs one operation, a call or a timer: the change itself, then all of its consequences. Inside a batch
    /// the consequences wait for its end.
    pub(super) fn operate<R>(&mut self, change: impl FnOnce(&mut Self) -> R) -> R {
        if self.scratch.current.batch_depth == 0 {
            self.scratch.cascade.reset_budget();
        }
        self.run_operation(change)
    }

    /// Runs an operation that shares the cascade budget of the one before (E12).
    pub(super) fn continue_cascade<R>(&mut self, change: impl FnOnce(&mut Self) -> R) -> R {
        if self.scratch.current.batch_depth == 0 {
            self.scratch.cascade.trace.clear();
        }
        self.run_operation(change)
    }

    /// Runs the change of an operation under a cause of its own, then its consequences.
    #[inline]
    fn run_operation<R>(&mut self, change: impl FnOnce(&mut Self) -> R) -> R {
        let operation = self.state.operation;
        self.state.operation += 1;
        let cause = Cause { operation, ..Cause::default() };
        self.scratch.current.set_op(Op { cause, prediction: self.scratch.current.ambient, ..Op::default() });
        let result = self.guarded(change, Self::abandon);
        self.settle();
        result
    }

    /// Recalculates and runs consequences until the queue is empty; then despawns and further abilities of a
    /// press get their turn. At the cascade limit the queue is dropped and reported (E12). Does nothing
    /// inside a batch; ends without a prediction.
    #[inline]
    pub(super) fn settle(&mut self) {
        if self.scratch.current.batch_depth > 0 {
            return;
        }
        if self.scratch.has_work() {
            self.guarded(Self::run_consequences, Self::abandon);
        }
        self.scratch.current.op.parent = None;
        self.scratch.current.predict(None);
    }

    /// The loop of [`Self::settle`].
    pub(super) fn run_consequences(&mut self) {
        loop {
            if !self.scratch.cascade.begins.is_empty() {
                self.begin_queued();
            }
            self.flush();
            let Some(pending) = self.scratch.cascade.pop() else {
                // The recalculation may have ended instances that queued ones waited for.
                if !self.scratch.cascade.begins.is_empty() && self.has_budget() {
                    continue;
                }
                if let Some(departure) = self.scratch.cascade.departures.pop_front() {
                    self.scratch.cascade.queue.push_back(departure);
                    continue;
                }
                let Some(press) = self.scratch.cascade.presses.pop_front() else { break };
                match self.take_step() {
                    true => self.try_next(press),
                    false => self.report_cascade(None, 1),
                }
                continue;
            };
            if !self.take_step() {
                let dropped = self.scratch.cascade.queue.len() as u32 + 1;
                let parent = pending.op.parent;
                self.give_up(pending.consequence);
                while let Some(pending) = self.scratch.cascade.pop() {
                    self.give_up(pending.consequence);
                }
                self.report_cascade(parent, dropped);
                continue;
            }
            self.scratch.current.set_op(pending.op);
            match pending.consequence {
                Consequence::Apply { spec, target } => {
                    let Some(mut spec) = self.scratch.cascade.specs.take(spec) else { continue };
                    // E8: the source is captured now that values are up to date, not when the consequence was
                    // queued.
                    if let Some(effect) = self.state.definition(&self.catalog, spec.effect).cloned() {
                        let source = spec.context.source;
                        self.capture_into(&mut spec, &effect, crate::expr::Side::Source, source);
                    }
                    // A refusal has emitted its event; no caller needs the result.
                    let _ = self.apply_one(&mut spec, target);
                }
                Consequence::Remove { active, reason } => {
                    // E6: an effect whose duration was extended since has not expired.
                    let now = self.state.now;
                    let lives =
                        |active| self.state.effects.get(active).is_some_and(|a| a.expires() > Some(now));
                    if reason != RemovalReason::Expired || !lives(active) {
                        self.remove_active(active, reason);
                    }
                }
                Consequence::Tick { active } => {
                    let _ = self.execute_tick(active, ValueEvents::AtOnce);
                }
                Consequence::BoundChanged { controller, attribute, bound, old, new } => {
                    self.follow_bound(controller, attribute, bound, old, new);
                }
                Consequence::Activate { handle, request } => {
                    let Some(mut request) = self.scratch.cascade.requests.take(request) else { continue };
                    request.prediction =
                        request.prediction.or_else(|| self.dependent_key(pending.op.prediction, handle));
                    // A7: a tag that was removed again keeps nothing active.
                    let owner = self.state.abilities.get(handle).map(|granted| granted.controller);
                    let is_there = |tag| owner.is_some_and(|owner| self.has_tag(owner, tag));
                    if request.while_tag.is_none_or(is_there) {
                        // A refusal has emitted its event.
                        let _ = self.activate_one(handle, request);
                    }
                }
                Consequence::Cancel { activation, reason } => self.cancel_when_settled(activation, reason),
                // A4: a branch does not continue if its activation is about to be cancelled.
                Consequence::Resume { activation, branch } if self.is_ending(activation, branch) => {
                    self.scratch.cascade.queue.push_back(pending);
                }
                Consequence::Resume { activation, branch } => self.resume(activation, branch),
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
        if !self.scratch.cascade.begins.is_empty() {
            self.find_idle_queues();
        }
    }

    /// Whether the queue holds the end of an activation: its cancellation, or the death of its owner. A
    /// branch that reacts to the cause of the cancellation continues all the same.
    fn is_ending(&self, id: ActivationId, branch: u32) -> bool {
        if self.scratch.cascade.endings == 0 {
            return false;
        }
        let Some(run) = self.state.activations.get(id) else { return false };
        let is_reacting = run.branch(branch).is_some_and(|branch| branch.reacting);
        let ends = |pending: &Pending| match pending.consequence {
            Consequence::Cancel { activation, .. } => activation == id,
            Consequence::Die { controller } => controller == run.controller,
            _ => false,
        };
        !is_reacting && self.scratch.cascade.queue.iter().any(ends)
    }

    /// E12: finds effect queues without a running instance, left by an exhausted budget; the next operation
    /// begins them. They are derived from the state in its own order, so that a copy continues identically
    /// (I1).
    pub(super) fn find_idle_queues(&mut self) {
        let mut idle = core::mem::take(&mut self.scratch.cascade.begins);
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
        self.scratch.cascade.begins = idle;
    }

    /// E12: drops a consequence at the limit. An activation that would wait for it for ever is ended, and a
    /// pending end is carried out.
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
            Consequence::Apply { spec, .. } => return drop(self.scratch.cascade.specs.take(spec)),
            Consequence::Activate { request, .. } => {
                return drop(self.scratch.cascade.requests.take(request));
            }
            _ => return,
        };
        if let Some(activation) = activation {
            self.end_activation(activation, reason);
        }
    }

    /// E4: begins the next queued instance where a running one ended, before values are recalculated, so that
    /// nobody sees the gap. A loop instead of recursion, since an instance that begins may end others. At the
    /// cascade limit the rest stays listed for the next operation.
    pub(super) fn begin_queued(&mut self) {
        while let Some((effect, target)) = self.scratch.cascade.begins.pop_front() {
            if !self.take_step() {
                // They stay listed: a queue that nothing begins would stall for ever.
                self.scratch.cascade.begins.push_front((effect, target));
                let waiting = self.scratch.cascade.begins.len() as u32;
                self.report_cascade(None, waiting);
                return;
            }
            self.begin_next(effect, target);
        }
    }

    /// Emits the queued cue events, each with the cause and prediction of the time of queueing (E1).
    pub(super) fn emit_queued_cues(&mut self) {
        let mut cues = core::mem::take(&mut self.scratch.pending.cues);
        let op = self.scratch.current.op();
        for (event, op) in cues.drain(..) {
            self.scratch.current.set_op(op);
            self.emit(event);
        }
        self.scratch.current.set_op(op);
        self.scratch.pending.cues = cues;
    }

    /// Emits the queued cue events at once, unless a value still waits for its own event (E1).
    pub(super) fn emit_cues_if_settled(&mut self) {
        if self.scratch.pending.has_settled() {
            self.emit_queued_cues();
        }
    }

    /// Queues a consequence with the current cause, prediction, shared roll and position in the trace.
    pub(super) fn enqueue(&mut self, consequence: Consequence) {
        self.scratch.cascade.push(consequence, self.scratch.current.op);
    }

    /// Queues a despawn after all other consequences of the operation (A17).
    pub(super) fn enqueue_departure(&mut self, controller: ControllerId) {
        let consequence = Consequence::Despawn { controller };
        self.scratch.cascade.departures.push_back(Pending { consequence, op: self.scratch.current.op });
    }

    /// Queues the application of a spec to a target. A refusal emits an event then.
    pub(super) fn enqueue_application(&mut self, spec: EffectSpec, target: ControllerId) {
        let spec = self.scratch.cascade.specs.put(spec);
        self.enqueue(Consequence::Apply { spec, target });
    }

    /// Queues the activation of a granted ability. A refusal emits an event then.
    pub(super) fn enqueue_activation(&mut self, handle: GrantedAbilityId, request: ActivationRequest) {
        let request = self.scratch.cascade.requests.put(request);
        self.enqueue(Consequence::Activate { handle, request });
    }

    /// Records that an effect runs, for the chain that a `CascadeLimit` event lists, and makes it the parent
    /// of consequences queued from now on.
    pub(super) fn trace(&mut self, effect: EffectId) {
        if self.scratch.cascade.trace.len() < self.config.cascade_limit as usize {
            self.scratch.cascade.trace.push((effect, self.scratch.current.op.parent));
            self.scratch.current.op.parent = Some(self.scratch.cascade.trace.len() as u32 - 1);
        }
    }

    /// Whether the budget allows another step.
    fn has_budget(&self) -> bool {
        self.scratch.cascade.steps < self.config.cascade_limit
    }

    /// Counts a step of the cascade; false if it exceeds the cascade limit and must not be carried out.
    pub(super) fn take_step(&mut self) -> bool {
        self.scratch.cascade.steps += 1;
        self.scratch.cascade.steps <= self.config.cascade_limit
    }

    /// Emits `CascadeLimit`, at most once in an operation. `last` is the trace index of the effect whose
    /// consequence was dropped, by default the effect that runs now; `dropped` is the number of dropped or
    /// postponed items.
    pub(super) fn report_cascade(&mut self, last: Option<u32>, dropped: u32) {
        if core::mem::replace(&mut self.scratch.cascade.limit_reported, true) {
            return;
        }
        let chain = self.scratch.cascade.chain(last.or(self.scratch.current.op.parent));
        self.emit(EventKind::CascadeLimit { chain, dropped });
    }
}
