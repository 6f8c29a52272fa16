//! Input (§11): what a player presses, in the pack's own names.

use ugas_core::command::{Command, CommandError, Outcome as CommandOutcome};
use ugas_core::input::{InputBufferConfig, InputId};
use ugas_core::simulation::Pressed;
use ugas_core::time::Span;

use crate::activation::ugas_activation;
use crate::guard::{enter, ugas_context};
use crate::memory::ugas_str;
use crate::simulation::{ugas_controller, ugas_simulation};
use crate::status::{Failure, ugas_status};

/// What became of a press.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_pressed {
    /// It activated an ability.
    Activated = 0,
    /// A task was waiting for it.
    Consumed = 1,
    /// It came too early and is kept for a moment.
    Buffered = 2,
    /// No ability is bound to it.
    Unbound = 3,
}

/// An input is pressed. `pressed` gets one of ugas_pressed and `activation` the run that began; both may be null.
/// UGAS_STATUS_REFUSED, with the reasons, if the abilities that are bound to it cannot be activated; the input is held
/// all the same.
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
        let (pressed, activation) = (memory.optional(pressed)?, memory.optional(activation)?);
        let input = InputId::new(memory.text(input)?);
        let entry = context.simulation_mut(simulation)?;
        let controller = entry.controller(controller)?;
        let CommandOutcome::Pressed(outcome) = entry.execute(Command::Press { controller, input })? else {
            return Ok(());
        };
        let (kind, run) = match *outcome {
            Pressed::Activated(run) => (ugas_pressed::Activated, run.to_bits().get()),
            Pressed::Consumed => (ugas_pressed::Consumed, 0),
            Pressed::Buffered(_) => (ugas_pressed::Buffered, 0),
            Pressed::Unbound => (ugas_pressed::Unbound, 0),
            Pressed::Refused(refusal) => {
                return Err(Failure::command(&CommandError::from(refusal), entry.simulation()));
            }
        };
        if let Some(pressed) = pressed {
            pressed.set(kind as u32);
        }
        if let Some(activation) = activation {
            activation.set(run);
        }
        Ok(())
    })
}

/// An input is released. UGAS_STATUS_NOT_FOUND if it was not held.
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

/// The player confirms what waits for it.
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

/// The player declines what waits for a confirmation.
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

/// How inputs of a controller that come too early are kept: for how many microseconds, and how many at most; a size of 0
/// keeps none (§11.3).
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
