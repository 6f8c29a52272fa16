//! Runs of abilities (§8.2 to §8.6).

use ugas_core::ability::GameplayEvent;
use ugas_core::command::{Command, Outcome as CommandOutcome};
use ugas_core::handle::ActivationId;
use ugas_core::id::TagId;
use ugas_core::simulation::ActivationRequest;
use ugas_core::tag::TagSet;

use crate::ability::{granted_of, ugas_granted_ability};
use crate::catalog::ugas_tag;
use crate::guard::{enter, ugas_context};
use crate::memory::{Headed, Memory, Plain, ugas_str};
use crate::simulation::{optional_controller, ugas_controller, ugas_simulation};
use crate::status::{Failure, Outcome, ugas_status};
use crate::target::{targets_of, ugas_target};

/// One run of a granted ability; 0 is none.
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

/// Something that happened to a controller, for abilities to react to.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_gameplay_event {
    /// sizeof(ugas_gameplay_event).
    pub size: usize,
    /// How much.
    pub magnitude: f64,
    /// Who caused it; 0 is nobody.
    pub instigator: ugas_controller,
    /// Whom it is about; 0 is nobody.
    pub target: ugas_controller,
    /// What kind.
    pub tag: ugas_tag,
    /// Zero.
    pub reserved: u32,
    /// Context tags, such as Hit.Critical.
    pub context_tags: *const ugas_tag,
    /// Number of context tags.
    pub context_tag_count: usize,
    /// Target data: targets beside or instead of the target (A11).
    pub targets: *const ugas_target,
    /// Number of targets of the target data.
    pub target_count: usize,
    /// Numbers of its payload: Event.Payload("name") in expressions.
    pub payload: *const ugas_named_number,
    /// Number of numbers of its payload.
    pub payload_count: usize,
}

// SAFETY: `repr(C)`, numbers and pointers.
unsafe impl Plain for ugas_named_number {}
// SAFETY: `repr(C)`, numbers and pointers.
unsafe impl Plain for ugas_gameplay_event {}
// SAFETY: it begins with its size.
unsafe impl Headed for ugas_gameplay_event {}

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
        .ok_or_else(|| Failure::not_found(format!("{bits:#x} is no run of an ability")))
}

/// Whether something was there to be done.
fn done(outcome: &CommandOutcome, what: &str) -> Outcome {
    match outcome {
        CommandOutcome::Nothing => Err(Failure::not_found(format!("{what} is over already"))),
        _ => Ok(()),
    }
}

/// Activates a granted ability on targets, because of an event; either may be none. Refused with all reasons.
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
        if let (Some(out), CommandOutcome::Activated(run)) = (out, outcome) {
            out.set(run.to_bits().get());
        }
        Ok(())
    })
}

/// Whether an ability could be activated on these targets now: UGAS_STATUS_OK, or UGAS_STATUS_REFUSED with all reasons.
/// Changes nothing.
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
        let verdict = if targets.is_empty() {
            simulation.can_activate(granted)
        } else {
            simulation.can_activate_on(granted, targets)
        };
        verdict.map_err(|refusal| Failure::command(&refusal.into(), simulation))
    })
}

/// Commits a run: takes its cost and begins its cooldown. Abilities usually do that themselves.
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

/// Cancels a run.
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
        done(&outcome, "the run")
    })
}

/// Ends a run as if it were done.
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
        done(&outcome, "the run")
    })
}

/// Cancels all runs of a granted ability. `count`, which may be null, gets their number.
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

/// Sends a gameplay event to a controller: abilities that it triggers are activated, tasks that wait for it go on.
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

/// Activates all abilities of a controller that have all of these tags. `count`, which may be null, gets how many were.
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
        if let (Some(count), CommandOutcome::ActivatedAll(runs)) = (count, outcome) {
            count.set(u32::try_from(runs.len()).unwrap_or(u32::MAX));
        }
        Ok(())
    })
}

/// Cancels all runs of a controller whose ability has one of the tags `with`, but for those that have one of `without`;
/// without any tags, all runs but those of the granted ability `except`, which may be 0. Tags in `without` alone are refused:
/// give `with` the tag that all abilities are below. `count`, which may be null, gets how many were.
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
                "`without` spares some of those that `with` chooses, and it chooses none",
            ));
        }
        if !is_all && except.is_some() {
            return Err(Failure::argument("either tags or an exception choose what is cancelled, not both"));
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
