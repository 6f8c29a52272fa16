//! The UDP socket below: never blocking, except where one asks to wait.

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, UdpSocket};
use std::time::Duration;

use crate::statistics::Statistics;

/// Binds a socket that does not block.
pub(crate) fn bind(address: SocketAddr) -> io::Result<UdpSocket> {
    let socket = UdpSocket::bind(address)?;
    socket.set_nonblocking(true)?;
    Ok(socket)
}

/// The next datagram, cut to the buffer; nothing if none has come.
///
/// # Errors
///
/// Those that concern the socket itself. What befell a single datagram, here or on its way to somebody who is gone, is
/// reported by some systems on the next read, and counts as an empty one.
pub(crate) fn receive(socket: &UdpSocket, buffer: &mut [u8]) -> io::Result<Option<(usize, SocketAddr)>> {
    match socket.recv_from(buffer) {
        Ok(received) => Ok(Some(received)),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => Ok(None),
        Err(error) if is_about_one_datagram(&error) => Ok(Some((0, NOBODY))),
        Err(error) => Err(error),
    }
}

/// Sends a packet, or loses it, as datagrams are lost.
pub(crate) fn send(
    socket: &UdpSocket,
    statistics: &mut Statistics,
    address: SocketAddr,
    packet: &[u8],
) -> bool {
    let is_sent = socket.send_to(packet, address).is_ok();
    if is_sent {
        statistics.bytes_sent += packet.len() as u64;
    } else {
        statistics.unsent += 1;
    }
    is_sent
}

/// Waits until there is something to receive, but no longer than a time. Says whether there is.
pub(crate) fn wait(socket: &UdpSocket, timeout: Duration) -> io::Result<bool> {
    if !timeout.is_zero() {
        socket.set_nonblocking(false)?;
        socket.set_read_timeout(Some(timeout.max(SHORTEST_WAIT)))?;
    }
    let peeked = socket.peek_from(&mut [0; 1]);
    socket.set_nonblocking(true)?;
    match peeked {
        Ok(_) => Ok(true),
        Err(error) => match error.kind() {
            // A signal ends the wait, so that the caller can see what it was about.
            ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted => Ok(false),
            _ if is_about_one_datagram(&error) => Ok(true),
            _ => Err(error),
        },
    }
}

/// From nobody comes nothing: the source of datagrams that could not be read.
const NOBODY: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::UNSPECIFIED), 0);

/// Shorter ones are none to some systems, and for ever to others.
const SHORTEST_WAIT: Duration = Duration::from_millis(1);

fn is_about_one_datagram(error: &io::Error) -> bool {
    /// Windows: the datagram was longer than the buffer.
    const TOO_LONG_FOR_BUFFER: i32 = 10040;
    let kinds = [
        ErrorKind::ConnectionReset,
        ErrorKind::ConnectionRefused,
        ErrorKind::ConnectionAborted,
        ErrorKind::HostUnreachable,
        ErrorKind::NetworkUnreachable,
        ErrorKind::Interrupted,
    ];
    kinds.contains(&error.kind()) || cfg!(windows) && error.raw_os_error() == Some(TOO_LONG_FOR_BUFFER)
}
