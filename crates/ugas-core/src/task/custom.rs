//! Tasks written in Rust (§10.4): state machines over plain data.

use smallvec::SmallVec;

use super::routine::Number;
use super::running::Subject;
use crate::ability::{Ability, ParameterDef};
use crate::event::EventKind;
use crate::handle::ControllerId;
use crate::id::{EffectId, TagId};
use crate::simulation::Simulation;
use crate::time::{Span, Time};

/// What a custom task says after it was called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TaskProgress {
    /// It waits to be told of what it is subscribed to.
    Waiting,
    /// It is done: the ability goes on.
    Done,
    /// It cannot be done: the ability is cancelled.
    Failed,
}

/// A task written in Rust and registered with
/// [`CatalogBuilder::custom_task`](crate::catalog::CatalogBuilder::custom_task).
///
/// Its code lives in the catalog and is a deterministic function of its arguments; all that it remembers are the
/// numbers in [`TaskContext::memory`], which are part of snapshot and hash (I1). Clean-up is nobody's duty:
/// subscriptions and timers go when the task ends, however it ends (§10.5).
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
pub trait CustomTask: Send + Sync {
    /// The task begins. It subscribes to what it wants to be told of, and may be done at once.
    fn activate(&self, context: &mut TaskContext<'_>) -> TaskProgress;

    /// Something that it is subscribed to happened to the owner.
    fn wake(&self, context: &mut TaskContext<'_>, event: &EventKind) -> TaskProgress {
        let _ = (context, event);
        TaskProgress::Waiting
    }

    /// The time that it asked for has come.
    fn timer(&self, context: &mut TaskContext<'_>) -> TaskProgress {
        let _ = context;
        TaskProgress::Done
    }

    /// Whether it may last. One that never does can be used in abilities without instances (A7).
    fn waits(&self) -> bool {
        true
    }
}

/// What a custom task asked for during a call.
#[derive(Clone, Debug, Default)]
pub(crate) struct TaskRequests {
    pub(crate) subjects: SmallVec<[Subject; 2]>,
    pub(crate) deadline: Option<Time>,
    pub(crate) outputs: SmallVec<[(Box<str>, f64); 1]>,
    pub(crate) applications: SmallVec<[TaskApplication; 1]>,
}

/// An effect that a custom task applies after its call, at the level of the ability unless it is given one.
#[derive(Clone, PartialEq, Debug)]
pub struct TaskApplication {
    pub(crate) effect: EffectId,
    pub(crate) target: ControllerId,
    pub(crate) level: Option<f64>,
    pub(crate) magnitudes: SmallVec<[(TagId, f64); 1]>,
}

impl TaskApplication {
    /// Gives the effect a level of its own.
    pub fn level(&mut self, level: f64) -> &mut Self {
        self.level = Some(level);
        self
    }

    /// Provides a number for the effect (E9).
    pub fn set_by_caller(&mut self, tag: TagId, value: f64) -> &mut Self {
        self.magnitudes.push((tag, value));
        self
    }
}

/// What a custom task sees and may ask for.
pub struct TaskContext<'a> {
    pub(crate) simulation: &'a Simulation,
    pub(crate) owner: ControllerId,
    pub(crate) target: Option<ControllerId>,
    pub(crate) ability: &'a Ability,
    /// Its parameters by name, and what they were when it began.
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

    /// Whose ability it is of.
    pub fn owner(&self) -> ControllerId {
        self.owner
    }

    /// The activation's target.
    pub fn target(&self) -> Option<ControllerId> {
        self.target
    }

    /// A parameter of the task, as evaluated when it began.
    pub fn param(&self, name: &str) -> Option<f64> {
        let at = self.params.iter().position(|(known, _)| **known == *name)?;
        self.values.get(at).copied()
    }

    /// A parameter of the ability as its definition gives it: a tag, or a text for native code (A18).
    pub fn ability_parameter(&self, name: &str) -> Option<&'a ParameterDef> {
        self.ability.parameter(name)
    }

    /// Numbers that the task keeps from call to call. Those that are not finite are set to zero (V2).
    pub fn memory(&mut self) -> &mut SmallVec<[f64; 2]> {
        self.memory
    }

    /// Asks to be told of something about the owner.
    pub fn subscribe(&mut self, subject: Subject) {
        self.requests.subjects.push(subject);
    }

    /// Asks to be called in a while; replaces an earlier request.
    pub fn wake_in(&mut self, span: Span) {
        self.requests.deadline = Some(self.simulation.now() + span.max(Span::ZERO));
    }

    /// Applies an effect when the call is over, with the ability as its source. The ability must name the effect in a task or
    /// in its list of allowed effects (§13.7); otherwise the application is refused with
    /// [`NotAuthorised`](crate::refusal::RefusalReason::NotAuthorised). A refusal is an event; the task goes on.
    pub fn apply(&mut self, effect: EffectId, target: ControllerId) -> &mut TaskApplication {
        let application = TaskApplication { effect, target, level: None, magnitudes: SmallVec::new() };
        self.requests.applications.push(application);
        let last = self.requests.applications.len() - 1;
        &mut self.requests.applications[last]
    }

    /// Leaves a number for later tasks of the activation, which read it with `Param("Name")`.
    pub fn output(&mut self, name: &str, value: f64) {
        self.requests.outputs.push((name.into(), value));
    }
}
