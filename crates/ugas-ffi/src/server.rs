//! A server: an authoritative game and its clients (§13). Datagrams and the time go in, datagrams and events come out.

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
use crate::memory::{Headed, Plain, ugas_bytes};
use crate::net::Outgoing;
use crate::simulation::ugas_simulation;
use crate::status::{Failure, Outcome, ugas_status};
use crate::world::{SimulationEntry, World};

/// A server of this context. It is a simulation too: its number is good wherever a ugas_simulation is asked for, to look
/// at the game and, between ticks, to change it. Freed with ugas_simulation_free.
pub type ugas_server = u64;
/// A connection as the host's transport knows it: an address, a socket; in the host's own numbers.
pub type ugas_peer = u64;
/// A client that a server let in, in the server's numbers.
pub type ugas_client_id = u32;

/// How a server is set up. Zero means the library's own choice for every number.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_server_config {
    /// sizeof(ugas_server_config).
    pub size: usize,
    /// What the server asks the game; may be null. It is copied.
    pub host: *const ugas_server_host,
    /// A client that is silent for longer is gone, in microseconds.
    pub timeout: i64,
    /// How long a cue that flashed is worth being sent, in microseconds.
    pub flash_lifetime: i64,
    /// How long a task may wait for a client, in microseconds.
    pub client_deadline: i64,
    /// How long a tick is, in microseconds: from a millisecond to a second.
    pub tick_length: u32,
    /// Most clients at once.
    pub max_clients: u32,
    /// How many ticks ahead commands may be stamped.
    pub max_lead: u32,
    /// How many ticks late a command may come and still run.
    pub grace: u32,
    /// Most datagrams of one client in a second.
    pub datagrams_per_second: u32,
    /// Most commands of one client in a second.
    pub commands_per_second: u32,
    /// Most bytes to one client in a second.
    pub bytes_per_second: u32,
    /// How many ticks positions can be looked up in the past.
    pub rewind: u32,
    /// Not zero to choose targets for a client that let its deadline pass; otherwise the run is cancelled.
    pub generate_after_deadline: u32,
    /// Not zero if a client may say that a task which its host carries out went well.
    pub trust_host_tasks: u32,
    /// Not zero if a client may say by which event an ability begins.
    pub trust_events: u32,
    /// Not zero if clients see only what ugas_server_show shows them; otherwise they see all that is not hidden.
    pub show_nothing: u32,
}

/// What a server has counted.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_server_statistics {
    /// sizeof(ugas_server_statistics).
    pub size: usize,
    /// Datagrams that came.
    pub received: u64,
    /// Datagrams that could not be read, came from strangers or were too many.
    pub dropped: u64,
    /// Datagrams that were sent.
    pub sent: u64,
    /// Bytes that were sent.
    pub sent_bytes: u64,
    /// Commands that ran.
    pub commands: u64,
    /// Commands that were rejected.
    pub rejected: u64,
    /// The newest tick that is over.
    pub tick: u32,
    /// How long a tick is, in microseconds.
    pub tick_length: u32,
}

// SAFETY: `repr(C)`, numbers and pointers.
unsafe impl Plain for ugas_server_config {}
// SAFETY: it begins with its size.
unsafe impl Headed for ugas_server_config {}
// SAFETY: `repr(C)`, numbers.
unsafe impl Plain for ugas_server_statistics {}
// SAFETY: it begins with its size.
unsafe impl Headed for ugas_server_statistics {}

/// Makes a server of a simulation, which it takes over: the number of the simulation is dead afterwards, and `out` gets
/// that of the server, to be freed with ugas_simulation_free. `config` may be null. Refused while a recording of the
/// simulation is made or a batch is open.
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
        // Whatever can be refused is asked before the simulation is taken.
        context.simulation_mut(simulation)?.own_mut()?;
        let Some(SimulationEntry { world: World::Own(taken), .. }) = context.simulations.remove(simulation)
        else {
            return Ok(());
        };
        let server = Server::with_host(*taken, config, GameHost::new(host));
        let entry = SimulationEntry::new(World::Server(Box::new(server)));
        out.set(context.simulations.insert(entry).ok_or_else(|| too_many("server"))?);
        Ok(())
    })
}

/// Takes a datagram that came from `peer` at the time `now`, in microseconds of the host's clock, which never runs
/// backwards. Whatever is in it, the game changes in ugas_server_tick only.
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

/// Lets one tick pass at the time `now`: commands that are due run, the game goes on, and clients are told. Call it once
/// for every tick length.
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

/// Takes the oldest datagram that waits to be sent, and says to whom; `length` gets 0 if none does. A buffer of
/// UGAS_MAX_DATAGRAM bytes is always enough; a datagram that does not fit stays where it is.
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

/// What a server has counted.
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
        });
        Ok(())
    })
}

fn config_of(given: &ugas_server_config) -> Outcome<ServerConfig> {
    let standard = ServerConfig::default();
    let number = |given: u32, standard: u32| if given == 0 { standard } else { given };
    let span = |given: i64, standard: Span| if given <= 0 { standard } else { Span::from_micros(given) };
    let length = match given.tick_length {
        0 => standard.length,
        micros => TickLength::from_micros(micros).ok_or_else(|| {
            Failure::argument(format!(
                "a tick of {micros} microseconds: from 1,000 to 1,000,000 are possible"
            ))
        })?,
    };
    Ok(ServerConfig {
        length,
        max_clients: number(given.max_clients, standard.max_clients),
        max_lead: number(given.max_lead, standard.max_lead),
        grace: number(given.grace, standard.grace),
        timeout: span(given.timeout, standard.timeout),
        datagrams_per_second: number(given.datagrams_per_second, standard.datagrams_per_second),
        commands_per_second: number(given.commands_per_second, standard.commands_per_second),
        bytes_per_second: number(given.bytes_per_second, standard.bytes_per_second),
        flash_lifetime: span(given.flash_lifetime, standard.flash_lifetime),
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
