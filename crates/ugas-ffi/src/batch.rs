//! Batches: many commands with one recalculation at the end.

use ugas_core::command::{Command, CommandError, Outcome as CommandOutcome};
use ugas_core::simulation::{PressOutcome, Simulation};

use crate::guard::{enter, ugas_context};
use crate::memory::Plain;
use crate::simulation::ugas_simulation;
use crate::status::{Failure, ugas_status};

/// Kind of result of a command in a batch.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_batch_result_kind {
    /// Executed or refused, without a result.
    Done = 0,
    /// Nothing to do: the activation, task or held input had already ended.
    Nothing = 1,
    /// `handle` is a controller.
    Spawned = 2,
    /// An effect was applied; `handle` is the active effect that it became or joined, 0 if there is none.
    Applied = 3,
    /// `count` effects were removed.
    Removed = 4,
    /// `handle` is a granted ability.
    Granted = 5,
    /// `handle` is an activation.
    Activated = 6,
    /// `count` activations were cancelled or started.
    Counted = 7,
    /// An input was pressed; `handle` is the activation that it started, 0 if there is none.
    Pressed = 8,
    /// `count` is the id of an effect that was defined.
    Defined = 9,
}

/// Result of a command in a batch.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_batch_result {
    /// Status that the call would have returned outside a batch.
    pub status: u32,
    /// One of ugas_batch_result_kind.
    pub kind: u32,
    /// Meaning depends on `kind`.
    pub handle: u64,
    /// Meaning depends on `kind`.
    pub count: u32,
    /// Zero.
    pub reserved: u32,
}

// SAFETY: `repr(C)`, numbers.
unsafe impl Plain for ugas_batch_result {}

/// Begins a batch: calls that change the simulation are queued, in order, and executed by ugas_batch_end.
/// Until then such calls only check their arguments and write no results; reads see the state from before the
/// batch. Refused for a client, and if a batch is open already.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_batch_begin(
    context: *mut ugas_context,
    simulation: ugas_simulation,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        let entry = context.simulation_mut(simulation)?;
        entry.check_changeable()?;
        entry.check_no_batch()?;
        entry.batch = Some(Vec::new());
        Ok(())
    })
}

/// Executes a batch: consequences are processed once, at its end. `out` gets the result of each command, in
/// order; at most `capacity` are written, and `count` gets the number of all. `row_size` is
/// sizeof(ugas_batch_result).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_batch_end(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    out: *mut ugas_batch_result,
    row_size: usize,
    capacity: usize,
    count: *mut usize,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let rows = memory.rows(out, row_size, capacity, count)?;
        let entry = context.simulation_mut(simulation)?;
        let commands = entry.batch.take().ok_or_else(no_batch_is_open)?;
        let CommandOutcome::Batch(outcomes) = entry.execute_now(Command::Batch(commands))? else {
            rows.finish();
            return Ok(());
        };
        let simulation = entry.simulation();
        rows.fill(outcomes.iter().map(|outcome| result_of(outcome, simulation)));
        Ok(())
    })
}

/// Discards a batch without executing it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_batch_drop(
    context: *mut ugas_context,
    simulation: ugas_simulation,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        context.simulation_mut(simulation)?.batch.take().map(drop).ok_or_else(no_batch_is_open)
    })
}

fn no_batch_is_open() -> Failure {
    Failure::argument("no batch is open: call ugas_batch_begin first")
}

fn result_of(outcome: &Result<CommandOutcome, CommandError>, simulation: &Simulation) -> ugas_batch_result {
    use ugas_batch_result_kind as K;
    let (mut status, mut handle, mut count) = (ugas_status::Ok, 0, 0);
    let kind = match outcome {
        Err(error) => {
            status = Failure::command(error, simulation).status;
            K::Done
        }
        Ok(CommandOutcome::Spawned(id) | CommandOutcome::Restored { controller: id, .. }) => {
            handle = id.to_bits().get();
            K::Spawned
        }
        Ok(CommandOutcome::Applied(applied)) => {
            handle = applied.active().map_or(0, |active| active.to_bits().get());
            K::Applied
        }
        Ok(CommandOutcome::Removed(removed)) => {
            count = *removed;
            K::Removed
        }
        Ok(CommandOutcome::Granted(granted)) => {
            handle = granted.to_bits().get();
            K::Granted
        }
        Ok(CommandOutcome::Activated(activation)) => {
            handle = activation.to_bits().get();
            K::Activated
        }
        Ok(CommandOutcome::ActivatedAll(activations)) => {
            count = u32::try_from(activations.len()).unwrap_or(u32::MAX);
            K::Counted
        }
        Ok(CommandOutcome::Cancelled(cancelled)) => {
            count = *cancelled;
            K::Counted
        }
        Ok(CommandOutcome::Pressed(pressed)) => {
            match &**pressed {
                PressOutcome::Activated(activation) => handle = activation.to_bits().get(),
                PressOutcome::Refused(_) => status = ugas_status::Refused,
                _ => {}
            }
            K::Pressed
        }
        Ok(CommandOutcome::Defined(effect)) => {
            count = effect.index();
            K::Defined
        }
        Ok(CommandOutcome::Nothing) => {
            status = ugas_status::NotFound;
            K::Nothing
        }
        Ok(_) => K::Done,
    };
    ugas_batch_result { status: status as u32, kind: kind as u32, handle, count, reserved: 0 }
}
