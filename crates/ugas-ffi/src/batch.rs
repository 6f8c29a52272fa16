//! Many changes with one recalculation at the end.

use ugas_core::command::{Command, CommandError, Outcome as CommandOutcome};
use ugas_core::simulation::{Pressed, Simulation};

use crate::guard::{enter, ugas_context};
use crate::memory::Plain;
use crate::simulation::ugas_simulation;
use crate::status::{Failure, ugas_status};

/// What a change of a batch gave.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_batch_result_kind {
    /// Nothing but that it is done, or was refused.
    Done = 0,
    /// There was nothing to do: the run, the task or the held input was gone already.
    Nothing = 1,
    /// `handle` is a controller.
    Spawned = 2,
    /// An effect was applied; `handle` is the instance that it is part of, 0 if there is none.
    Applied = 3,
    /// `count` effects were removed.
    Removed = 4,
    /// `handle` is a granted ability.
    Granted = 5,
    /// `handle` is a run.
    Activated = 6,
    /// `count` runs were cancelled or activated.
    Counted = 7,
    /// An input was pressed; `handle` is the run that it began, 0 if it began none.
    Pressed = 8,
    /// `count` is the id of an effect that was defined.
    Defined = 9,
}

/// What a change of a batch came to.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_batch_result {
    /// What the call would have returned by itself.
    pub status: u32,
    /// One of ugas_batch_result_kind.
    pub kind: u32,
    /// As the kind says.
    pub handle: u64,
    /// As the kind says.
    pub count: u32,
    /// Zero.
    pub reserved: u32,
}

// SAFETY: `repr(C)`, numbers.
unsafe impl Plain for ugas_batch_result {}

/// Begins a batch: what changes the simulation from now on is kept, in order, and happens in ugas_batch_end. Until then
/// such calls say only whether they make sense, and write no results; what is read is the state from before. Refused for a
/// client, and if a batch is open already.
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

/// Carries a batch out: consequences are worked out once, at its end. `out` gets what became of each change, in order; at
/// most `capacity` are written, and `count` gets the number of all. `row_size` is sizeof(ugas_batch_result).
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
        let commands = entry.batch.take().ok_or_else(none_is_open)?;
        let CommandOutcome::Batch(outcomes) = entry.execute_now(Command::Batch(commands))? else {
            rows.finish();
            return Ok(());
        };
        let simulation = entry.simulation();
        rows.fill(outcomes.iter().map(|outcome| result_of(outcome, simulation)));
        Ok(())
    })
}

/// Forgets a batch: nothing of it happens.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_batch_drop(
    context: *mut ugas_context,
    simulation: ugas_simulation,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }
        .run(|context, _| context.simulation_mut(simulation)?.batch.take().map(drop).ok_or_else(none_is_open))
}

fn none_is_open() -> Failure {
    Failure::argument("no batch is open: ugas_batch_begin begins one")
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
        Ok(CommandOutcome::Activated(run)) => {
            handle = run.to_bits().get();
            K::Activated
        }
        Ok(CommandOutcome::ActivatedAll(runs)) => {
            count = u32::try_from(runs.len()).unwrap_or(u32::MAX);
            K::Counted
        }
        Ok(CommandOutcome::Cancelled(cancelled)) => {
            count = *cancelled;
            K::Counted
        }
        Ok(CommandOutcome::Pressed(pressed)) => {
            match &**pressed {
                Pressed::Activated(run) => handle = run.to_bits().get(),
                Pressed::Refused(_) => status = ugas_status::Refused,
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
