//! Tasks (§10): those that the host carries out, and targets that it chooses.

use serde_json::Value;
use ugas_core::command::{Command, Outcome as CommandOutcome};
use ugas_core::handle::TaskId;
use ugas_core::task::{HostValue, TaskOutcome};

use crate::guard::{enter, ugas_context};
use crate::memory::{Plain, ugas_str};
use crate::simulation::{ugas_controller, ugas_simulation};
use crate::status::{Failure, Outcome, ugas_status};
use crate::target::{targets_of, to_c, ugas_target};
use crate::world::SimulationEntry;

/// A task of an ability that is under way; 0 is none.
pub type ugas_task = u64;

/// How a task that the host carries out went.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_task_outcome {
    /// As it should: the ability goes on.
    Completed = 0,
    /// Something came in between: the ability is cancelled.
    Interrupted = 1,
    /// It was called off: the ability is cancelled.
    Cancelled = 2,
    /// It could not be done: the ability is cancelled.
    Failed = 3,
}

/// What is known of a task.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_task_info {
    /// Its handle.
    pub task: ugas_task,
    /// Whose ability it is of.
    pub controller: ugas_controller,
    /// The run of the ability.
    pub activation: u64,
    /// When it began, in microseconds.
    pub started: u64,
    /// Its place in the ability's program.
    pub step: u32,
    /// Zero.
    pub reserved: u32,
}

// SAFETY: `repr(C)`, numbers.
unsafe impl Plain for ugas_task_info {}

pub(crate) fn task_of(bits: ugas_task) -> Outcome<TaskId> {
    TaskId::from_bits(bits).ok_or_else(|| Failure::not_found(format!("{bits:#x} is no task")))
}

/// The tasks that abilities of a controller wait for. `row_size` is sizeof(ugas_task_info).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_tasks_of(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controller: ugas_controller,
    out: *mut ugas_task_info,
    row_size: usize,
    capacity: usize,
    count: *mut usize,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let rows = memory.rows(out, row_size, capacity, count)?;
        let entry = context.simulation(simulation)?;
        let id = entry.controller(controller)?;
        rows.fill(entry.simulation().tasks_of(id).filter_map(|task| info_of(entry, task)));
        Ok(())
    })
}

/// What kind of task it is: for those of the host, the name that the pack gives it. Valid until the next call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_task_kind(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    task: ugas_task,
    out: *mut ugas_str,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        let kind = context.simulation(simulation)?.simulation().task_kind(task_of(task)?);
        let kind = kind.ok_or_else(|| Failure::not_found("the task is over already"))?.to_owned();
        out.set(context.lend_text(kind));
        Ok(())
    })
}

/// The parameters of a task that the host carries out, as a JSON object. Valid until the next call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_task_parameters(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    task: ugas_task,
    out: *mut ugas_str,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        let text = parameters(context.simulation(simulation)?, task_of(task)?)?;
        out.set(context.lend_text(text));
        Ok(())
    })
}

/// Says how a task that the host carries out went; `outcome` is one of ugas_task_outcome.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_task_complete(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    task: ugas_task,
    outcome: u32,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        let command = Command::CompleteTask { task: task_of(task)?, outcome: outcome_of(outcome)? };
        there_was(&context.simulation_mut(simulation)?.execute(command)?)
    })
}

/// Gives a task that waits for targets what was chosen.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_task_provide_targets(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    task: ugas_task,
    targets: *const ugas_target,
    target_count: usize,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let targets = targets_of(targets, target_count, memory)?;
        let command = Command::ProvideTargets { task: task_of(task)?, targets };
        there_was(&context.simulation_mut(simulation)?.execute(command)?)
    })
}

/// Whom a task that waits for targets would choose now: what a reticle shows. `row_size` is sizeof(ugas_target).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_task_preview_targets(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    task: ugas_task,
    out: *mut ugas_target,
    row_size: usize,
    capacity: usize,
    count: *mut usize,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let rows = memory.rows(out, row_size, capacity, count)?;
        let targets = context.simulation(simulation)?.simulation().preview_targets(task_of(task)?);
        let targets = targets.ok_or_else(|| Failure::not_found("no such task waits for targets"))?;
        rows.fill(targets.iter().filter_map(to_c));
        Ok(())
    })
}

/// How a task went, from the number of C.
pub(crate) fn outcome_of(outcome: u32) -> Outcome<TaskOutcome> {
    match outcome {
        0 => Ok(TaskOutcome::Completed),
        1 => Ok(TaskOutcome::Interrupted),
        2 => Ok(TaskOutcome::Cancelled),
        3 => Ok(TaskOutcome::Failed),
        other => Err(Failure::argument(format!("{other} is no ugas_task_outcome"))),
    }
}

fn there_was(outcome: &CommandOutcome) -> Outcome {
    match outcome {
        CommandOutcome::Nothing => Err(Failure::not_found("the task is over already, or not of that kind")),
        _ => Ok(()),
    }
}

fn info_of(entry: &SimulationEntry, id: TaskId) -> Option<ugas_task_info> {
    let task = entry.simulation().task(id)?;
    Some(ugas_task_info {
        task: id.to_bits().get(),
        controller: task.controller().to_bits().get(),
        activation: task.activation().to_bits().get(),
        started: task.started().micros(),
        step: task.step(),
        reserved: 0,
    })
}

fn parameters(entry: &SimulationEntry, id: TaskId) -> Outcome<String> {
    let simulation = entry.simulation();
    let over = || Failure::not_found("the task is over already");
    let task = simulation.task(id).ok_or_else(over)?;
    let run = simulation.activation(task.activation()).ok_or_else(over)?;
    let ability = simulation.catalog().ability_by_id(run.ability()).ok_or_else(over)?;
    let given = ability.routine().host_parameters(task.step());
    let given = given.ok_or_else(|| Failure::not_found("it is no task of the host"))?;
    let object = given.iter().map(|(name, value)| (name.clone(), json_of(value))).collect();
    Ok(Value::Object(object).to_string())
}

/// As deep as the pack nests it, which its loader bounds.
fn json_of(value: &HostValue) -> Value {
    match value {
        HostValue::Flag(flag) => Value::from(*flag),
        HostValue::Number(number) => Value::from(*number),
        HostValue::Text(text) => Value::from(text.as_str()),
        HostValue::List(items) => items.iter().map(json_of).collect(),
        HostValue::Map(items) => {
            Value::Object(items.iter().map(|(name, value)| (name.clone(), json_of(value))).collect())
        }
    }
}
