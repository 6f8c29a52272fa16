//! Activations of abilities (§8.2 to §8.6).

use ugas_core::ability::GameplayEvent;
use ugas_core::command::{Command, Outcome as CommandOutcome};
use ugas_core::handle::ActivationId;
use ugas_core::id::TagId;
use ugas_core::simulation::ActivationRequest;
use ugas_core::tag::TagSet;

use crate::ability::{granted_of, ugas_granted_ability};
use crate::catalog::ugas_tag;
use crate::guard::{enter, ugas_context};
use crate::memory::{Memory, Plain, SizePrefixed, ugas_str};
use crate::simulation::{optional_controller, ugas_controller, ugas_simulation};
use crate::status::{Failure, Outcome, ugas_status};
use crate::target::{targets_of, ugas_target};

/// Handle of one activation of a granted ability; 0 is none.
pub type ugas_activation = u64;

/// A number with a name.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_named_number {
    /// The name.
    pub name: ugas_str,
    /// The number.
    pub value: f64,
}

/// Gameplay event sent to a controller; it can activate abilities and complete waiting tasks.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_gameplay_event {
    /// sizeof(ugas_gameplay_event).
    pub size: usize,
    /// Magnitude of the event.
    pub magnitude: f64,
    /// Controller that caused the event; 0 is none.
    pub instigator: ugas_controller,
    /// Controller that the event is about; 0 is none.
    pub target: ugas_controller,
    /// Tag that identifies the kind of event.
    pub tag: ugas_tag,
    /// Zero.
    pub reserved: u32,
    /// Context tags, such as Hit.Critical.
    pub context_tags: *const ugas_tag,
    /// Number of context tags.
    pub context_tag_count: usize,
    /// Target data: targets in addition to, or instead of, `target` (A11).
    pub targets: *const ugas_target,
    /// Number of entries in `targets`.
    pub target_count: usize,
    /// Named numbers, read by Event.Payload("name") in expressions.
    pub payload: *const ugas_named_number,
    /// Number of entries in `payload`.
    pub payload_count: usize,
}

// SAFETY: `repr(C)`, numbers and pointers.
unsafe impl Plain for ugas_named_number {}
// SAFETY: `repr(C)`, numbers and pointers.
unsafe impl Plain for ugas_gameplay_event {}
// SAFETY: it begins with its size.
unsafe impl SizePrefixed for ugas_gameplay_event {}

pub(crate) fn event_of(given: &ugas_gameplay_event, memory: Memory<'_>) -> Outcome<GameplayEvent> {
    let mut event = GameplayEvent {
        tag: TagId::from_index(given.tag),
        magnitude: given.magnitude,
        instigator: optional_controller(given.instigator)?,
        target: optional_controller(given.target)?,
        details: None,
    };
    for &tag in memory.list(given.context_tags, given.context_tag_count)? {
        event = event.with_context_tag(TagId::from_index(tag));
    }
    for number in memory.list(given.payload, given.payload_count)? {
        event = event.with_payload(memory.text(number.name)?, number.value);
    }
    let targets = targets_of(given.targets, given.target_count, memory)?;
    Ok(if targets.is_empty() { event } else { event.with_target_data(targets) })
}

pub(crate) fn activation_of(bits: ugas_activation) -> Outcome<ActivationId> {
    ActivationId::from_bits(bits)
        .ok_or_else(|| Failure::not_found(format!("{bits:#x} is not the handle of an activation")))
}

/// Not-found failure if the command had nothing to act on.
fn check_found(outcome: &CommandOutcome, subject: &str) -> Outcome {
    match outcome {
        CommandOutcome::Nothing => Err(Failure::not_found(format!("{subject} has already ended"))),
        _ => Ok(()),
    }
}

/// Activates a granted ability. `targets` and `event` may be null. If it is refused, ugas_last_reasons has
/// all reasons. `out`, which may be null, gets the activation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_ability_activate(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    granted: ugas_granted_ability,
    targets: *const ugas_target,
    target_count: usize,
    event: *const ugas_gameplay_event,
    out: *mut ugas_activation,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.optional(out)?;
        let mut request = ActivationRequest::on(targets_of(targets, target_count, memory)?);
        if !event.is_null() {
            request.event = Some(event_of(&memory.input(event)?, memory)?);
        }
        let ability = granted_of(granted)?;
        let command = Command::Activate { ability, request: Box::new(request) };
        let outcome = context.simulation_mut(simulation)?.execute(command)?;
        if let (Some(out), CommandOutcome::Activated(activation)) = (out, outcome) {
            out.set(activation.to_bits().get());
        }
        Ok(())
    })
}

