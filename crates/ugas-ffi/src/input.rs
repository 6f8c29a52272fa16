//! Input (§11): pressed and released inputs, by the names of the pack.

use ugas_core::command::{Command, CommandError, Outcome as CommandOutcome};
use ugas_core::input::{InputBufferConfig, InputId};
use ugas_core::simulation::PressOutcome;
use ugas_core::time::Span;

use crate::activation::ugas_activation;
use crate::guard::{enter, ugas_context};
use crate::memory::{OutValue, ugas_str};
use crate::simulation::{ugas_controller, ugas_simulation};
use crate::status::{Failure, Outcome, ugas_status};
use crate::target::{targets_of, ugas_target};
use crate::world::SimulationEntry;

/// Result of pressing an input.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_pressed {
    /// The input activated an ability.
    Activated = 0,
    /// A waiting task consumed the input.
    Consumed = 1,
    /// The input could not be used yet and was buffered.
    Buffered = 2,
    /// No ability is bound to the input.
    Unbound = 3,
}

/// Presses an input. `pressed` gets one of ugas_pressed and `activation` the activation that started; both
/// may be null. UGAS_STATUS_REFUSED, with the reasons, if the abilities that are bound to it cannot be
/// activated; the input counts as held all the same.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_input_press(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controller: ugas_controller,
    input: ugas_str,
    pressed: *mut u32,
    activation: *mut ugas_activation,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = (memory.optional(pressed)?, memory.optional(activation)?);
        let input = InputId::new(memory.text(input)?);
        let entry = context.simulation_mut(simulation)?;
        let controller = entry.controller(controller)?;
        press(entry, Command::Press { controller, input }, out)
    })
}

/// Presses an input like ugas_input_press, with targets for the abilities that the press activates, also from
/// the buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_input_press_at(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controller: ugas_controller,
    input: ugas_str,
    targets: *const ugas_target,
    target_count: usize,
    pressed: *mut u32,
    activation: *mut ugas_activation,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = (memory.optional(pressed)?, memory.optional(activation)?);
        let input = InputId::new(memory.text(input)?);
        let targets = targets_of(targets, target_count, memory)?;
        let entry = context.simulation_mut(simulation)?;
        let controller = entry.controller(controller)?;
        press(entry, Command::PressAt { controller, input, targets }, out)
    })
}

/// Executes a press and writes its outcome.
fn press(
    entry: &mut SimulationEntry,
    command: Command,
    (pressed, activation): (Option<OutValue<'_, u32>>, Option<OutValue<'_, ugas_activation>>),
) -> Outcome {
    let CommandOutcome::Pressed(outcome) = entry.execute(command)? else {
        return Ok(());
    };
    let (kind, started) = match *outcome {
        PressOutcome::Activated(started) => (ugas_pressed::Activated, started.to_bits().get()),
        PressOutcome::Consumed => (ugas_pressed::Consumed, 0),
        PressOutcome::Buffered(_) => (ugas_pressed::Buffered, 0),
        PressOutcome::Unbound => (ugas_pressed::Unbound, 0),
        PressOutcome::Refused(refusal) => {
            return Err(Failure::command(&CommandError::from(refusal), entry.simulation()));
        }
    };
    if let Some(pressed) = pressed {
        pressed.set(kind as u32);
    }
    if let Some(activation) = activation {
        activation.set(started);
    }
    Ok(())
}

/// Releases an input. UGAS_STATUS_NOT_FOUND if it was not held.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_input_release(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controller: ugas_controller,
    input: ugas_str,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let input = InputId::new(memory.text(input)?);
        let entry = context.simulation_mut(simulation)?;
        let controller = entry.controller(controller)?;
        match entry.execute(Command::Release { controller, input })? {
            CommandOutcome::Nothing => Err(Failure::not_found("the input was not held")),
            _ => Ok(()),
        }
    })
}

/// Confirms the tasks that wait for the player's confirmation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_input_confirm(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controller: ugas_controller,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        let entry = context.simulation_mut(simulation)?;
        let controller = entry.controller(controller)?;
        entry.execute(Command::Confirm(controller)).map(drop)
    })
}

/// Declines the tasks that wait for the player's confirmation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_input_decline(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controller: ugas_controller,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        let entry = context.simulation_mut(simulation)?;
        let controller = entry.controller(controller)?;
        entry.execute(Command::Decline(controller)).map(drop)
    })
}

/// Configures the input buffer of a controller: the time in microseconds for which an early input is kept,
/// and the maximum number of inputs; a size of 0 disables the buffer (§11.3).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_input_set_buffer(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controller: ugas_controller,
    window: i64,
    size: u32,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        let entry = context.simulation_mut(simulation)?;
        let controller = entry.controller(controller)?;
        let config = InputBufferConfig { enabled: size > 0, window: Span::from_micros(window.max(0)), size };
        entry.execute(Command::SetInputBuffer { controller, config }).map(drop)
    })
}
