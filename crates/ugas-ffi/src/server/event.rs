//! Events of a server.

use ugas_net::ServerEvent;

use super::{ugas_client_id, ugas_peer, ugas_server};
use crate::event::{nothing, ugas_event};
use crate::guard::{enter, ugas_context};
use crate::memory::{Plain, ugas_bytes, ugas_str};
use crate::net;
use crate::status::ugas_status;
use crate::task::ugas_task;
use crate::world::SimulationEntry;

/// Kind of a server event.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_server_event_kind {
    /// A client joined: give it a controller.
    Joined = 0,
    /// A client left; the controllers it owned have no owner now.
    Left = 1,
    /// A connection was refused.
    Refused = 2,
    /// A task waited too long for a client.
    Overdue = 3,
    /// A command was rejected, or several of one datagram for the same reason.
    Rejected = 4,
    /// An event of the game.
    Game = 5,
    /// The connection of a client was lost; its session is kept, and its controllers stay its own.
    Interrupted = 6,
    /// A client continues its session over the connection `peer`.
    Resumed = 7,
}

/// Event of a server. Fields that do not apply to the kind are zero.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ugas_server_event {
    /// One of ugas_server_event_kind.
    pub kind: u32,
    /// A ugas_bye_reason (left), a ugas_refused_reason (refused) or a ugas_rejection (rejected).
    pub reason: u32,
    /// Client that joined, left, was interrupted or resumed, or sent the rejected command.
    pub client: ugas_client_id,
    /// Zero.
    pub reserved: u32,
    /// Connection that joined, was refused or was lost, or over which a session goes on.
    pub peer: ugas_peer,
    /// Overdue task.
    pub task: ugas_task,
    /// Credential of the client that joined. Valid until the next poll of this server.
    pub credential: ugas_bytes,
    /// The reason as text. Valid until the next poll of this server.
    pub words: ugas_str,
    /// Event of the game.
    pub game: ugas_event,
}

// SAFETY: `repr(C)`, numbers, pointers, and a union of such.
unsafe impl Plain for ugas_server_event {}

/// Takes the oldest events of a server, at most `capacity`; `count` gets their number. `row_size` is
/// sizeof(ugas_server_event). ugas_event_text describes events of the game, by their index.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_server_events_poll(
    context: *mut ugas_context,
    server: ugas_server,
    out: *mut ugas_server_event,
    row_size: usize,
    capacity: usize,
    count: *mut usize,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let mut rows = memory.rows(out, row_size, capacity, count)?;
        let entry = context.simulation_mut(server)?;
        entry.server(server)?;
        entry.forget_polled();
        while rows.left() > 0
            && let Some(event) = entry.server_mut(server)?.poll_event()
        {
            if let Some(event) = convert(event, entry) {
                rows.push(event);
            }
        }
        rows.finish();
        Ok(())
    })
}

/// Converts an event to its C form; `None` for kinds that this interface does not know.
fn convert(event: ServerEvent, entry: &mut SimulationEntry) -> Option<ugas_server_event> {
    use ugas_server_event_kind as K;
    let kind = |kind: K| ugas_server_event {
        kind: kind as u32,
        reason: 0,
        client: 0,
        reserved: 0,
        peer: 0,
        task: 0,
        credential: ugas_bytes { data: core::ptr::null(), length: 0 },
        words: ugas_str::EMPTY,
        game: nothing(),
    };
    Some(match event {
        ServerEvent::Joined { client, peer, credential } => ugas_server_event {
            client: client.0,
            peer: peer.0,
            credential: entry.lent.bytes(&credential),
            ..kind(K::Joined)
        },
        ServerEvent::Interrupted { client, peer } => {
            ugas_server_event { client: client.0, peer: peer.0, ..kind(K::Interrupted) }
        }
        ServerEvent::Resumed { client, peer, .. } => {
            ugas_server_event { client: client.0, peer: peer.0, ..kind(K::Resumed) }
        }
        ServerEvent::Left { client, reason } => ugas_server_event {
            client: client.0,
            reason: net::bye(reason) as u32,
            words: reason.map_or(ugas_str::EMPTY, |reason| entry.lend_message(reason.to_string())),
            ..kind(K::Left)
        },
        ServerEvent::Refused { peer, reason } => ugas_server_event {
            peer: peer.0,
            reason: net::refused(&reason) as u32,
            words: entry.lend_message(reason.to_string()),
            ..kind(K::Refused)
        },
        ServerEvent::Overdue { task } => ugas_server_event { task: task.to_bits().get(), ..kind(K::Overdue) },
        ServerEvent::Rejected { client, rejection } => ugas_server_event {
            client: client.0,
            reason: net::rejection(rejection) as u32,
            words: entry.lend_message(rejection.to_string()),
            ..kind(K::Rejected)
        },
        ServerEvent::Game(event) => {
            let game = entry.lend_event(event);
            ugas_server_event { game, ..kind(K::Game) }
        }
        _ => return None,
    })
}
