//! Who is in, whose a controller is, and who sees what of it (§13.2).

use ugas_core::id::AttributeId;
use ugas_net::message::ClientId;
use ugas_net::{Lens, Own, PeerId, Server};

use super::{GameHost, ugas_client_id, ugas_peer, ugas_server};
use crate::catalog::ugas_attribute;
use crate::guard::{enter, ugas_context};
use crate::memory::{Headed, Plain};
use crate::net;
use crate::simulation::ugas_controller;
use crate::status::{Failure, Outcome, ugas_status};

/// A client that is in.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_server_client {
    /// How long a datagram takes to it and back, in microseconds; -1 is not known yet.
    pub round_trip: i64,
    /// Who.
    pub client: ugas_client_id,
    /// How many of its commands were rejected.
    pub rejected: u32,
}

/// How many commands of a client were rejected for one reason.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_rejection_count {
    /// One of ugas_rejection.
    pub rejection: u32,
    /// How many.
    pub count: u32,
}

/// What is seen of a controller to begin with.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_lens_kind {
    /// It is not even known that it exists.
    Hidden = 0,
    /// That it exists.
    Nothing = 1,
    /// Tags and cues.
    Minimal = 2,
    /// Tags, cues, and abilities: the least for an owner.
    MinimalOwner = 3,
    /// Effects, attributes, tags and cues.
    Full = 4,
    /// All that an owner needs to predict.
    Owner = 5,
}

/// What is seen of a controller.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_lens {
    /// sizeof(ugas_lens).
    pub size: usize,
    /// These attributes instead of those of the kind; none is those of the kind.
    pub attributes: *const ugas_attribute,
    /// How many.
    pub attribute_count: usize,
    /// One of ugas_lens_kind.
    pub kind: u32,
    /// Not zero if the position goes with it.
    pub placement: u32,
}

// SAFETY: `repr(C)`, numbers.
unsafe impl Plain for ugas_server_client {}
// SAFETY: `repr(C)`, numbers.
unsafe impl Plain for ugas_rejection_count {}
// SAFETY: `repr(C)`, numbers and pointers.
unsafe impl Plain for ugas_lens {}
// SAFETY: it begins with its size.
unsafe impl Headed for ugas_lens {}

/// The clients that are in. `row_size` is sizeof(ugas_server_client).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_server_clients(
    context: *mut ugas_context,
    server: ugas_server,
    out: *mut ugas_server_client,
    row_size: usize,
    capacity: usize,
    count: *mut usize,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let rows = memory.rows(out, row_size, capacity, count)?;
        let server = context.simulation(server)?.server(server)?;
        rows.fill(server.clients().map(|client| ugas_server_client {
            round_trip: server.round_trip(client).map_or(-1, |span| span.micros()),
            client: client.0,
            rejected: server.rejections(client).fold(0, |sum, (_, count)| sum.saturating_add(count)),
        }));
        Ok(())
    })
}

/// Why commands of a client were rejected, and how often. `row_size` is sizeof(ugas_rejection_count).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_server_rejections(
    context: *mut ugas_context,
    server: ugas_server,
    client: ugas_client_id,
    out: *mut ugas_rejection_count,
    row_size: usize,
    capacity: usize,
    count: *mut usize,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let rows = memory.rows(out, row_size, capacity, count)?;
        let server = context.simulation(server)?.server(server)?;
        let client = client_of(server, client)?;
        rows.fill(server.rejections(client).map(|(rejection, count)| ugas_rejection_count {
            rejection: net::rejection(rejection) as u32,
            count,
        }));
        Ok(())
    })
}

/// Makes a controller a client's own: it may act with it, and predicts it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_server_give(
    context: *mut ugas_context,
    server: ugas_server,
    controller: ugas_controller,
    client: ugas_client_id,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        let entry = context.simulation_mut(server)?;
        let client = client_of(entry.server(server)?, client)?;
        let controller = entry.controller(controller)?;
        entry.server_mut(server)?.give(controller, client);
        Ok(())
    })
}

