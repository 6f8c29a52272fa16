//! What the player does: asked of the server, and predicted in the next tick.

use ugas_core::effect::PredictionKey;
use ugas_core::input::InputId;
use ugas_core::simulation::ActivationRequest;
use ugas_net::{ActError, Client};

use super::ugas_client;
use crate::ability::{granted_of, ugas_granted_ability};
use crate::activation::{activation_of, event_of, ugas_activation, ugas_gameplay_event};
use crate::context::Context;
use crate::guard::{enter, ugas_context};
use crate::memory::{Memory, ugas_str};
use crate::simulation::ugas_controller;
use crate::status::{Failure, Outcome, ugas_status};
use crate::target::{targets_of, ugas_target};
use crate::task::{outcome_of, task_of, ugas_task};

/// A command of a client: what its confirmation or rejection names, and the events that it led to. 0 is none.
pub type ugas_command_key = u64;

/// Asks to activate an ability on targets, because of an event; either may be none. One that is predicted is refused at
/// once, with the reasons, if it cannot be. `out`, which may be null, gets the command.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_client_activate(
    context: *mut ugas_context,
    client: ugas_client,
    granted: ugas_granted_ability,
    targets: *const ugas_target,
    target_count: usize,
    event: *const ugas_gameplay_event,
    out: *mut ugas_command_key,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let request = request_of(targets, target_count, event, memory)?;
        let ability = granted_of(granted)?;
        act(context, memory, client, out, |client| client.activate(ability, request))
    })
}

/// Activates an ability that runs on this machine only, on a copy of the world; nothing is sent. What happens there are
/// events of the kind UGAS_CLIENT_EVENT_KIND_LOCAL. `out`, which may be null, gets the run, for ugas_client_cancel_local.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_client_activate_local(
    context: *mut ugas_context,
    client: ugas_client,
    granted: ugas_granted_ability,
    targets: *const ugas_target,
    target_count: usize,
    event: *const ugas_gameplay_event,
    out: *mut ugas_activation,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.optional(out)?;
        let request = request_of(targets, target_count, event, memory)?;
        let ability = granted_of(granted)?;
        let client = context.simulation_mut(client)?.client_mut(client)?;
        let begun = client.activate_local(ability, request);
        let run = begun.map_err(|error| failure(error, client))?;
        if let Some(out) = out {
            out.set(run.to_bits().get());
        }
        Ok(())
    })
}

/// Cancels a run of an ability that runs on this machine only. UGAS_STATUS_NOT_FOUND if it is over.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_client_cancel_local(
    context: *mut ugas_context,
    client: ugas_client,
    activation: ugas_activation,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        let run = activation_of(activation)?;
        let was_there = context.simulation_mut(client)?.client_mut(client)?.cancel_local(run);
        was_there.then_some(()).ok_or_else(|| Failure::not_found("the run is over already"))
    })
}

/// Asks to end a run. `out`, which may be null, gets the command.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_client_end(
    context: *mut ugas_context,
    client: ugas_client,
    activation: ugas_activation,
    out: *mut ugas_command_key,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let run = activation_of(activation)?;
        act(context, memory, client, out, |client| client.end_run(run))
    })
}

/// Asks to cancel a run. `out`, which may be null, gets the command.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_client_cancel(
    context: *mut ugas_context,
    client: ugas_client,
    activation: ugas_activation,
    out: *mut ugas_command_key,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let run = activation_of(activation)?;
        act(context, memory, client, out, |client| client.cancel_run(run))
    })
}

/// The run that a command began. Handles of what is predicted are good until the next ugas_client_update; its command
/// stays. UGAS_STATUS_NOT_FOUND if it has not begun, or is over.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_client_run_of(
    context: *mut ugas_context,
    client: ugas_client,
    command: ugas_command_key,
    out: *mut ugas_activation,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        let run = context.simulation(client)?.client(client)?.run_of(PredictionKey(command));
        let run = run.ok_or_else(|| Failure::not_found("no run of this command goes on"))?;
        out.set(run.to_bits().get());
        Ok(())
    })
}

/// Asks to end the run that a command begins, also one of this very tick. `out`, which may be null, gets the new command.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_client_end_begun(
    context: *mut ugas_context,
    client: ugas_client,
    command: ugas_command_key,
    out: *mut ugas_command_key,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        act(context, memory, client, out, |client| client.end_begun(PredictionKey(command)))
    })
}

