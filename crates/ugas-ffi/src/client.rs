//! Clients: a replica of a server's game that predicts the actions of its player (§13.4).

mod act;
mod event;
mod link;

pub use act::*;
pub use event::*;
pub use link::*;

use std::sync::Arc;

use ugas_core::handle::ControllerId;
use ugas_core::time::{Span, Time};
use ugas_net::reconnect::{ReconnectConfig, Reconnector};
use ugas_net::{Client, ClientConfig, Prediction};

use crate::catalog::ugas_catalog;
use crate::context::too_many;
use crate::guard::{enter, ugas_context};
use crate::memory::{Plain, SizePrefixed, ugas_bytes};
use crate::net::Outgoing;
use crate::server::{resume_time, ugas_client_id};
use crate::simulation::ugas_controller;
use crate::status::{Failure, ugas_status};
use crate::world::{SimulationEntry, World};

/// Handle of a client of this context. A client is a simulation too: its handle is accepted wherever a
/// ugas_simulation is, to read the displayed state. Player actions go through the functions of the client;
/// every other change of the game is refused with UGAS_STATUS_NETWORKED. Freed with ugas_simulation_free.
pub type ugas_client = u64;

/// Configuration of a client. Zero selects the default for every number but the nonce.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_client_config {
    /// sizeof(ugas_client_config).
    pub size: usize,
    /// Identifies a session of this client: a random number, a new one for each session.
    pub nonce: u64,
    /// Credential that the server's host checks: a name, a ticket; at most 256 bytes. It is copied.
    pub credential: ugas_bytes,
    /// Interval between connection attempts, in microseconds.
    pub retry: i64,
    /// The session ends if the server is silent for longer, in microseconds.
    pub timeout: i64,
    /// Maximum number of ticks that are predicted ahead of the server.
    pub window: u32,
    /// Not zero to show the player's actions only after the server has answered.
    pub no_prediction: u32,
    /// Not zero to get UGAS_CLIENT_EVENT_KIND_TAG_COUNT_CHANGED for every change of a tag's explicit count
    /// (T6).
    pub tag_counts: u32,
    /// Maximum number of attempts to reconnect after a lost connection, for ugas_client_link.
    pub reconnect_attempts: u32,
    /// Time for which the client tries to resume its session after a lost connection, in microseconds.
    /// Negative ends the session at once.
    pub resume_time: i64,
    /// Silence of the server after which another connection is opened, in microseconds, for ugas_client_link.
    pub reconnect_silence: i64,
}

/// State and counters of a client.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_client_statistics {
    /// sizeof(ugas_client_statistics).
    pub size: usize,
    /// Datagrams received.
    pub received: u64,
    /// Bytes received.
    pub received_bytes: u64,
    /// Received datagrams that could not be decoded.
    pub dropped: u64,
    /// Datagrams sent.
    pub sent: u64,
    /// Bytes sent.
    pub sent_bytes: u64,
    /// Commands that the server executed.
    pub confirmed: u64,
    /// Commands that the server rejected.
    pub rejected: u64,
    /// Mispredicted ticks of its own controllers.
    pub mispredicted: u64,
    /// Ticks that were simulated again after a correction.
    pub replayed: u64,
    /// Round-trip time in microseconds; 0 before the first measurement.
    pub round_trip: i64,
    /// Id of the client, if is_playing is not zero.
    pub client: ugas_client_id,
    /// Not zero if the client is connected.
    pub is_playing: u32,
    /// The displayed tick.
    pub tick: u32,
    /// Newest server tick that the displayed state is based on, if has_confirmed_tick is not zero.
    pub confirmed_tick: u32,
    /// Whether there is a confirmed tick.
    pub has_confirmed_tick: u32,
    /// Not zero if the connection was lost and the client asks to resume its session.
    pub is_resuming: u32,
    /// Number of times that the session was resumed.
    pub resumed: u64,
}

// SAFETY: `repr(C)`, numbers and pointers.
unsafe impl Plain for ugas_client_config {}
// SAFETY: it begins with its size.
unsafe impl SizePrefixed for ugas_client_config {}
// SAFETY: `repr(C)`, numbers.
unsafe impl Plain for ugas_client_statistics {}
// SAFETY: it begins with its size.
unsafe impl SizePrefixed for ugas_client_statistics {}

/// Maximum length of a credential in bytes.
const MOST_CREDENTIAL: usize = ugas_net::limits::MAX_CREDENTIAL;

/// Creates a client of a server with the same catalog, to be freed with ugas_simulation_free. The first
/// ugas_client_update begins to connect.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_client_new(
    context: *mut ugas_context,
    catalog: ugas_catalog,
    config: *const ugas_client_config,
    out: *mut ugas_client,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        let given = memory.input(config)?;
        let credential = memory.list(given.credential.data, given.credential.length)?;
        if credential.len() > MOST_CREDENTIAL {
            return Err(Failure::argument(format!("a credential has at most {MOST_CREDENTIAL} bytes")));
        }
        let standard = ClientConfig::default();
        let span = |given: i64, standard: Span| if given <= 0 { standard } else { Span::from_micros(given) };
        let config = ClientConfig {
            credential: credential.to_vec(),
            retry: span(given.retry, standard.retry),
            timeout: span(given.timeout, standard.timeout),
            resume_time: resume_time(given.resume_time, standard.resume_time),
            prediction: prediction_of(given.no_prediction == 0),
            window: if given.window == 0 { standard.window } else { given.window },
            tag_counts: given.tag_counts != 0,
            ..standard
        };
        let usual = ReconnectConfig::default();
        let attempts = if given.reconnect_attempts == 0 { usual.attempts } else { given.reconnect_attempts };
        let reconnect = ReconnectConfig {
            silence: span(given.reconnect_silence, usual.silence),
            attempts: if config.resume_time.is_positive() { attempts } else { 0 },
            deadline: config.resume_time,
            ..usual
        };
        let client = Client::new(Arc::clone(context.catalog(catalog)?), config, given.nonce);
        let mut entry = SimulationEntry::new(World::Client(Box::new(client)));
        entry.reconnector = Some(Box::new(Reconnector::new(reconnect, given.nonce)));
        out.set(context.simulations.insert(entry).ok_or_else(|| too_many("client"))?);
        Ok(())
    })
}