/// Makes a controller nobody's own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_server_take_back(
    context: *mut ugas_context,
    server: ugas_server,
    controller: ugas_controller,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        let entry = context.simulation_mut(server)?;
        entry.server(server)?;
        let controller = entry.controller(controller)?;
        entry.server_mut(server)?.take_back(controller);
        Ok(())
    })
}

/// Whose own a controller is. UGAS_STATUS_NOT_FOUND if it is nobody's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_server_owner(
    context: *mut ugas_context,
    server: ugas_server,
    controller: ugas_controller,
    out: *mut ugas_client_id,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        let entry = context.simulation(server)?;
        let owner = entry.server(server)?.owner(entry.controller(controller)?);
        out.set(owner.ok_or_else(|| Failure::not_found("the controller is nobody's own"))?.0);
        Ok(())
    })
}

/// Shows a controller to a client; unless show_nothing was set, that goes by itself.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_server_show(
    context: *mut ugas_context,
    server: ugas_server,
    controller: ugas_controller,
    client: ugas_client_id,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        let entry = context.simulation_mut(server)?;
        let client = client_of(entry.server(server)?, client)?;
        let controller = entry.controller(controller)?;
        entry.server_mut(server)?.show(controller, client);
        Ok(())
    })
}

/// Takes a controller out of a client's view. Its own ones stay.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_server_hide(
    context: *mut ugas_context,
    server: ugas_server,
    controller: ugas_controller,
    client: ugas_client_id,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        let entry = context.simulation_mut(server)?;
        let client = client_of(entry.server(server)?, client)?;
        let controller = entry.controller(controller)?;
        entry.server_mut(server)?.hide(controller, client);
        Ok(())
    })
}

/// Chooses what is seen of a controller, by its owner if `own` is not zero and by all others if it is, instead of what
/// its replication mode says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_server_set_lens(
    context: *mut ugas_context,
    server: ugas_server,
    controller: ugas_controller,
    own: u32,
    lens: *const ugas_lens,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let given = memory.input(lens)?;
        let lens = match given.kind {
            0 => None,
            1 => Some(Lens::nothing()),
            2 => Some(Lens::minimal()),
            3 => Some(Lens::minimal_owner()),
            4 => Some(Lens::full()),
            5 => Some(Lens::owner()),
            other => return Err(Failure::argument(format!("{other} is no ugas_lens_kind"))),
        };
        let attributes = memory.list(given.attributes, given.attribute_count)?;
        let entry = context.simulation_mut(server)?;
        entry.server(server)?;
        let controller = entry.controller(controller)?;
        let server = entry.server_mut(server)?;
        let lens = lens.map(|lens| {
            let attributes = attributes.iter().map(|&index| AttributeId::from_index(index));
            let lens = attributes.fold(lens, Lens::with_attribute);
            if given.placement == 0 { lens } else { lens.with_placement() }
        });
        let lens = lens.map(|lens| server.add_lens(lens));
        server.set_lens(controller, if own == 0 { Own::Others } else { Own::Own }, lens);
        Ok(())
    })
}

/// Sends a client away. It is told so.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_server_kick(
    context: *mut ugas_context,
    server: ugas_server,
    client: ugas_client_id,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        let server = context.simulation_mut(server)?.server_mut(server)?;
        let client = client_of(server, client)?;
        server.kick(client);
        Ok(())
    })
}

/// The transport lost a connection. One that is not known is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_server_disconnected(
    context: *mut ugas_context,
    server: ugas_server,
    peer: ugas_peer,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        context.simulation_mut(server)?.server_mut(server)?.disconnected(PeerId(peer));
        Ok(())
    })
}

/// Ends all sessions; the clients are told by the datagrams that wait then. The game stays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_server_shut_down(
    context: *mut ugas_context,
    server: ugas_server,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        context.simulation_mut(server)?.server_mut(server)?.shut_down();
        Ok(())
    })
}

fn client_of(server: &Server<GameHost>, client: ugas_client_id) -> Outcome<ClientId> {
    let known = server.clients().find(|known| known.0 == client);
    known.ok_or_else(|| Failure::not_found(format!("no client {client} is in")))
}
