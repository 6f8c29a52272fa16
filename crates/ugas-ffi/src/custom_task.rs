//! Tasks of abilities that are written in C (§10.4).

use core::ffi::c_void;

use ugas_core::ability::GameplayEvent;
use ugas_core::event::EventKind;
use ugas_core::handle::{ActiveEffectId, ControllerId};
use ugas_core::id::{EffectId, TagId};
use ugas_core::simulation::{Simulation, Stacks};
use ugas_core::task::{CustomTask, Subject, TaskContext, TaskProgress};
use ugas_core::time::Span;

use crate::calculation::{UserData, ugas_free};
use crate::call::{Callee, TaskActions, during, ugas_call, ugas_call_context};
use crate::effect::ugas_apply;
use crate::event::{kind_to_c, ugas_event};
use crate::guard::{enter, ugas_context};
use crate::loader::ugas_loader;
use crate::memory::{Memory, Plain, SizePrefixed, ugas_str};
use crate::simulation::ugas_controller;
use crate::status::{Failure, Outcome, ugas_status};
use crate::world::Lent;

/// Result of a call of a custom task.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_task_progress {
    /// It waits for its subscriptions or its timer.
    Waiting = 0,
    /// It is done: the ability continues.
    Done = 1,
    /// It failed: the ability is cancelled.
    Failed = 2,
}

/// Input of a call of a custom task.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_task_input {
    /// sizeof(ugas_task_input) of the library.
    pub size: usize,
    /// Owner of the ability.
    pub owner: ugas_controller,
    /// Target of the activation; 0 is none.
    pub target: ugas_controller,
    /// Event that woke the task, valid during the call; null in `activate` and `timer`. Its sequence and cause are zero.
    pub event: *const ugas_event,
}

/// A call of a custom task. Returns one of ugas_task_progress; any other value is a failure.
pub type ugas_task_function =
    Option<unsafe extern "C" fn(user: *mut c_void, call: ugas_call, input: *const ugas_task_input) -> u32>;

/// Registration of a custom task. Its functions must be functions of their input, of the numbers that the task stored,
/// and of what the functions of ugas_call read: no clock, no state and no random numbers of their own, because clients
/// and recordings run them again. No exception may leave them. A task needs no clean-up: its subscriptions and its
/// timer end with it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_custom_task {
    /// sizeof(ugas_custom_task).
    pub size: usize,
    /// Name by which abilities refer to it, as the `Type` of a task. It wins over a host task of the same name.
    pub name: ugas_str,
    /// Called when the task begins. It subscribes and sets the timer; it may be done at once.
    pub activate: ugas_task_function,
    /// Called when an event matches a subscription; a null function continues to wait.
    pub wake: ugas_task_function,
    /// Called when the timer fires; a null function is done.
    pub timer: ugas_task_function,
    /// Passed to all functions.
    pub user: *mut c_void,
    /// Called with `user` once nothing can call the functions anymore; may be null. If the registration itself
    /// fails, `user` stays the host's.
    pub free: ugas_free,
    /// Not zero if the task never waits: abilities without instances may use it.
    pub never_waits: u32,
    /// Zero.
    pub reserved: u32,
}

// SAFETY: `repr(C)`, numbers and pointers; a null function is `None`.
unsafe impl Plain for ugas_custom_task {}
// SAFETY: it begins with its size.
unsafe impl SizePrefixed for ugas_custom_task {}

/// Registers a custom task with a loader, so that abilities of packs can use it by name. If the catalog is shared with
/// another context, the thread that uses that context may call it too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_loader_add_task(
    context: *mut ugas_context,
    loader: ugas_loader,
    task: *const ugas_custom_task,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let given = memory.input(task)?;
        let name = memory.text(given.name)?.to_owned();
        if name.is_empty() {
            return Err(Failure::argument("the task has no name: set `name`"));
        }
        let activate = given.activate.ok_or_else(|| {
            Failure::new(ugas_status::NullPointer, "the task has no function: set `activate`")
        })?;
        let entry = context.loader_mut(loader)?;
        entry.check_open()?;
        // From here on the library frees the user data, even if loading fails.
        let task = HostTask {
            activate,
            wake: given.wake,
            timer: given.timer,
            waits: given.never_waits == 0,
            data: UserData { user: given.user, free: given.free },
        };
        entry.collect(|loader| loader.custom_task(name, task))
    })
}