/// Gives targets to the first branch of the run that a command begins, also one of this very tick. `out`, which may be
/// null, gets the new command.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_client_target_begun(
    context: *mut ugas_context,
    client: ugas_client,
    command: ugas_command_key,
    targets: *const ugas_target,
    target_count: usize,
    out: *mut ugas_command_key,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let targets = targets_of(targets, target_count, memory)?;
        act(context, memory, client, out, |client| client.target_begun(PredictionKey(command), &targets))
    })
}

/// An input is pressed. `out`, which may be null, gets the command.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_client_press(
    context: *mut ugas_context,
    client: ugas_client,
    controller: ugas_controller,
    input: ugas_str,
    out: *mut ugas_command_key,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let input = InputId::new(memory.text(input)?);
        let controller = context.simulation(client)?.controller(controller)?;
        act(context, memory, client, out, |client| client.press(controller, input))
    })
}

/// An input is released. `out`, which may be null, gets the command.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_client_release(
    context: *mut ugas_context,
    client: ugas_client,
    controller: ugas_controller,
    input: ugas_str,
    out: *mut ugas_command_key,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let input = InputId::new(memory.text(input)?);
        let controller = context.simulation(client)?.controller(controller)?;
        act(context, memory, client, out, |client| client.release(controller, input))
    })
}

/// Confirms what waits for the player. `out`, which may be null, gets the command.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_client_confirm(
    context: *mut ugas_context,
    client: ugas_client,
    controller: ugas_controller,
    out: *mut ugas_command_key,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let controller = context.simulation(client)?.controller(controller)?;
        act(context, memory, client, out, |client| client.confirm(controller))
    })
}

/// Declines what waits for the player. `out`, which may be null, gets the command.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_client_decline(
    context: *mut ugas_context,
    client: ugas_client,
    controller: ugas_controller,
    out: *mut ugas_command_key,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let controller = context.simulation(client)?.controller(controller)?;
        act(context, memory, client, out, |client| client.decline(controller))
    })
}

/// Gives a task that waits for targets what the player chose. `out`, which may be null, gets the command.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_client_provide_targets(
    context: *mut ugas_context,
    client: ugas_client,
    task: ugas_task,
    targets: *const ugas_target,
    target_count: usize,
    out: *mut ugas_command_key,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let targets = targets_of(targets, target_count, memory)?;
        let task = task_of(task)?;
        act(context, memory, client, out, |client| client.provide_targets(task, &targets))
    })
}

/// Says how a task that the client's host carries out went, with one of ugas_task_outcome; the server takes that only if
/// it trusts its clients so far. `out`, which may be null, gets the command.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_client_complete_task(
    context: *mut ugas_context,
    client: ugas_client,
    task: ugas_task,
    outcome: u32,
    out: *mut ugas_command_key,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let (task, outcome) = (task_of(task)?, outcome_of(outcome)?);
        act(context, memory, client, out, |client| client.complete_task(task, outcome))
    })
}

fn request_of(
    targets: *const ugas_target,
    count: usize,
    event: *const ugas_gameplay_event,
    memory: Memory<'_>,
) -> Outcome<ActivationRequest> {
    let mut request = ActivationRequest::on(targets_of(targets, count, memory)?);
    if !event.is_null() {
        request.event = Some(event_of(&memory.input(event)?, memory)?);
    }
    Ok(request)
}

/// Does what the player does, once the place for its key is checked.
fn act(
    context: &mut Context,
    memory: Memory<'_>,
    client: ugas_client,
    out: *mut ugas_command_key,
    act: impl FnOnce(&mut Client) -> Result<PredictionKey, ActError>,
) -> Outcome {
    let out = memory.optional(out)?;
    let client = context.simulation_mut(client)?.client_mut(client)?;
    let key = act(client).map_err(|error| failure(error, client))?;
    if let Some(out) = out {
        out.set(key.0);
    }
    Ok(())
}

fn failure(error: ActError, client: &Client) -> Failure {
    match error {
        ActError::Refused(refusal) => Failure::command(&(*refusal).into(), client.simulation()),
        ActError::Unknown => Failure::not_found(error.to_string()),
        ActError::Malformed(_) | ActError::Unsendable(_) => Failure::argument(error.to_string()),
        other => Failure::refused(other.to_string(), Vec::new()),
    }
}