/// Passes in a datagram that arrived from the server at the time `now`, in microseconds of the host's clock,
/// which must be monotonic.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_client_receive(
    context: *mut ugas_context,
    client: ugas_client,
    now: u64,
    datagram: ugas_bytes,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let bytes = memory.list(datagram.data, datagram.length)?;
        context.simulation_mut(client)?.client_mut(client)?.handle(Time::from_micros(now), bytes);
        Ok(())
    })
}

/// Advances the client to `now`: simulates ticks and sends the player's commands. Call it once per frame.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_client_update(
    context: *mut ugas_context,
    client: ugas_client,
    now: u64,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        context.simulation_mut(client)?.client_mut(client)?.update(Time::from_micros(now));
        Ok(())
    })
}

/// Takes the oldest datagram that is queued for the server; `length` gets 0 if there is none. A buffer of
/// UGAS_MAX_DATAGRAM bytes is always enough; a datagram that does not fit stays queued.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_client_transmit(
    context: *mut ugas_context,
    client: ugas_client,
    buffer: *mut u8,
    capacity: usize,
    length: *mut usize,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let outgoing = Outgoing::new(memory, buffer, capacity, length)?;
        let entry = context.simulation_mut(client)?;
        entry.client(client)?;
        let next = match entry.unsent.take() {
            Some(unsent) => Some(unsent.bytes),
            None => entry.client_mut(client)?.poll_transmit(),
        };
        let next = next.unwrap_or_default();
        if let Err(failure) = outgoing.check(&next) {
            entry.unsent = Some(ugas_net::Transmit { peer: ugas_net::PeerId(0), bytes: next });
            return Err(failure);
        }
        outgoing.write(&next);
        Ok(())
    })
}

/// Ends the session. The goodbye to the server is queued for ugas_client_transmit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_client_leave(context: *mut ugas_context, client: ugas_client) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        context.simulation_mut(client)?.client_mut(client)?.leave();
        Ok(())
    })
}

/// Switches prediction on, or off if `predicts` is zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_client_set_prediction(
    context: *mut ugas_context,
    client: ugas_client,
    predicts: u32,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        let client = context.simulation_mut(client)?.client_mut(client)?;
        client.set_prediction(prediction_of(predicts != 0));
        Ok(())
    })
}

/// State and counters of a client.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_client_look(
    context: *mut ugas_context,
    client: ugas_client,
    out: *mut ugas_client_statistics,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out_sized(out)?;
        let client = context.simulation(client)?.client(client)?;
        let counted = client.statistics();
        out.set(ugas_client_statistics {
            size: size_of::<ugas_client_statistics>(),
            received: counted.received,
            received_bytes: counted.received_bytes,
            dropped: counted.dropped,
            sent: counted.sent,
            sent_bytes: counted.sent_bytes,
            confirmed: counted.confirmed,
            rejected: counted.rejected,
            mispredicted: counted.mispredicted,
            replayed: counted.replayed,
            round_trip: client.round_trip().micros(),
            client: client.id().map_or(0, |id| id.0),
            is_playing: u32::from(client.is_playing()),
            tick: client.current_tick().0,
            confirmed_tick: client.confirmed_tick().map_or(0, |tick| tick.0),
            has_confirmed_tick: u32::from(client.confirmed_tick().is_some()),
            is_resuming: u32::from(client.is_resuming()),
            resumed: counted.resumed,
        });
        Ok(())
    })
}

/// Controllers that the client owns. At most `capacity` are written; `count` gets the number of all.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_client_own_controllers(
    context: *mut ugas_context,
    client: ugas_client,
    out: *mut ugas_controller,
    capacity: usize,
    count: *mut usize,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let rows = memory.handles(out, capacity, count)?;
        let client = context.simulation(client)?.client(client)?;
        rows.fill(client.own_controllers().map(|id| id.to_bits().get()));
        Ok(())
    })
}

/// Server handle of a controller that the client sees: the handle that both sides can refer to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_client_remote(
    context: *mut ugas_context,
    client: ugas_client,
    controller: ugas_controller,
    out: *mut ugas_controller,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        let client = context.simulation(client)?.client(client)?;
        let remote = ControllerId::from_bits(controller).and_then(|id| client.remote(id));
        out.set(remote.ok_or_else(|| not_visible(controller))?.to_bits().get());
        Ok(())
    })
}

/// Client handle of a controller of the server. UGAS_STATUS_NOT_FOUND if the client does not see the
/// controller.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_client_local(
    context: *mut ugas_context,
    client: ugas_client,
    remote: ugas_controller,
    out: *mut ugas_controller,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        let client = context.simulation(client)?.client(client)?;
        let local = ControllerId::from_bits(remote).and_then(|id| client.local(id));
        out.set(local.ok_or_else(|| not_visible(remote))?.to_bits().get());
        Ok(())
    })
}

fn not_visible(bits: ugas_controller) -> Failure {
    Failure::not_found(format!("the client does not see the controller {bits:#x}"))
}

fn prediction_of(predicts: bool) -> Prediction {
    if predicts { Prediction::On } else { Prediction::Off }
}
