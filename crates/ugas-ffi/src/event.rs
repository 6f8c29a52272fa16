//! Events (I7): polled in bulk as a tagged union.

mod body;
mod convert;
mod kind;

pub use body::*;
#[cfg(feature = "net")]
pub(crate) use convert::nothing;
pub(crate) use convert::{kind_to_c, to_c};
pub use kind::{ugas_category, ugas_end_reason, ugas_event_kind, ugas_removal_reason};

use ugas_core::event::EventKind;

use crate::guard::{enter, ugas_context};
use crate::memory::{Plain, ugas_str};
use crate::reason::Reason;
use crate::simulation::{ugas_controller, ugas_simulation};
use crate::status::{Failure, ugas_status};
use crate::tag::ugas_tag_count;
use crate::world::World;

/// Cause of an event. Zero and UGAS_NO_ID are none.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_cause {
    /// Number of the operation: the call or timer that the whole cascade goes back to.
    pub operation: u64,
    /// Active effect that caused the event.
    pub active_effect: u64,
    /// Controller that caused the effect.
    pub source: ugas_controller,
    /// Granted ability that caused the event or applied the effect.
    pub granted_ability: u64,
    /// Definition of the effect.
    pub effect: u32,
    /// Zero.
    pub reserved: u32,
}

/// An event. `kind` selects the member of `body`; hosts must skip kinds that they do not know.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ugas_event {
    /// One of ugas_event_kind.
    pub kind: u32,
    /// One of ugas_category; events to show to players have the category UGAS_CATEGORY_CUE.
    pub category: u32,
    /// Sequence number in the event stream.
    pub sequence: u64,
    /// Time of the event in microseconds.
    pub time: u64,
    /// Controller that the event is about; 0 is none.
    pub controller: ugas_controller,
    /// Cause of the event.
    pub cause: ugas_cause,
    /// Prediction key that the event belongs to, if has_prediction is not zero.
    pub prediction: u64,
    /// Whether the event belongs to a prediction.
    pub has_prediction: u32,
    /// Index among the events of the same poll, for ugas_event_text and ugas_event_reasons.
    pub index: u32,
    /// Data of the event, selected by `kind`.
    pub body: ugas_event_body,
}

// SAFETY: `repr(C)`, numbers, pointers, and a union of such.
unsafe impl Plain for ugas_event {}

/// Takes the oldest events, at most `capacity`; `count` gets their number. `row_size` is sizeof(ugas_event).
/// Texts and lists in them are valid until the next poll, restore, reload or migration of this simulation.
/// For a player, these are the events of the last movement.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_events_poll(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    out: *mut ugas_event,
    row_size: usize,
    capacity: usize,
    count: *mut usize,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let mut rows = memory.rows(out, row_size, capacity, count)?;
        let entry = context.simulation_mut(simulation)?;
        #[cfg(feature = "net")]
        if matches!(entry.world, World::Server(_) | World::Client(_)) {
            return Err(Failure::new(
                ugas_status::Networked,
                "events of a server or a client are polled with ugas_server_events_poll or ugas_client_events_poll",
            ));
        }
        entry.forget_polled();
        while rows.left() > 0
            && let Some(event) = match &mut entry.world {
                World::Own(simulation) => simulation.poll_event(),
                #[cfg(feature = "replay")]
                World::Player(playback) => playback.events.pop_front(),
                #[cfg(feature = "net")]
                World::Server(_) | World::Client(_) => None,
            }
        {
            rows.push(entry.lend_event(event));
        }
        rows.finish();
        Ok(())
    })
}

/// Number of events that wait to be polled, and number of events that were dropped because they were not
/// polled in time. Either pointer may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_events_pending(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    pending: *mut usize,
    dropped: *mut u64,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let (pending, dropped) = (memory.optional(pending)?, memory.optional(dropped)?);
        let entry = context.simulation(simulation)?;
        let simulation = entry.simulation();
        if let Some(pending) = pending {
            pending.set(match &entry.world {
                #[cfg(feature = "replay")]
                World::Player(playback) => playback.events.len(),
                _ => simulation.pending_events().len(),
            });
        }
        if let Some(dropped) = dropped {
            dropped.set(simulation.dropped_events());
        }
        Ok(())
    })
}

/// Description of an event of the last poll, with names. Valid until the next call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_event_text(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    index: u32,
    out: *mut ugas_str,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        let entry = context.simulation(simulation)?;
        let event = entry.polled.get(index as usize).ok_or_else(no_such_event)?;
        let text = event.describe(entry.simulation()).to_string();
        out.set(context.lend_text(text));
        Ok(())
    })
}

/// Makes the reasons of a refusal event of the last poll the last reasons of the context: read them with
/// ugas_last_reasons. `count`, which may be null, gets their number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_event_reasons(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    index: u32,
    count: *mut usize,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let count = memory.optional(count)?;
        let entry = context.simulation(simulation)?;
        let event = entry.polled.get(index as usize).ok_or_else(no_such_event)?;
        let simulation = entry.simulation();
        let reasons: Vec<Reason> = match &event.kind {
            EventKind::EffectRefused(refusal) => {
                refusal.reasons.iter().map(|reason| Reason::of_effect(reason, simulation)).collect()
            }
            EventKind::AbilityRefused(refusal) => {
                refusal.reasons.iter().map(|reason| Reason::of_activation(reason, simulation)).collect()
            }
            EventKind::TaskFailed { reason, .. } => vec![Reason::of_effect(reason, simulation)],
            _ => Vec::new(),
        };
        if let Some(count) = count {
            count.set(reasons.len());
        }
        context.set_reasons(reasons);
        Ok(())
    })
}

/// Looping cues of a controller, each with the number of its holders: for a client that joins late.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_cues_of(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controller: ugas_controller,
    out: *mut ugas_tag_count,
    row_size: usize,
    capacity: usize,
    count: *mut usize,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let rows = memory.rows(out, row_size, capacity, count)?;
        let entry = context.simulation(simulation)?;
        let id = entry.controller(controller)?;
        let cues = entry.simulation().controller(id).into_iter().flat_map(|known| known.cues());
        rows.fill(cues.map(|&(cue, count)| ugas_tag_count { tag: cue.index(), count }));
        Ok(())
    })
}

fn no_such_event() -> Failure {
    Failure::not_found("the last poll has no event with this index")
}