type TaskFunction = unsafe extern "C" fn(*mut c_void, ugas_call, *const ugas_task_input) -> u32;

struct HostTask {
    activate: TaskFunction,
    wake: ugas_task_function,
    timer: ugas_task_function,
    waits: bool,
    data: UserData,
}

impl HostTask {
    fn run(
        &self,
        function: TaskFunction,
        context: &mut TaskContext<'_>,
        event: *const ugas_event,
    ) -> TaskProgress {
        let input = ugas_task_input {
            size: size_of::<ugas_task_input>(),
            owner: context.owner().to_bits().get(),
            target: context.target().map_or(0, |target| target.to_bits().get()),
            event,
        };
        let code = during(&mut TaskCall(context), |call| {
            // SAFETY: the host's own function with its own data; the input is valid during the call.
            unsafe { function(self.data.user, call, &raw const input) }
        });
        match code {
            0 => TaskProgress::Waiting,
            1 => TaskProgress::Done,
            _ => TaskProgress::Failed,
        }
    }
}

impl CustomTask for HostTask {
    fn activate(&self, context: &mut TaskContext<'_>) -> TaskProgress {
        self.run(self.activate, context, core::ptr::null())
    }

    fn wake(&self, context: &mut TaskContext<'_>, event: &EventKind) -> TaskProgress {
        let Some(wake) = self.wake else { return TaskProgress::Waiting };
        let mut lent = Lent::default();
        let event = kind_to_c(event, context.simulation().now(), &mut lent);
        self.run(wake, context, &raw const event)
    }

    fn timer(&self, context: &mut TaskContext<'_>) -> TaskProgress {
        let Some(timer) = self.timer else { return TaskProgress::Done };
        self.run(timer, context, core::ptr::null())
    }

    fn waits(&self) -> bool {
        self.waits
    }
}

/// A call of a custom task.
struct TaskCall<'a, 'b>(&'a mut TaskContext<'b>);

impl Callee for TaskCall<'_, '_> {
    fn simulation(&self) -> &Simulation {
        self.0.simulation()
    }

    fn apply(
        &mut self,
        given: &ugas_apply,
        target: ControllerId,
        context: ugas_call_context,
        memory: Memory<'_>,
    ) -> Outcome {
        if context != ugas_call_context::Inherited || !given.is_bare() {
            return Err(Failure::argument(
                "a task applies effects in the context of its ability: `apply` may have a level and magnitudes only",
            ));
        }
        let effect = EffectId::from_index(given.effect);
        if self.0.simulation().effect_definition(effect).is_none() {
            return Err(Failure::not_found(format!("there is no effect with the id {}", given.effect)));
        }
        let magnitudes = memory.list(given.magnitudes, given.magnitude_count)?;
        let application = self.0.apply(effect, target);
        if given.has_level != 0 {
            application.level(given.level);
        }
        for given in magnitudes {
            application.set_by_caller(TagId::from_index(given.tag), given.value);
        }
        Ok(())
    }

    fn task(&mut self) -> Outcome<&mut dyn TaskActions> {
        Ok(self)
    }
}

impl TaskActions for TaskCall<'_, '_> {
    fn parameter(&self, name: &str) -> Option<f64> {
        self.0.param(name)
    }

    fn load(&self) -> Vec<f64> {
        self.0.load().unwrap_or_default()
    }

    fn store(&mut self, numbers: &[f64]) {
        self.0.store(&numbers.to_vec());
    }

    fn subscribe(&mut self, controller: Option<ControllerId>, subject: Subject) {
        match controller {
            Some(controller) => self.0.watch(controller, subject),
            None => self.0.subscribe(subject),
        }
    }

    fn wake_in(&mut self, span: Span) {
        self.0.wake_in(span);
    }

    fn remove(&mut self, active: ActiveEffectId, stacks: Stacks) {
        self.0.remove(active, stacks);
    }

    fn send_event(&mut self, controller: ControllerId, event: GameplayEvent) -> Outcome {
        let simulation = self.0.simulation();
        self.0.send_event(controller, event).map_err(|reason| Failure::command(&reason.into(), simulation))
    }

    fn output(&mut self, name: &str, value: f64) {
        self.0.output(name, value);
    }
}
