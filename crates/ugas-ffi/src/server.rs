//! Servers: an authoritative game and its clients (§13). Datagrams and the time go in, datagrams and events
//! come out.

mod event;
mod host;
mod view;

pub use event::*;
pub(crate) use host::GameHost;
pub use host::*;
pub use view::*;

use ugas_core::time::{Span, Time};
use ugas_net::{AfterDeadline, PeerId, Server, ServerConfig, TickLength};

use crate::context::too_many;
use crate::guard::{enter, ugas_context};
use crate::memory::{Plain, SizePrefixed, ugas_bytes};
use crate::net::Outgoing;
use crate::simulation::ugas_simulation;
use crate::status::{Failure, Outcome, ugas_status};
use crate::world::{SimulationEntry, World};

/// Handle of a server of this context. A server is a simulation too: its handle is accepted wherever a
/// ugas_simulation is, to read the game and, between ticks, to change it. Freed with ugas_simulation_free.
pub type ugas_server = u64;
/// A connection of the host's transport, such as an address or a socket; a number that the host chooses.
pub type ugas_peer = u64;
/// Id of an accepted client, chosen by the server.
pub type ugas_client_id = u32;

/// Configuration of a server. Zero selects the default for every number.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_server_config {
    /// sizeof(ugas_server_config).
    pub size: usize,
    /// Callbacks of the game; may be null. They are copied.
    pub host: *const ugas_server_host,
    /// A session ends if its client is silent for longer, in microseconds.
    pub timeout: i64,
    /// Time after which an executed cue is no longer sent, in microseconds.
    pub flash_lifetime: i64,
    /// Maximum time that a task waits for a client, in microseconds.
    pub client_deadline: i64,
    /// Length of a tick in microseconds: from a millisecond to a second.
    pub tick_length: u32,
    /// Maximum number of clients.
    pub max_clients: u32,
    /// Maximum number of ticks that a command may be ahead.
    pub max_lead: u32,
    /// Maximum number of ticks that a command may be late and still be executed.
    pub grace: u32,
    /// Maximum datagrams per second from one client.
    pub datagrams_per_second: u32,
    /// Maximum commands per second from one client.
    pub commands_per_second: u32,
    /// Maximum bytes per second to one client.
    pub bytes_per_second: u32,
    /// Number of ticks for which past positions are kept.
    pub rewind: u32,
    /// Not zero to choose targets for a client that missed its deadline; otherwise the activation is
    /// cancelled.
    pub generate_after_deadline: u32,
    /// Not zero if clients may report that a host task completed.
    pub trust_host_tasks: u32,
    /// Not zero if clients may choose the event that activates an ability.
    pub trust_events: u32,
    /// Not zero if clients see only controllers shown to them with ugas_server_show; otherwise they see all
    /// that are not hidden.
    pub show_nothing: u32,
    /// Time for which the session of a lost connection is kept, in microseconds, so that its client can resume
    /// it. Negative keeps none.
    pub resume_time: i64,
    /// Not zero if a client may resume its session from any peer with its secret: for transports whose peers
    /// are addresses. Otherwise it must be the same peer.
    pub resume_from_any_peer: u32,
    /// Zero.
    pub reserved: u32,
}

/// Counters of a server.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_server_statistics {
    /// sizeof(ugas_server_statistics).
    pub size: usize,
    /// Datagrams received.
    pub received: u64,
    /// Received datagrams that could not be decoded, came from unknown peers or exceeded the rate limit.
    pub dropped: u64,
    /// Datagrams sent.
    pub sent: u64,
    /// Bytes sent.
    pub sent_bytes: u64,
    /// Commands executed.
    pub commands: u64,
    /// Commands rejected.
    pub rejected: u64,
    /// The last completed tick.
    pub tick: u32,
    /// Length of a tick in microseconds.
    pub tick_length: u32,
    /// Sessions that were kept after a lost connection.
    pub interrupted: u64,
    /// Sessions that were resumed.
    pub resumed: u64,
    /// Kept sessions that nobody resumed in time.
    pub expired: u64,
}

// SAFETY: `repr(C)`, numbers and pointers.
unsafe impl Plain for ugas_server_config {}
// SAFETY: it begins with its size.
unsafe impl SizePrefixed for ugas_server_config {}
// SAFETY: `repr(C)`, numbers.
unsafe impl Plain for ugas_server_statistics {}
// SAFETY: it begins with its size.
unsafe impl SizePrefixed for ugas_server_statistics {}

/// Creates a server from a simulation, which it takes over: the handle of the simulation is dead afterwards,
/// and `out` gets the handle of the server, to be freed with ugas_simulation_free. `config` may be null.
/// Refused while the simulation is recorded or a batch is open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_server_new(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    config: *const ugas_server_config,
    out: *mut ugas_server,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        let given = memory.optional_input(config)?;
        let config = config_of(&given)?;
        let host = if given.host.is_null() { None } else { Some(memory.input(given.host)?) };
        // All checks come before the simulation is taken over.
        context.simulation_mut(simulation)?.own_mut()?;
        let Some(SimulationEntry { world: World::Own(taken), .. }) = context.simulations.remove(simulation)
        else {
            return Ok(());
        };
        let server = Server::with_host(*taken, config, GameHost::new(host, given.resume_from_any_peer != 0));
        let entry = SimulationEntry::new(World::Server(Box::new(server)));
        out.set(context.simulations.insert(entry).ok_or_else(|| too_many("server"))?);
        Ok(())
    })
}

