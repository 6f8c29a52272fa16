//! Events of a client.

use ugas_core::handle::ControllerId;
use ugas_net::ClientEvent;

use super::{ugas_client, ugas_command_key};
use crate::ability::ugas_granted_ability;
use crate::activation::ugas_activation;
use crate::catalog::{ugas_attribute, ugas_effect, ugas_tag};
use crate::cue::ugas_cue_details;
use crate::event::{ugas_event, ugas_event_tag_count};
use crate::guard::{enter, ugas_context};
use crate::memory::{Plain, ugas_str};
use crate::net;
use crate::server::ugas_client_id;
use crate::simulation::ugas_controller;
use crate::status::ugas_status;
use crate::world::SimulationEntry;

/// Kind of a client event. Changes are differences between the previously displayed state and the current
/// one: each is reported once, however often it was predicted.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_client_event_kind {
    /// The server accepted the client: `session`.
    Connected = 0,
    /// The server refused the connection: `session`, with a ugas_refused_reason.
    Refused = 1,
    /// The session ended: `session`, with a ugas_bye_reason.
    Disconnected = 2,
    /// A controller became visible: `own`.
    Appeared = 3,
    /// A controller is no longer visible, or no longer exists.
    Vanished = 4,
    /// The client gained or lost the ownership of a controller: `own`.
    OwnershipChanged = 5,
    /// The current value of an attribute changed: `attribute`.
    AttributeChanged = 6,
    /// A tag was added: `tag`.
    TagAdded = 7,
    /// A tag was removed: `tag`.
    TagRemoved = 8,
    /// An effect was added: `effect`.
    EffectAdded = 9,
    /// An effect was removed: `effect`.
    EffectRemoved = 10,
    /// A predicted effect got another handle: `effect`, with old_active.
    EffectRenamed = 11,
    /// The stack count of an effect changed: `effect`.
    StacksChanged = 12,
    /// A looping cue started: `cue`.
    CueBegan = 13,
    /// A looping cue ended: `cue`.
    CueEnded = 14,
    /// A cue was executed once: `cue`.
    CueFlashed = 15,
    /// An ability was granted: `granted`.
    AbilityGranted = 16,
    /// An ability was revoked: `granted`.
    AbilityRevoked = 17,
    /// The server started an activation: `activation`.
    RunBegan = 18,
    /// An activation that the server started ended: `activation`.
    RunEnded = 19,
    /// An event of the game that leaves no state behind: `event`.
    Happened = 20,
    /// An event of an ability that runs on this machine only: `event`.
    Local = 21,
    /// An event that was reported before did not happen after all: `event`.
    Retracted = 22,
    /// The server executed a command: `command`.
    Confirmed = 23,
    /// The server rejected a command; its predicted changes are undone: `command`.
    Rejected = 24,
    /// A tick was mispredicted and corrected: `tick`.
    Corrected = 25,
    /// The server began to replicate an attribute: `attribute`, whose old_value is NaN.
    AttributeShown = 26,
    /// The server no longer replicates an attribute, and reading it returns UGAS_STATUS_NOT_REPLICATED:
    /// `attribute`, whose values are both NaN.
    AttributeHidden = 27,
    /// The explicit count of a tag changed (T6), for a client whose configuration asks for tag counts:
    /// `tag_count`.
    TagCountChanged = 28,
    /// The connection was lost, and the client asks to resume its session.
    Interrupted = 29,
    /// The session goes on over another connection: controllers, commands and predictions stay.
    Resumed = 30,
    /// The server does not know the session any more: `session`, with a ugas_refused_reason. All controllers
    /// vanish, and the client asks for a new session.
    NotResumed = 31,
}

/// Body of session events.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_client_event_session {
    /// Id of the client.
    pub client: ugas_client_id,
    /// One of ugas_refused_reason or ugas_bye_reason.
    pub reason: u32,
    /// The reason as text. Valid until the next poll of this client.
    pub words: ugas_str,
}

/// Body of attribute events.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_client_event_attribute {
    /// Current value before.
    pub old_value: f64,
    /// Current value now.
    pub new_value: f64,
    /// The attribute.
    pub attribute: ugas_attribute,
    /// Zero.
    pub reserved: u32,
}

