//! What a client's host hears.

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

/// What a client tells of. Changes are differences between what was shown before and what is shown now: each is told once,
/// however often it was predicted.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_client_event_kind {
    /// The server let the client in: `session`.
    Connected = 0,
    /// The server did not let the client in: `session`, with a ugas_refused_reason.
    Refused = 1,
    /// The session is over: `session`, with a ugas_bye_reason.
    Disconnected = 2,
    /// A controller came into view: `own`.
    Appeared = 3,
    /// A controller is out of view, or gone.
    Vanished = 4,
    /// It became the client's own, or ceased to be: `own`.
    OwnershipChanged = 5,
    /// A value changed: `attribute`.
    AttributeChanged = 6,
    /// A tag appeared: `tag`.
    TagAdded = 7,
    /// A tag is gone: `tag`.
    TagRemoved = 8,
    /// An effect is there that was not: `effect`.
    EffectAdded = 9,
    /// An effect is gone: `effect`.
    EffectRemoved = 10,
    /// An effect that was predicted has another handle: `effect`, with old_active.
    EffectRenamed = 11,
    /// An effect has more or fewer stacks: `effect`.
    StacksChanged = 12,
    /// A looping cue is to be shown: `cue`.
    CueBegan = 13,
    /// A looping cue is over: `cue`.
    CueEnded = 14,
    /// A cue flashes: `cue`.
    CueFlashed = 15,
    /// An ability was granted: `granted`.
    AbilityGranted = 16,
    /// An ability was taken away: `granted`.
    AbilityRevoked = 17,
    /// The server began a run of an ability: `activation`.
    RunBegan = 18,
    /// A run that the server began is over: `activation`.
    RunEnded = 19,
    /// Something happened that leaves nothing behind: `event`.
    Happened = 20,
    /// Something happened in an ability that only this player sees: `event`.
    Local = 21,
    /// Something that was told did not happen after all: `event`.
    Retracted = 22,
    /// The server carried out a command: `command`.
    Confirmed = 23,
    /// The server did not carry out a command; what was predicted of it is undone: `command`.
    Rejected = 24,
    /// What was predicted for a tick was not what happened: `tick`.
    Corrected = 25,
    /// The server began to send the value of an attribute: `attribute`, of which old_value is not a number.
    AttributeShown = 26,
    /// The value of an attribute is no longer sent, and reads as UGAS_STATUS_NOT_REPLICATED: `attribute`, of which both
    /// values are not numbers.
    AttributeHidden = 27,
    /// The explicit count of a tag changed (T6), for a client whose configuration asks for tag counts: `tag_count`.
    TagCountChanged = 28,
}

/// Of a session.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_client_event_session {
    /// Who the client is.
    pub client: ugas_client_id,
    /// A ugas_refused_reason or ugas_bye_reason.
    pub reason: u32,
    /// It in words. Valid until the next poll of this client.
    pub words: ugas_str,
}

/// Of a value.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_client_event_attribute {
    /// Current value before.
    pub old_value: f64,
    /// Current value now.
    pub new_value: f64,
    /// Which.
    pub attribute: ugas_attribute,
    /// Zero.
    pub reserved: u32,
}

/// Of an effect. What does not concern the kind is zero, or UGAS_NO_ID.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_client_event_effect {
    /// Its instance.
    pub active: u64,
    /// Its instance before it was renamed.
    pub old_active: u64,
    /// Its definition.
    pub effect: ugas_effect,
    /// Stacks before.
    pub old_stacks: u32,
    /// Stacks now.
    pub stacks: u32,
    /// Zero.
    pub reserved: u32,
}

/// Of a cue. Fields that do not concern the kind are zero.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_client_event_cue {
    /// From whom; 0 is nobody.
    pub source: ugas_controller,
    /// How strong.
    pub magnitude: f64,
    /// At what level.
    pub level: f64,
    /// Where, if has_location is not zero.
    pub location: [f64; 3],
    /// Since when it goes on, in microseconds of the game; -1 is not known.
    pub since: i64,
    /// Which.
    pub cue: ugas_tag,
    /// Whether there is a place.
    pub has_location: u32,
    /// Rest of its context (C1), valid until the next poll of this client; null if nothing is known of it.
    pub details: *const ugas_cue_details,
}

