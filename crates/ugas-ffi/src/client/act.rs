//! Player actions: sent to the server, and predicted in the next tick.

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

/// Prediction key of a client's command: identifies it in its confirmation or rejection, and in the events
/// that it caused. 0 is none.
pub type ugas_command_key = u64;

/// Requests the activation of an ability. `targets` and `event` may be null. A predicted activation that
/// cannot happen is refused at once, with the reasons. `out`, which may be null, gets the command.
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

/// Activates an ability that runs on this machine only, on a copy of the state; nothing is sent. Its events
/// have the kind UGAS_CLIENT_EVENT_KIND_LOCAL. `out`, which may be null, gets the activation, for
/// ugas_client_cancel_local.
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
        let started = client.activate_local(ability, request);
        let activation = started.map_err(|error| failure(error, client))?;
        if let Some(out) = out {
            out.set(activation.to_bits().get());
        }
        Ok(())
    })
}

/// Cancels an activation that runs on this machine only. UGAS_STATUS_NOT_FOUND if it has ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_client_cancel_local(
    context: *mut ugas_context,
    client: ugas_client,
    activation: ugas_activation,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        let run = activation_of(activation)?;
        let was_running = context.simulation_mut(client)?.client_mut(client)?.cancel_local(run);
        was_running.then_some(()).ok_or_else(|| Failure::not_found("the activation has already ended"))
    })
}

/// Requests the end of an activation. `out`, which may be null, gets the command.
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
        act(context, memory, client, out, |client| client.end_activation(run))
    })
}

/// Requests the cancellation of an activation. `out`, which may be null, gets the command.
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
        act(context, memory, client, out, |client| client.cancel_activation(run))
    })
}

/// The activation that a command started. Handles of predicted activations are valid until the next
/// ugas_client_update; the command stays valid. UGAS_STATUS_NOT_FOUND if the activation has not started, or
/// has ended.
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
        let run = context.simulation(client)?.client(client)?.activation_of(PredictionKey(command));
        let run = run.ok_or_else(|| Failure::not_found("the command has no running activation"))?;
        out.set(run.to_bits().get());
        Ok(())
    })
}

/// Requests the end of the activation that a command starts, even one of the same tick. `out`, which may be
/// null, gets the new command.
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

/// Provides targets to the first branch of the activation that a command starts, even one of the same tick.
/// `out`, which may be null, gets the new command.
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

/// Presses an input. `out`, which may be null, gets the command.
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

/// Releases an input. `out`, which may be null, gets the command.
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

/// Confirms the tasks that wait for the player's confirmation. `out`, which may be null, gets the command.
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

/// Declines the tasks that wait for the player's confirmation. `out`, which may be null, gets the command.
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

/// Provides the targets that the player chose to a task that waits for targets. `out`, which may be null,
/// gets the command.
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

/// Reports the outcome of a task that the client's host carries out, with one of ugas_task_outcome; the
/// server accepts it only if its configuration trusts clients with host tasks. `out`, which may be null, gets
/// the command.
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

/// Executes a player action after checking the result pointer for its key.
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