/// Body of effect events. Fields that do not apply to the kind are zero, or UGAS_NO_ID.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_client_event_effect {
    /// Handle of the active effect.
    pub active: u64,
    /// Previous handle of the active effect, if its handle changed.
    pub old_active: u64,
    /// Definition of the effect.
    pub effect: ugas_effect,
    /// Stack count before.
    pub old_stacks: u32,
    /// Stack count now.
    pub stacks: u32,
    /// Zero.
    pub reserved: u32,
}

/// Body of cue events. Fields that do not apply to the kind are zero.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_client_event_cue {
    /// Controller that caused the cue; 0 is none.
    pub source: ugas_controller,
    /// Magnitude of the cue.
    pub magnitude: f64,
    /// Level of the effect behind the cue.
    pub level: f64,
    /// World location, if has_location is not zero.
    pub location: [f64; 3],
    /// Time at which the cue started, in microseconds of game time; -1 if unknown.
    pub since: i64,
    /// Tag of the cue.
    pub cue: ugas_tag,
    /// Whether there is a location.
    pub has_location: u32,
    /// Rest of the context (C1), valid until the next poll of this client; null if nothing is known of it.
    pub details: *const ugas_cue_details,
}

/// Body of command events.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_client_event_command {
    /// Key of the command.
    pub command: ugas_command_key,
    /// The reason of a rejection as text. Valid until the next poll of this client.
    pub words: ugas_str,
    /// For a rejected command: one of ugas_rejection.
    pub rejection: u32,
    /// For a confirmed command: number of ticks by which it was late.
    pub shift: u32,
}

/// Body of a client event; the kind of the event selects the member. Its size does not change when members
/// are added.
#[repr(C)]
#[derive(Clone, Copy)]
pub union ugas_client_event_body {
    /// Session events.
    pub session: ugas_client_event_session,
    /// Not zero if the client owns the controller.
    pub own: u32,
    /// Attribute events.
    pub attribute: ugas_client_event_attribute,
    /// Tag events.
    pub tag: ugas_tag,
    /// Changed tag counts.
    pub tag_count: ugas_event_tag_count,
    /// Effect events.
    pub effect: ugas_client_event_effect,
    /// Cue events.
    pub cue: ugas_client_event_cue,
    /// Ability events.
    pub granted: ugas_granted_ability,
    /// Activation events.
    pub activation: ugas_activation,
    /// Events of the game.
    pub event: ugas_event,
    /// Command events.
    pub command: ugas_client_event_command,
    /// Corrected tick.
    pub tick: u32,
    /// Reserves the size of the union.
    pub raw: [u64; 24],
}

const _: () = assert!(size_of::<ugas_client_event_body>() == 24 * 8);

/// Event of a client. Handles are those of the client's own simulation.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ugas_client_event {
    /// One of ugas_client_event_kind. Hosts must skip kinds that they do not know.
    pub kind: u32,
    /// Zero.
    pub reserved: u32,
    /// Controller that the event is about; 0 is none.
    pub controller: ugas_controller,
    /// Data of the event, selected by `kind`.
    pub body: ugas_client_event_body,
}

// SAFETY: `repr(C)`, numbers, pointers, and a union of such.
unsafe impl Plain for ugas_client_event {}

/// Takes the oldest events of a client, at most `capacity`; `count` gets their number. `row_size` is
/// sizeof(ugas_client_event). ugas_event_text describes those with an `event`, by its index.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_client_events_poll(
    context: *mut ugas_context,
    client: ugas_client,
    out: *mut ugas_client_event,
    row_size: usize,
    capacity: usize,
    count: *mut usize,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let mut rows = memory.rows(out, row_size, capacity, count)?;
        let entry = context.simulation_mut(client)?;
        entry.client(client)?;
        entry.forget_polled();
        while rows.left() > 0
            && let Some(event) = entry.client_mut(client)?.poll_event()
        {
            if let Some((kind, controller, body)) = convert(event, entry) {
                let controller = controller.map_or(0, |id| id.to_bits().get());
                rows.push(ugas_client_event { kind: kind as u32, reserved: 0, controller, body });
            }
        }
        rows.finish();
        Ok(())
    })
}

