//! Tasks (§10): host tasks, and target selection by the host.

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

/// Handle of a running task of an activation; 0 is none.
pub type ugas_task = u64;

/// Outcome of a host task.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_task_outcome {
    /// Completed: the ability continues.
    Completed = 0,
    /// Interrupted: the ability is cancelled.
    Interrupted = 1,
    /// Cancelled: the ability is cancelled.
    Cancelled = 2,
    /// Failed: the ability is cancelled.
    Failed = 3,
}

/// State of a task.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_task_info {
    /// Handle of the task.
    pub task: ugas_task,
    /// Controller that has the ability.
    pub controller: ugas_controller,
    /// Activation that the task belongs to.
    pub activation: u64,
    /// Start time in microseconds.
    pub started: u64,
    /// Index of the task in the ability's program.
    pub step: u32,
    /// Zero.
    pub reserved: u32,
}

// SAFETY: `repr(C)`, numbers.
unsafe impl Plain for ugas_task_info {}

pub(crate) fn task_of(bits: ugas_task) -> Outcome<TaskId> {
    TaskId::from_bits(bits)
        .ok_or_else(|| Failure::not_found(format!("{bits:#x} is not the handle of a task")))
}

/// Tasks that the abilities of a controller wait for. `row_size` is sizeof(ugas_task_info).
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

/// Kind of a task; for a host task, its name in the pack. Valid until the next call.
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
        let kind = kind.ok_or_else(|| Failure::not_found("the task has already ended"))?.to_owned();
        out.set(context.lend_text(kind));
        Ok(())
    })
}

/// Parameters of a host task, as a JSON object. Valid until the next call.
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

/// Reports the outcome of a host task; `outcome` is one of ugas_task_outcome.
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
        check_found(&context.simulation_mut(simulation)?.execute(command)?)
    })
}

/// Provides the chosen targets to a task that waits for targets.
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
        check_found(&context.simulation_mut(simulation)?.execute(command)?)
    })
}

/// Targets that a task waiting for targets would choose now, for a reticle. `row_size` is
/// sizeof(ugas_target).
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

/// Task outcome from its C number.
pub(crate) fn outcome_of(outcome: u32) -> Outcome<TaskOutcome> {
    match outcome {
        0 => Ok(TaskOutcome::Completed),
        1 => Ok(TaskOutcome::Interrupted),
        2 => Ok(TaskOutcome::Cancelled),
        3 => Ok(TaskOutcome::Failed),
        other => Err(Failure::argument(format!("{other} is not a ugas_task_outcome"))),
    }
}

fn check_found(outcome: &CommandOutcome) -> Outcome {
    match outcome {
        CommandOutcome::Nothing => {
            Err(Failure::not_found("the task has already ended, or is of another kind"))
        }
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
    let ended = || Failure::not_found("the task has already ended");
    let task = simulation.task(id).ok_or_else(ended)?;
    let activation = simulation.activation(task.activation()).ok_or_else(ended)?;
    let ability = simulation.catalog().ability_by_id(activation.ability()).ok_or_else(ended)?;
    let given = ability.routine().host_parameters(task.step());
    let given = given.ok_or_else(|| Failure::not_found("the task is not a host task"))?;
    let object = given.iter().map(|(name, value)| (name.clone(), json_of(value))).collect();
    Ok(Value::Object(object).to_string())
}

/// Converts a parameter to JSON. The recursion depth is bounded by the pack loader.
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