/// Of a command.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_client_event_command {
    /// Which.
    pub command: ugas_command_key,
    /// Why not, in words. Valid until the next poll of this client.
    pub words: ugas_str,
    /// Of one that was rejected: one of ugas_rejection.
    pub rejection: u32,
    /// Of one that was carried out: how many ticks late.
    pub shift: u32,
}

/// What a client tells of; the kind says which part is meant. Its size stays as it is when parts are added.
#[repr(C)]
#[derive(Clone, Copy)]
pub union ugas_client_event_body {
    /// Of sessions.
    pub session: ugas_client_event_session,
    /// Not zero if the controller is the client's own.
    pub own: u32,
    /// Of values.
    pub attribute: ugas_client_event_attribute,
    /// Of tags.
    pub tag: ugas_tag,
    /// Of tags whose counts changed.
    pub tag_count: ugas_event_tag_count,
    /// Of effects.
    pub effect: ugas_client_event_effect,
    /// Of cues.
    pub cue: ugas_client_event_cue,
    /// Of abilities.
    pub granted: ugas_granted_ability,
    /// Of runs.
    pub activation: ugas_activation,
    /// Of what happened.
    pub event: ugas_event,
    /// Of commands.
    pub command: ugas_client_event_command,
    /// Of corrections.
    pub tick: u32,
    /// The room that there is.
    pub raw: [u64; 24],
}

const _: () = assert!(size_of::<ugas_client_event_body>() == 24 * 8);

/// What a client tells of. Handles are those of the client's own simulation.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ugas_client_event {
    /// One of ugas_client_event_kind; one that a host does not know is skipped by it.
    pub kind: u32,
    /// Zero.
    pub reserved: u32,
    /// Whom it is about; 0 is nobody.
    pub controller: ugas_controller,
    /// What happened.
    pub body: ugas_client_event_body,
}

// SAFETY: `repr(C)`, numbers, pointers, and a union of such.
unsafe impl Plain for ugas_client_event {}

/// Takes the oldest events of a client, at most `capacity`; `count` gets their number. `row_size` is
/// sizeof(ugas_client_event). Those with an `event` can be told in words by ugas_event_text, with its index.
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

/// The event as C sees it; `None` for what this interface does not know.
fn convert(event: ClientEvent, entry: &mut SimulationEntry) -> Option<Converted> {
    use ClientEvent as E;
    use ugas_client_event_kind as K;
    // The largest part first: nothing of it is left undefined.
    let nothing = ugas_client_event_body { raw: [0; 24] };
    let own = |own: bool| with(|body| body.own = u32::from(own));
    let tag = |tag: u32| with(|body| body.tag = tag);
    Some(match event {
        E::Connected { client } => (K::Connected, None, session(Some(client.0), 0, ugas_str::EMPTY)),
        E::Refused(reason) => {
            let words = entry.lend_words(reason.to_string());
            (K::Refused, None, session(None, net::refused(&reason) as u32, words))
        }
        E::Disconnected(reason) => {
            let words = reason.map_or(ugas_str::EMPTY, |reason| entry.lend_words(reason.to_string()));
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
        E::CueFlashed { controller, source, cue, magnitude, level, location, details } => {
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
        E::RunBegan { controller, run } => {
            (K::RunBegan, Some(controller), with(|body| body.activation = run.to_bits().get()))
        }
        E::RunEnded { controller, run } => {
            (K::RunEnded, Some(controller), with(|body| body.activation = run.to_bits().get()))
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
            let words = entry.lend_words(rejection.to_string());
            let rejection = net::rejection(rejection) as u32;
            let part = ugas_client_event_command { command: key.0, words, rejection, shift: 0 };
            (K::Rejected, None, with(|body| body.command = part))
        }
        E::Corrected { tick } => (K::Corrected, None, with(|body| body.tick = tick.0)),
        _ => return None,
    })
}

/// A body with one part set and zeros behind it.
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