type Converted = (ugas_client_event_kind, Option<ControllerId>, ugas_client_event_body);

/// Converts an event to its C form; `None` for kinds that this interface does not know.
fn convert(event: ClientEvent, entry: &mut SimulationEntry) -> Option<Converted> {
    use ClientEvent as E;
    use ugas_client_event_kind as K;
    // `raw` is the largest member: zeroing it leaves no byte undefined.
    let nothing = ugas_client_event_body { raw: [0; 24] };
    let own = |own: bool| with(|body| body.own = u32::from(own));
    let tag = |tag: u32| with(|body| body.tag = tag);
    Some(match event {
        E::Connected { client } => (K::Connected, None, session(Some(client.0), 0, ugas_str::EMPTY)),
        E::Refused(reason) => {
            let words = entry.lend_message(reason.to_string());
            (K::Refused, None, session(None, net::refused(&reason) as u32, words))
        }
        E::Disconnected(reason) => {
            let words = reason.map_or(ugas_str::EMPTY, |reason| entry.lend_message(reason.to_string()));
            (K::Disconnected, None, session(None, net::bye(reason) as u32, words))
        }
        E::Appeared { controller, own: is_own } => (K::Appeared, Some(controller), own(is_own)),
        E::Vanished { controller } => (K::Vanished, Some(controller), nothing),
        E::OwnershipChanged { controller, own: is_own } => {
            (K::OwnershipChanged, Some(controller), own(is_own))
        }
        E::AttributeChanged { controller, attribute, old, new } => {
            let attribute = ugas_client_event_attribute {
                old_value: old,
                new_value: new,
                attribute: attribute.index(),
                reserved: 0,
            };
            (K::AttributeChanged, Some(controller), with(|body| body.attribute = attribute))
        }
        E::AttributeShown { controller, attribute, value } => {
            let attribute = ugas_client_event_attribute {
                old_value: f64::NAN,
                new_value: value,
                attribute: attribute.index(),
                reserved: 0,
            };
            (K::AttributeShown, Some(controller), with(|body| body.attribute = attribute))
        }
        E::AttributeHidden { controller, attribute } => {
            let attribute = ugas_client_event_attribute {
                old_value: f64::NAN,
                new_value: f64::NAN,
                attribute: attribute.index(),
                reserved: 0,
            };
            (K::AttributeHidden, Some(controller), with(|body| body.attribute = attribute))
        }
        E::TagAdded { controller, tag: added } => (K::TagAdded, Some(controller), tag(added.index())),
        E::TagRemoved { controller, tag: gone } => (K::TagRemoved, Some(controller), tag(gone.index())),
        E::EffectAdded { controller, active, effect } => {
            let part =
                ugas_client_event_effect { effect: effect.index(), ..instance(active.to_bits().get()) };
            (K::EffectAdded, Some(controller), with(|body| body.effect = part))
        }
        E::EffectRemoved { controller, active, effect } => {
            let part =
                ugas_client_event_effect { effect: effect.index(), ..instance(active.to_bits().get()) };
            (K::EffectRemoved, Some(controller), with(|body| body.effect = part))
        }
        E::EffectRenamed { controller, old, new } => {
            let part =
                ugas_client_event_effect { old_active: old.to_bits().get(), ..instance(new.to_bits().get()) };
            (K::EffectRenamed, Some(controller), with(|body| body.effect = part))
        }
        E::StacksChanged { controller, active, old, new } => {
            let part =
                ugas_client_event_effect { old_stacks: old, stacks: new, ..instance(active.to_bits().get()) };
            (K::StacksChanged, Some(controller), with(|body| body.effect = part))
        }
        E::TagCountChanged { controller, tag, old, new } => {
            let part = ugas_event_tag_count { tag: tag.index(), old_count: old, count: new, reserved: 0 };
            (K::TagCountChanged, Some(controller), with(|body| body.tag_count = part))
        }
        E::CueBegan { controller, cue, since, parameters } => {
            let since = since.and_then(|since| i64::try_from(since.micros()).ok()).unwrap_or(-1);
            let details = parameters.details.as_deref();
            let part = ugas_client_event_cue {
                source: details.and_then(|details| details.instigator).map_or(0, |id| id.to_bits().get()),
                magnitude: parameters.magnitude,
                level: parameters.level,
                location: parameters.location().unwrap_or_default(),
                since,
                has_location: u32::from(parameters.location().is_some()),
                details: entry.lent.cue(details),
                ..cue_of(cue.index())
            };
            (K::CueBegan, Some(controller), with(|body| body.cue = part))
        }
        E::CueEnded { controller, cue } => {
            (K::CueEnded, Some(controller), with(|body| body.cue = cue_of(cue.index())))
        }
        E::CueExecuted { controller, source, cue, magnitude, level, location, details } => {
            let part = ugas_client_event_cue {
                source: source.map_or(0, |id| id.to_bits().get()),
                magnitude,
                level,
                location: location.unwrap_or_default(),
                has_location: u32::from(location.is_some()),
                details: entry.lent.cue(details.as_deref()),
                ..cue_of(cue.index())
            };
            (K::CueFlashed, Some(controller), with(|body| body.cue = part))
        }
        E::AbilityGranted { controller, ability } => {
            (K::AbilityGranted, Some(controller), with(|body| body.granted = ability.to_bits().get()))
        }
        E::AbilityRevoked { controller, ability } => {
            (K::AbilityRevoked, Some(controller), with(|body| body.granted = ability.to_bits().get()))
        }
        E::ActivationBegan { controller, activation } => {
            (K::RunBegan, Some(controller), with(|body| body.activation = activation.to_bits().get()))
        }
        E::ActivationEnded { controller, activation } => {
            (K::RunEnded, Some(controller), with(|body| body.activation = activation.to_bits().get()))
        }
        E::Happened(event) => game(K::Happened, event, entry),
        E::Local(event) => game(K::Local, event, entry),
        E::Retracted(event) => game(K::Retracted, event, entry),
        E::Confirmed { key, shift } => {
            let part = ugas_client_event_command {
                command: key.0,
                words: ugas_str::EMPTY,
                rejection: 0,
                shift: shift.into(),
            };
            (K::Confirmed, None, with(|body| body.command = part))
        }
        E::Rejected { key, rejection } => {
            let words = entry.lend_message(rejection.to_string());
            let rejection = net::rejection(rejection) as u32;
            let part = ugas_client_event_command { command: key.0, words, rejection, shift: 0 };
            (K::Rejected, None, with(|body| body.command = part))
        }
        E::Interrupted => (K::Interrupted, None, with(|_| {})),
        E::Resumed => (K::Resumed, None, with(|_| {})),
        E::NotResumed(reason) => {
            let words = entry.lend_message(reason.to_string());
            (K::NotResumed, None, session(None, net::refused(&reason) as u32, words))
        }
        E::Corrected { tick } => (K::Corrected, None, with(|body| body.tick = tick.0)),
        _ => return None,
    })
}