/// Passes in a datagram that arrived from `peer` at the time `now`, in microseconds of the host's clock,
/// which must be monotonic. The game changes in ugas_server_tick only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_server_receive(
    context: *mut ugas_context,
    server: ugas_server,
    now: u64,
    peer: ugas_peer,
    datagram: ugas_bytes,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let bytes = memory.list(datagram.data, datagram.length)?;
        let server = context.simulation_mut(server)?.server_mut(server)?;
        server.handle(Time::from_micros(now), PeerId(peer), bytes);
        Ok(())
    })
}

/// Runs one tick at the time `now`: executes the commands that are due, advances the game and queues updates
/// for clients. Call it once per tick length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_server_tick(
    context: *mut ugas_context,
    server: ugas_server,
    now: u64,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        let entry = context.simulation_mut(server)?;
        entry.server(server)?;
        entry.check_no_batch()?;
        entry.server_mut(server)?.tick(Time::from_micros(now));
        Ok(())
    })
}

/// Takes the oldest queued datagram and its peer; `length` gets 0 if there is none. A buffer of
/// UGAS_MAX_DATAGRAM bytes is always enough; a datagram that does not fit stays queued.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_server_transmit(
    context: *mut ugas_context,
    server: ugas_server,
    peer: *mut ugas_peer,
    buffer: *mut u8,
    capacity: usize,
    length: *mut usize,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let peer = memory.out(peer)?;
        let outgoing = Outgoing::new(memory, buffer, capacity, length)?;
        let entry = context.simulation_mut(server)?;
        entry.server(server)?;
        let next = match entry.unsent.take() {
            Some(unsent) => Some(unsent),
            None => entry.server_mut(server)?.poll_transmit(),
        };
        let Some(next) = next else {
            outgoing.write(&[]);
            return Ok(());
        };
        if let Err(failure) = outgoing.check(&next.bytes) {
            entry.unsent = Some(next);
            return Err(failure);
        }
        peer.set(next.peer.0);
        outgoing.write(&next.bytes);
        Ok(())
    })
}

/// Counters of a server.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_server_look(
    context: *mut ugas_context,
    server: ugas_server,
    out: *mut ugas_server_statistics,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out_sized(out)?;
        let server = context.simulation(server)?.server(server)?;
        let counted = server.statistics();
        out.set(ugas_server_statistics {
            size: size_of::<ugas_server_statistics>(),
            received: counted.received,
            dropped: counted.dropped,
            sent: counted.sent,
            sent_bytes: counted.sent_bytes,
            commands: counted.commands,
            rejected: counted.rejected,
            tick: server.current_tick().0,
            tick_length: server.tick_length().micros(),
            interrupted: counted.interrupted,
            resumed: counted.resumed,
            expired: counted.expired,
        });
        Ok(())
    })
}

/// Bytes of the system's random source; zeros, which are no secret, if it fails.
fn random_bytes() -> [u8; 32] {
    let mut bytes = [0; 32];
    match getrandom::fill(&mut bytes) {
        Ok(()) => bytes,
        Err(_) => [0; 32],
    }
}

/// A time of the host to resume sessions: zero is the default, and a negative one none.
pub(crate) fn resume_time(given: i64, standard: Span) -> Span {
    match given {
        0 => standard,
        given => Span::from_micros(given.max(0)),
    }
}

fn config_of(given: &ugas_server_config) -> Outcome<ServerConfig> {
    let standard = ServerConfig::default();
    let number = |given: u32, standard: u32| if given == 0 { standard } else { given };
    let span = |given: i64, standard: Span| if given <= 0 { standard } else { Span::from_micros(given) };
    let length = match given.tick_length {
        0 => standard.length,
        micros => TickLength::from_micros(micros).ok_or_else(|| {
            Failure::argument(format!(
                "tick_length is {micros} microseconds, but must be from 1,000 to 1,000,000"
            ))
        })?,
    };
    Ok(ServerConfig {
        length,
        max_clients: number(given.max_clients, standard.max_clients),
        max_lead: number(given.max_lead, standard.max_lead),
        grace: number(given.grace, standard.grace),
        timeout: span(given.timeout, standard.timeout),
        resume_time: resume_time(given.resume_time, standard.resume_time),
        secrets: Some(random_bytes),
        datagrams_per_second: number(given.datagrams_per_second, standard.datagrams_per_second),
        commands_per_second: number(given.commands_per_second, standard.commands_per_second),
        bytes_per_second: number(given.bytes_per_second, standard.bytes_per_second),
        cue_burst_lifetime: span(given.flash_lifetime, standard.cue_burst_lifetime),
        rewind: number(given.rewind, standard.rewind),
        client_deadline: span(given.client_deadline, standard.client_deadline),
        after_deadline: match given.generate_after_deadline {
            0 => AfterDeadline::Cancel,
            _ => AfterDeadline::Generate,
        },
        trust_host_tasks: given.trust_host_tasks != 0,
        trust_events: given.trust_events != 0,
        show_everything: given.show_nothing == 0,
        ..standard
    })
}