/// Whether an ability could be activated on these targets now: UGAS_STATUS_OK, or UGAS_STATUS_REFUSED with
/// all reasons. Changes nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_ability_can_activate(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    granted: ugas_granted_ability,
    targets: *const ugas_target,
    target_count: usize,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory: Memory<'_>| {
        let targets = targets_of(targets, target_count, memory)?;
        let granted = granted_of(granted)?;
        let simulation = context.simulation(simulation)?.simulation();
        let outcome = if targets.is_empty() {
            simulation.can_activate(granted)
        } else {
            simulation.can_activate_on(granted, targets)
        };
        outcome.map_err(|refusal| Failure::command(&refusal.into(), simulation))
    })
}

/// Commits an activation: pays its cost and starts its cooldown. Abilities usually commit themselves.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_activation_commit(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    activation: ugas_activation,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        let activation = activation_of(activation)?;
        context.simulation_mut(simulation)?.execute(Command::Commit(activation)).map(drop)
    })
}

/// Cancels an activation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_activation_cancel(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    activation: ugas_activation,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        let activation = activation_of(activation)?;
        let outcome = context.simulation_mut(simulation)?.execute(Command::Cancel(activation))?;
        check_found(&outcome, "the activation")
    })
}

/// Ends an activation as completed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_activation_end(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    activation: ugas_activation,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        let activation = activation_of(activation)?;
        let outcome = context.simulation_mut(simulation)?.execute(Command::End(activation))?;
        check_found(&outcome, "the activation")
    })
}

/// Cancels all activations of a granted ability. `count`, which may be null, gets their number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_ability_cancel(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    granted: ugas_granted_ability,
    count: *mut u32,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let count = memory.optional(count)?;
        let granted = granted_of(granted)?;
        let outcome = context.simulation_mut(simulation)?.execute(Command::CancelAbility(granted))?;
        if let (Some(count), CommandOutcome::Cancelled(cancelled)) = (count, outcome) {
            count.set(cancelled);
        }
        Ok(())
    })
}

/// Sends a gameplay event to a controller: activates the abilities that it triggers and completes the tasks
/// that wait for it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_gameplay_event_send(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controller: ugas_controller,
    event: *const ugas_gameplay_event,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let event = event_of(&memory.input(event)?, memory)?;
        let entry = context.simulation_mut(simulation)?;
        let controller = entry.controller(controller)?;
        entry.execute(Command::SendEvent { controller, event }).map(drop)
    })
}

/// Activates all abilities of a controller that have all of these tags. `count`, which may be null, gets the
/// number of activations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_abilities_activate(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controller: ugas_controller,
    tags: *const ugas_tag,
    tag_count: usize,
    count: *mut u32,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let count = memory.optional(count)?;
        let tags = tags_of(tags, tag_count, memory)?;
        let entry = context.simulation_mut(simulation)?;
        let controller = entry.controller(controller)?;
        let outcome = entry.execute(Command::ActivateByTags { controller, tags })?;
        if let (Some(count), CommandOutcome::ActivatedAll(activations)) = (count, outcome) {
            count.set(u32::try_from(activations.len()).unwrap_or(u32::MAX));
        }
        Ok(())
    })
}

/// Cancels the activations of a controller whose ability has one of the tags in `with` and none of those in
/// `without`. Without any tags, cancels all activations but those of the granted ability `except`, which may
/// be 0. Tags in `without` alone are refused: put the root tag of all abilities into `with`. `count`, which
/// may be null, gets the number of cancelled activations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_abilities_cancel(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controller: ugas_controller,
    with: *const ugas_tag,
    with_count: usize,
    without: *const ugas_tag,
    without_count: usize,
    except: ugas_granted_ability,
    count: *mut u32,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let count = memory.optional(count)?;
        let (with, without) = (tags_of(with, with_count, memory)?, tags_of(without, without_count, memory)?);
        let except = if except == 0 { None } else { Some(granted_of(except)?) };
        let is_all = with_count == 0 && without_count == 0;
        if with_count == 0 && !is_all {
            return Err(Failure::argument(
                "`without` has tags but `with` has none: put the root tag of all abilities into `with`",
            ));
        }
        if !is_all && except.is_some() {
            return Err(Failure::argument("tags and `except` cannot be combined: use one or the other"));
        }
        let entry = context.simulation_mut(simulation)?;
        let controller = entry.controller(controller)?;
        let outcome = entry.execute(match is_all {
            true => Command::CancelAll { controller, except },
            false => Command::CancelByTags { controller, with, without },
        })?;
        if let (Some(count), CommandOutcome::Cancelled(cancelled)) = (count, outcome) {
            count.set(cancelled);
        }
        Ok(())
    })
}

fn tags_of(tags: *const ugas_tag, count: usize, memory: Memory<'_>) -> Outcome<TagSet> {
    Ok(TagSet::new(memory.list(tags, count)?.iter().map(|&tag| TagId::from_index(tag))))
}