/// A body with one member set and zeros in the remaining bytes.
fn with(set: impl FnOnce(&mut ugas_client_event_body)) -> ugas_client_event_body {
    let mut body = ugas_client_event_body { raw: [0; 24] };
    set(&mut body);
    body
}

fn session(client: Option<u32>, reason: u32, words: ugas_str) -> ugas_client_event_body {
    let part = ugas_client_event_session { client: client.unwrap_or(0), reason, words };
    with(|body| body.session = part)
}

fn instance(active: u64) -> ugas_client_event_effect {
    ugas_client_event_effect {
        active,
        old_active: 0,
        effect: crate::context::UGAS_NO_ID,
        old_stacks: 0,
        stacks: 0,
        reserved: 0,
    }
}

fn cue_of(cue: ugas_tag) -> ugas_client_event_cue {
    ugas_client_event_cue {
        source: 0,
        magnitude: 0.0,
        level: 0.0,
        location: [0.0; 3],
        since: -1,
        cue,
        has_location: 0,
        details: core::ptr::null(),
    }
}

fn game(
    kind: ugas_client_event_kind,
    event: ugas_core::event::Event,
    entry: &mut SimulationEntry,
) -> Converted {
    let part = entry.lend_event(event);
    (kind, None, with(|body| body.event = part))
}
