//! Tasks written in Rust (§10.4): state machines over plain data.

use smallvec::SmallVec;

use super::memory::TaskMemory;
use super::routine::Number;
use super::running::Subject;
use crate::ability::{Ability, GameplayEvent, ParameterDef};
use crate::event::EventKind;
use crate::handle::{ActiveEffectId, ControllerId};
use crate::id::{EffectId, TagId};
use crate::refusal::RefusalReason;
use crate::simulation::{Simulation, Stacks};
use crate::time::{Span, Time};

/// Result of a call of a custom task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TaskProgress {
    /// It waits for its subscriptions or its timer.
    Waiting,
    /// It is done: the ability continues.
    Done,
    /// It failed: the ability is cancelled.
    Failed,
}

/// A task written in Rust and registered with
/// [`CatalogBuilder::custom_task`](crate::catalog::CatalogBuilder::custom_task).
///
/// Its code lives in the catalog and is a deterministic function of its arguments; its only state is the value
/// that it [stores](TaskContext::store), which is part of snapshot and hash (I1). It needs no clean-up:
/// subscriptions and timers are removed when the task ends, however it ends (§10.5).
///
/// ```
/// use ugas_core::event::EventKind;
/// use ugas_core::id::AttributeId;
/// use ugas_core::task::{CustomTask, Subject, TaskContext, TaskProgress};
///
/// /// §10.4: waits until an attribute is at or below a threshold.
/// struct WaitForThreshold { attribute: String }
///
/// impl WaitForThreshold {
///     fn look(&self, context: &TaskContext<'_>) -> TaskProgress {
///         let threshold = context.param("Threshold").unwrap_or(0.0);
///         let Ok(attribute) = context.simulation().catalog().attribute(&self.attribute) else {
///             return TaskProgress::Failed;
///         };
///         match context.simulation().current(context.owner(), attribute) {
///             Some(value) if value <= threshold => TaskProgress::Done,
///             Some(_) => TaskProgress::Waiting,
///             None => TaskProgress::Failed,
///         }
///     }
/// }
///
/// impl CustomTask for WaitForThreshold {
///     fn activate(&self, context: &mut TaskContext<'_>) -> TaskProgress {
///         if let Ok(attribute) = context.simulation().catalog().attribute(&self.attribute) {
///             context.subscribe(Subject::Attribute(attribute));
///         }
///         self.look(context) // done at once if the condition holds already
///     }
///
///     fn wake(&self, context: &mut TaskContext<'_>, _event: &EventKind) -> TaskProgress {
///         self.look(context)
///     }
/// }
/// ```
///
/// [`Simulation`](crate::simulation::Simulation) documents what a panic leads to.
pub trait CustomTask: Send + Sync {
    /// Called when the task begins. It subscribes to its subjects, and may be done at once.
    fn activate(&self, context: &mut TaskContext<'_>) -> TaskProgress;

    /// Called when an event of the owner, or of a [watched](TaskContext::watch) controller, matches a subscription.
    fn wake(&self, context: &mut TaskContext<'_>, event: &EventKind) -> TaskProgress {
        let _ = (context, event);
        TaskProgress::Waiting
    }

    /// Called when its timer fires.
    fn timer(&self, context: &mut TaskContext<'_>) -> TaskProgress {
        let _ = context;
        TaskProgress::Done
    }

    /// Whether it may wait. A task that never waits can be used in abilities without instances (A7).
    fn waits(&self) -> bool {
        true
    }
}

/// Requests of a custom task during a call.
#[derive(Clone, Debug, Default)]
pub(crate) struct TaskRequests {
    pub(crate) subjects: SmallVec<[Subject; 2]>,
    pub(crate) deadline: Option<Time>,
    pub(crate) outputs: SmallVec<[(Box<str>, f64); 1]>,
    /// Subscriptions to other controllers than the owner.
    pub(crate) watched: SmallVec<[(ControllerId, Subject); 1]>,
    /// In the order of the requests.
    pub(crate) actions: SmallVec<[TaskAction; 1]>,
}

/// Change that a custom task makes after its call.
#[derive(Clone, Debug)]
pub(crate) enum TaskAction {
    Apply(TaskApplication),
    Remove(ActiveEffectId, Stacks),
    Send(ControllerId, GameplayEvent),
}

/// An effect that a custom task applies after its call, at the level of the ability unless another is set.
#[derive(Clone, PartialEq, Debug)]
pub struct TaskApplication {
    pub(crate) effect: EffectId,
    pub(crate) target: ControllerId,
    pub(crate) level: Option<f64>,
    pub(crate) magnitudes: SmallVec<[(TagId, f64); 1]>,
}

impl TaskApplication {
    /// Sets the level of the effect.
    pub fn level(&mut self, level: f64) -> &mut Self {
        self.level = Some(level);
        self
    }

