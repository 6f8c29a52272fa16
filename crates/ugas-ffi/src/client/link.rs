//! The connection of a client: when it is lost, another one is opened, and the session goes on over it.

use ugas_core::time::Time;
use ugas_net::reconnect::{ConnectionState, LinkState, ReconnectAction};

use super::ugas_client;
use crate::guard::{enter, ugas_context};
use crate::memory::{Plain, SizePrefixed, ugas_str};
use crate::net::{Outgoing, no_secret};
use crate::status::{Failure, ugas_status};
use crate::world::World;

/// State of the host's transport.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_link_state {
    /// The server has not answered yet.
    Connecting = 0,
    /// Datagrams can be sent and received.
    Connected = 1,
    /// The connection was lost, or not answered.
    Lost = 2,
    /// The server refused the connection for a reason that may pass.
    Busy = 3,
    /// The server refused the connection for good.
    Refused = 4,
}

/// State of a client's connection, for its user.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_connection_state {
    /// The first session has not begun yet.
    Connecting = 0,
    /// The session lasts.
    Connected = 1,
    /// The connection was lost: `attempt` and `next_try`.
    Reconnecting = 2,
    /// The client gave up: `words`.
    Failed = 3,
    /// The session ended: the player left, or the server ended it.
    Ended = 4,
}

/// A request to the host's transport.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_link_action {
    /// Nothing.
    Nothing = 0,
    /// Open another connection in place of the present one, with the secret of the session if the transport
    /// authenticates. Do not tell the server that the present one ends.
    Open = 1,
    /// As Open, but in the way in which the client connected first: the server does not know the secret.
    OpenAnew = 2,
}

/// Connection of a client.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_connection {
    /// sizeof(ugas_connection).
    pub size: usize,
    /// Time of the next attempt to reconnect, in microseconds of the host's clock.
    pub next_try: u64,
    /// Why the client gave up. Valid until the next poll of this client.
    pub words: ugas_str,
    /// One of ugas_connection_state.
    pub state: u32,
    /// Number of the present or next attempt, from 1.
    pub attempt: u32,
    /// One of ugas_link_action.
    pub action: u32,
    /// Zero.
    pub reserved: u32,
}

// SAFETY: `repr(C)`, numbers and pointers.
unsafe impl Plain for ugas_connection {}
// SAFETY: it begins with its size.
unsafe impl SizePrefixed for ugas_connection {}

/// Follows the connection of a client; call it once per frame, after datagrams were received and before
/// ugas_client_update. `link` is a ugas_link_state and `words` describes the reason of a loss. If the action in
/// `out` is to open a connection, do so and report its state from then on. Hosts that never call it keep their
/// sessions over short losses, and may use ugas_client_connection_lost.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_client_link(
    context: *mut ugas_context,
    client: ugas_client,
    now: u64,
    link: u32,
    words: ugas_str,
    out: *mut ugas_connection,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out_sized(out)?;
        let words = memory.text(words)?;
        let entry = context.simulation_mut(client)?;
        entry.client(client)?;
        let link = match link {
            0 => LinkState::Connecting,
            1 => LinkState::Connected,
            2 => LinkState::Lost(words),
            3 => LinkState::Busy(words),
            4 => LinkState::Refused(words),
            other => return Err(Failure::argument(format!("{other} is not a ugas_link_state"))),
        };
        let (World::Client(inner), Some(reconnector)) = (&mut entry.world, &mut entry.reconnector) else {
            return Ok(());
        };
        let action = match reconnector.poll(Time::from_micros(now), link, inner) {
            None => ugas_link_action::Nothing,
            Some(ReconnectAction::Open { with_secret: true }) => ugas_link_action::Open,
            Some(ReconnectAction::Open { with_secret: false }) => ugas_link_action::OpenAnew,
        };
        let (mut attempt, mut next_try, mut failure) = (0, 0, None);
        let state = match reconnector.state() {
            ConnectionState::Connecting => ugas_connection_state::Connecting,
            ConnectionState::Connected => ugas_connection_state::Connected,
            ConnectionState::Reconnecting { attempt: number, next_try: time } => {
                (attempt, next_try) = (*number, time.micros());
                ugas_connection_state::Reconnecting
            }
            ConnectionState::Failed(reason) => {
                failure = Some(reason.to_string());
                ugas_connection_state::Failed
            }
            ConnectionState::Ended => ugas_connection_state::Ended,
        };
        let words = failure.map_or(ugas_str::EMPTY, |text| entry.lend_message(text));
        out.set(ugas_connection {
            size: size_of::<ugas_connection>(),
            next_try,
            words,
            state: state as u32,
            attempt,
            action: action as u32,
            reserved: 0,
        });
        Ok(())
    })
}

/// Reports that the connection of a client was lost or replaced, for hosts that decide themselves when to
/// reconnect: the client asks for its session over the next connection.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_client_connection_lost(
    context: *mut ugas_context,
    client: ugas_client,
    now: u64,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        context.simulation_mut(client)?.client_mut(client)?.connection_lost(Time::from_micros(now));
        Ok(())
    })
}

/// Secret of the client's session, UGAS_SECRET_BYTES bytes, with which its transport can prove that a new
/// connection belongs to the same client. UGAS_STATUS_NOT_FOUND without a session that can be resumed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_client_resume_secret(
    context: *mut ugas_context,
    client: ugas_client,
    buffer: *mut u8,
    capacity: usize,
    length: *mut usize,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let outgoing = Outgoing::new(memory, buffer, capacity, length)?;
        let client = context.simulation(client)?.client(client)?;
        let secret = client.resume_secret().ok_or_else(no_secret)?;
        outgoing.check(&secret.0)?;
        outgoing.write(&secret.0);
        Ok(())
    })
}
