//! Clients of a server, ownership of controllers, and what each client sees (§13.2).

use ugas_core::id::AttributeId;
use ugas_net::message::ClientId;
use ugas_net::{Ownership, PeerId, Server, Visibility};

use super::{GameHost, ugas_client_id, ugas_peer, ugas_server};
use crate::catalog::ugas_attribute;
use crate::guard::{enter, ugas_context};
use crate::memory::{Plain, SizePrefixed};
use crate::net::{self, Outgoing, no_secret};
use crate::simulation::ugas_controller;
use crate::status::{Failure, Outcome, ugas_status};

/// A connected client.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_server_client {
    /// Round-trip time in microseconds; -1 before the first measurement.
    pub round_trip: i64,
    /// Id of the client.
    pub client: ugas_client_id,
    /// Number of its rejected commands.
    pub rejected: u32,
}

/// Number of a client's commands that were rejected for one reason.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_rejection_count {
    /// One of ugas_rejection.
    pub rejection: u32,
    /// Number of rejected commands.
    pub count: u32,
}

/// Preset of what clients see of a controller.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_lens_kind {
    /// Nothing, not even that it exists.
    Hidden = 0,
    /// Only that it exists.
    Nothing = 1,
    /// Tags and cues.
    Minimal = 2,
    /// Tags, cues and abilities: the minimum for an owner.
    MinimalOwner = 3,
    /// Effects, attributes, tags and cues.
    Full = 4,
    /// Everything that an owner needs for prediction.
    Owner = 5,
}

/// Visibility of a controller: what clients see of it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_lens {
    /// sizeof(ugas_lens).
    pub size: usize,
    /// Attributes to show instead of those of the kind; an empty list keeps those of the kind.
    pub attributes: *const ugas_attribute,
    /// Number of entries in `attributes`.
    pub attribute_count: usize,
    /// One of ugas_lens_kind.
    pub kind: u32,
    /// Not zero to include the position.
    pub placement: u32,
}

// SAFETY: `repr(C)`, numbers.
unsafe impl Plain for ugas_server_client {}
// SAFETY: `repr(C)`, numbers.
unsafe impl Plain for ugas_rejection_count {}
// SAFETY: `repr(C)`, numbers and pointers.
unsafe impl Plain for ugas_lens {}
// SAFETY: it begins with its size.
unsafe impl SizePrefixed for ugas_lens {}

/// The connected clients. `row_size` is sizeof(ugas_server_client).
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

/// Rejected commands of a client, counted by reason. `row_size` is sizeof(ugas_rejection_count).
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

/// Makes a client the owner of a controller: it may act with it, and predicts it.
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

/// Removes the owner of a controller.
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

/// The client that owns a controller. UGAS_STATUS_NOT_FOUND if none does.
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
        out.set(owner.ok_or_else(|| Failure::not_found("the controller has no owner"))?.0);
        Ok(())
    })
}

/// Shows a controller to a client; needed only if show_nothing is set.
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

/// Hides a controller from a client. Its own controllers stay visible.
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

/// Sets what the owner of a controller sees of it if `own` is not zero, or what all others see if it is zero,
/// instead of what its replication mode says.
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
            1 => Some(Visibility::nothing()),
            2 => Some(Visibility::minimal()),
            3 => Some(Visibility::minimal_owner()),
            4 => Some(Visibility::full()),
            5 => Some(Visibility::owner()),
            other => return Err(Failure::argument(format!("{other} is not a ugas_lens_kind"))),
        };
        let attributes = memory.list(given.attributes, given.attribute_count)?;
        let entry = context.simulation_mut(server)?;
        entry.server(server)?;
        let controller = entry.controller(controller)?;
        let server = entry.server_mut(server)?;
        let lens = lens.map(|lens| {
            let attributes = attributes.iter().map(|&index| AttributeId::from_index(index));
            let lens = attributes.fold(lens, Visibility::with_attribute);
            if given.placement == 0 { lens } else { lens.with_placement() }
        });
        let lens = lens.map(|lens| server.add_visibility(lens));
        server.set_visibility(controller, if own == 0 { Ownership::Others } else { Ownership::Mine }, lens);
        Ok(())
    })
}

/// Kicks a client. It is notified.
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

/// Reports that the transport lost a connection. Its session is kept for resume_time, so that its client can
/// resume it. Unknown peers are ignored.
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

/// Reports that a client closed its connection: its session ends at once. Unknown peers are ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_server_left(
    context: *mut ugas_context,
    server: ugas_server,
    peer: ugas_peer,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        context.simulation_mut(server)?.server_mut(server)?.left(PeerId(peer));
        Ok(())
    })
}

/// Secret of a client's session, UGAS_SECRET_BYTES bytes, with which a transport can verify that a new
/// connection belongs to the same client. UGAS_STATUS_NOT_FOUND if the client has no session that is kept.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_server_resume_secret(
    context: *mut ugas_context,
    server: ugas_server,
    client: ugas_client_id,
    buffer: *mut u8,
    capacity: usize,
    length: *mut usize,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let outgoing = Outgoing::new(memory, buffer, capacity, length)?;
        let server = context.simulation_mut(server)?.server_mut(server)?;
        let client = client_of(server, client)?;
        let secret = server.resume_secret(client).ok_or_else(no_secret)?;
        outgoing.check(&secret.0)?;
        outgoing.write(&secret.0);
        Ok(())
    })
}

/// Ends all sessions; the goodbyes to the clients are queued for ugas_server_transmit. The simulation stays.
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
    known.ok_or_else(|| Failure::not_found(format!("no client has the id {client}")))
}