    /// Sets a set-by-caller magnitude of the effect (E9).
    pub fn set_by_caller(&mut self, tag: TagId, value: f64) -> &mut Self {
        self.magnitudes.push((tag, value));
        self
    }
}

/// Context of a call of a custom task: readable state, and requests.
pub struct TaskContext<'a> {
    pub(crate) simulation: &'a Simulation,
    pub(crate) owner: ControllerId,
    pub(crate) target: Option<ControllerId>,
    pub(crate) ability: &'a Ability,
    /// Its parameters by name; their values when the task began are in `values`.
    pub(crate) params: &'a [(Box<str>, Number)],
    pub(crate) values: &'a [f64],
    pub(crate) memory: &'a mut SmallVec<[f64; 2]>,
    pub(crate) requests: TaskRequests,
}

impl<'a> TaskContext<'a> {
    /// The simulation, for reading.
    pub fn simulation(&self) -> &'a Simulation {
        self.simulation
    }

    /// The owner of the ability.
    pub fn owner(&self) -> ControllerId {
        self.owner
    }

    /// The activation's target.
    pub fn target(&self) -> Option<ControllerId> {
        self.target
    }

    /// A parameter of the task, evaluated when it began.
    pub fn param(&self, name: &str) -> Option<f64> {
        let at = self.params.iter().position(|(known, _)| **known == *name)?;
        self.values.get(at).copied()
    }

    /// A parameter of the ability's definition: a tag, or a text for native code (A18).
    pub fn ability_parameter(&self, name: &str) -> Option<&'a ParameterDef> {
        self.ability.parameter(name)
    }

    /// The value that the task stored last; `None` if it has stored none, or one of another type.
    ///
    /// ```
    /// # use ugas_core::task::{TaskContext, TaskProgress};
    /// fn third_time(context: &mut TaskContext<'_>) -> TaskProgress {
    ///     let calls = context.load::<u32>().unwrap_or(0) + 1;
    ///     context.store(&calls);
    ///     if calls == 3 { TaskProgress::Done } else { TaskProgress::Waiting }
    /// }
    /// ```
    pub fn load<T: TaskMemory>(&self) -> Option<T> {
        let mut numbers = &self.memory[..];
        let value = T::read(&mut numbers)?;
        (numbers.is_empty() && !self.memory.is_empty()).then_some(value)
    }

    /// Stores the state of the task until its next call, in place of what it stored before. Numbers that are not
    /// finite become zero (V2).
    pub fn store<T: TaskMemory>(&mut self, value: &T) {
        self.memory.clear();
        value.write(&mut |number| self.memory.push(number));
    }

    /// Subscribes to a subject of the owner.
    pub fn subscribe(&mut self, subject: Subject) {
        self.requests.subjects.push(subject);
    }

    /// Subscribes to a subject of another controller, such as the target, until the task ends. A client watches
    /// for tasks that it has begun itself, until the server's record of the activation arrives.
    pub fn watch(&mut self, controller: ControllerId, subject: Subject) {
        if controller == self.owner {
            return self.subscribe(subject);
        }
        self.requests.watched.push((controller, subject));
    }

    /// Sets the timer; replaces an earlier one.
    pub fn wake_in(&mut self, span: Span) {
        self.requests.deadline = Some(self.simulation.now() + span.max(Span::ZERO));
    }

    /// Applies an effect when the call is over, with the ability as its source. The ability must name the
    /// effect in a task or in its list of allowed effects (§13.7); otherwise the application is refused with
    /// [`NotAuthorised`](crate::refusal::RefusalReason::NotAuthorised). A refusal is an event; the task
    /// continues.
    pub fn apply(&mut self, effect: EffectId, target: ControllerId) -> &mut TaskApplication {
        let application = TaskApplication { effect, target, level: None, magnitudes: SmallVec::new() };
        self.requests.actions.push(TaskAction::Apply(application));
        match self.requests.actions.last_mut() {
            Some(TaskAction::Apply(last)) => last,
            _ => unreachable!("an application was pushed"),
        }
    }

    /// Removes an active effect, or some of its stacks, when the call is over. Does nothing if it has ended by
    /// then, or on a client that leaves its removal to the authority (§13).
    pub fn remove(&mut self, active: ActiveEffectId, stacks: Stacks) {
        self.requests.actions.push(TaskAction::Remove(active, stacks));
    }

    /// Sends a gameplay event when the call is over (A11), with the owner as instigator unless it has another.
    ///
    /// # Errors
    /// As [`Simulation::send_event`].
    pub fn send_event(
        &mut self,
        controller: ControllerId,
        mut event: GameplayEvent,
    ) -> Result<(), RefusalReason> {
        self.simulation.check_sent(controller, &event)?;
        event.instigator.get_or_insert(self.owner);
        self.requests.actions.push(TaskAction::Send(controller, event));
        Ok(())
    }

    /// Stores a number for later tasks of the activation, which read it with `Param("Name")`.
    pub fn output(&mut self, name: &str, value: f64) {
        self.requests.outputs.push((name.into(), value));
    }
}
